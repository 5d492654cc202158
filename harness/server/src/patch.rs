//! The body of a patch.

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Patch, Properties};
use serde::Deserialize;

use crate::answer::RestRefusal;
use crate::partition::PartitionPaths;
use crate::system_properties::is_set_by_server;

/// The service takes as many operations in one patch.
const MOST_OPERATIONS: usize = 10;

#[derive(Deserialize)]
struct PatchObject {
    operations: Vec<PatchEntry>,
    #[serde(default)]
    condition: Option<Literal>,
}

#[derive(Deserialize)]
struct PatchEntry {
    op: String,
    path: String,
    #[serde(default, deserialize_with = "present")]
    value: Option<Literal>,
}

/// Reads a value that is there, so that null is told from an absent one.
fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Literal>, D::Error> {
    Literal::deserialize(from).map(Some)
}

/// A patch that was read.
pub(crate) enum ParsedPatch {
    /// One that may change what it names.
    Allowed(Patch),
    /// One that would change what no patch can.
    Forbidden(RestRefusal),
}

impl ParsedPatch {
    /// Returns the patch, or the refusal.
    pub(crate) fn allowed(self) -> Result<Patch, RestRefusal> {
        match self {
            Self::Allowed(patch) => Ok(patch),
            Self::Forbidden(refusal) => Err(refusal),
        }
    }
}

/// Reads a patch: `{"operations": [...]}`, or the bare array that some clients send.
///
/// # Errors
///
/// 400 that says what is wrong or not offered.
pub(crate) fn parse(id: &str, text: &str, paths: &PartitionPaths) -> Result<ParsedPatch, RestRefusal> {
    let unreadable =
        |error: serde_json::Error| RestRefusal::bad(format!("the patch cannot be read: {error}"));
    let PatchObject { operations, condition } = if text.trim_start().starts_with('[') {
        PatchObject { operations: serde_json::from_str(text).map_err(unreadable)?, condition: None }
    } else {
        serde_json::from_str(text).map_err(unreadable)?
    };
    if condition.is_some_and(|condition| condition.as_str() != "null") {
        return Err(RestRefusal::not_offered("`condition` of a patch"));
    }
    if operations.is_empty() || operations.len() > MOST_OPERATIONS {
        return Err(RestRefusal::bad(format!("a patch has 1 to {MOST_OPERATIONS} operations")));
    }
    let mut patch = Patch { id: id.to_owned(), set: Properties::new(), remove: Vec::new() };
    let mut is_forbidden = false;
    for PatchEntry { op, path, value } in operations {
        let name = property(&path)?;
        let value = match (op.as_str(), value) {
            ("set" | "add" | "replace", Some(value)) => Some(value),
            ("set" | "add" | "replace", None) => {
                return Err(RestRefusal::bad("an operation of the patch has no `value`"));
            }
            ("remove", _) => None,
            ("incr" | "move", _) => return Err(RestRefusal::not_offered("`incr` or `move` in a patch")),
            _ => return Err(RestRefusal::bad("`op` of a patch must be set, add, replace or remove")),
        };
        is_forbidden |= name == "id" || is_set_by_server(&name) || paths.depend_on(&name);
        patch.remove.retain(|removed| *removed != name);
        patch.set.remove(&name);
        match value {
            Some(value) => {
                patch.set.insert(name, value);
            }
            None => patch.remove.push(name),
        }
    }
    if is_forbidden {
        let why = "a patch cannot change `id`, the partition key, or what the server sets";
        return Ok(ParsedPatch::Forbidden(RestRefusal::bad(why)));
    }
    Ok(ParsedPatch::Allowed(patch))
}

/// Returns the property that a path names.
fn property(path: &str) -> Result<String, RestRefusal> {
    let name = path.strip_prefix('/').filter(|name| !name.is_empty());
    let name =
        name.ok_or_else(|| RestRefusal::bad("`path` of a patch must begin with / and name a property"))?;
    if name.contains('/') {
        return Err(RestRefusal::not_offered(
            "a patch inside a property; set the whole property instead, which",
        ));
    }
    Ok(name.replace("~1", "/").replace("~0", "~"))
}
