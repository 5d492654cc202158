//! The report of an interrupted run on a virtual clock.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use cosmos_ttl::report::{Report, RunCommand};
use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::run::run_virtual_until;
use cosmos_ttl_harness::target::{About, Fault, Removal, Session, Target};

use super::made;

/// The reference, interrupted after this number of sessions.
struct Interrupted<'a> {
    reference: Reference,
    left: AtomicUsize,
    stop: &'a AtomicBool,
}

impl Target for Interrupted<'_> {
    fn about(&self) -> About {
        self.reference.about()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.stop.store(true, Ordering::Relaxed);
        }
        self.reference.open()
    }
}

#[test]
fn the_vector_at_hand_is_judged_and_those_after_it_are_not_run() {
    let suite = made::suite();
    let vectors: Vec<_> = suite.vectors.iter().collect();
    let stop = AtomicBool::new(false);
    // A vector is opened once for each schedule of removal.
    let openings = Removal::schedules(&Reference::default().about()).len();
    let left = AtomicUsize::new(openings.saturating_add(1));
    let target = Interrupted { reference: Reference::default(), left, stop: &stop };
    let run = run_virtual_until(&target, &vectors, &stop).unwrap();
    let report = Report::of(&suite, &run, &RunCommand::default());
    assert_eq!((report.counts.pass, report.counts.not_run, report.exit_code), (2, 3, 3));
    let why = "3 of 5 vectors were not run: the run was interrupted before";
    assert_eq!((report.complete, report.incomplete.as_deref()), (false, Some(why)));
}
