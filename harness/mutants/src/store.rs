//! One container: a list of items that is searched from the top, every time.

mod freedoms;
mod identity;
mod items;
mod pages;
mod session;
mod settings;
mod visibility;

use super::mutation::{Access, Effect, Event, Mutation as M, Via};
use cosmos_ttl_harness::target::{
    Container, Edition, Indexing, Operation, PartitionKey, Patch, Properties, Request, RequestOptions,
    Response, Status,
};

pub use freedoms::{Freedoms, ShownBy, UnindexedAnswers};
pub use session::START;
pub use settings::whole;

/// Which of two answers is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pick {
    /// The one that the evidence favours.
    #[default]
    Usual,
    /// The other.
    Other,
    /// Now this, now that: by the item where a choice binds an item, or else by the request.
    Mixed,
}

impl Pick {
    fn of_item(self, id: &str) -> bool {
        self.of(id.bytes().fold(0, |sum: u64, byte| sum.wrapping_add(byte.into())))
    }

    /// Whether it is the other one, for whatever has this number.
    fn of(self, number: u64) -> bool {
        match self {
            Self::Usual => false,
            Self::Other => true,
            Self::Mixed => number.is_multiple_of(2),
        }
    }
}

/// The choices under the open clauses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Choices {
    /// `container-null-is-off`: null as `defaultTtl` is refused.
    pub null_default_refused: bool,
    /// `item-integral-fraction`: `10.0` is 10.
    pub fractions_taken: Pick,
    /// `item-invalid-while-off`: kept as ordinary data.
    pub anything_kept_while_off: Pick,
    /// `expired-in-aggregates`: counted until removed.
    pub expired_counted: Pick,
    /// `expired-upsert-status`: as a replace, until removed.
    pub upsert_replaces_expired: Pick,
    /// `expired-precondition`: the condition fails before the item does.
    pub condition_first: Pick,
    /// `lazy-index-may-lag`: queries find nothing after `defaultTtl` was changed.
    pub lazy_index_lags: Pick,
    /// `refusal-order`: a write looks for its item before it looks at its value.
    pub item_before_value: Pick,
    /// `patch-of-ts`: a bad request.
    pub patch_of_ts_refused: Pick,
    /// `refusal-order`: a batch goes on after a refused operation, and the last one that is refused is blamed.
    pub batch_blames_later: Pick,
}

/// When the background removes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Background {
    /// As the harness says.
    #[default]
    AsTold,
    /// Not at all.
    Never,
    /// At every moment.
    Eager,
    /// Before each request whose number this divides.
    Every(u64),
    /// The same, one request earlier.
    EveryEarlier(u64),
}

/// A store that is right, unless it has a mutation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct IndependentStore {
    /// The name of the mutant or the control that it is, if it goes by that.
    pub name: Option<&'static str>,
    /// The choices of the store under the open clauses.
    pub choices: Choices,
    /// The other behaviour of the store that is allowed.
    pub freedoms: Freedoms,
    /// When it removes.
    pub background: Background,
    /// `reappearance`: what was expired once stays so, even if nothing has removed it yet.
    pub latched: Pick,
    /// It divides what is stored into pages, and leaves out expired items afterwards: a page may be empty.
    pub pages_of_stored: bool,
    /// How many seconds after [`START`] its clock starts.
    pub later_s: u32,
    /// The fault of the store; `None` if it is an oracle.
    pub mutation: Option<M>,
}

/// A session with the store: its clock, and one container.
#[derive(Clone, Debug, Default)]
pub struct IndependentSession {
    store: IndependentStore,
    edition: Edition,
    background: Background,
    /// The second of the Unix epoch.
    now: i128,
    /// How many requests there were, and how many of them since there is a container.
    turns: u64,
    requests: u64,
    exists: bool,
    default: TtlSetting,
    indexing: Indexing,
    /// Of all partitions.
    items: Vec<StoredItem>,
    /// The one that the request is about.
    partition: Option<PartitionKey>,
    tags: u64,
    lagging: bool,
    /// A batch is under way.
    batch: bool,
    history: ContainerHistory,
}

/// The meaning of a property, or of its absence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TtlSetting {
    #[default]
    Absent,
    Never,
    Seconds(i128),
}

const LONGEST: i128 = 2_147_483_647;

/// An item as it was written.
#[derive(Clone, Debug)]
struct StoredItem {
    partition: Option<PartitionKey>,
    id: String,
    properties: Properties,
    /// The second of its last write.
    written: i128,
    tag: u64,
    /// It was expired once, and stays so.
    latched: bool,
    history: ItemHistory,
}

/// The history of an item that only mutations need.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is what one mutation asks for")]
struct ItemHistory {
    created: i128,
    /// The number of the last write's request within its second.
    moment: i128,
    /// The container's setting at the last write, the kind of request of that write, and whether it was in a batch.
    default: TtlSetting,
    by: Option<Via>,
    in_batch: bool,
    first_deadline: Option<i128>,
    seen_back: bool,
    /// Had expired when settings changed.
    expired_before: bool,
    /// Its `ttl` was asleep once.
    slept: bool,
    /// A second lease, where a new `ttl` is added to the old one.
    extra: i128,
}

/// The history of the container that only mutations need.
#[derive(Clone, Debug, Default)]
struct ContainerHistory {
    born: i128,
    /// When its settings changed last, and what they were before.
    changed: i128,
    before: TtlSetting,
    first: Option<TtlSetting>,
    /// They changed since the creation.
    is_changed: bool,
    on_since: i128,
    /// How many requests this second had so far.
    moment: i128,
    /// The items that clients deleted, that were overwritten once expired, that the background removed, or that it will
    /// remove the next time: whichever of them the mutation needs.
    gone: Vec<StoredItem>,
    /// The items from which the first page of the last query or list was taken.
    listed: Vec<pages::ListedItem>,
    /// By how much the writes of a batch are later than its start.
    spread: i128,
}

impl IndependentSession {
    /// Makes the container, and also where that is refused by mistake; returns the status.
    fn create(&mut self, container: &Container) -> Status {
        let now = self.now;
        self.history =
            ContainerHistory { moment: 1, born: now, changed: now, on_since: now, ..Default::default() };
        self.indexing = container.indexing;
        let refused = self.configure(Via::Create, container).err();
        self.exists = refused.is_none() || self.has(M::RefusedMakesContainer);
        if !self.exists {
            (self.default, self.indexing) = (TtlSetting::Absent, Indexing::Consistent);
        }
        self.lagging = false;
        refused.unwrap_or(Status::Created)
    }

    fn answer(&mut self, request: &Request, options: &RequestOptions) -> Response {
        self.partition.clone_from(&options.partition);
        if !self.exists {
            return Response::new(match request {
                Request::CreateContainer(container) => self.create(container),
                _ => Status::NotFound,
            });
        }
        self.requests += 1;
        self.history.moment += 1;
        if let Some(response) = self.without_index(request) {
            return response;
        }
        let response = match request {
            Request::CreateContainer(container) => {
                self.after(Event::SecondCreation);
                if self.has(M::SecondCreationSettles) {
                    let _ = self.configure(Via::Create, container);
                }
                return Response::new(Status::Conflict);
            }
            Request::ReplaceContainer(container) => {
                let refused = self.configure(Via::Replace, container).err();
                return Response::new(refused.unwrap_or(Status::Ok));
            }
            Request::Item(operation) => self.operate(operation).unwrap_or_else(Response::new),
            Request::Batch(operations) => self.batch(operations),
            Request::Query => self.feed(Access::Query, options.page.as_ref()),
            Request::List => self.feed(Access::List, options.page.as_ref()),
            Request::Count => self.list(Access::Count),
        };
        if self.has(M::ReturnForOneLook) {
            let back = self.items.iter_mut().filter(|item| item.history.expired_before);
            back.for_each(|item| item.history.seen_back = true);
        }
        response
    }

    fn has(&self, mutation: M) -> bool {
        self.store.mutation == Some(mutation)
    }

    /// A choice that nothing binds.
    fn takes_now(&self, pick: Pick) -> bool {
        pick.of(self.requests)
    }

    /// In which ways an item is looked at; the last is the one that counts most.
    fn looks(&self, look: Access, conditional: bool) -> [Access; 4] {
        let (any, own) = match look {
            _ if !self.batch => (look, look),
            Access::Read => (Access::ReadInBatch, Access::ReadInBatch),
            Access::Create => (Access::InBatch, Access::CreateInBatch),
            Access::Replace => (Access::InBatch, Access::ReplaceInBatch),
            Access::Patch => (Access::InBatch, Access::PatchInBatch),
            Access::Delete => (Access::InBatch, Access::DeleteInBatch),
            _ => (Access::InBatch, Access::InBatch),
        };
        [any, own, look, if conditional { Access::Conditional } else { look }]
    }

    fn batch(&mut self, operations: &[Operation]) -> Response {
        let before = self.clone();
        self.batch = true;
        let mut statuses = Vec::with_capacity(operations.len());
        let mut blamed = None;
        for (at, operation) in operations.iter().enumerate() {
            if self.has(M::BatchSpreads) {
                self.history.spread = i128::try_from(at).unwrap_or(0);
            }
            match self.operate(operation) {
                Ok(response) => statuses.push(response.status),
                Err(status) => {
                    blamed = Some((at, status));
                    if !self.takes_now(self.store.choices.batch_blames_later) {
                        break;
                    }
                }
            }
        }
        if let Some((at, status)) = blamed {
            self.take_back(before, operations.get(..at).unwrap_or(&[]));
            let at = if self.has(M::BatchBlamesFirst) { 0 } else { at };
            return Response::aborted(status, at);
        }
        self.batch = false;
        self.history.spread = 0;
        Response::committed(statuses)
    }

    /// Undoes what the operations did, save what is kept by mistake.
    fn take_back(&mut self, before: Self, operations: &[Operation]) {
        let after = std::mem::replace(self, before);
        let patched = |item: &StoredItem| {
            let is_about = |patch: &Patch| item.is(self.partition.as_ref(), &patch.id);
            operations.iter().any(|one| matches!(one, Operation::Patch(patch, _) if is_about(patch)))
        };
        let was = |one: &StoredItem| self.items.iter().any(|item| item.is_as(one));
        match self.store.mutation {
            Some(M::AbortKeepsAll) => self.items = after.items,
            Some(M::AbortKeepsDeletes) => {
                self.items.retain(|item| after.items.iter().any(|after| after.is_as(item)));
            }
            Some(M::AbortKeepsCreates) => {
                let created: Vec<_> = after.items.into_iter().filter(|item| !was(item)).collect();
                self.items.extend(created);
            }
            Some(kept @ (M::AbortKeepsPatches | M::AbortKeepsTs)) => {
                for item in &mut self.items {
                    match after.items.iter().find(|after| after.is_as(item)) {
                        Some(after) if kept == M::AbortKeepsTs => item.written = after.written,
                        Some(after) if patched(item) => item.clone_from(after),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    /// Removes an item of the default partition in the background; says whether there was an expired one.
    pub fn remove(&mut self, id: &str) -> bool {
        let found = self.items.iter().position(|item| item.is(None, id) && self.is_removable(item));
        let removed = found.map(|number| self.items.remove(number));
        self.removed(removed.into_iter().collect());
        found.is_some()
    }

    fn sweep(&mut self) {
        let removable = self.items.iter().filter(|item| self.is_removable(item));
        let expired: Vec<_> = removable.map(|item| item.tag).collect();
        match self.store.mutation {
            Some(wrongly @ (M::SweepTakesPicked | M::SweepTakesPickedIfUnwritten)) => {
                // Removal in two steps, of which the second asks for less than the first.
                let picked = std::mem::take(&mut self.history.gone);
                self.items.retain(|item| {
                    let is_same = |one: &StoredItem| wrongly == M::SweepTakesPicked || one.tag == item.tag;
                    !picked.iter().any(|one| one.is_as(item) && is_same(one))
                });
                let expired = self.items.iter().filter(|item| expired.contains(&item.tag));
                self.history.gone = expired.cloned().collect();
            }
            Some(M::SweepCutsContent) => {
                let cut = self.items.iter_mut().filter(|item| expired.contains(&item.tag));
                cut.for_each(|item| item.properties.retain(|name, _| name == "ttl"));
            }
            _ => {
                let removed = self.items.extract_if(.., |item| expired.contains(&item.tag)).collect();
                self.removed(removed);
            }
        }
    }

    fn is_removable(&self, item: &StoredItem) -> bool {
        let over = |deadline: Option<i128>| deadline.is_some_and(|deadline| deadline <= self.now);
        let life = |life: Option<i128>| over(life.map(|life| item.written + life));
        let by_default = || life(self.life(self.default, TtlSetting::Absent));
        match self.store.mutation {
            Some(M::SweepIsEarly) => over(self.deadline(item).map(|deadline| deadline - 1)),
            Some(M::SweepGoesByDefault) => by_default(),
            Some(M::SweepGoesByFirstDeadline) => over(item.history.first_deadline),
            Some(M::SweepIgnoresMinusOne) if self.said(item) == TtlSetting::Never => by_default(),
            Some(M::SweepsWhileOff) if self.default == TtlSetting::Absent => {
                life(self.life(self.history.before, self.said(item)))
            }
            _ => self.is_expired(item, &[Access::Background]),
        }
    }

    fn removed(&mut self, removed: Vec<StoredItem>) {
        if removed.is_empty() {
            return;
        }
        match self.store.mutation {
            Some(M::RemovedReturn | M::SweepLeavesIdTaken | M::SweptAnswersGone) => {
                self.history.gone.extend(removed);
            }
            Some(M::SweepTakesYoungest) => drop(self.items.pop()),
            Some(M::SweepTakesAllPartitions) => {
                self.items.retain(|item| !removed.iter().any(|one| one.id == item.id));
            }
            Some(M::SweepTakesLongerIds) => {
                self.items.retain(|item| {
                    !removed.iter().any(|one| item.partition == one.partition && item.id.starts_with(&one.id))
                });
            }
            _ => self.after(Event::Removal),
        }
    }

    /// Does to every item what this event should not do.
    fn after(&mut self, event: Event) {
        let effect = match self.store.mutation {
            Some(M::After(wrongly, effect)) if wrongly == event => effect,
            _ => return,
        };
        let properties = self.items.iter_mut().map(|item| &mut item.properties);
        match effect {
            Effect::RestartsAll => self.restart(|_| true),
            Effect::RenewsEtags => {
                for item in &mut self.items {
                    self.tags += 1;
                    item.tag = self.tags;
                }
            }
            Effect::CutsContent => properties.for_each(|all| all.retain(|name, _| name == "ttl")),
            Effect::CutsTtl => properties.for_each(|all| all.retain(|name, _| name != "ttl")),
            Effect::LosesItems => self.items.clear(),
            Effect::SwitchesOff => self.default = TtlSetting::Absent,
            Effect::DropsDefault => self.default = TtlSetting::Never,
        }
    }

    fn restart(&mut self, which: impl Fn(&StoredItem) -> bool) {
        let now = self.now;
        self.items.iter_mut().filter(|item| which(item)).for_each(|item| item.written = now);
    }
}
