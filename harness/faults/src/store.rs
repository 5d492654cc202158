//! The store: one container for each session, kept as a log of versions.
//!
//! A version never changes. What an item is now is its latest version; what a batch did is cut off again if it is
//! aborted. Whether an item is expired is judged at each look, from the latest settings in their history.

mod background;
mod container;
mod items;
mod log;
mod look;
mod slips;

use std::collections::BTreeSet;

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    About, Clock, Edition, Fault, Id, Indexing, Opening, Properties, Removal, Request, Response, Session,
    Status, Target,
};

use self::container::SettingsEntry;
use self::log::{Log, Ttl};
use self::look::Look;
use crate::freedom::{FeedOrder, Freedom, Lazy, Numbers, RemovalTime, USUAL, Unindexed};
use crate::mistake::{Access, Misfeed, Mistake, Path};

/// For how many seconds a lazy index is rebuilt.
const REBUILD_S: i128 = 2;
/// How many queries a lazy index misses, if it counts queries.
const REBUILD_QUERIES: u32 = 3;

/// A store as a target: correct, or with one mistake.
#[derive(Clone, Copy, Debug)]
pub struct LogStore {
    /// Its name.
    pub name: &'static str,
    /// How it uses its freedom.
    pub freedom: Freedom,
    /// Its mistake, if it has one.
    pub mistake: Option<Mistake>,
}

impl LogStore {
    /// The correct store with the usual choices.
    pub const CORRECT: Self = Self { name: "correct", freedom: USUAL, mistake: None };
}

impl Target for LogStore {
    fn about(&self) -> About {
        let scheduled = self.freedom.background == RemovalTime::Scheduled;
        let timers = matches!(self.mistake, Some(Mistake::Timers(_)));
        About {
            name: self.name.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            clock: Clock::Virtual,
            editions: self.freedom.editions.to_vec(),
            removals: if scheduled && !timers {
                vec![Removal::Never, Removal::Eager, Removal::Alternate]
            } else {
                Vec::new()
            },
        }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(Room {
            freedom: self.freedom,
            mistake: self.mistake,
            is_of_2020: opening.edition == Edition::Y2020,
            removal: opening.removal,
            now: self.freedom.start.into(),
            history: Vec::new(),
            log: Log::default(),
            timers: BTreeSet::new(),
            found: Vec::new(),
            rebuild: None,
            swept: self.freedom.start.into(),
            etags: 0,
            turn: 0,
        }))
    }
}

/// A lazy index that is rebuilt.
#[derive(Clone, Copy, Debug)]
struct Rebuild {
    since: i128,
    queries: u32,
    before: Ttl,
}

/// One session: a container, its items and its clock.
#[derive(Clone, Debug)]
struct Room {
    freedom: Freedom,
    mistake: Option<Mistake>,
    is_of_2020: bool,
    removal: Option<Removal>,
    now: i128,
    history: Vec<SettingsEntry>,
    log: Log,
    timers: BTreeSet<(i128, Id)>,
    /// What the last sweep found, for a sweep that goes wrong.
    found: Vec<Id>,
    rebuild: Option<Rebuild>,
    swept: i128,
    etags: u64,
    turn: u64,
}

impl Session for Room {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.refuse_unsupported(request)?;
        self.turn += 1;
        let own_schedule = self.freedom.background;
        match (own_schedule, self.removal) {
            (RemovalTime::EachRequest, _) => self.sweep(usize::MAX),
            (RemovalTime::OneAtATime, _) => self.sweep(1),
            (_, Some(Removal::Alternate)) if self.turn.is_multiple_of(2) => self.sweep(usize::MAX),
            _ => {}
        }
        let response = self.answer(request);
        if own_schedule == RemovalTime::OnAccess {
            for operation in request.operations() {
                if self.is_expired(operation.id(), Path::whole(Access::Sweep)) {
                    self.remove(operation.id());
                }
            }
        }
        self.fire_timers();
        if self.removal == Some(Removal::Eager) {
            self.sweep(usize::MAX);
        }
        Ok(if self.freedom.talks { response.with_detail("so it is") } else { response })
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.now += i128::from(seconds);
        self.fire_timers();
        if let RemovalTime::Every(period) = self.freedom.background
            && self.now - self.swept >= period.into()
        {
            self.swept = self.now;
            self.sweep(usize::MAX);
        }
        if self.removal == Some(Removal::Eager) {
            self.sweep(usize::MAX);
        }
        Ok(())
    }

    fn purge(&mut self) -> Result<(), Fault> {
        self.sweep(usize::MAX);
        Ok(())
    }
}

impl Room {
    fn refuse_unsupported(&self, request: &Request) -> Result<(), Fault> {
        let refused = |word: &str| self.freedom.unsupported.contains(&word);
        let words = request.operations().iter().map(cosmos_ttl_harness::target::Operation::word);
        if let Some(word) = words.chain([request.word()]).find(|word| refused(word)) {
            return Err(Fault::Unsupported(format!("no {word}")));
        }
        let conditional = request.operations().iter().any(|operation| operation.etag().is_some());
        if conditional && refused("if-match") {
            return Err(Fault::Unsupported("no conditions".into()));
        }
        let indexing = request.container().map(|container| container.indexing);
        if indexing == Some(Indexing::Lazy) && self.freedom.lazy == Lazy::Unsupported
            || indexing == Some(Indexing::None) && refused("unindexed")
        {
            return Err(Fault::Unsupported("no such indexing".into()));
        }
        let unindexed = self.settings().is_some_and(|settings| settings.indexing == Indexing::None);
        let is_query = matches!(request, Request::Query | Request::Count);
        if unindexed && is_query && self.freedom.unindexed == Unindexed::Unsupported {
            return Err(Fault::Unsupported("no queries without an index".into()));
        }
        Ok(())
    }

    fn answer(&mut self, request: &Request) -> Response {
        match request {
            Request::CreateContainer(container) => Response::new(self.create_container(container)),
            Request::ReplaceContainer(container) => Response::new(self.replace_container(container)),
            _ if self.history.is_empty() => Response::new(Status::NotFound),
            Request::Item(operation) => self.operate(operation, false).unwrap_or_else(Response::new),
            Request::Batch(operations) => self.batch(operations),
            Request::Query => self.feed(Access::Query).map_or_else(Response::new, Response::ids),
            Request::List => self.feed(Access::List).map_or_else(Response::new, Response::ids),
            Request::Count => {
                let found = self.feed(Access::Count);
                let count = found.map(|found| u64::try_from(found.len()).unwrap_or(u64::MAX));
                count.map_or_else(Response::new, Response::count)
            }
        }
    }

    /// Returns the ids of the items that a query finds.
    fn feed(&mut self, access: Access) -> Result<Vec<Id>, Status> {
        let Some(settings) = self.settings() else { return Err(Status::NotFound) };
        if access != Access::List && settings.indexing == Indexing::None {
            match self.freedom.unindexed {
                Unindexed::Refuses => return Err(Status::BadRequest),
                Unindexed::Empty => return Ok(Vec::new()),
                Unindexed::Scans | Unindexed::Unsupported => {}
            }
        }
        let rebuild = self.rebuilding(access, settings.indexing);
        if matches!((rebuild, self.freedom.lazy), (Some(_), Lazy::Empty | Lazy::EmptyThrice)) {
            return Ok(Vec::new());
        }
        let path = Path::whole(access);
        let mut found = Vec::new();
        let mut hidden = Vec::new();
        for version in self.log.items() {
            let Some(held) = &version.held else { continue };
            let stale = rebuild.filter(|_| self.freedom.lazy == Lazy::Stale);
            let expired = match stale {
                Some(before) => Look::new(self.now, before, held.own, held.ts).is_expired(),
                None => self.look(version, path).is_some_and(|look| look.is_expired()),
            };
            let counted =
                access == Access::Count && self.freedom.expired_counted.other(&version.id, self.turn);
            let entry = (version.id.clone(), held.ts);
            if expired && !counted { hidden.push(entry) } else { found.push(entry) }
        }
        if rebuild.is_some() && self.freedom.lazy == Lazy::Half {
            found = found.into_iter().step_by(2).collect();
        }
        if let Some(Mistake::Feed(places, how)) = self.mistake
            && places.holds(path)
        {
            found = misfed(how, found, &hidden);
        }
        let mut ids: Vec<Id> = found.into_iter().map(|(id, _)| id).collect();
        match self.freedom.feed {
            FeedOrder::Backwards => ids.reverse(),
            FeedOrder::Newest => ids.sort_by_key(|id| std::cmp::Reverse(self.log.number(id))),
            FeedOrder::Rotating if !ids.is_empty() => {
                let by = usize::try_from(self.turn).unwrap_or(0) % ids.len();
                ids.rotate_left(by);
            }
            FeedOrder::ById | FeedOrder::Rotating => {}
        }
        Ok(ids)
    }

    /// Returns the default before the change after which a lazy index is being rebuilt.
    fn rebuilding(&mut self, access: Access, indexing: Indexing) -> Option<Ttl> {
        if indexing != Indexing::Lazy || access == Access::List {
            return None;
        }
        let now = self.now;
        let lazy = self.freedom.lazy;
        let rebuild = self.rebuild.as_mut()?;
        rebuild.queries += 1;
        let is_on = match lazy {
            Lazy::Complete | Lazy::Refused | Lazy::Unsupported => false,
            Lazy::EmptyThrice => rebuild.queries <= REBUILD_QUERIES,
            Lazy::Empty | Lazy::Half | Lazy::Stale => now < rebuild.since + REBUILD_S,
        };
        is_on.then_some(rebuild.before)
    }
}

/// An item's id and `_ts`.
type Entry = (Id, i128);

/// Returns what is found by a query that goes wrong.
fn misfed(how: Misfeed, found: Vec<Entry>, hidden: &[Entry]) -> Vec<Entry> {
    let unlike = |alike: &dyn Fn(&Entry, &Entry) -> bool| {
        found.iter().filter(|item| !hidden.iter().any(|gone| alike(item, gone))).cloned().collect()
    };
    match how {
        Misfeed::ShortPageEnds(size) => {
            let mut rows: Vec<_> = found.iter().map(|item| (item, true)).collect();
            rows.extend(hidden.iter().map(|item| (item, false)));
            rows.sort();
            let mut kept = Vec::new();
            for page in rows.chunks(size) {
                let living = page.iter().filter(|(_, living)| *living);
                kept.extend(living.clone().map(|(item, _)| (*item).clone()));
                if living.count() < size {
                    break;
                }
            }
            kept
        }
        Misfeed::StopsAtExpired => unlike(&|(id, _), (gone, _)| id > gone),
        Misfeed::Prefix => unlike(&|(id, _), (gone, _)| id.starts_with(gone.as_str())),
        Misfeed::SameTs => unlike(&|(_, ts), (_, gone)| ts == gone),
        Misfeed::Case => unlike(&|(id, _), (gone, _)| id.eq_ignore_ascii_case(gone)),
        Misfeed::Offset => {
            let left = found.len().saturating_sub(hidden.len());
            found.into_iter().take(left).collect()
        }
    }
}

impl Freedom {
    /// Returns properties as the store keeps them.
    fn kept(&self, sent: &Properties) -> Properties {
        let mut kept = sent.clone();
        if self.numbers == Numbers::AsFloats {
            for literal in kept.values_mut() {
                *literal = as_float(literal);
            }
        }
        kept
    }
}

/// Returns a value as a parser keeps it that knows no numbers but floats.
#[expect(
    clippy::cast_possible_truncation,
    clippy::float_cmp,
    reason = "only whole numbers below 2^53 are cast"
)]
fn as_float(literal: &Literal) -> Literal {
    let number = serde_json::from_str::<f64>(literal.as_str()).ok();
    match number {
        Some(whole) if whole.trunc() == whole && whole.abs() < 9e15 => Literal::from(whole as i64),
        Some(other) => Literal::parse(&other.to_string()).unwrap_or_else(|_| literal.clone()),
        None => literal.clone(),
    }
}
