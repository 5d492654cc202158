//! Replays one vector through one session: compares answers with expectations, and remembers what later steps refer to.

mod details;
mod lost_reply;

use std::collections::{BTreeMap, BTreeSet};

use crate::catch_panic::catch_panic;
use crate::clauses::Binds;
use crate::describe::excerpt;
use crate::etags::{self, Condition, EtagLog};
use crate::literal::Literal;
use crate::observation_window::{ClockInterval, ObservationWindow, Written};
use crate::pages::{PagesSoFar, TimedAnswer};
use crate::signature::{FailureSide, Signature, property, text};
use crate::target::{
    Body, Etag, Fault, Id, Indexing, Item, Operation, POSSIBLE_TS, Part, Request, RequestOptions, Response,
    Session, Status, names_refused_id,
};
use crate::vector::{Expect, ExpectedResponse, ItemName, Place, Precondition, Step, Vector};
use crate::verdict::{Answered, Choice, Failure, VectorResult, Verdict};

/// Replays a vector through a session that was opened for it and whose clock the harness moves, up to the first answer
/// that is not as expected.
///
/// # Errors
///
/// [`Fault::Misuse`] only; every other fault is a verdict.
pub fn replay<'a>(vector: &'a Vector, session: &mut dyn Session) -> Result<VectorResult<'a>, Fault> {
    let mut replay = Replay::new(vector);
    let mut now_s = 0;
    while let Some(step) = replay.next_step() {
        replay.ask(|request, options| {
            let seconds = step.at_s.saturating_sub(now_s);
            now_s = step.at_s;
            let passed = if seconds > 0 { catch_panic(|| session.pass(seconds)) } else { Ok(()) };
            // Every request is dealt with exactly when the vector says.
            (passed.and_then(|()| catch_panic(|| session.send_with(request, options))), None)
        })?;
    }
    Ok(replay.into_result())
}

/// The answer to a step, with its time; `window` is as in [`Answered`](crate::verdict::Answered).
struct StepAnswer<'a, 'r> {
    number: usize,
    step: &'a Step,
    response: &'r Response,
    window: Option<&'r ClockInterval>,
}

impl StepAnswer<'_, '_> {
    fn differs(&self, expected: FailureSide, got: FailureSide) -> Verdict {
        Verdict::Fail(Failure {
            step: self.number,
            at_s: self.step.at_s,
            expected: expected.words,
            got: got.words,
            signature: Signature { expected: expected.yaml, got: got.yaml },
            beside: None,
            removal: None,
        })
    }

    fn item_differs(&self, status: Status, expected: (&str, &str), got: (&str, &str)) -> Verdict {
        let [expected, got] = [expected, got].map(|(words, field)| FailureSide::item(status, words, field));
        self.differs(expected, got)
    }
}

struct Write<'a> {
    item: ItemName<'a>,
    step: usize,
    at_s: u64,
    ts: Option<i64>,
    window: Option<ClockInterval>,
    /// It was sent with a patch, which only should set `_ts`.
    patches: bool,
}

impl Write<'_> {
    /// When it was, by the target's clock: the second that its `_ts` names, unless it cannot have been then.
    fn seconds(&self) -> Option<ClockInterval> {
        match (&self.window, self.ts) {
            (Some(window), Some(ts)) if window.contains(&ts) => Some(ts..=ts),
            (window, _) => window.clone(),
        }
    }
}

/// A replay that goes on step by step; its caller lets the time between them pass.
pub(crate) struct Replay<'a> {
    vector: &'a Vector,
    answers: Vec<Answered>,
    verdict: Option<Verdict>,
    etags: BTreeMap<Place<'a>, EtagLog>,
    /// The queries and lists whose first page was asked for, by kind and place.
    pages: BTreeMap<(&'static str, Place<'a>), PagesSoFar>,
    writes: Vec<Write<'a>>,
    /// The second that the target's clock showed at the start of the vector, if the harness moves it.
    origin: Option<i64>,
    /// The choices that bind the rest of the vector: clause and item, then value.
    bound: BTreeMap<(&'a str, Option<ItemName<'a>>), &'a str>,
    choices: Vec<Choice>,
    /// Why a pass would say less than the vector means.
    blurred: Option<String>,
    /// A request may have fallen into another second than it was meant for.
    is_late: bool,
    /// The target took a lazy index before.
    offers_lazy: bool,
    /// The parts that the request needs which the target did not support.
    lacks: BTreeSet<Part>,
    /// After a lost reply, a look may tell whether the write took effect.
    looks_up: bool,
}

impl<'a> Replay<'a> {
    pub(crate) fn new(vector: &'a Vector) -> Self {
        Self {
            vector,
            answers: Vec::with_capacity(vector.steps.len()),
            verdict: None,
            etags: BTreeMap::new(),
            pages: BTreeMap::new(),
            writes: Vec::new(),
            origin: None,
            bound: BTreeMap::new(),
            choices: Vec::new(),
            blurred: None,
            is_late: false,
            offers_lazy: false,
            lacks: BTreeSet::new(),
            looks_up: false,
        }
    }

    /// Goes on after a lost reply to a write where a look at the item tells whether the write took effect.
    pub(crate) fn looking_up(self) -> Self {
        Self { looks_up: true, ..self }
    }

    /// The step to take next; `None` once the verdict stands.
    pub(crate) fn next_step(&self) -> Option<&'a Step> {
        match self.verdict {
            None => self.vector.steps.get(self.answers.len()),
            Some(_) => None,
        }
    }

    /// In which seconds of the target's clock to take it, so that it shows what it means; they count from the writes so
    /// far.
    pub(crate) fn observation_window(&self) -> ObservationWindow<'a> {
        self.next_step().map_or_else(ObservationWindow::default, |step| self.observation_window_of(step))
    }

    fn observation_window_of(&self, step: &Step) -> ObservationWindow<'a> {
        let written = self.writes.iter().filter_map(|write| {
            Some(Written { id: write.item.id, at_s: write.at_s, window: write.seconds()? })
        });
        ObservationWindow::of(step.at_s, written, &self.vector.lifetimes_s)
    }

    /// Takes the next step; `send` sends a request. Only [`Fault::Misuse`] is an error; every other fault is a verdict.
    pub(crate) fn ask(
        &mut self,
        mut send: impl FnMut(&Request, &RequestOptions) -> TimedAnswer,
    ) -> Result<(), Fault> {
        let Some(step) = self.next_step() else { return Ok(()) };
        let etags = self.etags.entry(step.place()).or_default();
        let meant = |id: &str, condition| match (etags.seen(id), etags.meant(id, condition)) {
            (_, Some(_)) if condition == Condition::Seen && etags.current(id).is_none() => Err(unseen(id)),
            (_, Some(etag)) => Ok(etag.clone()),
            ([], None) => Err("the target shows no etags".into()),
            (_, None) => Err(format!("the target keeps the etag of `{id}` when it is written")),
        };
        let request = etags::sent(&step.request, &step.conditions, meant);
        self.verdict = match request.and_then(|request| Ok((request, options(step, meant)?))) {
            Err(why) => {
                self.lacks.insert(Part::Conditions);
                Some(Verdict::Unsupported(why))
            }
            Ok((request, options)) => {
                match self.pages_of(step).send(&request, step.pages, &options, &mut send) {
                    (Ok(response), window) => self.hear(step, response, window),
                    (Err(Fault::Unknown(why)), window) if self.looks_up => {
                        let options = step.options();
                        self.look_up(step, why, window, |request| send(request, &options))?
                    }
                    (Err(Fault::Unsupported(why)), _) if names_refused_id(&step.request) => {
                        Some(Verdict::NotOffered(why))
                    }
                    (Err(fault), _) => {
                        if matches!(fault, Fault::Unsupported(_)) {
                            self.lacks = step.parts();
                            // What a target announced by mistake says nothing of the plain request.
                            if self.lacks.iter().any(|part| part.is_optional()) {
                                self.lacks.retain(|part| part.is_optional());
                            }
                        }
                        Some(of_fault(step, fault)?)
                    }
                }
            }
        };
        Ok(())
    }

    fn hear(&mut self, step: &'a Step, response: Response, window: Option<ClockInterval>) -> Option<Verdict> {
        let (number, within) = (self.answers.len(), window.as_ref());
        let mut verdict = self.judge(&StepAnswer { number, step, response: &response, window: within });
        let is_written =
            |operation: &Operation| self.writes.iter().any(|write| write.item == step.item(operation.id()));
        // Who has taken the id once cannot refuse it.
        let is_refused = response.status == Status::BadRequest
            && names_refused_id(&step.request)
            && !step.request.operations().iter().any(is_written);
        if is_refused && matches!(verdict, Some(Verdict::Fail(_))) {
            verdict = Some(Verdict::NotOffered(
                "the target refuses the id, as the service or its clients do".into(),
            ));
        }
        if matches!(verdict, Some(Verdict::Unsupported(_))) && asks_for_lazy(&step.request) {
            self.lacks.insert(Part::Lazy);
        }
        let as_expected = Some(verdict.is_none());
        self.answers.push(Answered { response, window, as_expected });
        verdict
    }

    /// Returns in which second what failed may be asked once more, this many seconds after it failed and from each deadline.
    /// `None` where there is no such second, where the request has an effect, where an item is only shown otherwise than
    /// expected or the server has an error, and where the `_ts` of a write leaves a doubt about the deadlines.
    pub(crate) fn second_to_ask_again(&self, apart_s: i64) -> Option<i64> {
        let Some(Verdict::Fail(failure)) = &self.verdict else { return None };
        let step = self.vector.steps.get(failure.step).filter(|step| step.pages.is_none())?;
        let has_effect = match &step.request {
            Request::CreateContainer(_) | Request::ReplaceContainer(_) | Request::DeleteContainer => true,
            request => request.operations().iter().any(|one| !matches!(one, Operation::Read(_))),
        };
        let answered = self.answers.get(failure.step).filter(|_| !has_effect)?;
        let is_status = |outcome: &ExpectedResponse| matches!(outcome, ExpectedResponse::Status(status, _) if *status == answered.response.status);
        let is_sure = |write: &Write<'_>| {
            write.ts.is_some_and(|ts| write.window.as_ref().is_some_and(|window| window.contains(&ts)))
        };
        let is_error = matches!(answered.response.status, Status::Other(500..=599));
        if is_error || step.expect.outcomes().any(is_status) || !self.writes.iter().all(is_sure) {
            return None;
        }
        let asked = *answered.window.as_ref()?.end();
        self.observation_window_of(step).certain.far_from(asked.saturating_add(apart_s), apart_s)
    }

    /// Asks once more what failed, and returns whether the answer is as wrong as before; the verdict stays.
    pub(crate) fn ask_again(
        &mut self,
        send: impl FnMut(&Request, &RequestOptions) -> TimedAnswer,
    ) -> Result<bool, Fault> {
        let (verdict, answered, before) = (self.verdict.take(), self.answers.pop(), self.answers.len());
        self.ask(send)?;
        let is_as_wrong = match (&verdict, &self.verdict) {
            (Some(Verdict::Fail(before)), Some(Verdict::Fail(now))) => before.signature == now.signature,
            _ => false,
        };
        self.answers.truncate(before);
        self.answers.extend(answered);
        self.verdict = verdict;
        Ok(is_as_wrong)
    }

    /// The pages that were returned so far of what the step asks for.
    fn pages_of(&mut self, step: &'a Step) -> &mut PagesSoFar {
        self.pages.entry((step.request.word(), step.place())).or_default()
    }

    /// Concludes without the rest of the steps, since the target was too late for them.
    pub(crate) fn give_up(&mut self, verdict: Verdict) {
        self.is_late = true;
        self.verdict.get_or_insert(verdict);
    }

    pub(crate) fn into_result(self) -> VectorResult<'a> {
        let Self { vector, answers, choices, lacks, .. } = self;
        let blurred = self.blurred.is_some() || self.is_late;
        let inconclusive = self.blurred.map(Verdict::Inconclusive);
        let verdict = self.verdict.or(inconclusive).unwrap_or(Verdict::Pass);
        let own_choices = 0..choices.len();
        VectorResult {
            choices,
            own_choices,
            answers,
            blurred,
            lacks,
            ..VectorResult::unasked(vector, verdict)
        }
    }

    /// Compares an answer with its expectation, and remembers what later steps refer to. Returns the verdict where the answer
    /// is not as expected.
    fn judge(&mut self, answer: &StepAnswer<'a, '_>) -> Option<Verdict> {
        if let Some(late) = self.time(answer) {
            return Some(late);
        }
        let judged = match &answer.step.expect {
            Expect::One(outcome) => self.compare(answer, outcome),
            Expect::Open { clause, of, outcomes } => self.choose(answer, clause, of.as_deref(), outcomes),
        };
        self.note(answer);
        judged
    }

    /// Notes where the request may have fallen into another second. Returns the verdict where the answer then shows nothing.
    fn time(&mut self, answer: &StepAnswer<'a, '_>) -> Option<Verdict> {
        let StepAnswer { step, window, .. } = *answer;
        let window = window?;
        let meant = self.observation_window();
        if let Some(deadline) = meant.certain.missed(window) {
            self.is_late = true;
            return Some(Verdict::Inconclusive(format!(
                "at second {}: the request may have fallen on the other side of the deadline of `{}` at second {}",
                step.at_s, deadline.id, deadline.at_s
            )));
        }
        if let (None, Some(deadline)) = (&self.blurred, meant.exact.missed(window)) {
            self.blurred = Some(format!(
                "at second {}: the request may have fallen into another second, too far from the deadline of `{}` at second {}",
                step.at_s, deadline.id, deadline.at_s
            ));
        }
        None
    }

    /// Finds the value of an open clause that the answer shows.
    fn choose(
        &mut self,
        answer: &StepAnswer<'a, '_>,
        clause: &'a str,
        of: Option<&'a str>,
        outcomes: &'a [(String, ExpectedResponse)],
    ) -> Option<Verdict> {
        let key = match self.vector.binds(clause) {
            Binds::Target => Some((clause, None)),
            Binds::Item => Some((clause, of.map(|id| answer.step.item(id)))),
            Binds::Nothing => None,
        };
        let chosen = key.and_then(|key| self.bound.get(&key).copied());
        let mut fits = Vec::new();
        let (mut words, mut yaml) = (Vec::new(), vec![format!("open: {clause}")]);
        let mut got = None;
        for (value, outcome) in outcomes.iter().filter(|(value, _)| chosen.is_none_or(|one| one == value)) {
            match self.compare(answer, outcome) {
                None => fits.push(value.as_str()),
                Some(Verdict::Fail(failure)) => {
                    words.push(format!("{} ({value})", failure.expected));
                    yaml.push(format!("{}: {}", text(value), failure.signature.expected));
                    got.get_or_insert(FailureSide { words: failure.got, yaml: failure.signature.got });
                }
                other => return other,
            }
        }
        if let (2.., None) = (fits.len(), &key) {
            // The status of an upsert is not judged, but shows the choice all the same.
            let is_shown = |(value, outcome): &&'a (String, ExpectedResponse)| {
                let exact = matches!(outcome, ExpectedResponse::Status(status, _) if *status == answer.response.status);
                exact && fits.contains(&value.as_str())
            };
            let mut exact = outcomes.iter().filter(is_shown);
            if let (Some((value, _)), None) = (exact.next(), exact.next()) {
                fits = vec![value];
            }
        }
        match (fits.as_slice(), chosen) {
            ([], chosen) => {
                let since =
                    chosen.map_or_else(String::new, |value| format!(", since it chose {value} before"));
                let words = words.join(" or ") + &since;
                let yaml = format!("{{{}}}", yaml.join(", "));
                Some(answer.differs(FailureSide { words, yaml }, got.unwrap_or_default()))
            }
            ([value], None) => {
                self.bound.extend(key.map(|key| (key, *value)));
                let (clause, value) = (clause.into(), (*value).into());
                self.choices.push(Choice { clause, value, step: answer.number });
                None
            }
            // Both values answer the same here: the answer tells nothing of the choice.
            _ => None,
        }
    }

    fn compare(&self, answer: &StepAnswer<'a, '_>, outcome: &ExpectedResponse) -> Option<Verdict> {
        let response = answer.response;
        let misplaced = self.misplaced(answer, outcome);
        if misplaced.is_some() {
            return misplaced;
        }
        let is_ok = response.status == Status::Ok;
        let as_expected = match (outcome, &response.body) {
            (ExpectedResponse::Status(status, details), _)
                if is_alike(answer.step.request.operations().first(), *status, response.status) =>
            {
                return self.compare_details(answer, *status, details);
            }
            (ExpectedResponse::Ids(ids), Body::Ids(_)) if is_ok && answer.step.pages.is_some() => {
                return self.compare_pages(answer, ids);
            }
            // As many, and the same: an item that is listed twice hides one that is not.
            (ExpectedResponse::Ids(ids), Body::Ids(got)) => {
                is_ok && ids.len() == got.len() && *ids == got.iter().cloned().collect()
            }
            (ExpectedResponse::Count(count), Body::Count(got)) => is_ok && count == got,
            (ExpectedResponse::CountWithin(least, most), Body::Count(got)) => {
                is_ok && (least..=most).contains(&got)
            }
            (ExpectedResponse::Values(values), Body::Values(got)) => is_ok && same_values(values, got),
            (ExpectedResponse::Committed(statuses), Body::Committed(got)) => {
                let operations = answer.step.request.operations().iter();
                let mut all = operations.zip(statuses.iter().zip(got));
                is_ok
                    && statuses.len() == got.len()
                    && all.all(|(operation, (wanted, got))| is_alike(Some(operation), *wanted, *got))
            }
            (ExpectedResponse::Aborted(at, status), Body::Aborted { at: got }) => {
                response.status == *status && at == got
            }
            _ => false,
        };
        if as_expected {
            return None;
        }
        Some(answer.differs(FailureSide::expected(outcome), FailureSide::got(response)))
    }

    /// Compares pages: together with those before, they must hold each of these items once, and nothing else.
    fn compare_pages(&self, answer: &StepAnswer<'a, '_>, expected: &BTreeSet<Id>) -> Option<Verdict> {
        let step = answer.step;
        let so_far = self.pages.get(&(step.request.word(), step.place()))?;
        let (expected, got) = so_far.differs(step.pages?, answer.response, expected, self.vector.level)?;
        Some(answer.differs(expected, got))
    }

    /// Returns the error in an answer before it is compared with an expectation: it is about something else, or has no
    /// comparable form.
    fn misplaced(&self, answer: &StepAnswer<'a, '_>, outcome: &ExpectedResponse) -> Option<Verdict> {
        let StepAnswer { step, response, .. } = *answer;
        let differs = |words: &str, field: &str| {
            let got = FailureSide::item(response.status, words, field);
            Some(answer.differs(FailureSide::expected(outcome), got))
        };
        match (&step.request, &response.body) {
            (Request::Item(operation), Body::Item(item)) if item.document.id != operation.id() => {
                let id = excerpt(&item.document.id);
                differs(&format!("with the item `{id}`"), &format!("id: {}", text(&id)))
            }
            (Request::Item(_), body)
                if response.status == Status::Found && !matches!(body, Body::Item(_)) =>
            {
                differs("without an item", "absent: [id]")
            }
            (_, Body::Item(Item { ts: Some(ts), .. })) if !POSSIBLE_TS.contains(ts) => {
                let words = format!("with `_ts` {ts}, which is no second from 1970 to 9999");
                differs(&words, &property("_ts", &ts.to_string()))
            }
            // Only some accounts offer it (`indexed-modes-allow-ttl`), and a client learns of it by having it taken.
            (request, _)
                if asks_for_lazy(request)
                    && !self.offers_lazy
                    && response.status == Status::BadRequest
                    && !matches!(outcome, ExpectedResponse::Status(Status::BadRequest, _)) =>
            {
                let why = "the target refuses lazy indexing, which not every account offers";
                Some(Verdict::Unsupported(why.into()))
            }
            _ => None,
        }
    }

    /// The `_ts` that an answer must show of the write at this second of the vector: of those that may be right, the one
    /// nearest to what it shows. `None` where any is.
    fn nearest_ts(&self, answer: &StepAnswer<'a, '_>, at_s: u64, ts: i64) -> Option<i64> {
        let StepAnswer { step, window, .. } = *answer;
        let operation = step.request.operations().first()?;
        // This very answer is noted only after it was compared.
        let now = step.at_s == at_s && operation.is_write();
        let mut writes = self.writes.iter().rev();
        let item = step.item(operation.id());
        let written = writes.find(|write| !now && write.item == item && write.at_s == at_s);
        let window = if now { window } else { written.and_then(|write| write.window.as_ref()) };
        match (written.and_then(|write| write.ts), window) {
            (Some(known), _) if known != ts => Some(known),
            (_, Some(window)) => Some(ts.clamp(*window.start(), *window.end())),
            // Both are far below the end of 64 bits: `POSSIBLE_TS` and the longest `at` of a vector bound them.
            (_, None) => Some(self.origin?.saturating_add_unsigned(at_s)),
        }
    }

    fn note(&mut self, answer: &StepAnswer<'a, '_>) {
        let StepAnswer { number, step, response, window } = *answer;
        if !response.status.is_success() {
            return;
        }
        self.offers_lazy |= asks_for_lazy(&step.request);
        if step.request == Request::DeleteContainer {
            let container = step.container.as_deref();
            self.writes.retain(|write| write.item.container != container);
            self.etags.retain(|(of, _), _| *of != container);
            self.pages.retain(|(_, (of, _)), _| *of != container);
        }
        self.etags.entry(step.place()).or_default().record_answer(&step.request, response);
        self.pages_of(step).note(step, response);
        let item = match &response.body {
            Body::Item(item) => Some(item),
            _ => None,
        };
        let ts = item.and_then(|item| item.ts);
        let is_patch = |operation: &Operation| matches!(operation, Operation::Patch(..));
        let patches = step.request.operations().iter().any(is_patch);
        for operation in step.request.operations() {
            let named = step.item(operation.id());
            if operation.is_write() {
                let (at_s, window) = (step.at_s, window.cloned());
                self.writes.push(Write { item: named, step: number, at_s, ts, window, patches });
            }
            let Some(last) = self.writes.iter().rev().find(|write| write.item == named) else { continue };
            if let (Some(ts), None, None, false) = (ts, window, self.origin, last.patches) {
                self.origin = ts.checked_sub_unsigned(last.at_s);
            }
            if !operation.is_write() && item.is_some() && last.ts.is_none() {
                // A batch does not show `_ts`. Whoever reads one of its items learns it for all: they share it.
                let batch = last.step;
                self.writes.iter_mut().filter(|write| write.step == batch).for_each(|write| write.ts = ts);
            }
        }
    }
}

/// The options of a step but for pages, with the etag that its condition means.
fn options(
    step: &Step,
    meant: impl Fn(&str, Condition) -> Result<Etag, String>,
) -> Result<RequestOptions, String> {
    let id = step.request.operations().first().map_or("", Operation::id);
    let mut options = step.options();
    match step.precondition {
        None => {}
        Some(Precondition::IfMatch(condition)) => options.if_match = Some(meant(id, condition)?),
        Some(Precondition::IfNoneMatch(None)) => options.if_none_match = Some("*".into()),
        Some(Precondition::IfNoneMatch(Some(condition))) => {
            options.if_none_match = Some(meant(id, condition)?);
        }
    }
    Ok(options)
}

/// Whether both have the same values, as often.
fn same_values(one: &[Literal], other: &[Literal]) -> bool {
    let mut rest: Vec<&Literal> = other.iter().collect();
    let takes = |value: &Literal| {
        rest.iter().position(|other| other.same_value(value)).map(|at| rest.swap_remove(at)).is_some()
    };
    one.len() == other.len() && one.iter().all(takes)
}

fn of_fault(step: &Step, fault: Fault) -> Result<Verdict, Fault> {
    Verdict::of_fault(fault, &format!("at second {}: ", step.at_s))
}

/// Why nothing can be said of an item's etag.
fn unseen(id: &str) -> String {
    format!("the target shows no etag of `{}` in the answer to its last write", excerpt(id))
}

/// Returns whether an operation may answer this status where that one is expected. No clause says what an upsert over a
/// living item answers, and there are stores that always answer `created`: vectors judge its effect.
pub fn is_alike(operation: Option<&Operation>, expected: Status, got: Status) -> bool {
    let is_upsert = matches!(operation, Some(Operation::Upsert(_)));
    expected == got || (is_upsert && expected == Status::Ok && got == Status::Created)
}

fn asks_for_lazy(request: &Request) -> bool {
    request.container().is_some_and(|container| container.indexing == Indexing::Lazy)
}
