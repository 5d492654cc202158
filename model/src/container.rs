//! One container under a clock: the smallest world in which time to live matters.
//!
//! [`World::step`] answers a client's request. It is total and pure: it takes a world and returns the next one with the
//! answer, never fails and never looks at the time of day. Besides the client there is the environment, and its two
//! moves are explicit: time passes ([`World::pass`]), and one expired item is removed ([`World::remove`]). **Removal is
//! separate from hiding, and no client knows when it happens**: that is the heart of the feature.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::interpretation::{
    Aggregates, ContainerNull, ExpiredPrecondition, ExpiredUpsert, IntegralFraction, Interpretation,
    InvalidWhileOff, LazyIndex, RefusalOrder,
};
use crate::rule::{self, DefaultTtl, Edition, ItemTtl, Lifetime, Wire};

/// Which rules are in force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Which documents.
    pub edition: Edition,
    /// The choices under the open clauses.
    pub interpretation: Interpretation,
}

/// An item's `id`, or rather its number: the world does not care for names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId(pub u32);

/// The content of an item besides its `ttl`: a number, which shows whether the content survived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Content(pub u32);

/// Marks one write of one item; a conditional write names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Etag(pub u32);

/// A stored item, expired or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Item {
    /// Its own setting.
    pub ttl: ItemTtl,
    /// `_ts`: the second of the Unix epoch in which it was last written (`counted-from-last-write`, `server-sets-ts`).
    pub ts: i64,
    /// New with every write.
    pub etag: Etag,
    /// The written content.
    pub content: Content,
}

/// How the container is indexed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Indexing {
    /// Queries see every write at once.
    #[default]
    Consistent,
    /// The index follows behind; only some accounts still offer it.
    Lazy,
    /// No index, and therefore no time to live (`ttl-needs-an-index`).
    None,
}

/// A container's settings, in force until they are replaced as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Settings {
    /// Its `defaultTtl`.
    pub default_ttl: DefaultTtl,
    /// Its indexing mode.
    pub indexing: Indexing,
}

/// A container's settings as a client sends them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SettingsDraft {
    /// `defaultTtl`
    pub default_ttl: Wire,
    /// `indexingPolicy.indexingMode`
    pub indexing: Indexing,
}

/// An item as a client sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Draft {
    /// `id`
    pub id: ItemId,
    /// `ttl`
    pub ttl: Wire,
    /// Everything else.
    pub content: Content,
}

/// The change that a patch makes to `ttl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TtlChange {
    /// Leaves it alone.
    Keep,
    /// Sets it; never to absent.
    Set(Wire),
    /// Takes it away (`removed-ttl-inherits`).
    Remove,
}

/// A request about one item; also what a batch consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the fields are the parts of the request")]
pub enum Operation {
    /// Makes an item, unless one with this id is visible (`expired-id-is-free`).
    Create(Draft),
    /// Replaces a visible item as a whole (`write-restarts-count`, `expired-replace-not-found`).
    Replace { draft: Draft, if_match: Option<Etag> },
    /// Replaces a visible item or else makes one (`expired-upsert-creates`).
    Upsert(Draft),
    /// Changes parts of a visible item (`patch-restarts-count`, `expired-patch-not-found`).
    Patch { id: ItemId, ttl: TtlChange, content: Option<Content>, if_match: Option<Etag> },
    /// Reads a visible item (`expired-read-not-found`, `read-does-not-restart`).
    Read(ItemId),
    /// Deletes a visible item (`expired-delete-not-found`).
    Delete { id: ItemId, if_match: Option<Etag> },
}

impl Operation {
    /// Which item it is about.
    pub fn id(&self) -> ItemId {
        match self {
            Self::Create(draft) | Self::Upsert(draft) | Self::Replace { draft, .. } => draft.id,
            Self::Patch { id, .. } | Self::Read(id) | Self::Delete { id, .. } => *id,
        }
    }
}

/// A client's request.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Request {
    /// About one item.
    Item(Operation),
    /// About several, all or none, in one instant (`batch-shares-one-ts`).
    Batch(Vec<Operation>),
    /// For all items (`expired-not-in-queries`).
    Query,
    /// For their number (`expired-in-aggregates`).
    Count,
    /// Replaces the container's settings as a whole (`leaving-default-out-switches-off`).
    Configure(SettingsDraft),
}

/// The response to a client.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the fields are the parts of the answer")]
pub enum Response {
    /// A new item stands.
    Created(Item),
    /// An item was written again.
    Ok(Item),
    /// An item was read.
    Found(Item),
    /// An item was deleted.
    NoContent,
    /// The ids of all items, in order.
    Ids(Vec<ItemId>),
    /// Their number.
    Count(usize),
    /// A batch took effect, operation by operation.
    Committed(Vec<Response>),
    /// A batch had no effect because one operation, counted from 0, was refused.
    Aborted { at: usize, refusal: Refusal },
    /// The container has its new settings.
    Configured,
    /// Nothing happened.
    Refused(Refusal),
}

/// Why a request had no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Refusal {
    /// 400: a value is not valid, or settings do not go together.
    BadRequest,
    /// 404: no such item is visible.
    NotFound,
    /// 409: an item with this id is visible.
    Conflict,
    /// 412: the item was written since.
    PreconditionFailed,
    /// 429: out of request units (see [`throughput`](crate::throughput)).
    TooManyRequests,
}

/// Whether queries can be answered from the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Index {
    /// They can.
    Ready,
    /// A lazy index is being rebuilt, since `defaultTtl` was changed (`lazy-index-may-lag`).
    Rebuilding,
}

/// Everything that can influence what a client sees.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct World {
    /// The service's clock, in whole seconds of the Unix epoch.
    pub now: i64,
    /// The container's settings.
    pub settings: Settings,
    /// Every stored item, expired or not.
    pub items: BTreeMap<ItemId, Item>,
    /// The etag of the next write.
    pub next_etag: Etag,
    /// Whether queries can be answered.
    pub index: Index,
}

impl World {
    /// A new, empty container.
    ///
    /// # Errors
    ///
    /// [`Refusal::BadRequest`] where the draft holds no settings.
    pub fn new(rules: Rules, now: i64, draft: SettingsDraft) -> Result<Self, Refusal> {
        let settings = settings(rules, draft)?;
        Ok(Self { now, settings, items: BTreeMap::new(), next_etag: Etag(0), index: Index::Ready })
    }

    /// The world after a client's request, and the answer.
    ///
    /// A refused request leaves the world as it was (`item-rejected-stores-nothing`,
    /// `container-rejected-leaves-container`, `failed-write-does-not-restart`).
    pub fn step(&self, rules: Rules, request: &Request) -> (Self, Response) {
        let mut next = self.clone();
        let response = next.take(rules, request);
        (next, response)
    }

    /// Becomes the world after a client's request: [`World::step`] without a copy of every item.
    pub fn take(&mut self, rules: Rules, request: &Request) -> Response {
        let response = match request {
            Request::Item(operation) => self.operate(rules, *operation),
            Request::Batch(operations) => Ok(self.batch(rules, operations)),
            Request::Query => Ok(Response::Ids(self.answered_by_index(rules).collect())),
            Request::Count => Ok(Response::Count(self.count(rules))),
            Request::Configure(draft) => self.configure(rules, *draft),
        };
        response.unwrap_or_else(Response::Refused)
    }

    /// Returns the world after this number of seconds; the clock never goes back (`ts-never-decreases`).
    #[must_use]
    pub fn pass(&self, seconds: u64) -> Self {
        let mut next = self.clone();
        next.wait(seconds);
        next
    }

    /// Advances the world by this number of seconds: [`World::pass`] without a copy of every item.
    pub fn wait(&mut self, seconds: u64) {
        self.now = self.now.saturating_add(i64::try_from(seconds).unwrap_or(i64::MAX));
    }

    /// The world after the background removed this item, which only an expired one can suffer.
    ///
    /// `None` if the item is not stored or not expired under the settings of this moment (`purge-only-expired`,
    /// `off-stops-purge`, `purge-spares-recreated`).
    pub fn remove(&self, id: ItemId) -> Option<Self> {
        self.expired(id)?;
        let mut next = self.clone();
        next.sweep(id);
        Some(next)
    }

    /// Becomes the world after the background removed this item, if it may: [`World::remove`] without a copy of every item.
    pub fn sweep(&mut self, id: ItemId) {
        if self.expired(id).is_some() {
            self.items.remove(&id);
        }
    }

    /// The world after a lazy index caught up.
    #[must_use]
    pub fn catch_up(&self) -> Self {
        Self { index: Index::Ready, ..self.clone() }
    }

    /// How long this item lives under the settings of this moment (`current-settings-decide`).
    pub fn lifetime(&self, item: &Item) -> Lifetime {
        rule::lifetime(self.settings.default_ttl, item.ttl)
    }

    /// Whether this item is hidden, removed or not (`hidden-immediately`).
    pub fn is_expired(&self, item: &Item) -> bool {
        rule::is_expired(self.lifetime(item), self.now.saturating_sub(item.ts))
    }

    /// The item as every client sees it: expired is absent (`purge-invisible`).
    pub fn visible(&self, id: ItemId) -> Option<&Item> {
        self.items.get(&id).filter(|item| !self.is_expired(item))
    }

    /// The item if it is stored and expired: what only the background sees.
    pub fn expired(&self, id: ItemId) -> Option<&Item> {
        self.items.get(&id).filter(|item| self.is_expired(item))
    }

    /// The ids of all visible items, in order (`expired-not-in-queries`).
    pub fn visible_ids(&self) -> impl Iterator<Item = ItemId> {
        self.items.iter().filter(|(_, item)| !self.is_expired(item)).map(|(id, _)| *id)
    }

    /// The ids of all items that the background may remove, in order.
    pub fn expired_ids(&self) -> impl Iterator<Item = ItemId> {
        self.items.iter().filter(|(_, item)| self.is_expired(item)).map(|(id, _)| *id)
    }

    fn operate(&mut self, rules: Rules, operation: Operation) -> Result<Response, Refusal> {
        match operation {
            Operation::Create(draft) => {
                let free = self.visible(draft.id).map_or(Ok(()), |_| Err(Refusal::Conflict));
                let (ttl, ()) = in_order(rules, self.item_ttl(rules, draft.ttl), free)?;
                Ok(Response::Created(self.write(draft.id, ttl, draft.content)))
            }
            Operation::Replace { draft, if_match } => {
                let target = self.target(rules, draft.id, if_match);
                let (ttl, _) = in_order(rules, self.item_ttl(rules, draft.ttl), target)?;
                Ok(Response::Ok(self.write(draft.id, ttl, draft.content)))
            }
            Operation::Upsert(draft) => {
                let ttl = self.item_ttl(rules, draft.ttl)?;
                let replaces = self.upsert_replaces(rules, draft.id);
                let item = self.write(draft.id, ttl, draft.content);
                Ok(if replaces { Response::Ok(item) } else { Response::Created(item) })
            }
            Operation::Patch { id, ttl, content, if_match } => {
                let set = match ttl {
                    TtlChange::Set(wire) => self.item_ttl(rules, wire).map(Some),
                    TtlChange::Remove => Ok(Some(ItemTtl::Inherit)),
                    TtlChange::Keep => Ok(None),
                };
                let (set, old) = in_order(rules, set, self.target(rules, id, if_match))?;
                Ok(Response::Ok(self.write(id, set.unwrap_or(old.ttl), content.unwrap_or(old.content))))
            }
            Operation::Read(id) => {
                self.visible(id).map(|item| Response::Found(*item)).ok_or(Refusal::NotFound)
            }
            Operation::Delete { id, if_match } => {
                self.target(rules, id, if_match)?;
                self.items.remove(&id);
                Ok(Response::NoContent)
            }
        }
    }

    /// A refused operation aborts the batch, and what the others did is undone (`refusal-order`).
    fn batch(&mut self, rules: Rules, operations: &[Operation]) -> Response {
        let ids = operations.iter().map(Operation::id);
        let before: BTreeMap<_, _> = ids.map(|id| (id, self.items.get(&id).copied())).collect();
        let next_etag = self.next_etag;
        let mut responses = Vec::with_capacity(operations.len());
        let mut aborted = None;
        for (at, operation) in operations.iter().enumerate() {
            match self.operate(rules, *operation) {
                Ok(response) => responses.push(response),
                Err(refusal) => {
                    aborted = Some(Response::Aborted { at, refusal });
                    if rules.interpretation.refusal_order == RefusalOrder::First {
                        break;
                    }
                }
            }
        }
        let Some(aborted) = aborted else { return Response::Committed(responses) };
        self.next_etag = next_etag;
        for (id, item) in before {
            match item {
                Some(item) => self.items.insert(id, item),
                None => self.items.remove(&id),
            };
        }
        aborted
    }

    fn configure(&mut self, rules: Rules, draft: SettingsDraft) -> Result<Response, Refusal> {
        let settings = settings(rules, draft)?;
        let changed = self.settings.default_ttl != settings.default_ttl;
        self.index = match settings.indexing {
            Indexing::Lazy if changed => Index::Rebuilding,
            Indexing::Lazy => self.index,
            Indexing::Consistent | Indexing::None => Index::Ready,
        };
        // The items stay as they are, `_ts` and etag included: `settings-do-not-touch-ts`.
        self.settings = settings;
        Ok(Response::Configured)
    }

    /// Stores an item. Nothing of an old one under this id is kept (`expired-id-is-free`).
    fn write(&mut self, id: ItemId, ttl: ItemTtl, content: Content) -> Item {
        let item = Item { ttl, ts: self.now, etag: self.next_etag, content };
        self.next_etag = Etag(self.next_etag.0.wrapping_add(1));
        self.items.insert(id, item);
        item
    }

    /// The visible item that a write is about, if its etag is as required.
    fn target(&self, rules: Rules, id: ItemId, if_match: Option<Etag>) -> Result<Item, Refusal> {
        match (self.visible(id), if_match) {
            (Some(item), Some(etag)) if item.etag != etag => Err(Refusal::PreconditionFailed),
            (Some(item), _) => Ok(*item),
            (None, None) => Err(Refusal::NotFound),
            (None, Some(_)) => Err(match rules.interpretation.expired_precondition {
                ExpiredPrecondition::NotFound => Refusal::NotFound,
                ExpiredPrecondition::PreconditionFailed => Refusal::PreconditionFailed,
            }),
        }
    }

    fn upsert_replaces(&self, rules: Rules, id: ItemId) -> bool {
        self.visible(id).is_some()
            || match rules.interpretation.expired_upsert {
                ExpiredUpsert::Created => false,
                ExpiredUpsert::Replaced => self.items.contains_key(&id),
            }
    }

    /// Reads an item's `ttl` under the settings of this moment.
    fn item_ttl(&self, rules: Rules, wire: Wire) -> Result<ItemTtl, Refusal> {
        let wire = match (wire, rules.interpretation.integral_fraction) {
            (Wire::WholeAsFraction(number), IntegralFraction::Accepted) => Wire::Whole(number),
            (wire, _) => wire,
        };
        match (
            ItemTtl::from_wire(wire, rules.edition),
            self.settings.default_ttl,
            rules.interpretation.invalid_while_off,
        ) {
            (Ok(ttl), _, _) => Ok(ttl),
            (Err(_), DefaultTtl::Off, InvalidWhileOff::Stored) => Ok(ItemTtl::Inherit),
            (Err(_), _, _) => Err(Refusal::BadRequest),
        }
    }

    fn answered_by_index(&self, rules: Rules) -> impl Iterator<Item = ItemId> {
        let lags =
            self.index == Index::Rebuilding && rules.interpretation.lazy_index == LazyIndex::Incomplete;
        self.visible_ids().filter(move |_| !lags)
    }

    fn count(&self, rules: Rules) -> usize {
        match rules.interpretation.aggregates {
            Aggregates::Excluded => self.answered_by_index(rules).count(),
            Aggregates::Counted => self.items.len(),
        }
    }
}

/// Returns the values of an operation and its item, or the refusal if both are refused (`refusal-order`).
fn in_order<V, I>(
    rules: Rules,
    value: Result<V, Refusal>,
    item: Result<I, Refusal>,
) -> Result<(V, I), Refusal> {
    match (rules.interpretation.refusal_order, value, item) {
        (_, Ok(value), Ok(item)) => Ok((value, item)),
        (RefusalOrder::First, Err(refusal), _) | (_, Err(refusal), Ok(_)) | (_, _, Err(refusal)) => {
            Err(refusal)
        }
    }
}

fn settings(rules: Rules, draft: SettingsDraft) -> Result<Settings, Refusal> {
    if draft.default_ttl == Wire::Null && rules.interpretation.container_null == ContainerNull::Rejected {
        return Err(Refusal::BadRequest);
    }
    let default_ttl = DefaultTtl::from_wire(draft.default_ttl).map_err(|_| Refusal::BadRequest)?;
    match (default_ttl, draft.indexing) {
        (DefaultTtl::Off, indexing) | (_, indexing @ (Indexing::Consistent | Indexing::Lazy)) => {
            Ok(Settings { default_ttl, indexing })
        }
        (_, Indexing::None) => Err(Refusal::BadRequest),
    }
}
