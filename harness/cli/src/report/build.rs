//! Takes a run apart into a report, and makes a report from another author as harmless as one of our own.

use std::collections::BTreeSet;
use std::iter;

use serde_json::Value;

use crate::report::timeline::timeline;
use crate::report::{
    Case, ChosenValue, Counts, Digests, Excerpt, FORMAT, Listed, Outcome, Report, ReportedClause,
    ReportedFailure, ReportedSection, ReportedStep, Selection, TestedTarget, UnjudgedClause,
};
use cosmos_ttl_harness::clauses::{Clause, Observe, Section};
use cosmos_ttl_harness::describe::{answered, asked, wanted};
use cosmos_ttl_harness::evidence::{Cited, Evidence};
use cosmos_ttl_harness::plain::{plain, plain_lines, visible};
use cosmos_ttl_harness::run::{Answered, Run, Tally, VectorResult};
use cosmos_ttl_harness::target::{Clock, Part, Removal, option};
use cosmos_ttl_harness::unjudged::unjudged_clauses;
use cosmos_ttl_harness::vector::{Suite, Vector, digest};
use cosmos_ttl_harness::verdict::{Failure, Verdict};

/// Returns what identifies the rules of this build: a digest of the files that state them, whatever their line endings.
pub fn model_digest() -> String {
    digest(&cosmos_ttl_model::SOURCES.concat().replace('\r', ""))
}

/// The parts of the command line that a report repeats.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunCommand {
    /// The word that names the target.
    pub target: String,
    /// Options that repeating one vector needs as well.
    pub options: Vec<String>,
    /// Options that select vectors, beside the filters.
    pub selection: Vec<String>,
    /// The filters; none asks for all vectors.
    pub filters: Vec<String>,
    /// Which of all the vectors there are these are: `--profile`.
    pub profile: Option<String>,
    /// The parts of the interface that it declares missing.
    pub without: BTreeSet<Part>,
    /// Whether a difference from a `should` fails the run.
    pub strict: bool,
    /// Whether the run ends at the first failure.
    pub fail_fast: bool,
    /// The list of known failures.
    pub known: Option<String>,
    /// Where the target is a process: its command and the command's arguments.
    pub command: Vec<String>,
}

impl RunCommand {
    /// The command that brings the list of known failures up to date, with a place for a reason where it needs one.
    fn known_update(&self, needs_reason: bool) -> Option<String> {
        let reason: &[&str] = if needs_reason { &["--reason", "TEXT"] } else { &[] };
        let list = [self.known.as_deref()?].into_iter().chain(reason.iter().copied());
        let words = self.words(&self.filters);
        Some(spoken("cosmos-ttl known update", list.chain(words.iter().map(String::as_str))))
    }

    /// The command that declares these parts missing, too; `None` of no part.
    fn declare(&self, missing: &BTreeSet<Part>) -> Option<String> {
        let declared = Self { without: &self.without | missing, ..self.clone() };
        (!missing.is_empty()).then(|| command(declared.words(&self.filters).iter().map(String::as_str)))
    }

    /// The command that runs the whole suite.
    fn whole(&self) -> String {
        let whole = Self { selection: Vec::new(), ..self.clone() };
        command(whole.words(&[]).iter().map(String::as_str))
    }

    /// The options, the target and these filters, in their order on the command line.
    fn words(&self, filters: &[String]) -> Vec<String> {
        let declared = (!self.without.is_empty()).then(|| option(&self.without));
        let declared = declared.iter().flat_map(|option| option.split(' ')).map(str::to_owned);
        let target = self.command.is_empty().then_some(&self.target);
        let rest = self.options.iter().chain(&self.selection).chain(target).chain(filters).cloned();
        let dashes = (!self.command.is_empty()).then(|| "--".to_owned());
        declared.chain(rest).chain(dashes).chain(self.command.iter().cloned()).collect()
    }
}

/// Returns a `cosmos-ttl run` with these words, as a shell takes it.
pub fn command<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    spoken("cosmos-ttl run", words)
}

/// Returns a command with these words, as a shell takes it.
pub fn spoken<'a>(command: &str, words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().fold(command.to_owned(), |command, word| command + " " + &quoted(word))
}

/// A word as a shell takes it; `$'…'` shows what cannot be seen.
fn quoted(word: &str) -> String {
    let harmless = |c: char| c.is_ascii_alphanumeric() || "-_./:=@,+".contains(c);
    if !word.is_empty() && word.chars().all(harmless) {
        return word.into();
    }
    if visible(word) == word {
        return format!("'{}'", word.replace('\'', r"'\''"));
    }
    let escaped = word.chars().map(|c| match c {
        '\n' => r"\n".into(),
        '\'' | '\\' => format!("\\{c}"),
        c if visible(&c.to_string()) == c.to_string() => c.into(),
        c => format!("\\U{:08x}", u32::from(c)),
    });
    format!("$'{}'", escaped.collect::<String>())
}

impl Report {
    /// Returns the report of a run over this suite.
    pub fn of(suite: &Suite, run: &Run<'_>, command: &RunCommand) -> Self {
        let tally = Tally::of(run);
        let conclusion = tally.conclusion(command.strict);
        let all = suite.catalogue.sections.iter();
        let sections: Vec<_> =
            all.filter_map(|one| section(suite, one, run, command.filters.is_empty())).collect();
        let plains = |texts: &[String]| texts.iter().map(|text| plain(text)).collect();
        Self {
            format: FORMAT,
            harness: env!("CARGO_PKG_VERSION").into(),
            complete: run.is_complete(),
            incomplete: incomplete(run),
            stopped_at_failure: command.fail_fast && tally.counts.fails(command.strict),
            target: TestedTarget {
                asked: plain(&command.target),
                command: (!command.command.is_empty())
                    .then(|| plain(spoken("", command.command.iter().map(String::as_str)).trim_start())),
                name: plain(&run.about.name),
                version: plain(&run.about.version),
                clock: if run.about.clock == Clock::Virtual { "virtual" } else { "real" }.into(),
                clock_width_us: run.clock_width_us,
                removals: Removal::schedules(&run.about).iter().map(ToString::to_string).collect(),
            },
            digests: Digests { vectors: suite.digest(), model: model_digest() },
            vectors: Selection {
                origin: suite.origin.clone(),
                all: suite.vectors.len(),
                filters: plains(&command.filters),
                profile: command.profile.clone(),
                scope: run.scope,
                whole: command.whole(),
            },
            strict: command.strict,
            conclusion: tally.words(conclusion),
            exit_code: conclusion.exit_code(),
            without: tally.without.iter().copied().collect(),
            missing: tally.missing.iter().copied().collect(),
            declare: command.declare(&tally.missing),
            unjudged: tally.unjudged.into_iter().collect(),
            unjudged_reasons: unjudged_reasons(run),
            known: command.known.as_deref().map(plain),
            // Whatever a target wrote was cut short where the sentences were made.
            stale: run.stale.iter().map(|stale| visible(stale)).collect(),
            mishaps: plains(&run.mishaps),
            remarks: run.remarks.iter().map(|remark| visible(remark)).collect(),
            known_update: command.known_update(tally.counts.fails_anew(command.strict)),
            fingerprint: fingerprint(&sections),
            diagnosis: None,
            counts: tally.counts,
            requests: run.requests,
            sections,
            cases: run.results.iter().map(|result| case(result, command)).collect(),
        }
    }
}

fn unjudged_reasons(run: &Run<'_>) -> Vec<UnjudgedClause> {
    let harmless = |one: UnjudgedClause| UnjudgedClause { reason: plain(&one.reason), ..one };
    unjudged_clauses(&run.results, &run.filtered).into_iter().map(harmless).collect()
}

fn incomplete(run: &Run<'_>) -> Option<String> {
    let unasked = run.results.iter().filter(|result| result.verdict.outcome() == Outcome::NotRun);
    let why = unasked.clone().find_map(|result| result.verdict.reason())?;
    Some(format!("{} of {} vectors were not run: {}", unasked.count(), run.results.len(), plain(&why)))
}

/// A section; `None` where something else was asked for.
fn section(suite: &Suite, section: &Section, run: &Run<'_>, all: bool) -> Option<ReportedSection> {
    let clauses = section.clauses.iter().map(|one| clause(suite, one, run));
    let clauses: Vec<_> = clauses.filter(|clause| all || clause.cited() > 0).collect();
    let results = run.results.iter().filter(|result| result.vector.section == section.name);
    let counts: Counts = results.map(VectorResult::outcome).collect();
    let wanted = !clauses.is_empty() || counts.vectors > 0;
    wanted.then(|| ReportedSection { name: section.name.clone(), counts, clauses })
}

fn clause(suite: &Suite, clause: &Clause, run: &Run<'_>) -> ReportedClause {
    // What is documented, and misprinted once, needs no more words.
    let sources = if clause.evidence == Evidence::Documented { &[][..] } else { &clause.sources };
    let contradictions = sources.iter().filter(|id| id.starts_with("C-")).filter_map(|id| {
        let Some(Cited::Finding(one)) = suite.evidence.get(id) else { return None };
        let held = one.held.as_deref().unwrap_or_default();
        Some(format!("{id}, a contradiction: {} Held: {held}", one.finding))
    });
    let citing = run.results.iter().filter(|result| result.vector.clauses.contains(&clause.id));
    let (asked, not_asked): (Vec<_>, Vec<_>) = citing.partition(|result| result.counts_for(&clause.id));
    // What a vector showed before it failed says nothing of the target's choice.
    let passed = run.results.iter().filter(|result| result.verdict == Verdict::Pass);
    let choices: Vec<_> = passed.flat_map(|result| &result.choices).collect();
    let choice = |value: &String| {
        let own = choices.iter().filter(|choice| choice.clause == clause.id && choice.value == *value);
        ChosenValue { value: value.clone(), seen: own.count() }
    };
    let values = clause.values.iter().filter(|_| clause.observe == Observe::Client);
    ReportedClause {
        id: clause.id.clone(),
        level: clause.level,
        evidence: clause.evidence,
        observe: clause.observe,
        says: clause.says.clone(),
        contradictions: contradictions.collect(),
        binds: clause.binds,
        service: clause.service.clone(),
        choices: values.map(choice).collect(),
        shared: asked.iter().filter(|result| result.accused().len() > 1).count(),
        counts: asked.into_iter().map(VectorResult::outcome).collect(),
        not_asked: not_asked.len(),
    }
}

fn fingerprint(sections: &[ReportedSection]) -> String {
    let chosen = sections.iter().flat_map(|section| &section.clauses).filter_map(|clause| {
        let values: Vec<_> = clause.seen().map(|choice| choice.value.as_str()).collect();
        (!values.is_empty()).then(|| format!("{}={}", clause.id, values.join("/")))
    });
    chosen.collect::<Vec<_>>().join(" ")
}

fn case(result: &VectorResult<'_>, command: &RunCommand) -> Case {
    let vector = result.vector;
    let failure = if let Verdict::Fail(failure) = &result.verdict { Some(failure) } else { None };
    // A vector that contradicts another is repeated after that one.
    let beside = failure.and_then(|failure| failure.beside.as_ref());
    let again: Vec<_> = beside.into_iter().chain([&vector.name]).cloned().collect();
    Case {
        name: vector.name.clone(),
        title: vector.title.clone(),
        level: vector.level,
        clauses: vector.clauses.clone(),
        digest: vector.digest().to_owned(),
        span_s: vector.span_s,
        verdict: result.outcome(),
        reason: result.verdict.reason().map(|reason| plain(&reason)),
        failure: failure.map(|failure| self::failure(result, failure)),
        known: result.listed.as_ref().map(|listed| Listed {
            reason: plain(&listed.reason),
            signature: listed.signature.as_deref().map(plain),
            // A report says so with the outcome.
            holds: false,
        }),
        choices: result.choices.clone(),
        steps: steps(vector, &result.answers),
        timeline: timeline(vector, &result.choices),
        duration_us: result.duration_us,
        log: result.log.as_deref().filter(|_| result.verdict != Verdict::Pass).map(plain_lines),
        again: self::command(command.words(&again).iter().map(String::as_str)),
    }
}

fn steps(vector: &Vector, answers: &[Answered]) -> Vec<ReportedStep> {
    let answers = answers.iter().map(Some).chain(iter::repeat(None));
    let steps = vector.steps.iter().zip(answers).map(|(step, seen)| ReportedStep {
        at_s: step.at_s,
        asked: asked(step),
        expected: wanted(step),
        answered: seen.map(|seen| answered(&seen.response)),
        as_expected: seen.and_then(|seen| seen.as_expected),
        window: seen.and_then(|seen| seen.window.as_ref()).map(|window| [*window.start(), *window.end()]),
    });
    steps.collect()
}

fn failure(result: &VectorResult<'_>, failure: &Failure) -> ReportedFailure {
    ReportedFailure {
        accused: result.accused().into_iter().map(str::to_owned).collect(),
        signature: plain(&failure.to_string()),
        step: failure.step,
        at_s: failure.at_s,
        expected: plain(&failure.expected),
        got: plain(&failure.got),
        removal: failure.removal.map(|removal| removal.to_string()),
        source: excerpt(result.vector, failure.step),
    }
}

/// The step as it is written; of a vector of a table, the template of the step.
fn excerpt(vector: &Vector, step: usize) -> Excerpt {
    let text = &vector.source.text;
    let line = vector.steps.get(step).map_or(vector.line, |step| step.line);
    let step = vector.source.entry_at(line);
    let start = text.get(..step.start).unwrap_or("").rfind('\n').map_or(0, |newline| newline + 1);
    let own = text.get(start..step.end).unwrap_or("");
    Excerpt {
        file: vector.source.name.clone(),
        line,
        text: own.into(),
        start: step.start.saturating_sub(start).min(own.len()),
        end: own.len(),
    }
}

/// No line is longer, and no text has more lines. More than whatever a report of our own has, which so stays as it is.
const MOST_CHARS: usize = 4096;
const MOST_LINES: usize = 2000;

/// No file has more lines than this, whatever a report says.
const MOST_LINES_OF_A_FILE: usize = 10_000_000;

/// The fields whose text has several lines; everything else stays on one.
const OF_SEVERAL_LINES: [&str; 2] = ["log", "text"];

impl Report {
    /// The same report, of which no text can steer a terminal, reorder the text around it, or go on without end, and
    /// whose places are in the texts they point into. Whatever reads a report from a file does this first.
    #[must_use]
    pub fn made_harmless(self) -> Self {
        let told = serde_json::to_value(&self).map(|value| harmless(value, false));
        // Only texts were changed, and none of those that the form knows by heart has anything to change.
        let mut report = told.and_then(serde_json::from_value).unwrap_or(self);
        let failures = report.cases.iter_mut().filter_map(|case| case.failure.as_mut());
        failures.for_each(|failure| keep_inside(&mut failure.source));
        report
    }
}

/// Goes by the shape, not by the fields, so that none that is added later is forgotten.
fn harmless(value: Value, lines: bool) -> Value {
    match value {
        Value::String(text) if lines => {
            text.lines().take(MOST_LINES).map(line).collect::<Vec<_>>().join("\n").into()
        }
        Value::String(text) => line(&text).into(),
        Value::Array(values) => values.into_iter().map(|value| harmless(value, lines)).collect(),
        Value::Object(fields) => {
            let lines = |name: &str| OF_SEVERAL_LINES.contains(&name);
            fields.into_iter().map(|(name, value)| (name.clone(), harmless(value, lines(&name)))).collect()
        }
        other => other,
    }
}

/// Returns a bounded line. The bound is that of the output, which may be longer than the input: to do it
/// again changes nothing.
fn line(text: &str) -> String {
    let shown = visible(&text.chars().take(MOST_CHARS + 1).collect::<String>());
    if shown.chars().count() <= MOST_CHARS {
        return shown;
    }
    shown.chars().take(MOST_CHARS - 1).chain(['…']).collect()
}

/// A place stays in its text, and between two characters of it.
fn keep_inside(excerpt: &mut Excerpt) {
    let Excerpt { line, text, start, end, .. } = excerpt;
    *line = (*line).min(MOST_LINES_OF_A_FILE);
    let within = |byte: usize| {
        let byte = byte.min(text.len());
        (0..=byte).rev().find(|byte| text.is_char_boundary(*byte)).unwrap_or(0)
    };
    (*start, *end) = (within(*start), within(*end));
    *end = (*end).max(*start);
}
