//! The machine of one item: its states as a client tells them apart, and what the model answers in each.
//!
//! A state is the container's `defaultTtl`, the item's `ttl` and its age, which is capped where nothing changes any more;
//! the checker proves that cap. An expired item is one state, stored or removed: where settings change so that it would
//! be visible, a look decides its fate. Every answer is computed by the model, under each interpretation that matters.

use std::collections::BTreeMap;

use cosmos_ttl_harness::literal::LiteralKind;
use cosmos_ttl_harness::target::{Edition, Operation, Request, Status};
use cosmos_ttl_harness::vector::Condition;
use cosmos_ttl_model::container::{
    self as model, Content, Etag, Index, Indexing, Item, ItemId, Rules, Settings, World,
};
use cosmos_ttl_model::interpretation::{
    Aggregates, ExpiredPrecondition, ExpiredUpsert, IntegralFraction, Interpretation, InvalidWhileOff,
    RefusalOrder,
};
use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl, TtlSeconds};
use cosmos_ttl_reference::{Names, edition, settings, status};

use crate::choices::TargetChoices;
use crate::input::{Alphabet, ITEM, Input, InputNumber, WITNESS};
use crate::transitions::{StateNumber, Transitions};

const ID: ItemId = ItemId(0);
/// An etag that no item has.
const STALE: Etag = Etag(u32::MAX);

/// The state that decides every later answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ItemState {
    /// The container's `defaultTtl`.
    pub default_ttl: DefaultTtl,
    /// The item's `ttl` and its age in seconds, if there is an item.
    pub item: Option<(ItemTtl, i64)>,
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
            model::Response::Count(count) => {
                Self::Counted(u64::try_from(*count).unwrap_or(u64::MAX).saturating_sub(1))
            }
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
    pub choices: TargetChoices,
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
    pub fn new(longest_s: u8, edition: Edition, choices: TargetChoices) -> Self {
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
    choices: TargetChoices,
    number: impl Fn(&World) -> Option<StateNumber>,
) -> Vec<StateNumber> {
    let rules = rules(edition, choices.interpretation());
    let new = |container| World::new(rules, 0, settings(container)).ok();
    alphabet.openings.iter().filter_map(|container| number(&new(container)?)).collect()
}

pub(crate) fn rules(of: Edition, interpretation: Interpretation) -> Rules {
    Rules { edition: edition(of), interpretation }
}

fn number(states: &[ItemState], state: ItemState) -> Option<StateNumber> {
    states.iter().position(|one| *one == state).and_then(|number| u8::try_from(number).ok())
}

/// The `ttl` of an item and its age in seconds, if there is an item.
pub(crate) type AgedTtl = Option<(ItemTtl, i64)>;

fn seconds(longest_s: u8) -> impl Iterator<Item = TtlSeconds> {
    (1..=i64::from(longest_s)).filter_map(TtlSeconds::new)
}

/// Every default.
pub(crate) fn defaults(longest_s: u8) -> impl Iterator<Item = DefaultTtl> {
    [DefaultTtl::Off, DefaultTtl::NoDefault].into_iter().chain(seconds(longest_s).map(DefaultTtl::Seconds))
}

/// Every item of every age, and none.
pub(crate) fn aged_items(longest_s: u8) -> Vec<AgedTtl> {
    let mut items = vec![None];
    for ttl in [ItemTtl::Inherit, ItemTtl::Never].into_iter().chain(seconds(longest_s).map(ItemTtl::Seconds))
    {
        items.extend((0..=oldest(ttl, longest_s.into())).map(|age_s| Some((ttl, age_s))));
    }
    items
}

/// Every default with every item of every age.
fn states(longest_s: u8) -> Vec<ItemState> {
    let items = aged_items(longest_s);
    let of = |default_ttl| items.iter().map(move |item| ItemState { default_ttl, item: *item });
    defaults(longest_s).flat_map(of).collect()
}

/// The age beyond which nothing changes any more.
fn oldest(ttl: ItemTtl, longest_s: i64) -> i64 {
    match ttl {
        ItemTtl::Inherit => longest_s,
        ItemTtl::Never => 0,
        ItemTtl::Seconds(own) => own.get(),
    }
}

struct Builder<'a> {
    longest_s: i64,
    edition: Edition,
    choices: TargetChoices,
    states: &'a [ItemState],
}

impl Builder<'_> {
    fn transition(&self, state: ItemState, input: &Input) -> Option<MachineTransition> {
        let stored = world(state);
        let Some(request) = &input.request else {
            let next = number(self.states, self.state(&stored.pass(1)))?;
            let outcome = AllowedOutcome { answers: Vec::new(), next: NextState::State(next) };
            return Some(MachineTransition { outcomes: vec![outcome], usual: Some((0, next)) });
        };
        if !removes_what_is_there(request, state) {
            return None;
        }
        let mut all: BTreeMap<NextState, Vec<MachineAnswer>> = BTreeMap::new();
        let removed = stored.remove(ID);
        let mut usual = None;
        for interpretation in interpretations(self.choices, request, &input.conditions) {
            let (after, answer) = self.ask(&stored, interpretation, request, &input.conditions);
            let mut next = self.after(state, interpretation, request, &after, &answer);
            if let Some(removed) = &removed {
                let (gone, other) = self.ask(removed, interpretation, request, &input.conditions);
                next = self.joined(next, &gone);
                note(&mut all, next, other);
            }
            if interpretation == self.choices.interpretation() {
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
                    Some((outcome, if self.choices.gone { gone } else { back }))
                }
                NextState::Outside => None,
            }
        });
        Some(MachineTransition { outcomes, usual })
    }

    fn ask(
        &self,
        world: &World,
        interpretation: Interpretation,
        request: &Request,
        conditions: &[(usize, Condition)],
    ) -> (World, MachineAnswer) {
        let mut asked = Names::of(&[ITEM.into(), WITNESS.into()]).request(world, request);
        require(&mut asked, conditions);
        let (after, response) = world.step(rules(self.edition, interpretation), &asked);
        (after, MachineAnswer::of(&response))
    }

    fn after(
        &self,
        before: ItemState,
        interpretation: Interpretation,
        request: &Request,
        after: &World,
        answer: &MachineAnswer,
    ) -> NextState {
        let off = before.default_ttl == DefaultTtl::Off;
        let stores = interpretation.invalid_while_off == InvalidWhileOff::Stored;
        if answer.is_success()
            && off
            && stores
            && request.operations().iter().any(|one| !is_setting(self.edition, one, interpretation))
        {
            return NextState::Outside;
        }
        number(self.states, self.state(after)).map_or(NextState::Outside, NextState::State)
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

/// The item of a world, as old as matters.
pub(crate) fn aged_item(world: &World, id: ItemId, longest_s: i64) -> AgedTtl {
    world.items.get(&id).map(|item| {
        let age_s = world.now.saturating_sub(item.ts);
        (item.ttl, age_s.clamp(0, oldest(item.ttl, longest_s)))
    })
}

/// Whether the `ttl` of an operation is valid.
pub(crate) fn is_setting(of: Edition, operation: &Operation, interpretation: Interpretation) -> bool {
    let wire = cosmos_ttl_reference::translate::wire(operation.ttl());
    let is_taken = matches!(wire, cosmos_ttl_model::rule::Wire::WholeAsFraction(1..))
        && interpretation.integral_fraction == IntegralFraction::Accepted;
    is_taken || ItemTtl::from_wire(wire, edition(of)).is_ok()
}

fn note(all: &mut BTreeMap<NextState, Vec<MachineAnswer>>, next: NextState, answer: MachineAnswer) {
    let answers = all.entry(next).or_default();
    if let Err(at) = answers.binary_search(&answer) {
        answers.insert(at, answer);
    }
}

/// The world of second 0 with these items, numbered from 0, and then a witness. Etags are the numbers of the items.
pub(crate) fn world_of(default_ttl: DefaultTtl, items: &[AgedTtl]) -> World {
    let with_witness = items.iter().copied().chain([Some((ItemTtl::Never, 0))]);
    let stored = (0_u32..).zip(with_witness).filter_map(|(number, item)| {
        let (ttl, age_s) = item?;
        let item = Item { ttl, ts: -age_s, etag: Etag(number), content: Content(0) };
        Some((ItemId(number), item))
    });
    let settings = Settings { default_ttl, indexing: Indexing::Consistent };
    let next_etag = Etag(u32::try_from(items.len() + 1).unwrap_or(u32::MAX));
    World { now: 0, settings, items: stored.collect(), next_etag, index: Index::Ready }
}

/// The world of second 0 that stands for all those in this state, with a witness.
fn world(state: ItemState) -> World {
    world_of(state.default_ttl, &[state.item])
}

fn is_expired(state: ItemState) -> bool {
    world(state).expired(ID).is_some()
}

/// Whether a patch that takes `ttl` away finds one, or no item: what else it answers has nothing to do with time to live.
fn removes_what_is_there(request: &Request, state: ItemState) -> bool {
    let removes = |one: &Operation| matches!(one, Operation::Patch(patch, _) if !patch.remove.is_empty());
    let has_none = matches!(state.item, Some((ItemTtl::Inherit, _))) && !is_expired(state);
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

/// The interpretations under which this request may be answered differently, that of the choices first.
pub(crate) fn interpretations(
    choices: TargetChoices,
    request: &Request,
    conditions: &[(usize, Condition)],
) -> Vec<Interpretation> {
    let mut all = vec![choices.interpretation()];
    let mut vary = |applies: bool, change: fn(&mut Interpretation)| {
        let mut varied = Vec::new();
        for one in all.iter().filter(|_| applies) {
            let mut other = *one;
            change(&mut other);
            varied.extend((other != *one).then_some(other));
        }
        all.extend(varied);
    };
    let operations = request.operations();
    let kinds = || operations.iter().filter_map(|one| Some(one.ttl()?.kind()));
    let sends_fraction = kinds().any(|kind| matches!(kind, LiteralKind::WholeAsFraction(_)));
    let sends_wrong = kinds().any(|kind| !matches!(kind, LiteralKind::Whole(-1 | 1..=2_147_483_647)));
    let upserts = operations.iter().any(|one| matches!(one, Operation::Upsert(_)));
    vary(sends_fraction, |one| {
        one.integral_fraction = match one.integral_fraction {
            IntegralFraction::Accepted => IntegralFraction::Rejected,
            IntegralFraction::Rejected => IntegralFraction::Accepted,
        };
    });
    vary(sends_wrong, |one| {
        one.invalid_while_off = match one.invalid_while_off {
            InvalidWhileOff::Rejected => InvalidWhileOff::Stored,
            InvalidWhileOff::Stored => InvalidWhileOff::Rejected,
        };
    });
    vary(*request == Request::Count, |one| one.aggregates = Aggregates::Counted);
    vary(upserts, |one| one.expired_upsert = ExpiredUpsert::Replaced);
    vary(!conditions.is_empty(), |one| one.expired_precondition = ExpiredPrecondition::PreconditionFailed);
    vary(sends_wrong || operations.len() > 1, |one| one.refusal_order = RefusalOrder::Later);
    all
}
