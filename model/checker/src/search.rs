//! Both searches over one machine, and what they say together.

use stateright::{Checker as _, HasDiscoveries, Model as _};

use super::book::{Kind, Marks};
use super::engine::{self, EVERY_SIGHT_IS_SEEN, Judged, Machine, NO_LAW_IS_BROKEN};
use super::report::{Checked, Property, PropertyResult};
use super::walk::{Walk, walk};

/// Who searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// stateright, and a walk of our own that must agree with it.
    Both,
    /// The walk alone, for whoever only looks for what is broken: every broken law adds states to stateright's.
    Walk,
}

/// Checks everything that the machine's book says.
pub(super) fn check<M: Machine>(by: By, name: &'static str, about: &'static str, machine: &M) -> Checked {
    let walk = walk(machine);
    let disagreement = match by {
        By::Both => disagreement(machine, &stateright(machine), &walk),
        By::Walk => None,
    };
    let properties = machine.book().properties().iter().enumerate();
    let properties = properties
        .map(|(index, property)| Property {
            kind: property.kind,
            section: property.section,
            clauses: property.clauses,
            sentence: property.sentence,
            outcome: outcome(machine, property.kind, &walk, index),
        })
        .collect();
    let Walk { states, steps, depth, .. } = walk;
    Checked { name, about, unique_states: states, steps, depth, properties, disagreement }
}

fn outcome<M: Machine>(machine: &M, kind: Kind, walk: &Walk<M>, index: usize) -> PropertyResult {
    let path = walk.paths.get(index).and_then(Option::as_ref);
    let trace = path.and_then(|(start, choices)| engine::told(machine, start, choices, index));
    match (kind, trace) {
        (Kind::Always, None) => PropertyResult::Held,
        (Kind::Always, Some(trace)) => PropertyResult::Violated(trace),
        (Kind::Sometimes, None) => PropertyResult::NotFound,
        (Kind::Sometimes, Some(trace)) => PropertyResult::Found(trace),
    }
}

/// What stateright says.
pub(super) struct Stateright {
    /// How many states there are.
    pub(super) unique_states: usize,
    /// How many steps it took.
    pub(super) steps: usize,
    /// Whether it discovered a state that a broken law leads to.
    broken: bool,
    /// Whether it discovered that every sight is seen.
    everything: bool,
    /// Which laws its steps broke, and which sights they showed.
    met: Marks,
}

/// The search that has the say.
pub(super) fn stateright<M: Machine>(machine: &M) -> Stateright {
    // No property has this name, so stateright goes on to the last state, whatever it discovers.
    let never = HasDiscoveries::AllOf(["nothing ends the search"].into());
    let checker = Judged::new(machine.clone()).checker().finish_when(never).spawn_bfs().join();
    let discoveries = checker.discoveries();
    // It counts the states in which a path may begin as well.
    let steps = checker.state_count().saturating_sub(machine.start().len());
    Stateright {
        unique_states: checker.unique_state_count(),
        steps,
        broken: discoveries.contains_key(NO_LAW_IS_BROKEN),
        everything: discoveries.contains_key(EVERY_SIGHT_IS_SEEN),
        met: checker.model().met(),
    }
}

fn disagreement<M: Machine>(machine: &M, stateright: &Stateright, walk: &Walk<M>) -> Option<String> {
    let (mut broken, mut everything) = (false, true);
    for (property, path) in machine.book().properties().iter().zip(&walk.paths) {
        let walked = path.is_some();
        if walked != (stateright.met & property.mark != 0) {
            return Some(format!("only one search met a step where {}: {walked}", property.sentence));
        }
        match property.kind {
            Kind::Always => broken |= walked,
            Kind::Sometimes => everything &= walked,
        }
    }
    if stateright.broken != broken {
        return Some(format!("only one search found a broken law, the walk: {broken}"));
    }
    // The other way round says too much: the last sight may be seen in a step from the last state.
    if stateright.everything && !everything {
        return Some("stateright saw every sight, the walk did not".to_string());
    }
    // stateright tells states apart by whether the last step broke a law.
    let unequal = !broken && stateright.unique_states != walk.states;
    unequal
        .then(|| format!("stateright counts {} states, the walk {}", stateright.unique_states, walk.states))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::container::{Container, Order};
    use crate::timeless::Cap;
    use cosmos_ttl_model::semantics::Shipped;

    #[test]
    fn searches_that_differ_in_a_count_a_law_or_a_sight_disagree() {
        let machine = Container::few(Arc::new(Shipped), 1, Cap::Longest(2), Order::Named);
        let (stateright, mut walk) = (stateright(&machine), walk(&machine));
        assert!(stateright.everything && !stateright.broken);
        assert_eq!(disagreement(&machine, &stateright, &walk), None);
        walk.states += 1;
        assert!(disagreement(&machine, &stateright, &walk).is_some_and(|said| said.contains("states")));
        walk.states -= 1;
        for index in 0..walk.paths.len() {
            let found = walk.paths[index].take();
            walk.paths[index] = if found.is_none() { walk.paths[1].clone() } else { None };
            let sentence = machine.book().properties()[index].sentence;
            assert!(disagreement(&machine, &stateright, &walk).is_some_and(|said| said.contains(sentence)));
            walk.paths[index] = found;
        }
    }
}
