//! The machine of two items that share a container, with lifetimes up to one second.
//!
//! A state is the container's `defaultTtl`, and of each item what a state of one item says of it. The model answers every
//! input in a world with both items and a witness: whatever one item does to the other shows as a wrong answer.
//!
//! An upsert that replaces an item may answer that it made one, as everywhere; so its status tells no states apart.

use std::collections::{BTreeMap, BTreeSet};

use cosmos_ttl_harness::target::{Edition, Operation, Request, Status};
use cosmos_ttl_model::choices::{OpenChoice, Preferences};
use cosmos_ttl_model::container::{self as model, ItemId, World};
use cosmos_ttl_model::rule::Ttl;
use cosmos_ttl_reference::Names;

use crate::input::{Alphabet, Input, InputNumber, PAIR, WITNESS};
use crate::machine::{
    self, AgedTtl, MachineAnswer, aged_item, aged_items, answered, has_wrong_ttl, preferences, require, ttls,
    world_of,
};
use crate::transitions::{StateNumber, Transitions};

/// The longest lifetime, in seconds: with longer ones there are more states than numbers.
pub(crate) const PAIR_LONGEST_S: u8 = 1;

const IDS: [ItemId; 2] = [ItemId(0), ItemId(1)];

/// The state of a container with two items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PairState {
    default_ttl: Option<Ttl>,
    items: [AgedTtl; 2],
}

impl PairState {
    fn of(world: &World) -> Self {
        let items = IDS.map(|id| aged_item(world, id, PAIR_LONGEST_S.into()));
        Self { default_ttl: world.settings.default_ttl, items }
    }

    fn world(&self, edition: Edition) -> World {
        world_of(edition, self.default_ttl, &self.items)
    }
}

/// The part of an answer about two items that a client compares.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PairAnswer {
    /// A query, and whether it has the first item and the second.
    Listed([bool; 2]),
    /// Any other answer.
    Other(MachineAnswer),
}

/// A transition, as a target with certain choices must make it.
#[derive(Clone, Debug)]
struct PairTransition {
    answers: Vec<PairAnswer>,
    next: StateNumber,
    /// The items that reappear or are gone for good (`reappearance`).
    fates: [bool; 2],
    is_sure: bool,
}

/// The machine of two items.
#[derive(Clone, Debug)]
pub struct PairMachine {
    /// The inputs.
    pub alphabet: Alphabet,
    /// The edition whose rules apply.
    pub edition: Edition,
    /// The choices of the target.
    pub choices: Preferences,
    /// For each opening the state of a new container.
    opened: Vec<StateNumber>,
    states: Vec<PairState>,
    /// For each state one row; `None` where the input means nothing or leaves the machine.
    rows: Vec<Vec<Option<PairTransition>>>,
}

impl PairMachine {
    /// Computes the machine.
    pub fn new(edition: Edition, choices: Preferences) -> Self {
        let alphabet = Alphabet::of_two(PAIR_LONGEST_S);
        let items = aged_items(PAIR_LONGEST_S);
        let pairs = || items.iter().flat_map(|one| items.iter().map(move |other| [*one, *other]));
        let states = ttls(PAIR_LONGEST_S)
            .flat_map(|default_ttl| pairs().map(move |items| PairState { default_ttl, items }))
            .collect();
        let (opened, rows) = (Vec::new(), Vec::new());
        let mut machine = Self { alphabet, edition, choices, opened, states, rows };
        machine.opened = machine::opened(&machine.alphabet, edition, choices, |world| {
            machine.number(&PairState::of(world))
        });
        let asked: Vec<_> = machine.alphabet.inputs.iter().map(|input| asked(edition, input)).collect();
        let row = |state: &PairState| {
            let inputs = machine.alphabet.inputs.iter().zip(&asked);
            inputs.map(|(input, asked)| machine.transition(state, input, asked.as_ref())).collect()
        };
        machine.rows = machine.states.iter().map(row).collect();
        machine
    }

    /// Returns the items whose fate shows after an input: a look decides it.
    pub(crate) fn fates(&self, state: StateNumber, input: InputNumber) -> [bool; 2] {
        self.row(state, input).map_or([false; 2], |transition| transition.fates)
    }

    fn row(&self, state: StateNumber, input: InputNumber) -> Option<&PairTransition> {
        self.rows.get(usize::from(state))?.get(usize::from(input))?.as_ref()
    }

    fn number(&self, state: &PairState) -> Option<StateNumber> {
        self.states.iter().position(|one| one == state).and_then(|number| u8::try_from(number).ok())
    }

    fn transition(
        &self,
        state: &PairState,
        input: &Input,
        asked: Option<&model::Request>,
    ) -> Option<PairTransition> {
        let stored = state.world(self.edition);
        let (Some(request), Some(asked)) = (&input.request, asked) else {
            let mut later = stored;
            later.wait(1);
            let next = self.number(&PairState::of(&later))?;
            return Some(PairTransition { answers: Vec::new(), next, fates: [false; 2], is_sure: true });
        };
        if !removes_what_is_there(request, state) {
            return None;
        }
        // With each expired item stored or removed.
        let mut worlds = vec![stored.clone()];
        for id in IDS {
            let mut removed = worlds.clone();
            removed.retain_mut(|world| world.remove(id));
            worlds.extend(removed);
        }
        let emptied = worlds.last().unwrap_or(&stored);
        let mut all: BTreeMap<Option<(StateNumber, [bool; 2])>, BTreeSet<PairAnswer>> = BTreeMap::new();
        let mut usual = None;
        for preferences in preferences(self.choices, request, &input.conditions) {
            let step = |world: &World| answered(world, preferences, asked);
            let (after, _) = step(&stored);
            let next = if has_wrong_ttl(&after) { None } else { self.next(&after, &step(emptied).0) };
            if preferences == self.choices {
                usual = next;
            }
            let answers = all.entry(next).or_default();
            for world in &worlds {
                answers.extend(allowed(request, &step(world).1));
            }
        }
        let outside = all.get(&None).cloned().unwrap_or_default();
        let answers: Vec<_> = all.get(&usual)?.difference(&outside).cloned().collect();
        let (next, fates) = usual.filter(|_| !answers.is_empty())?;
        Some(PairTransition { answers, next, fates, is_sure: all.len() == 1 && fates == [false; 2] })
    }

    /// The next state, and the items that would be gone if they had been removed before.
    fn next(&self, stored: &World, emptied: &World) -> Option<(StateNumber, [bool; 2])> {
        let fates = IDS.map(|id| stored.visible(id).is_some() && !emptied.items.contains_key(&id));
        let mut after = PairState::of(stored);
        for (item, fate) in after.items.iter_mut().zip(fates) {
            *item = item.filter(|_| !(fate && self.choices.has(OpenChoice::ExpiredIsGone)));
        }
        Some((self.number(&after)?, fates))
    }
}

impl Transitions for PairMachine {
    type Answer = PairAnswer;

    fn state_count(&self) -> usize {
        self.states.len()
    }

    fn input_count(&self) -> usize {
        self.alphabet.inputs.len()
    }

    fn core(&self) -> usize {
        self.alphabet.core
    }

    fn opened(&self) -> &[StateNumber] {
        &self.opened
    }

    fn step(&self, state: StateNumber, input: InputNumber) -> Option<(&[PairAnswer], StateNumber)> {
        self.row(state, input).map(|transition| (transition.answers.as_slice(), transition.next))
    }

    fn is_sure(&self, state: StateNumber, input: InputNumber) -> bool {
        self.row(state, input).is_some_and(|transition| transition.is_sure)
    }

    fn is_shared(&self, input: InputNumber) -> bool {
        self.alphabet.is_shared(input)
    }
}

/// The request of the model, if it is one.
fn asked(edition: Edition, input: &Input) -> Option<model::Request> {
    let [first, second] = PAIR;
    let empty = world_of(edition, None, &[None; 2]);
    let mut asked =
        Names::of(&[first, second, WITNESS].map(Into::into)).request(&empty, input.request.as_ref()?);
    require(&mut asked, &input.conditions);
    Some(asked)
}

/// The answers that a response of the model stands for.
fn allowed(request: &Request, response: &model::Response) -> Vec<PairAnswer> {
    if let model::Response::Ids(ids) = response {
        return vec![PairAnswer::Listed(IDS.map(|id| ids.contains(&id)))];
    }
    let answer = MachineAnswer::of(response);
    let upserts = |one: Option<&Operation>| matches!(one, Some(Operation::Upsert(_)));
    let operations = request.operations();
    let mut all = vec![answer.clone()];
    match answer {
        MachineAnswer::Status(Status::Ok) if upserts(operations.first()) => {
            all.push(MachineAnswer::Status(Status::Created));
        }
        MachineAnswer::Committed(_) => {
            for (at, _) in operations.iter().enumerate().filter(|(_, one)| upserts(Some(one))) {
                let made = |answer: &MachineAnswer| {
                    let MachineAnswer::Committed(statuses) = answer else { return None };
                    let mut statuses = statuses.clone();
                    *statuses.get_mut(at)? = Status::Created;
                    Some(MachineAnswer::Committed(statuses))
                };
                let more: Vec<_> = all.iter().filter_map(made).collect();
                all.extend(more);
            }
        }
        _ => {}
    }
    all.into_iter().map(PairAnswer::Other).collect()
}

/// Whether each patch that takes `ttl` away finds one, or no item. The judge does not know if an expired item has one.
fn removes_what_is_there(request: &Request, state: &PairState) -> bool {
    let removes = |one: &Operation| matches!(one, Operation::Patch(patch, _) if !patch.remove.is_empty());
    let has_none = |one: &Operation| {
        let mut items = PAIR.into_iter().zip(state.items);
        items.any(|(id, item)| id == one.id() && matches!(item, Some((None, _))))
    };
    !request.operations().iter().any(|one| removes(one) && has_none(one))
}
