//! The log of versions: every write, delete and removal adds one, and nothing is changed in place.
//!
//! Each version knows the one before it with the same id. A batch that is aborted is cut off the end.

use std::collections::BTreeMap;

use cosmos_ttl_harness::target::{Id, Properties};

use crate::mistake::Path;

/// A lifetime: an item's own, or a container's default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ttl {
    /// None: an item inherits, a container is off.
    Unset,
    /// -1
    Never,
    /// Seconds.
    After(i128),
    /// A value that is no lifetime, and was stored while the container was off.
    Invalid,
}

/// What a version holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// The properties, as sent.
    pub(crate) properties: Properties,
    /// The item's own lifetime.
    pub(crate) own: Ttl,
    /// `_ts`
    pub(crate) ts: i128,
    /// The number of its etag.
    pub(crate) etag: u64,
    /// The second at which the item was created.
    pub(crate) born: i128,
}

/// A version of an item.
#[derive(Clone, Debug)]
pub(crate) struct Version {
    /// The item's id.
    pub(crate) id: Id,
    /// What it holds; `None` if the item was deleted or removed.
    pub(crate) held: Option<Held>,
    /// The write that made it.
    pub(crate) path: Path,
    /// How many settings the container had had.
    pub(crate) settings: usize,
    before: Option<usize>,
}

/// All versions, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    versions: Vec<Version>,
    heads: BTreeMap<Id, usize>,
}

impl Log {
    /// Adds a version.
    pub(crate) fn push(&mut self, id: &str, held: Option<Held>, path: Path, settings: usize) {
        let before = self.heads.insert(id.into(), self.versions.len());
        self.versions.push(Version { id: id.into(), held, path, settings, before });
    }

    /// Returns how many versions there are.
    pub(crate) fn len(&self) -> usize {
        self.versions.len()
    }

    /// Keeps this number of the oldest versions and drops the rest.
    pub(crate) fn cut(&mut self, length: usize) {
        while self.versions.len() > length {
            let Some(version) = self.versions.pop() else { return };
            match version.before {
                Some(before) => self.heads.insert(version.id, before),
                None => self.heads.remove(&version.id),
            };
        }
    }

    /// Returns the versions from this number on.
    pub(crate) fn since(&self, number: usize) -> &[Version] {
        self.versions.get(number..).unwrap_or(&[])
    }

    /// Returns the latest version with this id, if the item is stored.
    pub(crate) fn stored(&self, id: &str) -> Option<&Version> {
        self.heads
            .get(id)
            .and_then(|number| self.versions.get(*number))
            .filter(|version| version.held.is_some())
    }

    /// Returns the latest version of each item that is stored, by id.
    pub(crate) fn items(&self) -> impl DoubleEndedIterator<Item = &Version> {
        self.heads.keys().filter_map(|id| self.stored(id))
    }

    /// Returns the number of the latest version with this id.
    pub(crate) fn number(&self, id: &str) -> usize {
        self.heads.get(id).copied().unwrap_or(0)
    }

    /// Returns the earlier versions of the same item, the latest first, back to its creation.
    pub(crate) fn earlier<'a>(&'a self, version: &'a Version) -> impl Iterator<Item = &'a Held> {
        let born = version.held.as_ref().map(|held| held.born);
        std::iter::successors(version.before, |number| self.versions.get(*number)?.before)
            .map_while(|number| self.versions.get(number)?.held.as_ref())
            .take_while(move |held| Some(held.born) == born)
    }
}
