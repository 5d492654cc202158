//! The body of a patch, and what its operations make of an item.

use std::collections::BTreeSet;

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Patch, Properties};
use serde::Deserialize;
use serde_json::{Number, Value};

use crate::answer::RestRefusal;
use crate::partition::PartitionPaths;
use crate::sql::{ItemQuery, Scalar};
use crate::system_properties::{is_set_by_server, object_text};

/// The service takes as many operations in one patch.
const MOST_OPERATIONS: usize = 10;
/// The most names of a path.
const LONGEST_PATH: usize = 64;

#[derive(Deserialize)]
struct PatchObject {
    operations: Vec<PatchEntry>,
    #[serde(default)]
    condition: Option<String>,
}

#[derive(Deserialize)]
struct PatchEntry {
    op: String,
    path: String,
    #[serde(default)]
    from: Option<String>,
    #[serde(default, deserialize_with = "present")]
    value: Option<Literal>,
}

/// Reads a value that is there, so that null is told from an absent one.
fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Literal>, D::Error> {
    Literal::deserialize(from).map(Some)
}

/// A patch that was read.
pub(crate) struct ParsedPatch {
    /// What the item must be like.
    pub(crate) condition: Option<Scalar>,
    operations: Vec<(Vec<String>, Change)>,
}

/// What an operation does at its path.
enum Change {
    Add(Literal),
    Set(Literal),
    Replace(Literal),
    Increment(Number),
    Remove,
    /// From this path.
    Move(Vec<String>),
}

impl ParsedPatch {
    /// Reads a patch: `{"operations": [...]}`, or the bare array that some clients send.
    /// The refusal is 400 if it is malformed, or would change what no patch can; 501 if its condition is not offered.
    pub(crate) fn parse(text: &str, paths: &PartitionPaths) -> Result<Self, RestRefusal> {
        let unreadable =
            |error: serde_json::Error| RestRefusal::bad(format!("the patch cannot be read: {error}"));
        let PatchObject { operations, condition } = if text.trim_start().starts_with('[') {
            PatchObject { operations: serde_json::from_str(text).map_err(unreadable)?, condition: None }
        } else {
            serde_json::from_str(text).map_err(unreadable)?
        };
        if operations.is_empty() || operations.len() > MOST_OPERATIONS {
            return Err(RestRefusal::bad(format!("a patch has 1 to {MOST_OPERATIONS} operations")));
        }
        let changeable = |path: &str| {
            let names = names_of(path)?;
            let first = names.first().map_or("", String::as_str);
            if first == "id" || is_set_by_server(first) || paths.depend_on(&names) {
                let why = "a patch cannot change `id`, the partition key, or what the server sets";
                return Err(RestRefusal::bad(why));
            }
            Ok(names)
        };
        let read = |PatchEntry { op, path, from, value }: PatchEntry| {
            let change = match (op.as_str(), value, from) {
                ("add", Some(value), _) => Change::Add(value),
                ("set", Some(value), _) => Change::Set(value),
                ("replace", Some(value), _) => Change::Replace(value),
                ("incr", Some(value), _) => Change::Increment(
                    serde_json::from_str(value.as_str())
                        .map_err(|_| RestRefusal::bad("the `value` of `incr` in a patch must be a number"))?,
                ),
                ("remove", ..) => Change::Remove,
                ("move", _, Some(from)) => Change::Move(changeable(&from)?),
                ("add" | "set" | "replace" | "incr" | "move", ..) => {
                    return Err(RestRefusal::bad(
                        "an operation of the patch has no `value`, or a move no `from`",
                    ));
                }
                _ => {
                    return Err(RestRefusal::bad(
                        "`op` of a patch must be add, set, replace, remove, incr or move",
                    ));
                }
            };
            Ok((changeable(&path)?, change))
        };
        let operations = operations.into_iter().map(read).collect::<Result<_, RestRefusal>>()?;
        let condition = condition.map(|text| ItemQuery::parse_condition(&text)).transpose()?;
        Ok(Self { condition, operations })
    }

    /// Changes the properties of an item, and returns that as a patch of whole properties, with the first refusal.
    ///
    /// Whether a patch may remove a `ttl` that is not there is the store's to say.
    pub(crate) fn apply(&self, id: &str, properties: &mut Properties) -> (Patch, Result<(), RestRefusal>) {
        let names = |(path, change): &(Vec<String>, Change)| {
            let from = if let Change::Move(from) = change { from.first().cloned() } else { None };
            path.first().cloned().into_iter().chain(from)
        };
        let touched: BTreeSet<String> = self.operations.iter().flat_map(names).collect();
        let before: BTreeSet<_> =
            touched.iter().filter(|name| properties.contains_key(*name)).cloned().collect();
        let mut done = Ok(());
        for (path, change) in &self.operations {
            let is_left_to_the_store = matches!(change, Change::Remove) && *path == ["ttl"];
            let result = change_at(properties, path, change);
            done = if is_left_to_the_store { done } else { done.and(result) };
        }
        let (set, removed): (Vec<_>, Vec<_>) =
            touched.into_iter().partition(|name| properties.contains_key(name));
        let set = set.into_iter().filter_map(|name| Some((name.clone(), properties.get(&name)?.clone())));
        let remove = removed.into_iter().filter(|name| name == "ttl" || before.contains(name));
        (Patch { set: set.collect(), remove: remove.collect(), ..Patch::of(id) }, done)
    }
}

/// Returns the names of a path, `/a/b`.
fn names_of(path: &str) -> Result<Vec<String>, RestRefusal> {
    let names = path.strip_prefix('/').unwrap_or_default().split('/');
    let names: Vec<_> = names.map(|name| name.replace("~1", "/").replace("~0", "~")).collect();
    if names.len() > LONGEST_PATH || names.iter().any(String::is_empty) {
        let why = format!("a path of a patch must begin with / and have 1 to {LONGEST_PATH} names");
        return Err(RestRefusal::bad(why));
    }
    Ok(names)
}

fn change_at(fields: &mut Properties, path: &[String], change: &Change) -> Result<(), RestRefusal> {
    let Some((name, rest)) = path.split_first() else { return Err(no_place()) };
    if let Change::Move(from) = change {
        if path.starts_with(from) {
            return Err(RestRefusal::bad("a patch cannot move a property into itself"));
        }
        let value = take(fields, from)?;
        return change_at(fields, path, &Change::Add(value));
    }
    if !rest.is_empty() {
        return change_inside(fields.get_mut(name).ok_or_else(no_place)?, rest, change);
    }
    match changed(fields.get(name), change)? {
        Some(value) => fields.insert(name.clone(), value),
        None => fields.remove(name),
    };
    Ok(())
}

/// Removes what a path leads to, and returns it.
fn take(fields: &mut Properties, path: &[String]) -> Result<Literal, RestRefusal> {
    let (name, rest) = path.split_first().ok_or_else(no_place)?;
    let whole = fields.get(name).ok_or_else(no_place)?.clone();
    let found = rest.iter().try_fold(whole, |value, name| inside(&value, name)).ok_or_else(no_place)?;
    change_at(fields, path, &Change::Remove)?;
    Ok(found)
}

fn inside(value: &Literal, name: &str) -> Option<Literal> {
    if let Ok(mut fields) = serde_json::from_str::<Properties>(value.as_str()) {
        return fields.remove(name);
    }
    let all: Vec<Literal> = serde_json::from_str(value.as_str()).ok()?;
    all.get(name.parse::<usize>().ok()?).cloned()
}

/// Changes a value inside an object or an array, and leaves every other value as it was written.
fn change_inside(value: &mut Literal, path: &[String], change: &Change) -> Result<(), RestRefusal> {
    let text = if let Ok(mut fields) = serde_json::from_str::<Properties>(value.as_str()) {
        change_at(&mut fields, path, change)?;
        object_text(&fields)
    } else {
        let mut all: Vec<Literal> = serde_json::from_str(value.as_str()).map_err(|_| no_place())?;
        change_in_array(&mut all, path, change)?;
        format!("[{}]", all.iter().map(Literal::as_str).collect::<Vec<_>>().join(","))
    };
    *value = Literal::parse(&text).map_err(|_| no_place())?;
    Ok(())
}

fn change_in_array(all: &mut Vec<Literal>, path: &[String], change: &Change) -> Result<(), RestRefusal> {
    let Some((name, rest)) = path.split_first() else { return Err(no_place()) };
    let at = if name == "-" { all.len() } else { name.parse().map_err(|_| no_place())? };
    let is_end = at == all.len() && rest.is_empty();
    match (all.get_mut(at), change) {
        (Some(old), _) if !rest.is_empty() => return change_inside(old, rest, change),
        (None, Change::Add(value) | Change::Set(value)) if is_end => all.push(value.clone()),
        (Some(_), Change::Add(value)) => all.insert(at, value.clone()),
        (Some(old), change) => match changed(Some(old), change)? {
            Some(value) => *old = value,
            None => drop(all.remove(at)),
        },
        (None, _) => return Err(no_place()),
    }
    Ok(())
}

/// Returns what an operation makes of a value; `None` removes it.
fn changed(old: Option<&Literal>, change: &Change) -> Result<Option<Literal>, RestRefusal> {
    match (change, old) {
        (Change::Add(value) | Change::Set(value), _) | (Change::Replace(value), Some(_)) => {
            Ok(Some(value.clone()))
        }
        (Change::Remove, Some(_)) => Ok(None),
        (Change::Increment(by), None) => Ok(Some(Literal::from(&Value::from(by.clone())))),
        (Change::Increment(by), Some(old)) => {
            let sum = serde_json::from_str::<Number>(old.as_str()).ok().and_then(|old| sum(&old, by));
            let sum = sum
                .ok_or_else(|| RestRefusal::bad("`incr` in a patch needs numbers, and a sum that is one"))?;
            Ok(Some(Literal::from(&Value::from(sum))))
        }
        (Change::Replace(_) | Change::Remove, None) | (Change::Move(_), _) => Err(no_place()),
    }
}

fn sum(a: &Number, b: &Number) -> Option<Number> {
    let whole = a.as_i64().zip(b.as_i64()).and_then(|(a, b)| a.checked_add(b));
    whole.map(Number::from).or_else(|| Number::from_f64(a.as_f64()? + b.as_f64()?))
}

fn no_place() -> RestRefusal {
    RestRefusal::bad(
        "a path of the patch leads to nothing: only add, set and incr make a property, in an object that exists",
    )
}
