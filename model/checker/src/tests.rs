//! Tests of what no caller of this crate can see.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::*;
use crate::stateright::{self, JudgedSystem};
use age_abstraction::NEW;
use client::Client;
use cosmos_ttl_model::container::{Draft, Item, ItemId, Operation, Request, Response};
use cosmos_ttl_model::rule::Wire;
use report::CheckedModel;
use requests::{Renaming, consistent_settings, indexings, with_items};
use search::explore;
use transition_system::{StateOf, SystemState, TransitionSystem as _};

#[test]
fn the_worlds_of_all_views_are_the_states_that_stateright_walks() {
    let client = Client::new(1, 2);
    let worlds: BTreeSet<_> = client.walk().into_iter().flat_map(|view| view.0).collect();
    assert_eq!(worlds.len(), stateright::search(&client.system).count.states);
}

/// The other readings let a batch with a `ttl` of 0 commit while the container is off, hence a few more worlds.
#[test]
fn one_cap_for_all_ages_loses_nothing_and_neither_does_each_items_own_ttl() {
    let (usual, other) = (Rules::default(), other_readings());
    let (consistent, indexings) = (consistent_settings(2), indexings(2));
    for cap in [AgeCap::Longest(2), AgeCap::Own(2)] {
        for (items, rules, openings, clock, expected) in [
            (1, usual, &consistent, (5, 3), (2202, 78_909)),
            (2, usual, &consistent, (4, 3), (15_912, 131_565)),
            (1, usual, &indexings, (4, 3), (5142, 206_551)),
            (1, other, &indexings, (4, 3), (5202, 206_606)),
        ] {
            let system = ConcreteTime::new(&shipped(), rules, (items, cap), openings.clone(), clock);
            let checked = search::check(SearchBy::Both, "", "", &system);
            assert!(checked.holds(), "{:?}", checked.properties);
            assert_eq!((checked.unique_states, checked.steps), expected);
        }
    }
}

#[test]
fn a_cap_below_the_longest_lifetime_loses_something() {
    let (bounds, openings) = ((1, AgeCap::Longest(2)), consistent_settings(2));
    let mut system = ConcreteTime::new(&shipped(), Rules::default(), bounds, openings, (4, 2));
    system.bounds.cap = AgeCap::Longest(1);
    assert!(!search::check(SearchBy::Both, "", "", &system).holds());
}

/// Worlds told apart by names and by all ages, and those that [`CheckScope::Large`] walks.
fn named_and_sorted(semantics: &Arc<dyn Semantics>, items: u32, longest: u8) -> [ContainerSystem; 2] {
    [(AgeCap::Longest(longest), ItemOrder::Named), (AgeCap::Outliving(longest), ItemOrder::Sorted)]
        .map(|(cap, order)| ContainerSystem::few(semantics, items, cap, order))
}

/// The state with the ages that a system tells apart.
fn capped(system: &ContainerSystem, state: StateOf<ContainerSystem>) -> StateOf<ContainerSystem> {
    SystemState { world: system.bounds().aged(&state.world.world()), ..state }
}

/// Follows every move of a named world and the same move of the sorted world in its place.
fn moves_agree(named: &ContainerSystem, sorted: &ContainerSystem, state: StateOf<ContainerSystem>) {
    let place = |state| sorted.bounds().place(capped(sorted, state));
    let renaming = Renaming(capped(sorted, state).world.order());
    let (prepared, sorted_prepared) = (named.prepare(&state), sorted.prepare(&place(state)));
    let (moves, sorted_moves) = (named.actions(&state), sorted.actions(&place(state)));
    assert_eq!(moves.len(), sorted_moves.len());
    for sorted_move in sorted_moves {
        let renamed = renaming.action(&sorted_move);
        assert!(moves.contains(&renamed));
        let told = format!("{state:?} {renamed:?}");
        match (named.take(&prepared, renamed), sorted.take(&sorted_prepared, sorted_move)) {
            (None, None) => {}
            (Some((step, next)), Some((sorted_step, sorted_next))) => {
                assert_eq!(place(next), place(sorted_next), "{told}");
                let aged = |item: &Item| {
                    let age = sorted.bounds().cap.capped(item.ttl, -item.ts);
                    Item { ts: -age, ..*item }
                };
                let answer = step.answer.map(|answer| with_items(&answer, &aged));
                assert_eq!(
                    answer,
                    sorted_step.answer.map(|answer| renamed_answer(&renaming, &answer)),
                    "{told}"
                );
            }
            _ => panic!("{told}"),
        }
    }
}

/// Renames the items that an answer tells of.
fn renamed_answer(renaming: &Renaming, response: &Response) -> Response {
    match response {
        Response::Ids(ids) => Response::Ids(
            ids.iter().map(|id| renaming.id(*id)).collect::<BTreeSet<_>>().into_iter().collect(),
        ),
        other => with_items(other, &|item| {
            let (etag, content) = (renaming.etag(item.etag), renaming.content(item.content));
            Item { etag, content, ..*item }
        }),
    }
}

fn checked(system: &ContainerSystem) -> CheckedModel {
    search::check(SearchBy::Walk, "", "", system)
}

fn verdicts(checked: &CheckedModel) -> Vec<(PropertyKind, &'static str, bool)> {
    checked.properties.iter().map(|one| (one.kind, one.sentence, one.result.is_good())).collect()
}

#[test]
fn sorted_worlds_do_what_named_ones_do() {
    for (items, expected) in [(1, (52, 44)), (2, (676, 264)), (3, (8788, 1144))] {
        let [named, sorted] = named_and_sorted(&shipped(), items, 2);
        let [states, sorted_states] = [&named, &sorted].map(|system| explore(system, |_, _, _, _| {}));
        assert_eq!((states.len(), sorted_states.len()), expected);
        let place = |state| sorted.bounds().place(capped(&sorted, state)).world;
        let places: BTreeSet<_> = states.iter().map(|node| place(node.state)).collect();
        assert_eq!(places, sorted_states.iter().map(|node| node.state.world).collect());
        for node in states {
            moves_agree(&named, &sorted, node.state);
        }
        let [named, sorted] = [named, sorted].map(|system| checked(&system));
        assert!(named.holds() && sorted.holds(), "{:?}", verdicts(&sorted));
        assert_eq!(verdicts(&named), verdicts(&sorted));
    }
}

/// Sights differ in two of them: the clauses that are missing let items expire otherwise than their ages are capped.
#[test]
fn sorted_worlds_break_the_laws_that_named_ones_break() {
    for one in ablation::all() {
        let [named, sorted] = named_and_sorted(&(Arc::new(*one) as _), 2, 2).map(|system| {
            let mut laws = verdicts(&checked(&system));
            laws.retain(|(kind, ..)| *kind == PropertyKind::Always);
            laws
        });
        assert_eq!(named, sorted, "{}", one.clause);
    }
}

#[test]
fn a_path_of_sorted_worlds_is_told_with_one_name_for_each_item() {
    let [_, sorted] = named_and_sorted(&shipped(), 3, 2);
    let mut named = sorted.start()[0];
    let mut renamed = false;
    for count in 0..40 {
        let place = sorted.bounds().place(named);
        let (prepared, moves) = (sorted.prepare(&place), sorted.actions(&place));
        // Any path will do that meets every kind of move.
        let mut turned = moves.iter().cycle().skip(count * 7).take(moves.len());
        let taken = |choice: &ModelAction| Some((choice.clone(), sorted.take(&prepared, choice.clone())?.1));
        let (choice, next) = turned.find_map(taken).unwrap();
        let same = sorted.bounds().named(&named, &choice);
        renamed |= same != choice;
        named = sorted.take(&sorted.prepare(&named), same).unwrap().1;
        assert_eq!(sorted.bounds().place(named), sorted.bounds().place(next));
    }
    assert!(renamed);
}

const ITEM: ItemId = ItemId(0);

fn create() -> ModelAction {
    let draft = Draft { id: ITEM, ttl: Wire::Absent, content: NEW };
    ModelAction::Ask(Request::Item(Operation::Create(draft)))
}

/// Takes actions from a container with a default of 1 s; the last step and state as a person reads them.
fn told(semantics: &Arc<dyn Semantics>, actions: &[ModelAction]) -> (String, String) {
    let system = ContainerSystem::every(semantics, Rules::default(), 1, AgeCap::Longest(2));
    let events = |events: &[TraceEvent]| vec![format!("{} events", events.len())];
    let model = JudgedSystem::new(system, Some(ExplorerLabels { action: |_| String::new(), events }));
    let mut state = model.init_states()[2].clone();
    let mut step = None;
    for action in actions {
        step = model.format_step(&state, action.clone());
        state = model.next_state(&state, action.clone()).unwrap();
    }
    let mut met = model.system.properties().iter().zip(&model.met);
    let broken = met.any(|(one, met)| one.kind == PropertyKind::Always && met.load(Ordering::Relaxed));
    assert_eq!(state.broken, broken);
    (step.unwrap(), format!("{state:?}"))
}

#[test]
fn a_step_is_told_with_the_state_that_it_leads_to() {
    let removed = [create(), ModelAction::Pass, ModelAction::Remove(ITEM)];
    for (actions, expected) in [
        (&[ModelAction::Pass][..], "defaultTtl 1; nothing is stored"),
        (&removed[..1], "defaultTtl 1; a: no ttl, 0 s old"),
        (&removed[..2], "defaultTtl 1; a: no ttl, 1 s old"),
        (&removed, "defaultTtl 1; nothing is stored"),
    ] {
        let told = told(&shipped(), actions);
        assert_eq!(told, (format!("1 events\n{expected}"), expected.to_string()));
    }
}

#[test]
fn a_step_that_breaks_a_property_says_which() {
    let wrong = ablation::all().find(|one| one.clause == "expired-read-not-found").unwrap();
    let read = ModelAction::Ask(Request::Item(Operation::Read(ITEM)));
    let (step, state) = told(&(Arc::new(*wrong) as _), &[create(), ModelAction::Pass, read]);
    assert_eq!(state, "BROKEN by the last step; defaultTtl 1; a: no ttl, 1 s old");
    assert!(step.contains("\nBROKEN: a read of an item that is gone answers not found"), "{step}");
}
