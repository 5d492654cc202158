//! Which mutation a target seems to make.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use cosmos_ttl_harness::known_failures::{FailureKind, Listed};
use cosmos_ttl_harness::run::Run;
use cosmos_ttl_harness::signature::Signature;
use cosmos_ttl_harness::target::{About, Fault, Opening, Request, Response, Session, Target};
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_harness::verdict::{Failure, Verdict};
use cosmos_ttl_mutants::diagnosis::{
    JudgedVector, MutantDiagnosis, diagnose, diagnose_by, judged_in, of_run,
};
use cosmos_ttl_mutants::{CONTROLS, IndependentSession, IndependentStore, Mutant, mutants, named};
use cosmos_ttl_reference::Reference;
use cosmos_ttl_testing::run_all;

use crate::matrix::{MATRIX, SUITE};

fn run(target: &dyn Target) -> Run<'static> {
    run_all(target, &SUITE)
}

/// How every mutant fails every vector.
static FAILURES: LazyLock<BTreeMap<(&str, &str), &Failure>> = LazyLock::new(|| {
    let failures =
        MATRIX.rows.iter().flat_map(|row| row.failures.iter().map(move |one| (row.mutant.name, one)));
    failures.map(|(mutant, (vector, failure))| ((mutant, vector.name.as_str()), failure)).collect()
});

fn fails(mutant: &'static Mutant, vector: &Vector) -> Option<Failure> {
    let failure = FAILURES.get(&(mutant.name, vector.name.as_str()))?;
    failure.beside.is_none().then(|| (*failure).clone())
}

/// Returns the diagnosis of this mutant's failures.
fn of_mutant(mutant: &'static Mutant) -> Option<MutantDiagnosis> {
    let own: Vec<_> = SUITE.vectors.iter().map(|vector| (vector, fails(mutant, vector))).collect();
    let judged: Vec<_> =
        own.iter().map(|(vector, failure)| JudgedVector { vector, failure: failure.as_ref() }).collect();
    diagnose_by(&judged, &fails)
}

fn names(diagnosis: &MutantDiagnosis) -> Vec<&str> {
    diagnosis.like.iter().map(|like| like.mutant.as_str()).collect()
}

/// The failures of a mutant, vector by vector.
fn signature(name: &str) -> Vec<(&'static str, &'static Failure)> {
    let own = FAILURES.iter().filter(|((mutant, _), _)| *mutant == name);
    own.map(|((_, vector), failure)| (*vector, *failure)).collect()
}

#[test]
fn every_mutant_is_named_alone_or_with_those_that_fail_exactly_the_same() {
    let (mut alone, mut beside, mut wrong) = (0, Vec::new(), Vec::new());
    for mutant in mutants() {
        let found = of_mutant(mutant);
        match found.as_ref().map(|found| (found.unexplained, found.like.as_slice())) {
            None => wrong.push(format!("{} as nothing", mutant.name)),
            Some((0, [one])) if one.mutant == mutant.name && one.also.is_empty() => alone += 1,
            Some((0, [one])) if signature(&one.mutant) == signature(mutant.name) => {
                let all = [&[one.mutant.clone()][..], &one.also].concat();
                beside.push(all.join(", "));
            }
            Some(_) => wrong.push(format!("{} as {found:?}", mutant.name)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let named = alone + beside.len();
    let groups: BTreeSet<_> = beside.into_iter().collect();
    insta::assert_snapshot!(format!(
        "named: {named}\nalone: {alone}\nthe others together with those that fail exactly the same:\n  {}\n",
        groups.into_iter().collect::<Vec<_>>().join("\n  ")
    ));
}

#[test]
fn a_store_that_ignores_time_to_live_is_like_one_in_which_nothing_expires() {
    let mutant = mutants().find(|mutant| mutant.name == "nothing-expires").unwrap();
    assert_eq!(names(&of_mutant(mutant).unwrap())[0], "nothing-expires");
}

#[test]
fn what_is_looked_up_is_what_is_replayed() {
    for mutant in mutants().step_by(300) {
        assert_eq!(of_run(&run(&mutant.store())), of_mutant(mutant), "{}", mutant.name);
    }
}

#[test]
fn right_targets_are_like_none() {
    assert_eq!(of_run(&run(&Reference::default())), None);
    for control in CONTROLS.iter() {
        assert_eq!(of_run(&run(&control.store)), None, "{}", control.name);
    }
}

#[test]
fn known_failures_are_like_none() {
    let mut run = run(&named("one-second-late").unwrap());
    assert!(of_run(&run).is_some());
    for result in &mut run.results {
        if let Verdict::Fail(_) = result.verdict {
            let reason = "no second is exact yet".into();
            result.listed =
                Some(Listed { kind: FailureKind::Bug, reason, link: None, signature: None, holds: true });
        }
    }
    assert!(judged_in(&run).iter().all(|one| one.failure.is_none()));
    assert_eq!(of_run(&run), None);
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
    let found = diagnose_by(&judged, &fails).unwrap();
    assert_eq!((found.like.as_slice(), found.unexplained), (&[][..], SUITE.vectors.len()));
}

#[test]
fn mutants_that_a_run_cannot_tell_apart_are_named_together() {
    let vector = SUITE.get("lifetime/default-item-absent").unwrap();
    let mut groups: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    for mutant in mutants() {
        if let Some(failure) = fails(mutant, vector) {
            groups.entry((failure.step, failure.got)).or_default().push(mutant.name);
        }
    }
    let all = groups.into_values().max_by_key(Vec::len).unwrap();
    let failure = FAILURES[&(all[0], vector.name.as_str())];
    let found = diagnose_by(&[JudgedVector { vector, failure: Some(failure) }], &fails).unwrap();
    let [like] = found.like.as_slice() else { panic!("{found:?}") };
    let named = 1 + like.also.len();
    assert!(all.len() > 1 && named > 1, "{all:?}");
    assert_eq!(named + found.more, all.len(), "{all:?}: {found:?}");
    assert!(like.also.iter().all(|name| all.contains(&name.as_str())), "{all:?}: {found:?}");
}

/// Answers like the first mutant where that errs, and else like the second.
struct TwoMutations(&'static Mutant, &'static Mutant);

impl Target for TwoMutations {
    fn about(&self) -> About {
        About { name: "two mutations".into(), ..IndependentStore::default().about() }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        let stores = [IndependentStore::default(), self.0.store(), self.1.store()];
        Ok(Box::new(Three(stores.map(|store| store.session(*opening)))))
    }
}

struct Three([IndependentSession; 3]);

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
    let [one, other] = [a, b].map(|name| mutants().find(|mutant| mutant.name == name).unwrap());
    let both = run(&TwoMutations(one, other));
    let found = diagnose_by(&judged_in(&both), &fails).unwrap_or_else(|| panic!("{a} and {b} are like none"));
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

#[test]
fn one_vector_alone_can_be_diagnosed() {
    let store = named("patch-does-not-restart").unwrap();
    let run = run(&store);
    let failed = judged_in(&run).into_iter().find(|one| one.failure.is_some()).unwrap();
    let found = diagnose(&run.about, &[failed]).unwrap();
    assert_eq!((found.failed, found.together), (1, false));
    assert!(found.like.iter().all(|like| (like.fails, like.alike) == (1, 1)), "{found:?}");
}
