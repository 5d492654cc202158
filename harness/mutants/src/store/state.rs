//! What a container's answers depend on from now on, so that containers which will answer alike are equal.
//!
//! Seconds, etags and numbers of requests grow for ever, and no answer depends on them as such. Of the second of a write
//! it counts how long ago it was, and once that is longer than every lifetime in play only whether two of them are one
//! and the same, since that is all that answers beside each other can show. Of an etag it counts which others it equals:
//! new ones equal none. Of a number of requests it counts what the schedule of removal asks, which is a remainder.

use super::{Choices, IndependentContainer, ItemHistory};

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

    fn tag(&mut self, tag: u64) -> u64 {
        number(&mut self.tags, tag) as u64
    }

    /// How long ago a write was; longer ago than anything lives, the number of its second among such.
    fn age(&mut self, written: i128, now: i128) -> i128 {
        match now - written {
            age if age <= self.longest_s => age,
            _ => self.longest_s + 1 + number(&mut self.seconds, written) as i128,
        }
    }
}

fn number<T: PartialEq>(met: &mut Vec<T>, one: T) -> usize {
    met.iter().position(|other| *other == one).unwrap_or_else(|| {
        met.push(one);
        met.len() - 1
    })
}

impl IndependentContainer {
    /// Returns the container as if it were now the second 0, with labels in place of etags and long ages.
    pub(crate) fn normalised(&self, labels: &mut Labels) -> Self {
        let mut state = self.clone();
        (state.now, state.history) = Default::default();
        // Which request it is only counts where choices go by that.
        state.requests = if self.variant.choices == Choices::default() { 0 } else { self.requests % 2 };
        state.tags = labels.tag(self.tags);
        for item in &mut state.items {
            item.written = -labels.age(item.written, self.now);
            item.tag = labels.tag(item.tag);
            item.history = ItemHistory::default();
        }
        state
    }
}
