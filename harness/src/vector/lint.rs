//! Mistakes of a well-formed vector: it expects answers that no target can give, or it tests nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Condition, EtagIs, Expect, ExpectedResponse, ItemName, Pages, Place, Precondition, Step, Vector,
};
use crate::clauses::{Binds, Catalogue, Level};
use crate::etags::EtagLog;
use crate::literal::Literal;
use crate::suggest;
use crate::target::{Id, Operation, Request, Status};

use crate::yaml::Node;
use crate::yaml::fields::Flaw;

/// The line of a step, what is wrong with it, and what to do.
type LintError = (usize, String, String);

/// Refuses a vector that is read from this node.
pub(super) fn check(catalogue: &Catalogue, vector: &Vector, node: &Node) -> Result<(), Flaw> {
    let refused = |what: &str, help: &str| Err(node.flaw(what, help));
    if vector.title.ends_with('.') {
        let help = "say in one sentence, without a final period, what must hold";
        return refused(&format!("`{}` is no title", vector.title), help);
    }
    let Some(first) = vector.steps.first() else {
        return refused("asks nothing", "a vector has steps, the first of which creates the container");
    };
    check_steps(catalogue, vector, first)
        .map_err(|(line, what, help)| Flaw::new(&vector.source.entry_at(line), what, help))
}

fn check_steps(catalogue: &Catalogue, vector: &Vector, first: &Step) -> Result<(), LintError> {
    check_start(vector, first)?;
    // By container and partition.
    let mut seen: BTreeMap<_, StepHistory> = BTreeMap::new();
    let mut first_pages = BTreeSet::new();
    for step in &vector.steps {
        check_statuses(step)?;
        check_open(catalogue, vector, step)?;
        let seen = seen.entry(step.place()).or_default();
        seen.check(step)?;
        seen.note(step);
        check_pages(step, &mut first_pages)?;
    }
    check_witnesses(vector, None)?;
    let mut checked = BTreeSet::new();
    for step in &vector.steps {
        let Expect::Open { clause, outcomes, .. } = &step.expect else { continue };
        for (value, _) in outcomes {
            if checked.insert((clause, value)) {
                check_witnesses(vector, Some((clause, value)))?;
            }
        }
    }
    Ok(())
}

fn complaint<T>(step: &Step, what: impl Into<String>, help: impl Into<String>) -> Result<T, LintError> {
    Err((step.line, what.into(), help.into()))
}

/// Says which id in an answer no step writes, and what may be meant.
fn unwritten(vector: &Vector, outcome: &ExpectedResponse) -> Option<String> {
    let ExpectedResponse::Ids(ids) = outcome else { return None };
    let written: BTreeSet<&str> = vector.steps.iter().flat_map(Step::written).map(|item| item.id).collect();
    let id = ids.iter().find(|id| !written.contains(id.as_str()))?;
    let question = suggest::question(&suggest::suggest(id, written));
    Some(format!("no step writes `{id}`; {question}").trim_end_matches([';', ' ']).to_owned())
}

/// A container must stand before anything is asked of it.
fn check_start(vector: &Vector, first: &Step) -> Result<(), LintError> {
    let creates = |step: &&Step| matches!(step.request, Request::CreateContainer(_));
    if !creates(&first) || first.at_s != 0 {
        return complaint(first, "no container yet", "the first step is `create-container`, before any `at`");
    }
    let mut existing: BTreeSet<Option<&str>> = BTreeSet::new();
    for step in &vector.steps {
        if matches!(step.request, Request::DeleteContainer) {
            existing.remove(&step.container.as_deref());
        }
        if !creates(&step) {
            continue;
        }
        let exists = existing.contains(&step.container.as_deref());
        let is = |status: Status| move |outcome: &ExpectedResponse| matches!(outcome, ExpectedResponse::Status(one, _) if *one == status);
        if exists && !step.expect.outcomes().all(is(Status::Conflict)) {
            let help = "expect `conflict`; `replace-container` changes its settings";
            return complaint(step, "the container exists already", help);
        }
        if !exists && step.expect.outcomes().any(is(Status::Conflict)) {
            return complaint(step, "no container exists yet", "expect `created` or `bad-request`");
        }
        existing.extend(step.expect.outcomes().all(is(Status::Created)).then_some(step.container.as_deref()));
    }
    Ok(())
}

/// The answers that a request can have, success first.
fn possible(request: &Request) -> &'static [Status] {
    match request {
        Request::CreateContainer(_) => &[Status::Created, Status::BadRequest, Status::Conflict],
        Request::ReplaceContainer(_) => &[Status::Ok, Status::BadRequest],
        Request::ReadContainer => &[Status::Ok, Status::NotFound],
        Request::DeleteContainer => &[Status::NoContent, Status::NotFound],
        Request::Item(operation) => possible_of(operation),
        Request::Batch(_) => &[Status::BadRequest],
        Request::Query | Request::List | Request::Count | Request::Select(_) | Request::ReadMany(_) => &[],
    }
}

fn possible_of(operation: &Operation) -> &'static [Status] {
    use Status as S;
    match operation {
        Operation::Create(_) => &[S::Created, S::Conflict, S::BadRequest, S::NotFound],
        Operation::Upsert(_) => &[S::Created, S::Ok, S::BadRequest, S::NotFound, S::PreconditionFailed],
        Operation::Replace(..) | Operation::Patch(..) => {
            &[S::Ok, S::NotFound, S::PreconditionFailed, S::BadRequest]
        }
        Operation::Read(_) => &[S::Found, S::NotFound, S::NotModified],
        Operation::Delete(..) => &[S::NoContent, S::NotFound, S::PreconditionFailed],
    }
}

fn check_statuses(step: &Step) -> Result<(), LintError> {
    use ExpectedResponse as E;
    let operations = step.request.operations();
    for outcome in step.expect.outcomes() {
        let answers = match outcome {
            E::Status(status, _) => vec![(possible(&step.request), *status)],
            E::Committed(statuses) => {
                operations.iter().map(possible_of).zip(statuses.iter().copied()).collect()
            }
            E::Aborted(at, status) => vec![(operations.get(*at).map_or(&[][..], possible_of), *status)],
            E::Ids(_) | E::Count(_) | E::CountWithin(..) | E::Values(_) => Vec::new(),
        };
        for (possible, status) in answers {
            let carries_item = matches!(status, Status::Created | Status::Ok | Status::Found);
            if !possible.contains(&status) {
                let words: Vec<_> = possible.iter().map(|status| status.word()).collect();
                let help = format!("one of {}", words.join(", "));
                return complaint(step, format!("this is never answered `{status}`"), help);
            }
            let is_container = matches!(
                step.request,
                Request::CreateContainer(_) | Request::ReplaceContainer(_) | Request::ReadContainer
            );
            match outcome {
                E::Status(_, details)
                    if details.default_ttl.is_some() != (is_container && !details.is_empty())
                        || is_container && !details.of_item_are_empty() =>
                {
                    let help = "of a container only `defaultTtl` is asked, and of an item all others";
                    return complaint(step, "details that this answer does not have", help);
                }
                E::Status(_, details) if !details.is_empty() && !carries_item => {
                    let help = "ask for details of created, ok or found";
                    return complaint(step, format!("`{status}` carries no item"), help);
                }
                E::Committed(_) if !status.is_success() => {
                    return complaint(step, "a committed batch with a refused operation", "use `aborted`");
                }
                E::Aborted(..) if status.is_success() => {
                    return complaint(step, "an aborted batch whose operation succeeds", "name the refusal");
                }
                _ => {}
            }
        }
    }
    Ok(())
}

fn succeeds(outcome: &ExpectedResponse) -> bool {
    match outcome {
        ExpectedResponse::Status(status, _) => status.is_success(),
        ExpectedResponse::Committed(_) => true,
        _ => false,
    }
}

fn check_open(catalogue: &Catalogue, vector: &Vector, step: &Step) -> Result<(), LintError> {
    let Expect::Open { clause: id, of, outcomes } = &step.expect else { return Ok(()) };
    let Some(clause) = catalogue.get(id).filter(|clause| clause.level == Level::Open) else {
        return complaint(step, format!("`{id}` is no open clause"), "see `cosmos-ttl list`");
    };
    if !vector.clauses.contains(id) {
        return complaint(step, format!("`{id}` is not among the vector's clauses"), "cite it");
    }
    if clause.binds == Some(Binds::Item) && of.is_none() {
        return complaint(step, format!("`{id}` is about an item, but which?"), "say `of: ID` after `open`");
    }
    let given: Vec<_> = outcomes.iter().map(|(value, _)| value.as_str()).collect();
    if given.len() == clause.values.len() && clause.values.iter().all(|value| given.contains(&value.as_str()))
    {
        return Ok(());
    }
    let what = format!("`{id}` is open between {}, not {}", clause.values.join(", "), given.join(", "));
    complaint(step, what, "one answer for each value")
}

/// Pages can only follow a first one, and once. `begun` holds the first pages that nothing has followed yet.
fn check_pages<'a>(step: &'a Step, begun: &mut BTreeSet<(&'static str, Place<'a>)>) -> Result<(), LintError> {
    let key = (step.request.word(), step.place());
    match step.pages {
        Some(Pages::First(_)) => drop(begun.insert(key)),
        Some(Pages::Rest) if !begun.remove(&key) => {
            let help = format!("ask for its first page before, `{}: {{page-size: 2, expect: ..}}`", key.0);
            return complaint(step, "there is nothing to continue", help);
        }
        _ => {}
    }
    Ok(())
}

/// The knowledge of each item of one partition after the steps so far.
#[derive(Default)]
struct StepHistory {
    /// The answers that may have carried an etag of this item, each another.
    etags: EtagLog<Id, usize>,
    /// The seconds at which it was written.
    writes: BTreeSet<(Id, u64)>,
}

impl StepHistory {
    fn check(&self, step: &Step) -> Result<(), LintError> {
        let precondition = match step.precondition {
            Some(Precondition::IfMatch(condition)) => Some((0, condition)),
            Some(Precondition::IfNoneMatch(condition)) => condition.map(|condition| (0, condition)),
            None => None,
        };
        for (number, condition) in step.conditions.iter().chain(&precondition) {
            let id = step.request.operations().get(*number).map_or("", Operation::id);
            let (what, help) = match condition {
                Condition::Seen if self.lacks_current(id) => return unshown(step, id),
                _ if self.etags.meant(id, *condition).is_some() => continue,
                Condition::Seen => (format!("no etag of `{id}` was seen yet"), "write or read it first"),
                Condition::Stale => (format!("no etag of `{id}` is stale yet"), "write it twice first"),
            };
            return complaint(step, what, help);
        }
        let Request::Item(operation) = &step.request else { return Ok(()) };
        for outcome in step.expect.outcomes() {
            let ExpectedResponse::Status(_, details) = outcome else { continue };
            if details.etag == Some(EtagIs::Same) && self.lacks_current(operation.id()) {
                return unshown(step, operation.id());
            }
            let writes_now = operation.is_write().then_some(step.at_s);
            if let Some(at_s) = details.written_at_s
                && writes_now != Some(at_s)
                && !self.writes.contains(&(operation.id().into(), at_s))
            {
                let what = format!("nothing writes `{}` at second {at_s}", operation.id());
                return complaint(step, what, "`written-at` names the second of a write in this vector");
            }
        }
        Ok(())
    }

    fn note(&mut self, step: &Step) {
        if !step.expect.outcomes().any(succeeds) {
            return;
        }
        for ItemName { id, .. } in step.written() {
            self.etags.record(id.into(), self.etags.seen(id).len());
            self.writes.insert((id.into(), step.at_s));
        }
        match &step.request {
            // The answer to a batch has no etags.
            Request::Batch(_) if step.expect.outcomes().all(succeeds) => {
                step.written().for_each(|item| self.etags.record_unseen(item.id.into()));
            }
            Request::Item(operation) => {
                if let Some(last) = self.etags.seen(operation.id()).last().copied() {
                    self.etags.record(operation.id().into(), last);
                }
            }
            _ => {}
        }
    }

    /// Returns whether etags of this item were seen, and the present one was not.
    fn lacks_current(&self, id: &str) -> bool {
        !self.etags.seen(id).is_empty() && self.etags.current(id).is_none()
    }
}

fn unshown<T>(step: &Step, id: &str) -> Result<T, LintError> {
    complaint(step, format!("no answer shows the etag that a batch gave to `{id}`"), "read the item first")
}

/// A vector that expects an item to be gone must also expect another to be there, a witness, in that second or later and
/// after the last change of settings: a target that loses everything must not pass. Of a target with this choice, if it has one.
fn check_witnesses(vector: &Vector, choice: Option<(&str, &str)>) -> Result<(), LintError> {
    let asked: Vec<(&Step, &ExpectedResponse)> =
        vector.steps.iter().filter_map(|step| Some((step, outcome_where(step, choice)?))).collect();
    let last_count = asked
        .iter()
        .rposition(|(_, outcome)| matches!(outcome, ExpectedResponse::Count(count) if *count > 0));
    // By item, the last step that shows it.
    let mut last_shown = BTreeMap::new();
    for (number, (step, outcome)) in asked.iter().enumerate() {
        last_shown.extend(shown(step, outcome).into_iter().map(|id| (id, number)));
    }
    let mut made = BTreeSet::new();
    // Of the items made, the two that are shown last: one of them is another than any given item.
    let mut witnesses: [Option<(usize, ItemName<'_>)>; 2] = [None; 2];
    let (mut since, mut second_began) = (0, 0);
    for (number, (step, outcome)) in asked.iter().enumerate() {
        match step.request {
            Request::ReplaceContainer(_) => since = number,
            // What a client deletes is not hidden: nobody needs to see another item.
            Request::DeleteContainer => {
                made.retain(|id: &ItemName<'_>| id.container != step.container.as_deref());
            }
            _ => {}
        }
        if asked.get(second_began).is_some_and(|(first, _)| first.at_s != step.at_s) {
            second_began = number;
        }
        let first = since.max(second_began);
        let is_witnessed = |id: &ItemName<'_>| {
            let is_other = |(last, other): &(usize, ItemName<'_>)| first <= *last && other != id;
            last_count.is_some_and(|last| first <= last) || witnesses.iter().flatten().any(is_other)
        };
        if let Some(id) = gone(step, outcome, &made).into_iter().find(|id| !is_witnessed(id)) {
            let what = format!("`{id}` is expected gone, and nothing is expected to be there");
            let help = "in that second or later, and after the last change of settings, expect another item to be there: \
                        a target that loses everything must not pass";
            return complaint(step, what, unwritten(vector, outcome).unwrap_or_else(|| help.into()));
        }
        if succeeds(outcome) {
            for id in step.written().filter(|id| made.insert(*id)) {
                let [first, second] = &mut witnesses;
                let new = last_shown.get(&id).map(|last| (*last, id));
                *second = (*second).max((*first).min(new));
                *first = (*first).max(new);
            }
        }
    }
    Ok(())
}

/// Returns the answer of the step under this choice; the first allowed one, if the step is about another clause.
fn outcome_where<'a>(step: &'a Step, choice: Option<(&str, &str)>) -> Option<&'a ExpectedResponse> {
    match (&step.expect, choice) {
        (Expect::Open { clause, outcomes, .. }, Some((chosen, value))) if clause == chosen => {
            outcomes.iter().find(|(name, _)| name == value).map(|(_, outcome)| outcome)
        }
        (expect, _) => expect.outcomes().next(),
    }
}

/// The items that this answer shows to be gone, of those that were made.
fn gone<'a>(
    step: &'a Step,
    outcome: &'a ExpectedResponse,
    made: &BTreeSet<ItemName<'a>>,
) -> Vec<ItemName<'a>> {
    let one = |operation: &'a Operation, is_gone: bool| {
        let item = Some(step.item(operation.id())).filter(|item| is_gone && made.contains(item));
        item.into_iter().collect()
    };
    match (&step.request, outcome) {
        (Request::Item(operation), ExpectedResponse::Status(status, _)) => {
            let of_gone = match operation {
                Operation::Create(_) | Operation::Upsert(_) => Status::Created,
                _ => Status::NotFound,
            };
            one(operation, *status == of_gone)
        }
        (_, ExpectedResponse::Ids(ids)) => {
            let is_gone = |item: &ItemName<'_>| asks_for(step, item) && !ids.contains(item.id);
            made.iter().copied().filter(is_gone).collect()
        }
        (Request::Batch(operations), ExpectedResponse::Aborted(at, Status::NotFound)) => {
            operations.get(*at).map_or_else(Vec::new, |operation| one(operation, true))
        }
        _ => Vec::new(),
    }
}

/// Whether a request that answers ids asks for this item for certain: a filter may leave it out.
fn asks_for(step: &Step, item: &ItemName<'_>) -> bool {
    let is_here = *item == step.item(item.id);
    match &step.request {
        Request::ReadMany(ids) => is_here && ids.iter().any(|id| id == item.id),
        Request::Select(select) => {
            let is_id = |(name, value): (&String, &Literal)| {
                name == "id" && *value == Literal::from(&serde_json::Value::from(item.id))
            };
            let is_everywhere = select.across && item.container == step.container.as_deref();
            (is_here || is_everywhere)
                && select.filter.iter().all(is_id)
                && select.offset.is_none()
                && select.limit.is_none()
        }
        _ => is_here,
    }
}

/// The items that this answer shows to be there.
fn shown<'a>(step: &'a Step, outcome: &'a ExpectedResponse) -> Vec<ItemName<'a>> {
    match (&step.request, outcome) {
        (Request::Item(operation), ExpectedResponse::Status(status, _)) => {
            let is_there = match operation {
                Operation::Create(_) => *status == Status::Conflict,
                Operation::Upsert(_) => *status == Status::Ok,
                _ => {
                    status.is_success() || matches!(status, Status::PreconditionFailed | Status::NotModified)
                }
            };
            if is_there { vec![step.item(operation.id())] } else { Vec::new() }
        }
        // An item of a page may be on another page, which was asked for earlier.
        (_, ExpectedResponse::Ids(ids)) if step.pages.is_none() => {
            ids.iter().map(|id| step.item(id)).collect()
        }
        _ => Vec::new(),
    }
}
