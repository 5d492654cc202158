//! Plays several tests in one session, each on an item of its own.
//!
//! Tests share a place only if they do the same with the container and look at all items at the same points: so each item
//! sees the inputs of its own test and no others.

use cosmos_ttl_explore::{Action, Call, Script};
use cosmos_ttl_harness::catch_panic::catch_panic;
use cosmos_ttl_harness::etags;
use cosmos_ttl_harness::replay::is_alike;
use cosmos_ttl_harness::target::{
    Body, Etag, Fault, Opening, Operation, PurgedTarget, Request, Response, Session, Status, Target as _,
};
use cosmos_ttl_harness::vector::Condition;

use crate::input::{ITEM, Input, InputNumber, WITNESS, create_witness, upsert_witness};
use crate::judge::{JudgedItem, Mismatch, PlaceClock, mismatch};
use crate::machine::{Machine, MachineAnswer, NextState};
use crate::suite::TestCase;
use crate::transitions::Transitions as _;

/// The ids of the items of a place.
const IDS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
/// How many tests share a place.
pub(crate) const SEATS: usize = IDS.len();

/// The requests of an alphabet, about each item of a place.
#[derive(Debug)]
pub(crate) struct RequestTable {
    of: Vec<Vec<Option<Request>>>,
    reads: Vec<Request>,
    /// The number of the read among the inputs.
    read: Option<InputNumber>,
    openings: Vec<Request>,
    /// Two writes of the witness, and a read.
    witness: [Request; 3],
}

impl RequestTable {
    pub(crate) fn new(machine: &Machine) -> Self {
        let alphabet = &machine.alphabet;
        let about =
            |id: &&str| alphabet.inputs.iter().map(|input| input.request_about(id, WITNESS)).collect();
        let read = Some(Request::Item(Operation::Read(ITEM.into())));
        let read = alphabet.inputs.iter().position(|input| input.request == read);
        let witness = [create_witness(), upsert_witness(), Operation::Read(WITNESS.into())];
        Self {
            of: IDS.iter().map(about).collect(),
            reads: IDS.iter().map(|id| Request::Item(Operation::Read((*id).into()))).collect(),
            read: read.and_then(|number| number.try_into().ok()),
            openings: alphabet.openings.iter().cloned().map(Request::CreateContainer).collect(),
            witness: witness.map(Request::Item),
        }
    }

    fn about(&self, seat: usize, input: InputNumber) -> Option<&Request> {
        self.of.get(seat)?.get(usize::from(input))?.as_ref()
    }
}

/// An action in a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlaceAction {
    Shared(InputNumber),
    Own(usize, InputNumber),
    Look(usize),
}

/// An answer that the machine does not allow.
#[derive(Debug)]
pub(crate) struct Failing {
    pub(crate) mismatch: Mismatch,
    /// The actions as scripts: of the item that failed alone, if one item failed, and of all.
    pub(crate) scripts: Vec<Script>,
}

/// How a place ended.
#[derive(Debug, Default)]
pub(crate) struct PlaceResult {
    pub(crate) requests: u64,
    /// How many tests were not played to their end: an etag was not shown, or a choice left the machine.
    pub(crate) cut: u64,
    pub(crate) failing: Option<Failing>,
    /// An input that the target does not offer.
    pub(crate) not_offered: Option<InputNumber>,
}

/// A session in which tests are played.
pub(crate) struct Place<'p> {
    machine: &'p Machine,
    table: &'p RequestTable,
    session: Box<dyn Session + 'p>,
    tests: &'p [TestCase],
    seats: Vec<Seat<'p>>,
    /// The etags that the target has shown of the witness.
    etags: Vec<Etag>,
    clock: PlaceClock,
    done: Vec<PlaceAction>,
    result: PlaceResult,
}

struct Seat<'p> {
    item: JudgedItem<'p>,
    at: usize,
}

/// Why a place ended early.
enum Stop {
    Fault(Fault),
    /// Of which item, if of one.
    Mismatch(Mismatch, Option<usize>),
    Over,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// Plays these tests, which share their opening and all inputs that are shared.
pub(crate) fn play(
    target: &PurgedTarget<'_>,
    opening: Opening,
    machine: &Machine,
    table: &RequestTable,
    tests: &[TestCase],
) -> Result<PlaceResult, Fault> {
    let number = tests.first().map_or(0, |test| usize::from(test.opening));
    let Some(state) = machine.opened().get(number).copied() else { return Ok(PlaceResult::default()) };
    let session = catch_panic(|| target.open(&opening))?;
    let seat = |_: &TestCase| Seat { item: JudgedItem::new(machine, state), at: 0 };
    let mut place = Place {
        machine,
        table,
        session,
        tests,
        seats: tests.iter().map(seat).collect(),
        // One for each write of the witness.
        etags: Vec::with_capacity(2),
        clock: PlaceClock::default(),
        // Most places end with fewer actions.
        done: Vec::with_capacity(64),
        result: PlaceResult::default(),
    };
    let played = place.open(number).and_then(|()| place.play());
    let closed = catch_panic(|| place.session.close());
    match played {
        Err(Stop::Fault(fault)) => return Err(fault),
        Err(Stop::Mismatch(mismatch, seat)) => {
            let all = [seat, None].into_iter().skip(usize::from(seat.is_none()));
            let scripts = all.flat_map(|seat| place.scripts(opening, number, seat)).collect();
            place.result.failing = Some(Failing { mismatch, scripts });
        }
        Err(Stop::Over) | Ok(()) => {}
    }
    closed?;
    let ended = place.seats.iter().zip(tests).filter(|(seat, test)| seat.at == test.inputs.len());
    let whole = ended.filter(|(seat, _)| seat.item.state.is_some()).count();
    place.result.cut = u64::try_from(tests.len().saturating_sub(whole)).unwrap_or(0);
    Ok(place.result)
}

impl Place<'_> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.result.requests += 1;
        catch_panic(|| self.session.send(request))
    }

    fn open(&mut self, opening: usize) -> Result<(), Stop> {
        let table = self.table;
        let Some(request) = table.openings.get(opening) else { return Err(Stop::Over) };
        self.begin(request, Status::Created)?;
        let [create, upsert, read] = &table.witness;
        for (write, status) in [(create, Status::Created), (upsert, Status::Ok)] {
            let mut response = self.begin(write, status)?;
            if !matches!(response.body, Body::Item(_)) {
                // An answer to a write may omit the item.
                response = self.begin(read, Status::Found)?;
            }
            if let Body::Item(item) = response.body {
                self.etags.extend(item.etag.filter(|etag| !self.etags.contains(etag)));
            }
        }
        Ok(())
    }

    /// Sends a request with which every place begins.
    fn begin(&mut self, request: &Request, status: Status) -> Result<Response, Stop> {
        let response = self.send(request)?;
        if is_alike(request.operations().first(), status, response.status) {
            return Ok(response);
        }
        let got = cosmos_ttl_harness::describe::response(&response);
        Err(Stop::Mismatch(Mismatch { expected: status.to_string(), got }, None))
    }

    fn play(&mut self) -> Result<(), Stop> {
        loop {
            for seat in 0..self.seats.len() {
                while let Some(input) = self.next_own(seat) {
                    self.own(seat, input)?;
                }
            }
            let waiting =
                self.tests.iter().zip(&self.seats).find_map(|(test, seat)| test.inputs.get(seat.at));
            let Some(input) = waiting.copied() else { return Ok(()) };
            self.seats.iter_mut().for_each(|seat| seat.at += 1);
            if self.seats.iter().all(|seat| seat.item.state.is_none()) {
                return Err(Stop::Over);
            }
            self.shared(input)?;
        }
    }

    /// The next input of a test up to the next one that is shared.
    fn next_own(&mut self, seat: usize) -> Option<InputNumber> {
        let (test, seat) = self.tests.get(seat).zip(self.seats.get_mut(seat))?;
        let input = *test.inputs.get(seat.at)?;
        let is_shared = self.machine.alphabet.inputs.get(usize::from(input)).is_none_or(Input::is_shared);
        if is_shared {
            return None;
        }
        seat.at += 1;
        Some(input)
    }

    fn own(&mut self, number: usize, input: InputNumber) -> Result<(), Stop> {
        let table = self.table;
        let (Some(request), Some(template)) =
            (table.about(number, input), self.machine.alphabet.inputs.get(usize::from(input)))
        else {
            return Ok(());
        };
        let hides_its_etag = self.seats.get(number).is_some_and(|seat| seat.item.hides_its_etag());
        if !template.conditions.is_empty() && hides_its_etag {
            table.read.map_or(Ok(()), |read| self.own(number, read))?;
        }
        // An expired item may come back though others of this target are gone. A patch that takes away a `ttl` which the item
        // does not have then says nothing of time to live.
        let is_meant = |seat: &&mut Seat<'_>| seat.item.outcomes(input).is_some();
        let Some(seat) = self.seats.get_mut(number).filter(is_meant) else {
            return Ok(());
        };
        let meant = |_: &str, condition| seat.item.meant(condition, &self.etags).cloned().ok_or(());
        let Ok(complete) = etags::sent(request, &template.conditions, meant) else {
            seat.item.state = None;
            return Ok(());
        };
        let response = match self.send(&complete) {
            Err(Fault::Unsupported(_)) => {
                self.result.not_offered = Some(input);
                self.leave(number);
                return Ok(());
            }
            response => response?,
        };
        self.done.push(PlaceAction::Own(number, input));
        let (Some(seat), Some(id)) = (self.seats.get_mut(number), IDS.get(number)) else { return Ok(()) };
        let judged = seat.item.answered(id, input, request, response, &mut self.clock);
        judged.map_err(|mismatch| Stop::Mismatch(mismatch, Some(number)))
    }

    fn leave(&mut self, number: usize) {
        if let Some(seat) = self.seats.get_mut(number) {
            seat.item.state = None;
        }
    }

    fn shared(&mut self, input: InputNumber) -> Result<(), Stop> {
        let table = self.table;
        let Some(request) = table.about(0, input) else {
            catch_panic(|| self.session.pass(1))?;
            self.clock.now_s += 1;
            self.done.push(PlaceAction::Shared(input));
            for seat in &mut self.seats {
                if let Some([outcome]) = seat.item.outcomes(input) {
                    seat.item.follow(outcome.next);
                }
            }
            return Ok(());
        };
        let response = match self.send(request) {
            Err(Fault::Unsupported(_)) => {
                self.result.not_offered = Some(input);
                return Err(Stop::Over);
            }
            response => response?,
        };
        self.done.push(PlaceAction::Shared(input));
        match request {
            Request::Query | Request::List => self.listed(input, &response),
            Request::Count => self.counted(input, &response),
            _ => self.configured(input, &response),
        }
    }

    fn listed(&mut self, input: InputNumber, response: &Response) -> Result<(), Stop> {
        let Body::Ids(ids) = &response.body else { return Err(Self::unlike(response)) };
        let known = |id: &String| id == WITNESS || IDS.iter().take(self.seats.len()).any(|known| known == id);
        let repeats = ids.iter().enumerate().any(|(at, id)| ids.iter().take(at).any(|other| other == id));
        if repeats
            || response.status != Status::Ok
            || !ids.iter().all(known)
            || !ids.iter().any(|id| id == WITNESS)
        {
            return Err(Self::unlike(response));
        }
        for (number, (seat, id)) in self.seats.iter().zip(IDS).enumerate() {
            let Some(outcomes) = seat.item.outcomes(input) else { continue };
            let answer = MachineAnswer::Listed(ids.iter().any(|one| one == id));
            if !outcomes.iter().any(|outcome| outcome.answers.contains(&answer)) {
                return Err(Stop::Mismatch(mismatch(outcomes, response), Some(number)));
            }
        }
        Ok(())
    }

    fn counted(&mut self, input: InputNumber, response: &Response) -> Result<(), Stop> {
        let (mut least, mut most) = (1, 1);
        for seat in &self.seats {
            let answers =
                seat.item.outcomes(input).into_iter().flatten().flat_map(|outcome| &outcome.answers);
            let counts = || {
                answers
                    .clone()
                    .filter_map(|one| if let MachineAnswer::Counted(n) = one { Some(*n) } else { None })
            };
            least += counts().min().unwrap_or(0);
            most += counts().max().unwrap_or(1);
        }
        match response.body {
            Body::Count(count) if response.status == Status::Ok && (least..=most).contains(&count) => Ok(()),
            _ => {
                let expected = format!("count {least} to {most}");
                let got = cosmos_ttl_harness::describe::response(response);
                Err(Stop::Mismatch(Mismatch { expected, got }, None))
            }
        }
    }

    fn configured(&mut self, input: InputNumber, response: &Response) -> Result<(), Stop> {
        let answer = MachineAnswer::Status(response.status);
        for number in 0..self.seats.len() {
            let Some(seat) = self.seats.get_mut(number) else { continue };
            let Some(outcomes) = seat.item.outcomes(input) else { continue };
            let Some(outcome) = outcomes.iter().find(|one| one.answers.contains(&answer)) else {
                return Err(Stop::Mismatch(mismatch(outcomes, response), Some(number)));
            };
            match outcome.next {
                NextState::Fate { back, gone } => self.look(number, [back, gone])?,
                next => seat.item.follow(next),
            }
        }
        Ok(())
    }

    fn look(&mut self, number: usize, fates: [u8; 2]) -> Result<(), Stop> {
        let table = self.table;
        let (Some(request), Some(id)) = (table.reads.get(number), IDS.get(number)) else { return Ok(()) };
        let response = self.send(request)?;
        self.done.push(PlaceAction::Look(number));
        let Some(seat) = self.seats.get_mut(number) else { return Ok(()) };
        let looked = seat.item.looked(id, fates, response, &mut self.clock);
        looked.map_err(|mismatch| Stop::Mismatch(mismatch, Some(number)))
    }

    fn unlike(response: &Response) -> Stop {
        let expected = "the ids of the items that are there, and of the witness".into();
        let got = cosmos_ttl_harness::describe::response(response);
        Stop::Mismatch(Mismatch { expected, got }, None)
    }

    /// Returns the actions as scripts of exploration, of one item or of all: as they were sent, and where one sent a stale
    /// etag, as if each item had had an etag before. A script has no etags of other items.
    fn scripts(&self, opening: Opening, number: usize, only: Option<usize>) -> Vec<Script> {
        let is_stale = |input: &Input| input.conditions.iter().any(|(_, one)| *one == Condition::Stale);
        let inputs = &self.machine.alphabet.inputs;
        let sends_stale = self.done.iter().any(|done| match done {
            PlaceAction::Own(_, input) => inputs.get(usize::from(*input)).is_some_and(is_stale),
            PlaceAction::Shared(_) | PlaceAction::Look(_) => false,
        });
        let seats = only.map_or(0..self.seats.len(), |only| only..only + 1);
        let earlier =
            |seat| self.machine.alphabet.prologue().into_iter().map(move |it| PlaceAction::Own(seat, it));
        let before: Vec<PlaceAction> = seats.flat_map(earlier).collect();
        let mut all = vec![self.script(opening, number, only, &[])];
        all.extend(sends_stale.then(|| self.script(opening, number, only, &before)));
        all
    }

    fn script(&self, opening: Opening, number: usize, only: Option<usize>, before: &[PlaceAction]) -> Script {
        let plain = |request: &Request| Action::Call(Call::plain(request.clone()));
        let [create, upsert, _] = &self.table.witness;
        let mut actions = vec![plain(create), plain(upsert)];
        for done in before.iter().chain(&self.done) {
            match *done {
                PlaceAction::Own(seat, _) | PlaceAction::Look(seat)
                    if only.is_some_and(|only| only != seat) => {}
                PlaceAction::Shared(input) => match self.table.about(0, input) {
                    Some(request) => actions.push(plain(request)),
                    None => actions.push(Action::Wait(1)),
                },
                PlaceAction::Look(seat) => actions.extend(self.table.reads.get(seat).map(plain)),
                PlaceAction::Own(seat, input) => {
                    let template = self.machine.alphabet.inputs.get(usize::from(input));
                    let request = self.table.about(seat, input);
                    actions.extend(request.zip(template).map(|(request, template)| {
                        let (request, conditions) = (request.clone(), template.conditions.clone());
                        Action::Call(Call { conditions, ..Call::plain(request) })
                    }));
                }
            }
        }
        let container = self.machine.alphabet.openings.get(number).cloned().unwrap_or_default();
        Script { edition: opening.edition, container, actions }
    }
}
