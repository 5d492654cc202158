//! Holds a list against a run, and brings it up to date with one: what to change, entry by entry. The new text is read and
//! compared with the same run before it is written.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use super::edit::{Edit, quoted, worded};
use super::{FailureKind, KnownFailure, KnownFailures};
use crate::diagnostic::Source;
use crate::plain::plain;
use crate::run::{Run, Tally, VectorResult};
use crate::signature::Signature;
use crate::vector::Suite;
use crate::verdict::{Failure, Outcome, Verdict};

/// How new failures are put on a list.
#[derive(Clone, Copy, Debug)]
pub struct Adding<'a> {
    /// Why they fail; without it none is added.
    pub reason: Option<&'a str>,
    /// The kind of the failures.
    pub kind: FailureKind,
    /// Whether differences from a `should` are added too.
    pub strict: bool,
}

/// One change of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListChange {
    /// The change of the entry.
    pub kind: ListChangeKind,
    /// The vector, or the wildcard.
    pub subject: String,
    /// Why, or how it fails, for people.
    pub message: String,
    /// The new `step` or `max`, as the list writes it.
    value: String,
}

/// The kind of change of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ListChangeKind {
    /// It goes away.
    Removed,
    /// It fails in another way.
    Changed,
    /// It is a wildcard, and takes fewer.
    Lowered,
    /// It is for a person to decide.
    Left,
    /// It is new.
    Added,
}

display_as_serialized!(ListChangeKind);

/// The effect of an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdatePlan {
    /// The text of the file afterwards.
    pub text: String,
    /// The changes of entries, new entries last.
    pub changes: Vec<ListChange>,
    /// How many entries stay as they are.
    pub kept: usize,
}

impl UpdatePlan {
    /// Returns the number of changes of these kinds.
    pub fn count(&self, kinds: &[ListChangeKind]) -> usize {
        self.changes.iter().filter(|change| kinds.contains(&change.kind)).count()
    }
}

/// Why a list is not brought up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpdateRefusal {
    /// The run did not come to its end, or a vector on the list broke or is inconclusive.
    Unjudged(Outcome, String),
    /// There are new failures, and no reason for them.
    NoReason(Vec<ListChange>),
    /// A wildcard takes more than it allows.
    TooMany(String),
    /// The file cannot be edited entry by entry.
    Layout(String),
}

/// The text of a list of nothing.
pub fn blank(target: &str) -> String {
    let target = quoted(target);
    format!(
        "\
# How this target is known to fail: every entry must fail, and so. `cosmos-ttl known update` keeps this up to date.
target: {target}
known: []
"
    )
}

/// Returns the changes after which the list describes this run. The run must not have been compared with a list.
///
/// # Errors
///
/// An [`UpdateRefusal`], if the run judged too little, or a person has to decide.
pub fn plan(
    known: &KnownFailures,
    suite: &Suite,
    run: &Run<'_>,
    adding: Adding<'_>,
) -> Result<UpdatePlan, UpdateRefusal> {
    let mut held = run.clone();
    apply(known, &mut held);
    let names: Vec<_> = known.names().collect();
    let unjudged = |result: &&VectorResult<'_>| match result.verdict.outcome() {
        Outcome::NotRun => true,
        Outcome::Broken | Outcome::Inconclusive => names.contains(&result.vector.name.as_str()),
        _ => false,
    };
    if let Some(result) = held.results.iter().find(unjudged) {
        let why = plain(&result.verdict.reason().unwrap_or_default());
        let why = format!("{}: {why}", result.vector.name);
        return Err(UpdateRefusal::Unjudged(result.verdict.outcome(), why));
    }
    let mut edit = Edit::new(known.text(), &known.tree);
    let mut changes = Vec::new();
    for (entry, node) in known.entries.iter().zip(edit.entries()) {
        let Some(change) = change(entry, &held)? else { continue };
        match change.kind {
            ListChangeKind::Removed => edit.remove(node),
            ListChangeKind::Changed => edit.replace(node, "step", &change.value),
            ListChangeKind::Lowered => edit.replace(node, "max", &change.value),
            ListChangeKind::Left | ListChangeKind::Added => {}
        }
        changes.push(change);
    }
    let kept = known.len() - changes.len();
    let is_new = |result: &&VectorResult<'_>| match result.outcome() {
        Outcome::Fail => true,
        outcome => outcome == Outcome::Differ && adding.strict,
    };
    let new = held.results.iter().filter(is_new);
    let added: Vec<_> = new.filter_map(|result| ListChange::failing(ListChangeKind::Added, result)).collect();
    if adding.reason.is_none() && !added.is_empty() {
        return Err(UpdateRefusal::NoReason(added));
    }
    for ListChange { subject, value, .. } in &added {
        edit.append(&[
            format!("- id: {subject}"),
            format!("  kind: {}", adding.kind),
            format!("  reason: {}", worded(adding.reason.unwrap_or_default())),
            format!("  step: {value}"),
        ]);
    }
    changes.extend(added);
    let plan = UpdatePlan { text: edit.text(), changes, kept };
    check_result(known, suite, run, &plan, adding.strict)?;
    Ok(plan)
}

impl ListChange {
    fn new(kind: ListChangeKind, subject: &str, message: impl Into<String>, value: String) -> Self {
        Self { kind, subject: subject.into(), message: message.into(), value }
    }

    fn removed(subject: &str, why: &str) -> Self {
        Self::new(ListChangeKind::Removed, subject, why, String::new())
    }

    /// Of the entry of a vector that fails so now.
    fn failing(kind: ListChangeKind, result: &VectorResult<'_>) -> Option<Self> {
        let Verdict::Fail(failure) = &result.verdict else { return None };
        let Failure { at_s, signature: Signature { expected, got }, .. } = failure;
        let value = format!("{{at: {at_s}, expected: {expected}, got: {got}}}");
        Some(Self::new(kind, &result.vector.name, plain(&failure.to_string()), value))
    }
}

/// Returns the change of an entry; `None` if it stays.
fn change(entry: &KnownFailure, run: &Run<'_>) -> Result<Option<ListChange>, UpdateRefusal> {
    let flaky = entry.text.kind == FailureKind::Flaky;
    if let Some((pattern, max)) = entry.wildcard() {
        let (covered, most) = coverage(entry, run);
        let (count, line) = (covered.len(), entry.line);
        return match most {
            _ if max < count => {
                let what = format!("line {line}: `{pattern}` lists at most {max}, but {count} fail so");
                Err(UpdateRefusal::TooMany(what))
            }
            0 if !flaky => Ok(Some(ListChange::removed(pattern, "none fails so now"))),
            most if most < max && !flaky => {
                let (message, value) = (format!("`max` is {most}"), most.to_string());
                Ok(Some(ListChange::new(ListChangeKind::Lowered, pattern, message, value)))
            }
            _ => Ok(None),
        };
    }
    let result = run.results.iter().find(|result| entry.names.contains(&result.vector.name));
    Ok(result.and_then(|result| {
        let removed = |why| Some(ListChange::removed(&result.vector.name, why));
        match result.outcome() {
            Outcome::UnexpectedPass => removed("it passes now"),
            Outcome::Unsupported => removed("the target does not support it"),
            Outcome::ChangedFailure if flaky => {
                let change = ListChange::failing(ListChangeKind::Left, result)?;
                let message = format!("it is flaky, and fails otherwise: {}", change.message);
                Some(ListChange { message, ..change })
            }
            Outcome::ChangedFailure => ListChange::failing(ListChangeKind::Changed, result),
            _ => None,
        }
    }))
}

fn check_result(
    known: &KnownFailures,
    suite: &Suite,
    run: &Run<'_>,
    plan: &UpdatePlan,
    strict: bool,
) -> Result<(), UpdateRefusal> {
    use ListChangeKind as K;
    let source = Source::new(known.file(), plan.text.clone());
    let after =
        KnownFailures::parse(&Arc::new(source), suite).map_err(|flaw| UpdateRefusal::Layout(flaw.what))?;
    if after.len() + plan.count(&[K::Removed]) != known.len() + plan.count(&[K::Added]) {
        return Err(UpdateRefusal::Layout("another number of entries would come of it".into()));
    }
    let mut held = run.clone();
    apply(&after, &mut held);
    let counts = Tally::of(&held).counts;
    let new = counts.fail + if strict { counts.differ } else { 0 };
    let wrong = new + counts.unexpected_pass + counts.changed_failure;
    if held.stale.is_empty() && wrong == plan.count(&[K::Left]) {
        Ok(())
    } else {
        Err(UpdateRefusal::Layout("the list would not be true of this run".into()))
    }
}

/// Says of every vector of a run what the list says of it, and in [`Run::stale`] what of the list is not so any more.
///
/// Vectors that were not part of the run are left alone, and so are those that could not be judged: a target that broke
/// bears out nothing.
pub fn apply(known: &KnownFailures, run: &mut Run<'_>) {
    let names: BTreeSet<&str> = run.results.iter().map(|result| result.vector.name.as_str()).collect();
    for result in &mut run.results {
        let name = &result.vector.name;
        let naming = known.entries.iter().find(|entry| entry.text.id.as_ref() == Some(name));
        let Some(entry) = naming else { continue };
        // Two choices that do not agree are seen in a run of both vectors: alone, it passes.
        let chosen_in = entry.step.chosen_in.as_deref();
        if result.verdict == Verdict::Pass && chosen_in.is_some_and(|other| !names.contains(other)) {
            continue;
        }
        result.listed = Some(entry.listed(entry.fits(&result.verdict)));
        let Verdict::Unsupported(why) = &result.verdict else { continue };
        let (file, line, kind, why) = (known.file(), entry.line, entry.text.kind, plain(why));
        run.stale.push(format!(
            "{file}:{line}: `{name}` is listed as {kind}, but the target does not support it ({why}); take the entry away"
        ));
    }
    for entry in &known.entries {
        let stale = hold_many(entry, run);
        run.remarks.extend(excuse(entry, run).map(|what| format!("{}:{}: {what}", known.file(), entry.line)));
        run.stale.extend(stale.map(|why| format!("{}:{}: {why}", known.file(), entry.line)));
    }
}

/// Says how many failures of a run a flaky entry excused; `None` where it excused none.
fn excuse(entry: &KnownFailure, run: &Run<'_>) -> Option<String> {
    let is_excused = |result: &&VectorResult<'_>| {
        entry.names.contains(&result.vector.name)
            && result.outcome() == Outcome::Flaky
            && result.verdict.outcome() == Outcome::Fail
    };
    let count = run.results.iter().filter(is_excused).count();
    let names = entry.text.pattern.as_deref().or(entry.text.id.as_deref()).map(plain)?;
    let failures = if count == 1 { "1 failure".into() } else { format!("{count} failures") };
    (entry.text.kind == FailureKind::Flaky && count > 0)
        .then(|| format!("the flaky `{names}` excused {failures}"))
}

/// A wildcard covers the failures that fit it, unless there are more than it allows. Returns what of it is not so.
fn hold_many(entry: &KnownFailure, run: &mut Run<'_>) -> Option<String> {
    let (pattern, max) = entry.wildcard()?;
    let (covered, most) = coverage(entry, run);
    let (pattern, count) = (plain(pattern), covered.len());
    if max < count {
        return Some(format!(
            "`{pattern}` lists at most {max}, but {count} fail so: {}; none of them counts as known until some are \
             mended or `max` is {count}",
            some(&covered)
        ));
    }
    for result in run.results.iter_mut().filter(|one| covered.contains(&one.vector.name.as_str())) {
        result.listed = Some(entry.listed(true));
    }
    if most >= max || entry.text.kind == FailureKind::Flaky {
        return None;
    }
    let least = if most == count { "" } else { "at most " };
    let verb = if most == 1 { "fails" } else { "fail" };
    Some(match most {
        0 => format!("`{pattern}` lists {max}, but none fails so now; take it away"),
        _ => format!("`{pattern}` lists {max}, but {least}{most} {verb} so now; lower `max` to {most}"),
    })
}

/// Returns the vectors of a run that fail as a wildcard says, and their greatest possible number.
///
/// That number includes vectors that were not part of the run or were not judged. It excludes unsupported vectors.
fn coverage<'a>(entry: &KnownFailure, run: &Run<'a>) -> (Vec<&'a str>, usize) {
    let results = run.results.iter().filter(|result| entry.names.contains(&result.vector.name));
    let is_settled = |result: &&VectorResult<'_>| {
        let outcome = result.verdict.outcome();
        matches!(
            outcome,
            Outcome::Pass
                | Outcome::Fail
                | Outcome::Unsupported
                | Outcome::NotApplicable
                | Outcome::NotOffered
        )
    };
    let open = entry.names.len().saturating_sub(results.clone().filter(is_settled).count());
    let covered =
        results.filter(|result| entry.fits(&result.verdict)).map(|result| result.vector.name.as_str());
    let covered: Vec<_> = covered.collect();
    let most = covered.len() + open;
    (covered, most)
}

fn some(names: &[&str]) -> String {
    const MOST: usize = 3;
    let first = names.get(..MOST).unwrap_or(names).join(", ");
    let more = names.len().saturating_sub(MOST);
    if more == 0 { first } else { format!("{first} and {more} more") }
}
