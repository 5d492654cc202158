//! Script to try things with.

use cosmos_ttl_explore::distinguish::{difference, scopes};
use cosmos_ttl_explore::{Action, Call, Script};
use cosmos_ttl_harness::target::{Removal, Request, Target};
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_mutants::{IndependentStore, named};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Whether this store answers otherwise than the right one.
pub(crate) fn differs(store: &dyn Target, board: &Script) -> bool {
    difference([store, &IndependentStore::default()], board, Some(Removal::Never)).unwrap().is_some()
}

/// Whether it answers as no right store does that chooses the same everywhere.
pub(crate) fn errs(store: &dyn Target, board: &Script) -> bool {
    let others = ["right", "every-other-choice", "removal-eager", "expiry-latched"];
    let differs = |name: &str| {
        let right = named(name).unwrap().store;
        difference([store, &right], board, Some(Removal::Never)).unwrap().is_some()
    };
    others.into_iter().all(differs)
}

/// What a vector asks.
pub(crate) fn asked_by(vector: &Vector) -> Script {
    let Request::CreateContainer(container) = &vector.steps[0].request else { panic!("{}", vector.name) };
    let mut now_s = 0;
    let mut actions = Vec::new();
    for step in &vector.steps[1..] {
        if now_s < step.at_s {
            actions.push(Action::Wait(step.at_s - now_s));
            now_s = step.at_s;
        }
        actions
            .push(Action::Call(Call { request: step.request.clone(), conditions: step.conditions.clone() }));
    }
    Script { edition: vector.edition.unwrap_or_default(), container: container.clone(), actions }
}

/// Rows of actions of the scopes, most of them of one.
pub(crate) fn rows() -> impl Strategy<Value = Script> {
    let all = scopes();
    let count = all.len();
    let one = select((0..count).collect::<Vec<_>>());
    let places = prop::collection::vec((any::<Index>(), 0..6_usize, any::<Index>()), 1..9);
    (one, any::<Index>(), any::<Index>(), places).prop_map(move |(one, edition, container, places)| {
        let scope = &all[one];
        let row = places.into_iter().map(|(other, chance, place)| {
            let scope = if chance == 0 { &all[other.index(count)] } else { scope };
            scope.actions[place.index(scope.actions.len())].clone()
        });
        Script {
            edition: scope.editions[edition.index(scope.editions.len())],
            container: scope.containers[container.index(scope.containers.len())].clone(),
            actions: row.collect(),
        }
    })
}
