//! Which mutation a target seems to have.

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::run::Run;
use cosmos_ttl_harness::signature::Signature;
use cosmos_ttl_harness::target::{About, Fault, Request, Response, Session, Target};
use cosmos_ttl_harness::verdict::Listed;
use cosmos_ttl_harness::verdict::{Failure, Verdict};
use cosmos_ttl_mutants::diagnosis::{JudgedVector, MutantDiagnosis, diagnose, judged_in, of_run};
use cosmos_ttl_mutants::matrix::KillMatrixRow;
use cosmos_ttl_mutants::{CONTROLS, Faulty, FaultyStore, IndependentSession, named};
use cosmos_ttl_testing::run_all;

use crate::matrix::{MATRIX, SUITE, check_none};

fn run(target: &dyn Target) -> Run<'static> {
    run_all(target, &SUITE)
}

fn names(diagnosis: &MutantDiagnosis) -> Vec<&str> {
    diagnosis.like.iter().map(|like| like.mutant.as_str()).collect()
}

#[test]
fn every_mutant_that_fails_five_vectors_is_named_and_no_other_is() {
    let wrong = MATRIX.rows.iter().filter_map(|row| {
        let failure = |name: &str| row.failures.iter().find(|(vector, _)| vector.name == name);
        let judged = SUITE.vectors.iter().map(|vector| JudgedVector {
            vector,
            failure: failure(&vector.name).map(|(_, failure)| failure),
        });
        let found = diagnose(&judged.collect::<Vec<_>>(), true);
        let is_right = match &found {
            None => row.failures.len() < 5,
            Some(found) => names(found) == [row.mutant.name] && found.unexplained == 0,
        };
        (!is_right).then(|| format!("{} as {found:?}", row.mutant.name))
    });
    check_none(wrong);
}

#[test]
fn right_targets_are_like_none() {
    assert_eq!(of_run(&run(&Reference::default())), None);
    for control in CONTROLS.iter() {
        assert_eq!(of_run(&run(&control.store)), None, "{}", control.name);
    }
}

#[test]
fn what_is_known_or_was_changed_is_like_none() {
    let late = named("one-second-late").unwrap();
    let mut known = run(&late);
    assert_eq!(names(&of_run(&known).unwrap()), ["one-second-late"]);
    for result in &mut known.results {
        if let Verdict::Fail(_) = result.verdict {
            let reason = "no second is exact yet".into();
            result.listed = Some(Listed { reason, signature: None, holds: true });
        }
    }
    assert!(judged_in(&known).iter().all(|one| one.failure.is_none()));
    assert_eq!(of_run(&known), None);

    let mut changed = SUITE.clone();
    let text = &SUITE.get("lifetime/default-item-absent").unwrap().source.text;
    let text = text.replace("create-container: {", "create-container: {indexing: consistent, ");
    changed.vectors = SUITE.read_file("lifetime.yaml", text).unwrap();
    assert_eq!(of_run(&run_all(&late, &changed)), None);
}

#[test]
fn failures_that_no_mutant_has_are_explained_by_none() {
    let odd = Failure {
        step: 0,
        at_s: 0,
        expected: "created".into(),
        got: "status 500".into(),
        signature: Signature { expected: "created".into(), got: "500".into() },
        beside: None,
        removal: None,
    };
    let judged: Vec<_> =
        SUITE.vectors.iter().map(|vector| JudgedVector { vector, failure: Some(&odd) }).collect();
    let found = diagnose(&judged, true).unwrap();
    assert_eq!((found.like.as_slice(), found.unexplained), (&[][..], SUITE.vectors.len()));
}

#[test]
fn too_few_failures_and_too_many_candidates_are_like_none() {
    let late = run(&named("one-second-late").unwrap());
    let failed: Vec<_> = judged_in(&late).into_iter().filter(|one| one.failure.is_some()).collect();
    assert_eq!(diagnose(&failed[..4], true), None);
    let alike = ["one-second-late", "hides-an-hour-late", "nothing-expires", "reads-show-expired"];
    let rows: Vec<_> = MATRIX.rows.iter().filter(|row| alike.contains(&row.mutant.name)).collect();
    let fail_so = |one: &&JudgedVector<'_>| {
        let is_same = |failure: &Failure| {
            one.failure.is_some_and(|own| (own.step, &own.got) == (failure.step, &failure.got))
        };
        let is_in = |row: &&&KillMatrixRow<'_>| {
            row.failures.iter().any(|(vector, failure)| vector.name == one.vector.name && is_same(failure))
        };
        rows.iter().filter(is_in).count() == alike.len()
    };
    let same: Vec<_> = failed.iter().filter(fail_so).take(5).copied().collect();
    assert_eq!((same.len(), diagnose(&same, true)), (5, None));
}

/// Answers like the first mutant where that errs, and else like the second.
struct TwoMutations(FaultyStore, FaultyStore);

impl Target for TwoMutations {
    fn about(&self) -> About {
        About { name: "two mutations".into(), ..FaultyStore::default().about() }
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        let stores = [FaultyStore::default(), self.0, self.1];
        Ok(Box::new(Three(stores.map(FaultyStore::session))))
    }
}

struct Three([IndependentSession<Faulty>; 3]);

impl Session for Three {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        let Self([right, first, second]) = self;
        let (right, first) = (right.send(request)?, first.send(request)?);
        let second = second.send(request)?;
        Ok(if first == right { second } else { first })
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.0.iter_mut().try_for_each(|place| place.pass(seconds))
    }

    fn purge(&mut self) -> Result<(), Fault> {
        self.0.iter_mut().try_for_each(Session::purge)
    }
}

/// Both are named, in either order, as mutations of one store.
#[track_caller]
fn check_two(a: &str, b: &str) {
    let [one, other] = [a, b].map(|name| named(name).unwrap());
    let both = run(&TwoMutations(one, other));
    let found = of_run(&both).unwrap_or_else(|| panic!("{a} and {b} are like none"));
    let mut named = names(&found);
    named.sort_unstable();
    let mut wanted = [a, b];
    wanted.sort_unstable();
    assert_eq!((found.together, named.as_slice()), (true, wanted.as_slice()), "{found:?}");
    assert_eq!(found.unexplained, 0, "{found:?}");
    let explained: usize = found.like.iter().map(|like| like.vectors.len()).sum();
    assert_eq!(explained, found.failed);
}

#[test]
fn two_mutations_are_told_apart() {
    check_two("patch-does-not-restart", "no-index-is-fine");
    check_two("replace-keeps-the-ttl", "item-text-counts");
    // The second explains few of the failures, and the first most of them.
    check_two("expired-id-is-taken", "patch-does-not-restart");
}
