//! One container under a clock: the smallest world in which time to live matters.
//!
//! [`World::answer`] answers a client's request, never fails and never looks at the time of day. Where an open clause leaves
//! a choice it asks for one; [`World::outcomes`] tries all. Besides the client there is the environment, and its moves are
//! explicit: time passes ([`World::wait`]), one expired item is removed ([`World::remove`]), and a lazy index catches up.
//! **Removal is separate from hiding, and no client knows when it happens**: that is the heart of the feature.

#![expect(missing_docs, reason = "the names of most fields and variants say it")]

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::choices::{Choose, MadeChoice, OpenChoice, every};
use crate::rule::{self, BadRequest, Sent, Ttl};

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
    pub ttl: Option<Ttl>,
    /// Whether it has a `ttl` that is not allowed, which was stored while the container was off (`item-invalid-while-off`).
    pub has_wrong_ttl: bool,
    /// `_ts`: the second of the Unix epoch in which it was last written (`counted-from-last-write`, `server-sets-ts`).
    pub ts: i64,
    pub etag: Etag,
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
    /// Time to live is off without one (`container-absent-is-off`).
    pub default_ttl: Option<Ttl>,
    pub indexing: Indexing,
}

/// A container's settings as a client sends them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SettingsDraft {
    pub default_ttl: Sent,
    pub indexing: Indexing,
}

/// An item as a client sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Draft {
    pub id: ItemId,
    pub ttl: Sent,
    pub content: Content,
}

/// The change that a patch makes to `ttl`: it sets it, never to absent, or takes it away (`removed-ttl-inherits`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TtlChange {
    Keep,
    Set(Sent),
    Remove,
}

/// A request about one item; also what a batch consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// Makes an item, unless one with this id is visible (`expired-id-is-free`).
    Create(Draft),
    /// Replaces a visible item as a whole (`write-restarts-count`, `expired-replace-not-found`).
    Replace { draft: Draft, if_match: Option<Etag> },
    /// Replaces a visible item or else makes one (`expired-upsert-creates`).
    Upsert(Draft),
    /// Changes parts of a visible item (`patch-restarts-count`, `expired-patch-not-found`). It is forbidden if it sets `_ts`
    /// (`patch-of-ts`) or removes content that is not there (`patch-of-absent-property`).
    Patch { id: ItemId, ttl: TtlChange, content: Option<Content>, is_forbidden: bool, if_match: Option<Etag> },
    /// Reads a visible item (`expired-read-not-found`, `read-does-not-restart`).
    Read(ItemId),
    /// The same, but only its status if the item has this etag (`conditional-read-of-expired`).
    ReadUnless { id: ItemId, etag: Etag },
    /// Deletes a visible item (`expired-delete-not-found`).
    Delete { id: ItemId, if_match: Option<Etag> },
}

impl Operation {
    /// Which item it is about.
    pub fn id(&self) -> ItemId {
        match self {
            Self::Create(draft) | Self::Upsert(draft) | Self::Replace { draft, .. } => draft.id,
            Self::Patch { id, .. }
            | Self::Read(id)
            | Self::ReadUnless { id, .. }
            | Self::Delete { id, .. } => *id,
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
pub enum Response {
    Created(Item),
    Ok(Item),
    Found(Item),
    /// 304: the item is visible, and was not written since.
    NotModified,
    NoContent,
    /// The ids of all items, in order.
    Ids(Vec<ItemId>),
    /// Any ids, of items that are or were stored: the index lags.
    AnyIds,
    /// Any number in these bounds; without `most` any that is greater.
    Count {
        least: usize,
        most: Option<usize>,
    },
    /// A batch took effect, operation by operation.
    Committed(Vec<Response>),
    /// A batch had no effect because one operation, counted from 0, was refused.
    Aborted {
        at: usize,
        refusal: Refusal,
    },
    Configured,
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

/// Whether a lazy index is being rebuilt, since `defaultTtl` was changed (`lazy-index-may-lag`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Index {
    Ready,
    Rebuilding,
}

/// Everything that can influence what a client sees.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct World {
    /// The service's clock, in whole seconds of the Unix epoch.
    pub now: i64,
    pub settings: Settings,
    /// Every stored item, expired or not.
    pub items: BTreeMap<ItemId, Item>,
    pub next_etag: Etag,
    pub index: Index,
}

impl World {
    /// A new, empty container.
    ///
    /// # Errors
    ///
    /// [`Refusal::BadRequest`] where the draft holds no settings.
    pub fn new(now: i64, draft: SettingsDraft, choose: &mut dyn Choose) -> Result<Self, Refusal> {
        let settings = settings(draft, OpenChoice::NewNullIsRefused, choose)?;
        Ok(Self { now, settings, items: BTreeMap::new(), next_etag: Etag(0), index: Index::Ready })
    }

    /// Answers a client's request. A refused one leaves the world as it was (`item-rejected-stores-nothing`,
    /// `container-rejected-leaves-container`, `failed-write-does-not-restart`).
    pub fn answer(&mut self, request: &Request, choose: &mut dyn Choose) -> Response {
        let response = match request {
            Request::Item(operation) => self.operate(*operation, choose),
            Request::Batch(operations) => Ok(self.batch(operations, choose)),
            Request::Query => Ok(self.query(choose)),
            Request::Count => Ok(self.count(choose)),
            Request::Configure(draft) => self.configure(*draft, choose),
        };
        response.unwrap_or_else(Response::Refused)
    }

    /// Returns every answer that is allowed, with the choices that lead to it and the world after it.
    pub fn outcomes(&self, request: &Request) -> Vec<(Vec<MadeChoice>, (Self, Response))> {
        every(|path| {
            let mut next = self.clone();
            let response = next.answer(request, path);
            (next, response)
        })
    }

    /// Lets this number of seconds pass; the clock never goes back (`ts-never-decreases`).
    pub fn wait(&mut self, seconds: u64) {
        self.now = self.now.saturating_add_unsigned(seconds);
    }

    /// Lets the background remove an item, and returns whether it may: only one that is stored, and expired under the
    /// settings of this moment (`purge-only-expired`, `off-stops-purge`, `purge-spares-recreated`).
    pub fn remove(&mut self, id: ItemId) -> bool {
        self.expired(id).is_some() && self.items.remove(&id).is_some()
    }

    /// Lets a lazy index catch up.
    pub fn catch_up(&mut self) {
        self.index = Index::Ready;
    }

    /// Whether this item is hidden under the settings of this moment, removed or not (`hidden-immediately`,
    /// `current-settings-decide`).
    pub fn is_expired(&self, item: &Item) -> bool {
        let lifetime = rule::lifetime(self.settings.default_ttl, item.ttl);
        rule::is_expired(lifetime, self.now.saturating_sub(item.ts))
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

    /// Answers a request about one item: alone, or the next of a batch.
    ///
    /// # Errors
    ///
    /// The [`Refusal`]; the world is as it was.
    pub fn operate(&mut self, operation: Operation, choose: &mut dyn Choose) -> Result<Response, Refusal> {
        match operation {
            Operation::Create(draft) => {
                let free = self.visible(draft.id).map_or(Ok(()), |_| Err(Refusal::Conflict));
                let (ttl, ()) = both(self.sent_ttl(draft.id, draft.ttl, choose), free, choose)?;
                Ok(Response::Created(self.write(draft.id, ttl, draft.content)))
            }
            Operation::Replace { draft, if_match } => {
                let ttl = self.sent_ttl(draft.id, draft.ttl, choose);
                let (ttl, _) = both(ttl, self.target(draft.id, if_match, choose), choose)?;
                Ok(Response::Ok(self.write(draft.id, ttl, draft.content)))
            }
            Operation::Upsert(draft) => {
                let ttl = self.sent_ttl(draft.id, draft.ttl, choose)?;
                let replaces = self.visible(draft.id).is_some()
                    || self.items.contains_key(&draft.id)
                        && choose.choose(OpenChoice::ExpiredIsReplaced, Some(draft.id));
                let item = self.write(draft.id, ttl, draft.content);
                Ok(if replaces { Response::Ok(item) } else { Response::Created(item) })
            }
            Operation::Patch { id, ttl, content, is_forbidden, if_match } => {
                let set = match ttl {
                    _ if is_forbidden => Err(Refusal::BadRequest),
                    TtlChange::Set(sent) => self.sent_ttl(id, sent, choose).map(Some),
                    // `patch-of-absent-property`
                    TtlChange::Remove
                        if self.visible(id).is_some_and(|old| old.ttl.is_none() && !old.has_wrong_ttl) =>
                    {
                        Err(Refusal::BadRequest)
                    }
                    TtlChange::Remove => Ok(Some(StoredTtl::default())),
                    TtlChange::Keep => Ok(None),
                };
                let (set, old) = both(set, self.target(id, if_match, choose), choose)?;
                let is_stuck = set.is_none() && old.has_wrong_ttl && self.settings.default_ttl.is_some();
                if is_stuck && choose.choose(OpenChoice::WrongTtlBlocksPatch, Some(id)) {
                    return Err(Refusal::BadRequest);
                }
                let ttl = set.unwrap_or(StoredTtl { ttl: old.ttl, is_wrong: old.has_wrong_ttl });
                Ok(Response::Ok(self.write(id, ttl, content.unwrap_or(old.content))))
            }
            Operation::Read(id) => {
                self.visible(id).map(|item| Response::Found(*item)).ok_or(Refusal::NotFound)
            }
            Operation::ReadUnless { id, etag } => {
                let found = |item: &Item| {
                    if item.etag == etag { Response::NotModified } else { Response::Found(*item) }
                };
                self.visible(id).map(found).ok_or(Refusal::NotFound)
            }
            Operation::Delete { id, if_match } => {
                self.target(id, if_match, choose)?;
                self.items.remove(&id);
                Ok(Response::NoContent)
            }
        }
    }

    /// A refused operation aborts the batch, and all is undone; any refused one may be blamed (`refusal-order`).
    fn batch(&mut self, operations: &[Operation], choose: &mut dyn Choose) -> Response {
        let stored = |operation: &Operation| (operation.id(), self.items.get(&operation.id()).copied());
        let before: Vec<_> = operations.iter().map(stored).collect();
        let next_etag = self.next_etag;
        let mut responses = Vec::with_capacity(operations.len());
        let mut aborted = None;
        for (at, operation) in operations.iter().enumerate() {
            match self.operate(*operation, choose) {
                Ok(response) => responses.push(response),
                Err(refusal) => {
                    aborted = Some(Response::Aborted { at, refusal });
                    let is_last = at.saturating_add(1) == operations.len();
                    if is_last || !choose.choose(OpenChoice::LaterRefusalIsAnswered, None) {
                        break;
                    }
                }
            }
        }
        let Some(aborted) = aborted else { return Response::Committed(responses) };
        self.next_etag = next_etag;
        for (id, item) in before {
            self.items.remove(&id);
            self.items.extend(item.map(|item| (id, item)));
        }
        aborted
    }

    fn query(&self, choose: &mut dyn Choose) -> Response {
        if self.index == Index::Rebuilding && choose.choose(OpenChoice::IndexLags, None) {
            return Response::AnyIds;
        }
        Response::Ids(self.visible_ids().collect())
    }

    fn count(&self, choose: &mut dyn Choose) -> Response {
        let (least, stored, lags) =
            (self.visible_ids().count(), self.items.len(), self.index == Index::Rebuilding);
        if (least < stored || lags) && choose.choose(OpenChoice::ExpiredAreCounted, None) {
            return Response::Count { least, most: Some(stored) };
        }
        if lags && choose.choose(OpenChoice::IndexLags, None) {
            return Response::Count { least: 0, most: None };
        }
        Response::Count { least, most: Some(least) }
    }

    fn configure(&mut self, draft: SettingsDraft, choose: &mut dyn Choose) -> Result<Response, Refusal> {
        let settings = settings(draft, OpenChoice::NullIsRefused, choose)?;
        let is_lazy = settings.indexing == Indexing::Lazy;
        let is_changed = self.settings.default_ttl != settings.default_ttl;
        // Under consistent indexing nothing begins that would show in queries.
        let may_go_on = is_lazy || self.index == Index::Rebuilding;
        self.index = if is_lazy && (is_changed || self.index == Index::Rebuilding)
            || may_go_on && choose.choose(OpenChoice::IndexIsRebuilt, None)
        {
            Index::Rebuilding
        } else {
            Index::Ready
        };
        // The items stay as they are, `_ts` and etag included: `settings-do-not-touch-ts`.
        self.settings = settings;
        Ok(Response::Configured)
    }

    /// Stores an item. Nothing of an old one under this id is kept (`expired-id-is-free`).
    fn write(&mut self, id: ItemId, ttl: StoredTtl, content: Content) -> Item {
        let StoredTtl { ttl, is_wrong: has_wrong_ttl } = ttl;
        let item = Item { ttl, has_wrong_ttl, ts: self.now, etag: self.next_etag, content };
        self.next_etag = Etag(self.next_etag.0.wrapping_add(1));
        self.items.insert(id, item);
        item
    }

    /// The visible item that a write is about, if its etag is as required.
    fn target(&self, id: ItemId, if_match: Option<Etag>, choose: &mut dyn Choose) -> Result<Item, Refusal> {
        match (self.visible(id), if_match) {
            (Some(item), Some(etag)) if item.etag != etag => Err(Refusal::PreconditionFailed),
            (Some(item), _) => Ok(*item),
            (None, Some(_)) if choose.choose(OpenChoice::ExpiredFailsPrecondition, Some(id)) => {
                Err(Refusal::PreconditionFailed)
            }
            (None, _) => Err(Refusal::NotFound),
        }
    }

    /// Reads an item's `ttl` under the settings of this moment.
    fn sent_ttl(&self, id: ItemId, sent: Sent, choose: &mut dyn Choose) -> Result<StoredTtl, Refusal> {
        let sent = whole(sent, OpenChoice::FractionIsAccepted, Some(id), choose);
        match rule::read(sent) {
            Ok(ttl) => Ok(StoredTtl { ttl, is_wrong: false }),
            Err(BadRequest)
                if self.settings.default_ttl.is_none()
                    && choose.choose(OpenChoice::WrongTtlIsStored, Some(id)) =>
            {
                let is_forever = choose.choose(OpenChoice::WrongTtlIsForever, Some(id));
                Ok(StoredTtl { ttl: is_forever.then_some(Ttl::Forever), is_wrong: true })
            }
            Err(BadRequest) => Err(Refusal::BadRequest),
        }
    }
}

/// A `ttl` as it is stored: see [`Item`].
#[derive(Clone, Copy, Default)]
struct StoredTtl {
    ttl: Option<Ttl>,
    is_wrong: bool,
}

/// Returns the values of an operation and its item; if both are refused, either refusal (`refusal-order`).
fn both<V, I>(
    value: Result<V, Refusal>,
    item: Result<I, Refusal>,
    choose: &mut dyn Choose,
) -> Result<(V, I), Refusal> {
    match (value, item) {
        (Ok(value), Ok(item)) => Ok((value, item)),
        (Err(first), Err(later))
            if first != later && choose.choose(OpenChoice::LaterRefusalIsAnswered, None) =>
        {
            Err(later)
        }
        (Err(refusal), _) | (_, Err(refusal)) => Err(refusal),
    }
}

/// Takes 10.0 for 10 if that is a setting and the choice says so (`item-integral-fraction`).
fn whole(sent: Sent, choice: OpenChoice, item: Option<ItemId>, choose: &mut dyn Choose) -> Sent {
    match sent {
        Sent::WholeAsFraction(number)
            if rule::read(Sent::Whole(number)).is_ok() && choose.choose(choice, item) =>
        {
            Sent::Whole(number)
        }
        sent => sent,
    }
}

fn settings(draft: SettingsDraft, null: OpenChoice, choose: &mut dyn Choose) -> Result<Settings, Refusal> {
    let sent = whole(draft.default_ttl, OpenChoice::DefaultFractionIsAccepted, None, choose);
    let default_ttl = match sent {
        Sent::Null if !choose.choose(null, None) => None,
        sent => rule::read(sent).map_err(|BadRequest| Refusal::BadRequest)?,
    };
    if default_ttl.is_some() && draft.indexing == Indexing::None {
        return Err(Refusal::BadRequest);
    }
    Ok(Settings { default_ttl, indexing: draft.indexing })
}
