//! What a store's answers depend on from now on, so that stores which will answer alike are equal.
//!
//! Seconds, etags and numbers of requests grow for ever, and no answer depends on them as such. Of the second of a write
//! it counts how long ago it was, and once that is longer than every lifetime in play only whether two of them are one
//! and the same, since that is all that answers beside each other can show. Of an etag it counts which others it equals:
//! new ones equal none. Of a number of requests it counts what the schedule of removal asks, which is a remainder.

use super::{Row, Setting, Store};
use cosmos_ttl_harness::target::{Indexing, Properties};

/// A container, as far as answers depend on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ContainerState {
    default: Setting,
    indexing: Indexing,
    lagging: bool,
    /// Which request it is, where choices go by that.
    turn: u64,
    last_tag: usize,
    rows: Vec<RowState>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct RowState {
    id: String,
    properties: Properties,
    written: Written,
    tag: usize,
    latched: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Written {
    /// So many seconds ago.
    Ago(i128),
    /// Longer ago than anything lives: the number of the second among such.
    Long(usize),
}

/// Numbers for what only matters by being the same, in the order in which it is met.
#[derive(Debug)]
pub(crate) struct Labels {
    longest_s: i128,
    tags: Vec<u64>,
    seconds: Vec<i128>,
}

impl Labels {
    pub(crate) fn new(longest_s: u64) -> Self {
        Self { longest_s: longest_s.into(), tags: Vec::new(), seconds: Vec::new() }
    }

    /// The number of an etag as clients see it; `None` for what is no etag of such a store.
    pub(crate) fn shown(&mut self, etag: &str) -> Option<usize> {
        let tag = etag.strip_prefix("naive-")?.parse().ok()?;
        Some(number(&mut self.tags, tag))
    }

    fn written(&mut self, written: i128, now: i128) -> Written {
        match now - written {
            age if age <= self.longest_s => Written::Ago(age),
            _ => Written::Long(number(&mut self.seconds, written)),
        }
    }
}

fn number<T: PartialEq>(met: &mut Vec<T>, one: T) -> usize {
    met.iter().position(|other| *other == one).unwrap_or_else(|| {
        met.push(one);
        met.len() - 1
    })
}

impl Store {
    pub(crate) fn state(&self, labels: &mut Labels) -> ContainerState {
        let by_request = self.variant.choices != crate::Choices::default();
        ContainerState {
            default: self.default,
            indexing: self.indexing,
            lagging: self.lagging,
            turn: if by_request { self.requests % 2 } else { 0 },
            last_tag: number(&mut labels.tags, self.tags),
            rows: self.rows.iter().map(|row| self.row_state(row, labels)).collect(),
        }
    }

    fn row_state(&self, row: &Row, labels: &mut Labels) -> RowState {
        RowState {
            id: row.id.clone(),
            properties: row.properties.clone(),
            written: labels.written(row.written, self.now),
            tag: number(&mut labels.tags, row.tag),
            latched: row.latched,
        }
    }
}
