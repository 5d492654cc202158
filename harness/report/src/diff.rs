//! What changed between two runs, vector by vector, as plain data.
//!
//! Only answers count here: a vector that stands on a list of known failures fails all the same, and one that begins to
//! fail has regressed, whether or not somebody put it on a list meanwhile.

mod markdown;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

pub use markdown::markdown;
pub use text::text;

use super::{Case, Outcome, Report, Who};

/// The version of this form as JSON.
pub const FORMAT: u32 = 1;

/// Two runs, and what changed from the first to the second.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Diff {
    /// [`FORMAT`]
    pub format: u32,
    /// `regressed`, `undecided` or `nothing regressed`.
    pub conclusion: &'static str,
    /// What the process exits with.
    pub exit_code: u8,
    /// Why nothing can be concluded; not there where something can.
    pub undecided: Option<String>,
    /// What else is not the same in both runs, a sentence each.
    pub differences: Vec<String>,
    /// How many vectors there are of each change; they add up to the vectors of both runs.
    pub counts: BTreeMap<Change, usize>,
    /// The vectors that are not the same: worst first, then in the order of the reports.
    pub changes: Vec<Changed>,
}

/// What became of a vector; the order is that in which it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// It passed, and does not pass any more.
    Regressed,
    /// It passed, and nothing is known of it any more.
    Unjudged,
    /// It did not pass, and does not now, but in another way.
    Changed,
    /// It did not pass, and passes now.
    Fixed,
    /// It means something else than before, so that what was said of it cannot be compared.
    Redefined,
    /// Only the second run has it.
    New,
    /// Only the first run has it.
    Removed,
    /// The same is said of it.
    Same,
}

impl Change {
    /// Every change, in the order in which it is told.
    pub const ALL: [Self; 8] = [
        Self::Regressed,
        Self::Unjudged,
        Self::Changed,
        Self::Fixed,
        Self::Redefined,
        Self::New,
        Self::Removed,
        Self::Same,
    ];

    /// What the word leaves open; empty where it says all.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Redefined => {
                "; what the vector means has changed, so that the runs cannot be compared in it"
            }
            Self::Changed => "; it still does not pass, but in another way",
            _ => "",
        }
    }

    /// The word that people read.
    pub fn word(self) -> &'static str {
        match self {
            Self::Regressed => "regressed",
            Self::Unjudged => "not judged any more",
            Self::Changed => "changed",
            Self::Fixed => "fixed",
            Self::Redefined => "redefined",
            Self::New => "new",
            Self::Removed => "removed",
            Self::Same => "same",
        }
    }
}

/// A vector of which not the same is said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Changed {
    /// `section/id`
    pub name: String,
    /// What became of it.
    pub change: Change,
    /// What the first run says; not there of a new one.
    pub before: Option<Told>,
    /// What the second run says; not there of one that was removed.
    pub after: Option<Told>,
}

/// What a run says of a vector.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Told {
    /// In a word.
    pub verdict: Outcome,
    /// Of a failure its signature, else the reason; not there of a pass.
    pub why: Option<String>,
    /// The command that repeats just this.
    pub again: String,
}

impl Diff {
    /// What changed from one run to another.
    pub fn of(before: &Report, after: &Report) -> Self {
        let all = changes(before, after);
        let mut counts: BTreeMap<Change, usize> = Change::ALL.map(|change| (change, 0)).into();
        for changed in &all {
            counts.entry(changed.change).and_modify(|count| *count = count.saturating_add(1));
        }
        let count = |change| counts.get(&change).copied().unwrap_or_default();
        let undecided = undecided(before, after, &all);
        let (conclusion, exit_code) = match &undecided {
            _ if 0 < count(Change::Regressed) => ("regressed", 1),
            Some(_) => ("undecided", 3),
            None => ("nothing regressed", 0),
        };
        let mut changes: Vec<_> = all.into_iter().filter(|one| one.change != Change::Same).collect();
        changes.sort_by_key(|changed| changed.change);
        Self {
            format: FORMAT,
            conclusion,
            exit_code,
            undecided,
            differences: differences(before, after),
            counts,
            changes,
        }
    }

    /// As JSON, on several lines.
    pub fn json(&self) -> String {
        // It is made of strings, numbers, lists and structs: nothing that JSON could refuse.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// How many vectors there are of this change.
    pub fn count(&self, change: Change) -> usize {
        self.counts.get(&change).copied().unwrap_or_default()
    }

    /// How many vectors both runs have together.
    pub fn vectors(&self) -> usize {
        self.counts.values().copied().fold(0, usize::saturating_add)
    }
}

/// Every vector of the second run, then those that only the first has. Of a name that stands twice the first counts.
fn changes(before: &Report, after: &Report) -> Vec<Changed> {
    let (was, is) = (by_name(before), by_name(after));
    let mut seen = BTreeSet::new();
    let own = after.cases.iter().filter(|case| seen.insert(case.name.as_str()));
    let own = own.map(|case| changed(&case.name, was.get(case.name.as_str()).copied(), Some(case)));
    let mut changes: Vec<_> = own.collect();
    let gone = before.cases.iter().filter(|case| !is.contains_key(case.name.as_str()));
    let gone = gone.filter(|case| seen.insert(case.name.as_str()));
    changes.extend(gone.map(|case| changed(&case.name, Some(case), None)).collect::<Vec<_>>());
    changes
}

fn by_name(report: &Report) -> BTreeMap<&str, &Case> {
    // Of several with one name the first is kept, as they are put in from the last.
    report.cases.iter().rev().map(|case| (case.name.as_str(), case)).collect()
}

fn changed(name: &str, before: Option<&Case>, after: Option<&Case>) -> Changed {
    let change = match (before, after) {
        (Some(before), Some(after)) if before.digest != after.digest => Change::Redefined,
        (Some(before), Some(after)) => compared(before, after),
        (None, _) => Change::New,
        (Some(_), None) => Change::Removed,
    };
    Changed { name: name.into(), change, before: before.map(told), after: after.map(told) }
}

fn compared(before: &Case, after: &Case) -> Change {
    match (passes(before), passes(after)) {
        (true, true) => Change::Same,
        (true, false) if is_unjudged(after) => Change::Unjudged,
        (true, false) => Change::Regressed,
        (false, true) => Change::Fixed,
        (false, false) if before.verdict == after.verdict && why(before) == why(after) => Change::Same,
        (false, false) => Change::Changed,
    }
}

/// Whether the answers were as they must be, whatever a list says.
fn passes(case: &Case) -> bool {
    match case.verdict {
        Outcome::Pass | Outcome::UnexpectedPass => true,
        // A flaky vector that passed has no failure.
        Outcome::Flaky => case.failure.is_none(),
        _ => false,
    }
}

fn is_unjudged(case: &Case) -> bool {
    // To fail now and then is what is known of a flaky one.
    matches!(case.verdict, Outcome::Inconclusive | Outcome::NotRun | Outcome::NotApplicable | Outcome::Flaky)
}

fn told(case: &Case) -> Told {
    Told { verdict: case.verdict, why: why(case).map(str::to_owned), again: case.again.clone() }
}

fn why(case: &Case) -> Option<&str> {
    case.failure.as_ref().map(|failure| failure.signature.as_str()).or(case.reason.as_deref())
}

fn undecided(before: &Report, after: &Report, all: &[Changed]) -> Option<String> {
    let count = |is: &dyn Fn(&&Changed) -> bool| all.iter().filter(is).count();
    let incomplete = |which: &str, report: &Report| {
        let why = report.incomplete.as_deref().unwrap_or("it did not come to its end");
        (!report.complete).then(|| format!("the {which} run is incomplete: {why}"))
    };
    let unjudged = count(&|one| one.change == Change::Unjudged);
    let unjudged = (0 < unjudged).then(|| format!("{unjudged} that passed could not be judged any more"));
    // A vector that was not asked for may fail; one that is no more cannot.
    let unasked = after.cases.len() < after.vectors.all;
    let gone = count(&|one| {
        one.change == Change::Removed && one.before.as_ref().is_some_and(|was| was.verdict == Outcome::Pass)
    });
    let gone =
        (unasked && 0 < gone).then(|| format!("{gone} that passed were not asked for in the second run"));
    let nothing = (after.counts.judged() == 0).then(|| "nothing was judged in the second run".to_owned());
    let parts = [incomplete("first", before), incomplete("second", after), unjudged, gone, nothing];
    let why: Vec<_> = parts.into_iter().flatten().collect();
    (!why.is_empty()).then(|| why.join("; "))
}

/// What is not the same in both runs, beside what is said of the vectors.
fn differences(before: &Report, after: &Report) -> Vec<String> {
    let (was, is) = (before, after);
    let facts = [
        ("the target", who(&was.target), who(&is.target)),
        ("the vectors", was.digests.vectors.clone(), is.digests.vectors.clone()),
        ("the rules", was.digests.model.clone(), is.digests.model.clone()),
        ("the harness", was.harness.clone(), is.harness.clone()),
        ("the choice of vectors", chosen(was), chosen(is)),
        ("whether a should counts", strict(was).into(), strict(is).into()),
        ("the list of known failures", list(was), list(is)),
    ];
    let differ = facts.into_iter().filter(|(_, was, is)| was != is);
    differ.map(|(what, was, is)| format!("{what}: {was} before, {is} now")).collect()
}

fn who(target: &Who) -> String {
    format!("{} {}, {} clock", target.name, target.version, target.clock)
}

fn chosen(report: &Report) -> String {
    match report.vectors.filters.as_slice() {
        [] => "all".into(),
        filters => super::ci_result::first_of(filters, " "),
    }
}

fn strict(report: &Report) -> &'static str {
    if report.strict { "yes" } else { "no" }
}

fn list(report: &Report) -> String {
    report.known.clone().unwrap_or_else(|| "none".into())
}
