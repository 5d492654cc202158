//! Storyboards to try things with.

use cosmos_ttl_explore::distinguish::{difference, scopes};
use cosmos_ttl_explore::{Ask, Move, Storyboard};
use cosmos_ttl_harness::target::{Removal, Request, Target};
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_mutants::{IndependentStore, named};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Whether this store answers otherwise than the right one.
pub(crate) fn differs(store: &dyn Target, board: &Storyboard) -> bool {
    difference([store, &IndependentStore::default()], board, Some(Removal::Never)).unwrap().is_some()
}

/// Whether it answers as no right store does that chooses the same everywhere.
pub(crate) fn errs(store: &dyn Target, board: &Storyboard) -> bool {
    let others = ["right", "every-other-choice", "removal-eager", "expiry-latched"];
    let differs = |name: &str| {
        let right = named(name).unwrap().store;
        difference([store, &right], board, Some(Removal::Never)).unwrap().is_some()
    };
    others.into_iter().all(differs)
}

/// What a vector asks.
pub(crate) fn asked_by(vector: &Vector) -> Storyboard {
    let Request::CreateContainer(container) = &vector.steps[0].request else { panic!("{}", vector.name) };
    let mut now_s = 0;
    let mut moves = Vec::new();
    for step in &vector.steps[1..] {
        if now_s < step.at_s {
            moves.push(Move::Wait(step.at_s - now_s));
            now_s = step.at_s;
        }
        moves.push(Move::Ask(Ask { request: step.request.clone(), conditions: step.conditions.clone() }));
    }
    Storyboard { edition: vector.edition.unwrap_or_default(), container: container.clone(), moves }
}

/// Rows of moves of the scopes, most of them of one.
pub(crate) fn rows() -> impl Strategy<Value = Storyboard> {
    let all = scopes();
    let count = all.len();
    let one = select((0..count).collect::<Vec<_>>());
    let places = prop::collection::vec((any::<Index>(), 0..6_usize, any::<Index>()), 1..9);
    (one, any::<Index>(), any::<Index>(), places).prop_map(move |(one, edition, container, places)| {
        let scope = &all[one];
        let row = places.into_iter().map(|(other, chance, place)| {
            let scope = if chance == 0 { &all[other.index(count)] } else { scope };
            scope.moves[place.index(scope.moves.len())].clone()
        });
        Storyboard {
            edition: scope.editions[edition.index(scope.editions.len())],
            container: scope.containers[container.index(scope.containers.len())].clone(),
            moves: row.collect(),
        }
    })
}
