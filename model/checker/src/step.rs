//! A step of a bounded world, as the laws look at it.
//!
//! Laws read what lies open: settings, items, ages, answers. They never call what they check. So that expiry is stated
//! twice and independently, [`World::gone`] says it here once more, in other words than the rule does.

use core::ops::Deref;
use std::slice;
use std::sync::Arc;

use super::report::Scene;
use super::storyboard;
use cosmos_ttl_model::container::{
    Index, Indexing, Item, ItemId, Operation, Refusal, Request, Response, Rules, SettingsDraft, TtlChange,
    World,
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

impl Move {
    /// The move in one line, for people to read.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Ask(request) => storyboard::words(request),
            Self::Pass => "a second passes".to_string(),
            Self::Remove(id) => storyboard::removal(*id),
            Self::CatchUp => "the index catches up".to_string(),
        }
    }
}

/// What happened, and what a query would have listed before and after.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// Which rules are in force.
    pub(super) rules: Rules,
    pub(super) before: Ready,
    pub(super) did: Move,
    pub(super) answer: Option<Response>,
    pub(super) after: World,
    changes: Changes,
    /// `None` where the world is as it was, and so is the list.
    listed_after: Option<Vec<ItemId>>,
    /// The age at which ages saturate.
    oldest: i64,
}

/// A world as it is before every step from it, and what a query lists there.
#[derive(Clone, Debug)]
pub(super) struct Ready(Arc<Before>);

#[derive(Debug)]
struct Before {
    world: World,
    listed: Vec<ItemId>,
    listed_rightly: bool,
}

impl Ready {
    pub(super) fn new(world: World, listed: Vec<ItemId>) -> Self {
        let listed_rightly = lists_rightly(&world, &listed);
        Self(Arc::new(Before { world, listed, listed_rightly }))
    }
}

impl Deref for Ready {
    type Target = World;

    fn deref(&self) -> &World {
        &self.0.world
    }
}

/// Whether a list holds the stored items that are not gone, and no other. While the index is built anew it says nothing.
fn lists_rightly(world: &World, listed: &[ItemId]) -> bool {
    let mut living: usize = 0;
    let mut stored = world.items.iter();
    let complete = stored.all(|(id, item)| {
        let is_gone = gone(world, item);
        living = living.saturating_add(usize::from(!is_gone));
        is_gone || listed.contains(id)
    });
    complete && living == listed.len() || world.index == Index::Rebuilding
}

/// An item that a step changed: as it was stored before, and as it is stored after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) id: ItemId,
    pub(super) old: Option<Item>,
    pub(super) new: Option<Item>,
}

/// The items that a step changed, in order. Most steps change one at most, which takes no room elsewhere.
#[derive(Clone, Debug)]
enum Changes {
    None,
    One(Change),
    Several(Vec<Change>),
}

impl Changes {
    /// Returns every item of which the two worlds differ.
    fn between(before: &World, after: &World) -> Self {
        let (mut olds, mut news) = (before.items.iter(), after.items.iter());
        let (mut old, mut new) = (olds.next(), news.next());
        let mut all = Self::None;
        loop {
            match (old, new) {
                (Some((id, before)), Some((other, after))) if id == other => {
                    if before != after {
                        all.push(Change { id: *id, old: Some(*before), new: Some(*after) });
                    }
                    (old, new) = (olds.next(), news.next());
                }
                (Some((id, gone)), other) if other.is_none_or(|(other, _)| id < other) => {
                    all.push(Change { id: *id, old: Some(*gone), new: None });
                    old = olds.next();
                }
                (_, Some((id, made))) => {
                    all.push(Change { id: *id, old: None, new: Some(*made) });
                    new = news.next();
                }
                (_, None) => return all,
            }
        }
    }

    fn push(&mut self, change: Change) {
        match self {
            Self::None => *self = Self::One(change),
            Self::One(first) => *self = Self::Several(vec![*first, change]),
            Self::Several(all) => all.push(change),
        }
    }

    fn as_slice(&self) -> &[Change] {
        match self {
            Self::None => &[],
            Self::One(change) => slice::from_ref(change),
            Self::Several(all) => all,
        }
    }
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
    /// A step from a world. What a query lists is asked only of a world that is not the same.
    pub(super) fn new(
        rules: Rules,
        ready: &Ready,
        did: Move,
        (after, answer): (World, Option<Response>),
        list: impl FnOnce(&World) -> Vec<ItemId>,
        oldest: i64,
    ) -> Self {
        let before = ready.clone();
        let changes = Changes::between(&before, &after);
        let same = changes.as_slice().is_empty()
            && (before.now, before.settings, before.next_etag, before.index)
                == (after.now, after.settings, after.next_etag, after.index);
        let listed_after = (!same).then(|| list(&after));
        Self { rules, before, did, answer, after, changes, listed_after, oldest }
    }

    /// The items that the step changed, made or took away.
    pub(super) fn changes(&self) -> &[Change] {
        self.changes.as_slice()
    }

    /// What a query would list before the step.
    pub(super) fn listed_before(&self) -> &[ItemId] {
        &self.before.0.listed
    }

    /// What a query would list after the step.
    pub(super) fn listed_after(&self) -> &[ItemId] {
        self.listed_after.as_deref().unwrap_or(self.listed_before())
    }

    /// Whether a query, before the step and after it, lists the stored items that are not gone, and no other.
    pub(super) fn lists_rightly(&self) -> bool {
        let after = self.listed_after.as_deref();
        self.before.0.listed_rightly && after.is_none_or(|listed| lists_rightly(&self.after, listed))
    }

    /// Whether the step left everything as it was.
    pub(super) fn changed_nothing(&self) -> bool {
        self.listed_after.is_none()
    }

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

    /// Whether a client reads or lists, so that the answer may show items.
    pub(super) fn looks(&self) -> bool {
        matches!(self.did, Move::Ask(Request::Item(Operation::Read(_)) | Request::Query))
    }

    /// Whether nobody asked: a second passes, or the background does something.
    pub(super) fn is_unasked(&self) -> bool {
        !matches!(self.did, Move::Ask(_))
    }

    /// Whether a client sent settings, or settings were replaced.
    pub(super) fn configures(&self) -> bool {
        self.draft().is_some() || self.configured()
    }

    /// Whether the settings were replaced; as what, the world after says.
    pub(super) fn configured(&self) -> bool {
        matches!(self.answer, Some(Response::Configured))
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

    /// Whether an answer that looks at an item of which `which` is true shows it as `expected` says.
    pub(super) fn every_look(
        &self,
        which: fn(&World, &Item) -> bool,
        expected: fn(&World, &Item) -> bool,
    ) -> bool {
        let before = &self.before;
        self.no_look(|item, shown| which(before, item) && shown != expected(before, item))
    }

    /// Whether some answer looks at an item of which `which` is true, and shows it or not.
    pub(super) fn some_look(&self, shown: bool, which: fn(&World, &Item) -> bool) -> bool {
        !self.no_look(|item, is_shown| is_shown == shown && which(&self.before, item))
    }

    /// Whether this answer tells of no stored item that it is so: the item, and whether it is shown.
    fn no_look(&self, is_so: impl Fn(&Item, bool) -> bool) -> bool {
        let stored = &self.before.items;
        match (&self.did, &self.answer) {
            (Move::Ask(Request::Item(Operation::Read(id))), Some(answer)) => {
                stored.get(id).is_none_or(|item| !is_so(item, matches!(answer, Response::Found(_))))
            }
            (Move::Ask(Request::Query), Some(Response::Ids(ids))) => {
                stored.iter().all(|(id, item)| !is_so(item, ids.contains(id)))
            }
            _ => true,
        }
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
