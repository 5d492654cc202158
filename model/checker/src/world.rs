//! The worlds that stand for all others.
//!
//! Two worlds that differ in when they happen, in their etags and in what their items hold answer alike, shifted and
//! renamed. No client can tell an age that has reached the longest lifetime in play from a greater one. So a state holds
//! a world of second 0 whose ages are capped. The test `absolute` takes each step beside a world with a real clock.

use core::fmt::Write as _;

use cosmos_ttl_model::container::{Content, Etag, Index, Item, ItemId, World};

use crate::story::{container, value};
use crate::system::{draft_of, sent};

/// The longest lifetime in play. With 1 s alone a `ttl` and a default could not differ.
pub(crate) const LONGEST_S: i64 = 2;

/// The content that a write brings. What is stored is known by the item's own number instead ([`kept_content`]).
pub(crate) const NEW: Content = Content(9);

/// An etag that no item has.
pub const STALE: Etag = Etag(u32::MAX);

/// The content of an item that was stored before the request; [`kept_etag`] is its etag.
pub(crate) fn kept_content(id: ItemId) -> Content {
    Content(id.0)
}

pub(crate) fn kept_etag(id: ItemId) -> Etag {
    Etag(id.0)
}

/// The world of second 0 that stands for this one: ages capped, etags and contents called after their items.
pub fn canonical(world: &World) -> World {
    let renamed = |(&id, item): (&ItemId, &Item)| {
        let age = world.now.saturating_sub(item.ts).clamp(0, LONGEST_S);
        (id, Item { ts: -age, etag: kept_etag(id), content: kept_content(id), ..*item })
    };
    let items = world.items.iter().map(renamed).collect();
    World { now: 0, items, next_etag: Etag(2), ..*world }
}

pub(crate) fn describe(world: &World) -> String {
    let mut text = container(draft_of(world.settings));
    text += if world.index == Index::Rebuilding { ", the index is rebuilt" } else { "" };
    text += if world.items.is_empty() { "; nothing is stored" } else { "" };
    for (id, item) in &world.items {
        let ttl = match item.ttl {
            _ if item.has_wrong_ttl => format!("wrong ttl, as if {}", value(sent(item.ttl))),
            None => "no ttl".into(),
            ttl => format!("ttl {}", value(sent(ttl))),
        };
        let age = world.now.saturating_sub(item.ts);
        // Writing to a string cannot fail.
        let _ = write!(text, "; {}: {ttl}, {age} s old", name(*id));
    }
    text
}

/// The name of an item: a, b, ...
pub(crate) fn name(id: ItemId) -> char {
    char::from_u32(u32::from('a').saturating_add(id.0)).unwrap_or('?')
}
