//! Brings a list up to date with a run: what to change, entry by entry, and the text that comes of it.
//!
//! The file is edited where it changes and nowhere else, so comments, order and layout stay. The new text is read and held
//! against the same run before anybody writes it.

use std::sync::Arc;

use serde::Serialize;

use super::apply::{apply, coverage};
use super::edit::{Edit, quoted, worded};
use super::{FORMAT, FailureKind, KnownFailure, KnownFailures};
use crate::diagnostic::Source;
use crate::plain::plain;
use crate::run::{Run, VectorResult};
use crate::signature::Signature;
use crate::vector::Suite;
use crate::verdict::{Failure, Outcome, Verdict};

/// How new failures are put on a list.
#[derive(Clone, Copy, Debug)]
pub struct Adding<'a> {
    /// Why they fail; without it none is added.
    pub reason: Option<&'a str>,
    /// What they are.
    pub kind: FailureKind,
    /// Whether differences from a `should` are added too.
    pub strict: bool,
}

/// One change of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListChange {
    /// What becomes of the entry.
    pub kind: ListChangeKind,
    /// The vector, or the wildcard.
    pub subject: String,
    /// Why, or how it fails, for people.
    pub message: String,
    /// The new `step` or `max`, as the list writes it.
    value: String,
}

/// What becomes of an entry.
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

/// What an update does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdatePlan {
    /// The text of the file afterwards.
    pub text: String,
    /// What becomes of entries that do not stay as they are; new ones last.
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
format: {FORMAT}
target: {target}
known: []
"
    )
}

/// What to change in a list so that it says of this run what is so. The run is as it came: no list was held against it.
///
/// # Errors
///
/// A [`UpdateRefusal`], where the run does not say enough, or somebody has to decide.
pub fn plan(
    known: &KnownFailures,
    suite: &Suite,
    run: &Run<'_>,
    adding: Adding<'_>,
) -> Result<UpdatePlan, UpdateRefusal> {
    let mut held = run.clone();
    apply(known, &mut held);
    refuse_unjudged(known, &held)?;
    let changes = known.entries.iter().map(|entry| change(known, entry, &held));
    let mut changes = changes.collect::<Result<Vec<_>, _>>()?;
    let kept = changes.iter().filter(|change| change.is_none()).count();
    let is_new = |result: &&VectorResult<'_>| is_new(result.outcome(), adding.strict);
    let added =
        held.results.iter().filter(is_new).filter_map(|result| failing(ListChangeKind::Added, result));
    changes.extend(added.map(Some));
    let text = edited(known, &changes, adding)?;
    let plan = UpdatePlan { text, changes: changes.into_iter().flatten().collect(), kept };
    check_result(known, suite, run, &plan, adding.strict)?;
    Ok(plan)
}

/// Refuses a run that does not say enough of the vectors on the list.
fn refuse_unjudged(known: &KnownFailures, run: &Run<'_>) -> Result<(), UpdateRefusal> {
    let names: Vec<_> = known.names().collect();
    let unjudged = |result: &&VectorResult<'_>| match result.verdict.outcome() {
        Outcome::NotRun => true,
        Outcome::Broken | Outcome::Inconclusive => names.contains(&result.vector.name.as_str()),
        _ => false,
    };
    let Some(result) = run.results.iter().find(unjudged) else { return Ok(()) };
    let why = plain(&result.verdict.reason().unwrap_or_default());
    Err(UpdateRefusal::Unjudged(result.verdict.outcome(), format!("{}: {why}", result.vector.name)))
}

/// Whether it is a failure that no entry takes.
fn is_new(outcome: Outcome, strict: bool) -> bool {
    outcome == Outcome::Fail || (outcome == Outcome::Differ && strict)
}

/// A change of the entry of a vector that fails so now.
fn failing(kind: ListChangeKind, result: &VectorResult<'_>) -> Option<ListChange> {
    let Verdict::Fail(failure) = &result.verdict else { return None };
    let Failure { at_s, signature: Signature { expected, got }, .. } = failure;
    Some(ListChange {
        kind,
        subject: result.vector.name.clone(),
        message: plain(&failure.to_string()),
        value: format!("{{at: {at_s}, expected: {expected}, got: {got}}}"),
    })
}

/// What becomes of an entry; `None` if it stays.
fn change(
    known: &KnownFailures,
    entry: &KnownFailure,
    run: &Run<'_>,
) -> Result<Option<ListChange>, UpdateRefusal> {
    let Some((pattern, max)) = entry.wildcard() else {
        let result = run.results.iter().find(|result| entry.names.contains(&result.vector.name));
        return Ok(result.and_then(|result| change_one(entry, result, run)));
    };
    let (covered, open) = coverage(known, entry, run);
    let (count, line) = (covered.len(), entry.line);
    if max < count {
        let what = format!("line {line}: `{pattern}` lists at most {max}, but {count} fail so");
        return Err(UpdateRefusal::TooMany(what));
    }
    Ok(match count.saturating_add(open) {
        _ if entry.text.kind == FailureKind::Flaky => None,
        0 => Some(removed(pattern, "none fails so now")),
        count if count < max => Some(ListChange {
            kind: ListChangeKind::Lowered,
            subject: pattern.into(),
            message: format!("`max` is {count}"),
            value: count.to_string(),
        }),
        _ => None,
    })
}

fn change_one(entry: &KnownFailure, result: &VectorResult<'_>, run: &Run<'_>) -> Option<ListChange> {
    let name = &result.vector.name;
    if result.vector.edition.is_some_and(|edition| !run.about.editions.contains(&edition)) {
        return Some(removed(name, "the target is of another edition"));
    }
    match result.outcome() {
        Outcome::UnexpectedPass => Some(removed(name, "it passes now")),
        Outcome::Unsupported => Some(removed(name, "the target does not support it")),
        Outcome::ChangedFailure if entry.text.kind == FailureKind::Flaky => {
            let change = failing(ListChangeKind::Left, result)?;
            let message = format!("it is flaky, and fails otherwise: {}", change.message);
            Some(ListChange { message, ..change })
        }
        Outcome::ChangedFailure => failing(ListChangeKind::Changed, result),
        _ => None,
    }
}

fn removed(subject: &str, why: &str) -> ListChange {
    let (subject, message) = (subject.into(), why.into());
    ListChange { kind: ListChangeKind::Removed, subject, message, value: String::new() }
}

/// The text with these changes made: those of the entries, in their order, and then those that are new.
fn edited(
    known: &KnownFailures,
    changes: &[Option<ListChange>],
    adding: Adding<'_>,
) -> Result<String, UpdateRefusal> {
    let mut edit = Edit::new(&known.source.text, &known.tree);
    for (number, (change, node)) in changes.iter().zip(edit.entries()).enumerate() {
        match change.as_ref().map(|change| (change.kind, &change.value)) {
            Some((ListChangeKind::Removed, _)) => edit.remove(number),
            Some((ListChangeKind::Changed, step)) => edit.replace(node, "step", "step", step),
            Some((ListChangeKind::Lowered, max)) => edit.replace(node, "max", "max", max),
            Some((ListChangeKind::Left | ListChangeKind::Added, _)) | None => {}
        }
    }
    let is_added = |change: &&ListChange| change.kind == ListChangeKind::Added;
    let added: Vec<_> = changes.iter().flatten().filter(is_added).collect();
    let Some(reason) = adding.reason.or(added.is_empty().then_some("")) else {
        return Err(UpdateRefusal::NoReason(added.into_iter().cloned().collect()));
    };
    for one in added {
        edit.append(&[
            format!("- id: {}", one.subject),
            format!("  kind: {}", adding.kind.word()),
            format!("  reason: {}", worded(reason)),
            format!("  step: {}", one.value),
        ]);
    }
    Ok(edit.text())
}

/// Refuses a text that does not say what was planned.
fn check_result(
    known: &KnownFailures,
    suite: &Suite,
    run: &Run<'_>,
    plan: &UpdatePlan,
    strict: bool,
) -> Result<(), UpdateRefusal> {
    use ListChangeKind as K;
    let source = Source { name: known.file().into(), text: plan.text.clone() };
    let after =
        KnownFailures::parse(&Arc::new(source), suite).map_err(|flaw| UpdateRefusal::Layout(flaw.what))?;
    let (gone, added, left) = (plan.count(&[K::Removed]), plan.count(&[K::Added]), plan.count(&[K::Left]));
    if after.len().saturating_add(gone) != known.len().saturating_add(added) {
        return Err(UpdateRefusal::Layout("another number of entries would come of it".into()));
    }
    let mut held = run.clone();
    apply(&after, &mut held);
    let wrong = |outcome: &Outcome| {
        is_new(*outcome, strict) || matches!(outcome, Outcome::UnexpectedPass | Outcome::ChangedFailure)
    };
    if held.stale.is_empty() && held.results.iter().map(VectorResult::outcome).filter(wrong).count() == left {
        Ok(())
    } else {
        Err(UpdateRefusal::Layout("the list would not be true of this run".into()))
    }
}
