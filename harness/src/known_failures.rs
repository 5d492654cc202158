//! Known failures: what a list says of the vectors that fail, and whether a run bears it out.
//!
//! A list is a YAML file a target. It is strict: whoever is on it must fail, and as it says. A vector that passes, or fails
//! in another way, fails the run, and so does an entry that no longer describes the target. So a list cannot rot.

mod apply;
mod edit;
mod entry;
mod format;
mod load;
mod update;

use std::sync::Arc;

use crate::diagnostic::Source;
use crate::yaml::Node;

pub use crate::result::{Kind, Listed};
pub use apply::apply;
pub use format::known_schema_json;
pub use update::{Added, Adding, Change, Plan, Refusal, blank, plan};

use self::entry::Entry;

/// The JSON Schema of a list, as committed.
pub const SCHEMA: &str = include_str!("../schemas/known.schema.json");

/// A list of known failures, of vectors that there are.
#[derive(Clone, Debug)]
pub struct Known {
    /// Of what it is a list, for people.
    pub target: Option<String>,
    source: Arc<Source>,
    tree: Node,
    entries: Vec<Entry>,
}

impl Known {
    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The vectors that an entry names, or matches.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().flat_map(Entry::names).map(String::as_str)
    }

    /// The file, for people.
    pub fn file(&self) -> &str {
        &self.source.name
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.source.text
    }

    /// The entry that names a vector itself.
    fn naming(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.is_of(name))
    }
}
