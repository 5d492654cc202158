//! A run as plain data, the [`Report`], and everything that is rendered from it.
//!
//! [`Report::of`] takes a run apart. As JSON it is a stable form for programs; every other form is rendered from it.
//! Text from a target is made harmless on the way in (`cosmos_ttl_harness::plain`), so no form can be hurt by it.
//!
//! ```
//! use cosmos_ttl_harness::{embedded, run_virtual};
//! use cosmos_ttl::report::{Report, RunCommand, junit};
//! # use cosmos_ttl_explore::reference::Reference as MyStore;
//!
//! let suite = embedded()?;
//! let run = run_virtual(&MyStore::default(), &suite.vectors.iter().collect::<Vec<_>>())?;
//! let report = Report::of(&suite, &run, &RunCommand::default());
//! assert_eq!(report.conclusion, "conformant");
//! assert!(junit(&report).contains("<testsuites"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules, in reading order: `build` and [`timeline`] take a run apart; `summary` and `groups` compute what all renderers show;
//! [`style`], [`text`](mod@text), `lifeline` and `matrix` are for a terminal; `junit`, [`markdown`](mod@markdown) and `html` are for
//! files; [`diff`] compares two reports.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "counts of vectors, lines and pixels cannot overflow; numbers that a file may hold saturate"
)]

mod build;
pub mod diff;
mod groups;
mod html;
mod junit;
mod lifeline;
pub mod markdown;
mod matrix;
mod rules;
pub mod style;
mod summary;
pub mod text;
#[deny(clippy::arithmetic_side_effects)]
pub mod timeline;
mod wrong_items;

use serde::{Deserialize, Serialize};

pub use build::{RunCommand, command, model_digest, spoken};
pub use html::page;
pub use junit::junit;
pub use lifeline::lifeline;
pub use markdown::markdown;
pub use matrix::{lifetime_cells, lifetime_matrix};
pub use rules::rules_markdown;
pub use summary::vectors;
pub use text::text;

use cosmos_ttl_harness::clauses::{Binds, Level, Observe};
use cosmos_ttl_harness::evidence::Evidence;
pub use cosmos_ttl_harness::run::Scope;
pub use cosmos_ttl_harness::target::Part;
pub use cosmos_ttl_harness::unjudged::UnjudgedClause;
pub use cosmos_ttl_harness::verdict::Listed;
pub use cosmos_ttl_harness::verdict::{Choice, Counts, Outcome};
pub use cosmos_ttl_mutants::diagnosis::{MutantDiagnosis, MutantLikeness};

/// The version of this form, which changes with its fields: a report of another version is refused.
pub const FORMAT: u32 = 1;

/// The JSON Schema of a report, as committed.
pub const SCHEMA: &str = include_str!("../schemas/report.schema.json");

/// A run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Report {
    /// [`FORMAT`]
    pub format: u32,
    /// The version of this harness.
    pub harness: String,
    /// Whether every vector that was asked for came to its end.
    pub complete: bool,
    /// Why not, where not.
    pub incomplete: Option<String>,
    /// Whether the user asked to stop at the first failure, and there was one: the rest was not run.
    pub stopped_at_failure: bool,
    /// The tested target.
    pub target: TestedTarget,
    /// The identity of the vectors and the rules.
    pub digests: Digests,
    /// The vectors, and which of them were asked for.
    pub vectors: Selection,
    /// Whether a difference from a `should` fails the run.
    pub strict: bool,
    /// `conformant`, `as known`, `nonconformant`, `undecided` or `broke`. Where parts of the interface are declared missing, it
    /// is not `conformant` but, for example, `conformant without patch, batch`. Of a part of the suite it is at best `no failure`
    /// or `no failure in the quick profile`.
    pub conclusion: String,
    /// The exit code.
    pub exit_code: u8,
    /// The parts of the interface that are declared missing: nothing of them was judged.
    pub without: Vec<Part>,
    /// The parts that the target does not support, and that nobody declared missing.
    pub missing: Vec<Part>,
    /// The command that declares them.
    pub declare: Option<String>,
    /// Clauses that are a must or open, and of which no vector of the run was judged.
    pub unjudged: Vec<String>,
    /// The same clauses, each with the reason and with what to do.
    pub unjudged_reasons: Vec<UnjudgedClause>,
    /// The list of known failures that was held against it.
    pub known: Option<String>,
    /// The entries of that list that are out of date, a sentence each.
    pub stale: Vec<String>,
    /// The command that brings that list up to date.
    pub known_update: Option<String>,
    /// The target's choices under each open clause, in the order of the clauses: two runs with the same
    /// fingerprint chose alike. `CLAUSE=VALUE`, with `/` between values where it chose several, and a space between
    /// clauses; a clause under which it was not seen to choose is left out.
    pub fingerprint: String,
    /// The faults of the target while no vector was replayed, a sentence each.
    pub mishaps: Vec<String>,
    /// Remarks that a reader needs to weigh the run, a sentence each: which failures a list excused, how unstable the
    /// target was.
    pub remarks: Vec<String>,
    /// Which mistake it seems to make; not there where nothing failed but what is known, or where nothing is close.
    pub diagnosis: Option<MutantDiagnosis>,
    /// How many vectors there are of each verdict; they add up.
    pub counts: Counts,
    /// How many requests were answered.
    pub requests: usize,
    /// The clauses, by section, each with the vectors that cite it.
    pub sections: Vec<ReportedSection>,
    /// One for each vector that was asked for.
    pub cases: Vec<Case>,
}

/// The tested target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TestedTarget {
    /// The word that names it on the command line.
    pub asked: String,
    /// The command of a process, as a shell takes it.
    pub command: Option<String>,
    /// Its name, as it says itself.
    pub name: String,
    /// Its version, as it says itself.
    pub version: String,
    /// `virtual` or `real`.
    pub clock: String,
    /// Of a real clock: how wide, in microseconds, the interval is in which it was known to be in the end.
    pub clock_width_us: Option<u64>,
    /// The schedules of background removal that it was told to follow; empty where it follows its own.
    pub removals: Vec<String>,
}

/// The identity of the vectors and the rules, in any layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digests {
    /// Of all vectors there were to choose from.
    pub vectors: String,
    /// Of the rules that came with this harness.
    pub model: String,
}

/// The vectors, and which of them were asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// Where they are from.
    pub origin: String,
    /// How many there are.
    pub all: usize,
    /// The filters; none asks for all.
    pub filters: Vec<String>,
    /// Which of all the vectors there are these are: `--profile`.
    pub profile: Option<String>,
    /// How much of the suite they are: only the whole of it shows conformance.
    pub scope: Scope,
    /// The command that runs the whole suite.
    pub whole: String,
}

/// Clauses that belong together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedSection {
    /// Its name.
    pub name: String,
    /// Its vectors that were asked for.
    pub counts: Counts,
    /// Its clauses.
    pub clauses: Vec<ReportedClause>,
}

/// One clause, and the vectors that cite it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ReportedClause {
    /// Its id.
    pub id: String,
    /// How binding it is.
    pub level: Level,
    /// How well it is known.
    pub evidence: Evidence,
    /// Who can see whether it holds.
    pub observe: Observe,
    /// The statement.
    pub says: String,
    /// Where its sources contradict each other and none documents it: what they say, and what the clause holds.
    pub contradictions: Vec<String>,
    /// Of an open clause: how far one choice reaches.
    pub binds: Option<Binds>,
    /// Of an open clause: what is known of the service's own choice.
    pub service: Option<String>,
    /// Of an open clause: each value, and how often the target was seen to choose it.
    pub choices: Vec<ChosenValue>,
    /// The vectors that cite it and were asked for, without those of `not-asked`. A vector may cite several clauses, so
    /// these do not add up.
    pub counts: Counts,
    /// How many of them fail or differ, and cite further clauses: each failure speaks against one of several clauses.
    pub shared: usize,
    /// How many more cite it and fail at a request that sets them up: they never came to their question.
    pub not_asked: usize,
}

/// A value of an open clause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChosenValue {
    /// The value.
    pub value: String,
    /// How often it was seen.
    pub seen: usize,
}

/// The result of one vector.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Case {
    /// `section/id`
    pub name: String,
    /// The title: what must hold.
    pub title: String,
    /// The weakest level among its clauses.
    pub level: Level,
    /// The clauses that it shows.
    pub clauses: Vec<String>,
    /// The digest of its meaning.
    pub digest: String,
    /// The second of its last request, counted from its start.
    pub span_s: u64,
    /// The outcome.
    pub verdict: Outcome,
    /// Why, in a sentence; not there of a pass.
    pub reason: Option<String>,
    /// The first answer that was not as expected; only there of a failure and a difference, known or not.
    pub failure: Option<ReportedFailure>,
    /// Its entry on the list of known failures.
    pub known: Option<Listed>,
    /// The target's choices under open clauses.
    pub choices: Vec<Choice>,
    /// Its requests, and what they were answered in the replay that decided.
    pub steps: Vec<ReportedStep>,
    /// The life of each item by the rules.
    pub timeline: timeline::Timeline,
    /// The microseconds from the opening of its session to its last response, in the replay that decided; only on a real
    /// clock.
    pub duration_us: Option<u64>,
    /// The log of the target during the replay; only if the vector did not pass.
    pub log: Option<String>,
    /// The command that repeats just this.
    pub again: String,
}

/// The first answer that was not as expected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ReportedFailure {
    /// All of it in a line: the same failure reads the same in every run.
    pub signature: String,
    /// Which of the vector's requests, counted from 0.
    pub step: usize,
    /// When, in seconds from the start of the vector.
    pub at_s: u64,
    /// The expected response.
    pub expected: String,
    /// The actual response.
    pub got: String,
    /// The clauses of which the failure speaks against one: those that the vector cites, or none where a request failed that
    /// only sets the vector up.
    pub accused: Vec<String>,
    /// Under which schedule of removal, where the target was told one.
    pub removal: Option<String>,
    /// The vector as it is written.
    pub source: Excerpt,
}

/// A request and what was answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ReportedStep {
    /// When, in seconds from the start of the vector.
    pub at_s: u64,
    /// The request, in words.
    pub asked: String,
    /// The expected response, in words.
    pub expected: String,
    /// The answer, in words; `None` for a step that was not reached.
    pub answered: Option<String>,
    /// Whether that is as expected.
    pub as_expected: Option<bool>,
    /// Of a real clock: its first and last second, since 1970, in which the target may have dealt with the request.
    pub window: Option<[i64; 2]>,
}

/// A part of a file, with a place in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// The file.
    pub file: String,
    /// The line, counted from 1, on which the text starts.
    pub line: usize,
    /// The text.
    pub text: String,
    /// The byte of the text at which the place starts.
    pub start: usize,
    /// The byte after the place.
    pub end: usize,
}

impl Report {
    /// Returns the report as JSON, on several lines.
    pub fn json(&self) -> String {
        json_text(self)
    }

    /// Returns every clause.
    pub fn clauses(&self) -> impl Iterator<Item = &ReportedClause> {
        self.sections.iter().flat_map(|section| &section.clauses)
    }

    /// Returns the clause with this id.
    pub fn clause(&self, id: &str) -> Option<&ReportedClause> {
        self.clauses().find(|clause| clause.id == id)
    }

    /// Returns the vectors with this verdict.
    pub fn cases(&self, verdict: Outcome) -> impl Iterator<Item = &Case> {
        self.cases.iter().filter(move |case| case.verdict == verdict)
    }
}

/// A value as JSON, on several lines. All values here are made of strings, numbers, lists and structs, which JSON cannot
/// refuse.
fn json_text(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}
