//! The lines of one container, in the order in which their requests were sent and answered.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_harness::describe;
use cosmos_ttl_harness::request_log::{LogClock, LogTime, LoggedExchange, MOST_LINE_BYTES, RequestLog};
use cosmos_ttl_harness::target::{Body, Id, Operation, PartitionKey, Request, Status};
use cosmos_ttl_model::choices::OpenChoice;
use cosmos_ttl_model::container::Indexing;
use serde_json::Value;

use super::clock::ServerClock;
use super::guess::{Ask, Made, Told};
use super::item::{Flight, Heard, ItemState, Scope, Shared, alone, item_of};
use super::settings::{Epoch, Timeline, configured};
use super::{
    Effect, Impossible, JudgeOptions, Judgement, LineVerdict, MOST_KEPT, Span, Why, clauses, effect,
    is_change, partition_of,
};

/// The most items of a partition of which a count is judged.
const MOST_COUNTED: usize = 1_000;

/// A line of a container.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Counted from 0.
    pub(super) line: usize,
    pub(super) clock: LogClock,
    pub(super) sent: LogTime,
    pub(super) received: Option<LogTime>,
    /// What a line that cannot be read may be about.
    pub(super) smudge: Option<Smudge>,
    /// It may take effect at any later time.
    pub(super) is_lost: bool,
}

/// What an unreadable line makes unknown until an answer shows it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Smudge {
    Nothing,
    Item(Option<PartitionKey>, Id),
    Partition(Option<PartitionKey>),
    /// Its items and its settings.
    Container,
}

impl Smudge {
    /// Reads as much of an unreadable line as can be read: its container, when it was sent and answered, and what the request may
    /// have changed.
    pub(super) fn read(line: &[u8]) -> (Option<String>, [Option<LogTime>; 2], Self) {
        let fields = Some(line).filter(|line| line.len() <= MOST_LINE_BYTES);
        let Some(Ok(Value::Object(fields))) = fields.map(serde_json::from_slice) else {
            return (None, [None; 2], Self::Container);
        };
        let time = |name: &str| serde_json::from_value(fields.get(name)?.clone()).ok();
        let container = fields.get("container").and_then(Value::as_str).map(str::to_owned);
        let request = match fields.get("request") {
            Some(Value::Object(request)) if request.len() == 1 => request.iter().next(),
            _ => None,
        };
        let partition = match fields.get("partition") {
            None => Some(None),
            Some(key) => key.as_str().map(|key| partition_of(Some(&key.to_owned()))),
        };
        let smudge = match (request.map(|(word, fields)| (word.as_str(), fields)), partition) {
            (
                Some(("read" | "read-container" | "read-many" | "query" | "select" | "list" | "count", _)),
                _,
            ) => Self::Nothing,
            (Some(("create" | "upsert" | "replace" | "patch" | "delete", fields)), Some(partition)) => {
                let id = fields.get("item").unwrap_or(fields).get("id").and_then(Value::as_str);
                id.map_or(Self::Partition(partition.clone()), |id| Self::Item(partition, id.to_owned()))
            }
            (Some(("batch", _)), Some(partition)) => Self::Partition(partition),
            _ => Self::Container,
        };
        (container, ["sent", "received"].map(time), smudge)
    }
}

/// The items of one partition.
#[derive(Debug, Default)]
struct Partition {
    scope: Scope,
    items: BTreeMap<Id, ItemState>,
}

/// One container.
pub(super) struct Place<'a> {
    log: &'a RequestLog,
    name: &'a str,
    options: JudgeOptions,
    judgement: &'a mut Judgement,
    clock: ServerClock,
    timeline: Timeline,
    scope: Scope,
    /// How many unreadable lines may take effect now.
    open: usize,
    partitions: BTreeMap<Option<PartitionKey>, Partition>,
    /// When the container was new, if the log shows it.
    new_from: Option<usize>,
    /// The requests that are on their way.
    flights: BTreeMap<usize, (Span, LoggedExchange)>,
    /// A change was lost.
    has_lost: bool,
    /// When the last request before this one was over.
    last_end: usize,
    /// How many contradictions were found.
    found: usize,
}

impl<'a> Place<'a> {
    pub(super) fn new(
        log: &'a RequestLog,
        name: &'a str,
        options: JudgeOptions,
        judgement: &'a mut Judgement,
    ) -> Self {
        Self {
            log,
            name,
            options,
            judgement,
            clock: ServerClock::new(LogClock::Writer),
            timeline: Timeline::new(options.settings),
            scope: Scope::default(),
            open: 0,
            partitions: BTreeMap::new(),
            new_from: None,
            flights: BTreeMap::new(),
            has_lost: false,
            last_end: 0,
            found: 0,
        }
    }

    /// Judges the lines of the container.
    pub(super) fn judge(mut self, mut entries: Vec<Entry>) {
        let is_exact =
            entries.iter().filter(|entry| entry.smudge.is_none()).all(|entry| entry.clock == LogClock::Exact);
        self.clock = ServerClock::new(if is_exact { LogClock::Exact } else { LogClock::Writer });
        place_smudges(&mut entries, is_exact);
        let mut events = Vec::with_capacity(entries.len().saturating_mul(2));
        for (number, entry) in entries.iter().enumerate() {
            // What begins in the microsecond in which something else ends may overlap it.
            let key = |time: LogTime, is_end: bool| {
                if is_exact {
                    (LogTime { us: 0 }, number, is_end)
                } else {
                    (time, usize::from(is_end), is_end)
                }
            };
            events.push((key(entry.sent, false), number));
            events.extend(entry.received.map(|at| (key(at, true), number)));
        }
        events.sort_unstable();
        let mut spans = vec![Span { begin: 0, end: usize::MAX }; entries.len()];
        for (at, ((_, _, is_end), number)) in events.iter().enumerate() {
            if let Some(span) = spans.get_mut(*number) {
                *if *is_end { &mut span.end } else { &mut span.begin } = at + 1;
            }
        }
        self.set_timeline(
            &entries,
            &spans,
            &events.iter().filter(|((.., is_end), _)| !is_end).map(|(_, number)| *number).collect::<Vec<_>>(),
        );
        for ((_, _, is_end), number) in events {
            let (Some(entry), Some(span)) = (entries.get(number), spans.get(number)) else { continue };
            match (&entry.smudge, is_end) {
                (Some(smudge), is_end) => self.smudge(smudge, *span, is_end),
                (None, false) => self.begin(number, entry, *span),
                (None, true) => self.end(number, entry.line + 1),
            }
        }
    }

    /// Learns from all changes of the settings which were in force when.
    fn set_timeline(&mut self, entries: &[Entry], spans: &[Span], order: &[usize]) {
        for (entry, span) in
            order.iter().filter_map(|number| Some((entries.get(*number)?, spans.get(*number)?)))
        {
            match entry.smudge {
                Some(Smudge::Container) => {
                    let until = entry.received.unwrap_or(LogTime { us: i64::MAX });
                    self.timeline.smudge(*span, entry.sent, until);
                }
                Some(_) => {}
                None => {
                    let line = self.log.line(entry.line);
                    // Most lines are not about settings, and need not be read once more.
                    let may_set = line.windows(10).any(|word| word == b"-container");
                    if let Some(one) =
                        Some(line).filter(|_| may_set).and_then(|line| LoggedExchange::parse(line).ok())
                    {
                        self.timeline.add(&one, *span);
                    }
                }
            }
        }
    }

    fn smudge(&mut self, smudge: &Smudge, span: Span, is_end: bool) {
        self.open = if is_end { self.open.saturating_sub(1) } else { self.open + 1 };
        let scope = match smudge {
            Smudge::Nothing => return,
            Smudge::Container => &mut self.scope,
            Smudge::Partition(partition) => &mut self.partitions.entry(partition.clone()).or_default().scope,
            Smudge::Item(partition, id) => &mut self.item(partition.as_ref(), id).scope,
        };
        if is_end {
            (scope.open, scope.since) = (scope.open.saturating_sub(1), span.end);
        } else {
            scope.open += 1;
            scope.since = span.begin;
        }
    }

    /// Returns an item, absent in a container that is new.
    fn item(&mut self, partition: Option<&PartitionKey>, id: &str) -> &mut ItemState {
        let place = self.partitions.entry(partition.cloned()).or_default();
        let new_from = self.new_from.filter(|from| !self.scope.spoils(*from) && !place.scope.spoils(*from));
        let timeline = &self.timeline;
        let item = place.items.entry(id.to_owned()).or_insert_with(|| match new_from {
            Some(from) => ItemState::absent(timeline.between(Span { begin: from, end: from }).0, from),
            None => ItemState::default(),
        });
        let scopes = [self.scope, place.scope, item.scope];
        if item.is_known() && scopes.iter().any(|scope| scope.spoils(item.known_from)) {
            item.forget(Why::Smudged);
        }
        item
    }

    fn begin(&mut self, number: usize, entry: &Entry, span: Span) {
        let Ok(one) = LoggedExchange::parse(self.log.line(entry.line)) else { return };
        let received = one.received.unwrap_or(LogTime { us: i64::MAX });
        let flight = Flight { span, sent: one.sent, received };
        let partition = partition_of(one.partition.as_ref());
        if self.options.is_sole_writer {
            for (id, ask) in asks(&one, entry.line + 1) {
                self.item(partition.as_ref(), &id).begin(number, flight, ask);
            }
        }
        self.has_lost |= matches!(effect(&one), Effect::Lost);
        if one.received.is_none() {
            self.judgement.say(entry.line + 1, LineVerdict::NotJudged(Why::Lost));
        } else {
            self.flights.insert(number, (span, one));
        }
    }

    fn end(&mut self, number: usize, line: usize) {
        let Some((span, one)) = self.flights.remove(&number) else { return };
        let flight = Flight { span, sent: one.sent, received: one.received.unwrap_or(one.sent) };
        match effect(&one) {
            Effect::Lost => self.judgement.say(line, LineVerdict::NotJudged(Why::Lost)),
            Effect::Nothing => self.judgement.say(line, LineVerdict::NotJudged(Why::Refused)),
            Effect::Answered(_) => match &one.request {
                Request::CreateContainer(_) | Request::ReplaceContainer(_) => self.set(&one, line, span),
                Request::Query | Request::List => self.list(&one, line, flight),
                Request::Count => match self.count(&one, flight) {
                    Some(made) => self.possible(line, &made),
                    None => self.judgement.say(line, LineVerdict::NotJudged(Why::Counted)),
                },
                _ => self.operate(number, &one, line, flight),
            },
        }
        self.last_end = span.end;
    }

    fn operate(&mut self, number: usize, one: &LoggedExchange, line: usize, flight: Flight) {
        let partition = partition_of(one.partition.as_ref());
        let asks = asks(one, line);
        if asks.is_empty() || matches!(asks.first(), Some((_, Ask { told: Told::Lost, .. }))) {
            self.judgement.say(line, LineVerdict::NotJudged(Why::Unclear));
        }
        for (id, ask) in asks {
            if self.options.is_sole_writer {
                self.item(partition.as_ref(), &id);
            }
            let shared = Shared { clock: &self.clock, timeline: &self.timeline };
            let known = self.partitions.get_mut(&partition).and_then(|place| place.items.get_mut(&id));
            let heard = match known {
                Some(item) if self.options.is_sole_writer => item.end(shared, number),
                _ => alone(shared, &ask, flight, Why::OtherWriters),
            };
            // Where nothing is known of the settings or of the clock, nearly everything may be read.
            let in_force = self.timeline.of(self.timeline.between(flight.span));
            let is_known = self.clock.is_known() && in_force.iter().all(|epoch| epoch.is_known);
            let heard = match (heard, ask.operations.as_slice()) {
                (Heard::Possible(_), [Operation::Read(_)]) if !is_known => Heard::NotJudged(Why::NotShown),
                (heard, _) => heard,
            };
            let is_possible = matches!(heard, Heard::Possible(_));
            self.say(line, one, &id, heard);
            if let (
                true,
                [Operation::Create(_) | Operation::Upsert(_) | Operation::Replace(..)],
                Told::One(status, Some(shown)),
            ) = (is_possible, ask.operations.as_slice(), &ask.told)
                && let (true, Some(ts)) = (status.is_success(), shown.ts)
            {
                self.clock.learn(flight.sent, flight.received, ts);
            }
        }
    }

    fn list(&mut self, one: &LoggedExchange, line: usize, flight: Flight) {
        let Some(Body::Ids(ids)) = one.answer.as_ref().map(|answer| &answer.body) else {
            return self.judgement.say(line, LineVerdict::NotJudged(Why::Unclear));
        };
        if !self.is_plain(flight) {
            return self.judgement.say(line, LineVerdict::NotJudged(Why::Counted));
        }
        let why = if self.options.is_sole_writer { Why::NotShown } else { Why::OtherWriters };
        self.judgement.say(line, LineVerdict::NotJudged(why));
        if !self.options.is_sole_writer {
            return;
        }
        let partition = partition_of(one.partition.as_ref());
        let listed: BTreeSet<&Id> = ids.iter().collect();
        for id in &listed {
            self.item(partition.as_ref(), id);
        }
        let is_page =
            one.page.is_some() || one.answer.as_ref().is_some_and(|answer| answer.continuation.is_some());
        let shared = Shared { clock: &self.clock, timeline: &self.timeline };
        let Some(place) = self.partitions.get_mut(&partition) else { return };
        let mut all = Vec::new();
        for (id, item) in &mut place.items {
            let is_listed = listed.contains(id);
            let is_spoilt =
                [self.scope, place.scope, item.scope].iter().any(|scope| scope.spoils(item.known_from));
            if is_spoilt || is_page && !is_listed {
                continue;
            }
            let ask = Ask { operations: Vec::new(), told: Told::Listed(is_listed), line };
            all.extend(item.look(shared, &ask, flight).map(|heard| (id.clone(), heard)));
        }
        for (id, heard) in all {
            self.say(line, one, &id, heard);
        }
    }

    /// What a count shows, where the fate of every item since the creation of the container is known. No count is a contradiction.
    fn count(&self, one: &LoggedExchange, flight: Flight) -> Option<Made> {
        let Body::Count(count) = one.answer.as_ref()?.body else { return None };
        let new_from =
            self.new_from.filter(|from| self.options.is_sole_writer && !self.scope.spoils(*from))?;
        let place = self.partitions.get(&partition_of(one.partition.as_ref()))?;
        let is_small = place.items.len() <= MOST_COUNTED;
        if one.page.is_some() || !is_small || place.scope.spoils(new_from) || !self.is_plain(flight) {
            return None;
        }
        let shared = Shared { clock: &self.clock, timeline: &self.timeline };
        let each = place.items.values().map(|item| item.counted(shared, flight));
        let all: Option<Vec<_>> = each.collect();
        let [visible, expired] = all?.iter().fold([0, 0], |all, one| [all[0] + one[0], all[1] + one[1]]);
        let is_counted = (visible < count).then_some((OpenChoice::ExpiredAreCounted, true));
        let is_excluded = (expired > 0).then_some((OpenChoice::ExpiredAreCounted, false));
        (visible..=visible + expired)
            .contains(&count)
            .then(|| is_counted.or(is_excluded).into_iter().collect())
    }

    /// Whether the settings are known, and no index was ever lazy or missing.
    fn is_plain(&self, flight: Flight) -> bool {
        let is_consistent =
            |epoch: &Epoch| epoch.settings.iter().all(|one| one.indexing == Indexing::Consistent);
        self.timeline.of(self.timeline.between(flight.span)).iter().all(|epoch| epoch.is_known)
            && self.timeline.epochs.iter().all(is_consistent)
    }

    fn set(&mut self, one: &LoggedExchange, line: usize, span: Span) {
        let Some(answer) = &one.answer else { return };
        let creates = matches!(one.request, Request::CreateContainer(_));
        let ways = configured(&one.request);
        // The log does not show who created or deleted the container.
        let is_elsewhere = answer.status == if creates { Status::Conflict } else { Status::NotFound };
        let fitting = ways.iter().filter(|way| way.status == answer.status);
        let made = fitting.clone().map(|way| way.made.clone()).reduce(|mut all, way| {
            all.retain(|choice, yes| way.get(choice) == Some(yes));
            all
        });
        if creates && answer.status.is_success() {
            // Nothing of an old container is left, unless something is or was on its way.
            let is_new =
                self.flights.is_empty() && self.open == 0 && !self.has_lost && self.last_end <= span.begin;
            self.new_from = is_new.then_some(span.end);
            self.scope.since = span.end;
            if is_new {
                self.partitions.clear();
            }
        }
        match made {
            Some(made) => self.possible(line, &made),
            None if is_elsewhere => self.judgement.say(line, LineVerdict::NotJudged(Why::Refused)),
            None => {
                let possible: BTreeSet<&str> = ways.iter().map(|way| way.status.word()).collect();
                let possible = possible.into_iter().collect::<Vec<_>>().join(" or ");
                let (request, answer) = (describe::request(&one.request, &[]), describe::response(answer));
                let says =
                    format!("`{request}` of container {} answered {answer}; possible: {possible}", self.name);
                self.impossible(line, says, clauses::of_setting(&one.request));
            }
        }
    }

    fn say(&mut self, line: usize, one: &LoggedExchange, id: &str, heard: Heard) {
        match heard {
            Heard::NotJudged(why) => self.judgement.say(line, LineVerdict::NotJudged(why)),
            Heard::Possible(made) => self.possible(line, &made),
            Heard::Impossible(difference) => {
                let says = clauses::sentence(self.name, one, id, &difference);
                self.impossible(line, says, clauses::broken(one, &difference));
            }
        }
    }

    fn possible(&mut self, line: usize, made: &Made) {
        self.judgement.say(line, LineVerdict::Possible);
        for (choice, yes) in made.iter().filter(|(choice, _)| choice.values().is_some()) {
            let seen = self.judgement.choices.entry((*choice, *yes)).or_insert((0, line));
            *seen = (seen.0 + 1, seen.1.min(line));
        }
    }

    fn impossible(&mut self, line: usize, says: String, clauses: Vec<&'static str>) {
        self.judgement.say(line, LineVerdict::Impossible);
        // More than is kept: the first lines of each container may be the first of all.
        if self.found < MOST_KEPT {
            self.found += 1;
            self.judgement.impossible.push(Impossible { line, says, clauses });
        }
    }
}

/// Gives each unreadable line its time: its own, or that of the lines before and behind it.
fn place_smudges(entries: &mut [Entry], is_exact: bool) {
    /// A request whose line cannot be read was sent at most so long before the one of the line before.
    const SENT_BEFORE_US: i64 = 60_000_000;
    let mut before = LogTime { us: i64::MIN };
    for entry in entries.iter_mut() {
        if entry.smudge.is_none() {
            before = entry.sent;
        } else if entry.is_lost {
            entry.received = None;
        } else if entry.received.is_none() {
            entry.sent = LogTime { us: before.us.saturating_sub(SENT_BEFORE_US) };
        }
    }
    let mut behind = is_exact.then_some(LogTime { us: 0 });
    for entry in entries.iter_mut().rev() {
        if entry.is_lost {
            continue;
        }
        if entry.smudge.is_some() {
            entry.received = entry.received.or(behind);
        } else if !is_exact {
            behind = Some(entry.received.unwrap_or(entry.sent));
        }
    }
}

/// Returns what a request asks of each item that it may change or whose answer tells something.
fn asks(one: &LoggedExchange, line: usize) -> Vec<(Id, Ask)> {
    let of = |id: &str, most: usize| -> Vec<Operation> {
        one.request.operations().iter().take(most).filter(|operation| operation.id() == id).cloned().collect()
    };
    let operations = one.request.operations();
    let ids: BTreeSet<&str> = operations.iter().map(Operation::id).collect();
    let lost = || {
        let each = ids.iter().map(|id| (id, of(id, usize::MAX)));
        let changes = each.filter(|(_, operations)| operations.iter().any(is_change));
        changes
            .map(|(id, operations)| ((*id).to_owned(), Ask { operations, told: Told::Lost, line }))
            .collect()
    };
    let answer = match effect(one) {
        Effect::Answered(answer) => answer,
        Effect::Lost => return lost(),
        Effect::Nothing => return Vec::new(),
    };
    match (&one.request, &answer.body) {
        (Request::Item(operation), body) => {
            let told = Told::One(answer.status, item_of(body).cloned());
            vec![(operation.id().to_owned(), Ask { operations: vec![operation.clone()], told, line })]
        }
        (Request::Batch(_), Body::Committed(statuses)) if statuses.len() == operations.len() => {
            let told = |id: &str| {
                let both = operations.iter().zip(statuses).filter(|(operation, _)| operation.id() == id);
                Told::Committed(both.map(|(_, status)| *status).collect())
            };
            let ask = |id: &str| Ask { operations: of(id, usize::MAX), told: told(id), line };
            ids.iter().map(|id| ((*id).to_owned(), ask(id))).collect()
        }
        (Request::Batch(_), Body::Aborted { at }) if !answer.status.is_success() => {
            let ask = |operation: &Operation| {
                let (operations, told) = (of(operation.id(), at + 1), Told::Aborted(answer.status));
                (operation.id().to_owned(), Ask { operations, told, line })
            };
            operations.get(*at).map(ask).into_iter().collect()
        }
        (Request::Batch(_), _) if answer.status.is_success() => lost(),
        _ => Vec::new(),
    }
}
