//! A step of a bounded world, as the laws look at it.
//!
//! Laws read what lies open: settings, items, ages, answers. They never call what they check. So that expiry is stated
//! twice and independently, [`World::gone`] says it here once more, in other words than the rule does.

use super::report::Scene;
use cosmos_ttl_model::container::{
    Indexing, Item, ItemId, Operation, Refusal, Request, Response, Rules, SettingsDraft, TtlChange, World,
};
use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl, Wire};
use cosmos_ttl_model::semantics::Semantics;

/// What somebody does to a bounded world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// A client asks.
    Ask(Request),
    /// A second passes.
    Pass,
    /// The background removes an item.
    Remove(ItemId),
    /// A lazy index catches up.
    CatchUp,
}

/// What happened, and what a query would have listed before and after.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// Which rules are in force.
    pub(super) rules: Rules,
    pub(super) before: World,
    pub(super) did: Move,
    pub(super) answer: Option<Response>,
    pub(super) after: World,
    pub(super) listed_before: Vec<ItemId>,
    pub(super) listed_after: Vec<ItemId>,
    /// The age at which ages saturate.
    pub(super) oldest: i64,
}

/// What an answer tells about a stored item.
pub(super) struct Look<'a> {
    pub(super) item: &'a Item,
    pub(super) shown: bool,
}

/// Whether time to live is on.
pub(super) fn on(world: &World) -> bool {
    world.settings.default_ttl != DefaultTtl::Off
}

/// The default, if it is a number of seconds.
pub(super) fn default_s(world: &World) -> Option<i64> {
    match world.settings.default_ttl {
        DefaultTtl::Seconds(seconds) => Some(seconds.get()),
        DefaultTtl::Off | DefaultTtl::NoDefault => None,
    }
}

/// The item's own `ttl`, if it is a number of seconds.
pub(super) fn own_s(item: &Item) -> Option<i64> {
    match item.ttl {
        ItemTtl::Seconds(seconds) => Some(seconds.get()),
        ItemTtl::Inherit | ItemTtl::Never => None,
    }
}

/// Seconds since the last write.
pub(super) fn age(world: &World, item: &Item) -> i64 {
    world.now.saturating_sub(item.ts)
}

/// Whether the item's age has reached a number of seconds that applies to it: its own, or else the default; none while
/// the container is off.
pub(super) fn gone(world: &World, item: &Item) -> bool {
    let reached = |seconds: Option<i64>| seconds.is_some_and(|seconds| age(world, item) >= seconds);
    on(world) && (reached(own_s(item)) || item.ttl == ItemTtl::Inherit && reached(default_s(world)))
}

impl Step {
    /// The one operation that a client asked for.
    pub(super) fn operation(&self) -> Option<&Operation> {
        match &self.did {
            Move::Ask(Request::Item(operation)) => Some(operation),
            _ => None,
        }
    }

    /// The settings that a client sent.
    pub(super) fn draft(&self) -> Option<&SettingsDraft> {
        match &self.did {
            Move::Ask(Request::Configure(draft)) => Some(draft),
            _ => None,
        }
    }

    /// Whether the settings were replaced; as what, the world after says.
    pub(super) fn configured(&self) -> bool {
        self.answer == Some(Response::Configured)
    }

    /// Why a request had no effect.
    pub(super) fn refusal(&self) -> Option<Refusal> {
        match self.answer {
            Some(Response::Refused(refusal) | Response::Aborted { refusal, .. }) => Some(refusal),
            _ => None,
        }
    }

    /// The item that a write returned.
    pub(super) fn written(&self) -> Option<&Item> {
        match &self.answer {
            Some(Response::Created(item) | Response::Ok(item)) => Some(item),
            _ => None,
        }
    }

    /// The item that the one operation is about, as it is stored now.
    pub(super) fn outcome(&self) -> Option<&Item> {
        self.after.items.get(&named(self.operation()?))
    }

    /// The item that the one operation is about, as it was stored before.
    pub(super) fn target(&self) -> Option<&Item> {
        self.before.items.get(&named(self.operation()?))
    }

    /// That item, if it should be gone for every client and is stored all the same.
    pub(super) fn ghost(&self) -> Option<&Item> {
        self.target().filter(|item| gone(&self.before, item))
    }

    /// That item, if every client should see it.
    pub(super) fn living(&self) -> Option<&Item> {
        self.target().filter(|item| !gone(&self.before, item))
    }

    /// What this answer tells about each stored item.
    pub(super) fn looks(&self) -> Vec<Look<'_>> {
        let stored = &self.before.items;
        match (&self.did, &self.answer) {
            (Move::Ask(Request::Item(Operation::Read(id))), Some(answer)) => {
                let shown = matches!(answer, Response::Found(_));
                stored.get(id).map(|item| Look { item, shown }).into_iter().collect()
            }
            (Move::Ask(Request::Query), Some(Response::Ids(ids))) => {
                stored.iter().map(|(id, item)| Look { item, shown: ids.contains(id) }).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether an answer that looks at an item of which `which` is true shows it as `expected` says.
    pub(super) fn every_look(
        &self,
        which: fn(&World, &Item) -> bool,
        expected: fn(&World, &Item) -> bool,
    ) -> bool {
        let before = &self.before;
        self.looks().iter().all(|look| !which(before, look.item) || look.shown == expected(before, look.item))
    }

    /// Whether some answer looks at an item of which `which` is true, and shows it or not.
    pub(super) fn some_look(&self, shown: bool, which: fn(&World, &Item) -> bool) -> bool {
        self.looks().iter().any(|look| look.shown == shown && which(&self.before, look.item))
    }

    /// The `ttl` that the one operation sets, as it was sent.
    pub(super) fn sent_ttl(&self) -> Option<Wire> {
        match self.operation()? {
            Operation::Create(draft) | Operation::Upsert(draft) | Operation::Replace { draft, .. } => {
                Some(draft.ttl)
            }
            Operation::Patch { ttl: TtlChange::Set(wire), .. } => Some(*wire),
            Operation::Patch { ttl: TtlChange::Remove, .. } => Some(Wire::Absent),
            Operation::Patch { ttl: TtlChange::Keep, .. } | Operation::Read(_) | Operation::Delete { .. } => {
                None
            }
        }
    }

    /// Whether a client's request is about this item.
    pub(super) fn names(&self, id: ItemId) -> bool {
        match &self.did {
            Move::Ask(Request::Item(operation)) => named(operation) == id,
            Move::Ask(Request::Batch(operations)) => {
                operations.iter().any(|operation| named(operation) == id)
            }
            _ => false,
        }
    }

    /// Whether it may make an item: a create, an upsert, or a batch with one of them.
    pub(super) fn makes(&self, id: ItemId) -> bool {
        let made = |operation: &Operation| match operation {
            Operation::Create(draft) | Operation::Upsert(draft) => draft.id == id,
            _ => false,
        };
        match &self.did {
            Move::Ask(Request::Item(operation)) => made(operation),
            Move::Ask(Request::Batch(operations)) => operations.iter().any(made),
            _ => false,
        }
    }

    /// Whether a client asked for this item to be deleted.
    pub(super) fn deletes(&self, id: ItemId) -> bool {
        let deleted =
            |operation: &Operation| matches!(operation, Operation::Delete { id: other, .. } if *other == id);
        match &self.did {
            Move::Ask(Request::Item(operation)) => deleted(operation),
            Move::Ask(Request::Batch(operations)) => operations.iter().any(deleted),
            _ => false,
        }
    }

    /// This step, for people to read.
    pub(super) fn scenes(&self) -> Vec<Scene> {
        match (&self.did, &self.answer) {
            (Move::Ask(request), Some(response)) => {
                vec![Scene::Asked {
                    request: request.clone(),
                    response: response.clone(),
                    oldest: self.oldest,
                }]
            }
            (Move::Pass, _) => vec![Scene::Passed],
            (Move::Remove(id), _) => vec![Scene::Removed(*id)],
            (Move::CatchUp | Move::Ask(_), _) => vec![Scene::Noted("the index has caught up".to_string())],
        }
    }
}

/// What a client is told who lists and reads whatever there is, in a world of second 0.
pub(super) fn look(semantics: &dyn Semantics, rules: Rules, world: &World, oldest: i64) -> Vec<Scene> {
    let read = |id: &ItemId| Request::Item(Operation::Read(*id));
    let requests = [Request::Query].into_iter().chain(world.items.keys().map(read));
    requests
        .map(|request| {
            let (_, response) = semantics.step(world, rules, &request);
            Scene::Asked { request, response, oldest }
        })
        .collect()
}

/// The item that an operation is about.
pub(super) fn named(operation: &Operation) -> ItemId {
    match operation {
        Operation::Create(draft) | Operation::Upsert(draft) | Operation::Replace { draft, .. } => draft.id,
        Operation::Patch { id, .. } | Operation::Delete { id, .. } | Operation::Read(id) => *id,
    }
}

/// The container as it would have to be made, for people to read.
pub(super) fn opening(world: &World) -> SettingsDraft {
    let default_ttl = match world.settings.default_ttl {
        DefaultTtl::Off => Wire::Absent,
        DefaultTtl::NoDefault => Wire::Whole(-1),
        DefaultTtl::Seconds(seconds) => Wire::Whole(seconds.get()),
    };
    let indexing: Indexing = world.settings.indexing;
    SettingsDraft { default_ttl, indexing }
}
