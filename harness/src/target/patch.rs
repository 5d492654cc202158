//! Changes to an item, and what they make of it.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Id, Properties};
use crate::literal::{Literal, LiteralKind};

/// Changes to an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The item's id.
    pub id: Id,
    /// The properties to set, `{"op":"set"}`.
    pub set: Properties,
    /// The properties to remove, `{"op":"remove"}`.
    pub remove: Vec<String>,
    /// What is done after that, in this order.
    pub operations: Vec<PatchOperation>,
}

/// One change at a path: `/ttl`, `/nested/ttl`. In JSON an object with one key, which is the word of the operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the fields are those of the operation on the wire")]
pub enum PatchOperation {
    /// Sets what may be there or not.
    Add { path: String, value: Literal },
    /// Sets what is there.
    Replace { path: String, value: Literal },
    /// Sets what may be there or not.
    Set { path: String, value: Literal },
    /// Removes what is there.
    Remove { path: String },
    /// Adds to the number that is there, or sets it.
    Incr { path: String, value: i64 },
    /// Moves what is there to another path.
    Move { from: String, path: String },
}

/// A patch that cannot be made of this item: it is a bad request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnpatchableError;

impl fmt::Display for UnpatchableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the item has no such path, or no number there")
    }
}

impl std::error::Error for UnpatchableError {}

impl PatchOperation {
    /// Returns the path that it changes.
    pub fn path(&self) -> &str {
        match self {
            Self::Add { path, .. }
            | Self::Replace { path, .. }
            | Self::Set { path, .. }
            | Self::Remove { path }
            | Self::Incr { path, .. }
            | Self::Move { path, .. } => path,
        }
    }

    fn apply(&self, to: &mut Properties) -> Result<(), UnpatchableError> {
        let value = match self {
            Self::Add { value, .. } | Self::Set { value, .. } => value.clone(),
            Self::Replace { path, value } => get(to, path).map(|_| value.clone())?,
            Self::Remove { path } => return put(to, path, None),
            Self::Incr { path, value } => match get(to, path).map(|old| old.kind()) {
                Ok(LiteralKind::Whole(old)) => old.saturating_add(*value).into(),
                Ok(_) => return Err(UnpatchableError),
                Err(UnpatchableError) => (*value).into(),
            },
            Self::Move { from, .. } => {
                let moved = get(to, from)?;
                put(to, from, None)?;
                moved
            }
        };
        put(to, self.path(), Some(value))
    }
}

impl Patch {
    /// Returns a patch of this item that changes nothing yet.
    pub fn of(id: impl Into<Id>) -> Self {
        Self { id: id.into(), set: Properties::new(), remove: Vec::new(), operations: Vec::new() }
    }

    /// Returns whether it may change this property.
    pub fn changes(&self, name: &str) -> bool {
        let is_at = |path: &str| split(path).is_ok_and(|(first, _)| first == name);
        self.set.contains_key(name)
            || self.remove.iter().any(|removed| removed == name)
            || self.operations.iter().any(|operation| {
                is_at(operation.path())
                    || matches!(operation, PatchOperation::Move { from, .. } if is_at(from))
            })
    }

    /// Returns the properties that it makes of these.
    ///
    /// # Errors
    ///
    /// [`UnpatchableError`] if it removes, replaces or moves what is not there, or increments what is no whole number.
    pub fn apply(&self, old: &Properties) -> Result<Properties, UnpatchableError> {
        let mut new = old.clone();
        new.extend(self.set.clone());
        for name in &self.remove {
            new.remove(name).ok_or(UnpatchableError)?;
        }
        self.operate(new)
    }

    /// Returns the properties that its operations make of these.
    ///
    /// # Errors
    ///
    /// As [`Patch::apply`].
    pub fn operate(&self, mut properties: Properties) -> Result<Properties, UnpatchableError> {
        self.operations.iter().try_for_each(|operation| operation.apply(&mut properties))?;
        Ok(properties)
    }
}

/// Divides a path into the property and the names inside it.
fn split(path: &str) -> Result<(&str, Vec<&str>), UnpatchableError> {
    let mut names = path.strip_prefix('/').ok_or(UnpatchableError)?.split('/');
    let first = names.next().filter(|name| !name.is_empty()).ok_or(UnpatchableError)?;
    Ok((first, names.collect()))
}

fn get(properties: &Properties, path: &str) -> Result<Literal, UnpatchableError> {
    let (first, inner) = split(path)?;
    let value = properties.get(first).ok_or(UnpatchableError)?;
    if inner.is_empty() {
        return Ok(value.clone());
    }
    let whole: Value = serde_json::from_str(value.as_str()).map_err(|_| UnpatchableError)?;
    let found = inner.iter().try_fold(&whole, |value, name| value.get(name)).ok_or(UnpatchableError)?;
    Ok(Literal::from(found))
}

/// Sets what is at a path, whose parents must be there, or removes it.
fn put(properties: &mut Properties, path: &str, value: Option<Literal>) -> Result<(), UnpatchableError> {
    let (first, inner) = split(path)?;
    let Some((last, parents)) = inner.split_last() else {
        return match value {
            Some(value) => {
                properties.insert(first.into(), value);
                Ok(())
            }
            None => properties.remove(first).map(drop).ok_or(UnpatchableError),
        };
    };
    let parent = properties.get_mut(first).ok_or(UnpatchableError)?;
    let mut whole: Value = serde_json::from_str(parent.as_str()).map_err(|_| UnpatchableError)?;
    let mut object: &mut Map<String, Value> = whole.as_object_mut().ok_or(UnpatchableError)?;
    for name in parents {
        object = object.get_mut(*name).and_then(Value::as_object_mut).ok_or(UnpatchableError)?;
    }
    match value {
        Some(value) => {
            let value = serde_json::from_str(value.as_str()).map_err(|_| UnpatchableError)?;
            object.insert((*last).into(), value);
        }
        None => drop(object.remove(*last).ok_or(UnpatchableError)?),
    }
    *parent = Literal::from(&whole);
    Ok(())
}
