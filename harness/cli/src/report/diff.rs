//! The differences between two runs, vector by vector: as plain data, as text and as Markdown.
//!
//! Only answers count here: a vector on a list of known failures still counts as a failure, and one that begins to
//! fail has regressed, whether or not it was put on a list meanwhile.

use std::collections::{BTreeMap, BTreeSet};

use anstyle::Style;
use serde::Serialize;

use self::VectorChange::{Changed, Fixed, New, Redefined, Regressed, Removed, Same, Unjudged};
use crate::report::markdown::page;
use crate::report::style::{
    BAD, BOLD, DOUBT, GOOD, RenderOptions, headed_list, styled, wrapped, wrapped_after,
};
use crate::report::summary::{first_sentences, vectors};
use crate::report::{Case, Outcome, Report, TestedTarget, json_text};
use cosmos_ttl_harness::plain::visible;

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
    /// The exit code.
    pub exit_code: u8,
    /// Why nothing can be concluded; not there where something can.
    pub undecided: Option<String>,
    /// The other differences between the runs, a sentence each.
    pub differences: Vec<String>,
    /// How many vectors there are of each change; they add up to the vectors of both runs.
    pub counts: BTreeMap<VectorChange, usize>,
    /// The vectors that are not the same: worst first, then in the order of the reports.
    pub changes: Vec<ChangedVector>,
}

/// The change of a vector. Forms show the changes in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum VectorChange {
    /// It passed, and does not pass any more.
    Regressed,
    /// It passed, and nothing is known of it any more.
    Unjudged,
    /// It did not pass, and does not now, but in another way.
    Changed,
    /// It did not pass, and passes now.
    Fixed,
    /// It means something else than before, so that the two outcomes cannot be compared.
    Redefined,
    /// Only the second run has it.
    New,
    /// Only the first run has it.
    Removed,
    /// Both runs have the same outcome.
    Same,
}

impl VectorChange {
    /// Every change, in the order in which forms show them.
    pub const ALL: [Self; 8] = [Regressed, Unjudged, Changed, Fixed, Redefined, New, Removed, Same];

    /// The word that people read, its style, and what it leaves open.
    fn shown(self) -> (&'static str, Style, &'static str) {
        match self {
            Regressed => ("regressed", BAD, ""),
            Unjudged => ("not judged any more", DOUBT, ""),
            Changed => ("changed", DOUBT, "; it still does not pass, but in another way"),
            Fixed => ("fixed", GOOD, ""),
            Redefined => {
                let why = "; what the vector means has changed, so that the runs cannot be compared in it";
                ("redefined", DOUBT, why)
            }
            New => ("new", BOLD, ""),
            Removed => ("removed", BOLD, ""),
            Same => ("same", BOLD, ""),
        }
    }
}

/// A vector whose outcome is not the same in both runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedVector {
    /// `section/id`
    pub name: String,
    /// The change.
    pub change: VectorChange,
    /// Its outcome in the first run; not there of a new one.
    pub before: Option<VectorOutcome>,
    /// Its outcome in the second run; not there of one that was removed.
    pub after: Option<VectorOutcome>,
}

/// The outcome of a vector in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VectorOutcome {
    /// In a word.
    pub verdict: Outcome,
    /// Of a failure its signature, else the reason; not there of a pass.
    pub why: Option<String>,
    /// The command that repeats just this.
    pub again: String,
}

impl ChangedVector {
    /// The outcomes that there are, each with when it was: `fail: at second 1: …`
    fn outcomes(&self, shown: fn(&str) -> String) -> impl Iterator<Item = (&'static str, String)> {
        let both = [("before", &self.before), ("now", &self.after)];
        both.into_iter().filter_map(move |(when, outcome)| {
            let VectorOutcome { verdict, why, .. } = outcome.as_ref()?;
            let why = why.as_deref().map(|why| format!(": {}", shown(why))).unwrap_or_default();
            Some((when, format!("{verdict}{why}")))
        })
    }
}

impl VectorOutcome {
    fn of(case: &Case) -> Self {
        Self { verdict: case.verdict, why: case.why().map(str::to_owned), again: case.again.clone() }
    }
}

impl Diff {
    /// Returns what changed from one run to another.
    pub fn of(before: &Report, after: &Report) -> Self {
        let mut changes = changes(before, after);
        let of = |change| changes.iter().filter(|one| one.change == change).count();
        let counts = BTreeMap::from(VectorChange::ALL.map(|change| (change, of(change))));
        let undecided = undecided(before, after, &changes);
        let (conclusion, exit_code) = match &undecided {
            _ if counts.get(&Regressed) > Some(&0) => ("regressed", 1),
            Some(_) => ("undecided", 3),
            None => ("nothing regressed", 0),
        };
        changes.retain(|one| one.change != Same);
        changes.sort_by_key(|changed| changed.change);
        let differences = differences(before, after);
        Self { format: FORMAT, conclusion, exit_code, undecided, differences, counts, changes }
    }

    /// Returns the difference as JSON, on several lines.
    pub fn json(&self) -> String {
        json_text(self)
    }

    fn groups(&self) -> impl Iterator<Item = (VectorChange, &[ChangedVector])> {
        let groups = self.changes.chunk_by(|one, next| one.change == next.change);
        groups.filter_map(|own| Some((own.first()?.change, own)))
    }
}

/// Every vector of the second run, then those that only the first has. Of a name that stands twice the first counts.
fn changes(before: &Report, after: &Report) -> Vec<ChangedVector> {
    let (was, is) = (by_name(before), by_name(after));
    let mut seen = BTreeSet::new();
    let names = after.cases.iter().chain(&before.cases).map(|case| case.name.as_str());
    let changed = names.filter(|name| seen.insert(*name)).map(|name| {
        let change = match (was.get(name), is.get(name)) {
            (Some(before), Some(after)) => compared(before, after),
            (None, _) => New,
            (_, None) => Removed,
        };
        let [before, after] = [&was, &is].map(|all| all.get(name).map(|case| VectorOutcome::of(case)));
        ChangedVector { name: name.into(), change, before, after }
    });
    changed.collect()
}

fn by_name(report: &Report) -> BTreeMap<&str, &Case> {
    // Of several with one name the first is kept, as they are put in from the last.
    report.cases.iter().rev().map(|case| (case.name.as_str(), case)).collect()
}

fn compared(before: &Case, after: &Case) -> VectorChange {
    use Outcome::{Inconclusive, NotApplicable, NotOffered, NotRun};
    match (passes(before), passes(after)) {
        _ if before.digest != after.digest => Redefined,
        (true, true) => Same,
        (true, false) if matches!(after.verdict, Inconclusive | NotRun | NotApplicable | NotOffered) => {
            Unjudged
        }
        (true, false) => Regressed,
        (false, true) => Fixed,
        (false, false) if before.verdict == after.verdict && before.why() == after.why() => Same,
        (false, false) => Changed,
    }
}

/// Whether the answers were as they must be, whatever a list says.
fn passes(case: &Case) -> bool {
    matches!(case.verdict, Outcome::Pass | Outcome::UnexpectedPass)
}

fn undecided(before: &Report, after: &Report, all: &[ChangedVector]) -> Option<String> {
    let incomplete = |which: &str, report: &Report| {
        let why = report.incomplete.as_deref().unwrap_or("it did not come to its end");
        (!report.complete).then(|| format!("the {which} run is incomplete: {why}"))
    };
    let unjudged = all.iter().filter(|one| one.change == Unjudged).count();
    let unjudged = (unjudged > 0).then(|| format!("{unjudged} that passed could not be judged any more"));
    // A vector that was not asked for may fail; one that is no more cannot.
    let unasked = after.cases.len() < after.vectors.all;
    let passed = |one: &&ChangedVector| one.before.as_ref().is_some_and(|was| was.verdict == Outcome::Pass);
    let gone = all.iter().filter(|one| one.change == Removed).filter(passed).count();
    let gone = (unasked && gone > 0).then_some(gone);
    let gone = gone.map(|gone| format!("{gone} that passed were not asked for in the second run"));
    let nothing = (after.counts.judged() == 0).then(|| "nothing was judged in the second run".to_owned());
    let parts = [incomplete("first", before), incomplete("second", after), unjudged, gone, nothing];
    let why: Vec<_> = parts.into_iter().flatten().collect();
    (!why.is_empty()).then(|| why.join("; "))
}

/// Returns the differences between the runs, except for their vectors.
fn differences(before: &Report, after: &Report) -> Vec<String> {
    let pairs = facts(before).into_iter().zip(facts(after)).filter(|(was, is)| was != is);
    pairs.map(|((what, was), (_, is))| format!("{what}: {was} before, {is} now")).collect()
}

fn facts(report: &Report) -> [(&'static str, String); 7] {
    let TestedTarget { name, version, clock, .. } = &report.target;
    let selection = match report.vectors.filters.as_slice() {
        [] => "all".into(),
        filters => first_sentences(filters, " "),
    };
    [
        ("the target", format!("{name} {version}, {clock} clock")),
        ("the vectors", report.digests.vectors.clone()),
        ("the rules", report.digests.model.clone()),
        ("the harness", report.harness.clone()),
        ("the choice of vectors", selection),
        ("whether a should counts", if report.strict { "yes" } else { "no" }.into()),
        ("the list of known failures", report.known.clone().unwrap_or_else(|| "none".into())),
    ]
}

/// Returns the difference as text, with styles.
pub fn text(diff: &Diff, options: RenderOptions) -> String {
    let lines: Vec<_> = diff.differences.iter().map(|line| visible(line)).collect();
    let differences = headed_list(BOLD, "not the same in both runs", &lines, options.width);
    let groups = diff.groups().map(|(change, own)| text_group(change, own, options));
    let parts = [differences].into_iter().chain(groups).chain([text_end(diff, options)]);
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn text_group(change: VectorChange, all: &[ChangedVector], options: RenderOptions) -> String {
    let (word, style, hint) = change.shown();
    let mut text = format!("{}: {}{hint}\n", styled(style, word), vectors(all.len()));
    text.extend(all.iter().take(options.most).map(|one| text_lines(one, options)));
    let more = all.len().saturating_sub(options.most);
    text.extend((more > 0).then(|| format!("  and {more} more (--show N shows more)\n")));
    text
}

fn text_lines(one: &ChangedVector, options: RenderOptions) -> String {
    let mut text = format!("  {}\n", visible(&one.name));
    for (when, outcome) in one.outcomes(visible) {
        let line = format!("    {when:6} {outcome}");
        text.extend([wrapped(&line, options.width, "           "), "\n".into()]);
    }
    if let (Regressed | Unjudged, Some(after)) = (one.change, &one.after) {
        text.extend([format!("    again  {}\n", visible(&after.again))]);
    }
    text
}

fn text_end(diff: &Diff, options: RenderOptions) -> String {
    let there = diff.counts.iter().filter(|(_, count)| **count > 0);
    let words: Vec<_> = there.map(|(change, count)| format!("{count} {}", change.shown().0)).collect();
    let sum = if words.is_empty() { "nothing".into() } else { words.join(" + ") };
    let style = match diff.exit_code {
        0 => GOOD,
        1 => BAD,
        _ => DOUBT,
    };
    // Of what regressed no incomplete run is the reason.
    let between = if diff.exit_code == 1 { "; besides, " } else { ": " };
    let why = diff.undecided.as_deref().map(|why| format!("{between}{}", visible(why))).unwrap_or_default();
    let conclusion = wrapped_after(style, diff.conclusion, &why, options.width);
    format!("{} = {sum}\n{conclusion}\n", vectors(diff.counts.values().sum()))
}

/// Returns the difference as Markdown, for a comment or the summary of a CI job.
pub fn markdown(diff: &Diff) -> String {
    page(diff.exit_code, diff.conclusion, "", &text(diff, RenderOptions { most: 100, ..<_>::default() }))
}
