//! The promises of shrinking.

use cosmos_ttl_explore::shrink::{drop_unneeded, smaller};
use cosmos_ttl_explore::{Action, Call, Script};
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Container, Document, Indexing, Operation, Request};
use cosmos_ttl_mutants::named;

use super::boards::{asked_by, differs, drawn, shrink};
use cosmos_ttl_testing::suite;

/// The longest vector's requests that tell the mutant from the right store, shrunk to at most this number of actions.
#[track_caller]
fn check(name: &str, most: usize) {
    let store = named(name).unwrap();
    let suite = suite();
    let boards = suite.vectors.iter().filter_map(asked_by).filter(|board| differs(&store, board));
    let board = boards.max_by_key(|board| board.actions.len()).unwrap();
    let small = shrink(&board, &mut |board| differs(&store, board));
    assert!(differs(&store, &small), "{name}: {small:#?}");
    for less in smaller(&small) {
        assert!(!differs(&store, &less), "{name}: {small:#?} is not yet\n{less:#?}");
    }
    assert!(small.actions.len() <= most, "{name}: {} actions, {small:#?}", small.actions.len());
    assert_eq!(small, shrink(&board, &mut |board| differs(&store, board)), "{name}: not the same again");
}

#[test]
fn what_is_left_is_small_and_nothing_more_can_be_taken_away() {
    check("one-second-late", 3);
    check("off-honours-own-ttl", 4);
    check("settings-touch-ts", 4);
}

#[test]
fn a_wait_and_a_lifetime_shrink_together_by_halves() {
    let store = named("one-second-late").unwrap();
    let long = Literal::from(1_000_000);
    let document = Document { id: "a".into(), properties: [("ttl".to_owned(), long.clone())].into() };
    let ask = |request| Action::Call(Call::plain(request));
    let actions = vec![
        ask(Request::Item(Operation::Create(document))),
        Action::Wait(1_000_000),
        ask(Request::Item(Operation::Read("a".into()))),
    ];
    let container = Container { default_ttl: Some(long), indexing: Indexing::Consistent };
    let board = Script { container, actions };
    let mut calls = 0;
    let small = shrink(&board, &mut |board| {
        calls += 1;
        differs(&store, board)
    });
    assert!(small.actions.iter().all(|one| !matches!(one, Action::Wait(2..))), "{small:#?}");
    assert!(calls < 1_000, "{calls} calls");
}

#[test]
fn no_more_calls_are_made_than_allowed_and_what_is_left_still_fails() {
    let store = named("one-second-late").unwrap();
    let suite = suite();
    let mut boards = suite.vectors.iter().filter_map(asked_by);
    let board = boards.find(|board| 8 < board.actions.len() && differs(&store, board)).unwrap();
    for most in [0, 1, 7, 40] {
        let mut calls = 0;
        let mut left = most;
        let small = drop_unneeded(&board, &mut left, &mut |board| {
            calls += 1;
            differs(&store, board)
        });
        assert_eq!((calls, left), (most, 0));
        assert!(differs(&store, &small));
    }
}

#[test]
fn what_always_fails_shrinks_to_a_new_container() {
    let scripts = suite().vectors.iter().filter_map(asked_by);
    let longest = scripts.max_by_key(|script| script.actions.len()).unwrap();
    let small = shrink(&longest, &mut |_| true);
    assert!(small.actions.is_empty(), "{small:#?}");
    assert_eq!(small.container, Container::default());
}

#[test]
fn no_two_scripts_are_smaller_than_each_other() {
    for script in (0..24).map(drawn) {
        for less in smaller(&script) {
            assert!(!smaller(&less).contains(&script), "{script:#?}\n{less:#?}");
        }
    }
}
