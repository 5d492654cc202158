//! Exploration of every mutant and control, and what it writes of them.

#[path = "../../../explore/tests/explore/shrink/boards.rs"]
mod boards;

use std::collections::BTreeSet;

use cosmos_ttl_explore::{Script, write};
use cosmos_ttl_lab::explore::explored;
use cosmos_ttl_mutants::mutants;
use cosmos_ttl_testing::suite;

use self::boards::{asked_by, check_right, differs, drawn, fails, shrink};

#[test]
fn exploration_finds_all_mutants_but_these_and_accuses_nobody() {
    let said = explored(1, 10_000, false).unwrap();
    assert_eq!(said.code, 0, "{}", said.text);
    insta::assert_snapshot!(said.text);
}

#[test]
fn most_mutants_come_to_a_vector_of_their_own_that_they_fail() {
    let suite = suite();
    let boards: Vec<Script> = suite.vectors.iter().filter_map(asked_by).collect();
    let (mut written, mut refused) = (0, Vec::new());
    for mutant in mutants().step_by(4) {
        let store = mutant.store();
        let found =
            boards.iter().filter(|board| differs(&store, board)).min_by_key(|board| board.actions.len());
        let Some(board) = found else { continue };
        let small = shrink(board, &mut |board| differs(&store, board));
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
