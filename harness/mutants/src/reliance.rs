//! Which rules a log shows at work: those that a client of a store which breaks them would have noticed.
//!
//! The requests of the log are replayed on the independent store and on each mutant, at the seconds of the log, without any
//! removal and with removal at once. Where a mutant answers otherwise, the client has seen the rule that it breaks. The
//! answers of the log say which second it was, and which item, etag or page a request means. An answer whose status is not the
//! right one shows no rule; whether a right store may give it, `judge` says.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_harness::parallel;
use cosmos_ttl_harness::request_log::{LogClock, LoggedExchange, RequestLog};
use cosmos_ttl_harness::target::{
    Body, Container, DEFAULT_PARTITION, Item, Operation, Request, RequestOptions, Response, Session as _,
    Status,
};

use super::choices::Background;
use super::faulty::{Faulty, FaultyStore};
use super::list::{Mutant, mutants};
use super::oracle::{IndependentAccount, START};

/// How much of an answer differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shown {
    /// The status, or what is there.
    Answer,
    /// Nothing but `_ts`, `_etag` or the setting that a container shows, at which few clients look.
    Stamp,
}

/// The first answer of a mutant that is another than that of a right store.
#[derive(Clone, Debug)]
pub struct Sighting {
    /// What differs.
    pub shown: Shown,
    /// The line, counted from 1.
    pub line: usize,
    /// Which of its clauses the client saw is not known if it breaks several.
    pub mutant: &'static Mutant,
    /// The request.
    pub request: Request,
    /// The right answer.
    pub right: Response,
    /// That of the mutant.
    pub wrong: Response,
}

/// What a log shows of the rules.
#[derive(Clone, Debug, Default)]
pub struct Reliance {
    /// The clauses that are at work in it.
    pub clauses: BTreeMap<&'static str, Sighting>,
    /// How many requests were replayed.
    pub replayed: usize,
    /// The lines that cannot be read, counted from 1, and why.
    pub unreadable: Vec<(usize, String)>,
    /// Whether lines that may show more were left out.
    pub is_cut: bool,
    /// The other lines that were not, counted from 1, with the reason.
    pub left_out: Vec<(usize, &'static str)>,
    /// The lines whose answer has another status than that of the independent store.
    pub otherwise: Vec<usize>,
}

const SECOND_US: i64 = 1_000_000;
/// Nothing is removed, or everything at once.
const BACKGROUNDS: [Background; 2] = [Background::Never, Background::Eager];
/// So many mutants are replayed beside one right store.
const AT_ONCE: usize = 40;
/// The stores look through all their items for each request. So many looks are made, and so many bytes replayed, on each.
const MOST_LOOKS: usize = 250_000;
const MOST_BYTES: usize = 4 << 20;
const REFUSED: &str = "refused for a reason that is not about time to live";
const TOO_MUCH: &str = "more than can be replayed in time: make a log for each test";
/// A mutant that breaks at most so many clauses shows each of them.
const TELLING: usize = 2;

/// A request and its time.
#[derive(Debug)]
struct Event {
    /// Of the server's clock, in microseconds of the Unix epoch.
    at_us: i64,
    /// Counted from 0; that of the first line which needs it where the log has no such request.
    line: usize,
    is_logged: bool,
    request: Request,
    options: RequestOptions,
    answer: Option<Response>,
}

/// Returns the rules that a log shows at work: none if no request sends a `defaultTtl` or a `ttl`.
///
/// `settings` are those of containers whose creation is not in the log.
pub fn reliance(log: &RequestLog, settings: Option<&Container>) -> Reliance {
    let mut reliance = Reliance::default();
    let events = events(log, settings, &mut reliance);
    reliance.replayed = events.iter().filter(|event| event.is_logged).count();
    let mut right = Replay::new(FaultyStore::default());
    for event in &events {
        let own = right.ask(event).map(|own| own.status);
        let logged = event.answer.as_ref().filter(|_| event.is_logged).map(|logged| logged.status);
        let differs = own.zip(logged).is_some_and(|(own, logged)| own != logged);
        reliance.otherwise.extend(differs.then_some(event.line + 1));
    }
    if !events.iter().any(|event| event.request.sends_ttl()) {
        return reliance;
    }
    let all: Vec<&'static Mutant> = mutants().collect();
    let parts: Vec<_> =
        all.chunks(AT_ONCE).flat_map(|part| BACKGROUNDS.map(|background| (part, background))).collect();
    let found =
        parallel::map(&parts, |(part, background)| Ok::<_, ()>(sightings(&events, part, *background)));
    let mut found: Vec<Sighting> = found.unwrap_or_default().into_iter().flatten().collect();
    // A mutant that breaks many clauses says little of each, and nothing if another one shows one of them.
    found.sort_by_key(|one| (one.shown, one.mutant.clauses.len(), one.line));
    for one in found {
        let clauses = one.mutant.clauses;
        let is_new = clauses.len() <= TELLING || !clauses.iter().any(|id| reliance.clauses.contains_key(id));
        for id in clauses.iter().filter(|_| is_new) {
            reliance.clauses.entry(id).or_insert_with(|| one.clone());
        }
    }
    reliance
}

/// The first answer of each mutant that differs, in more than a stamp if one does.
fn sightings(events: &[Event], mutants: &[&'static Mutant], background: Background) -> Vec<Sighting> {
    let mut right = Replay::new(FaultyStore::default().removing(background));
    let replay = |mutant: &&'static Mutant| (*mutant, Replay::new(mutant.store().removing(background)), None);
    let mut all: Vec<(_, _, Option<Sighting>)> = mutants.iter().map(replay).collect();
    for event in events {
        let Some(right) = right.ask(event) else { continue };
        for (mutant, store, seen) in &mut all {
            let is_over = seen.as_ref().is_some_and(|seen| seen.shown == Shown::Answer);
            let Some(wrong) = Some(&mut *store).filter(|_| !is_over).and_then(|store| store.ask(event))
            else {
                continue;
            };
            // What the log's own store answers wrongly shows no rule.
            let is_right = event.answer.as_ref().is_none_or(|logged| logged.status == right.status);
            let shown = difference(&right, &wrong).filter(|_| event.is_logged && is_right);
            if let Some(shown) = shown.filter(|shown| seen.as_ref().is_none_or(|seen| *shown < seen.shown)) {
                let (line, request, right) = (event.line + 1, event.request.clone(), right.clone());
                *seen = Some(Sighting { shown, line, mutant, request, right, wrong });
            }
        }
    }
    all.into_iter().filter_map(|(_, _, seen)| seen).collect()
}

fn difference(right: &Response, wrong: &Response) -> Option<Shown> {
    if right == wrong {
        return None;
    }
    let bare = |response: &Response| {
        let mut response = response.clone();
        match &mut response.body {
            Body::Item(item) => (item.ts, item.etag) = (None, None),
            Body::Container { default_ttl } => *default_ttl = None,
            Body::Ids(ids) => ids.sort_unstable(),
            _ => {}
        }
        (response.status, response.body, response.continuation.is_some())
    };
    if bare(right) != bare(wrong) {
        return Some(Shown::Answer);
    }
    // Ids may come in any order.
    (!matches!(right.body, Body::Ids(_))).then_some(Shown::Stamp)
}

/// A store that is asked what the log asked.
struct Replay<'a> {
    account: IndependentAccount<Faulty>,
    /// The etags and pages of the log, by container, as this store calls them.
    names: BTreeMap<(&'a str, &'a str), String>,
}

impl<'a> Replay<'a> {
    fn new(store: FaultyStore) -> Self {
        Self { account: store.account(), names: BTreeMap::new() }
    }

    fn ask(&mut self, event: &'a Event) -> Option<Response> {
        let container = event.options.container.as_deref().unwrap_or_default();
        let own = |name: &String| self.names.get(&(container, name.as_str())).cloned();
        let (mut request, mut options) = (event.request.clone(), event.options.clone());
        for operation in request.operations_mut() {
            if let Some(etag) = operation.etag().and_then(own) {
                operation.require(etag);
            }
        }
        let page = options.page.as_mut().and_then(|page| page.continuation.as_mut());
        for name in [options.if_match.as_mut(), options.if_none_match.as_mut(), page].into_iter().flatten() {
            *name = own(name).unwrap_or_else(|| name.clone());
        }
        self.account.set_clock(event.at_us.div_euclid(SECOND_US));
        let answer = self.account.send_with(&request, &options).ok()?;
        if let Some(logged) = &event.answer {
            let pages = logged.continuation.as_ref().zip(answer.continuation.as_ref());
            for (logged, own) in [etag(logged).zip(etag(&answer)), pages].into_iter().flatten() {
                self.names.insert((container, logged), own.clone());
            }
        }
        Some(answer)
    }
}

fn etag(response: &Response) -> Option<&String> {
    if let Body::Item(item) = &response.body { item.etag.as_ref() } else { None }
}

/// What the log says of one container.
#[derive(Default)]
struct Place {
    lines: Vec<(usize, LoggedExchange)>,
    /// The bounds in microseconds of how far the server's clock is ahead of the writer's.
    ahead: Option<(i64, i64)>,
}

/// The requests of a log in the order of their seconds.
fn events(log: &RequestLog, settings: Option<&Container>, reliance: &mut Reliance) -> Vec<Event> {
    let mut places = BTreeMap::<String, Place>::new();
    let mut bytes = 0_usize;
    for line in (0..log.len()).filter(|line| !log.line(*line).is_empty()) {
        bytes = bytes.saturating_add(log.line(line).len());
        if bytes > MOST_BYTES {
            reliance.left_out.push((line + 1, TOO_MUCH));
            continue;
        }
        let mut one = match LoggedExchange::parse(log.line(line)) {
            Ok(one) => one,
            Err(why) => {
                reliance.unreadable.push((line + 1, why));
                continue;
            }
        };
        let status = one.answer.as_ref().map(|answer| answer.status);
        if matches!(status, Some(Status::TooManyRequests | Status::Other(_))) {
            reliance.left_out.push((line + 1, REFUSED));
            continue;
        }
        for operation in one.request.operations_mut() {
            // Any etag is as good as none.
            if let Operation::Replace(_, etag) | Operation::Patch(_, etag) | Operation::Delete(_, etag) =
                operation
            {
                etag.take_if(|etag| etag == "*");
            }
        }
        let place = places.entry(one.container.clone()).or_default();
        place.learn(&one);
        place.lines.push((line, one));
    }
    let is_exact = places.values().all(Place::is_exact);
    let known_us = places.values().find_map(Place::ahead_us);
    let (mut events, mut looks) = (Vec::new(), 0);
    for (name, place) in places {
        let ahead_us = place.ahead_us().or(known_us).unwrap_or(START.saturating_mul(SECOND_US));
        place.events(&name, ahead_us, settings, &mut events, &mut looks, &mut reliance.left_out);
    }
    // A clock that is turned may go back; its lines stand in the order of their requests.
    events.sort_by_key(|event| (if is_exact { 0 } else { event.at_us }, event.line, event.is_logged));
    reliance.is_cut = reliance.left_out.iter().any(|(_, why)| *why != REFUSED);
    reliance.left_out.sort_unstable();
    events
}

impl Place {
    fn learn(&mut self, one: &LoggedExchange) {
        let (Some(received), Some(Response { body: Body::Item(Item { ts: Some(ts), .. }), .. })) =
            (one.received, &one.answer)
        else {
            return;
        };
        if one.request.operations().iter().all(Operation::is_write) {
            let ts_us = ts.saturating_mul(SECOND_US);
            let least = ts_us.saturating_sub(received.us);
            let most = ts_us.saturating_add(SECOND_US - 1).saturating_sub(one.sent.us);
            self.ahead = Some(self.ahead.map_or((least, most), |(a, b)| (a.max(least), b.min(most))));
        }
    }

    fn ahead_us(&self) -> Option<i64> {
        // Whole seconds of an exact clock are the least.
        self.ahead.map(|(least, most)| if self.is_exact() { least } else { least.midpoint(most) })
    }

    fn is_exact(&self) -> bool {
        self.lines.iter().all(|(_, one)| one.clock == LogClock::Exact)
    }

    fn events(
        self,
        name: &str,
        ahead_us: i64,
        settings: Option<&Container>,
        events: &mut Vec<Event>,
        looks: &mut usize,
        left_out: &mut Vec<(usize, &'static str)>,
    ) {
        let options = |partition: Option<String>| RequestOptions {
            partition: partition.filter(|key| key != DEFAULT_PARTITION),
            container: Some(name.to_owned()),
            ..RequestOptions::default()
        };
        let mut known = BTreeSet::new();
        let first = events.len();
        // The container was there before the log if it answered before it was created, or was never created.
        let succeeds =
            |one: &LoggedExchange| one.answer.as_ref().is_some_and(|answer| answer.status.is_success());
        let creates = |one: &LoggedExchange| matches!(one.request, Request::CreateContainer(_));
        let creation = self.lines.iter().position(|(_, one)| creates(one) && succeeds(one));
        let before = self.lines.get(..creation.unwrap_or(self.lines.len())).unwrap_or_default();
        let was_there = before.iter().any(|(_, one)| succeeds(one));
        let stated = settings.filter(|_| was_there);
        for (number, (line, one)) in self.lines.into_iter().enumerate() {
            if was_there && stated.is_none() && creation.is_none_or(|creation| number < creation) {
                left_out
                    .push((line + 1, "the settings of its container are not known: state `--default-ttl`"));
                continue;
            }
            let looked_at = known.len() + 10;
            let paged = if one.page.is_some() { looked_at } else { 1 };
            let asked = one.request.operations().len().max(paged).saturating_mul(looked_at);
            *looks = looks.saturating_add(asked);
            if *looks > MOST_LOOKS {
                left_out.push((line + 1, TOO_MUCH));
                continue;
            }
            let middle_us = one.sent.us.midpoint(one.received.unwrap_or(one.sent).us);
            let at_us = middle_us.saturating_add(ahead_us);
            // An item that was there before the log begins.
            let ids: Vec<_> =
                one.request.operations().iter().map(|one| (one.id().to_owned(), one.clone())).collect();
            for (id, operation) in ids {
                let is_new = known.insert((one.partition.clone(), id));
                if let (true, true, Some(Body::Item(item))) =
                    (is_new, stated.is_some(), one.answer.as_ref().map(|answer| &answer.body))
                    && !matches!(operation, Operation::Create(_) | Operation::Upsert(_))
                {
                    let is_read = matches!(operation, Operation::Read(_));
                    let shown_us = item.ts.filter(|_| is_read).map(|ts| ts.saturating_mul(SECOND_US));
                    let written_us = shown_us.map_or(at_us, |shown_us| shown_us.min(at_us));
                    let request = Request::Item(Operation::Create(item.document.clone()));
                    let (options, answer) = (options(one.partition.clone()), one.answer.clone());
                    events.push(Event {
                        at_us: written_us,
                        line,
                        is_logged: false,
                        request,
                        options,
                        answer,
                    });
                }
            }
            let LoggedExchange { page, if_match, if_none_match, partition, request, answer, .. } = one;
            let options = RequestOptions { page, if_match, if_none_match, ..options(partition) };
            events.push(Event { at_us, line, is_logged: true, request, options, answer });
        }
        let earliest = events.get(first..).unwrap_or_default().iter().map(|event| event.at_us).min();
        if let (Some(settings), Some(at_us)) = (stated, earliest) {
            let request = Request::CreateContainer(settings.clone());
            let (line, is_logged, options, answer) = (0, false, options(None), None);
            events.insert(first, Event { at_us, line, is_logged, request, options, answer });
        }
    }
}
