//! What must hold of a container, in words and as code, in tables with the sections of `vectors/clauses.yaml`.
//!
//! An *always* is stated of a [`WorldStep`]: what was stored, what somebody did, what they were told, what is stored now.
//! Each comes with a *sometimes*: a step that must be reachable, so that the first does not hold for want of occasion.

mod domain;
mod life;
mod requests;
mod settings;

use super::property_set::{PropertySet, StatementSection};
use super::step::WorldStep;
use cosmos_ttl_model::container::Rules;

const LIFETIME: [StatementSection<WorldStep>; 2] =
    [("lifetime", WorldStep::looks, life::MATRIX), ("lifetime", |_| true, life::LIFETIME)];
const CLOCK: [StatementSection<WorldStep>; 2] =
    [("clock", WorldStep::looks, life::DEADLINE), ("clock", |_| true, life::CLOCK)];
const PURGE: [StatementSection<WorldStep>; 3] = [
    ("purge", WorldStep::is_unasked, life::REMOVAL),
    ("purge", |_| true, life::DELETES),
    ("purge", WorldStep::is_unasked, life::REMOVAL_WAITS),
];
const SETTINGS: [StatementSection<WorldStep>; 2] =
    [("settings", WorldStep::configures, settings::SETTINGS), ("settings", |_| true, settings::STORED_AGAIN)];

/// Everything that can be said of a container that is indexed as usual.
pub(super) fn of_container(rules: Rules) -> PropertySet<WorldStep> {
    let domain: [StatementSection<WorldStep>; 1] = [("domain", |_| true, domain::DOMAIN)];
    let requests: [StatementSection<WorldStep>; 2] =
        [("writes", |_| true, requests::WRITES), ("expired", |_| true, requests::EXPIRED)];
    let open: [StatementSection<WorldStep>; 2] =
        [("expired", |_| true, domain::OPEN_ANSWERS), ("domain", |_| true, domain::OPEN_VALUES)];
    let sections = [&domain[..], &LIFETIME, &CLOCK, &requests, &PURGE, &SETTINGS, &open].concat();
    PropertySet::new(rules, &sections)
}

/// What can be said of it with only the requests that change most.
pub(super) fn of_large_container() -> PropertySet<WorldStep> {
    PropertySet::new(Rules::default(), &[&LIFETIME[..], &CLOCK, &PURGE, &SETTINGS].concat())
}

/// What can be said of indexing modes.
pub(super) fn of_indexing(rules: Rules) -> PropertySet<WorldStep> {
    PropertySet::new(rules, &[("indexing", |_| true, settings::INDEXING)])
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::ablation;
    use crate::age_abstraction::AgeCap;
    use crate::container::ContainerSystem;
    use crate::property_set::PropertyKind;
    use crate::transition_system::{ItemOrder, TransitionSystem as _};
    use cosmos_ttl_model::semantics::{Semantics, Shipped};

    /// Asks each property of each step, whatever its occasion, and expects the judgement of the set.
    fn occasions_change_nothing(system: &ContainerSystem) {
        system.each_step(|_, step, _| {
            let (mut broken, mut seen) = (0, 0);
            for property in system.properties() {
                match (property.kind, (property.holds)(&step)) {
                    (PropertyKind::Always, false) => broken |= property.mark,
                    (PropertyKind::Sometimes, true) => seen |= property.mark,
                    (PropertyKind::Always, true) | (PropertyKind::Sometimes, false) => {}
                }
            }
            assert_eq!(system.bounds().properties.judge(&step), (broken, seen), "{step:?}");
        });
    }

    #[test]
    fn no_property_is_missed_for_want_of_its_occasion() {
        let wrong = ablation::all().map(|one| Arc::new(*one) as Arc<dyn Semantics>);
        for semantics in wrong.chain([Arc::new(Shipped) as _]) {
            let cap = AgeCap::Longest(2);
            occasions_change_nothing(&ContainerSystem::few(&semantics, 2, cap, ItemOrder::Named));
            occasions_change_nothing(&ContainerSystem::every(&semantics, Rules::default(), 1, cap));
        }
    }
}
