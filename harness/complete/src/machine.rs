//! The machine of one item: its states as a client tells them apart, and what the model answers in each.
//!
//! A state is the container's `defaultTtl`, the item's `ttl` and its age, which is capped where nothing changes any more;
//! the checker proves that cap. An expired item is one state, stored or removed: where settings change so that it would
//! be visible, a look decides its fate. Every answer is computed by the model, under each choice that matters.

use std::collections::BTreeMap;

use cosmos_ttl_harness::literal::LiteralKind;
use cosmos_ttl_harness::target::{Edition, Operation, Request, Status};
use cosmos_ttl_harness::vector::Condition;
use cosmos_ttl_model::choices::{OpenChoice, Preferences};
use cosmos_ttl_model::container::{
    self as model, Content, Etag, Index, Indexing, Item, ItemId, Settings, World,
};
use cosmos_ttl_model::rule::Ttl;
use cosmos_ttl_reference::translate::count;
use cosmos_ttl_reference::{Names, edition, settings, status};

use crate::input::{Alphabet, ITEM, Input, InputNumber, WITNESS};
use crate::transitions::{StateNumber, Transitions};

const ID: ItemId = ItemId(0);
/// An etag that no item has.
const STALE: Etag = Etag(u32::MAX);

/// The state that decides every later answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ItemState {
    /// The container's `defaultTtl`.
    pub default_ttl: Option<Ttl>,
    /// The item's `ttl` and its age in seconds, if there is an item.
    pub item: Option<(Option<Ttl>, i64)>,
}

/// The part of an answer that a client compares: the item's details are compared apart from it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MachineAnswer {
    /// A status.
    Status(Status),
    /// A query or a list, and whether it has the item.
    Listed(bool),
    /// A count, without the witness.
    Counted(u64),
    /// The statuses of a batch that took effect.
    Committed(Vec<Status>),
    /// The operation that was refused, and its status.
    Aborted(usize, Status),
}

impl MachineAnswer {
    /// Returns whether the request succeeded.
    pub fn is_success(&self) -> bool {
        match self {
            Self::Status(status) => status.is_success(),
            Self::Aborted(..) => false,
            Self::Listed(_) | Self::Counted(_) | Self::Committed(_) => true,
        }
    }

    /// Returns what a client compares of a model's answer about the item 0, and a witness.
    pub fn of(response: &model::Response) -> Self {
        match response {
            model::Response::Ids(ids) => Self::Listed(ids.contains(&ID)),
            // The witness is always counted.
            model::Response::Count { least, most } => Self::Counted(count(*least, *most).saturating_sub(1)),
            model::Response::Committed(all) => Self::Committed(all.iter().map(status).collect()),
            model::Response::Aborted { at, .. } => Self::Aborted(*at, status(response)),
            _ => Self::Status(status(response)),
        }
    }
}

/// The state after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NextState {
    /// This one.
    State(StateNumber),
    /// One of two (`reappearance`): a look decides.
    Fate {
        /// The item has reappeared.
        back: StateNumber,
        /// The item is gone for good.
        gone: StateNumber,
    },
    /// None of the machine: a value that is not valid is stored while the container is off.
    Outside,
}

impl NextState {
    /// Returns the states that may be.
    pub fn states(self) -> impl Iterator<Item = StateNumber> {
        let (first, second) = match self {
            Self::State(state) => (Some(state), None),
            Self::Fate { back, gone } => (Some(back), Some(gone)),
            Self::Outside => (None, None),
        };
        first.into_iter().chain(second)
    }
}

/// Answers that are allowed, and what follows from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedOutcome {
    /// The answers, in order.
    pub answers: Vec<MachineAnswer>,
    /// The next state.
    pub next: NextState,
}

/// A transition, as a target with certain choices must make it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct MachineTransition {
    /// All that is allowed; different outcomes have no answer in common.
    outcomes: Vec<AllowedOutcome>,
    /// The outcome of these choices, if it stays in the machine.
    usual: Option<(usize, StateNumber)>,
}

/// The machine of one item.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The inputs.
    pub alphabet: Alphabet,
    /// The edition whose rules apply.
    pub edition: Edition,
    /// The choices of the target.
    pub choices: Preferences,
    /// For each opening the state of a new container.
    opened: Vec<StateNumber>,
    states: Vec<ItemState>,
    /// For each state whether a client sees the item.
    visible: Vec<bool>,
    /// For each state one row; `None` where the input means nothing.
    rows: Vec<Vec<Option<MachineTransition>>>,
}

impl Machine {
    /// Computes the machine with lifetimes up to this many seconds.
    pub fn new(longest_s: u8, edition: Edition, choices: Preferences) -> Self {
        let alphabet = Alphabet::new(longest_s);
        let states = states(longest_s);
        let builder = Builder { longest_s: longest_s.into(), edition, choices, states: &states };
        let row = |state: &ItemState| {
            alphabet.inputs.iter().map(|input| builder.transition(*state, input)).collect()
        };
        let rows = states.iter().map(row).collect();
        let visible = states.iter().map(|state| state.item.is_some() && !is_expired(*state)).collect();
        let opened = opened(&alphabet, edition, choices, |world| {
            number(&states, ItemState { default_ttl: world.settings.default_ttl, item: None })
        });
        Self { alphabet, edition, choices, opened, states, visible, rows }
    }

    /// Returns every state.
    pub fn states(&self) -> &[ItemState] {
        &self.states
    }

    /// Returns all that is allowed; `None` where the input means nothing.
    pub fn outcomes(&self, state: StateNumber, input: InputNumber) -> Option<&[AllowedOutcome]> {
        Some(&self.transition(state, input)?.outcomes)
    }

    /// Returns whether a client sees the item in a state.
    pub fn is_visible(&self, state: StateNumber) -> bool {
        self.visible.get(usize::from(state)).copied().unwrap_or(false)
    }

    /// Returns whether an item is stored that is expired.
    pub(crate) fn is_expired(&self, state: StateNumber) -> bool {
        let is_stored = self.states.get(usize::from(state)).is_some_and(|state| state.item.is_some());
        is_stored && !self.is_visible(state)
    }

    fn transition(&self, state: StateNumber, input: InputNumber) -> Option<&MachineTransition> {
        self.rows.get(usize::from(state))?.get(usize::from(input))?.as_ref()
    }
}

impl Transitions for Machine {
    type Answer = MachineAnswer;

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

    fn step(&self, state: StateNumber, input: InputNumber) -> Option<(&[MachineAnswer], StateNumber)> {
        let transition = self.transition(state, input)?;
        let (outcome, next) = transition.usual?;
        Some((&transition.outcomes.get(outcome)?.answers, next))
    }

    fn is_sure(&self, state: StateNumber, input: InputNumber) -> bool {
        self.outcomes(state, input).is_some_and(|outcomes| outcomes.len() == 1)
    }

    fn is_shared(&self, input: InputNumber) -> bool {
        self.alphabet.is_shared(input)
    }
}

/// Returns the numbers of the states of a new container, for each opening.
pub(crate) fn opened(
    alphabet: &Alphabet,
    edition: Edition,
    choices: Preferences,
    number: impl Fn(&World) -> Option<StateNumber>,
) -> Vec<StateNumber> {
    let new = |container| World::new(self::edition(edition), 0, settings(container), &mut { choices }).ok();
    alphabet.openings.iter().filter_map(|container| number(&new(container)?)).collect()
}

fn number(states: &[ItemState], state: ItemState) -> Option<StateNumber> {
    states.iter().position(|one| *one == state).and_then(|number| u8::try_from(number).ok())
}

/// The `ttl` of an item and its age in seconds, if there is an item.
pub(crate) type AgedTtl = Option<(Option<Ttl>, i64)>;

/// Every `defaultTtl`, and every `ttl`.
pub(crate) fn ttls(longest_s: u8) -> impl Iterator<Item = Option<Ttl>> {
    let seconds = (1..=i64::from(longest_s)).map(|seconds| Some(Ttl::Seconds(seconds)));
    [None, Some(Ttl::Forever)].into_iter().chain(seconds)
}

/// Every item of every age, and none.
pub(crate) fn aged_items(longest_s: u8) -> Vec<AgedTtl> {
    let mut items = vec![None];
    for ttl in ttls(longest_s) {
        items.extend((0..=oldest(ttl, longest_s.into())).map(|age_s| Some((ttl, age_s))));
    }
    items
}

/// Every default with every item of every age.
fn states(longest_s: u8) -> Vec<ItemState> {
    let items = aged_items(longest_s);
    let of = |default_ttl| items.iter().map(move |item| ItemState { default_ttl, item: *item });
    ttls(longest_s).flat_map(of).collect()
}

/// The age beyond which nothing changes any more.
fn oldest(ttl: Option<Ttl>, longest_s: i64) -> i64 {
    match ttl {
        None => longest_s,
        Some(Ttl::Forever) => 0,
        Some(Ttl::Seconds(own_s)) => own_s,
    }
}

struct Builder<'a> {
    longest_s: i64,
    edition: Edition,
    choices: Preferences,
    states: &'a [ItemState],
}

impl Builder<'_> {
    fn transition(&self, state: ItemState, input: &Input) -> Option<MachineTransition> {
        let stored = world(self.edition, state);
        let Some(request) = &input.request else {
            let mut later = stored;
            later.wait(1);
            let next = number(self.states, self.state(&later))?;
            let outcome = AllowedOutcome { answers: Vec::new(), next: NextState::State(next) };
            return Some(MachineTransition { outcomes: vec![outcome], usual: Some((0, next)) });
        };
        if !removes_what_is_there(request, state) {
            return None;
        }
        let mut all: BTreeMap<NextState, Vec<MachineAnswer>> = BTreeMap::new();
        let mut removed = stored.clone();
        let removed = removed.remove(ID).then_some(removed);
        let mut usual = None;
        for preferences in preferences(self.choices, request, &input.conditions) {
            let (after, answer) = ask(&stored, preferences, request, &input.conditions);
            let mut next = self.after(&after);
            if let Some(removed) = &removed {
                let (gone, other) = ask(removed, preferences, request, &input.conditions);
                next = self.joined(next, &gone);
                note(&mut all, next, other);
            }
            if preferences == self.choices {
                usual = Some((answer.clone(), next));
            }
            note(&mut all, next, answer);
        }
        // A value that is stored may set nothing, or what it says: nobody can tell which.
        let stored = all.get(&NextState::Outside).cloned().unwrap_or_default();
        for (_, answers) in all.iter_mut().filter(|(next, _)| **next != NextState::Outside) {
            answers.retain(|answer| !stored.contains(answer));
        }
        all.retain(|_, answers| !answers.is_empty());
        let outcomes: Vec<AllowedOutcome> =
            all.into_iter().map(|(next, answers)| AllowedOutcome { answers, next }).collect();
        let usual = usual.and_then(|(answer, next)| {
            let outcome =
                outcomes.iter().position(|one| one.next == next && one.answers.contains(&answer))?;
            match next {
                NextState::State(state) => Some((outcome, state)),
                NextState::Fate { back, gone } => {
                    Some((outcome, if self.choices.has(OpenChoice::ExpiredIsGone) { gone } else { back }))
                }
                NextState::Outside => None,
            }
        });
        Some(MachineTransition { outcomes, usual })
    }

    fn after(&self, after: &World) -> NextState {
        let state = (!has_wrong_ttl(after)).then(|| self.state(after));
        state.and_then(|state| number(self.states, state)).map_or(NextState::Outside, NextState::State)
    }

    /// Returns the next state if the item may have been removed before.
    fn joined(&self, stored: NextState, gone: &World) -> NextState {
        let NextState::State(back) = stored else { return stored };
        let Some(state) = self.states.get(usize::from(back)) else { return stored };
        match (gone.items.contains_key(&ID), number(self.states, self.state(gone))) {
            (false, Some(gone)) if state.item.is_some() && !is_expired(*state) => {
                NextState::Fate { back, gone }
            }
            _ => stored,
        }
    }

    fn state(&self, world: &World) -> ItemState {
        let item = aged_item(world, ID, self.longest_s);
        ItemState { default_ttl: world.settings.default_ttl, item }
    }
}

/// Returns the world after a request, and the answer.
fn ask(
    world: &World,
    preferences: Preferences,
    request: &Request,
    conditions: &[(usize, Condition)],
) -> (World, MachineAnswer) {
    let mut asked = Names::of(&[ITEM.into(), WITNESS.into()]).request(world, request);
    require(&mut asked, conditions);
    let (after, response) = answered(world, preferences, &asked);
    (after, MachineAnswer::of(&response))
}

/// Returns the world after a request of the model, and its response.
pub(crate) fn answered(
    world: &World,
    mut preferences: Preferences,
    asked: &model::Request,
) -> (World, model::Response) {
    let mut after = world.clone();
    let response = after.answer(asked, &mut preferences);
    (after, response)
}

/// The item of a world, as old as matters.
pub(crate) fn aged_item(world: &World, id: ItemId, longest_s: i64) -> AgedTtl {
    world.items.get(&id).map(|item| {
        let age_s = world.now.saturating_sub(item.ts);
        (item.ttl, age_s.clamp(0, oldest(item.ttl, longest_s)))
    })
}

/// Whether a value is stored that is not valid, which only a container that is off may take.
pub(crate) fn has_wrong_ttl(world: &World) -> bool {
    world.items.values().any(|item| item.has_wrong_ttl)
}

fn note(all: &mut BTreeMap<NextState, Vec<MachineAnswer>>, next: NextState, answer: MachineAnswer) {
    let answers = all.entry(next).or_default();
    if let Err(at) = answers.binary_search(&answer) {
        answers.insert(at, answer);
    }
}

/// The world of second 0 with these items, numbered from 0, and then a witness. Etags are the numbers of the items.
pub(crate) fn world_of(edition: Edition, default_ttl: Option<Ttl>, items: &[AgedTtl]) -> World {
    let with_witness = items.iter().copied().chain([Some((Some(Ttl::Forever), 0))]);
    let stored = (0_u32..).zip(with_witness).filter_map(|(number, item)| {
        let (ttl, age_s) = item?;
        let (etag, content) = (Etag(number), Content(0));
        let item = Item { ttl, has_wrong_ttl: false, ts: -age_s, etag, content };
        Some((ItemId(number), item))
    });
    let settings = Settings { default_ttl, indexing: Indexing::Consistent };
    let next_etag = Etag(u32::try_from(items.len() + 1).unwrap_or(u32::MAX));
    let (edition, items) = (self::edition(edition), stored.collect());
    World { edition, now: 0, settings, items, next_etag, index: Index::Ready }
}

/// The world of second 0 that stands for all those in this state, with a witness.
fn world(edition: Edition, state: ItemState) -> World {
    world_of(edition, state.default_ttl, &[state.item])
}

fn is_expired(state: ItemState) -> bool {
    world(Edition::Y2024, state).expired(ID).is_some()
}

/// Whether a patch that takes `ttl` away finds one, or no item: what else it answers has nothing to do with time to live.
fn removes_what_is_there(request: &Request, state: ItemState) -> bool {
    let removes = |one: &Operation| matches!(one, Operation::Patch(patch, _) if !patch.remove.is_empty());
    let has_none = matches!(state.item, Some((None, _))) && !is_expired(state);
    !(has_none && request.operations().iter().any(removes))
}

pub(crate) fn require(request: &mut model::Request, conditions: &[(usize, Condition)]) {
    let operations = match request {
        model::Request::Item(operation) => std::slice::from_mut(operation),
        model::Request::Batch(operations) => operations.as_mut_slice(),
        _ => return,
    };
    for (number, condition) in conditions {
        let etag = if *condition == Condition::Seen { Etag(0) } else { STALE };
        if let Some(
            model::Operation::Replace { if_match, .. }
            | model::Operation::Patch { if_match, .. }
            | model::Operation::Delete { if_match, .. },
        ) = operations.get_mut(*number)
        {
            *if_match = Some(etag);
        }
    }
}

/// The preferences under which this request may be answered differently, that of the choices first.
pub(crate) fn preferences(
    choices: Preferences,
    request: &Request,
    conditions: &[(usize, Condition)],
) -> Vec<Preferences> {
    let mut all = vec![choices];
    let mut vary = |applies: bool, choice: OpenChoice| {
        let others: Vec<_> = all.iter().map(|one| one.with(choice, !one.has(choice))).collect();
        all.extend(others.into_iter().filter(|_| applies));
    };
    let operations = request.operations();
    let kinds = || operations.iter().filter_map(|one| Some(one.ttl()?.kind()));
    let sends_fraction = kinds().any(|kind| matches!(kind, LiteralKind::WholeAsFraction(_)));
    let sends_wrong = kinds().any(|kind| !matches!(kind, LiteralKind::Whole(-1 | 1..=2_147_483_647)));
    let upserts = operations.iter().any(|one| matches!(one, Operation::Upsert(_)));
    vary(sends_fraction, OpenChoice::FractionIsAccepted);
    vary(sends_wrong, OpenChoice::WrongTtlIsStored);
    vary(*request == Request::Count, OpenChoice::ExpiredAreCounted);
    vary(upserts, OpenChoice::ExpiredIsReplaced);
    vary(!conditions.is_empty(), OpenChoice::ExpiredFailsPrecondition);
    vary(sends_wrong || operations.len() > 1, OpenChoice::LaterRefusalIsAnswered);
    all
}
