//! Takes a run apart into a report.

use super::steps;
use super::timeline::timeline;
use super::{
    Case, Choice, Chosen, Clause, Counts, Digests, Excerpt, FORMAT, Failure, Known, Outcome, Report, Section,
    Selection, Who,
};
use cosmos_ttl_harness::clauses::{self, Observe};
use cosmos_ttl_harness::plain::{plain, plain_lines, visible};
use cosmos_ttl_harness::run::{Run, Tally, VectorResult};
use cosmos_ttl_harness::target::Clock;
use cosmos_ttl_harness::vector::{Suite, Vector, digest};
use cosmos_ttl_harness::verdict::{self, Verdict};

/// Returns what identifies the rules of this build: a digest of the files that state them, whatever their line endings.
pub fn model_digest() -> String {
    digest(&cosmos_ttl_model::SOURCES.concat().replace('\r', ""))
}

/// What was asked for on the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The word that names the target.
    pub target: String,
    /// Options that repeating one vector needs as well.
    pub options: Vec<String>,
    /// The filters; none asks for all vectors.
    pub filters: Vec<String>,
    /// Which of all the vectors there are these are: `--profile`.
    pub profile: Option<String>,
    /// Whether a difference from a `should` fails the run.
    pub strict: bool,
    /// The list of known failures.
    pub known: Option<String>,
    /// Where the target is a process: its command and the command's arguments.
    pub command: Vec<String>,
}

impl Asked {
    /// The command that repeats one vector, after another one where it contradicts that.
    fn again(&self, vector: &str, beside: Option<&str>) -> String {
        let vectors: Vec<_> = beside.into_iter().chain([vector]).map(str::to_owned).collect();
        spoken("cosmos-ttl run", self.words(&vectors))
    }

    /// The command that brings the list of known failures up to date, with a place for a reason where it needs one.
    fn known_update(&self, needs_reason: bool) -> Option<String> {
        let reason: &[&str] = if needs_reason { &["--reason", "TEXT"] } else { &[] };
        let list = [self.known.as_deref()?].into_iter().chain(reason.iter().copied());
        Some(spoken("cosmos-ttl known update", list.chain(self.words(&self.filters))))
    }

    /// The options, the target and these filters, as they stand on the command line.
    fn words<'w>(&'w self, filters: &'w [String]) -> impl Iterator<Item = &'w str> {
        let target = self.command.is_empty().then_some(&self.target);
        let dashes = (!self.command.is_empty()).then_some("--");
        let before = self.options.iter().chain(target).chain(filters).map(String::as_str);
        before.chain(dashes).chain(self.command.iter().map(String::as_str))
    }
}

/// A `cosmos-ttl run` with these words, as a shell takes it.
pub fn command<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    spoken("cosmos-ttl run", words)
}

/// A command with these words, as a shell takes it.
pub fn spoken<'a>(command: &str, words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().fold(command.to_owned(), |command, word| command + " " + &quoted(word))
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let harmless = |c: char| c.is_ascii_alphanumeric() || "-_./:=@,+".contains(c);
    if !word.is_empty() && word.chars().all(harmless) {
        word.into()
    } else if visible(word) == word {
        format!("'{}'", word.replace('\'', r"'\''"))
    } else {
        format!("$'{}'", word.chars().map(escaped).collect::<String>())
    }
}

/// A character as it stands in `$'…'`, which shows what cannot be seen.
fn escaped(c: char) -> String {
    match c {
        '\n' => r"\n".into(),
        '\'' | '\\' => format!("\\{c}"),
        c if visible(&c.to_string()) == c.to_string() => c.into(),
        c => format!("\\U{:08x}", u32::from(c)),
    }
}

impl Report {
    /// What came of a run of this suite.
    pub fn of(suite: &Suite, run: &Run<'_>, asked: &Asked) -> Self {
        let tally = Tally::of(run);
        let conclusion = tally.conclusion(asked.strict);
        let sections: Vec<_> =
            suite.catalogue.sections.iter().filter_map(|one| section(one, run, asked)).collect();
        Self {
            format: FORMAT,
            harness: env!("CARGO_PKG_VERSION").into(),
            complete: run.is_complete(),
            incomplete: incomplete(run),
            target: who(run, asked),
            digests: Digests { vectors: suite.digest(), model: model_digest() },
            seed: None,
            vectors: Selection {
                origin: suite.origin.clone(),
                all: suite.vectors.len(),
                filters: asked.filters.iter().map(|filter| plain(filter)).collect(),
                profile: asked.profile.clone(),
            },
            strict: asked.strict,
            conclusion: conclusion.word().into(),
            exit_code: conclusion.exit_code(),
            unjudged: tally.unjudged.into_iter().collect(),
            known: asked.known.as_deref().map(plain),
            // Whatever a target wrote was cut short where the sentences were made.
            stale: run.stale.iter().map(|stale| visible(stale)).collect(),
            mishaps: run.mishaps.iter().map(|mishap| plain(mishap)).collect(),
            known_update: asked.known_update(tally.counts.fails_anew(asked.strict)),
            fingerprint: fingerprint(&sections),
            diagnosis: None,
            counts: tally.counts,
            requests: run.requests,
            sections,
            cases: run.results.iter().map(|result| case(result, asked)).collect(),
        }
    }
}

/// Why a run is not complete; `None` where it is.
fn incomplete(run: &Run<'_>) -> Option<String> {
    let unasked = run.results.iter().filter(|result| result.verdict.outcome() == Outcome::NotRun);
    let why = unasked.clone().find_map(|result| result.verdict.reason())?;
    Some(format!("{} of {} vectors were not run: {}", unasked.count(), run.results.len(), plain(&why)))
}

fn who(run: &Run<'_>, asked: &Asked) -> Who {
    Who {
        asked: plain(&asked.target),
        name: plain(&run.about.name),
        version: plain(&run.about.version),
        clock: match run.about.clock {
            Clock::Virtual => "virtual".into(),
            Clock::Real => "real".into(),
        },
        clock_width_us: run.clock_width_us,
        editions: run.about.editions.iter().map(ToString::to_string).collect(),
        removals: run.about.removals.iter().map(ToString::to_string).collect(),
    }
}

/// A section; `None` where something else was asked for.
fn section(section: &clauses::Section, run: &Run<'_>, asked: &Asked) -> Option<Section> {
    let all = asked.filters.is_empty();
    let clauses: Vec<_> = section
        .clauses
        .iter()
        .map(|one| clause(one, run))
        .filter(|clause| all || 0 < clause.counts.vectors)
        .collect();
    let results = run.results.iter().filter(|result| result.vector.section == section.name);
    let counts: Counts = results.map(VectorResult::outcome).collect();
    let wanted = !clauses.is_empty() || 0 < counts.vectors;
    wanted.then(|| Section { name: section.name.clone(), counts, clauses })
}

fn clause(clause: &clauses::Clause, run: &Run<'_>) -> Clause {
    let citing = run.results.iter().filter(|result| result.vector.clauses.contains(&clause.id));
    let seen = |value: &String| {
        // What a vector showed before it failed says nothing of the target's choice.
        let passed = run.results.iter().filter(|result| result.verdict == Verdict::Pass);
        let choices = passed.flat_map(|result| &result.choices);
        choices.filter(|choice| choice.clause == clause.id && choice.value == *value).count()
    };
    let values = if clause.observe == Observe::Client { clause.values.as_slice() } else { &[] };
    Clause {
        id: clause.id.clone(),
        level: clause.level,
        evidence: clause.evidence,
        observe: clause.observe,
        says: clause.says.clone(),
        binds: clause.binds,
        choices: values.iter().map(|value| Chosen { value: value.clone(), seen: seen(value) }).collect(),
        counts: citing.map(VectorResult::outcome).collect(),
    }
}

/// What the target was seen to choose, in one line.
fn fingerprint(sections: &[Section]) -> String {
    let chosen = sections.iter().flat_map(|section| &section.clauses).filter_map(|clause| {
        let seen = clause.choices.iter().filter(|choice| 0 < choice.seen);
        let values: Vec<_> = seen.map(|choice| choice.value.as_str()).collect();
        (!values.is_empty()).then(|| format!("{}={}", clause.id, values.join("/")))
    });
    chosen.collect::<Vec<_>>().join(" ")
}

fn case(result: &VectorResult<'_>, asked: &Asked) -> Case {
    let vector = result.vector;
    let failure = match &result.verdict {
        Verdict::Fail(failure) => Some(self::failure(vector, failure)),
        _ => None,
    };
    let beside = match &result.verdict {
        Verdict::Fail(failure) => failure.beside.as_deref(),
        _ => None,
    };
    Case {
        name: vector.name.clone(),
        title: vector.title.clone(),
        level: vector.level,
        clauses: vector.clauses.clone(),
        digest: vector.digest.clone(),
        span_s: vector.span_s,
        verdict: result.outcome(),
        reason: result.verdict.reason().map(|reason| plain(&reason)),
        failure,
        known: result.listed.as_ref().map(|listed| Known {
            kind: listed.kind,
            reason: plain(&listed.reason),
            link: listed.link.as_deref().map(plain),
            signature: listed.signature.as_deref().map(plain),
        }),
        choices: result.choices.iter().map(choice).collect(),
        steps: steps::told(vector, &result.answers),
        timeline: timeline(vector, &result.choices),
        log: result.log.as_deref().filter(|_| result.verdict != Verdict::Pass).map(plain_lines),
        again: asked.again(&vector.name, beside),
    }
}

fn choice(choice: &verdict::Choice) -> Choice {
    Choice { clause: choice.clause.clone(), value: choice.value.clone(), step: choice.step }
}

fn failure(vector: &Vector, failure: &verdict::Failure) -> Failure {
    Failure {
        signature: plain(&failure.to_string()),
        step: failure.step,
        at_s: failure.at_s,
        expected: plain(&failure.expected),
        got: plain(&failure.got),
        removal: failure.removal.map(|removal| removal.to_string()),
        source: excerpt(vector, failure.step),
    }
}

/// The vector's own lines, and where in them the step stands.
fn excerpt(vector: &Vector, step: usize) -> Excerpt {
    let text = &vector.source.text;
    let before = text.get(..vector.span.start).unwrap_or("");
    let start = before.rfind('\n').map_or(0, |newline| newline.saturating_add(1));
    let own = text.get(start..vector.span.end).unwrap_or("").trim_end();
    let span = vector.steps.get(step).map_or(vector.span.clone(), |step| step.span.clone());
    let stands = text.get(span.clone()).unwrap_or("").trim_end();
    let from = span.start.saturating_sub(start).min(own.len());
    Excerpt {
        file: vector.source.name.clone(),
        line: vector.source.position(start).0,
        text: own.into(),
        start: from,
        end: from.saturating_add(stands.len()).min(own.len()),
    }
}
