//! Faults upon the independent store: each mutation is one misreading of the clauses, at the one seam where it matters.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    About, Body, Container, DEFAULT_PARTITION, Fault, Indexing, MOST_OPERATIONS, Operation, PageRequest,
    Part, PartitionKey, Patch, PatchOperation, Properties, Request, RequestOptions, Response, Session,
    Status, Target,
};

use super::choices::{Background, Pick};
use super::number::whole;
use super::oracle::{
    IndependentAccount, IndependentSession, IndependentStore, LONGEST, Place, Rules, StoredItem, TtlSetting,
    life, shown, shown_setting,
};

use Mutation as M;
use TtlSetting::{Absent, Never, Seconds};

/// Declares the words that mutations are made of.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$word_doc:meta])* $word:ident $(($($data:ty),+))?),+ $(,)? })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names say it")]
        pub enum $name { $($(#[$word_doc])* $word $(($($data),+))?),+ }
    )+};
}

words! {
    /// One misreading of the clauses.
    Mutation {
        /// A value is taken for this setting.
        Takes(On, Given, TtlSetting),
        /// A value that is not valid is taken for the number that can be read out of it.
        Guesses(On, Given),
        /// A `defaultTtl` leaves the setting as it was.
        KeepsDefault(Given),
        /// A value that is a setting is refused.
        Refuses(On, Given),
        /// Another property counts as `ttl` too, if there is no `ttl`.
        Alias(&'static str),
        /// A refusal with this status leaves something behind.
        Leaves(Status, Leftover),
        /// While the container is off, a value that is not valid is neither stored nor a bad request.
        InvalidWhileOffIsAnError,
        TwoRefusalsAreAnError,
        /// A patch succeeds that nobody can make.
        Patches(Impossible),
        /// What a change of settings hides is seen until the second is over.
        ChangesHideLate,
        /// A refused creation still makes the container.
        RefusedMakesContainer,
        /// An event does this to every item, or to the default.
        After(Event, Effect),

        /// The settings or the table are misread.
        Misreads(Reading),
        Milliseconds,
        // An item's life counts from another moment.
        CountsFromCreation,
        /// The life of an item that has a `ttl` of its own counts from the last switching on.
        CountsFromWaking,
        DeadlineWrapsUnsigned,
        // Items are shown as they are not.
        HidesOldParts, ShowsTsInMinutes, ShowsTtlWithFraction,

        /// Items whose ids hold this text never expire.
        Endless(&'static str),
        /// Queries and lists show at most this number of items.
        SeesFirst(usize),
        /// Items are seen for this number of seconds past their deadline.
        Sees(i128),
        /// An expired item that is still stored is answered this.
        Answers(Status),
        // Counts are wrong.
        CountsOverwritten, SubtractsExpiredTwice, SubtractsRefusedDeletes,

        // A write keeps what it should not of the item before, or stores what it should not.
        NoRestart, NoRestartIfIdentical, NewTtlCountsFromOldTs, KeepsTtl, WritesDefaultBack,
        /// The `_ts` that a client sends is stored.
        TakesTs,
        /// The `_ts` of a deleted item comes back, with the next of its id.
        TsOfDeletedReturns,
        /// An item that is written over an expired one keeps this of it.
        Reborn(KeptPart),
        /// Each write of a batch is a second later than the one before.
        BatchSpreads,
        /// An aborted batch does not take this back.
        AbortKeeps(Kept),
        NoConditions,
        /// Batches have any number of operations.
        AnyBatch,
        /// This restarts the count of what it finds, although it is no write.
        Restarts,

        // The background removes wrongly.
        SweepTakesYoungest, SweepTakesPicked, SweepTakesPickedIfUnwritten, SweptAnswersGone,
        SweepTakesLongerIds,

        /// Items live by the default of the moment of their last write.
        DefaultAtWrite,
        DefaultAtWriteIfLonger, DefaultAtWriteIfShorter,
        /// Items that are this number of seconds old when the settings change keep their default.
        DefaultAtWriteIfOlder(i128),
        /// Changes of the settings after this number of them say ok and do nothing.
        SettlesAfter(usize),
        MinusOneKeepsDefault, DormantTtlIsForgotten,
        // Items come back wrongly.
        DeletedReturn, DeletedReturnOnDelete, OverwrittenReturn, RemovedReturn, ReturnForQueriesOnly,
        // The index and the default do not go together.
        NoIndexIsFine, NoIndexIsForGood, LazyIsRefused, LazyNeverExpires, LazyIsForGood, ConsistentIndexLags,

        /// Who looks finds the item of another partition where the own one has none.
        LooksInAllPartitions,
        /// Settings are those of the account.
        SharesSettings,
        /// The settings that a client is shown are wrong.
        ShowsDefault(TtlSetting),
        /// A container that is created under the name of a deleted one has this of it.
        DeletionKeeps(KeptOfContainer),
        /// A path of a patch other than set and remove takes any `ttl`.
        OperationTakesAnything,
        /// A condition compares with the etag of an expired item.
        ConditionSeesExpired,
        /// Partition and id are one text, with this between them.
        KeysAreJoined(&'static str),
        IdsAreAlike(Likeness),
        // Pages do not add up.
        PagesCountVisible, EmptyPageIsTheLast, PagesFollowWrites, PagesHoldOneMore,
    }

    /// Where a setting is.
    On { Container, Item }

    /// What goes wrong: everything, or only what is done in one way. A request and an operation go by their
    /// [`word`](Request::word), and removal by `removal`.
    #[derive(Default)]
    Path {
        #[default] Any,
        By(&'static str), ByConditional(&'static str), Conditional, InBatch(&'static str), AnyWriteInBatch,
    }

    /// Which values.
    Given {
        Anything, Missing,
        /// This text.
        Is(&'static str),
        /// A text that starts so.
        Starts(&'static str),
        Zero,
        /// 0 with a fraction or an exponent.
        ZeroAsFraction,
        BelowMinusOne,
        /// A whole number below -1 with a fraction or an exponent.
        BelowAsFraction,
        AboveMaximum,
        /// The same, but not more than a float holds, with a fraction or an exponent.
        AboveAsFraction,
        /// More than a float holds.
        Infinite,
        Fraction, WholeFraction, Truth,
    }

    /// The traces that a refused write leaves.
    Leftover {
        /// All that it was to store.
        Content,
        /// The other properties of a patch.
        RestOfPatch,
        /// A restarted count.
        Restart,
        /// Nothing, not even the item that was there.
        Nothing,
    }

    /// The events that must change no item.
    Event { RefusedSettings, SecondCreation, NewSettings }

    /// The change of every item, or of the default.
    Effect { RestartsAll, LosesItems, SwitchesOff, DropsDefault }

    /// How the settings or the table are misread.
    Reading {
        /// Off lets an item's own `ttl` count.
        OffHonoursOwn,
        /// Where neither says anything, the life has no length.
        OffIsNoTime,
        /// `defaultTtl` -1 is off.
        MinusOneIsOff,
        /// `defaultTtl` -1 is inherited as a number of seconds.
        MinusOneIsASecond,
        /// An item's -1 is none.
        MinusOneInherits,
        OnlyOwn, DefaultWins, Shorter,
        // A life without end is -1 as an unsigned number of 32 bits.
        OffEnds, OwnMinusOneEnds, DefaultMinusOneEnds,
        /// The settings of the creation, and those before the last change.
        FirstSettings, PreviousSettings,
    }

    /// What an aborted batch does not take back.
    Kept { Creates, Deletes }

    /// What no patch can do.
    Impossible { Ts, Absent }

    /// What of a deleted container is left.
    KeptOfContainer { Default, Items }
    /// Which ids are taken for one another.
    Likeness {
        /// As a form in a URL would spell them.
        Decoded,
        /// In their first 255 characters.
        Cut,
        /// In the lower 16 bits of each character.
        Narrow,
        /// In all but the blanks around them.
        Trimmed,
    }

    /// The part of the expired item that the new item in its place keeps.
    KeptPart { Content, Etag }
}

/// -1 as an unsigned number of 32 bits.
const BITS_32: i128 = 4_294_967_295;

/// A store with one fault; without one, a control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FaultyStore {
    /// The name of the mutant or the control that it is, if it goes by that.
    pub name: Option<&'static str>,
    /// The store upon which the fault is put.
    pub store: IndependentStore,
    /// The fault.
    pub mutation: Option<Mutation>,
    /// Where it shows.
    pub path: Path,
}

impl FaultyStore {
    /// The same store, removing at other times.
    #[must_use]
    pub fn removing(self, background: Background) -> Self {
        Self { store: IndependentStore { background, ..self.store }, ..self }
    }

    /// Opens a session whose clock can also be set.
    pub fn session(self) -> IndependentSession<Faulty> {
        self.store.session_by(Faulty { mutation: self.mutation, path: self.path, memory: Memory::default() })
    }

    /// Opens a session with several containers, whose clock can also be set.
    pub fn account(self) -> IndependentAccount<Faulty> {
        IndependentAccount::of(self.session())
    }
}

impl From<IndependentStore> for FaultyStore {
    fn from(store: IndependentStore) -> Self {
        Self { store, ..Self::default() }
    }
}

impl Target for FaultyStore {
    fn about(&self) -> About {
        let about = self.store.about();
        About { name: self.name.map_or(about.name, |name| format!("mutant:{name}")), ..about }
    }

    fn offers(&self) -> BTreeSet<Part> {
        Part::optional()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(self.account()))
    }
}

/// Answers one question otherwise than the clauses do.
#[derive(Clone, Debug, Default)]
pub struct Faulty {
    mutation: Option<Mutation>,
    path: Path,
    memory: Memory,
}

impl Faulty {
    /// The mutation, if it concerns what is being done.
    fn mistake(&self) -> Option<Mutation> {
        self.mutation.filter(|_| self.path.covers(self.memory.doing))
    }
}

/// What a mutation may have to remember, and a right store need not.
#[derive(Clone, Debug, Default)]
struct Memory {
    doing: Doing,
    /// How many operations the batch under way had before.
    place: i128,
    /// All that the container had, since its creation.
    settings: Vec<TtlSetting>,
    on_since: i128,
    changed: i128,
    was_lazy: bool,
    /// The items that clients deleted, that were overwritten once expired, that the background removed, or that it will
    /// remove the next time: whichever of them the mutation needs.
    gone: Vec<StoredItem>,
    /// About the stored items, by the numbers of their last writes.
    notes: BTreeMap<u64, Note>,
}

/// What is being done, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Doing {
    word: &'static str,
    is_in_batch: bool,
    is_conditional: bool,
}

/// The history of an item.
#[derive(Clone, Copy, Debug, Default)]
struct Note {
    created: i128,
    /// The container's setting at the last write, and how that was done.
    default: TtlSetting,
    by: Doing,
    /// It had expired when settings changed.
    was_expired: bool,
    /// Its `ttl` was asleep once.
    slept: bool,
}

impl Doing {
    fn is_query(self) -> bool {
        matches!(self.word, "query" | "list" | "count")
    }
}

impl Path {
    /// Who takes it, in words.
    pub(crate) fn words(self) -> String {
        match self {
            Self::Any => "store".to_owned(),
            Self::By(word) => word.to_owned(),
            Self::ByConditional(word) => format!("conditional {word}"),
            Self::Conditional => "conditional write".to_owned(),
            Self::InBatch(word) => format!("{word} in a batch"),
            Self::AnyWriteInBatch => "write in a batch".to_owned(),
        }
    }

    fn covers(self, doing: Doing) -> bool {
        match self {
            Self::Any => true,
            Self::By(word) => doing.word == word,
            Self::ByConditional(word) => doing.word == word && doing.is_conditional,
            Self::Conditional => doing.is_conditional,
            Self::InBatch(word) => doing.word == word && doing.is_in_batch,
            Self::AnyWriteInBatch => doing.is_in_batch && doing.word != "read",
        }
    }
}

/// The word of a request; of a query of another shape the part of it that most stores treat apart.
fn word(request: &Request) -> &'static str {
    match request {
        Request::Select(select) if select.across => "query across partitions",
        Request::Select(select) if select.count => "count with a filter",
        Request::Select(select) if select.distinct => "query for distinct values",
        Request::Select(select) if select.values.is_some() => "query for a property",
        Request::Select(select) if select.offset.is_some() || select.limit.is_some() => "query with a limit",
        Request::Select(select) if select.order_by.is_some() => "query in an order",
        Request::Select(select) if select.filter.contains_key("id") => "query by id",
        Request::Select(_) => "query with a filter",
        request => request.word(),
    }
}

/// The word of an operation, or that of the first of a patch that is not set and remove.
fn word_of(operation: &Operation) -> &'static str {
    match operation {
        Operation::Patch(Patch { operations, .. }, _) => match operations.first() {
            Some(PatchOperation::Add { .. }) => "patch that adds",
            Some(PatchOperation::Replace { .. }) => "patch that replaces",
            Some(PatchOperation::Incr { .. }) => "patch that increments",
            Some(PatchOperation::Move { .. }) => "patch that moves",
            _ => operation.word(),
        },
        _ => operation.word(),
    }
}

type FaultySession = IndependentSession<Faulty>;

impl Rules for Faulty {
    fn answer(store: &mut FaultySession, request: &Request, options: &RequestOptions) -> Response {
        let is_in_batch = matches!(request, Request::Batch(_));
        store.rules.memory.doing = Doing { word: word(request), is_in_batch, is_conditional: false };
        store.rules.memory.place = 0;
        let before = request.container().map(|container| (container, store.clone()));
        let kept = matches!(request, Request::DeleteContainer).then(|| (store.items.clone(), store.default));
        let mut response = store.answer(request, options);
        match (store.rules.mutation, kept) {
            (Some(M::DeletionKeeps(KeptOfContainer::Items)), Some((items, _))) => store.items = items,
            (Some(M::DeletionKeeps(KeptOfContainer::Default)), Some((_, default))) => {
                store.rules.memory.settings.push(default);
            }
            (Some(M::DeletionKeeps(KeptOfContainer::Default)), None)
                if matches!(request, Request::CreateContainer(Container { default_ttl: None, .. })) =>
            {
                store.default = store.rules.memory.settings.last().copied().unwrap_or_default();
            }
            (Some(M::ShowsDefault(wrong)), _) => {
                if let Body::Container { default_ttl } = &mut response.body
                    && store.rules.mistake().is_some()
                {
                    *default_ttl = shown_setting(wrong);
                }
            }
            _ => {}
        }
        if let Some((container, before)) = before {
            store.after_settings(&before, container, &response);
        }
        match (&mut response.body, store.rules.mistake()) {
            (Body::Count(count), _) => *count = store.miscounted(*count),
            (Body::Ids(ids), Some(M::SeesFirst(most))) => ids.truncate(most),
            _ => {}
        }
        if store.rules.mistake() == Some(M::Restarts)
            && store.rules.memory.doing.is_query()
            && options.page.is_none()
        {
            let seen: Vec<_> = store.seen().iter().map(|item| item.tag).collect();
            store.restart(|item| seen.contains(&item.tag));
        }
        response
    }

    fn operate(store: &mut FaultySession, operation: &Operation) -> Result<Response, Status> {
        let doing = &mut store.rules.memory.doing;
        let is_conditional = operation.etag().is_some()
            || store.options.if_match.is_some()
            || store.options.if_none_match.is_some();
        (doing.word, doing.is_conditional) = (word_of(operation), is_conditional);
        store.answered_wrongly(operation)?;
        let id = operation.id();
        let found = Self::find(store, id).cloned();
        if store.rules.mistake() == Some(M::ConditionSeesExpired) && found.is_none() {
            let hidden = store.stored().find(|item| item.id == id).map(StoredItem::etag);
            match operation {
                Operation::Create(_) if hidden.is_some() && store.options.if_none_match.is_some() => {
                    return Err(Status::PreconditionFailed);
                }
                Operation::Read(_) if hidden.is_some() && hidden == store.options.if_none_match => {
                    return Ok(Response::new(Status::NotModified));
                }
                _ => {}
            }
        }
        if store.rules.mistake() == Some(M::NoConditions) {
            store.options.if_match = None;
        }
        let answer = match (store.rules.mutation, &found) {
            (Some(M::NoConditions), Some(item))
                if operation.etag().is_some() && store.rules.mistake().is_some() =>
            {
                let mut fulfilled = operation.clone();
                fulfilled.require(item.etag());
                store.operate(&fulfilled)
            }
            (Some(M::TwoRefusalsAreAnError), _) => {
                let mut other = store.clone();
                other.choices.item_before_value = Pick::Other;
                match (store.operate(operation), other.operate(operation)) {
                    (Err(one), Err(other)) if one != other => Err(Status::Other(500)),
                    (answer, _) => answer,
                }
            }
            _ => store.operate(operation),
        };
        let mistake = store.rules.mistake();
        let memory = &mut store.rules.memory;
        memory.place += 1;
        match (mistake, operation, &answer) {
            (Some(M::Leaves(wrongly, trace)), _, Err(status)) if *status == wrongly => {
                store.leave(trace, wrongly, operation);
            }
            (Some(M::Restarts), Operation::Read(_), Ok(_)) => {
                let tag = found.map(|item| item.tag);
                store.restart(|item| Some(item.tag) == tag);
            }
            (Some(M::DeletedReturn | M::TsOfDeletedReturns), Operation::Delete(..), Ok(_)) => {
                memory.gone.extend(found);
            }
            (Some(M::OverwrittenReturn | M::DeletedReturnOnDelete), Operation::Delete(..), Ok(_)) => {
                let is_back = |item: &mut StoredItem| found.iter().any(|found| found.is_as(item));
                let back: Vec<_> = memory.gone.extract_if(.., is_back).collect();
                if mistake == Some(M::DeletedReturnOnDelete) && back.is_empty() {
                    memory.gone.extend(found);
                }
                store.items.extend(back);
            }
            (Some(M::SubtractsRefusedDeletes), Operation::Delete(..), Err(_)) => {
                let refused: Vec<_> = store.stored().filter(|item| item.id == id).cloned().collect();
                store.rules.memory.gone.extend(refused);
            }
            _ => {}
        }
        answer
    }

    fn replaces(
        store: &mut FaultySession,
        operation: &Operation,
        old: Option<StoredItem>,
        item: &mut StoredItem,
    ) {
        let living = old.as_ref().filter(|old| !Self::is_expired(store, old));
        let note = Note {
            created: living.map_or(store.now, |old| store.note(old).created),
            default: store.default,
            by: store.rules.memory.doing,
            ..Note::default()
        };
        store.rules.memory.notes.insert(item.tag, note);
        let Some(mutation) = store.rules.mistake() else { return };
        let ttl = |properties: &Properties| properties.get("ttl").cloned();
        let (own, before) = (ttl(&item.properties), living.and_then(|old| ttl(&old.properties)));
        match (mutation, living, old.as_ref()) {
            (M::WritesDefaultBack, ..) if own.is_none() => {
                let default = seconds(store.default).and_then(|seconds| i64::try_from(seconds).ok());
                item.properties.extend(default.map(|seconds| ("ttl".into(), seconds.into())));
            }
            (M::KeepsTtl, ..) if own.is_none() => {
                item.properties.extend(before.map(|ttl| ("ttl".into(), ttl)));
            }
            (M::NewTtlCountsFromOldTs, Some(old), _) if own != before => item.written = old.written,
            (M::NoRestart, Some(old), _) => item.written = old.written,
            (M::NoRestartIfIdentical, Some(old), _) if old.properties == item.properties => {
                item.written = old.written;
            }
            (M::TakesTs, ..) => {
                let told = operation.properties().and_then(|properties| properties.get("_ts"));
                let told = told.and_then(|ts| whole(ts.as_str(), false));
                item.written = told.unwrap_or(item.written);
            }
            (M::BatchSpreads, ..) => item.written += store.rules.memory.place,
            (M::Reborn(kept), None, Some(old)) => match kept {
                KeptPart::Etag => item.tag = old.tag,
                KeptPart::Content => {
                    for (name, value) in old.properties.clone() {
                        item.properties.entry(name).or_insert(value);
                    }
                }
            },
            (M::CountsOverwritten | M::OverwrittenReturn, None, Some(old)) => {
                store.rules.memory.gone.push(old.clone());
            }
            (M::TsOfDeletedReturns, _, None) => {
                let deleted = store.rules.memory.gone.iter().find(|deleted| deleted.is_as(item));
                item.written = deleted.map_or(item.written, |deleted| deleted.written);
            }
            _ => {}
        }
    }

    fn most_operations(store: &FaultySession) -> usize {
        if store.rules.mutation == Some(M::AnyBatch) { usize::MAX } else { MOST_OPERATIONS }
    }

    fn undo(store: &mut FaultySession, before: FaultySession) {
        let after = std::mem::replace(store, before);
        let Some(M::AbortKeeps(kept)) = store.rules.mutation else { return };
        let was = |item: &StoredItem| store.items.iter().any(|one| one.is_as(item));
        match kept {
            Kept::Creates => {
                let created: Vec<_> = after.items.into_iter().filter(|item| !was(item)).collect();
                store.items.extend(created);
            }
            Kept::Deletes => store.items.retain(|item| after.items.iter().any(|after| after.is_as(item))),
        }
    }

    fn sweep(store: &mut FaultySession) {
        store.rules.memory.doing = Doing { word: "removal", ..Doing::default() };
        let is_over = |item: &&StoredItem| Self::is_expired(store, item);
        let expired: Vec<_> = store.items.iter().filter(is_over).cloned().collect();
        let is_expired = |item: &StoredItem| expired.iter().any(|one| one.tag == item.tag);
        match store.rules.mutation {
            Some(wrongly @ (M::SweepTakesPicked | M::SweepTakesPickedIfUnwritten)) => {
                // Removal in two steps, of which the second asks for less than the first.
                let picked = std::mem::take(&mut store.rules.memory.gone);
                let is_same = |one: &StoredItem, item: &StoredItem| {
                    one.is_as(item) && (wrongly == M::SweepTakesPicked || one.tag == item.tag)
                };
                store.items.retain(|item| !picked.iter().any(|one| is_same(one, item)));
                let expired = store.items.iter().filter(|item| is_expired(item));
                store.rules.memory.gone = expired.cloned().collect();
                return;
            }
            Some(M::SweepTakesLongerIds) => store.items.retain(|item| {
                !expired.iter().any(|one| item.partition == one.partition && item.id.starts_with(&one.id))
            }),
            _ => store.items.retain(|item| !is_expired(item)),
        }
        match store.rules.mutation {
            Some(M::SweepTakesYoungest) if !expired.is_empty() => drop(store.items.pop()),
            Some(M::RemovedReturn | M::SweptAnswersGone) => {
                store.rules.memory.gone.extend(expired);
            }
            _ => {}
        }
    }

    fn asked(store: &FaultySession, container: &Container) -> Result<TtlSetting, Status> {
        let is_creation = store.rules.memory.doing.word == "create-container";
        let indexed = Container { indexing: Indexing::Consistent, ..container.clone() };
        let default = match (store.rules.mutation, &container.default_ttl) {
            (Some(M::Takes(On::Container, Given::Missing, taken)), None) => taken,
            (Some(M::KeepsDefault(Given::Missing)), None) => store.default,
            _ => store.asked(&indexed)?,
        };
        let is_on = default != Absent;
        let is_refused = match (store.rules.mistake(), container.indexing) {
            (Some(M::NoIndexIsFine), Indexing::None) => false,
            (Some(M::NoIndexIsForGood), Indexing::Consistent) => {
                is_on && store.indexing == Indexing::None && !is_creation
            }
            (Some(M::LazyIsRefused), Indexing::Lazy) | (_, Indexing::None) => is_on,
            _ => store.asked(container).is_err(),
        };
        match store.rules.mutation {
            _ if is_refused => Err(Status::BadRequest),
            Some(M::SettlesAfter(most)) if store.rules.memory.settings.len() > most => Ok(store.default),
            Some(M::MinusOneKeepsDefault) if default == Never && seconds(store.default).is_some() => {
                Ok(store.default)
            }
            _ => Ok(default),
        }
    }

    fn can_patch(store: &FaultySession, patch: &Patch) -> bool {
        let mut possible = patch.clone();
        match store.rules.mutation {
            Some(M::Patches(Impossible::Ts)) => drop(possible.set.remove("_ts")),
            Some(M::Patches(Impossible::Absent)) => possible.remove.clear(),
            _ => {}
        }
        store.can_patch(&possible)
    }

    fn setting(store: &FaultySession, at: Place<'_>, text: &str) -> Result<TtlSetting, Status> {
        let on = if at == Place::Container { On::Container } else { On::Item };
        // What is stored already was taken by whatever takes it.
        let is_stored = matches!(at, Place::Stored(_));
        let mistake = if is_stored { store.rules.mutation } else { store.rules.mistake() };
        match mistake {
            Some(M::Takes(wrongly, given, taken)) if wrongly == on && given.is(text) => Ok(taken),
            Some(M::Guesses(wrongly, given)) if wrongly == on && given.is(text) => Ok(match guess(text) {
                -1 => Never,
                seconds => Seconds(seconds),
            }),
            Some(M::OperationTakesAnything) if on == On::Item && !is_stored => {
                Ok(store.setting(at, text).unwrap_or_default())
            }
            Some(M::KeepsDefault(given)) if on == On::Container && given.is(text) => Ok(store.default),
            Some(M::Refuses(wrongly, given)) if wrongly == on && !is_stored && given.is(text) => {
                Err(Status::BadRequest)
            }
            Some(M::InvalidWhileOffIsAnError) if on == On::Item && store.default == Absent => {
                store.setting(at, text).map_err(|_| Status::Other(500))
            }
            _ => store.setting(at, text),
        }
    }

    fn shares_settings(store: &FaultySession) -> bool {
        store.rules.mutation == Some(M::SharesSettings)
    }

    fn ttl<'p>(store: &FaultySession, properties: &'p Properties) -> Option<&'p Literal> {
        match store.rules.mutation {
            Some(M::Alias(alias)) => properties.get("ttl").or_else(|| properties.get(alias)),
            _ => properties.get("ttl"),
        }
    }

    fn life(store: &FaultySession, default: TtlSetting, own: TtlSetting) -> Option<i128> {
        let Some(M::Misreads(reading)) = store.rules.mistake() else { return life(default, own) };
        match (reading, default, own) {
            (Reading::OffHonoursOwn, Absent, Seconds(own)) => Some(own),
            (Reading::OffIsNoTime, Absent, Absent) => Some(0),
            (Reading::MinusOneIsASecond, Never, Absent) => Some(-1),
            (Reading::MinusOneInherits, _, Never) | (Reading::DefaultWins, Seconds(_), Seconds(_)) => {
                life(default, Absent)
            }
            (Reading::MinusOneIsOff, Never, _) | (Reading::OnlyOwn, _, Absent) => None,
            (Reading::Shorter, Seconds(default), Seconds(own)) => Some(default.min(own)),
            (Reading::OffEnds, Absent, _)
            | (Reading::OwnMinusOneEnds, Never | Seconds(_), Never)
            | (Reading::DefaultMinusOneEnds, Never, Absent) => Some(BITS_32),
            _ => life(default, own),
        }
    }

    fn deadline(store: &FaultySession, item: &StoredItem) -> Option<i128> {
        let (note, said) = (store.note(item), store.said(item));
        let own = match store.rules.mutation {
            Some(M::DormantTtlIsForgotten) if note.slept => Absent,
            _ => said,
        };
        if let Some(M::Endless(part)) = store.rules.mutation
            && item.id.contains(part)
        {
            return None;
        }
        let is_older = |age| store.rules.memory.changed - item.written >= age;
        let default = match store.rules.mutation {
            Some(M::DefaultAtWriteIfOlder(age)) if is_older(age) => note.default,
            _ => store.default_of(note),
        };
        let life = Self::life(store, default, own)?;
        Some(match store.rules.mistake() {
            Some(M::Sees(late)) => item.written + life + late,
            Some(M::CountsFromCreation) => note.created + life,
            Some(M::CountsFromWaking) if said != Absent => {
                item.written.max(store.rules.memory.on_since) + life
            }
            Some(M::Milliseconds) => item.written + life.div_euclid(1_000),
            Some(M::DeadlineWrapsUnsigned) => (item.written + life).rem_euclid(1 << 32),
            _ => item.written + life,
        })
    }

    fn is_expired(store: &FaultySession, item: &StoredItem) -> bool {
        let Memory { doing, settings, changed, .. } = &store.rules.memory;
        let is_hidden = match store.rules.mutation {
            Some(M::ConsistentIndexLags) => {
                doing.is_query() && settings.iter().any(|setting| *setting != store.default)
            }
            Some(M::ReturnForQueriesOnly) => {
                doing.word != "removal" && !doing.is_query() && store.note(item).was_expired
            }
            Some(M::ChangesHideLate) if settings.len() > 1 && *changed == store.now => {
                let life = Self::life(store, store.default_before, store.said(item));
                return life.is_some_and(|life| item.written + life <= store.now) && store.is_expired(item);
            }
            _ => false,
        };
        is_hidden || store.is_expired(item)
    }

    fn is_meant(store: &FaultySession, item: &StoredItem, id: &str) -> bool {
        let joined = |partition: &Option<PartitionKey>, sign: &str, id: &str| {
            partition.as_deref().unwrap_or(DEFAULT_PARTITION).to_owned() + sign + id
        };
        match store.rules.mutation {
            Some(M::KeysAreJoined(sign)) => {
                joined(&item.partition, sign, &item.id) == joined(&store.options.partition, sign, id)
            }
            Some(M::IdsAreAlike(like)) => {
                item.partition == store.options.partition && like.of(&item.id) == like.of(id)
            }
            _ => item.id == id && item.partition == store.options.partition,
        }
    }

    fn find<'s>(store: &'s FaultySession, id: &str) -> Option<&'s StoredItem> {
        match store.rules.mistake() {
            Some(M::LooksInAllPartitions) => {
                let elsewhere = |item: &&StoredItem| item.id == id && !Self::is_expired(store, item);
                store.find(id).or_else(|| store.items.iter().find(elsewhere))
            }
            _ => store.find(id),
        }
    }

    fn show(store: &FaultySession, status: Status, item: &StoredItem) -> Response {
        let mut response = shown(status, item);
        let Body::Item(shown) = &mut response.body else { return response };
        match store.rules.mutation {
            Some(M::ShowsTtlWithFraction) => {
                let ttl = shown.document.properties.get_mut("ttl");
                if let Some((ttl, written)) =
                    ttl.and_then(|ttl| Literal::parse(&format!("{ttl}.0")).ok().map(|with| (ttl, with)))
                {
                    *ttl = written;
                }
            }
            Some(M::ShowsTsInMinutes) => shown.ts = shown.ts.map(|ts| ts / 60),
            Some(M::HidesOldParts) => {
                let age = store.now - item.written;
                let nested = |value: &Literal| Some(guess(value.as_str().split_once("\"ttl\"")?.1));
                let is_old = |ttl: i128| 0 <= ttl && ttl <= age;
                shown.document.properties.retain(|_, value| !nested(value).is_some_and(is_old));
            }
            _ => {}
        }
        response
    }

    fn page(store: &FaultySession, seen: &[&StoredItem], page: &PageRequest) -> Response {
        match store.rules.mutation {
            Some(M::PagesCountVisible) => page_by_number(seen, page),
            Some(M::PagesHoldOneMore) => {
                store.page(seen, &PageRequest { size: page.size.saturating_add(1), ..page.clone() })
            }
            Some(M::PagesFollowWrites) => {
                let mut moved = store.clone();
                moved.items.iter_mut().for_each(|item| item.made = item.tag);
                moved.page(&moved.seen(), page)
            }
            Some(M::EmptyPageIsTheLast) => {
                let mut divided = store.clone();
                divided.choices.pages_of_stored = true;
                let response = divided.page(seen, page);
                let is_empty = response.body == Body::Ids(Vec::new());
                let next = response.continuation.clone().filter(|_| !is_empty);
                response.continued(next)
            }
            _ => store.page(seen, page),
        }
    }
}

/// What mutations do.
impl FaultySession {
    fn note(&self, item: &StoredItem) -> Note {
        self.rules.memory.notes.get(&item.tag).copied().unwrap_or_default()
    }

    fn restart(&mut self, which: impl Fn(&StoredItem) -> bool) {
        let now = self.now;
        self.items.iter_mut().filter(|item| which(item)).for_each(|item| item.written = now);
    }

    /// Remembers new settings, and does what the mutation does after a request about settings.
    fn after_settings(&mut self, before: &Self, container: &Container, response: &Response) {
        let is_creation = self.rules.memory.doing.word == "create-container";
        let event = match response.status.is_success() {
            true => Event::NewSettings,
            false if is_creation && before.exists => Event::SecondCreation,
            false => Event::RefusedSettings,
        };
        match self.rules.mutation {
            Some(M::After(wrongly, effect)) if wrongly == event => match effect {
                Effect::RestartsAll => self.restart(|_| true),
                Effect::LosesItems => self.items.clear(),
                Effect::SwitchesOff => self.default = Absent,
                Effect::DropsDefault => self.default = Never,
            },
            Some(M::RefusedMakesContainer) if is_creation && !before.exists => {
                (self.exists, self.indexing) = (true, container.indexing);
            }
            _ => {}
        }
        if event != Event::NewSettings {
            return;
        }
        for item in &before.items {
            let is_expired = Faulty::is_expired(before, item);
            let note = self.rules.memory.notes.entry(item.tag).or_default();
            note.was_expired |= is_expired;
            note.slept |= before.default == Absent;
        }
        let (now, default, mutation) = (self.now, self.default, self.rules.mutation);
        let memory = &mut self.rules.memory;
        memory.settings.push(default);
        memory.changed = now;
        memory.was_lazy |= before.exists && before.indexing == Indexing::Lazy;
        if !before.exists || before.default == Absent && default != Absent {
            memory.on_since = now;
        }
        let back: Vec<_> = match mutation {
            Some(M::DeletedReturn) if default == Absent => memory.gone.drain(..).collect(),
            // What the background took, and would have been visible by now.
            Some(M::RemovedReturn) => {
                memory.gone.extract_if(.., |item| !Faulty::is_expired(before, item)).collect()
            }
            _ => Vec::new(),
        };
        self.items.extend(back);
    }

    fn miscounted(&self, count: u64) -> u64 {
        let gone = &self.rules.memory.gone;
        match self.rules.mutation {
            Some(M::CountsOverwritten) => count + gone.len() as u64,
            Some(M::SubtractsRefusedDeletes) => {
                let refused = gone.iter().filter(|item| item.partition == self.options.partition);
                count.saturating_sub(refused.count() as u64)
            }
            Some(M::SubtractsExpiredTwice) => {
                let (seen, stored) = (self.seen().len(), self.stored().count());
                (2 * seen).saturating_sub(stored) as u64
            }
            _ => count,
        }
    }

    /// Returns the wrong answer about an expired item that is still stored or was removed, or about `_ts`.
    fn answered_wrongly(&self, operation: &Operation) -> Result<(), Status> {
        let (id, Faulty { path, memory, .. }) = (operation.id(), &self.rules);
        let is_expired =
            || self.items.iter().any(|item| Faulty::is_meant(self, item, id) && self.is_expired(item));
        match (self.rules.mistake(), operation) {
            // A condition has mutants of its own.
            (Some(M::Answers(status)), _)
                if memory.doing.is_conditional == (*path == Path::Conditional) && is_expired() =>
            {
                Err(status)
            }
            (Some(M::SweptAnswersGone), Operation::Read(_))
                if memory.gone.iter().any(|item| Faulty::is_meant(self, item, id)) =>
            {
                Err(Status::Other(410))
            }
            _ => Ok(()),
        }
    }

    /// Leaves the traces of a refused operation.
    fn leave(&mut self, trace: Leftover, status: Status, operation: &Operation) {
        let is_living = self.find(operation.id()).is_some();
        let stored = self.items.iter().find(|item| Faulty::is_meant(self, item, operation.id()));
        let tag = stored.map(|item| item.tag);
        match (trace, operation) {
            (_, Operation::Read(_)) => {}
            (
                Leftover::Content,
                Operation::Create(new) | Operation::Upsert(new) | Operation::Replace(new, _),
            ) => {
                self.write(status, operation, new.properties.clone());
            }
            (Leftover::RestOfPatch, Operation::Patch(patch, _)) => {
                let mut rest = patch.set.clone();
                rest.retain(|name, _| name != "ttl");
                let patched = self.items.iter_mut().filter(|item| Some(item.tag) == tag);
                patched.for_each(|item| item.properties.extend(rest.clone()));
            }
            (Leftover::Restart, _) if is_living || status == Status::NotFound => {
                self.restart(|item| Some(item.tag) == tag);
            }
            (Leftover::Nothing, _) => self.items.retain(|item| Some(item.tag) != tag),
            _ => {}
        }
    }

    /// The default that an item goes by.
    fn default_of(&self, note: Note) -> TtlSetting {
        let (Faulty { path, memory, .. }, then) = (&self.rules, note.default);
        match (self.rules.mutation, seconds(then), seconds(self.default)) {
            (Some(M::DefaultAtWrite), ..) if path.covers(note.by) => then,
            (Some(M::DefaultAtWriteIfLonger), Some(old), Some(new)) if new < old => then,
            (Some(M::DefaultAtWriteIfShorter), Some(old), Some(new)) if old < new => then,
            (Some(M::Misreads(reading)), ..) if path.covers(memory.doing) => {
                let settings = match reading {
                    Reading::FirstSettings => memory.settings.first(),
                    Reading::PreviousSettings => memory.settings.iter().rev().nth(1),
                    _ => None,
                };
                settings.copied().unwrap_or(self.default)
            }
            (Some(M::LazyNeverExpires), ..) if self.indexing == Indexing::Lazy => Absent,
            (Some(M::LazyIsForGood), ..) if memory.was_lazy && self.indexing != Indexing::Lazy => Absent,
            _ => self.default,
        }
    }
}

impl Given {
    fn is(self, text: &str) -> bool {
        let number = whole(text, false);
        let as_fraction = || whole(text, true).filter(|_| number.is_none());
        match self {
            Self::Anything => true,
            Self::Missing => text.is_empty(),
            Self::Zero => number == Some(0),
            Self::Is(given) => text == given,
            Self::Starts(start) => text.starts_with(start),
            Self::ZeroAsFraction => as_fraction() == Some(0),
            Self::BelowAsFraction => as_fraction().is_some_and(|number| number < -1),
            Self::BelowMinusOne => number.is_some_and(|number| number < -1),
            Self::AboveMaximum => number.is_some_and(|number| number > LONGEST),
            Self::AboveAsFraction => {
                as_fraction().is_some_and(|number| (LONGEST + 1..1 << 100).contains(&number))
            }
            // No number in a vector that a float holds is greater.
            Self::Infinite => whole(text, true).is_some_and(|number| number > 1 << 100),
            Self::Fraction => {
                text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) && whole(text, true).is_none()
            }
            Self::WholeFraction => as_fraction().is_some(),
            Self::Truth => text == "true" || text == "false",
        }
    }
}

impl Likeness {
    fn of(self, id: &str) -> String {
        let narrow = |c: char| char::from_u32(u32::from(c) & 0xffff).unwrap_or('?');
        match self {
            Self::Decoded => id.replace('+', " ").replace("%20", " "),
            Self::Cut => id.chars().take(255).collect(),
            Self::Narrow => id.chars().map(narrow).collect(),
            Self::Trimmed => id.trim().to_owned(),
        }
    }
}

/// The first whole number in the text; true is 1.
fn guess(text: &str) -> i128 {
    if text == "true" {
        return 1;
    }
    let number = text.trim_start_matches(|c: char| c != '-' && !c.is_ascii_digit());
    let end = number.find(|c: char| c != '-' && !c.is_ascii_digit()).unwrap_or(number.len());
    whole(number.get(..end).unwrap_or_default(), false).unwrap_or(0)
}

fn seconds(says: TtlSetting) -> Option<i128> {
    match says {
        Seconds(seconds) => Some(seconds),
        Absent | Never => None,
    }
}

/// The page that starts after a number of items: if one of those is gone, the next one moves to the page before.
fn page_by_number(seen: &[&StoredItem], page: &PageRequest) -> Response {
    let from: usize = page.continuation.as_deref().unwrap_or("0").parse().unwrap_or(usize::MAX);
    let size = usize::try_from(page.size.get()).unwrap_or(usize::MAX);
    let to = from.saturating_add(size);
    let next = (to < seen.len()).then(|| to.to_string());
    let ids = seen.iter().skip(from).take(size).map(|item| item.id.clone());
    Response::ids(ids.collect()).continued(next)
}
