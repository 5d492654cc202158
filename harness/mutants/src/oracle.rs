//! The independent store: one container, written from the clauses and not from the model.
//!
//! It keeps everything as it came: an item's properties as text, and the second of its write. Whatever a clause needs is
//! read off that again at every look, in absolute time and in 128 bits, so nothing is cached or rounded. It shares no
//! code with the model, nor the harness's reading of numbers.
//!
//! In reading order: the container; the questions that it asks of the clauses ([`Rules`]); settings; lives; operations and
//! batches; looks; removal and the clock. What one correct store may do otherwise than another is in [`Choices`].

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    About, Body, Clock, Container, ContainerName, Document, Fault, Indexing, Item, MOST_OPERATIONS,
    Operation, PageRequest, Part, PartitionKey, Patch, Properties, Request, RequestOptions, Response,
    Session, Status, Target,
};

use super::choices::{Background, Choices, Pick, ShownBy, UnindexedAnswers};
use super::number::whole;

use TtlSetting::{Absent, Never, Seconds};

/// The second in which every vector starts; not that of the reference.
pub const START: i64 = 1_600_000_000;

/// The greatest number of seconds that is a setting.
pub(crate) const LONGEST: i128 = 2_147_483_647;

/// A correct store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct IndependentStore {
    /// How it answers where it may choose.
    pub choices: Choices,
    /// When it removes.
    pub background: Background,
    /// How many seconds after [`START`] its clock starts.
    pub later_s: u32,
}

impl IndependentStore {
    /// Opens a session whose clock can also be set.
    pub fn session(self) -> IndependentSession {
        self.session_by(Right)
    }

    /// Opens a session that asks these rules.
    pub(crate) fn session_by<R: Rules>(self, rules: R) -> IndependentSession<R> {
        IndependentSession {
            rules,
            choices: self.choices,
            background: self.background,
            now: i128::from(START) + i128::from(self.later_s),
            turns: 0,
            requests: 0,
            exists: false,
            default: Absent,
            default_before: Absent,
            indexing: Indexing::Consistent,
            is_lagging: false,
            items: Vec::new(),
            options: RequestOptions::default(),
            tags: 0,
        }
    }
}

impl Target for IndependentStore {
    fn about(&self) -> About {
        About {
            name: "naive".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            clock: Clock::Virtual,
            purges: self.background == Background::AsTold,
        }
    }

    fn offers(&self) -> BTreeSet<Part> {
        Part::optional()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(IndependentAccount::of(self.session())))
    }
}

/// Several containers with a clock that they share.
#[derive(Debug)]
pub struct IndependentAccount<R> {
    /// A container that was never created, at this second.
    new: IndependentSession<R>,
    /// By name, `None` for the first one.
    containers: BTreeMap<Option<ContainerName>, IndependentSession<R>>,
}

impl<R: Rules> IndependentAccount<R> {
    pub(crate) fn of(new: IndependentSession<R>) -> Self {
        Self { new, containers: BTreeMap::new() }
    }

    /// Sets the clock of all of them to this second of the Unix epoch, which may be an earlier one.
    pub fn set_clock(&mut self, now_s: i64) {
        self.containers.values_mut().chain([&mut self.new]).for_each(|one| one.set_clock(now_s));
    }
}

impl<R: Rules> Session for IndependentAccount<R> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.send_with(request, &RequestOptions::default())
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        let new = &self.new;
        let container = self.containers.entry(options.container.clone()).or_insert_with(|| new.clone());
        let response = container.send_with(request, options)?;
        let default = container.default;
        if request.container().is_some() && response.status.is_success() && R::shares_settings(container) {
            self.containers.values_mut().for_each(|other| other.default = default);
        }
        Ok(response)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.containers.values_mut().chain([&mut self.new]).try_for_each(|one| one.pass(seconds))
    }

    fn purge(&mut self) -> Result<(), Fault> {
        self.containers.values_mut().try_for_each(Session::purge)
    }
}

/// A session with the store: its clock, and one container.
#[derive(Clone, Debug)]
pub struct IndependentSession<R = Right> {
    pub(crate) rules: R,
    pub(crate) choices: Choices,
    background: Background,
    /// The second of the Unix epoch.
    pub(crate) now: i128,
    /// How many requests there were, and how many of them since there is a container.
    turns: u64,
    requests: u64,
    pub(crate) exists: bool,
    pub(crate) default: TtlSetting,
    pub(crate) default_before: TtlSetting,
    pub(crate) indexing: Indexing,
    is_lagging: bool,
    /// Of all partitions, in the order in which they were written.
    pub(crate) items: Vec<StoredItem>,
    /// Those of the request.
    pub(crate) options: RequestOptions,
    tags: u64,
}

/// The meaning of a property, or of its absence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TtlSetting {
    #[default]
    Absent,
    Never,
    Seconds(i128),
}

/// An item as it was written.
#[derive(Clone, Debug)]
pub struct StoredItem {
    pub(crate) partition: Option<PartitionKey>,
    pub(crate) id: String,
    pub(crate) properties: Properties,
    /// The second of its last write.
    pub(crate) written: i128,
    /// The number of its last write; its etag.
    pub(crate) tag: u64,
    /// The number of the write that made it: its place on pages.
    pub(crate) made: u64,
    /// It was expired once, and stays so.
    is_latched: bool,
}

impl StoredItem {
    /// Whether it has the partition and the id of this one.
    pub(crate) fn is_as(&self, other: &Self) -> bool {
        self.id == other.id && self.partition == other.partition
    }

    pub(crate) fn etag(&self) -> String {
        format!("naive-{}", self.tag)
    }
}

/// Where a value of `ttl` or `defaultTtl` stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place<'a> {
    /// In settings that a client sends.
    Container,
    /// In what a client sends of the item with this id.
    Sent(&'a str),
    /// In the stored item with this id.
    Stored(&'a str),
}

/// The questions that a store asks of the clauses. Whoever implements this may answer one of them otherwise.
pub trait Rules: Clone + Send + Sized {
    fn answer(store: &mut IndependentSession<Self>, request: &Request, options: &RequestOptions) -> Response {
        store.answer(request, options)
    }
    fn operate(store: &mut IndependentSession<Self>, operation: &Operation) -> Result<Response, Status> {
        store.operate(operation)
    }
    /// A write is about to store `item` in place of `old`, which may be expired.
    fn replaces(
        _: &mut IndependentSession<Self>,
        _: &Operation,
        _old: Option<StoredItem>,
        _item: &mut StoredItem,
    ) {
    }
    /// How many operations a batch may have.
    fn most_operations(_: &IndependentSession<Self>) -> usize {
        MOST_OPERATIONS
    }
    /// A batch was refused.
    fn undo(store: &mut IndependentSession<Self>, before: IndependentSession<Self>) {
        *store = before;
    }
    fn sweep(store: &mut IndependentSession<Self>) {
        store.sweep();
    }
    /// Which setting is asked for.
    fn asked(store: &IndependentSession<Self>, container: &Container) -> Result<TtlSetting, Status> {
        store.asked(container)
    }
    /// Whether anybody can make this patch.
    fn can_patch(store: &IndependentSession<Self>, patch: &Patch) -> bool {
        store.can_patch(patch)
    }
    fn setting(store: &IndependentSession<Self>, at: Place<'_>, text: &str) -> Result<TtlSetting, Status> {
        store.setting(at, text)
    }
    fn ttl<'p>(_: &IndependentSession<Self>, properties: &'p Properties) -> Option<&'p Literal> {
        properties.get("ttl")
    }
    fn life(_: &IndependentSession<Self>, default: TtlSetting, own: TtlSetting) -> Option<i128> {
        life(default, own)
    }
    fn deadline(store: &IndependentSession<Self>, item: &StoredItem) -> Option<i128> {
        store.deadline(item)
    }
    fn is_expired(store: &IndependentSession<Self>, item: &StoredItem) -> bool {
        store.is_expired(item)
    }
    fn is_meant(store: &IndependentSession<Self>, item: &StoredItem, id: &str) -> bool {
        item.id == id && item.partition == store.options.partition
    }
    fn find<'s>(store: &'s IndependentSession<Self>, id: &str) -> Option<&'s StoredItem> {
        store.find(id)
    }
    fn show(_: &IndependentSession<Self>, status: Status, item: &StoredItem) -> Response {
        shown(status, item)
    }
    /// Whether a container's settings are those of all others.
    fn shares_settings(_: &IndependentSession<Self>) -> bool {
        false
    }
    fn page(store: &IndependentSession<Self>, seen: &[&StoredItem], page: &PageRequest) -> Response {
        store.page(seen, page)
    }
}

/// Answers every question as the clauses do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Right;

impl Rules for Right {}

/// Settings.
impl<R: Rules> IndependentSession<R> {
    /// Reads a setting off its JSON text.
    pub(crate) fn setting(&self, at: Place<'_>, text: &str) -> Result<TtlSetting, Status> {
        let (fractions, null) = match at {
            Place::Container if self.exists => {
                (self.choices.default_fractions_taken, !self.choices.null_in_replacement_refused)
            }
            Place::Container => {
                (self.choices.default_fractions_taken, !self.choices.null_at_creation_refused)
            }
            Place::Sent(id) | Place::Stored(id) => (self.choices.fractions_taken.of_item(id), false),
        };
        match whole(text, fractions) {
            None if text == "null" && null => Ok(Absent),
            Some(-1) => Ok(Never),
            Some(seconds @ 1..=LONGEST) => Ok(Seconds(seconds)),
            _ => Err(Status::BadRequest),
        }
    }

    pub(crate) fn own(&self, at: Place<'_>, properties: &Properties) -> Result<TtlSetting, Status> {
        R::ttl(self, properties).map_or(Ok(Absent), |ttl| R::setting(self, at, ttl.as_str()))
    }

    /// Returns the setting of a stored item; a value that is not allowed sets nothing, or -1.
    pub(crate) fn said(&self, item: &StoredItem) -> TtlSetting {
        let invalid = if self.choices.kept_is_never { Never } else { Absent };
        self.own(Place::Stored(&item.id), &item.properties).unwrap_or(invalid)
    }

    /// Refuses what an item may not carry, and a patch that nobody can make.
    fn check(&self, operation: &Operation, found: Option<&StoredItem>) -> Result<(), Status> {
        let (id, Some(properties)) = (operation.id(), operation.properties()) else { return Ok(()) };
        let patched = match (operation, found) {
            (Operation::Patch(patch, _), Some(item)) if !patch.operations.is_empty() => {
                patch.apply(&item.properties).ok()
            }
            _ => None,
        };
        if self.default != Absent || !self.choices.anything_kept_while_off.of_item(id) {
            self.own(Place::Sent(id), patched.as_ref().unwrap_or(properties))?;
        }
        match operation {
            Operation::Patch(patch, _) if !R::can_patch(self, patch) => Err(Status::BadRequest),
            _ => Ok(()),
        }
    }

    /// A patch sets no `_ts`, and removes only what is there.
    pub(crate) fn can_patch(&self, patch: &Patch) -> bool {
        let item = R::find(self, &patch.id);
        !patch.changes("_ts") && item.is_none_or(|item| patch.apply(&item.properties).is_ok())
    }

    pub(crate) fn asked(&self, container: &Container) -> Result<TtlSetting, Status> {
        let default = container.default_ttl.as_ref();
        let default = default.map_or(Ok(Absent), |text| R::setting(self, Place::Container, text.as_str()))?;
        let is_refused = match container.indexing {
            Indexing::Consistent => false,
            Indexing::Lazy => self.choices.lazy_index_refused,
            Indexing::None => default != Absent,
        };
        if is_refused { Err(Status::BadRequest) } else { Ok(default) }
    }

    fn configure(&mut self, container: &Container) -> Result<(), Status> {
        let default = R::asked(self, container)?;
        let expired: Vec<_> = self.items.iter().map(|item| R::is_expired(self, item)).collect();
        for (item, is_expired) in self.items.iter_mut().zip(expired) {
            item.is_latched |= is_expired && self.choices.latched.of_item(&item.id);
        }
        let is_changed = self.default != default;
        self.is_lagging = container.indexing == Indexing::Lazy && (self.is_lagging || is_changed);
        self.default_before = self.default;
        (self.default, self.indexing) = (default, container.indexing);
        Ok(())
    }

    fn create(&mut self, container: &Container) -> Response {
        let refused = self.configure(container).err();
        self.exists = refused.is_none();
        self.is_lagging = false;
        refused.map_or_else(|| self.described(Status::Created), Response::new)
    }

    /// Shows the container's settings.
    fn described(&self, status: Status) -> Response {
        Response::container(status, shown_setting(self.default))
    }
}

/// A setting as a client sees it.
pub(crate) fn shown_setting(setting: TtlSetting) -> Option<Literal> {
    match setting {
        Absent => None,
        Never => Some((-1).into()),
        Seconds(seconds) => i64::try_from(seconds).ok().map(Literal::from),
    }
}

/// The table: how long an item lives; `None` for ever.
pub(crate) fn life(default: TtlSetting, own: TtlSetting) -> Option<i128> {
    match (default, own) {
        (Absent, _) | (_, Never) | (Never, Absent) => None,
        (_, Seconds(seconds)) | (Seconds(seconds), Absent) => Some(seconds),
    }
}

/// Lives.
impl<R: Rules> IndependentSession<R> {
    pub(crate) fn deadline(&self, item: &StoredItem) -> Option<i128> {
        Some(item.written + R::life(self, self.default, self.said(item))?)
    }

    /// Returns whether the item is gone for every client.
    pub(crate) fn is_expired(&self, item: &StoredItem) -> bool {
        item.is_latched || R::deadline(self, item).is_some_and(|deadline| deadline <= self.now)
    }

    /// Whether the item is expired for a lazy index that was built before the settings changed.
    fn was_expired(&self, item: &StoredItem) -> bool {
        let life = R::life(self, self.default_before, self.said(item));
        life.is_some_and(|life| item.written + life <= self.now)
    }
}

/// Operations and batches.
impl<R: Rules> IndependentSession<R> {
    /// A choice that nothing binds.
    fn takes_now(&self, pick: Pick) -> bool {
        pick.of(self.requests)
    }

    pub(crate) fn find(&self, id: &str) -> Option<&StoredItem> {
        self.items.iter().find(|item| R::is_meant(self, item, id) && !R::is_expired(self, item))
    }

    fn is_stored(&self, id: &str) -> bool {
        self.items.iter().any(|item| R::is_meant(self, item, id))
    }

    /// Whether the item that is there, or that there is none, allows an operation.
    fn allows(&self, operation: &Operation, found: Option<&StoredItem>) -> Result<(), Status> {
        let counts = || !self.choices.condition_until_removed || self.is_stored(operation.id());
        match (operation, found, operation.etag().or(self.options.if_match.as_ref())) {
            (Operation::Upsert(_), Some(item), Some(etag)) if item.etag() != *etag => {
                Err(Status::PreconditionFailed)
            }
            (Operation::Create(_), Some(_), _) => Err(Status::Conflict),
            (Operation::Create(_) | Operation::Upsert(_), ..) => Ok(()),
            (_, None, Some(_)) if self.takes_now(self.choices.condition_first) && counts() => {
                Err(Status::PreconditionFailed)
            }
            (_, None, _) => Err(Status::NotFound),
            (_, Some(item), Some(etag)) if item.etag() != *etag => Err(Status::PreconditionFailed),
            _ => Ok(()),
        }
    }

    pub(crate) fn operate(&mut self, operation: &Operation) -> Result<Response, Status> {
        let found = R::find(self, operation.id()).cloned();
        let allowed = self.allows(operation, found.as_ref());
        match (self.check(operation, found.as_ref()), allowed) {
            (Err(_), Err(status)) if self.takes_now(self.choices.item_before_value) => return Err(status),
            (checked, allowed) => checked.and(allowed)?,
        }
        let is_new = || match found {
            Some(_) => false,
            None => !(self.is_stored(operation.id()) && self.takes_now(self.choices.upsert_replaces_expired)),
        };
        Ok(match (operation, &found) {
            (Operation::Create(new), _) => self.write(Status::Created, operation, new.properties.clone()),
            (Operation::Upsert(new), _) => {
                let says_created = is_new() || self.takes_now(self.choices.upsert_says_created);
                let status = if says_created { Status::Created } else { Status::Ok };
                self.write(status, operation, new.properties.clone())
            }
            (Operation::Replace(new, _), _) => self.write(Status::Ok, operation, new.properties.clone()),
            (Operation::Patch(patch, _), Some(item)) => {
                let mut properties = item.properties.clone();
                properties.extend(patch.set.clone());
                properties.retain(|name, _| !patch.remove.contains(name));
                let properties = patch.operate(properties.clone()).unwrap_or(properties);
                self.write(Status::Ok, operation, properties)
            }
            (Operation::Read(_), Some(item)) if self.options.if_none_match == Some(item.etag()) => {
                Response::new(Status::NotModified)
            }
            (Operation::Read(_), Some(item)) => R::show(self, Status::Found, item),
            (Operation::Delete(..), Some(item)) => {
                self.items.retain(|one| !one.is_as(item));
                Response::new(Status::NoContent)
            }
            (Operation::Patch(..) | Operation::Read(_) | Operation::Delete(..), None) => {
                return Err(Status::NotFound);
            }
        })
    }

    /// Stores an item in place of what has its id.
    pub(crate) fn write(
        &mut self,
        status: Status,
        operation: &Operation,
        mut properties: Properties,
    ) -> Response {
        properties.retain(|name, _| name != "_ts" && name != "_etag");
        let (partition, id) = (self.options.partition.clone(), operation.id().to_owned());
        let old = self.items.iter().position(|item| R::is_meant(self, item, &id));
        let old = old.map(|number| self.items.remove(number));
        self.tags += 1;
        let kept = old.as_ref().filter(|old| self.choices.etags_stay && !R::is_expired(self, old));
        let tag = kept.map_or(self.tags, |old| old.tag);
        let living = old.as_ref().filter(|old| !R::is_expired(self, old));
        let made = living.map_or(self.tags, |old| old.made);
        let mut item =
            StoredItem { partition, id, properties, written: self.now, tag, made, is_latched: false };
        R::replaces(self, operation, old, &mut item);
        let response = R::show(self, status, &item);
        self.items.push(item);
        response
    }

    fn batch(&mut self, operations: &[Operation]) -> Response {
        if operations.len() > R::most_operations(self) {
            return Response::new(Status::BadRequest);
        }
        let before = self.clone();
        let mut statuses = Vec::with_capacity(operations.len());
        let mut refused = None;
        for (at, operation) in operations.iter().enumerate() {
            match R::operate(self, operation) {
                Ok(response) => statuses.push(response.status),
                Err(status) => {
                    refused = Some((status, at));
                    if !self.takes_now(self.choices.batch_blames_later) {
                        break;
                    }
                }
            }
        }
        let Some((status, at)) = refused else { return Response::committed(statuses) };
        R::undo(self, before);
        Response::aborted(status, at)
    }
}

/// Looks.
impl<R: Rules> IndependentSession<R> {
    pub(crate) fn answer(&mut self, request: &Request, options: &RequestOptions) -> Response {
        self.options.clone_from(options);
        if !self.exists {
            return match request {
                Request::CreateContainer(container) => self.create(container),
                _ => Response::new(Status::NotFound),
            };
        }
        self.requests += 1;
        let needs_index = matches!(request, Request::Query | Request::Count);
        match (self.choices.unindexed, request) {
            _ if !needs_index || self.indexing != Indexing::None => {}
            (UnindexedAnswers::Answers, _) => {}
            (UnindexedAnswers::Refuses, _) => return Response::new(Status::BadRequest),
            (UnindexedAnswers::FindsNothing, Request::Count) => return Response::count(0),
            (UnindexedAnswers::FindsNothing, _) => return Response::ids(Vec::new()),
        }
        match request {
            Request::CreateContainer(_) => Response::new(Status::Conflict),
            Request::ReplaceContainer(container) => match self.configure(container) {
                Ok(()) => self.described(Status::Ok),
                Err(refused) => Response::new(refused),
            },
            Request::ReadContainer => self.described(Status::Ok),
            Request::DeleteContainer => {
                (self.exists, self.default, self.default_before) = (false, Absent, Absent);
                self.items.clear();
                Response::new(Status::NoContent)
            }
            Request::Select(select) => {
                let asked = |item: &&StoredItem| {
                    (select.across || item.partition == self.options.partition) && !R::is_expired(self, item)
                };
                let found = self.items.iter().filter(asked);
                let found: Vec<Document> = found
                    .map(|item| Document { id: item.id.clone(), properties: item.properties.clone() })
                    .collect();
                select.answer(found.iter())
            }
            Request::ReadMany(ids) => {
                let found = ids.iter().filter(|id| R::find(self, id).is_some());
                Response::ids(found.cloned().collect())
            }
            Request::Item(operation) => R::operate(self, operation).unwrap_or_else(Response::new),
            Request::Batch(operations) => self.batch(operations),
            Request::Count => {
                let all = self.takes_now(self.choices.expired_counted);
                let count = if all { self.stored().count() } else { self.seen().len() };
                Response::count(count as u64)
            }
            Request::Query | Request::List => match &options.page {
                None => Response::ids(self.seen().into_iter().map(|item| item.id.clone()).collect()),
                Some(page) => R::page(self, &self.seen(), page),
            },
            // There is none at this time.
            _ => Response::new(Status::Other(501)),
        }
    }

    /// The items of the request's partition.
    pub(crate) fn stored(&self) -> impl Iterator<Item = &StoredItem> {
        self.items.iter().filter(|item| item.partition == self.options.partition)
    }

    /// Those that a query, a list or a count finds.
    pub(crate) fn seen(&self) -> Vec<&StoredItem> {
        let is_lagging = self.is_lagging && self.takes_now(self.choices.lazy_index_lags);
        let is_seen = |item: &&StoredItem| match (is_lagging, self.choices.lazy_index_stale) {
            (false, _) => !R::is_expired(self, item),
            (true, stale) => stale && !self.was_expired(item),
        };
        self.stored().filter(is_seen).collect()
    }

    /// The page of the items that were made after the one with this number, which need not be there any more.
    pub(crate) fn page(&self, seen: &[&StoredItem], page: &PageRequest) -> Response {
        let Ok(from) = page.continuation.as_deref().unwrap_or("0").parse::<u64>() else {
            return Response::new(Status::BadRequest);
        };
        let is_seen = |item: &&StoredItem| seen.iter().any(|one| one.made == item.made);
        let divided = self.stored().filter(|item| self.choices.pages_of_stored || is_seen(item));
        let mut rest: Vec<_> = divided.filter(|item| item.made > from).collect();
        rest.sort_by_key(|item| item.made);
        let size = usize::try_from(page.size.get()).unwrap_or(usize::MAX);
        let (page, later) = rest.split_at(size.min(rest.len()));
        let next = page.last().filter(|_| !later.is_empty()).map(|item| item.made.to_string());
        let ids = page.iter().copied().filter(is_seen).map(|item| item.id.clone()).collect();
        Response::ids(ids).continued(next)
    }

    /// Omits the item where this store does not show it.
    fn omit_item(&self, request: &Request, response: &mut Response) {
        let Request::Item(operation) = request else { return };
        let omits = match self.choices.shown_by {
            ShownBy::EveryWrite => false,
            ShownBy::CreatesOnly => !matches!(operation, Operation::Create(_)),
            ShownBy::NoWrite => true,
        };
        if omits && operation.is_write() {
            response.body = Body::Nothing;
        }
    }
}

/// Answers with an item.
pub(crate) fn shown(status: Status, item: &StoredItem) -> Response {
    let document = Document { id: item.id.clone(), properties: item.properties.clone() };
    let ts = i64::try_from(item.written).ok();
    Response::item(status, Item { document, ts, etag: Some(item.etag()) })
}

/// Removal, and the clock.
impl<R: Rules> IndependentSession<R> {
    pub(crate) fn sweep(&mut self) {
        let expired: Vec<_> =
            self.items.iter().filter(|item| R::is_expired(self, item)).map(|item| item.tag).collect();
        self.items.retain(|item| !expired.contains(&item.tag));
    }

    /// Sets its clock to this second of the Unix epoch, which may be an earlier one.
    pub fn set_clock(&mut self, now_s: i64) {
        if self.now != i128::from(now_s) {
            self.move_clock(now_s.into());
        }
    }

    fn move_clock(&mut self, now: i128) {
        self.now = now;
        if self.background == Background::Eager {
            R::sweep(self);
        }
    }
}

impl<R: Rules> Session for IndependentSession<R> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.send_with(request, &RequestOptions::default())
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        self.turns += 1;
        let is_swept = match self.background {
            Background::Every(number) => self.turns.is_multiple_of(number),
            Background::EveryEarlier(number) => (self.turns + 1).is_multiple_of(number),
            Background::AsTold | Background::Never | Background::Eager => false,
        };
        if is_swept {
            R::sweep(self);
        }
        let mut response = R::answer(self, request, options);
        self.omit_item(request, &mut response);
        if self.background == Background::Eager {
            R::sweep(self);
        }
        Ok(response)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.move_clock(self.now + i128::from(seconds));
        Ok(())
    }

    fn purge(&mut self) -> Result<(), Fault> {
        R::sweep(self);
        Ok(())
    }
}
