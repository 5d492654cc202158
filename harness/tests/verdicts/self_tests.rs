//! Does the suite notice? Targets that are wrong in some way, or no targets at all, and what becomes of them.

use std::collections::BTreeSet;

use cosmos_ttl_harness::run::{Conclusion, Tally, run_virtual};
use cosmos_ttl_harness::target::{Fault, Operation, Request, Status, Target};
use cosmos_ttl_harness::vector::{ExpectedResponse, Suite, Vector};
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_mutants::{FaultyStore, IndependentStore, named};
use cosmos_ttl_testing::wrong::{
    AlwaysNo, AlwaysYes, BreaksAt, ExpiresAtOnce, Fickle, Moment, Says, Stopped, Without,
};
use cosmos_ttl_testing::{core_suite, names_of, run_all};

fn mutant(name: &str) -> FaultyStore {
    named(name).unwrap()
}

fn failed<'a>(target: &dyn Target, suite: &'a Suite) -> BTreeSet<&'a str> {
    names_of(&run_all(target, suite), Outcome::Fail).into_iter().collect()
}

/// Passes none; whatever does not fail asks for something that such a target does not show.
#[track_caller]
fn check_passes_nothing(target: &dyn Target) {
    let suite = core_suite();
    let run = run_all(target, suite);
    let none: [&str; 0] = [];
    assert_eq!(names_of(&run, Outcome::Pass), none, "{}", run.about.name);
    let fail = names_of(&run, Outcome::Fail).len();
    assert_eq!(fail + names_of(&run, Outcome::Unsupported).len(), suite.vectors.len());
    assert!(suite.vectors.len() * 9 < fail * 10, "{fail} fail");
}

#[test]
fn a_yes_to_everything_passes_only_what_expects_nothing_else() {
    let suite = core_suite();
    let run = run_all(&AlwaysYes, suite);
    for name in names_of(&run, Outcome::Pass) {
        for step in &suite.get(name).unwrap().steps {
            assert!(step.expect.outcomes().any(|outcome| !is_refusal(outcome)), "{name}");
        }
    }
    assert!(3 * suite.vectors.len() < 4 * names_of(&run, Outcome::Fail).len(), "it fails most");
    let sections: BTreeSet<_> = suite.vectors.iter().map(|vector| &vector.section).collect();
    let caught = |section: &str| {
        names_of(&run, Outcome::Fail).iter().any(|name| name.starts_with(&format!("{section}/")))
    };
    assert!(sections.iter().all(|section| caught(section)), "every section catches it");
}

#[test]
fn one_answer_to_everything_and_a_store_that_keeps_nothing_pass_nothing() {
    for status in [
        Status::BadRequest,
        Status::NotFound,
        Status::Conflict,
        Status::Created,
        Status::Ok,
        Status::Found,
        Status::NoContent,
        Status::TooManyRequests,
        Status::Other(500),
    ] {
        check_passes_nothing(&AlwaysNo(status));
    }
    check_passes_nothing(&ExpiresAtOnce);
}

#[test]
fn a_store_that_a_change_of_settings_empties_fails_only_where_settings_change() {
    let suite = core_suite();
    let changes = |name: &&str| {
        let steps = &suite.get(name).unwrap().steps;
        steps.iter().any(|step| matches!(step.request, Request::ReplaceContainer(_)))
    };
    let failed = failed(&mutant("settings-lose-items"), suite);
    assert!(failed.iter().all(changes));
    for name in [
        "settings/changes-leave-every-item-alone",
        "settings/default-to-off",
        "domain/container-is-off-unless-told-otherwise",
    ] {
        assert!(failed.contains(name), "{name}");
    }
}

#[test]
fn a_clock_that_stands_still_is_noticed_like_a_store_where_nothing_expires() {
    let suite = core_suite();
    let stopped = failed(&Stopped(IndependentStore::default()), suite);
    let nothing_expires = failed(&mutant("nothing-expires"), suite);
    assert!(suite.vectors.len() < 2 * nothing_expires.len());
    assert_eq!(nothing_expires.difference(&stopped).next(), None);
}

/// Where an item was created and nothing deleted it, a `not-found` says that it has expired.
#[test]
fn a_store_where_nothing_expires_fails_each_vector_that_expects_an_item_gone() {
    let suite = core_suite();
    let failed = failed(&mutant("nothing-expires"), suite);
    let mut expecting = BTreeSet::new();
    for Vector { name, steps, .. } in &suite.vectors {
        let mut there = BTreeSet::new();
        for step in steps.iter().filter(|step| step.precondition.is_none()) {
            let is = |status| {
                let mut outcomes = step.expect.outcomes();
                outcomes.all(|one| matches!(one, ExpectedResponse::Status(it, _) if *it == status))
            };
            for operation in step.request.operations() {
                let item = step.item(operation.id());
                match operation {
                    Operation::Create(_) | Operation::Upsert(_) if is(Status::Created) => there.insert(item),
                    Operation::Read(_) if is(Status::NotFound) && there.contains(&item) => {
                        expecting.insert(name.as_str())
                    }
                    Operation::Delete(..) => there.remove(&item),
                    _ => continue,
                };
            }
            if matches!(step.request, Request::DeleteContainer) {
                there.clear();
            }
        }
    }
    assert!(100 < expecting.len(), "{} expect it", expecting.len());
    assert_eq!(expecting.difference(&failed).next(), None);
}

/// Every vector ends in this kind of verdict, and the run in this exit code.
#[track_caller]
fn check_fault(target: &dyn Target, kind: Outcome, exit_code: u8) {
    let suite = core_suite();
    let run = run_all(target, suite);
    let tally = Tally::of(&run);
    // A target may be asked for an id that it need not offer before anything else.
    let count = names_of(&run, kind).len() + tally.counts.not_offered;
    assert_eq!((count, tally.counts.judged()), (suite.vectors.len(), 0));
    assert_eq!(tally.conclusion(false).exit_code(), exit_code);
}

#[test]
fn what_is_no_answer_is_never_a_verdict() {
    let why = String::from("for reasons of its own");
    for from in [1, 2] {
        let says = |fault: fn(String) -> Fault| Says { fault: fault(why.clone()), from };
        check_fault(&says(Fault::Unsupported), Outcome::Unsupported, 3);
        check_fault(&says(Fault::Unknown), Outcome::Inconclusive, 3);
        check_fault(&says(Fault::Broken), Outcome::Broken, 4);
    }
    for moment in [Moment::Open, Moment::Close] {
        let at = |fault: fn(String) -> Fault| BreaksAt {
            moment,
            fault: fault(why.clone()),
            inner: IndependentStore::default(),
        };
        check_fault(&at(Fault::Unsupported), Outcome::Unsupported, 3);
        check_fault(&at(Fault::Unknown), Outcome::Inconclusive, 3);
        check_fault(&at(Fault::Broken), Outcome::Broken, 4);
    }
}

#[test]
fn a_clock_that_cannot_be_moved_breaks_the_vectors_that_move_it() {
    let suite = core_suite();
    let fault = Fault::Broken("stuck".into());
    let run = run_all(&BreaksAt { moment: Moment::Pass, fault, inner: IndependentStore::default() }, suite);
    for result in &run.results {
        let moves = 0 < result.vector.span_s;
        let kind = if moves { Outcome::Broken } else { Outcome::Pass };
        assert_eq!(result.verdict.outcome(), kind, "{}", result.vector.name);
    }
}

#[test]
fn a_failure_stands_even_if_the_place_cannot_be_given_up() {
    let suite = core_suite();
    let never = mutant("nothing-expires");
    let target = BreaksAt { moment: Moment::Close, fault: Fault::Broken("late".into()), inner: never };
    let run = run_all(&target, suite);
    assert_eq!(
        names_of(&run, Outcome::Fail),
        Vec::from_iter(names_of(&run_all(&never, suite), Outcome::Fail))
    );
    assert_eq!(names_of(&run, Outcome::Pass).len(), 0);
    assert_eq!(Tally::of(&run).conclusion(false), Conclusion::Nonconformant);
}

#[test]
fn wrong_use_stops_the_run() {
    let suite = core_suite();
    let vectors: Vec<_> = suite.vectors.iter().collect();
    let fault = Fault::Misuse("asked in the wrong order".into());
    for target in [
        &Says { fault: fault.clone(), from: 2 } as &dyn Target,
        &BreaksAt { moment: Moment::Open, fault: fault.clone(), inner: IndependentStore::default() },
    ] {
        assert_eq!(run_virtual(target, &vectors).unwrap_err(), fault);
    }
}

#[test]
fn a_target_is_not_called_conformant_in_what_it_does_not_offer() {
    let suite = core_suite();
    let without = |lacks| Tally::of(&run_all(&Without(lacks), suite));
    let queries = without(|request| matches!(request, Request::Query | Request::List));
    assert!(queries.unjudged.contains("expired-not-in-queries"));
    assert_eq!(queries.conclusion(false), Conclusion::Undecided);
    let batches = without(|request| matches!(request, Request::Batch(_)));
    assert!(0 < batches.counts.unsupported);
    let about_batches = BTreeSet::from(["batch-shares-one-ts".to_owned()]);
    assert_eq!(batches.unjudged, about_batches, "no other must is shown by batches alone");
    assert_eq!(batches.conclusion(false), Conclusion::Undecided);
}

#[test]
fn a_choice_that_binds_a_target_binds_all_its_vectors() {
    let suite = core_suite();
    let run = run_all(&Fickle::default(), suite);
    let fails: Vec<_> =
        run.results.iter().filter(|result| result.verdict.outcome() == Outcome::Fail).collect();
    assert!(!fails.is_empty());
    for result in fails {
        assert!(result.vector.clauses.iter().any(|clause| clause == "container-null-in-replacement"));
        let reason = result.verdict.reason().unwrap();
        assert!(reason.contains("as it chose in domain/container-null-"), "{reason}");
    }
}

fn is_refusal(outcome: &ExpectedResponse) -> bool {
    match outcome {
        ExpectedResponse::Status(status, _) => {
            !matches!(status, Status::Created | Status::Ok | Status::Found | Status::NoContent)
        }
        ExpectedResponse::Aborted(..) => true,
        ExpectedResponse::Ids(_)
        | ExpectedResponse::Count(_)
        | ExpectedResponse::CountWithin(..)
        | ExpectedResponse::Values(_)
        | ExpectedResponse::Committed(_) => false,
    }
}
