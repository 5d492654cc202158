//! Goes through a script and annotates every request with what it must answer.

use std::collections::{BTreeMap, BTreeSet};

use crate::belief::{Belief, ClientKnowledge, PossibleAnswer, ShownChoice, default_ttl, known};
use cosmos_ttl_harness::etags;
use cosmos_ttl_harness::target::{Body, Etag, Id, Item, Operation, PartitionKey, Request, Response, Status};
use cosmos_ttl_harness::vector::{Details, EtagIs, Expect, ExpectedResponse, Pages, Step, render};
use cosmos_ttl_model::choices::{Binds, OpenChoice};
use cosmos_ttl_model::rule::{Ttl, lifetime};

use super::clauses;
use crate::{Action, Call, Script};

/// A script with expectations, as far as it was annotated.
#[derive(Clone, Default)]
pub(super) struct Annotated {
    branches: Branches,
    now_s: u64,
    /// The partition of the last request.
    partition: Option<PartitionKey>,
    wholes: BTreeMap<(Option<PartitionKey>, Id), WholeWrite>,
    /// Items that were created in the place of an expired one and not written since. Only they must show another etag
    /// (`expired-id-is-free`): no clause says that a write renews an etag.
    reborn: BTreeSet<(Option<PartitionKey>, Id)>,
    pub(super) steps: Vec<Step>,
    /// The expectation of the last request.
    pub(super) last: Option<Expect>,
    /// The clauses that request shows.
    pub(super) shown: BTreeSet<&'static str>,
    /// The same, and every open clause on the way.
    pub(super) clauses: BTreeSet<&'static str>,
    /// The answer to the last request follows from a `should` alone.
    rests_on_should: bool,
    /// The number of actions after which the container exists, whatever the target chose; `None` if it never does.
    pub(super) exists_after: Option<usize>,
}

/// The part of an answer that is in question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Focus {
    /// None: the request leads to another one.
    Way,
    /// The answer, without an item's details.
    Answer,
    /// The answer with all details of an item.
    Details,
}

/// Annotates a script. The action at `last`, or the creation of the container if there is none, is the one in question:
/// its clauses are cited, and its answer may be detailed.
pub(super) fn annotate(script: &Script, last: Option<usize>, detailed: bool) -> Result<Annotated, String> {
    let asked = last.map_or(0, |last| last + 1);
    let focus = if detailed && asked > 0 { Focus::Details } else { Focus::Answer };
    let mut annotated = Annotated::new();
    let creation = Action::Call(script.creation());
    for (number, action) in [&creation].into_iter().chain(&script.actions).enumerate() {
        match action {
            Action::Wait(seconds) => annotated.wait(*seconds),
            Action::Call(call) => {
                let focus = if number == asked { focus } else { Focus::Way };
                let creates = annotated.call(call, focus);
                if creates.map_err(|why| format!("at second {}: {why}", annotated.now_s))? {
                    annotated.exists_after.get_or_insert(number);
                }
            }
        }
    }
    Ok(annotated)
}

/// Annotates every request of a script, without an item's details. Leaves those out that no vector can say, and those whose
/// answer follows from a `should` alone: the vector binds. Each step shows clauses of its own.
pub(super) fn annotate_all(script: &Script) -> Annotated {
    let mut annotated = Annotated::new();
    let creation = Action::Call(script.creation());
    for action in [&creation].into_iter().chain(&script.actions) {
        match action {
            Action::Wait(seconds) => annotated.wait(*seconds),
            Action::Call(call) => {
                let mut next = annotated.clone();
                let said = next.call(call, Focus::Answer);
                if said.is_ok() && !next.rests_on_should {
                    annotated = next;
                }
            }
        }
    }
    annotated
}

/// Returns whether an answer must have the `_ts` of a write.
fn says_ts(expect: &Expect) -> bool {
    let says = |one: &ExpectedResponse| matches!(one, ExpectedResponse::Status(_, details) if details.written_at_s.is_some());
    expect.outcomes().any(says)
}

impl Annotated {
    fn new() -> Self {
        let first = Branch { belief: Belief::default(), shown: BTreeMap::new() };
        Self { branches: Branches(vec![first]), ..Self::default() }
    }

    fn wait(&mut self, seconds: u64) {
        self.now_s = self.now_s.saturating_add(seconds);
        self.branches.0.iter_mut().for_each(|branch| branch.belief.pass(seconds));
    }

    /// Returns the lines of its steps.
    ///
    /// # Errors
    ///
    /// Why the format cannot say them.
    pub(super) fn lines(&self) -> Result<Vec<String>, String> {
        render::timed_steps(&self.steps).map_err(|why| why.to_string())
    }

    /// Returns whether it makes the container.
    fn call(&mut self, call: &Call, focus: Focus) -> Result<bool, String> {
        self.note_patched();
        self.partition.clone_from(&call.partition);
        self.branches.0.iter_mut().for_each(|branch| branch.belief.enter(call.partition.clone()));
        let answers = self.branches.answers(call)?;
        let operations = call.request.operations();
        let (expect, choice) = expectation(operations, &answers, Focus::Answer, true)?;
        let (shown, _) = expectation(operations, &answers, focus, self.is_etag_new(&call.request))?;
        let step = Step {
            at_s: self.now_s,
            request: call.request.clone(),
            container: None,
            precondition: None,
            partition: call.partition.clone(),
            pages: call.page.map(Pages::First),
            conditions: call.conditions.clone(),
            expect: shown,
            line: 0,
        };
        render::whole_step(&step).map_err(|why| why.to_string())?;
        let after = Branches::after(answers, choice.as_ref())?;
        let before = std::mem::replace(&mut self.branches, after);
        let open = choice.map(|choice| choice.choice.clause());
        self.clauses.extend(open);
        let is_created = |one: &ExpectedResponse| matches!(one, ExpectedResponse::Status(Status::Created, _));
        let creates =
            matches!(call.request, Request::CreateContainer(_)) && expect.outcomes().any(is_created);
        if focus != Focus::Way {
            self.shown = clauses::of_step(call, &expect, &before, &self.branches);
            let has_ts = focus == Focus::Details && self.is_of_patched(call);
            let needs_a_patch = self.needs_a_patch(call, &before);
            if has_ts || needs_a_patch {
                self.shown.insert("patch-restarts-count");
            }
            let refuses = |clause: &&str| clause.ends_with("-not-an-integer-rejected");
            self.rests_on_should = needs_a_patch || self.shown.iter().any(refuses);
            let is_write = operations.iter().any(Operation::is_write);
            self.shown.extend((is_write && says_ts(&step.expect)).then_some("server-sets-ts"));
            self.clauses.extend(&self.shown);
            self.last = Some(expect);
        }
        let rest = step.pages.map(|_| Step { pages: Some(Pages::Rest), ..step.clone() });
        self.steps.extend([step].into_iter().chain(rest));
        for operation in call.request.operations() {
            let id = operation.id();
            if !operation.is_write() {
                continue;
            }
            self.reborn.remove(&self.key(id));
            if before.known(id) == self.branches.known(id) {
                continue;
            }
            if before.is_reborn_by(operation) {
                self.reborn.insert(self.key(id));
            }
            if !matches!(operation, Operation::Patch(..)) {
                let whole = WholeWrite { written_at_s: self.now_s, is_patched: false, lives_by_patch: false };
                self.wholes.insert(self.key(id), whole);
            } else if let Some(whole) = self.wholes.get_mut(&self.key(id)) {
                whole.is_patched = true;
            }
        }
        self.note_patched();
        Ok(creates)
    }

    fn key(&self, id: &str) -> (Option<PartitionKey>, Id) {
        (self.partition.clone(), id.into())
    }

    /// Returns whether the item of this request must show another etag than before.
    fn is_etag_new(&self, request: &Request) -> bool {
        let is_new = |operation: &Operation| {
            self.branches.is_reborn_by(operation)
                || (!operation.is_write() && self.reborn.contains(&self.key(operation.id())))
        };
        matches!(request, Request::Item(operation) if is_new(operation))
    }

    /// Notes which items would be expired by now if no patch had restarted their count.
    fn note_patched(&mut self) {
        let default = default_ttl(self.branches.beliefs());
        let (branches, now_s) = (&self.branches, self.now_s);
        for ((partition, id), item) in &mut self.wholes {
            let knowledge = known(branches.beliefs(), |belief| belief.number_in(partition.as_ref(), id));
            let (ClientKnowledge::Living { ttl, .. } | ClientKnowledge::Open { ttl, .. }) = knowledge else {
                continue;
            };
            let Ttl::Seconds(seconds) = lifetime(default, ttl) else { continue };
            let age_s = i64::try_from(now_s.saturating_sub(item.written_at_s)).unwrap_or(i64::MAX);
            item.lives_by_patch |= seconds <= age_s;
        }
    }

    /// Whether the details of this answer have the `_ts` of a patch.
    fn is_of_patched(&self, call: &Call) -> bool {
        let operations = call.request.operations();
        operations.iter().any(|one| self.wholes.get(&self.key(one.id())).is_some_and(|item| item.is_patched))
    }

    /// Whether an item of this request lives only because a patch restarted its count.
    fn needs_a_patch(&self, call: &Call, before: &Branches) -> bool {
        let operations = call.request.operations();
        let is_asked = |id: &str| operations.is_empty() || operations.iter().any(|one| one.id() == id);
        let lives = |id: &str| {
            matches!(before.known(id), ClientKnowledge::Living { .. } | ClientKnowledge::Open { .. })
        };
        let mut here = self.wholes.iter().filter(|((partition, _), _)| *partition == self.partition);
        here.any(|((_, id), item)| item.lives_by_patch && is_asked(id) && lives(id))
    }
}

impl Annotated {
    /// Returns whether the last write of an item was a patch.
    pub(super) fn has_patched_item(&self) -> bool {
        self.wholes.values().any(|item| item.is_patched)
    }
}

/// When an item was last written as a whole: from then on it is counted where patches do not restart the count.
#[derive(Clone)]
struct WholeWrite {
    written_at_s: u64,
    /// Whether it was patched since.
    is_patched: bool,
    /// Whether it would be expired if no patch had restarted its count.
    lives_by_patch: bool,
}

/// The possible histories so far: the belief after them, and the choices that expectations tell apart.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Branch {
    belief: Belief,
    shown: BTreeMap<ShownChoice, bool>,
}

/// Every history that is possible.
#[derive(Clone, Debug, Default)]
pub(super) struct Branches(Vec<Branch>);

/// The possible answer in one branch.
struct BranchAnswer {
    expected: ExpectedResponse,
    answer: PossibleAnswer,
    shown: BTreeMap<ShownChoice, bool>,
    /// The etags of this item that were seen before.
    seen: Vec<Etag>,
}

impl BranchAnswer {
    /// Returns whether it may be given under this value of a choice.
    fn may_follow(&self, chosen: Option<(&ShownChoice, bool)>) -> bool {
        chosen.is_none_or(|(choice, value)| self.answer.choices.get(choice).is_none_or(|own| *own == value))
    }
}

/// More branches than this are more than a vector can tell apart.
const MOST_BRANCHES: usize = 4_096;

impl Branches {
    fn answers(&self, call: &Call) -> Result<Vec<BranchAnswer>, String> {
        let mut answers = Vec::new();
        for Branch { belief, shown } in &self.0 {
            let request = etags::sent(&call.request, &call.conditions, |id, condition| {
                let etag = belief.etag(id, condition).cloned();
                etag.ok_or_else(|| format!("no such etag of `{id}` is seen in every world"))
            })?;
            let subject = request.operations().first().map(Operation::id);
            let seen = subject.map_or(&[][..], |id| belief.etags(id));
            for mut answer in belief.all_answers(&request) {
                // A choice that binds nothing is made once for a whole vector all the same.
                let contradicts = |(choice, value): (&ShownChoice, &bool)| {
                    choice.choice.binds() == Binds::Nothing
                        && answer.choices.get(choice).is_some_and(|chosen| chosen != value)
                };
                if !shown.iter().any(contradicts) {
                    answer.choices.extend(shown.clone());
                    let (expected, shown) = (expected(&answer.response), shown.clone());
                    answers.push(BranchAnswer { expected, answer, shown, seen: seen.to_vec() });
                }
            }
        }
        Ok(answers)
    }

    /// Goes on after these answers; if a choice shows in them, each branch remembers it.
    fn after(answers: Vec<BranchAnswer>, choice: Option<&ShownChoice>) -> Result<Self, String> {
        let mut all = Vec::new();
        for BranchAnswer { answer, mut shown, .. } in answers {
            let chosen = choice.and_then(|choice| Some((choice.clone(), *answer.choices.get(choice)?)));
            shown.extend(chosen);
            let branch = Branch { belief: answer.after, shown };
            if all.contains(&branch) {
                continue;
            }
            if all.len() == MOST_BRANCHES {
                return Err(format!(
                    "more than {MOST_BRANCHES} worlds may be, which no vector can tell apart"
                ));
            }
            all.push(branch);
        }
        Ok(Self(all))
    }

    pub(super) fn beliefs(&self) -> impl Iterator<Item = &Belief> + Clone {
        self.0.iter().map(|branch| &branch.belief)
    }

    /// Returns the client's knowledge of an item.
    pub(super) fn known(&self, id: &str) -> ClientKnowledge {
        known(self.beliefs(), |belief| belief.number(id))
    }

    /// Returns whether this creates an item in the place of an expired one.
    fn is_reborn_by(&self, operation: &Operation) -> bool {
        let is_expired = |id: &str| matches!(self.known(id), ClientKnowledge::Expired { .. });
        matches!(operation, Operation::Create(document) if is_expired(&document.id))
    }

    /// Every item that any request was about.
    pub(super) fn ids(&self) -> impl Iterator<Item = &Id> {
        self.beliefs().next().into_iter().flat_map(Belief::ids)
    }
}

/// Returns the expectation for this response, without an item's details.
fn expected(response: &Response) -> ExpectedResponse {
    match &response.body {
        Body::Nothing | Body::Item(_) | Body::Container { .. } => {
            ExpectedResponse::Status(response.status, Details::default())
        }
        Body::Ids(ids) => ExpectedResponse::Ids(ids.iter().cloned().collect()),
        Body::Count(count) => ExpectedResponse::Count(*count),
        Body::Values(values) => ExpectedResponse::Values(values.clone()),
        Body::Committed(statuses) => ExpectedResponse::Committed(statuses.clone()),
        Body::Aborted { at } => ExpectedResponse::Aborted(*at, response.status),
    }
}

/// Returns one response for all answers, or one for each value of the one open choice that decides, and that choice;
/// each with everything about the item that is in question and that its answers agree on.
///
/// # Errors
///
/// Why no vector can say it.
fn expectation(
    operations: &[Operation],
    answers: &[BranchAnswer],
    focus: Focus,
    is_etag_new: bool,
) -> Result<(Expect, Option<ShownChoice>), String> {
    let with_details = |one: &ExpectedResponse, chosen: Option<(&ShownChoice, bool)>| match one {
        ExpectedResponse::Status(status, _) if focus == Focus::Details => {
            let gives = |answer: &&BranchAnswer| answer.expected == *one && answer.may_follow(chosen);
            let mut details = details(answers.iter().filter(gives)).unwrap_or_default();
            details.etag = details.etag.filter(|etag| is_etag_new || *etag != EtagIs::New);
            ExpectedResponse::Status(*status, details)
        }
        other => other.clone(),
    };
    let distinct = distinct(answers.iter());
    if let [one] = distinct.as_slice() {
        return Ok((Expect::One(with_details(one, None)), None));
    }
    let choices: BTreeSet<&ShownChoice> =
        answers.iter().flat_map(|answer| answer.answer.choices.keys()).collect();
    // A choice that binds says more than one that may be another the next time.
    let (binding, free): (Vec<_>, Vec<_>) =
        choices.into_iter().partition(|choice| choice.choice.binds() != Binds::Nothing);
    let decides = |choice: &ShownChoice| Some((choice.clone(), deciding(answers, choice)?));
    match binding.into_iter().chain(free).find_map(decides) {
        Some((ShownChoice { choice: OpenChoice::IndexLags, .. }, _)) => {
            Err("the answers of a lazy index while it is rebuilt are open".into())
        }
        Some((choice, responses)) => {
            let values = choice.choice.values().unwrap_or_default().into_iter().zip([false, true]);
            let outcome =
                |((name, value), one)| (String::from(name), with_details(&one, Some((&choice, value))));
            let outcomes = values.zip(responses).map(outcome).collect();
            let (clause, of) = (choice.choice.clause().into(), choice.of.clone());
            Ok((Expect::Open { clause, of, outcomes }, Some(choice)))
        }
        None => match upserted(operations, &distinct) {
            Some(one) => Ok((Expect::One(one), None)),
            None => Err(format!(
                "{} answers are allowed here, and no single open clause says which is when",
                distinct.len()
            )),
        },
    }
}

/// Returns the one response that allows all of these, if they differ in nothing but the status of upserts. An upsert that is
/// expected to answer ok may answer that it created the item.
fn upserted(operations: &[Operation], distinct: &[&ExpectedResponse]) -> Option<ExpectedResponse> {
    let status = |operation: Option<&Operation>, status: Status| match operation {
        Some(Operation::Upsert(_)) if status == Status::Created => Status::Ok,
        _ => status,
    };
    let loose = |one: &ExpectedResponse| match one {
        ExpectedResponse::Status(own, details) => {
            ExpectedResponse::Status(status(operations.first(), *own), details.clone())
        }
        ExpectedResponse::Committed(all) => ExpectedResponse::Committed(
            all.iter().enumerate().map(|(at, own)| status(operations.get(at), *own)).collect(),
        ),
        other => other.clone(),
    };
    let (first, others) = distinct.split_first()?;
    let first = loose(first);
    others.iter().all(|other| loose(other) == first).then_some(first)
}

fn distinct<'a>(answers: impl Iterator<Item = &'a BranchAnswer>) -> Vec<&'a ExpectedResponse> {
    let mut distinct = Vec::new();
    for BranchAnswer { expected, .. } in answers {
        if !distinct.contains(&expected) {
            distinct.push(expected);
        }
    }
    distinct
}

/// Returns what each value of a choice answers. If the choice binds, that is one response each; if not, one value
/// answers one thing, and the other may answer that, too.
fn deciding(answers: &[BranchAnswer], choice: &ShownChoice) -> Option<[ExpectedResponse; 2]> {
    let [usual, other] = [false, true]
        .map(|value| distinct(answers.iter().filter(|answer| answer.may_follow(Some((choice, value))))));
    let [usual, other] = match (usual.as_slice(), other.as_slice()) {
        ([usual], [other]) if usual != other => [*usual, *other],
        _ if choice.choice.binds() != Binds::Nothing => return None,
        ([usual], [a, b]) if a == usual || b == usual => [*usual, if a == usual { *b } else { *a }],
        ([a, b], [other]) if a == other || b == other => [if a == other { *b } else { *a }, *other],
        _ => return None,
    };
    Some([usual.clone(), other.clone()])
}

fn details<'a>(answers: impl Iterator<Item = &'a BranchAnswer>) -> Option<Details> {
    let item = |BranchAnswer { answer, seen, .. }: &'a BranchAnswer| match &answer.response.body {
        Body::Item(item) => Some((item, seen)),
        _ => None,
    };
    let items: Vec<(&Item, &Vec<Etag>)> = answers.map(item).collect::<Option<_>>()?;
    let (first, _) = *items.first()?;
    let all = |holds: &dyn Fn(&Item) -> bool| items.iter().all(|(item, _)| holds(item));
    let mut details = Details { has: first.document.properties.clone(), ..Details::default() };
    details.has.retain(|name, value| all(&|item| item.document.properties.get(name) == Some(&*value)));
    if all(&|item| item.document.ttl().is_none()) {
        details.absent.push("ttl".into());
    }
    if all(&|item| item.ts == first.ts) {
        details.written_at_s = first.ts.and_then(|ts| u64::try_from(ts).ok());
    }
    if items.iter().all(|(item, seen)| item.etag.as_ref() == seen.last()) {
        details.etag = Some(EtagIs::Same);
    } else if items.iter().all(|(item, seen)| item.etag.as_ref().is_some_and(|etag| !seen.contains(etag))) {
        details.etag = Some(EtagIs::New);
    }
    Some(details)
}
