//! The two reductions that make worlds few, checked against worlds without them.
//!
//! Worlds are told apart by ages that saturate, not by instants; and items, where there are many, by their settings and
//! ages, not by their names. [`bounds`](crate::bounds) says what follows from it.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

pub use super::age_abstraction::AgeCap;
pub use super::concrete_time::ClockBounds;
pub use super::stateright::StateCount;
pub use super::transition_system::ItemOrder;

use super::concrete_time::ConcreteTime;
use super::container::ContainerSystem;
use super::report::CheckedModel;
use super::requests::{Renaming, with_items};
use super::search::{self, SearchBy};
use super::transition_system::{StateOf, SystemState, TransitionSystem as _};
use super::{shipped, stateright};
use cosmos_ttl_model::container::{Item, Response};
use cosmos_ttl_model::semantics::Semantics;

/// Checks worlds with a real clock, each step together with the world of ages, capped so, that stands for it.
pub fn check_ages(clock: ClockBounds, cap: AgeCap) -> CheckedModel {
    let system = ConcreteTime::new(&shipped(), clock, cap);
    search::check(SearchBy::Both, "ages", "worlds with a clock", &system)
}

/// Checks items that settings and ages tell apart, and perhaps names, with the requests that change most.
pub fn check_items(semantics: impl Semantics, items: u32, longest_s: u8, order: ItemOrder) -> CheckedModel {
    let system = ContainerSystem::few(&(Arc::new(semantics) as _), items, longest_s, order);
    search::check(SearchBy::Walk, "items", "the requests that change most", &system)
}

/// Counts the states of the same, of the shipped model, by stateright alone.
pub fn count_items(items: u32, longest_s: u8, order: ItemOrder) -> StateCount {
    stateright::search(&ContainerSystem::few(&shipped(), items, longest_s, order)).count
}

/// Compares every move of named items with the same move of the sorted items in their place.
///
/// Returns how many of the moves have another name there.
///
/// # Errors
///
/// If a move is not the same there: which one.
pub fn compare_moves(items: u32, longest_s: u8) -> Result<usize, String> {
    let [named, sorted] = [ItemOrder::Named, ItemOrder::Sorted]
        .map(|order| ContainerSystem::few(&shipped(), items, longest_s, order));
    // The state with the ages that the sorted ones tell apart.
    let capped = |state: StateOf<ContainerSystem>| {
        let world = sorted.bounds().aged(&state.world.world());
        SystemState { world, ..state }
    };
    let place = |state| sorted.bounds().place(capped(state));
    let mut places = HashSet::new();
    let mut other_names = 0;
    for node in search::explore(&named, |_, _, _, _| {}) {
        let (state, in_place) = (capped(node.state), place(node.state));
        places.insert(in_place);
        let (prepared, prepared_place) = (named.prepare(&node.state), sorted.prepare(&in_place));
        let (moves, moves_in_place) = (named.actions(&node.state), sorted.actions(&in_place));
        let renaming = Renaming(state.world.order());
        if moves.len() != moves_in_place.len() {
            return Err(format!("{in_place:?} has more moves or fewer"));
        }
        for sorted_move in moves_in_place {
            let named_move = sorted.bounds().named(&state, &sorted_move);
            other_names += usize::from(named_move != sorted_move);
            let in_words = format!("{:?} {named_move:?}", node.state);
            let taken = moves.contains(&named_move).then(|| named.take(&prepared, named_move));
            let same = match (taken, sorted.take(&prepared_place, sorted_move)) {
                (Some(None), None) => true,
                (Some(Some((step, next))), Some((sorted_step, sorted_next))) => {
                    let aged = |item: &Item| {
                        let age = sorted.bounds().cap.capped(item.ttl, -item.ts);
                        Item { ts: -age, ..*item }
                    };
                    let answer = step.answer.map(|answer| with_items(&answer, &aged));
                    let expected = sorted_step.answer.map(|answer| renamed_answer(&renaming, answer));
                    place(next) == place(sorted_next) && answer == expected
                }
                _ => false,
            };
            if !same {
                return Err(in_words);
            }
        }
    }
    let reached: HashSet<_> =
        search::explore(&sorted, |_, _, _, _| {}).into_iter().map(|node| node.state).collect();
    if places == reached { Ok(other_names) } else { Err("other worlds are reached".to_string()) }
}

/// Renames the items that an answer tells of.
fn renamed_answer(renaming: &Renaming, response: Response) -> Response {
    match response {
        Response::Ids(ids) => {
            let ids: BTreeSet<_> = ids.into_iter().map(|id| renaming.id(id)).collect();
            Response::Ids(ids.into_iter().collect())
        }
        other => with_items(&other, &|item| {
            let (etag, content) = (renaming.etag(item.etag), renaming.content(item.content));
            Item { etag, content, ..*item }
        }),
    }
}
