//! Goes through a script and annotates every request with what it must answer.

use std::collections::BTreeSet;

use cosmos_ttl_belief::{Belief, OpenChoice, OpenClause, PossibleAnswer, default_ttl, known};
use cosmos_ttl_harness::etags;
use cosmos_ttl_harness::target::{Body, Edition, Etag, Id, Item, Operation, Request, Response, Status};
use cosmos_ttl_harness::vector::{Details, EtagIs, Expect, ExpectedResponse, render};
use cosmos_ttl_model::client_knowledge::ClientKnowledge;
use cosmos_ttl_model::rule::DefaultTtl;

use super::clauses;
use crate::{Action, Call, Script};

/// A script with expectations, as far as it was annotated.
pub(super) struct Annotated {
    branches: Branches,
    now_s: u64,
    /// The second that the steps have come to.
    written_s: u64,
    pub(super) steps: Vec<String>,
    /// The requests, each with its second.
    pub(super) calls: Vec<(u64, Call)>,
    /// What the request in question must answer.
    pub(super) last: Option<Expect>,
    /// What that request shows, and every open clause on the way.
    pub(super) clauses: BTreeSet<&'static str>,
    /// The number of actions after which the container exists, whatever the target chose; `None` if it never does.
    pub(super) exists_after: Option<usize>,
}

/// Annotates a script. The action at `last`, or the creation of the container if there is none, is the one in question:
/// its clauses are cited, and its answer may be detailed.
pub(super) fn annotate(script: &Script, last: Option<usize>, detailed: bool) -> Result<Annotated, String> {
    let first = Branch { belief: Belief::new(script.edition), shown: Vec::new() };
    let mut annotated = Annotated {
        branches: Branches { all: vec![first], ids: Vec::new() },
        now_s: 0,
        written_s: 0,
        steps: Vec::new(),
        calls: Vec::new(),
        last: None,
        clauses: BTreeSet::new(),
        exists_after: None,
    };
    let creation = Action::Call(script.creation());
    for (number, action) in [&creation].into_iter().chain(&script.actions).enumerate() {
        match action {
            Action::Wait(seconds) => {
                annotated.now_s = annotated.now_s.saturating_add(*seconds);
                annotated.branches.all.iter_mut().for_each(|branch| branch.belief.pass(*seconds));
            }
            Action::Call(call) => {
                let asked = number == last.map_or(0, |last| last + 1);
                if annotated.call(call, script.edition, asked, detailed && number > 0)? {
                    annotated.exists_after.get_or_insert(number);
                }
            }
        }
    }
    Ok(annotated)
}

impl Annotated {
    /// Returns whether it makes the container.
    fn call(&mut self, call: &Call, edition: Edition, asked: bool, detailed: bool) -> Result<bool, String> {
        let before = self.branches.clone();
        let now_s = self.now_s;
        let at = |why: String| format!("at second {now_s}: {why}");
        let answers = self.branches.answers(call).map_err(at)?;
        let (expect, choice) = expectation(&answers).map_err(at)?;
        let detailed = (asked && detailed).then(|| with_details(&expect, choice.as_ref(), &answers));
        let step = render::step(&call.request, &call.conditions, detailed.as_ref().unwrap_or(&expect), &[]);
        let step = step.map_err(|why| at(why.to_string()))?;
        self.branches.follow(answers, choice.as_ref())?;
        self.clauses.extend(choice.map(|choice| choice.clause.id));
        if self.written_s < self.now_s {
            self.written_s = self.now_s;
            self.steps.push(render::at(self.now_s));
        }
        self.steps.push(step);
        self.calls.push((self.now_s, call.clone()));
        let is_created = |one: &ExpectedResponse| matches!(one, ExpectedResponse::Status(Status::Created, _));
        let creates =
            matches!(call.request, Request::CreateContainer(_)) && expect.outcomes().any(is_created);
        if asked {
            self.clauses.extend(clauses::of(call, &expect, &before, &self.branches, edition));
            self.last = Some(expect);
        }
        Ok(creates)
    }
}

/// What the responses so far may have been: the belief after them, and the choices that expectations tell apart.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Branch {
    belief: Belief,
    shown: Vec<(OpenChoice, bool)>,
}

/// Every history that is possible.
#[derive(Clone, Debug)]
pub(super) struct Branches {
    all: Vec<Branch>,
    ids: Vec<Id>,
}

/// What may be answered in one branch.
struct BranchAnswer {
    expected: ExpectedResponse,
    answer: PossibleAnswer,
    shown: Vec<(OpenChoice, bool)>,
    /// The etags of this item that were seen before.
    seen: Vec<Etag>,
}

/// More branches than this are more than a vector can tell apart.
const MOST_BRANCHES: usize = 4_096;

impl Branches {
    fn answers(&mut self, call: &Call) -> Result<Vec<BranchAnswer>, String> {
        for operation in call.request.operations() {
            if !self.ids.iter().any(|id| id == operation.id()) {
                self.ids.push(operation.id().into());
            }
        }
        let mut answers = Vec::new();
        for Branch { belief, shown } in &self.all {
            let request = etags::sent(&call.request, &call.conditions, |id, condition| {
                let etag = belief.etag(id, condition).cloned();
                etag.ok_or_else(|| format!("no such etag of `{id}` is seen in every world"))
            })?;
            let subject = request.operations().first().map(Operation::id);
            let seen = subject.map_or(&[][..], |id| belief.etags(id));
            for mut answer in belief.all_answers(&request) {
                // A choice that binds nothing is made once for a whole vector all the same.
                let contradicts = |(choice, value): &(OpenChoice, bool)| {
                    !choice.clause.binds && answer.choices.get(choice).is_some_and(|chosen| chosen != value)
                };
                if !shown.iter().any(contradicts) {
                    answer.choices.extend(shown.iter().cloned());
                    let expected = expected(&answer.response);
                    answers.push(BranchAnswer {
                        expected,
                        answer,
                        shown: shown.clone(),
                        seen: seen.to_vec(),
                    });
                }
            }
        }
        Ok(answers)
    }

    /// Goes on after these answers; if a choice shows in them, each branch remembers it.
    fn follow(&mut self, answers: Vec<BranchAnswer>, choice: Option<&OpenChoice>) -> Result<(), String> {
        self.all.clear();
        for BranchAnswer { answer: PossibleAnswer { choices, after, .. }, mut shown, .. } in answers {
            if let Some((choice, value)) = choice.and_then(|choice| choices.get_key_value(choice)) {
                shown.retain(|(known, _)| known != choice);
                shown.push((choice.clone(), *value));
            }
            let branch = Branch { belief: after, shown };
            if self.all.contains(&branch) {
                continue;
            }
            if MOST_BRANCHES <= self.all.len() {
                return Err(format!(
                    "more than {MOST_BRANCHES} worlds may be, which no vector can tell apart"
                ));
            }
            self.all.push(branch);
        }
        Ok(())
    }

    /// What is known of an item.
    pub(super) fn known(&self, id: &str) -> ClientKnowledge {
        known(self.all.iter().map(|branch| &branch.belief), id)
    }

    /// The container's `defaultTtl`, in the first of the branches.
    pub(super) fn default_ttl(&self) -> DefaultTtl {
        default_ttl(self.all.iter().map(|branch| &branch.belief))
    }

    /// Every item that any request was about.
    pub(super) fn ids(&self) -> &[Id] {
        &self.ids
    }
}

/// What a vector says of this response, an item's details aside.
fn expected(response: &Response) -> ExpectedResponse {
    match &response.body {
        Body::Nothing | Body::Item(_) => ExpectedResponse::Status(response.status, Details::default()),
        Body::Ids(ids) => ExpectedResponse::Ids(ids.iter().cloned().collect()),
        Body::Count(count) => ExpectedResponse::Count(*count),
        Body::Committed(statuses) => ExpectedResponse::Committed(statuses.clone()),
        Body::Aborted { at } => ExpectedResponse::Aborted(*at, response.status),
    }
}

/// Returns one response for all answers, or one for each value of the one open choice that decides, and that choice.
///
/// # Errors
///
/// Why no vector can say it.
fn expectation(answers: &[BranchAnswer]) -> Result<(Expect, Option<OpenChoice>), String> {
    let distinct = distinct(answers.iter());
    if let [one] = distinct.as_slice() {
        return Ok((Expect::One((*one).clone()), None));
    }
    let choices: BTreeSet<&OpenChoice> =
        answers.iter().flat_map(|answer| answer.answer.choices.keys()).collect();
    // A choice that binds says more than one that may be another the next time.
    let (binding, free): (Vec<_>, Vec<_>) = choices.into_iter().partition(|choice| choice.clause.binds);
    let decides = |choice: &OpenChoice| Some((choice.clone(), deciding(answers, choice)?));
    match binding.into_iter().chain(free).find_map(decides) {
        Some((OpenChoice { clause: OpenClause::LAZY_INDEX, .. }, _)) => {
            Err("what a lazy index answers while it is built anew is open, and no client can tell".into())
        }
        Some((choice, responses)) => {
            let values = choice.clause.values.into_iter().map(String::from);
            let outcomes = values.zip(responses).collect();
            Ok((
                Expect::Open { clause: choice.clause.id.into(), of: choice.of.clone(), outcomes },
                Some(choice),
            ))
        }
        None => Err(format!(
            "{} answers are allowed here, and no single open clause says which is when",
            distinct.len()
        )),
    }
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
fn deciding(answers: &[BranchAnswer], choice: &OpenChoice) -> Option<[ExpectedResponse; 2]> {
    let under = |value: bool| {
        distinct(answers.iter().filter(|one| one.answer.choices.get(choice).is_none_or(|of| *of == value)))
    };
    let (usual, other) = (under(false), under(true));
    let besides = |one: &ExpectedResponse, all: &[&ExpectedResponse]| {
        let mut rest = all.iter().filter(|response| **response != one);
        let only = rest.next().map(|response| (*response).clone());
        only.filter(|_| rest.next().is_none())
    };
    match (usual.as_slice(), other.as_slice()) {
        ([usual], [other]) if usual != other => Some([(*usual).clone(), (*other).clone()]),
        _ if choice.clause.binds => None,
        ([usual], other) => Some([(*usual).clone(), besides(usual, other)?]),
        (usual, [other]) => Some([besides(other, usual)?, (*other).clone()]),
        _ => None,
    }
}

/// Returns the same expectation with everything about the item that all answers agree on.
fn with_details(expect: &Expect, choice: Option<&OpenChoice>, answers: &[BranchAnswer]) -> Expect {
    let with = |one: &ExpectedResponse, value: Option<bool>| match one {
        ExpectedResponse::Status(status, _) => {
            let under = |answer: &&BranchAnswer| {
                let chosen = choice.and_then(|choice| answer.answer.choices.get(choice)).copied();
                answer.expected == *one && (value.is_none() || chosen.is_none() || chosen == value)
            };
            let like: Vec<&BranchAnswer> = answers.iter().filter(under).collect();
            ExpectedResponse::Status(*status, details(&like).unwrap_or_default())
        }
        other => other.clone(),
    };
    match expect {
        Expect::One(one) => Expect::One(with(one, None)),
        Expect::Open { clause, of, outcomes } => {
            let outcomes = outcomes.iter().zip([false, true]);
            let outcomes = outcomes.map(|((name, one), value)| (name.clone(), with(one, Some(value))));
            Expect::Open { clause: clause.clone(), of: of.clone(), outcomes: outcomes.collect() }
        }
    }
}

fn details(answers: &[&BranchAnswer]) -> Option<Details> {
    let item = |answer: &&BranchAnswer| {
        if let Body::Item(item) = &answer.answer.response.body { Some(item.clone()) } else { None }
    };
    let items: Vec<Item> = answers.iter().map(item).collect::<Option<_>>()?;
    let first = items.first()?;
    let mut details = Details::default();
    for (name, value) in &first.document.properties {
        if items.iter().all(|item| item.document.properties.get(name) == Some(value)) {
            details.has.insert(name.clone(), value.clone());
        }
    }
    if items.iter().all(|item| !item.document.properties.contains_key("ttl")) {
        details.absent.push("ttl".into());
    }
    if items.iter().all(|item| item.ts == first.ts) {
        details.written_at_s = first.ts.and_then(|ts| u64::try_from(ts).ok());
    }
    let mut etags = items.iter().map(|item| item.etag.as_ref()).zip(answers);
    if etags.clone().all(|(etag, answer)| etag == answer.seen.last()) {
        details.etag = Some(EtagIs::Same);
    } else if etags.all(|(etag, answer)| etag.is_some_and(|etag| !answer.seen.contains(etag))) {
        details.etag = Some(EtagIs::New);
    }
    Some(details)
}
