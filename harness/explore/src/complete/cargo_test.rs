//! The complete suite as one more test in a library user's own `cargo test`.

use cosmos_ttl_harness::cargo_test::CargoTest;
use cosmos_ttl_harness::describe;
use cosmos_ttl_harness::plain::plain;
use cosmos_ttl_harness::target::Target;
use cosmos_ttl_harness::vector::Suite;

use crate::complete::run::{CompleteOptions, Completion, complete};
use crate::complete::suite::Depth;

/// Adds the complete suite to a test program.
///
/// ```no_run
/// # use cosmos_ttl_explore::reference::Reference as MyStore;
/// use cosmos_ttl_explore::complete::CompleteTest as _;
/// use cosmos_ttl_harness::cargo_test::CargoTest;
///
/// fn main() -> std::process::ExitCode {
///     CargoTest::new(MyStore::default()).complete(1).main()
/// }
/// ```
pub trait CompleteTest {
    /// With the test `complete/depth-K`, which plays the complete suite of this depth.
    #[must_use]
    fn complete(self, depth: u8) -> Self;

    /// With the test `complete/two-items`, which plays the complete suite of two items.
    #[must_use]
    fn complete_two_items(self) -> Self;
}

impl<T: Target + Send + 'static> CompleteTest for CargoTest<T> {
    fn complete(self, depth: u8) -> Self {
        self.test(format!("complete/depth-{depth}"), move |target, suite| {
            passes(target, suite, &CompleteOptions::new(Depth(depth)))
        })
    }

    fn complete_two_items(self) -> Self {
        self.test("complete/two-items", |target, suite| passes(target, suite, &CompleteOptions::two_items()))
    }
}

fn passes(target: &dyn Target, suite: &Suite, options: &CompleteOptions<'_>) -> Result<(), String> {
    verdict(&complete(target, suite, options).map_err(|fault| fault.to_string())?)
}

/// Returns why a store does not pass, if it does not.
fn verdict(done: &Completion) -> Result<(), String> {
    if let Some(found) = &done.found {
        let steps = found.exchanges.iter().map(|one| {
            let asked = describe::request(&one.call.request, &one.call.conditions);
            (one.at_s, plain(&asked), plain(&describe::response(&one.response)))
        });
        let steps = describe::lines(steps).join("\n  ");
        let (expected, got) = (plain(&found.differs.expected), plain(&found.differs.got));
        return Err(format!("expected {expected}, got {got}\n  {steps}"));
    }
    match (done.mishaps.first(), done.unconfirmed.first()) {
        (Some(why), _) => Err(format!("not judged: {}", plain(why))),
        (None, Some(why)) => Err(format!("not confirmed: {}", plain(why))),
        (None, None) if done.cut_short => Err("ended before its time".into()),
        (None, None) => match done.not_offered.first() {
            Some(input) => Err(format!("undecided: the target does not offer {}", plain(&input.words()))),
            None if !done.is_played() => {
                let what = "ended early: the target shows no etags, or stores what only some stores take";
                Err(format!("undecided: {} of {} tests {what}", done.cut, done.tests))
            }
            None => Ok(()),
        },
    }
}
