//! A step of a bounded world, as properties look at it.
//!
//! Properties read what lies open: settings, items, ages, answers. They never call what they check. So that expiry is stated
//! twice and independently, [`gone`] says it here once more, in other words than the rule does.

use core::ops::Deref;
use std::slice;
use std::sync::Arc;

use cosmos_ttl_model::container::{
    Index, Item, ItemId, Operation, Refusal, Request, Response, Rules, SettingsDraft, TtlChange, World,
};
use cosmos_ttl_model::interpretation::ExpiredPrecondition;
use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl, Wire};

/// An action on a bounded world, by a client, the clock or the background.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelAction {
    /// A client asks.
    Ask(Request),
    /// A client makes the container again, with these settings, while nothing is stored.
    Open(SettingsDraft),
    /// A second passes.
    Pass,
    /// The background removes an item.
    Remove(ItemId),
    /// A lazy index catches up.
    CatchUp,
    /// A second passes, and the background removes these with what users left over of it.
    EndSecond(Vec<ItemId>),
    /// A sweeper picks an item.
    Pick(ItemId),
    /// A sweeper removes what it picked, if it is allowed to.
    Sweep(ItemId),
}

/// A step in a world, with everything else that the properties of one system look at.
#[derive(Clone, Debug)]
pub(super) struct SystemStep<S> {
    pub(super) rules: Rules,
    pub(super) before: Arc<ListedWorld>,
    pub(super) action: ModelAction,
    pub(super) answer: Option<Response>,
    pub(super) after: World,
    pub(super) seen: S,
}

/// A step of one container, and what a query would have listed before and after.
pub(super) type WorldStep = SystemStep<WorldChanges>;

#[derive(Clone, Debug)]
pub(super) struct WorldChanges {
    items: Vec<ItemChange>,
    /// `None` where the world is as it was, and so is the list.
    listed_after: Option<Vec<ItemId>>,
}

/// A world as it is before every step from it, and what a query lists there.
#[derive(Debug)]
pub(super) struct ListedWorld {
    world: World,
    listed: Vec<ItemId>,
    listed_rightly: bool,
}

impl ListedWorld {
    pub(super) fn new(world: World, listed: Vec<ItemId>) -> Self {
        let listed_rightly = lists_rightly(&world, &listed);
        Self { world, listed, listed_rightly }
    }
}

impl Deref for ListedWorld {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

/// Whether a list holds the stored items that are not gone, and no other. While the index is rebuilt it says nothing.
fn lists_rightly(world: &World, listed: &[ItemId]) -> bool {
    let mut living: usize = 0;
    let mut stored = world.items.iter();
    let complete = stored.all(|(id, item)| {
        let is_gone = gone(world, item);
        living += usize::from(!is_gone);
        is_gone || listed.contains(id)
    });
    complete && living == listed.len() || world.index == Index::Rebuilding
}

/// An item that a step changed: as it was stored before, and as it is stored after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ItemChange {
    pub(super) id: ItemId,
    pub(super) old: Option<Item>,
    pub(super) new: Option<Item>,
}

fn changes(before: &World, after: &World) -> Vec<ItemChange> {
    if before.items == after.items {
        return Vec::new();
    }
    let made = after.items.keys().filter(|id| !before.items.contains_key(id));
    let ids = before.items.keys().chain(made);
    let change = |id: &_| ItemChange {
        id: *id,
        old: before.items.get(id).copied(),
        new: after.items.get(id).copied(),
    };
    ids.map(change).filter(|change| change.old != change.new).collect()
}

pub(super) fn on(world: &World) -> bool {
    world.settings.default_ttl != DefaultTtl::Off
}

/// The default, if it is a number of seconds.
pub(super) fn default_s(world: &World) -> Option<i64> {
    if let DefaultTtl::Seconds(seconds) = world.settings.default_ttl { Some(seconds.get()) } else { None }
}

/// The item's own `ttl`, if it is a number of seconds.
pub(super) fn own_s(item: &Item) -> Option<i64> {
    if let ItemTtl::Seconds(seconds) = item.ttl { Some(seconds.get()) } else { None }
}

pub(super) fn inherits(item: &Item) -> bool {
    item.ttl == ItemTtl::Inherit
}

pub(super) fn age(world: &World, item: &Item) -> i64 {
    world.now.saturating_sub(item.ts)
}

/// Whether an item's age has reached a number of seconds; no age reaches none.
pub(super) fn reached(world: &World, item: &Item, seconds: Option<i64>) -> bool {
    seconds.is_some_and(|seconds| age(world, item) >= seconds)
}

/// Whether an item's age is below a number of seconds; no age is below none.
pub(super) fn below(world: &World, item: &Item, seconds: Option<i64>) -> bool {
    seconds.is_some_and(|seconds| age(world, item) < seconds)
}

pub(super) fn aged(world: &World, item: &Item) -> bool {
    age(world, item) > 0
}

/// Whether the item's age has reached a number of seconds that applies to it: its own, or else the default; none while
/// the container is off.
pub(super) fn gone(world: &World, item: &Item) -> bool {
    on(world)
        && (reached(world, item, own_s(item)) || inherits(item) && reached(world, item, default_s(world)))
}

/// The item that is stored in a world under an id, unless it should be gone for every client.
pub(super) fn living(world: &World, id: ItemId) -> Option<&Item> {
    world.items.get(&id).filter(|item| !gone(world, item))
}

/// The item that a write answers with.
pub(super) fn written(response: &Response) -> Option<&Item> {
    if let Response::Created(item) | Response::Ok(item) = response { Some(item) } else { None }
}

impl WorldChanges {
    /// Returns the step; asks for a query's ids only if the world changed.
    pub(super) fn new(before: &World, after: &World, list: impl FnOnce(&World) -> Vec<ItemId>) -> Self {
        let items = changes(before, after);
        let same = items.is_empty()
            && (before.now, before.settings, before.next_etag, before.index)
                == (after.now, after.settings, after.next_etag, after.index);
        Self { items, listed_after: (!same).then(|| list(after)) }
    }
}

impl WorldStep {
    /// The items that the step changed, made or took away.
    pub(super) fn changes(&self) -> &[ItemChange] {
        &self.seen.items
    }

    /// The items that it changed and left in store, each as it was and as it is.
    pub(super) fn rewrites(&self) -> impl Iterator<Item = (ItemId, Item, Item)> {
        self.seen.items.iter().filter_map(|change| Some((change.id, change.old?, change.new?)))
    }

    pub(super) fn removes(&self) -> bool {
        matches!(self.action, ModelAction::Remove(_))
    }

    /// Whether a query lists only items that are stored and not gone.
    pub(super) fn answers_living(&self) -> bool {
        let Some(Response::Ids(ids)) = &self.answer else { return true };
        ids.iter().all(|id| living(&self.before, *id).is_some())
    }

    pub(super) fn lists(&self, id: ItemId) -> bool {
        self.listed_after().contains(&id)
    }

    pub(super) fn listed_before(&self) -> &[ItemId] {
        &self.before.listed
    }

    pub(super) fn listed_after(&self) -> &[ItemId] {
        self.seen.listed_after.as_deref().unwrap_or(self.listed_before())
    }

    /// Whether a query, before the step and after it, lists the stored items that are not gone, and no other.
    pub(super) fn lists_rightly(&self) -> bool {
        let after = self.seen.listed_after.as_deref();
        self.before.listed_rightly && after.is_none_or(|listed| lists_rightly(&self.after, listed))
    }

    pub(super) fn changed_nothing(&self) -> bool {
        self.seen.listed_after.is_none()
    }

    /// Whether an answer that looks at an item of which `which` is true shows it, or not, as expected.
    pub(super) fn every_look(&self, expected: bool, which: fn(&World, &Item) -> bool) -> bool {
        !self.some_look(!expected, which)
    }

    /// Whether some answer looks at an item of which `which` is true, and shows it or not.
    pub(super) fn some_look(&self, shown: bool, which: fn(&World, &Item) -> bool) -> bool {
        let looks = matches!(self.request(), Some(Request::Item(Operation::Read(_)) | Request::Query));
        let mut stored = self.before.items.iter();
        looks && stored.any(|(id, item)| self.shows(*id) == Some(shown) && which(&self.before, item))
    }
}

impl<S> SystemStep<S> {
    /// Whether the answer shows an item; `None` where it does not look at it.
    pub(super) fn shows(&self, id: ItemId) -> Option<bool> {
        match (&self.action, &self.answer) {
            (ModelAction::Ask(Request::Item(Operation::Read(read))), Some(answer)) => {
                (*read == id).then_some(matches!(answer, Response::Found(_)))
            }
            (ModelAction::Ask(Request::Query), Some(Response::Ids(ids))) => Some(ids.contains(&id)),
            _ => None,
        }
    }

    pub(super) fn passes(&self) -> bool {
        self.action == ModelAction::Pass
    }

    pub(super) fn some_before(&self, is_so: impl Fn(&World, &Item) -> bool) -> bool {
        self.before.items.values().any(|item| is_so(&self.before, item))
    }

    pub(super) fn request(&self) -> Option<&Request> {
        if let ModelAction::Ask(request) = &self.action { Some(request) } else { None }
    }

    pub(super) fn operation(&self) -> Option<&Operation> {
        if let Request::Item(operation) = self.request()? { Some(operation) } else { None }
    }

    /// The settings that were sent, to replace those of the container or to create it.
    pub(super) fn draft(&self) -> Option<&SettingsDraft> {
        match &self.action {
            ModelAction::Open(draft) | ModelAction::Ask(Request::Configure(draft)) => Some(draft),
            _ => None,
        }
    }

    pub(super) fn opens(&self) -> bool {
        matches!(self.action, ModelAction::Open(_))
    }

    /// Whether the container has the settings that were sent; the world after shows them.
    pub(super) fn configured(&self) -> bool {
        matches!(self.answer, Some(Response::Configured))
    }

    pub(super) fn refusal(&self) -> Option<Refusal> {
        match self.answer {
            Some(Response::Refused(refusal) | Response::Aborted { refusal, .. }) => Some(refusal),
            _ => None,
        }
    }

    pub(super) fn written(&self) -> Option<&Item> {
        self.answer.as_ref().and_then(written)
    }

    /// The item that the one operation is about, as it is stored now.
    pub(super) fn target_after(&self) -> Option<&Item> {
        self.after.items.get(&self.operation()?.id())
    }

    /// The item that the one operation is about, as it was stored before.
    pub(super) fn target(&self) -> Option<&Item> {
        self.before.items.get(&self.operation()?.id())
    }

    /// That item, if it should be gone for every client and is still stored.
    pub(super) fn expired(&self) -> Option<&Item> {
        self.target().filter(|item| gone(&self.before, item))
    }

    /// That item, if every client should see it.
    pub(super) fn visible(&self) -> Option<&Item> {
        living(&self.before, self.operation()?.id())
    }

    /// The `ttl` that the one operation sets, as it was sent.
    pub(super) fn sent_ttl(&self) -> Option<Wire> {
        sent_ttl(self.operation()?)
    }

    /// The refusal that the one operation meets for its item, whatever it sends (`refusal-order`).
    pub(super) fn refusal_of_item(&self) -> Option<Refusal> {
        match (self.operation()?, self.visible()) {
            (Operation::Create(_), Some(_)) => Some(Refusal::Conflict),
            (Operation::Replace { if_match, .. } | Operation::Patch { if_match, .. }, found) => {
                match (found, if_match) {
                    (None, None) => Some(Refusal::NotFound),
                    (None, Some(_)) => Some(match self.rules.interpretation.expired_precondition {
                        ExpiredPrecondition::NotFound => Refusal::NotFound,
                        ExpiredPrecondition::PreconditionFailed => Refusal::PreconditionFailed,
                    }),
                    (Some(item), Some(etag)) => (item.etag != *etag).then_some(Refusal::PreconditionFailed),
                    (Some(_), None) => None,
                }
            }
            _ => None,
        }
    }

    pub(super) fn names(&self, id: ItemId) -> bool {
        self.asks(id, |_| true)
    }

    /// Whether it may make an item: a create, an upsert, or a batch with one of them.
    pub(super) fn makes(&self, id: ItemId) -> bool {
        self.asks(id, |operation| matches!(operation, Operation::Create(_) | Operation::Upsert(_)))
    }

    /// Whether a client asked for an operation of this kind on an item, alone or in a batch.
    pub(super) fn asks(&self, id: ItemId, is_so: impl Fn(&Operation) -> bool) -> bool {
        let operations = match self.request() {
            Some(Request::Item(operation)) => slice::from_ref(operation),
            Some(Request::Batch(operations)) => operations,
            _ => &[],
        };
        operations.iter().any(|operation| operation.id() == id && is_so(operation))
    }
}

/// The `ttl` that an operation sets, as it was sent.
pub(super) fn sent_ttl(operation: &Operation) -> Option<Wire> {
    match operation {
        Operation::Create(draft) | Operation::Upsert(draft) | Operation::Replace { draft, .. } => {
            Some(draft.ttl)
        }
        Operation::Patch { ttl: TtlChange::Set(wire), .. } => Some(*wire),
        Operation::Patch { ttl: TtlChange::Remove, .. } => Some(Wire::Absent),
        Operation::Patch { ttl: TtlChange::Keep, .. } | Operation::Read(_) | Operation::Delete { .. } => None,
    }
}

/// Whether a client asked for one operation, and one of these kinds.
macro_rules! is {
    ($step:ident, $($kind:ident)|+) => {
        matches!($step.operation(), Some($(Operation::$kind { .. })|+))
    };
}
pub(super) use is;
