//! Exploration as one test of a library user's own `cargo test`.

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

use cosmos_ttl_harness::cargo_test::CargoTest;
use cosmos_ttl_harness::describe;
use cosmos_ttl_harness::plain::{plain, plain_lines};
use cosmos_ttl_harness::target::Target;
use cosmos_ttl_harness::vector::Suite;

use crate::shrink::MOST_CALLS;
use crate::{Counterexample, Exploration, ExploreOptions, search};

/// Adds exploration to the tests of a target.
///
/// ```no_run
/// # use cosmos_ttl_explore::reference::Reference as MyStore;
/// use cosmos_ttl_explore::ExploreTest as _;
/// use cosmos_ttl_harness::cargo_test::CargoTest;
///
/// fn main() -> std::process::ExitCode {
///     CargoTest::new(MyStore::default()).explore(1, 20_000).main()
/// }
/// ```
pub trait ExploreTest {
    /// Adds one test, `explore/seed-SEED`, which asks this many random requests. It fails where the target answers what the
    /// model never does; its message has the shrunk requests, and the vector to add. It also fails where nothing was
    /// judged, as with a clock that runs by itself. A difference from a `should` does not fail.
    #[must_use]
    fn explore(self, seed: u64, steps: u64) -> Self;
}

impl<T: Target + Send + 'static> ExploreTest for CargoTest<T> {
    fn explore(self, seed: u64, steps: u64) -> Self {
        self.test(format!("explore/seed-{seed}"), move |target, suite| explored(target, suite, seed, steps))
    }
}

fn explored(target: &dyn Target, suite: &Suite, seed: u64, steps: u64) -> Result<(), String> {
    let stop = AtomicBool::new(false);
    let options = ExploreOptions { seed, steps, stop: &stop };
    let result = search(target, suite, &options, MOST_CALLS, false).map_err(|fault| fault.to_string())?;
    if let Some((seed, shown)) = result.shown.filter(|(_, shown)| !shown.is_should()) {
        return Err(message(seed, &shown));
    }
    match undecided(&result.explored) {
        Some(why) => Err(format!("undecided: {why}\nThis is no verdict on time to live.")),
        None => Ok(()),
    }
}

/// Why it says nothing of the target.
fn undecided(explored: &Exploration) -> Option<String> {
    let mishap = explored.mishaps.first().map(|mishap| plain(mishap));
    let coverage = &explored.coverage;
    let nothing = (coverage.requests == 0).then(|| "nothing was answered".into());
    let no_item = (coverage.expired == 0)
        .then(|| format!("of {} requests none met an expired item", coverage.requests));
    mishap.or(nothing).or(no_item)
}

fn message(seed: u64, shown: &Counterexample) -> String {
    let Counterexample { differs, exchanges, written, .. } = shown;
    let mut text = format!("the target answers what the model never does (seed {seed})\n");
    for exchange in exchanges {
        let asked = describe::request(&exchange.call.request, &exchange.call.conditions);
        let answered = describe::response(&exchange.response);
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "  at {} s  {}: {}", exchange.at_s, plain(&asked), plain(&answered));
    }
    let _ = writeln!(text, "expected {}, got {}", plain(&differs.expected), plain(&differs.got));
    let _ = match written {
        Ok(written) => {
            let section = &written.vector.section;
            writeln!(
                text,
                "\nas a vector, to be added to vectors/{section}.yaml:\n{}",
                plain_lines(&written.text)
            )
        }
        Err(why) => writeln!(text, "no vector can say it: {}", plain(why)),
    };
    text
}
