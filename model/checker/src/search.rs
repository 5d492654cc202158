//! Both searches over one transition system, and what they say together.

use super::property_set::PropertyKind;
use super::report::{CheckedModel, CheckedProperty, PropertyResult};
use super::stateright::{self, StaterightResult};
use super::transition_system::{TransitionSystem, trace};
use super::walk::{WalkResult, walk};

/// Who searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchBy {
    /// stateright, and a walk of our own that must agree with it.
    Both,
    /// The walk alone, for callers that only look for what is broken: every broken property adds states to stateright's.
    Walk,
}

/// Checks everything that the system's book says.
pub(super) fn check<T: TransitionSystem>(
    by: SearchBy,
    name: &'static str,
    about: &'static str,
    system: &T,
) -> CheckedModel {
    let walk = walk(system);
    let disagreement = match by {
        SearchBy::Both => disagreement(system, &stateright::search(system), &walk),
        SearchBy::Walk => None,
    };
    let properties = system.properties().iter().enumerate();
    let properties = properties
        .map(|(index, property)| CheckedProperty {
            kind: property.kind,
            section: property.section,
            clauses: property.clauses,
            sentence: property.sentence,
            result: result(system, property.kind, &walk, index),
        })
        .collect();
    let WalkResult { states, steps, depth, .. } = walk;
    CheckedModel { name, about, unique_states: states, steps, depth, properties, disagreement }
}

fn result<T: TransitionSystem>(
    system: &T,
    kind: PropertyKind,
    walk: &WalkResult<T>,
    index: usize,
) -> PropertyResult {
    let path = walk.paths.get(index).and_then(Option::as_ref);
    let trace = path.and_then(|(start, actions)| trace(system, start, actions, index));
    match (kind, trace) {
        (PropertyKind::Always, None) => PropertyResult::Held,
        (PropertyKind::Always, Some(trace)) => PropertyResult::Violated(trace),
        (PropertyKind::Sometimes, None) => PropertyResult::NotFound,
        (PropertyKind::Sometimes, Some(trace)) => PropertyResult::Found(trace),
    }
}

fn disagreement<T: TransitionSystem>(
    system: &T,
    stateright: &StaterightResult,
    walk: &WalkResult<T>,
) -> Option<String> {
    let (mut broken, mut everything) = (false, true);
    for (property, path) in system.properties().iter().zip(&walk.paths) {
        let walked = path.is_some();
        if walked != (stateright.met & property.mark != 0) {
            return Some(format!("only one search met a step where {}: {walked}", property.sentence));
        }
        match property.kind {
            PropertyKind::Always => broken |= walked,
            PropertyKind::Sometimes => everything &= walked,
        }
    }
    if stateright.broken != broken {
        return Some(format!("only one search found a broken law, the walk: {broken}"));
    }
    // The other way round says too much: the last *sometimes* may be seen in a step from the last state.
    if stateright.everything && !everything {
        return Some("stateright saw every sight, the walk did not".to_string());
    }
    // stateright tells states apart by whether the last step broke something.
    let unequal = !broken && stateright.unique_states != walk.states;
    unequal
        .then(|| format!("stateright counts {} states, the walk {}", stateright.unique_states, walk.states))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::age_abstraction::AgeCap;
    use crate::container::ContainerSystem;
    use crate::shipped;
    use crate::transition_system::ItemOrder;

    #[test]
    fn searches_that_differ_in_a_count_or_a_property_disagree() {
        let system = ContainerSystem::few(&shipped(), 1, AgeCap::Longest(2), ItemOrder::Named);
        let (stateright, mut walk) = (stateright::search(&system), walk(&system));
        assert!(stateright.everything && !stateright.broken);
        assert_eq!(disagreement(&system, &stateright, &walk), None);
        walk.states += 1;
        assert!(disagreement(&system, &stateright, &walk).is_some_and(|text| text.contains("states")));
        walk.states -= 1;
        for index in 0..walk.paths.len() {
            let found = walk.paths[index].take();
            walk.paths[index] = if found.is_none() { walk.paths[1].clone() } else { None };
            let sentence = system.properties()[index].sentence;
            assert!(disagreement(&system, &stateright, &walk).is_some_and(|text| text.contains(sentence)));
            walk.paths[index] = found;
        }
    }
}
