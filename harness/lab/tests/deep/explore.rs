//! Exploration of every mutant and control, and what it writes of them.

#[path = "../../../explore/tests/explore/shrink/boards.rs"]
#[expect(dead_code, reason = "the tests of exploration use the rest")]
mod boards;

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use cosmos_ttl_explore::distinguish::differs;
use cosmos_ttl_explore::mutants::Table;
use cosmos_ttl_explore::{Script, write};
use cosmos_ttl_harness::target::{Removal, Target};
use cosmos_ttl_mutants::{CONTROLS, Control, IndependentStore, mutants, named};
use cosmos_ttl_testing::suite;

use self::boards::{asked_by, check_right, drawn, fails, shrink};

#[test]
fn exploration_finds_all_mutants_but_these_and_accuses_nobody() {
    let table = Table::of(1, 10_000, &AtomicBool::new(false)).unwrap();
    let accused: Vec<_> = table.accused().collect();
    assert!(accused.is_empty(), "{accused:?}");
    let missed: Vec<String> =
        table.missed().map(|mutant| format!("{}: {}", mutant.name, mutant.says)).collect();
    insta::assert_snapshot!(format!("{}\n\n{}", missed.join("\n"), table.last_line()));
}

#[test]
fn each_control_differs_from_the_right_store_on_the_requests_of_a_vector() {
    let right = IndependentStore::default();
    let scripts: Vec<Script> = suite().vectors.iter().map(asked_by).collect();
    let differs_on = |store: &dyn Target, script: &Script| {
        let removals = [Removal::Never, Removal::Eager, Removal::Alternate];
        removals.into_iter().any(|removal| differs([store, &right], script, Some(removal)).unwrap())
    };
    let differs = |control: &&Control| scripts.iter().any(|script| differs_on(&control.store, script));
    let same: Vec<_> =
        CONTROLS.iter().filter(|control| !differs(control)).map(|control| control.name).collect();
    // What these do otherwise no script of a vector asks: pages, queries without an index, changes under a lazy one.
    let unasked = ["lazy-index-stale", "unindexed-queries-find-nothing", "unindexed-queries-refused"];
    let expected = [&["right"][..], &unasked, &["pages-of-stored-items", "starts-beyond-32-bits"]].concat();
    assert_eq!(same, expected);
}

/// Whether it answers as no right store does that chooses the same everywhere.
fn errs(store: &dyn Target, script: &Script) -> bool {
    let others = ["right", "every-other-choice", "removal-eager", "expiry-latched"];
    let is_unlike = |name: &str| {
        let right = named(name).unwrap();
        differs([store, &right], script, Some(Removal::Never)).unwrap()
    };
    others.into_iter().all(is_unlike)
}

#[test]
fn most_mutants_come_to_a_vector_of_their_own_that_they_fail() {
    let suite = suite();
    let boards: Vec<Script> = suite.vectors.iter().map(asked_by).collect();
    let (mut written, mut refused) = (0, Vec::new());
    for mutant in mutants().step_by(4) {
        let store = mutant.store();
        let found = boards.iter().filter(|board| errs(&store, board)).min_by_key(|board| board.actions.len());
        let Some(board) = found else { continue };
        let small = shrink(board, &mut |board| errs(&store, board));
        match write(&small, suite, mutant.clauses, &mut |vector| fails(&store, vector)) {
            Ok(one) => {
                written += 1;
                assert!(fails(&store, &one.vector), "{}:\n{}", mutant.name, one.text);
                assert!(suite.get(&one.vector.name).is_none());
                check_right(&one.vector, &one.text);
            }
            Err(why) => refused.push(format!("{}: {why}", mutant.name)),
        }
    }
    assert!(18 <= written && refused.len() * 3 < written, "{written} written, not {refused:#?}");
}

#[test]
fn whatever_is_written_of_a_script_by_chance_is_right() {
    let suite = suite();
    let (mut written, mut refused) = (0, BTreeSet::new());
    for board in (0..120).map(drawn) {
        match write(&board, suite, &[], &mut |_| true) {
            Ok(one) => {
                written += 1;
                check_right(&one.vector, &one.text);
            }
            Err(why) => {
                assert!(!why.contains("does not agree"), "{why}: {board:#?}");
                refused.insert(why);
            }
        }
    }
    assert!(50 < written, "{written} written, not {refused:#?}");
}
