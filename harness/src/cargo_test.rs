//! One test a vector in a library user's own `cargo test`.
//!
//! ```no_run
//! # use cosmos_ttl_reference::Reference as MyStore;
//! // tests/ttl/main.rs, with `harness = false` under its `[[test]]`
//! fn main() -> std::process::ExitCode {
//!     cosmos_ttl_harness::cargo_test::main(MyStore::default())
//! }
//! ```
//!
//! Names are those of the vectors, so `cargo test -- lifetime/` and every other filter work as they do elsewhere. What a
//! target does not support is *ignored*, with the reason; so is a difference from a `should`, unless
//! [`strict`](CargoTest::strict). A run in which nothing came to a verdict fails, unless the user's own filter left
//! nothing: that is normal where a package has several test programs.
//!
//! Failures that are known stand in a list ([`known_failures`](CargoTest::known)): they are ignored while they fail as it says, and
//! the test fails once they do not. A last test, `known/list`, fails where the list says what is not so any more.
//!
//! Where the target's clock runs by itself, or there is such a list, all vectors that are asked for wait side by side, and the first test to run
//! waits for all of them.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Completion, Failed, Trial};

pub use libtest_mimic::Arguments;

use crate::clauses::Level;
use crate::diagnostic::Diagnostic;
use crate::failure_text::story;
use crate::known_failures::{KnownFailures, Listed, apply};
use crate::plain::{plain, visible};
use crate::realtime::{Options, run_real};
use crate::replay::Answered;
use crate::run::{VectorResult, run_virtual};
use crate::target::{Clock, Fault, Target};
use crate::vector::{Suite, Vector, embedded};
use crate::verdict::{Outcome, Verdict};

/// What the process ends with where a test failed, or none ran: as any Rust test program.
const FAILED: u8 = 101;

/// What it ends with where the vectors cannot be read, or nothing can be run with them.
const WRONG_USE: u8 = 2;

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
        }
    }

    /// Of the vectors in a directory.
    #[must_use]
    pub fn vectors(self, directory: impl Into<PathBuf>) -> Self {
        Self { directory: Some(directory.into()), ..self }
    }

    /// Of the vectors whose name starts so: `lifetime/`, `lifetime/item-longer`. Outcome twice, of both.
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

    /// With a list of known failures, as `cosmos-ttl known update` writes it: whoever is on it must fail, and as it says.
    #[must_use]
    pub fn known(self, list: impl Into<PathBuf>) -> Self {
        Self { known: Some(list.into()), ..self }
    }

    /// Runs it as the command line says.
    pub fn main(self) -> ExitCode {
        self.run(&Arguments::from_args())
    }

    /// Runs it as these arguments say.
    pub fn run(self, args: &Arguments) -> ExitCode {
        let (suite, chosen, known) = match self.chosen() {
            Ok(chosen) => chosen,
            Err(flaw) => {
                eprintln!("error: {flaw}");
                return ExitCode::from(WRONG_USE);
            }
        };
        let judged = Arc::new(AtomicUsize::new(0));
        let lists = known.is_some();
        let oracle = Arc::new(Oracle::new(self.target, suite, self.budget_s, known));
        let trials = chosen.into_iter().map(|number| trial(&oracle, number, &judged, self.strict));
        let trials: Vec<_> = trials.collect();
        let asked = trials.iter().filter(|(_, trial)| !args.is_filtered_out(trial));
        oracle.expect(asked.map(|(number, _)| *number).collect());
        let list = lists.then(|| list_trial(&oracle));
        let trials = trials.into_iter().map(|(_, trial)| trial).chain(list).collect();
        let conclusion = libtest_mimic::run(args, trials);
        if conclusion.has_failed() {
            return ExitCode::from(FAILED);
        }
        if judged.load(Ordering::Relaxed) == 0 && runs_everything(args) {
            eprintln!(
                "error: none of {} vectors came to a verdict, so nothing was tested; the reasons stand beside `ignored`",
                conclusion.num_ignored
            );
            return ExitCode::from(FAILED);
        }
        ExitCode::SUCCESS
    }

    /// The vectors, the numbers of those to run, at least one, and what is known of them.
    fn chosen(&self) -> Result<(Suite, Vec<usize>, Option<KnownFailures>), Diagnostic> {
        let suite = match &self.directory {
            Some(directory) => Suite::load(directory)?,
            None => embedded()?,
        };
        let named = |vector: &Vector| {
            self.only.is_empty() || self.only.iter().any(|prefix| vector.name.starts_with(prefix))
        };
        let wanted = |vector: &Vector| named(vector) && (!self.quick || suite.quick.contains(&vector.name));
        let vectors = suite.vectors.iter().enumerate();
        let chosen: Vec<_> = vectors.filter(|(_, vector)| wanted(vector)).map(|(number, _)| number).collect();
        if chosen.is_empty() {
            let quick = if self.quick { "quick " } else { "" };
            let starts = match self.only.join(" or ") {
                only if only.is_empty() => String::new(),
                only => format!(" whose name starts with {only}"),
            };
            let help = "names read `section/id`; `cosmos-ttl list` shows them";
            return Err(Diagnostic::of_path(
                &suite.origin,
                format!("there is no {quick}vector{starts}"),
                help,
            ));
        }
        let known = self.known.as_deref().map(|path| KnownFailures::load(path, &suite)).transpose()?;
        Ok((suite, chosen, known))
    }
}

fn trial<T: Target + Send + 'static>(
    oracle: &Arc<Oracle<T>>,
    number: usize,
    judged: &Arc<AtomicUsize>,
    strict: bool,
) -> (usize, Trial) {
    let vector = oracle.suite.vectors.get(number);
    let name = vector.map_or_else(String::new, |vector| vector.name.clone());
    let should = vector.is_some_and(|vector| vector.level == Level::Should);
    let (oracle, judged) = (Arc::clone(oracle), Arc::clone(judged));
    let trial = Trial::ignorable_test(name, move || {
        let Some(vector) = oracle.suite.vectors.get(number) else { return Err(Failed::without_message()) };
        let came = oracle.ask(number, vector)?;
        if matches!(came.verdict.outcome(), Outcome::Pass | Outcome::Fail) {
            judged.fetch_add(1, Ordering::Relaxed);
        }
        completion(&oracle.suite, vector, &came, strict)
    });
    (number, if should { trial.with_kind("should") } else { trial })
}

/// The last test: whether the list is true as a whole, so far as vectors were asked for.
fn list_trial<T: Target + Send + 'static>(oracle: &Arc<Oracle<T>>) -> Trial {
    let oracle = Arc::clone(oracle);
    Trial::ignorable_test("known/list", move || match oracle.all()? {
        Whole { came, .. } if came.is_empty() => Ok(Completion::ignored_with("no vector was asked for")),
        Whole { stale, .. } if stale.is_empty() => Ok(Completion::Completed),
        Whole { stale, .. } => {
            Err(stale.iter().map(|stale| visible(stale)).collect::<Vec<_>>().join("\n").into())
        }
    })
}

/// Whether the arguments leave no test out and only run: then at least one must come to a verdict.
fn runs_everything(args: &Arguments) -> bool {
    !args.list && !args.ignored && !args.bench && args.filter.is_none() && args.skip.is_empty()
}

/// What came of one vector.
#[derive(Clone)]
struct Came {
    verdict: Verdict,
    answers: Vec<Answered>,
    said: Outcome,
    listed: Option<Listed>,
}

impl From<VectorResult<'_>> for Came {
    fn from(result: VectorResult<'_>) -> Self {
        let said = result.outcome();
        let VectorResult { verdict, answers, listed, .. } = result;
        Self { verdict, answers, said, listed }
    }
}

/// What came of all vectors that were asked for.
struct Whole {
    /// In the order of [`Oracle::expected`].
    came: Vec<Came>,
    /// What the list of known failures says and is not so any more.
    stale: Vec<String>,
}

/// Knows the verdicts: one by one where the harness moves the clock, all at once where they wait side by side or a list
/// of known failures is held against them.
struct Oracle<T> {
    target: Arc<T>,
    suite: Suite,
    budget_s: u64,
    known: Option<KnownFailures>,
    /// The vectors that will be asked for.
    expected: OnceLock<Vec<usize>>,
    whole: OnceLock<Result<Whole, Fault>>,
}

impl<T: Target> Oracle<T> {
    fn new(target: Arc<T>, suite: Suite, budget_s: u64, known: Option<KnownFailures>) -> Self {
        Self { target, suite, budget_s, known, expected: OnceLock::new(), whole: OnceLock::new() }
    }

    fn expect(&self, numbers: Vec<usize>) {
        self.expected.get_or_init(|| numbers);
    }

    fn ask(&self, number: usize, vector: &Vector) -> Result<Came, Failed> {
        if self.known.is_none() && self.target.about().clock == Clock::Virtual {
            let run = run_virtual(self.target.as_ref(), &[vector])?;
            let result = run.results.into_iter().next();
            return result.map(Came::from).ok_or_else(Failed::without_message);
        }
        let all = self.all()?;
        let place = self.expected.get().and_then(|all| all.iter().position(|one| *one == number));
        place.and_then(|place| all.came.get(place)).cloned().ok_or_else(Failed::without_message)
    }

    fn all(&self) -> Result<&Whole, Failed> {
        Ok(self.whole.get_or_init(|| self.run()).as_ref()?)
    }

    fn run(&self) -> Result<Whole, Fault> {
        let numbers = self.expected.get().map_or(&[][..], Vec::as_slice);
        let vectors: Vec<_> = numbers.iter().filter_map(|number| self.suite.vectors.get(*number)).collect();
        let mut run = match self.target.about().clock {
            Clock::Virtual => run_virtual(self.target.as_ref(), &vectors)?,
            Clock::Real => {
                let options = Options { budget_s: self.budget_s, ..Options::default() };
                run_real(self.target.as_ref(), &vectors, &options)?
            }
        };
        if let Some(known) = &self.known {
            apply(known, &mut run);
        }
        Ok(Whole { came: run.results.into_iter().map(Came::from).collect(), stale: run.stale })
    }
}

fn completion(suite: &Suite, vector: &Vector, came: &Came, strict: bool) -> Result<Completion, Failed> {
    let said = |what: &str, why: &str| format!("{what}: {}", plain(why));
    if let Some(listed) = &came.listed {
        match came.said {
            Outcome::KnownFailure | Outcome::Flaky => {
                return Ok(Completion::ignored_with(said(came.said.word(), &listed.reason)));
            }
            Outcome::UnexpectedPass => return Err(unlike(listed, "it passes").into()),
            _ => {}
        }
    }
    match &came.verdict {
        Verdict::Pass => Ok(Completion::Completed),
        Verdict::Fail(failure) => {
            let story = || story(&suite.catalogue, vector, &came.answers, failure);
            match &came.listed {
                Some(listed) => Err(unlike(listed, &story()).into()),
                None if vector.level == Level::Should && !strict => {
                    Ok(Completion::ignored_with(said("differs from a should", &failure.to_string())))
                }
                None => Err(story().into()),
            }
        }
        Verdict::Unsupported(why) => Ok(Completion::ignored_with(said("unsupported", why))),
        Verdict::NotApplicable(why) => Ok(Completion::ignored_with(said("not applicable", why))),
        Verdict::Inconclusive(why) | Verdict::Broken(why) | Verdict::NotRun(why) => {
            let what = said(came.verdict.outcome().word(), why);
            Err(format!("{what}\nThis is no verdict on time to live.").into())
        }
    }
}

/// What the list says, and what is so.
fn unlike(listed: &Listed, now: &str) -> String {
    let signature = plain(listed.signature.as_deref().unwrap_or("any failure"));
    let (kind, reason) = (listed.kind.word(), plain(&listed.reason));
    format!("listed as a known failure, {kind}: {reason}\n  {signature}\nbut now: {now}")
}
