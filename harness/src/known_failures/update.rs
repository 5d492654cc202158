//! Holds a list against a run: which failures are the known ones, and what of the list is not so any more. And brings it
//! up to date with a run: what to change, entry by entry, and the text that comes of it.
//!
//! The file is edited where it changes and nowhere else, so comments, order and layout stay. The new text is read and held
//! against the same run before anybody writes it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use super::edit::{Edit, quoted, worded};
use super::{FORMAT, FailureKind, KnownFailure, KnownFailures};
use crate::diagnostic::Source;
use crate::plain::plain;
use crate::run::{Run, VectorResult};
use crate::signature::Signature;
use crate::target::About;
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
    if of_another_edition(result, &run.about) {
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
            format!("  kind: {}", adding.kind),
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

/// Says of every vector of a run what the list says of it, and in [`Run::stale`] what of the list is not so any more.
///
/// Vectors that were not part of the run are left alone, and so are those that could not be judged: a target that broke
/// bears out nothing.
pub fn apply(known: &KnownFailures, run: &mut Run<'_>) {
    let names: BTreeSet<&str> = run.results.iter().map(|result| result.vector.name.as_str()).collect();
    for result in &mut run.results {
        let entry = known.naming(&result.vector.name);
        if let Some(entry) = entry.filter(|entry| !wants_another(entry, result, &names)) {
            result.listed = Some(entry.listed(fits(entry, result)));
            run.stale.extend(not_offered(known, entry, result, &run.about));
        }
    }
    for entry in &known.entries {
        hold_many(known, entry, run);
    }
}

/// Whether it passes only because a vector was not run that it contradicts: two choices that do not agree are seen in a
/// run of both.
fn wants_another(entry: &KnownFailure, result: &VectorResult<'_>, names: &BTreeSet<&str>) -> bool {
    let chosen_in = entry.step.chosen_in.as_deref();
    result.verdict == Verdict::Pass && chosen_in.is_some_and(|chosen_in| !names.contains(chosen_in))
}

/// Whether it fails, and as the entry says.
fn fits(entry: &KnownFailure, result: &VectorResult<'_>) -> bool {
    matches!(&result.verdict, Verdict::Fail(failure) if entry.fits(failure))
}

fn of_another_edition(result: &VectorResult<'_>, about: &About) -> bool {
    result.vector.edition.is_some_and(|edition| !about.editions.contains(&edition))
}

/// What is wrong with an entry of a vector that the target does not offer; one that takes too long for this run may hold
/// in another.
fn not_offered(
    known: &KnownFailures,
    entry: &KnownFailure,
    result: &VectorResult<'_>,
    about: &About,
) -> Option<String> {
    let why = match &result.verdict {
        Verdict::Unsupported(why) => why,
        Verdict::NotApplicable(why) if of_another_edition(result, about) => why,
        _ => return None,
    };
    let (place, name, kind) = (place(known, entry), &result.vector.name, entry.text.kind);
    let why = plain(why);
    Some(format!(
        "{place}: `{name}` is listed as {kind}, but the target does not support it ({why}); take the entry away"
    ))
}

/// A wildcard covers the failures that fit it, unless there are more than it allows.
fn hold_many(known: &KnownFailures, entry: &KnownFailure, run: &mut Run<'_>) {
    let Some((_, max)) = entry.wildcard() else { return };
    let (covered, open) = coverage(known, entry, run);
    if covered.len() <= max {
        let results = run.results.iter_mut().filter(|one| covered.contains(&one.vector.name.as_str()));
        results.for_each(|result| result.listed = Some(entry.listed(true)));
    }
    let stale = stale(entry, &covered, open);
    run.stale.extend(stale.map(|why| format!("{}: {why}", place(known, entry))));
}

/// What a wildcard takes of a run: the vectors that fail as it says, save those that are named themselves; and how many of
/// its vectors might yet turn out to fail so, because they were not part of the run, or nothing could be said of them. What
/// the target does not offer is none of them.
fn coverage<'a>(known: &KnownFailures, entry: &KnownFailure, run: &Run<'a>) -> (Vec<&'a str>, usize) {
    let own: BTreeSet<&str> =
        entry.names.iter().map(String::as_str).filter(|name| known.naming(name).is_none()).collect();
    let results = run.results.iter().filter(|result| own.contains(result.vector.name.as_str()));
    let settled = results.clone().filter(|result| is_settled(result.verdict.outcome()));
    let open = own.len().saturating_sub(settled.count());
    let covered = results.filter(|result| fits(entry, result)).map(|result| result.vector.name.as_str());
    (covered.collect(), open)
}

/// Whether another run would say the same of it.
fn is_settled(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Pass | Outcome::Fail | Outcome::Unsupported | Outcome::NotApplicable)
}

/// What of a wildcard is not so, if anything.
fn stale(entry: &KnownFailure, covered: &[&str], open: usize) -> Option<String> {
    let (pattern, max) = entry.wildcard()?;
    let pattern = plain(pattern);
    let most = covered.len().saturating_add(open);
    let fewer = most < max && entry.text.kind != FailureKind::Flaky;
    match covered.len() {
        count if max < count => Some(format!(
            "`{pattern}` lists at most {max}, but {count} fail so: {}; none of them counts as known until some are \
             mended or `max` is {count}",
            some(covered)
        )),
        0 if fewer && open == 0 => {
            Some(format!("`{pattern}` lists {max}, but none fails so now; take it away"))
        }
        _ if fewer => {
            let verb = if most == 1 { "fails" } else { "fail" };
            let least = if open == 0 { "" } else { "at most " };
            Some(format!("`{pattern}` lists {max}, but {least}{most} {verb} so now; lower `max` to {most}"))
        }
        _ => None,
    }
}

/// `file:line`
fn place(known: &KnownFailures, entry: &KnownFailure) -> String {
    format!("{}:{}", known.file(), entry.line)
}

/// The first names, and how many more there are.
fn some(names: &[&str]) -> String {
    const MOST: usize = 3;
    let first = names.get(..MOST).unwrap_or(names).join(", ");
    let more = names.len().saturating_sub(MOST);
    if more == 0 { first } else { format!("{first} and {more} more") }
}
