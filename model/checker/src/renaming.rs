//! Items under other names.
//!
//! Items that are created alike are alike, whatever they are called. So worlds that differ only in which item has which
//! number need to be looked at once. A move of one is a move of the other after the same renaming.

use super::age_abstraction::{MAX_ITEMS, kept_content, kept_etag};
use super::requests::{named_mut, with_operations};
use super::step::ModelAction;
use cosmos_ttl_model::container::{Content, Etag, ItemId};

/// A new name for each item, no two the same, in the order of the old ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Renaming(pub(super) [ItemId; MAX_ITEMS]);

impl Renaming {
    fn id(&self, id: ItemId) -> ItemId {
        usize::try_from(id.0).ok().and_then(|index| self.0.get(index)).copied().unwrap_or(id)
    }

    /// The etag of an item under its new name; one of no stored item as it is.
    fn etag(&self, etag: Etag) -> Etag {
        kept_etag(self.id(ItemId(etag.0)))
    }

    fn content(&self, content: Content) -> Content {
        kept_content(self.id(ItemId(content.0)))
    }

    /// Renames the items that somebody speaks of.
    pub(super) fn action(&self, action: &ModelAction) -> ModelAction {
        match action {
            ModelAction::Ask(request) => ModelAction::Ask(with_operations(request, |operation| {
                let (id, content, etag) = named_mut(operation);
                *id = self.id(*id);
                if let Some(content) = content {
                    *content = self.content(*content);
                }
                if let Some(etag) = etag {
                    *etag = self.etag(*etag);
                }
            })),
            ModelAction::Remove(id) => ModelAction::Remove(self.id(*id)),
            other => other.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::*;
    use crate::ablation;
    use crate::age_abstraction::{AgeCap, AgedWorld};
    use crate::container::ContainerSystem;
    use crate::property_set::PropertyKind;
    use crate::report::CheckedModel;
    use crate::requests::with_items;
    use crate::search::{self, SearchBy};
    use crate::step::WorldStep;
    use crate::transition_system::{ItemOrder, SystemState, TransitionSystem as _};
    use cosmos_ttl_model::container::{Item, Response};
    use cosmos_ttl_model::semantics::{Semantics, Shipped};

    /// Worlds that are told apart by names and by all ages, pair those that [`CheckScope::Large`](crate::CheckScope) walks.
    struct NamedAndSorted {
        named: ContainerSystem,
        sorted: ContainerSystem,
        cap: AgeCap,
    }

    impl NamedAndSorted {
        fn new(semantics: &Arc<dyn Semantics>, items: u32, longest: u8) -> Self {
            let cap = AgeCap::Outliving(longest);
            let system = |cap, order| ContainerSystem::few(semantics, items, cap, order);
            let named = system(AgeCap::Longest(longest), ItemOrder::Named);
            Self { named, sorted: system(cap, ItemOrder::Sorted), cap }
        }

        /// The world with the ages that the sorted worlds tell apart.
        fn capped(&self, state: AgedWorld) -> AgedWorld {
            AgedWorld::of(&state.world(), self.cap)
        }

        /// An answer of a named world, with such ages.
        fn answer(&self, response: &Response) -> Response {
            let item = |item: &Item| {
                let age = self.cap.capped(item.ttl, item.ts.saturating_neg());
                Item { ts: age.saturating_neg(), ..*item }
            };
            with_items(response, &item)
        }

        /// Follows every move of a named world and the same move of the sorted world in its place.
        fn moves_agree(&self, state: AgedWorld) {
            let (place, order) = (self.capped(state).sorted(), Renaming(self.capped(state).order()));
            let moves = self.named.actions(&SystemState { world: state, extra: () });
            let choices = self.sorted.actions(&SystemState { world: place, extra: () });
            let renamed: Vec<ModelAction> = choices.iter().map(|one| order.action(one)).collect();
            assert!(renamed.len() == moves.len() && moves.iter().all(|one| renamed.contains(one)));
            for (choice, renamed) in choices.iter().zip(&renamed) {
                match (taken(&self.named, state, renamed), taken(&self.sorted, place, choice)) {
                    (None, None) => {}
                    (Some((step, next)), Some((sorted_step, sorted_next))) => {
                        assert_eq!(self.capped(next).sorted(), sorted_next, "{state:?} {renamed:?}");
                        let answer = step.answer.map(|answer| self.answer(&answer));
                        let sorted_answer = sorted_step.answer.map(|answer| renamed_answer(&order, &answer));
                        assert_eq!(answer, sorted_answer, "{state:?} {renamed:?}");
                    }
                    _ => panic!("{state:?} {renamed:?}"),
                }
            }
        }

        fn checked(&self) -> [CheckedModel; 2] {
            [&self.named, &self.sorted].map(|system| search::check(SearchBy::Walk, "", "", system))
        }
    }

    /// Renames the items that an answer tells of.
    fn renamed_answer(names: &Renaming, response: &Response) -> Response {
        let item =
            |item: &Item| Item { etag: names.etag(item.etag), content: names.content(item.content), ..*item };
        match response {
            Response::Ids(ids) => {
                let mut ids: Vec<_> = ids.iter().map(|id| names.id(*id)).collect();
                ids.sort_unstable();
                Response::Ids(ids)
            }
            other => with_items(other, &item),
        }
    }

    fn taken(
        system: &ContainerSystem,
        world: AgedWorld,
        choice: &ModelAction,
    ) -> Option<(WorldStep, AgedWorld)> {
        let state = SystemState { world, extra: () };
        let (step, next) = system.take(&system.prepare(&state), choice.clone())?;
        Some((step, system.bounds().place(next).world))
    }

    fn reached(system: &ContainerSystem) -> BTreeSet<AgedWorld> {
        search::explore(system, |_, _, _, _| {}).into_iter().map(|node| node.state.world).collect()
    }

    fn verdicts(checked: &CheckedModel) -> Vec<(&'static str, bool)> {
        let properties = checked.properties.iter();
        properties.map(|property| (property.sentence, property.result.is_good())).collect()
    }

    fn laws(checked: &CheckedModel) -> Vec<(&'static str, bool)> {
        let laws = checked.properties.iter().filter(|property| property.kind == PropertyKind::Always);
        laws.map(|law| (law.sentence, law.result.is_good())).collect()
    }

    /// Takes bounds; the expected numbers of named and of sorted worlds.
    #[track_caller]
    fn check(items: u32, longest: u8, expected: (usize, usize)) {
        let pair = NamedAndSorted::new(&(Arc::new(Shipped) as _), items, longest);
        let (named, sorted) = (reached(&pair.named), reached(&pair.sorted));
        assert_eq!((named.len(), sorted.len()), expected);
        let places: BTreeSet<AgedWorld> = named.iter().map(|state| pair.capped(*state).sorted()).collect();
        assert_eq!(places, sorted);
        for state in named {
            pair.moves_agree(state);
        }
        let [named, sorted] = pair.checked();
        assert!(named.holds() && sorted.holds(), "{:?}", verdicts(&sorted));
        assert_eq!(verdicts(&named), verdicts(&sorted));
    }

    #[test]
    fn sorted_worlds_do_what_named_ones_do() {
        check(1, 2, (52, 44));
        check(2, 2, (676, 264));
        check(3, 2, (8788, 1144));
    }

    /// Sights differ in two of them: the clauses that are missing let items expire otherwise than their ages are capped.
    #[test]
    fn sorted_worlds_break_the_laws_that_named_ones_break() {
        for one in ablation::all() {
            let [named, sorted] = NamedAndSorted::new(&(Arc::new(*one) as _), 2, 2).checked();
            assert_eq!(laws(&named), laws(&sorted), "{}", one.clause);
        }
    }

    #[test]
    fn a_path_of_sorted_worlds_is_told_with_one_name_for_each_item() {
        let NamedAndSorted { sorted, .. } = NamedAndSorted::new(&(Arc::new(Shipped) as _), 3, 2);
        let mut named = sorted.start()[0];
        let mut renamed = false;
        for count in 0..40 {
            let place = sorted.bounds().place(named);
            let moves = sorted.actions(&place);
            // Any path will do that meets every kind of move.
            let mut turned = moves.iter().cycle().skip(count * 7).take(moves.len());
            let (choice, next) =
                turned.find_map(|choice| Some((choice, taken(&sorted, place.world, choice)?.1))).unwrap();
            let same = sorted.bounds().named(&named, choice);
            renamed |= same != *choice;
            named = sorted.take(&sorted.prepare(&named), same).unwrap().1;
            assert_eq!(named.world.sorted(), next);
        }
        assert!(renamed);
    }
}
