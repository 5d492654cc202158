//! The derived vectors cover what their certificate says. That they are those that the machine of the complete suite gives is
//! a test of `readme`.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use cosmos_ttl_checker::client::Client;
use cosmos_ttl_harness::parallel;
use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::target::{Fault, Request};
use cosmos_ttl_harness::vector::{
    CERTIFICATE_FILE, DERIVED, DERIVED_DIRECTORY, Expect, ExpectedResponse, Suite, Vector,
};
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_lab::derive::{GraphComparison, certify, two_item_interleavings};
use cosmos_ttl_mutants::{IndependentStore, Mutant, mutants};
use cosmos_ttl_testing::{check_passes, scratch, suite};

fn directory() -> PathBuf {
    cosmos_ttl_testing::project().join("vectors").join(DERIVED_DIRECTORY)
}

/// The number that the certificate gives under this key.
fn stated(certificate: &str, key: &str) -> usize {
    let start = format!("{key}: ");
    let line = certificate.lines().find_map(|line| line.trim().strip_prefix(&start));
    line.unwrap_or_else(|| panic!("no {key}")).parse().unwrap()
}

#[test]
fn the_certificate_is_what_a_replay_over_the_machine_finds() {
    let stored = fs::read_to_string(directory().join(CERTIFICATE_FILE)).unwrap();
    let found = certify(suite()).unwrap_or_else(|what| panic!("{what}"));
    assert!(stored == found, "stale; write it anew: cargo run -- derive\n{found}");
}

#[test]
fn every_state_input_core_transition_and_interleaving_is_covered() {
    let certificate = certify(suite()).unwrap();
    for (all, covered, least) in [
        ("states", "states-covered", 40),
        ("inputs", "inputs-sent", 181),
        ("core-transitions", "core-transitions-covered", 991),
        ("interleavings", "interleavings-covered", two_item_interleavings().len()),
    ] {
        assert_eq!((stated(&certificate, all), stated(&certificate, covered)), (least, least), "{all}");
    }
    assert_eq!(stated(&certificate, "transitions-alike"), 1161);
    let [all, covered] = ["combinations", "combinations-covered"].map(|key| stated(&certificate, key));
    assert_eq!((all, covered), (3190, 2846));
    // Null as `defaultTtl` over an item that is expired, in nine states; and twelve batches that abort and have an etag of an
    // item that is not there, in thirteen states.
    let others = "transitions-without-refused-values";
    assert_eq!(
        stated(&certificate, others) - stated(&certificate, &format!("{others}-covered")),
        9 + 12 * 13
    );
}

#[test]
fn each_transition_of_the_checked_graph_is_one_of_the_complete_suites_machine() {
    let client = Client::new(1, 2);
    let comparison = GraphComparison::new(&client);
    let (mut transitions, mut states) = (0, BTreeSet::new());
    for view in client.walk() {
        states.extend(comparison.states(&view).unwrap());
        for request in client.requests(&view).into_iter().map(Some).chain([None]) {
            let image = comparison.image(&view, request.as_ref());
            assert!(!image.unwrap_or_else(|what| panic!("{what}")).is_empty());
            transitions += 1;
        }
    }
    assert_eq!((transitions, states.len()), (1161, comparison.machine().states().len()));
}

#[test]
fn a_view_is_not_taken_for_another_state() {
    let client = Client::new(1, 2);
    let comparison = GraphComparison::new(&client);
    let views = client.walk();
    let images: BTreeSet<_> = views.iter().map(|view| comparison.states(view).unwrap()).collect();
    assert_eq!(images.len(), views.len());
    assert_eq!(images.iter().filter(|states| states.len() == 2).count(), 7);
}

/// How many transitions the derived vectors cover after this change.
#[track_caller]
fn left(change: impl Fn(&mut Suite)) -> usize {
    let mut suite = suite().clone();
    change(&mut suite);
    stated(&certify(&suite).unwrap(), "transitions-covered")
}

#[test]
fn what_nobody_shows_does_not_count_as_covered() {
    let all = left(|_| {});
    let without =
        |word: &'static str| left(move |suite| suite.derived.retain(|vector| !vector.name.contains(word)));
    for word in ["derived-each-delete-", "derived-looks-", "change-to-off", "aborted-batches"] {
        assert!(without(word) < all, "{word}");
    }
    assert_eq!(left(|suite| suite.derived.clear()), 0);
}

#[test]
fn an_expectation_that_the_machine_does_not_give_is_found() {
    let mut suite = suite().clone();
    let vector =
        suite.derived.iter_mut().find(|vector| vector.name.contains("derived-looks-over-plain")).unwrap();
    let step = vector.steps.iter_mut().find(|step| step.request == Request::Query).unwrap();
    step.expect = Expect::One(ExpectedResponse::Ids(BTreeSet::from(["witness".into()])));
    let name = vector.name.clone();
    let wrong = certify(&suite).unwrap_err();
    assert!(wrong.starts_with(&name) && wrong.contains("line "), "{wrong}");
}

#[test]
fn each_is_small_and_says_what_it_is() {
    let suite = suite();
    let derived: Vec<_> = suite.derived.iter().collect();
    assert!(700 < derived.len(), "{}", derived.len());
    let ids: BTreeSet<&str> = derived.iter().map(|vector| vector.name.as_str()).collect();
    assert_eq!(ids.len(), derived.len());
    let titles: BTreeSet<&str> = derived.iter().map(|vector| vector.title.as_str()).collect();
    assert_eq!(titles.len(), derived.len());
    for vector in derived {
        assert!(vector.steps.len() <= 90, "{}", vector.name);
        assert!(vector.name.split_once('/').unwrap().1.starts_with(DERIVED), "{}", vector.name);
        let first = vector.source.text.lines().next();
        assert_eq!(first, Some("# yaml-language-server: $schema=../schema.json"), "{}", vector.source.name);
    }
}

#[test]
fn what_derived_vectors_alone_cannot_tell_from_a_right_store_is_known() {
    let mut suite = suite().clone();
    suite.vectors = std::mem::take(&mut suite.derived);
    check_passes(&IndependentStore::default(), &suite);
    // The first failure is enough.
    let fails = |mutant: &Mutant, vector| {
        let run = run_virtual(&mutant.store(), &[vector]).unwrap();
        run.results[0].verdict.outcome() == Outcome::Fail
    };
    let all: Vec<_> = mutants().collect();
    let unseen = parallel::map(&all, |mutant| {
        // The vectors that cite a clause that it breaks are the likeliest to fail.
        let cites =
            |vector: &&Vector| vector.clauses.iter().any(|clause| mutant.clauses.contains(&clause.as_str()));
        let (likeliest, others): (Vec<_>, Vec<_>) = suite.vectors.iter().partition(cites);
        let is_seen = likeliest.into_iter().chain(others).any(|vector| fails(mutant, vector));
        Ok::<_, Fault>((!is_seen).then(|| format!("{}: {}\n", mutant.name, mutant.says)))
    });
    insta::assert_snapshot!(unseen.unwrap().into_iter().flatten().collect::<String>());
}

/// Files next to good ones, one of them in `derived/`.
#[track_caller]
fn check_refused(hand: &str, derived: &str, complaint: &str) {
    let file = |id: &str| {
        include_str!("../../../testing/bad/lifetime.yaml").replacen("id: ", &format!("id: {id}"), 1)
    };
    let directory = scratch("derived", &[("lifetime.yaml", file(hand).as_bytes())]);
    fs::create_dir(directory.join(DERIVED_DIRECTORY)).unwrap();
    fs::write(directory.join(DERIVED_DIRECTORY).join("lifetime.yaml"), file(derived)).unwrap();
    let flaw = Suite::load(&directory).unwrap_err().to_string();
    assert!(flaw.contains(complaint), "{flaw}");
}

#[test]
fn the_names_of_derived_vectors_and_of_others_cannot_meet() {
    check_refused("derived-", "derived-", "stands in the wrong directory");
    check_refused("", "", "stands in the wrong directory");
}

#[test]
fn nothing_but_vectors_and_the_certificate_stands_beside_them() {
    let directory = scratch("derived", &[]);
    fs::create_dir(directory.join(DERIVED_DIRECTORY)).unwrap();
    fs::write(directory.join(DERIVED_DIRECTORY).join(CERTIFICATE_FILE), "").unwrap();
    assert!(Suite::load(&directory).is_ok());
    fs::write(directory.join(DERIVED_DIRECTORY).join("notes.txt"), "").unwrap();
    assert!(Suite::load(&directory).unwrap_err().to_string().contains("an unexpected file"));
}
