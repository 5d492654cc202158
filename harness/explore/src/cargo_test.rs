//! What the model judges, as tests of a library user's own `cargo test`.

use std::sync::atomic::AtomicBool;

use cosmos_ttl_harness::cargo_test::CargoTest;
use cosmos_ttl_harness::plain::plain;
use cosmos_ttl_harness::target::Target;
use cosmos_ttl_harness::vector::Suite;

use crate::complete::{CompleteOptions, Completion, Depth, complete};
use crate::shrink::MOST_CALLS;
use crate::{Counterexample, Exploration, ExploreOptions, search};

/// Adds tests to those of the vectors.
///
/// ```no_run
/// # use cosmos_ttl_explore::reference::Reference as MyStore;
/// use cosmos_ttl_explore::ExploreTest as _;
/// use cosmos_ttl_harness::cargo_test::CargoTest;
///
/// fn main() -> std::process::ExitCode {
///     CargoTest::new(MyStore::default()).explore(1, 20_000).complete(0).main()
/// }
/// ```
///
/// A test fails where the target answers what the model never does; its message has the shrunk requests, and the vector to add.
/// It also fails where nothing was judged, as with a clock that runs by itself. A difference from a `should` does not fail.
pub trait ExploreTest {
    /// Adds one test, `explore/seed-SEED`, which asks this many random requests.
    #[must_use]
    fn explore(self, seed: u64, steps: u64) -> Self;

    /// Adds the test `complete/depth-K`, which plays the complete suite of this depth.
    #[must_use]
    fn complete(self, depth: u8) -> Self;

    /// Adds the test `complete/two-items`, which plays the complete suite of two items.
    #[must_use]
    fn complete_two_items(self) -> Self;
}

impl<T: Target + Send + 'static> ExploreTest for CargoTest<T> {
    fn explore(self, seed: u64, steps: u64) -> Self {
        self.test(format!("explore/seed-{seed}"), move |target, suite| explored(target, suite, seed, steps))
    }

    fn complete(self, depth: u8) -> Self {
        self.test(format!("complete/depth-{depth}"), move |target, suite| {
            completed(target, suite, &CompleteOptions::new(Depth(depth)))
        })
    }

    fn complete_two_items(self) -> Self {
        self.test("complete/two-items", |target, suite| {
            completed(target, suite, &CompleteOptions::two_items())
        })
    }
}

fn explored(target: &dyn Target, suite: &Suite, seed: u64, steps: u64) -> Result<(), String> {
    let stop = AtomicBool::new(false);
    let options = ExploreOptions { seed, steps, stop: &stop };
    let result = search(target, suite, &options, MOST_CALLS, false).map_err(|fault| fault.to_string())?;
    if let Some((seed, shown)) = result.shown.filter(|(_, shown)| !shown.is_should()) {
        return Err(message(&format!("seed {seed}"), &shown));
    }
    undecided(unexplored(&result.explored))
}

fn completed(target: &dyn Target, suite: &Suite, options: &CompleteOptions<'_>) -> Result<(), String> {
    let done = complete(target, suite, options).map_err(|fault| fault.to_string())?;
    match &done.found {
        Some(found) => Err(message("complete suite", found)),
        None => undecided(unplayed(&done)),
    }
}

fn undecided(why: Option<String>) -> Result<(), String> {
    why.map_or(Ok(()), |why| Err(format!("undecided: {why}\nThis is no verdict on time to live.")))
}

/// Why a suite says nothing of the target.
fn unplayed(done: &Completion) -> Option<String> {
    let told = done.mishaps.iter().chain(&done.unconfirmed).next().map(|why| plain(why));
    let cut_short = || done.cut_short.then(|| "it ended before its time".into());
    let declared = || {
        let parts: Vec<_> = done.without.iter().map(|part| part.word()).collect();
        (!parts.is_empty())
            .then(|| format!("the suite needs {}, which is declared missing", parts.join(", ")))
    };
    let not_offered = || {
        let input = done.not_offered.first()?;
        Some(format!("the target does not offer {}", plain(&input.words())))
    };
    let cut = || {
        let what = "ended early: the target shows no etags, or stores what only some stores take";
        (!done.is_whole()).then(|| format!("{} of {} tests {what}", done.cut, done.tests))
    };
    told.or_else(cut_short).or_else(declared).or_else(not_offered).or_else(cut)
}

/// Why an exploration says nothing of the target.
fn unexplored(explored: &Exploration) -> Option<String> {
    let mishap = explored.mishaps.first().map(|mishap| plain(mishap));
    let coverage = &explored.coverage;
    let nothing = (coverage.requests == 0).then(|| "nothing was answered".into());
    let no_item = (coverage.expired == 0)
        .then(|| format!("of {} requests none met an expired item", coverage.requests));
    mishap.or(nothing).or(no_item)
}

fn message(when: &str, shown: &Counterexample) -> String {
    format!("the target answers what the model never does ({when})\n{}\n", shown.lines().join("\n"))
}
