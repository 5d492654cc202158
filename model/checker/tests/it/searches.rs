//! The message if the two searches disagree, for functions that change after the first search.

use std::sync::atomic::{AtomicUsize, Ordering};

use cosmos_ttl_checker::{CheckScope, Semantics, check_with};
use cosmos_ttl_model::container::{
    Content, Etag, Item, ItemId, Refusal, Request, Response, Rules, SettingsDraft, World,
};
use cosmos_ttl_model::rule::{ItemTtl, Wire};

/// How many worlds the first search of the first model opens: one for every default, and one for each of 9 drafts from
/// each of 4 states in which nothing is stored.
const OPENED_BY_FIRST_SEARCH: usize = 4 + 9 * 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// A container without `defaultTtl` begins with an item that no request names.
    OneItemMore,
    NoRemoval,
    /// A `defaultTtl` of 0 changes nothing and is no error.
    ZeroIsTaken,
}

#[derive(Debug)]
struct Fickle {
    change: Change,
    opened: AtomicUsize,
}

impl Fickle {
    /// Whether the first search of the first model is done.
    fn has(&self, change: Change) -> bool {
        self.change == change && self.opened.load(Ordering::Relaxed) > OPENED_BY_FIRST_SEARCH
    }

    /// Whether the world that is opened now is one of the 4 with which the second search starts.
    fn starts_second_search(&self) -> bool {
        self.opened.load(Ordering::Relaxed) <= OPENED_BY_FIRST_SEARCH + 4
    }
}

impl Semantics for Fickle {
    fn open(&self, rules: Rules, now: i64, draft: SettingsDraft) -> Result<World, Refusal> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        let mut world = World::new(rules, now, draft)?;
        if self.has(Change::OneItemMore) && self.starts_second_search() && draft.default_ttl == Wire::Absent {
            let item = Item { ttl: ItemTtl::Never, ts: now, etag: Etag(1), content: Content(1) };
            world.items.insert(ItemId(1), item);
        }
        Ok(world)
    }

    fn step(&self, world: &World, rules: Rules, request: &Request) -> (World, Response) {
        match request {
            Request::Configure(draft)
                if draft.default_ttl == Wire::Whole(0) && self.has(Change::ZeroIsTaken) =>
            {
                (world.clone(), Response::Configured)
            }
            _ => world.step(rules, request),
        }
    }

    fn remove(&self, world: &World, id: ItemId) -> Option<World> {
        world.remove(id).filter(|_| !self.has(Change::NoRemoval))
    }
}

#[test]
fn searches_that_differ_in_a_count_or_a_property_disagree() {
    for (change, expected) in [
        (Change::OneItemMore, "stateright counts 160 states, the walk 52"),
        (
            Change::NoRemoval,
            "only one search met a step where the background removes one item and leaves nothing else to see: true",
        ),
        (
            Change::ZeroIsTaken,
            "only one search met a step where a `defaultTtl` of 0, -2, 2147483648 or text is a bad request: false",
        ),
    ] {
        let report = check_with(Fickle { change, opened: AtomicUsize::new(0) }, CheckScope::Small, |model| {
            model == "one item"
        });
        assert!(!report.holds());
        assert_eq!(report.models[0].disagreement.as_deref(), Some(expected));
    }
}
