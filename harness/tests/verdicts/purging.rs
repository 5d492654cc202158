//! A Rust target that only says how to remove: the harness makes the schedules of removal.

use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::target::{
    About, Fault, Opening, Removal, Request, RequestOptions, Response, Session, Target,
};
use cosmos_ttl_harness::vector::embedded;
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_mutants::{FaultyStore, named};

/// Lists `never` alone, and perhaps purges.
struct NeverAlone {
    store: FaultyStore,
    purges: bool,
}

impl Target for NeverAlone {
    fn about(&self) -> About {
        About { removals: vec![Removal::Never], ..self.store.about() }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        assert_eq!(opening.removal, Some(Removal::Never), "only this schedule was offered");
        Ok(Box::new(MaybePurging { session: self.store.open(opening)?, purges: self.purges }))
    }
}

struct MaybePurging<'a> {
    session: Box<dyn Session + 'a>,
    purges: bool,
}

impl Session for MaybePurging<'_> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.session.send(request)
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        self.session.send_with(request, options)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.session.pass(seconds)
    }

    fn purge(&mut self) -> Result<(), Fault> {
        if self.purges { self.session.purge() } else { Err(Fault::Unsupported("never".into())) }
    }
}

/// The schedules of the run, and the first vector that fails with the schedule under which it did.
#[track_caller]
fn check(name: &str, purges: bool, removals: &[Removal], fails: bool) {
    let suite = embedded().unwrap();
    let vectors: Vec<_> = suite.vectors.iter().filter(|vector| vector.section == "purge").collect();
    let target = NeverAlone { store: named(name).unwrap(), purges };
    let run = run_virtual(&target, &vectors).unwrap();
    assert_eq!(run.about.removals, removals);
    assert_eq!(run.results.iter().any(|result| result.verdict.outcome() == Outcome::Fail), fails, "{name}");
}

const ALL: [Removal; 3] = [Removal::Never, Removal::Eager, Removal::Alternate];

#[test]
fn a_target_that_purges_is_run_under_every_schedule_and_a_purge_that_takes_too_much_is_found() {
    check("right", true, &ALL, false);
    check("removal-is-early", true, &ALL, true);
}

#[test]
fn a_target_that_never_removes_and_cannot_purge_is_run_under_its_one_schedule() {
    check("removal-is-early", false, &ALL[..1], false);
}
