//! Brings a list up to date with a run: what to change, entry by entry, and the text that comes of it.
//!
//! The file is edited where it changes and nowhere else, so comments, order and layout stay. The new text is read and held
//! against the same run before anybody writes it.

use std::sync::Arc;

use super::apply::{WildcardCoverage, apply, coverage};
use super::edit::{Edit, quoted, worded};
use super::{FORMAT, FailureKind, KnownFailure, KnownFailures, Subject};
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

/// One change of an entry, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListChange {
    /// The entry went away.
    Removed {
        /// What it named.
        what: String,
        /// Why.
        why: String,
    },
    /// It fails in another way.
    Changed {
        /// The vector.
        name: String,
        /// How it fails, for people.
        message: String,
        /// How it fails, as the list writes it.
        step: String,
    },
    /// A wildcard takes fewer.
    Lowered {
        /// The wildcard.
        pattern: String,
        /// The new `max`.
        max: usize,
    },
    /// It is for a person to say what becomes of it.
    Left {
        /// What it names.
        what: String,
        /// Why.
        why: String,
    },
}

/// A failure that is new on the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedFailure {
    /// The vector.
    pub name: String,
    /// How it fails, for people.
    pub message: String,
    /// How it fails, as the list writes it.
    pub step: String,
}

/// What an update does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdatePlan {
    /// The text of the file afterwards.
    pub text: String,
    /// What becomes of entries that do not stay as they are.
    pub changes: Vec<ListChange>,
    /// What is new.
    pub added: Vec<AddedFailure>,
    /// How many entries stay as they are.
    pub kept: usize,
}

/// Why a list is not brought up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpdateRefusal {
    /// The run did not come to its end.
    Incomplete(String),
    /// Of a vector on the list nothing can be said.
    Inconclusive(String),
    /// The target broke in a vector on the list.
    Broken(String),
    /// There are new failures, and no reason for them.
    NoReason(Vec<AddedFailure>),
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
    enough(known, &held)?;
    let added = added(&held, adding.strict);
    let changes: Vec<_> = known.entries.iter().map(|entry| change(known, entry, &held)).collect();
    if let Some(what) = known.entries.iter().find_map(|entry| too_many(known, entry, &held)) {
        return Err(UpdateRefusal::TooMany(what));
    }
    let text = edited(known, &changes, &added, adding)?;
    let kept = changes.iter().filter(|change| change.is_none()).count();
    let changes = changes.into_iter().flatten().collect();
    let plan = UpdatePlan { text, changes, added, kept };
    holds(known, suite, run, &plan, adding.strict)?;
    Ok(plan)
}

/// Refuses a run that does not say enough of the vectors on the list.
fn enough(known: &KnownFailures, run: &Run<'_>) -> Result<(), UpdateRefusal> {
    let names: Vec<_> = known.names().collect();
    for result in &run.results {
        let name = &result.vector.name;
        let why = || format!("{name}: {}", plain(&result.verdict.reason().unwrap_or_default()));
        match result.verdict.outcome() {
            Outcome::NotRun => return Err(UpdateRefusal::Incomplete(why())),
            Outcome::Broken if names.contains(&name.as_str()) => return Err(UpdateRefusal::Broken(why())),
            Outcome::Inconclusive if names.contains(&name.as_str()) => {
                return Err(UpdateRefusal::Inconclusive(why()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The failures that no entry takes.
fn added(run: &Run<'_>, strict: bool) -> Vec<AddedFailure> {
    let is_new = |result: &&VectorResult<'_>| match result.outcome() {
        Outcome::Fail => true,
        Outcome::Differ => strict,
        _ => false,
    };
    let new = run.results.iter().filter(is_new);
    new.filter_map(|result| {
        let failure = failure(result)?;
        Some(AddedFailure {
            name: result.vector.name.clone(),
            message: plain(&failure.to_string()),
            step: step(failure),
        })
    })
    .collect()
}

fn failure<'a>(result: &'a VectorResult<'_>) -> Option<&'a Failure> {
    if let Verdict::Fail(failure) = &result.verdict { Some(failure) } else { None }
}

fn step(failure: &Failure) -> String {
    let Signature { expected, got } = &failure.signature;
    format!("{{at: {}, expected: {expected}, got: {got}}}", failure.at_s)
}

/// What becomes of an entry; `None` if it stays.
fn change(known: &KnownFailures, entry: &KnownFailure, run: &Run<'_>) -> Option<ListChange> {
    match &entry.subject {
        Subject::One([name]) => {
            let result = run.results.iter().find(|result| result.vector.name == *name)?;
            if of_another_edition(result, &run.about) {
                let why = "the target is of another edition".into();
                return Some(ListChange::Removed { what: name.clone(), why });
            }
            change_one(entry, name, result)
        }
        Subject::Many { pattern, max, .. } => {
            let WildcardCoverage { covered, open } = coverage(known, entry, run);
            if entry.kind == FailureKind::Flaky {
                return None;
            }
            match covered.len().saturating_add(open) {
                0 => Some(ListChange::Removed { what: pattern.clone(), why: "none fails so now".into() }),
                count if count < *max => Some(ListChange::Lowered { pattern: pattern.clone(), max: count }),
                _ => None,
            }
        }
    }
}

/// Whether the target is of another edition than the vector.
fn of_another_edition(result: &VectorResult<'_>, about: &About) -> bool {
    result.vector.edition.is_some_and(|edition| !about.editions.contains(&edition))
}

fn change_one(entry: &KnownFailure, name: &str, result: &VectorResult<'_>) -> Option<ListChange> {
    let name = name.to_owned();
    match (result.outcome(), entry.kind) {
        (Outcome::UnexpectedPass, _) => Some(ListChange::Removed { what: name, why: "it passes now".into() }),
        (Outcome::Unsupported, _) => {
            Some(ListChange::Removed { what: name, why: "the target does not support it".into() })
        }
        (Outcome::ChangedFailure, FailureKind::Flaky) => {
            let why = format!("it is flaky, and fails otherwise: {}", plain(&failure(result)?.to_string()));
            Some(ListChange::Left { what: name, why })
        }
        (Outcome::ChangedFailure, _) => {
            let failure = failure(result)?;
            Some(ListChange::Changed { name, message: plain(&failure.to_string()), step: step(failure) })
        }
        _ => None,
    }
}

fn too_many(known: &KnownFailures, entry: &KnownFailure, run: &Run<'_>) -> Option<String> {
    let Subject::Many { pattern, max, .. } = &entry.subject else { return None };
    let count = coverage(known, entry, run).covered.len();
    let what = || format!("line {}: `{pattern}` lists at most {max}, but {count} fail so", entry.line);
    (*max < count).then(what)
}

fn edited(
    known: &KnownFailures,
    changes: &[Option<ListChange>],
    added: &[AddedFailure],
    adding: Adding<'_>,
) -> Result<String, UpdateRefusal> {
    let mut edit = Edit::new(&known.source.text, &known.tree);
    for (number, (change, node)) in changes.iter().zip(edit.entries()).enumerate() {
        match change {
            Some(ListChange::Removed { .. }) => edit.remove(number),
            Some(ListChange::Changed { step, .. }) => edit.replace(node, "step", "step", step),
            Some(ListChange::Lowered { max, .. }) => edit.replace(node, "max", "max", &max.to_string()),
            Some(ListChange::Left { .. }) | None => {}
        }
    }
    match adding.reason {
        _ if added.is_empty() => {}
        Some(reason) => added.iter().for_each(|one| {
            edit.append(&[
                format!("- id: {}", one.name),
                format!("  kind: {}", adding.kind.word()),
                format!("  reason: {}", worded(reason)),
                format!("  step: {}", one.step),
            ]);
        }),
        None => return Err(UpdateRefusal::NoReason(added.to_vec())),
    }
    Ok(edit.text())
}

/// Refuses a text that does not say what was planned.
fn holds(
    known: &KnownFailures,
    suite: &Suite,
    run: &Run<'_>,
    plan: &UpdatePlan,
    strict: bool,
) -> Result<(), UpdateRefusal> {
    let source = Source { name: known.file().into(), text: plan.text.clone() };
    let after =
        KnownFailures::parse(&Arc::new(source), suite).map_err(|flaw| UpdateRefusal::Layout(flaw.what))?;
    let gone = plan.changes.iter().filter(|change| matches!(change, ListChange::Removed { .. })).count();
    if after.len().saturating_add(gone) != known.len().saturating_add(plan.added.len()) {
        return Err(UpdateRefusal::Layout("another number of entries would come of it".into()));
    }
    let mut held = run.clone();
    apply(&after, &mut held);
    let left = plan.changes.iter().filter(|change| matches!(change, ListChange::Left { .. })).count();
    let wrong = |said: &Outcome| match said {
        Outcome::Fail | Outcome::UnexpectedPass | Outcome::ChangedFailure => true,
        Outcome::Differ => strict,
        _ => false,
    };
    let wrong = held.results.iter().map(VectorResult::outcome).filter(wrong).count();
    if held.stale.is_empty() && wrong == left {
        Ok(())
    } else {
        Err(UpdateRefusal::Layout("the list would not be true of this run".into()))
    }
}
