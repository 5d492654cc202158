//! One item: the states in which it may be after the requests so far, those on their way in every order.

use std::collections::BTreeSet;

use cosmos_ttl_harness::request_log::LogTime;
use cosmos_ttl_harness::target::{Body, Item, Operation, Status};
use cosmos_ttl_model::container::Settings;

use super::clock::{Seconds, ServerClock};
use super::guess::{Ask, Guess, Made, Moment, Removal, Stored, Told, is_expired_at, ways};
use super::settings::{Epoch, Timeline};
use super::{Span, Why};

/// The most requests that overlap of which every order is tried.
const MOST_PENDING: usize = 5;
/// The most lost writes whose effect may still come.
const MOST_LOST: usize = 3;
/// The most states that are told apart, and the most that are looked at for one answer.
const MOST_GUESSES: usize = 64;
const MOST_TRIED: usize = 1024;

/// A part of the log's world of which unreadable lines make unknown what is known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scope {
    /// The number of unreadable lines that may take effect now.
    pub(super) open: usize,
    /// When the last one was over.
    pub(super) since: usize,
}

impl Scope {
    pub(super) fn spoils(self, known_from: usize) -> bool {
        self.open > 0 || self.since > known_from
    }
}

/// What all items of a container share.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    pub(super) clock: &'a ServerClock,
    pub(super) timeline: &'a Timeline,
}

/// When a request was on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    pub(super) span: Span,
    pub(super) sent: LogTime,
    pub(super) received: LogTime,
}

impl<'a> Shared<'a> {
    /// Everything that the moment of a request may be.
    fn moments(self, flight: Flight) -> Vec<Moment<'a>> {
        let now = self.clock.seconds(flight.sent, flight.received);
        let epochs = self.timeline.between(flight.span);
        let each = self.timeline.of(epochs).iter().zip(epochs.0..);
        let of = |(epoch, number): (&'a Epoch, usize)| {
            epoch.settings.iter().map(move |settings: &Settings| Moment {
                settings,
                epoch: number,
                now,
                between: (flight.sent, flight.received),
            })
        };
        each.flat_map(of).collect()
    }

    /// The state at a later epoch: what was expired at a change of the settings may be removed.
    fn aged(self, guess: &Guess, epoch: usize) -> Guess {
        let mut guess = guess.clone();
        if let Some(Stored { ts, between: Some((from, until)), .. }) = &mut guess.item {
            // By now the clock may be known better.
            let then = self.clock.seconds(*from, *until);
            *ts = Seconds { first: ts.first.max(then.first), last: ts.last.min(then.last) };
        }
        let Some(item) = guess.item.as_ref().filter(|_| guess.epoch < epoch) else {
            return Guess { epoch, ..guess };
        };
        let expired = |settings: &Settings, age_s: i64| is_expired_at(item, *settings, age_s);
        for pair in self.timeline.of((guess.epoch, epoch)).windows(2) {
            let [before, change] = pair else { continue };
            let at = self.clock.seconds(change.from, change.until);
            let most_s = at.last.saturating_sub(item.ts.first);
            let least_s = at.first.saturating_sub(item.ts.last);
            if before.is_known && before.settings.iter().all(|settings| expired(settings, least_s)) {
                guess.removal = Removal::WasExpired;
            } else if guess.removal == Removal::No
                && before.settings.iter().any(|settings| expired(settings, most_s))
            {
                guess.removal = Removal::Perhaps;
            }
        }
        Guess { epoch, ..guess }
    }

    /// Everything that this state may answer, possible or not.
    fn ways(self, guess: &Guess, ask: &Ask, flight: Flight) -> Vec<super::guess::Way> {
        let moments = self.moments(flight).into_iter().filter(|moment| guess.epoch <= moment.epoch);
        moments.flat_map(|moment| ways(&self.aged(guess, moment.epoch), ask, moment)).collect()
    }
}

/// A request about the item, on its way or lost.
#[derive(Debug)]
struct Pending {
    id: usize,
    flight: Flight,
    ask: Ask,
}

/// What a line says of an item.
#[derive(Debug)]
pub(super) enum Heard {
    /// The choices that it shows.
    Possible(Made),
    NotJudged(Why),
    Impossible(Box<Difference>),
}

/// An answer that no state gives.
#[derive(Debug)]
pub(super) struct Difference {
    pub(super) ask: Ask,
    /// What may come instead, in words, and what came where the status alone does not say it.
    pub(super) wanted: BTreeSet<String>,
    pub(super) came: Option<String>,
    /// A state in which the item may have been, if any was known, and when.
    pub(super) guess: Option<Guess>,
    pub(super) now: Seconds,
    pub(super) settings: Vec<Settings>,
    /// The settings before, where they were changed in the same second.
    pub(super) before: Option<Settings>,
    pub(super) is_known: bool,
}

/// One item.
#[derive(Debug, Default)]
pub(super) struct ItemState {
    /// None where it is not known.
    guesses: Vec<Guess>,
    pub(super) known_from: usize,
    pub(super) scope: Scope,
    /// Why it is not known.
    why: Option<Why>,
    pending: Vec<Pending>,
    lost: usize,
    /// When the last request about it was over, and the last change.
    heard: usize,
    changed: usize,
}

impl ItemState {
    /// An item of a new container.
    pub(super) fn absent(epoch: usize, known_from: usize) -> Self {
        Self { guesses: vec![Guess::new(None, epoch)], known_from, ..Self::default() }
    }

    pub(super) fn is_known(&self) -> bool {
        !self.guesses.is_empty()
    }

    pub(super) fn forget(&mut self, why: Why) {
        self.guesses.clear();
        self.why = Some(why);
    }

    /// A request begins.
    pub(super) fn begin(&mut self, id: usize, flight: Flight, ask: Ask) {
        let is_lost = matches!(ask.told, Told::Lost);
        self.lost += usize::from(is_lost);
        // After so many, nothing is said of the item any more.
        if !(is_lost && self.lost > MOST_LOST) {
            self.pending.push(Pending { id, flight, ask });
        }
        if self.pending.len() > MOST_PENDING + self.lost {
            self.forget(Why::Overlap);
        }
        if self.lost > MOST_LOST {
            self.forget(Why::Lost);
        }
    }

    /// The answer to a request is there.
    pub(super) fn end(&mut self, shared: Shared<'_>, id: usize) -> Heard {
        let Some(at) = self.pending.iter().position(|one| one.id == id) else {
            return Heard::NotJudged(Why::Lost);
        };
        let heard = if self.is_known() { self.order(shared, at) } else { self.show(shared, at) };
        let Pending { flight, ask, .. } = self.pending.remove(at);
        for guess in &mut self.guesses {
            guess.done.retain(|done| *done != id);
        }
        self.heard = flight.span.end;
        if changes(&ask) {
            self.changed = flight.span.end;
        }
        heard
    }

    /// Tries every order of the requests on their way in which this one comes to its answer.
    fn order(&mut self, shared: Shared<'_>, at: usize) -> Heard {
        let Some(Pending { id, flight, ask }) = self.pending.get(at) else {
            return Heard::NotJudged(Why::Lost);
        };
        let (mut next, mut shown): (Vec<Guess>, Option<Made>) = (Vec::new(), None);
        let mut work = self.guesses.clone();
        let mut tried = 0;
        while let Some(guess) = work.pop() {
            if guess.done.contains(id) {
                // What it showed, it showed in an earlier order, too.
                if !next.contains(&guess) {
                    next.push(guess);
                }
                continue;
            }
            for one in self.pending.iter().filter(|one| !guess.done.contains(&one.id)) {
                let flight = Flight {
                    span: Span { end: flight.span.end, ..one.flight.span },
                    received: flight.received,
                    ..one.flight
                };
                for way in
                    shared.ways(&guess, &one.ask, flight).into_iter().filter(|way| way.differs.is_none())
                {
                    tried += 1;
                    let mut after = way.after;
                    after.done.push(one.id);
                    after.done.sort_unstable();
                    if one.id == *id {
                        let made = shown.get_or_insert_with(|| way.made.clone());
                        made.retain(|choice, yes| way.made.get(choice) == Some(yes));
                    }
                    if !work.contains(&after) {
                        work.push(after);
                    }
                }
            }
            if tried > MOST_TRIED || next.len() > MOST_GUESSES {
                self.forget(Why::Overlap);
                return Heard::NotJudged(Why::Overlap);
            }
        }
        if !next.is_empty() {
            self.guesses = next;
            return Heard::Possible(shown.unwrap_or_default());
        }
        let difference = difference(shared, &self.guesses, ask, *flight);
        self.forget(Why::Impossible);
        self.learn(shared, at);
        Heard::Impossible(difference)
    }

    /// Judges an answer about an item that is not known, and learns from it what the item is.
    fn show(&mut self, shared: Shared<'_>, at: usize) -> Heard {
        let Some(Pending { flight, ask, .. }) = self.pending.get(at) else {
            return Heard::NotJudged(Why::Lost);
        };
        let heard = alone(shared, ask, *flight, self.why.unwrap_or(Why::NotShown));
        self.learn(shared, at);
        heard
    }

    /// Learns what the item is from an answer alone, unless a change that overlaps it may have come later.
    fn learn(&mut self, shared: Shared<'_>, at: usize) {
        let Some(Pending { id, flight, ask }) = self.pending.get(at) else { return };
        let others = self.pending.iter().filter(|one| one.id != *id);
        let (changes, looks): (Vec<_>, Vec<_>) = others.partition(|one| changes(&one.ask));
        if self.changed > flight.span.begin || changes.len() > MOST_LOST || self.lost > MOST_LOST {
            return;
        }
        let mut learned = states(shared, ask, *flight);
        // What else is on its way may have met what was there before, of which nothing is known.
        for guess in &mut learned {
            guess.done = looks.iter().map(|one| one.id).collect();
        }
        for one in changes {
            let done = |guess: &Guess| Guess { done: [&guess.done[..], &[one.id]].concat(), ..guess.clone() };
            learned.extend(learned.iter().map(done).collect::<Vec<_>>());
        }
        for guess in &mut learned {
            guess.done.sort_unstable();
        }
        if !learned.is_empty() && learned.len() <= MOST_GUESSES {
            (self.guesses, self.known_from, self.why) = (learned, flight.span.begin, None);
        }
    }

    /// How many items it is when all are counted: of the visible ones, and of the stored and expired ones; `None` if that is not known.
    pub(super) fn counted(&self, shared: Shared<'_>, flight: Flight) -> Option<[u64; 2]> {
        if self.is_disturbed(flight) || self.scope.spoils(self.known_from) {
            return None;
        }
        let mut all = BTreeSet::new();
        for moment in shared.moments(flight) {
            for guess in &self.guesses {
                let guess = shared.aged(guess, moment.epoch);
                if guess.removal != Removal::No || guess.is_latched {
                    return None;
                }
                let Some(item) = &guess.item else {
                    all.insert([0, 0]);
                    continue;
                };
                let least_s = moment.now.first.saturating_sub(item.ts.last);
                let most_s = moment.now.last.saturating_sub(item.ts.first);
                all.extend(
                    [least_s, most_s].map(|age_s| {
                        if is_expired_at(item, *moment.settings, age_s) { [0, 1] } else { [1, 0] }
                    }),
                );
            }
        }
        all.pop_first().filter(|_| all.is_empty())
    }

    /// Whether a look at all items may have come before what is known by now.
    fn is_disturbed(&self, flight: Flight) -> bool {
        self.heard.max(self.known_from) > flight.span.begin
            || self.pending.iter().any(|one| changes(&one.ask))
    }

    /// A query or a list showed the item, or did not; `None` where that says nothing.
    pub(super) fn look(&mut self, shared: Shared<'_>, ask: &Ask, flight: Flight) -> Option<Heard> {
        if !self.is_known() || self.is_disturbed(flight) {
            return None;
        }
        let (mut next, mut shown): (Vec<Guess>, Option<Made>) = (Vec::new(), None);
        for guess in &self.guesses {
            for way in shared.ways(guess, ask, flight).into_iter().filter(|way| way.differs.is_none()) {
                let made = shown.get_or_insert_with(|| way.made.clone());
                made.retain(|choice, yes| way.made.get(choice) == Some(yes));
                if !next.contains(&way.after) {
                    next.push(way.after);
                }
            }
        }
        if next.is_empty() {
            let difference = difference(shared, &self.guesses, ask, flight);
            self.forget(Why::Impossible);
            return Some(Heard::Impossible(difference));
        }
        if self.pending.is_empty() {
            (self.guesses, self.heard) = (next, flight.span.end);
        }
        Some(Heard::Possible(shown.unwrap_or_default()))
    }
}

fn changes(ask: &Ask) -> bool {
    let refused = match &ask.told {
        Told::One(status, _) => !status.is_success(),
        Told::Aborted(_) => true,
        Told::Lost | Told::Committed(_) | Told::Listed(_) => false,
    };
    !refused && ask.operations.iter().any(|one| !matches!(one, Operation::Read(_)))
}

/// Judges an answer by itself, whatever the item was before.
pub(super) fn alone(shared: Shared<'_>, ask: &Ask, flight: Flight, why: Why) -> Heard {
    let now = shared.clock.seconds(flight.sent, flight.received);
    let (epoch, _) = shared.timeline.between(flight.span);
    let mut guesses = Guess::any(epoch, now);
    let mut is_telling = match &ask.told {
        Told::One(status, _) => *status == Status::BadRequest || changes(ask),
        Told::Committed(_) | Told::Aborted(Status::BadRequest) => true,
        _ => false,
    };
    if let Told::One(Status::Found, Some(shown)) = &ask.told {
        let Some(ts) = shown.ts else { return Heard::NotJudged(why) };
        let written = Seconds { first: ts, last: ts.min(now.last) };
        guesses = Guess::shown(shown, written, epoch, ask.line);
        is_telling = true;
    }
    let is_possible = |way: &super::guess::Way| way.differs.is_none();
    let any = guesses.iter().any(|guess| shared.ways(guess, ask, flight).iter().any(is_possible));
    match (any, is_telling) {
        (false, _) => Heard::Impossible(difference(shared, &guesses, ask, flight)),
        (true, true) => Heard::Possible(Made::new()),
        (true, false) => Heard::NotJudged(why),
    }
}

/// The states in which this answer alone leaves an item.
fn states(shared: Shared<'_>, ask: &Ask, flight: Flight) -> Vec<Guess> {
    let (epoch, last) = shared.timeline.between(flight.span);
    let now = shared.clock.seconds(flight.sent, flight.received);
    match (&ask.told, ask.operations.as_slice()) {
        (Told::One(status, Some(shown)), [operation])
            if status.is_success() && (operation.is_write() || *status == Status::Found) =>
        {
            let unknown = if operation.is_write() { now } else { Seconds { first: i64::MIN >> 8, ..now } };
            Guess::shown(shown, shown.ts.map_or(unknown, Seconds::only), epoch, ask.line)
        }
        (
            Told::One(status, None),
            [Operation::Create(_) | Operation::Upsert(_) | Operation::Replace(..) | Operation::Delete(..)],
        ) if status.is_success() => {
            let mut all: Vec<Guess> = Vec::new();
            for guess in Guess::any(epoch, now) {
                for way in shared.ways(&guess, ask, flight) {
                    if way.differs.is_none() && !all.contains(&way.after) {
                        all.push(Guess { epoch: epoch.min(last), ..way.after });
                    }
                }
            }
            all
        }
        _ => Vec::new(),
    }
}

fn difference(shared: Shared<'_>, guesses: &[Guess], ask: &Ask, flight: Flight) -> Box<Difference> {
    let ways: Vec<_> = guesses.iter().flat_map(|guess| shared.ways(guess, ask, flight)).collect();
    let differs = ways.iter().filter_map(|way| way.differs.as_ref());
    let came = differs.clone().find_map(|(_, came)| came.clone());
    // Where the status is possible, the difference is in the item.
    let of_item = differs.filter(|(_, one)| came.is_none() || one.is_some());
    let moments = shared.moments(flight);
    let (first, last) = shared.timeline.between(flight.span);
    let epochs = shared.timeline.of((first, last));
    let now = shared.clock.seconds(flight.sent, flight.received);
    let is_new = |change: &Epoch| shared.clock.seconds(change.from, change.until).last >= now.first;
    let before = first.checked_sub(1).and_then(|before| shared.timeline.epochs.get(before));
    let before = before.filter(|_| epochs.first().is_some_and(is_new));
    Box::new(Difference {
        ask: ask.clone(),
        wanted: of_item.map(|(wanted, _)| wanted.clone()).collect(),
        came,
        guess: guesses.first().cloned(),
        now,
        before: before.and_then(|epoch| epoch.settings.first().copied()),
        settings: moments.iter().map(|moment| *moment.settings).collect(),
        is_known: epochs.iter().all(|epoch| epoch.is_known),
    })
}

/// What a body shows of an item.
pub(super) fn item_of(body: &Body) -> Option<&Item> {
    if let Body::Item(item) = body { Some(item) } else { None }
}

/// The item of a state.
pub(super) fn stored(difference: &Difference) -> Option<&Stored> {
    difference.guess.as_ref()?.item.as_ref()
}
