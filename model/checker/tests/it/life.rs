//! The graph of an item's life.

use cosmos_ttl_checker::life::{LifeCause, LifeGraph, LifeState, life};

/// The states that something leads to from here by this cause.
fn led_to(graph: &LifeGraph, from: LifeState, cause: LifeCause) -> Vec<LifeState> {
    let found = graph.iter().filter(|((start, _), causes)| *start == from && causes.contains(&cause));
    found.map(|((_, end), _)| *end).collect()
}

#[test]
fn every_state_of_a_life_is_reached_and_left() {
    let graph = life();
    for state in LifeState::ALL {
        assert!(graph.keys().any(|(from, to)| *to == state && from != to), "{state:?} is not reached");
        assert!(graph.keys().any(|(from, to)| *from == state && from != to), "{state:?} is not left");
    }
}

#[test]
fn an_item_is_removed_only_when_it_is_expired() {
    let graph = life();
    for state in LifeState::ALL {
        let removed: &[LifeState] = if state == LifeState::Stored { &[LifeState::Removed] } else { &[] };
        assert_eq!(led_to(&graph, state, LifeCause::Removal), removed, "{state:?}");
    }
}

#[test]
fn time_alone_hides_an_item_and_never_shows_one() {
    let graph = life();
    for state in LifeState::ALL {
        let shown = led_to(&graph, state, LifeCause::Time);
        assert!(
            shown.iter().all(|state| [LifeState::Stored, LifeState::Removed].contains(state)),
            "{state:?}"
        );
    }
}

#[test]
fn only_a_request_tells_whether_an_item_is_back() {
    let graph = life();
    let answered = led_to(&graph, LifeState::PossiblyBack, LifeCause::Answer);
    assert_eq!(answered, [LifeState::Free, LifeState::Living]);
    assert_eq!(led_to(&graph, LifeState::PossiblyBack, LifeCause::Write), [LifeState::Living]);
    assert_eq!(led_to(&graph, LifeState::Stored, LifeCause::Answer), []);
}
