//! One test a vector in a library user's own `cargo test`.
//!
//! ```no_run
//! # use cosmos_ttl_explore::reference::Reference as MyStore;
//! // tests/ttl/main.rs, with `harness = false` under its `[[test]]`
//! fn main() -> std::process::ExitCode {
//!     cosmos_ttl_harness::cargo_test::main(MyStore::default())
//! }
//! ```
//!
//! Names are those of the vectors, so `cargo test -- lifetime/` and every other filter work as they do elsewhere. The id of a
//! clause is a filter too, and selects the vectors that cite it. All vectors that are asked for are replayed before the first
//! test ends. What a target does not support is *ignored*, with the reason. A difference from a `should` passes, with advice,
//! unless [`strict`](CargoTest::strict). Failures with one cause are told once: the shortest in full, with the names of the
//! others.
//!
//! The last line is the conclusion; only a run of everything is conformant. A run in which nothing came to a verdict fails. A
//! filter that selects nothing may be meant for another test program of the package: a line says that no vector was run, and
//! why. If it has a `/` in it or is the id of a clause, it is meant for this program, and the run fails. A run of everything
//! also fails where no vector of a clause that binds a target was judged, unless the target does not support what they need:
//! then it names the clause.
//!
//! A runner that gives each test a process of its own, as `cargo nextest` does, knows no test that is ignored while it
//! runs. Where the harness moves the clock, the list of tests therefore marks as ignored what would be. A vector that runs
//! and still gets no verdict fails, with the reason. A last test, `suite/judged`, fails where a run of everything would.
//!
//! Failures that are known stand in a list ([`known_failures`](CargoTest::known)): they are ignored while they fail as it says, and
//! the test fails once they do not. A last test, `known/list`, fails where the list says what is not so any more.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Completion, Failed, Trial};

pub use libtest_mimic::Arguments;

use crate::clauses::{Catalogue, Level};
use crate::describe::{answered, asked, cause, lines, listed};
use crate::diagnostic::Diagnostic;
use crate::known_failures::KnownFailures;
use crate::plain::{plain, visible};
use crate::realtime::{Options, run_real};
use crate::run::{Conclusion, Run, Scope, Tally, VectorResult, run_virtual};
use crate::suggest;
use crate::target::{Clock, Fault, Target};
use crate::unjudged::{UnjudgedClause, unjudged_clauses};
use crate::vector::{Suite, Vector, embedded, load_one};
use crate::verdict::{Failure, Listed, Outcome, Verdict};

/// The exit code if a test failed or none ran: that of any Rust test program.
const FAILED: u8 = 101;
/// The same where the vectors cannot be read, or there are none.
const WRONG_USE: u8 = 2;

/// How nextest says that each test has a process of its own.
const EXECUTION_MODE: (&str, &str) = ("NEXTEST_EXECUTION_MODE", "process-per-test");
/// The test of the list of known failures.
const LIST_TEST: &str = "known/list";
/// The test that enough was judged, where each test has a process of its own.
const JUDGED_TEST: &str = "suite/judged";

/// Runs the vectors that came with this build against a target, as the command line says.
pub fn main(target: impl Target + Send + 'static) -> ExitCode {
    CargoTest::new(target).main()
}

/// A test program that is still to be run.
#[derive(Clone, Debug)]
pub struct CargoTest<T> {
    target: Arc<T>,
    directory: Option<PathBuf>,
    only: Vec<String>,
    quick: bool,
    strict: bool,
    budget_s: u64,
    known: Option<PathBuf>,
    process_per_test: bool,
    others: Vec<OtherTest>,
}

/// A test that is no vector.
#[derive(Clone)]
struct OtherTest {
    name: String,
    check: Arc<CheckTarget>,
}

type CheckTarget = dyn Fn(&dyn Target, &Suite) -> Result<(), String> + Send + Sync;

impl fmt::Debug for OtherTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OtherTest").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<T: Target + Send + 'static> CargoTest<T> {
    /// Of all vectors that came with this build.
    pub fn new(target: T) -> Self {
        Self {
            target: Arc::new(target),
            directory: None,
            only: Vec::new(),
            quick: false,
            strict: false,
            budget_s: Options::default().budget_s,
            known: None,
            process_per_test: std::env::var_os(EXECUTION_MODE.0).is_some_and(|mode| mode == EXECUTION_MODE.1),
            others: Vec::new(),
        }
    }

    /// Of the vectors in a directory.
    #[must_use]
    pub fn vectors(self, directory: impl Into<PathBuf>) -> Self {
        Self { directory: Some(directory.into()), ..self }
    }

    /// Of the vectors whose name starts so: `lifetime/`, `lifetime/item-longer`. Called twice, of both.
    #[must_use]
    pub fn only(mut self, prefix: impl Into<String>) -> Self {
        self.only.push(prefix.into());
        self
    }

    /// Of the vectors that are enough for a quick look: as few as still fail every wrong store that all of them fail.
    #[must_use]
    pub fn quick(self) -> Self {
        Self { quick: true, ..self }
    }

    /// A difference from a `should` fails too.
    #[must_use]
    pub fn strict(self) -> Self {
        Self { strict: true, ..self }
    }

    /// Where the target's clock runs by itself: vectors that last longer do not apply. A minute, if nothing is said.
    #[must_use]
    pub fn budget_s(self, budget_s: u64) -> Self {
        Self { budget_s, ..self }
    }

    /// With a list of known failures, as `cosmos-ttl known update` writes it: every listed vector must fail, with its recorded signature.
    #[must_use]
    pub fn known(self, list: impl Into<PathBuf>) -> Self {
        Self { known: Some(list.into()), ..self }
    }

    /// With a process for each test, as nextest runs them; nextest need not be told, since it says so itself.
    #[must_use]
    pub fn process_per_test(self) -> Self {
        Self { process_per_test: true, ..self }
    }

    /// With one more test of the target, which may use the vectors. It fails with the message that `check` returns.
    #[must_use]
    pub fn test(
        mut self,
        name: impl Into<String>,
        check: impl Fn(&dyn Target, &Suite) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.others.push(OtherTest { name: name.into(), check: Arc::new(check) });
        self
    }

    /// Runs it as the command line says.
    pub fn main(self) -> ExitCode {
        self.run(&Arguments::from_args())
    }

    /// Runs it as these arguments say.
    pub fn run(self, given: &Arguments) -> ExitCode {
        let (suite, mut chosen, known) = match self.chosen(given) {
            Ok(chosen) => chosen,
            Err(diagnostic) => {
                eprintln!("error: {diagnostic}");
                return ExitCode::from(WRONG_USE);
            }
        };
        let is_filtered = given.filter.is_some() || !given.skip.is_empty();
        let scope = match self.quick {
            _ if is_filtered || !self.only.is_empty() => Scope::Selected,
            true => Scope::Quick,
            false => Scope::Whole,
        };
        let mut args = given.clone();
        let filter = args.filter.clone().filter(|_| !args.exact);
        if let Some(clause) = filter.filter(|filter| suite.catalogue.get(filter).is_some()) {
            chosen.retain(|vector| vector.clauses.contains(&clause) || vector.name.contains(&clause));
            args.filter = None;
        }
        let alone = self.process_per_test;
        if alone && args.ignored && !args.list {
            // Whatever the list of tests calls ignored is run if its name is asked for.
            args.ignored = false;
            args.include_ignored = true;
        }
        let (asked, replayed) = (OnceLock::new(), OnceLock::new());
        let oracle = Arc::new(Oracle { test: self, suite, known, scope, asked, replayed });
        let guards =
            [oracle.known.is_some().then(|| oracle.list_trial()), alone.then(|| oracle.judged_trial())];
        let guards: Vec<_> = guards.into_iter().flatten().collect();
        let is_guard = guards.iter().any(|trial| args.exact && args.filter.as_deref() == Some(trial.name()));
        let mut trials: Vec<_> = chosen.iter().map(|vector| oracle.trial(vector)).collect();
        oracle.asked.get_or_init(|| {
            let everything = alone && (is_guard || args.list);
            let with_trial = chosen.iter().zip(&trials);
            let asked = with_trial.filter(|(_, trial)| everything || !args.is_filtered_out(trial));
            asked.map(|(vector, _)| *vector).collect()
        });
        if alone && args.list {
            trials = oracle.marked(trials);
        }
        if !chosen.is_empty() {
            trials.extend(oracle.test.others.iter().map(|other| oracle.other_trial(other)));
            trials.extend(guards);
        }
        let selected = trials.iter().filter(|trial| !args.is_filtered_out(trial)).count();
        let done = libtest_mimic::run(&args, trials);
        if args.list || args.ignored || args.bench {
            return if done.has_failed() { ExitCode::from(FAILED) } else { ExitCode::SUCCESS };
        }
        oracle.advise();
        if done.has_failed() {
            return ExitCode::from(FAILED);
        }
        let checked = match selected {
            0 => oracle.check_filter(given),
            _ if alone => Ok(()),
            _ => oracle.conclude(is_filtered),
        };
        match checked {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => {
                eprintln!("error: {why}");
                ExitCode::from(FAILED)
            }
        }
    }

    /// The vectors, those to run, at least one, and what is known of them.
    fn chosen(
        &self,
        args: &Arguments,
    ) -> Result<(&'static Suite, Vec<&'static Vector>, Option<KnownFailures>), Diagnostic> {
        let suite = match (&self.directory, self.vector_alone(args)) {
            (_, Some(suite)) => suite,
            (Some(directory), None) => Suite::load(directory)?,
            (None, None) => embedded()?,
        };
        // The tests share it to the end of the process.
        let suite: &'static Suite = Box::leak(Box::new(suite));
        let wanted = |vector: &&Vector| {
            let named =
                self.only.is_empty() || self.only.iter().any(|prefix| vector.name.starts_with(prefix));
            named && (!self.quick || suite.quick.contains(&vector.name))
        };
        let chosen: Vec<_> = suite.vectors.iter().filter(wanted).collect();
        if chosen.is_empty() {
            let quick = if self.quick { "quick " } else { "" };
            let starts = match self.only.join(" or ") {
                only if only.is_empty() => String::new(),
                only => format!(" whose name starts with {only}"),
            };
            let help = "names read `section/id`; `cosmos-ttl list` shows them";
            let what = format!("there is no {quick}vector{starts}");
            return Err(Diagnostic::of_path(&suite.origin, what, help));
        }
        let known = self.known.as_deref().map(|path| KnownFailures::load(path, suite)).transpose()?;
        Ok((suite, chosen, known))
    }
}

impl<T> CargoTest<T> {
    /// Returns the one vector that is asked for, if the others need not be read.
    fn vector_alone(&self, args: &Arguments) -> Option<Suite> {
        let name = args.filter.as_deref().filter(|_| args.exact && !args.list)?;
        let name = name.strip_prefix("[should] ").unwrap_or(name);
        let reads_all =
            self.quick || self.known.is_some() || self.others.iter().any(|other| other.name == name);
        if reads_all {
            return None;
        }
        load_one(self.directory.as_deref(), name).ok()?
    }
}

/// Knows the verdicts of all vectors that are asked for, which it replays once.
struct Oracle<T> {
    test: CargoTest<T>,
    suite: &'static Suite,
    known: Option<KnownFailures>,
    scope: Scope,
    /// The vectors that will be asked for.
    asked: OnceLock<Vec<&'static Vector>>,
    replayed: OnceLock<Result<Replayed, Fault>>,
}

/// A run, and the vectors that fail or differ in it, by cause: a must before a should, then the shortest first.
struct Replayed {
    run: Run<'static>,
    causes: BTreeMap<String, Vec<&'static Vector>>,
}

impl Replayed {
    fn of(run: Run<'static>) -> Self {
        let mut causes: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for result in &run.results {
            if let (Outcome::Fail | Outcome::Differ, Some(cause)) = (result.outcome(), cause_of(result)) {
                causes.entry(kind_of(&cause)).or_default().push(result.vector);
            }
        }
        for vectors in causes.values_mut() {
            let is_should = |vector: &Vector| vector.level == Level::Should;
            vectors.sort_by_key(|vector| (is_should(vector), vector.steps.len(), &vector.name));
        }
        Self { run, causes }
    }

    fn result(&self, name: &str) -> Option<&VectorResult<'static>> {
        self.run.results.iter().find(|result| result.vector.name == name)
    }
}

fn cause_of(result: &VectorResult<'_>) -> Option<String> {
    let Verdict::Fail(failure) = &result.verdict else { return None };
    let step = result.vector.steps.get(failure.step)?;
    Some(plain(&cause(step.request.word(), &failure.expected, &failure.got)))
}

/// The same of every vector with this cause: without numbers and what is in lists.
fn kind_of(cause: &str) -> String {
    let mut depth = 0_usize;
    let outside = cause.chars().filter(|c| {
        depth = depth.saturating_add(usize::from(*c == '[')).saturating_sub(usize::from(*c == ']'));
        depth == 0 && !c.is_ascii_digit()
    });
    outside.collect()
}

impl<T: Target + Send + 'static> Oracle<T> {
    fn trial(self: &Arc<Self>, vector: &'static Vector) -> Trial {
        let oracle = Arc::clone(self);
        let trial = Trial::ignorable_test(vector.name.clone(), move || {
            let replayed = oracle.replayed()?;
            let result = replayed.result(&vector.name).ok_or_else(Failed::without_message)?;
            match oracle.completion(replayed, result)? {
                Completion::Ignored { reason } if oracle.test.process_per_test => {
                    let reason = reason.unwrap_or_default();
                    let why = "This test has a process of its own, and cannot be skipped any more.";
                    Err(format!("{reason}\n{why}").into())
                }
                completion => Ok(completion),
            }
        });
        if vector.level == Level::Should { trial.with_kind("should") } else { trial }
    }

    /// Marks the tests that would be ignored. A clock that runs by itself would have to be waited for, so nothing is
    /// marked there.
    fn marked(&self, trials: Vec<Trial>) -> Vec<Trial> {
        let moves = self.test.target.about().clock == Clock::Virtual;
        let Some(replayed) = moves.then(|| self.replayed().ok()).flatten() else { return trials };
        let is_ignored = |name: &str| {
            let completion = replayed.result(name).map(|result| self.completion(replayed, result));
            matches!(completion, Some(Ok(Completion::Ignored { .. })))
        };
        let mark = |trial: Trial| {
            let is_ignored = is_ignored(trial.name());
            trial.with_ignored_flag(is_ignored)
        };
        trials.into_iter().map(mark).collect()
    }

    fn other_trial(self: &Arc<Self>, other: &OtherTest) -> Trial {
        let (oracle, check) = (Arc::clone(self), Arc::clone(&other.check));
        Trial::test(other.name.clone(), move || {
            check(oracle.test.target.as_ref(), oracle.suite).map_err(Failed::from)
        })
    }

    /// The test that stands for the end of a run, where each test has a process of its own.
    fn judged_trial(self: &Arc<Self>) -> Trial {
        let oracle = Arc::clone(self);
        Trial::test(JUDGED_TEST, move || Ok(check_judged(&oracle.replayed()?.run.results)?))
    }

    /// Says that no test was run, and why. It is an error unless these arguments may be meant for another test program: of a
    /// runner that gives each test a process of its own, they name a test of this one.
    fn check_filter(&self, args: &Arguments) -> Result<(), String> {
        let why = match &args.filter {
            _ if !args.skip.is_empty() => "what is skipped leaves none".into(),
            Some(name) if args.exact => format!("none is called `{}`", plain(name)),
            Some(word) => format!("none has `{0}` in its name or cites a clause `{0}`", plain(word)),
            None => "there is none".into(),
        };
        let why = format!("no vector was run: {why}");
        let is_clause = |word: &str| self.suite.catalogue.get(word).is_some();
        let mut words = args.filter.iter().chain(&args.skip).map(String::as_str);
        let Some(word) =
            words.find(|word| self.test.process_per_test || word.contains('/') || is_clause(word))
        else {
            eprintln!("warning: {why}");
            return Ok(());
        };
        let clauses = self.suite.catalogue.clauses().map(|clause| clause.id.as_str());
        let names = self.suite.vectors.iter().map(|vector| vector.name.as_str());
        let mut near = suggest::suggest(word, names.chain(clauses));
        near.retain(|name| *name != word);
        let question = suggest::question(&near);
        let help =
            [question.as_str(), "`--list` shows the names"].into_iter().filter(|part| !part.is_empty());
        Err(format!("{why}; {}", help.collect::<Vec<_>>().join(" ")))
    }

    /// Says how the target differs from what it should do: a line for each cause.
    fn advise(&self) {
        let Some(Ok(replayed)) = self.replayed.get().filter(|_| !self.test.strict) else { return };
        for vectors in replayed.causes.values() {
            let differing = vectors.iter().filter(|vector| vector.level == Level::Should);
            let names: Vec<_> = differing.map(|vector| vector.name.as_str()).collect();
            let first = names.first().and_then(|name| replayed.result(name)).and_then(cause_of);
            if let Some(cause) = first {
                let verb = if names.len() == 1 { "differs" } else { "differ" };
                let names = names.join(", ");
                eprintln!("{}", wrapped(&format!("advice: {cause}: {names} {verb} from a should")));
            }
        }
    }

    /// Says the conclusion of a run without a failure; or returns why it says too little, with what to do.
    fn conclude(&self, is_filtered: bool) -> Result<(), String> {
        let run = &self.replayed().map_err(|_| "no vector was replayed")?.run;
        if run.results.is_empty() {
            return Ok(());
        }
        if !is_filtered {
            check_judged(&run.results)?;
        } else if !run.results.iter().any(|result| result.verdict.is_judged()) {
            return Err(nothing_judged(run.results.len()));
        }
        let tally = Tally::of(run);
        let conclusion = tally.conclusion(self.test.strict);
        if (conclusion, self.scope) == (Conclusion::NoFailure, Scope::Selected) {
            eprintln!("no failure among the selected vectors; this says nothing about conformance");
        } else {
            eprintln!("{}", tally.words(conclusion));
        }
        Ok(())
    }

    /// The last test: whether the list is true as a whole, so far as vectors were asked for.
    fn list_trial(self: &Arc<Self>) -> Trial {
        let oracle = Arc::clone(self);
        Trial::ignorable_test(LIST_TEST, move || {
            let run = &oracle.replayed()?.run;
            if run.results.is_empty() {
                return Ok(Completion::ignored_with("no vector was asked for"));
            }
            if run.stale.is_empty() {
                return Ok(Completion::Completed);
            }
            Err(run.stale.iter().map(|stale| visible(stale)).collect::<Vec<_>>().join("\n").into())
        })
    }

    fn replayed(&self) -> Result<&Replayed, Failed> {
        let replay = || {
            let vectors = self.asked.get().map_or(&[][..], Vec::as_slice);
            let options = Options { budget_s: self.test.budget_s, ..Options::default() };
            let target = self.test.target.as_ref();
            let mut run = match target.about().clock {
                Clock::Virtual => run_virtual(target, vectors)?,
                Clock::Real => run_real(target, vectors, &options)?,
            };
            run.scope = self.scope;
            self.known.iter().for_each(|known| known.apply(&mut run));
            Ok(Replayed::of(run))
        };
        Ok(self.replayed.get_or_init(replay).as_ref()?)
    }

    fn completion(&self, replayed: &Replayed, result: &VectorResult<'_>) -> Result<Completion, Failed> {
        let ignored = |what: &str, why: &str| Ok(Completion::ignored_with(format!("{what}: {}", plain(why))));
        let outcome = result.outcome();
        match (&result.verdict, &result.listed) {
            (_, Some(listed)) if outcome == Outcome::KnownFailure => ignored(outcome.word(), &listed.reason),
            (Verdict::Pass, Some(listed)) => Err(unlike(listed, "it passes").into()),
            (Verdict::Pass, None) => Ok(Completion::Completed),
            (Verdict::Fail(_), None) if outcome == Outcome::Differ && !self.test.strict => {
                Ok(Completion::Completed)
            }
            (Verdict::Fail(failure), Some(listed)) => {
                Err(unlike(listed, &failure_text(&self.suite.catalogue, result, failure)).into())
            }
            (Verdict::Fail(failure), None) => {
                let cause = cause_of(result).unwrap_or_default();
                let alike = replayed.causes.get(&kind_of(&cause)).map_or(&[][..], Vec::as_slice);
                let (first, others) = alike.split_first().ok_or_else(Failed::without_message)?;
                if first.name != result.vector.name {
                    return Err(wrapped(&format!("as {}: {cause}", first.name)).into());
                }
                let mut text = failure_text(&self.suite.catalogue, result, failure);
                if !others.is_empty() {
                    let names: Vec<_> = others.iter().map(|vector| vector.name.as_str()).collect();
                    text += &wrapped(&format!("\n{} more for this cause: {}", names.len(), names.join(", ")));
                }
                Err(text.into())
            }
            (Verdict::Unsupported(why) | Verdict::NotApplicable(why) | Verdict::NotOffered(why), _) => {
                ignored(outcome.word(), why)
            }
            (Verdict::Inconclusive(why) | Verdict::Broken(why) | Verdict::NotRun(why), _) => {
                let what = format!("{outcome}: {}", plain(why));
                Err(format!("{what}\nThis is no verdict on time to live.").into())
            }
        }
    }
}

fn nothing_judged(count: impl Display) -> String {
    format!("none of {count} vectors came to a verdict, so nothing was tested; each says why")
}

/// Returns why a run of everything says too little, with what to do. Warns of the clauses that the target supports too
/// little for: their tests are ignored.
fn check_judged(results: &[VectorResult<'_>]) -> Result<(), String> {
    if !results.iter().any(|result| result.verdict.is_judged()) {
        return Err(nothing_judged(results.len()));
    }
    let clauses = unjudged_clauses(results, &BTreeSet::new());
    let (unsupported, others): (Vec<_>, Vec<_>) =
        clauses.iter().partition(|one| one.outcome == Outcome::Unsupported);
    let told = |clauses: &[&UnjudgedClause]| {
        let line =
            |one: &&UnjudgedClause| format!("\n  {}: {}; {}", one.clause, plain(&one.reason), one.help);
        let lines: String = clauses.iter().map(line).collect();
        format!("of these clauses, which bind a target, no vector was judged:{lines}")
    };
    if !unsupported.is_empty() {
        eprintln!("warning: {}", told(&unsupported));
    }
    if others.is_empty() { Ok(()) } else { Err(told(&others)) }
}

/// Returns how the run differs from the list.
fn unlike(listed: &Listed, now: &str) -> String {
    let signature = plain(listed.signature.as_deref().unwrap_or("any failure"));
    let reason = plain(&listed.reason);
    format!("listed as a known failure: {reason}\n  {signature}\nbut now: {now}")
}

/// A failure in several lines: what differs, what led up to it, and the sentences of the clauses. The last of its steps
/// is the one that failed.
fn failure_text(catalogue: &Catalogue, result: &VectorResult<'_>, failure: &Failure) -> String {
    let vector = result.vector;
    let removal = failure.removal.map(|removal| format!(", with removal {removal}")).unwrap_or_default();
    let mut text = plain(&failure.to_string());
    // Writing to a string cannot fail, here and below.
    if let (Some(wanted), Some(found)) = (listed(&failure.expected), listed(&failure.got)) {
        let ids = found.difference(&wanted).map(|id| (id, "must not be there"));
        for (id, what) in ids.chain(wanted.difference(&found).map(|id| (id, "is missing"))) {
            let _ = write!(text, "\n{}: it {what}", plain(id));
        }
    }
    let _ = writeln!(text, "\n\n{}\n{}:{}{removal}\n", vector.title, vector.source.name, vector.line);
    let steps = vector.steps.iter().zip(&result.answers).take(failure.step.saturating_add(1));
    for line in lines(steps.map(|(step, seen)| (step.at_s, asked(step), answered(&seen.response)))) {
        let _ = writeln!(text, "  {line}");
    }
    text.push('\n');
    for clause in result.accused().into_iter().filter_map(|id| catalogue.get(id)) {
        let _ = writeln!(text, "{} ({}, {}): {}", clause.id, clause.level, clause.evidence, clause.says);
    }
    wrapped(&text)
}

/// Returns text in which no line has more than 120 characters, unless one of its words has.
fn wrapped(text: &str) -> String {
    const WIDTH: usize = 120;
    let mut out = String::new();
    for line in text.lines() {
        let mut length = 0_usize;
        for word in line.split_inclusive(' ') {
            let more = word.trim_end().chars().count();
            if 0 < length && WIDTH < length.saturating_add(more) {
                out.truncate(out.trim_end_matches(' ').len());
                out.push_str("\n    ");
                length = 4;
            }
            out.push_str(word);
            length = length.saturating_add(word.chars().count());
        }
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out
}
