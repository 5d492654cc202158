//! Who differs, and who must not.

use cosmos_ttl_explore::distinguish::{Difference, Effort, Side, distinguish};
use cosmos_ttl_mutants::{CONTROLS, IndependentStore, named};
use cosmos_ttl_reference::Reference;

use cosmos_ttl_testing::suite;

const LITTLE: Effort = Effort { depth: 1, chances: 100, seed: 1 };

fn found(a: &Side<'_>, b: &Side<'_>, effort: Effort) -> Option<Difference> {
    distinguish([a, b], &suite().vectors, effort).unwrap().0
}

#[test]
fn the_model_and_the_store_that_was_written_without_it_never_differ() {
    let (model, right) = (Side::Model(Reference::default()), Side::Store(IndependentStore::default()));
    let (found, searched) = distinguish([&model, &right], &suite().vectors, LITTLE).unwrap();
    assert!(found.is_none(), "{found:#?}");
    assert!(10_000 < searched.actions && 200 < searched.vectors && searched.chances == 100, "{searched:?}");
}

#[test]
fn a_control_differs_from_the_right_store_where_its_choice_says_and_nowhere_else() {
    let same = ["right", "starts-beyond-32-bits"];
    // The other shows at its second request only, which no row so short comes to.
    let near = |name: &&str| *name != "expired-counted-now-and-then";
    for control in CONTROLS.iter().filter(|control| near(&control.name)) {
        let (one, right) = (Side::Store(control.store), Side::Store(IndependentStore::default()));
        let found = found(&one, &right, LITTLE);
        assert_eq!(found.is_none(), same.contains(&control.name), "{}: {found:#?}", control.name);
    }
}

/// The fewest requests and waits after the container's creation.
#[track_caller]
fn check(name: &str, actions: usize) {
    let effort = Effort { depth: 3, ..LITTLE };
    let (one, right) = (Side::Store(named(name).unwrap().store), Side::Store(IndependentStore::default()));
    let found = found(&one, &right, effort).unwrap();
    assert_eq!((found.board.actions.len(), found.shortest), (actions, true), "{name}: {found:#?}");
    let (a, b) = found.heard.last().unwrap();
    assert_ne!(a.response, *b);
    assert!(found.heard.iter().rev().skip(1).all(|(a, b)| a.response == *b));
}

#[test]
fn the_storyboard_is_the_shortest_there_is() {
    check("one-second-late", 3);
    check("off-honours-own-ttl", 3);
}
