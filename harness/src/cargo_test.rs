//! One test a vector in a library user's own `cargo test`.
//!
//! ```no_run
//! # use cosmos_ttl_harness::targets::reference::Reference as MyStore;
//! // tests/ttl.rs, with `harness = false` under its `[[test]]`
//! fn main() -> std::process::ExitCode {
//!     cosmos_ttl_harness::cargo_test::main(MyStore::default())
//! }
//! ```
//!
//! Names are those of the vectors, so `cargo test -- lifetime/` and every other filter work as they do elsewhere. What a
//! target does not support is *ignored*, with the reason; so is a difference from a `should`, unless
//! [`strict`](CargoTest::strict). A run in which nothing came to a verdict fails, unless the user's own filter left
//! nothing: that is normal where a package has several test programs.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use libtest_mimic::{Completion, Failed, Trial};

pub use libtest_mimic::Arguments;

use crate::clauses::Level;
use crate::flaw::Flaw;
use crate::run::run_virtual;
use crate::story::{one_line, story};
use crate::target::{Clock, Target};
use crate::vector::{Suite, Vector, embedded};
use crate::verdict::{Verdict, VerdictKind};

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
    strict: bool,
}

impl<T: Target + Send + 'static> CargoTest<T> {
    /// Of all vectors that came with this build.
    pub fn new(target: T) -> Self {
        Self { target: Arc::new(target), directory: None, only: Vec::new(), strict: false }
    }

    /// Of the vectors in a directory.
    #[must_use]
    pub fn vectors(self, directory: impl Into<PathBuf>) -> Self {
        Self { directory: Some(directory.into()), ..self }
    }

    /// Of the vectors whose name starts so: `lifetime/`, `lifetime/item-longer`. Said twice, of both.
    #[must_use]
    pub fn only(mut self, prefix: impl Into<String>) -> Self {
        self.only.push(prefix.into());
        self
    }

    /// A difference from a `should` fails too.
    #[must_use]
    pub fn strict(self) -> Self {
        Self { strict: true, ..self }
    }

    /// Runs it as the command line says.
    pub fn main(self) -> ExitCode {
        self.run(&Arguments::from_args())
    }

    /// Runs it as these arguments say.
    pub fn run(self, args: &Arguments) -> ExitCode {
        let (suite, chosen) = match self.chosen() {
            Ok(chosen) => chosen,
            Err(flaw) => {
                eprintln!("error: {flaw}");
                return ExitCode::from(WRONG_USE);
            }
        };
        let judged = Arc::new(AtomicUsize::new(0));
        let trials = chosen.into_iter().map(|number| self.trial(&suite, number, &judged)).collect();
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

    /// The vectors, and the numbers of those to run: at least one.
    fn chosen(&self) -> Result<(Arc<Suite>, Vec<usize>), Flaw> {
        let suite = match &self.directory {
            Some(directory) => Suite::load(directory)?,
            None => embedded()?,
        };
        if self.target.about().clock == Clock::Real {
            let name = self.target.about().name;
            return Err(Flaw::of_path(
                one_line(&name),
                "its clock runs by itself",
                "here the harness moves the clock; run `cosmos-ttl` against it",
            ));
        }
        let wanted = |vector: &Vector| {
            self.only.is_empty() || self.only.iter().any(|prefix| vector.name.starts_with(prefix))
        };
        let vectors = suite.vectors.iter().enumerate();
        let chosen: Vec<_> = vectors.filter(|(_, vector)| wanted(vector)).map(|(number, _)| number).collect();
        if chosen.is_empty() {
            let what = format!("no vector's name starts with {}", self.only.join(" or "));
            return Err(Flaw::of_path(&suite.origin, what, "names read `section/id`"));
        }
        Ok((Arc::new(suite), chosen))
    }

    fn trial(&self, suite: &Arc<Suite>, number: usize, judged: &Arc<AtomicUsize>) -> Trial {
        let (target, strict) = (Arc::clone(&self.target), self.strict);
        let (suite, judged) = (Arc::clone(suite), Arc::clone(judged));
        let vector = suite.vectors.get(number);
        let name = vector.map_or_else(String::new, |vector| vector.name.clone());
        let should = vector.is_some_and(|vector| vector.level == Level::Should);
        let trial = Trial::ignorable_test(name, move || {
            let Some(vector) = suite.vectors.get(number) else { return Err(Failed::without_message()) };
            let verdict = verdict(target.as_ref(), vector)?;
            if matches!(verdict.kind(), VerdictKind::Pass | VerdictKind::Fail) {
                judged.fetch_add(1, Ordering::Relaxed);
            }
            completion(&suite, vector, &verdict, strict)
        });
        if should { trial.with_kind("should") } else { trial }
    }
}

/// Whether the arguments leave no test out and only run: then at least one must come to a verdict.
fn runs_everything(args: &Arguments) -> bool {
    !args.list && !args.ignored && !args.bench && args.filter.is_none() && args.skip.is_empty()
}

fn verdict(target: &dyn Target, vector: &Vector) -> Result<Verdict, Failed> {
    let run = run_virtual(target, &[vector])?;
    let result = run.results.into_iter().next();
    result.map(|result| result.verdict).ok_or_else(Failed::without_message)
}

fn completion(suite: &Suite, vector: &Vector, verdict: &Verdict, strict: bool) -> Result<Completion, Failed> {
    let said = |what: &str, why: &str| format!("{what}: {}", one_line(why));
    match verdict {
        Verdict::Pass => Ok(Completion::Completed),
        Verdict::Fail(failure) if vector.level == Level::Should && !strict => {
            Ok(Completion::ignored_with(said("differs from a should", &failure.to_string())))
        }
        Verdict::Fail(failure) => Err(story(&suite.catalogue, vector, failure).into()),
        Verdict::Unsupported(why) => Ok(Completion::ignored_with(said("unsupported", why))),
        Verdict::NotApplicable(why) => Ok(Completion::ignored_with(said("not applicable", why))),
        Verdict::Inconclusive(why) | Verdict::Broken(why) | Verdict::NotRun(why) => {
            let what = said(verdict.kind().word(), why);
            Err(format!("{what}\nThis is no verdict on time to live.").into())
        }
    }
}
