//! The knowledge of a client about an item: it sees answers, and never a removal.

use crate::container::{ItemId, World};
use crate::rule::ItemTtl;

/// The knowledge of a client about an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the fields are the item's ttl and its age, which saturates")]
pub enum ClientKnowledge {
    /// There is none.
    Absent,
    /// It is visible.
    Living { ttl: ItemTtl, age_s: i64 },
    /// It is expired, and stored or removed.
    Expired { ttl: ItemTtl, age_s: i64 },
    /// It was expired and would be visible now: back, or gone for good (`reappearance`).
    Open { ttl: ItemTtl, age_s: i64 },
}

impl ClientKnowledge {
    /// Returns what is known of an item, if one of these worlds is the real one.
    pub fn of<I: Iterator<Item = World>>(id: ItemId, worlds: impl Fn() -> I) -> Self {
        let Some((world, item)) = worlds().find_map(|world| {
            let item = *world.items.get(&id)?;
            Some((world, item))
        }) else {
            return Self::Absent;
        };
        let (ttl, age_s) = (item.ttl, world.now.saturating_sub(item.ts));
        if world.is_expired(&item) {
            Self::Expired { ttl, age_s }
        } else if worlds().all(|world| world.items.contains_key(&id)) {
            Self::Living { ttl, age_s }
        } else {
            Self::Open { ttl, age_s }
        }
    }
}
