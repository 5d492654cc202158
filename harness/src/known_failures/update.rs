//! Brings a list up to date with a run: what to change, entry by entry, and the text that comes of it.
//!
//! The file is edited where it changes and nowhere else, so comments, order and layout stay. The new text is read and held
//! against the same run before anybody writes it.

use std::sync::Arc;

use super::apply::{Coverage, apply, coverage};
use super::edit::{Edit, quoted};
use super::entry::{Entry, Of};
use super::{Kind, Known};
use crate::diagnostic::Source;
use crate::plain::plain;
use crate::run::{Run, VectorResult};
use crate::target::About;
use crate::vector::Suite;
use crate::verdict::{Outcome, Verdict};

/// How new failures are put on a list.
#[derive(Clone, Copy, Debug)]
pub struct Adding<'a> {
    /// Why they fail; without it none is added.
    pub reason: Option<&'a str>,
    /// What they are.
    pub kind: Kind,
    /// Whether differences from a `should` are added too.
    pub strict: bool,
}

/// One change of an entry, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
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
        /// The new signature.
        signature: String,
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
pub struct Added {
    /// The vector.
    pub name: String,
    /// How it fails.
    pub signature: String,
}

/// What an update does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The text of the file afterwards.
    pub text: String,
    /// What becomes of entries that do not stay as they are.
    pub changes: Vec<Change>,
    /// What is new.
    pub added: Vec<Added>,
    /// How many entries stay as they are.
    pub kept: usize,
}

/// Why a list is not brought up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The run did not come to its end.
    Incomplete(String),
    /// Of a vector on the list nothing can be said.
    Inconclusive(String),
    /// The target broke in a vector on the list.
    Broken(String),
    /// There are new failures, and no reason for them.
    NoReason(Vec<Added>),
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
format: 1
target: {target}
known: []
"
    )
}

/// What to change in a list so that it says of this run what is so. The run is as it came: no list was held against it.
///
/// # Errors
///
/// A [`Refusal`], where the run does not say enough, or somebody has to decide.
pub fn plan(known: &Known, suite: &Suite, run: &Run<'_>, adding: Adding<'_>) -> Result<Plan, Refusal> {
    let mut held = run.clone();
    apply(known, &mut held);
    enough(known, &held)?;
    let added = added(&held, adding.strict);
    let changes: Vec<_> = known.entries.iter().map(|entry| change(known, entry, &held)).collect();
    if let Some(what) = known.entries.iter().find_map(|entry| too_many(known, entry, &held)) {
        return Err(Refusal::TooMany(what));
    }
    let text = edited(known, &changes, &added, adding)?;
    let kept = changes.iter().filter(|change| change.is_none()).count();
    let changes = changes.into_iter().flatten().collect();
    let plan = Plan { text, changes, added, kept };
    holds(known, suite, run, &plan, adding.strict)?;
    Ok(plan)
}

/// Refuses a run that does not say enough of the vectors on the list.
fn enough(known: &Known, run: &Run<'_>) -> Result<(), Refusal> {
    let names: Vec<_> = known.names().collect();
    for result in &run.results {
        let name = &result.vector.name;
        let why = || format!("{name}: {}", plain(&result.verdict.reason().unwrap_or_default()));
        match result.verdict.outcome() {
            Outcome::NotRun => return Err(Refusal::Incomplete(why())),
            Outcome::Broken if names.contains(&name.as_str()) => return Err(Refusal::Broken(why())),
            Outcome::Inconclusive if names.contains(&name.as_str()) => {
                return Err(Refusal::Inconclusive(why()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The failures that no entry takes.
fn added(run: &Run<'_>, strict: bool) -> Vec<Added> {
    let is_new = |result: &&VectorResult<'_>| match result.outcome() {
        Outcome::Fail => true,
        Outcome::Differ => strict,
        _ => false,
    };
    let new = run.results.iter().filter(is_new);
    new.map(|result| Added { name: result.vector.name.clone(), signature: signature(result) }).collect()
}

fn signature(result: &VectorResult<'_>) -> String {
    match &result.verdict {
        Verdict::Fail(failure) => plain(&failure.to_string()),
        _ => String::new(),
    }
}

/// What becomes of an entry; `None` if it stays.
fn change(known: &Known, entry: &Entry, run: &Run<'_>) -> Option<Change> {
    match &entry.of {
        Of::One { name: [name], .. } => {
            let result = run.results.iter().find(|result| result.vector.name == *name)?;
            if of_another_edition(result, &run.about) {
                let why = "the target is of another edition".into();
                return Some(Change::Removed { what: name.clone(), why });
            }
            change_one(entry, name, result)
        }
        Of::Many { pattern, max, .. } => {
            let Coverage { covered, open } = coverage(known, entry, run);
            if entry.kind == Kind::Flaky {
                return None;
            }
            match covered.len().saturating_add(open) {
                0 => Some(Change::Removed { what: pattern.clone(), why: "none fails so now".into() }),
                count if count < *max => Some(Change::Lowered { pattern: pattern.clone(), max: count }),
                _ => None,
            }
        }
    }
}

/// Whether the target is of another edition than the vector.
fn of_another_edition(result: &VectorResult<'_>, about: &About) -> bool {
    result.vector.edition.is_some_and(|edition| !about.editions.contains(&edition))
}

fn change_one(entry: &Entry, name: &str, result: &VectorResult<'_>) -> Option<Change> {
    let name = name.to_owned();
    match (result.outcome(), entry.kind) {
        (Outcome::UnexpectedPass, _) => Some(Change::Removed { what: name, why: "it passes now".into() }),
        (Outcome::Unsupported, _) => {
            Some(Change::Removed { what: name, why: "the target does not support it".into() })
        }
        (Outcome::ChangedFailure, Kind::Flaky) => {
            let why = format!("it is flaky, and fails otherwise: {}", signature(result));
            Some(Change::Left { what: name, why })
        }
        (Outcome::ChangedFailure, _) => Some(Change::Changed { name, signature: signature(result) }),
        _ => None,
    }
}

fn too_many(known: &Known, entry: &Entry, run: &Run<'_>) -> Option<String> {
    let Of::Many { pattern, max, .. } = &entry.of else { return None };
    let count = coverage(known, entry, run).covered.len();
    let what = || format!("line {}: `{pattern}` lists at most {max}, but {count} fail so", entry.line);
    (*max < count).then(what)
}

fn edited(
    known: &Known,
    changes: &[Option<Change>],
    added: &[Added],
    adding: Adding<'_>,
) -> Result<String, Refusal> {
    let mut edit = Edit::of(known);
    for (number, change) in changes.iter().enumerate() {
        match change {
            Some(Change::Removed { .. }) => edit.remove(number),
            Some(Change::Changed { signature, .. }) => {
                edit.replace(number, "signature", &quoted(signature));
            }
            Some(Change::Lowered { max, .. }) => edit.replace(number, "max", &max.to_string()),
            Some(Change::Left { .. }) | None => {}
        }
    }
    match adding.reason {
        _ if added.is_empty() => {}
        Some(reason) => added.iter().for_each(|one| edit.append(one, adding.kind, reason)),
        None => return Err(Refusal::NoReason(added.to_vec())),
    }
    Ok(edit.text())
}

/// Refuses a text that does not say what was planned.
fn holds(known: &Known, suite: &Suite, run: &Run<'_>, plan: &Plan, strict: bool) -> Result<(), Refusal> {
    let source = Source { name: known.file().into(), text: plan.text.clone() };
    let after = Known::parse(&Arc::new(source), suite).map_err(|flaw| Refusal::Layout(flaw.what))?;
    let gone = plan.changes.iter().filter(|change| matches!(change, Change::Removed { .. })).count();
    if after.len().saturating_add(gone) != known.len().saturating_add(plan.added.len()) {
        return Err(Refusal::Layout("another number of entries would come of it".into()));
    }
    let mut held = run.clone();
    apply(&after, &mut held);
    let left = plan.changes.iter().filter(|change| matches!(change, Change::Left { .. })).count();
    let wrong = |said: &Outcome| match said {
        Outcome::Fail | Outcome::UnexpectedPass | Outcome::ChangedFailure => true,
        Outcome::Differ => strict,
        _ => false,
    };
    let wrong = held.results.iter().map(VectorResult::outcome).filter(wrong).count();
    if held.stale.is_empty() && wrong == left {
        Ok(())
    } else {
        Err(Refusal::Layout("the list would not be true of this run".into()))
    }
}
