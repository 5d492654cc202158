//! A target that only says how to remove: the harness makes the schedules of removal.

use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::target::{About, Clock, Fault, Removal, Session, Target};
use cosmos_ttl_harness::vector::embedded;
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_mutants::{FaultyStore, named};

/// A store that perhaps says that it purges.
struct Store {
    store: FaultyStore,
    purges: bool,
}

impl Target for Store {
    fn about(&self) -> About {
        About { purges: self.purges, ..self.store.about() }
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        self.store.open()
    }
}

#[track_caller]
fn check(name: &str, purges: bool, schedules: usize, fails: bool) {
    let suite = embedded().unwrap();
    let vectors: Vec<_> = suite.vectors.iter().filter(|vector| vector.section == "purge").collect();
    let target = Store { store: named(name).unwrap(), purges };
    let run = run_virtual(&target, &vectors).unwrap();
    assert_eq!(Removal::schedules(&run.about).len(), schedules);
    assert_eq!(run.results.iter().any(|result| result.verdict.outcome() == Outcome::Fail), fails, "{name}");
}

#[test]
fn a_target_that_purges_is_run_under_every_schedule_and_a_purge_that_takes_too_much_is_found() {
    check("right", true, 3, false);
    check("removal-is-early", true, 3, true);
}

#[test]
fn a_target_that_does_not_purge_is_run_once() {
    check("removal-is-early", false, 0, false);
}

#[test]
fn a_clock_that_runs_by_itself_has_no_schedules() {
    let about = FaultyStore::default().about();
    assert_eq!(Removal::schedules(&About { clock: Clock::Real, ..about }), []);
}
