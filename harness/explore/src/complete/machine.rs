//! The machine of a few items in one container: its states as a client tells them apart, and what the model answers in each.
//!
//! A state is the container's `defaultTtl`, and of each item its `ttl` and its age, which is capped where nothing changes any
//! more; the checker proves that cap. An expired item is one state, stored or removed: where settings change so that it would
//! be visible, a look decides its fate. Every answer is computed by the model in a world with all items and a witness, under
//! each choice that matters: whatever one item does to another shows as a wrong answer.

use std::collections::{BTreeMap, BTreeSet};

use crate::reference::translate::count;
use crate::reference::{Names, settings, status};
use cosmos_ttl_harness::literal::LiteralKind;
use cosmos_ttl_harness::target::{Body, Container, Id, Operation, Request, Response, Status};
use cosmos_ttl_harness::vector::Condition;
use cosmos_ttl_model::choices::{Choose, OpenChoice, Path, Preferences, every};
use cosmos_ttl_model::container::{
    self as model, Content, Etag, Index, Indexing, Item, ItemId, Settings, World,
};
use cosmos_ttl_model::rule::Ttl;

use crate::complete::choices::BINDING;
use crate::complete::input::{Alphabet, Input, InputNumber, WITNESS};

/// An etag that no item has.
const STALE: Etag = Etag(u32::MAX);

/// The longest lifetime of two items, in seconds: with longer ones there are more states than numbers.
pub(crate) const PAIR_LONGEST_S: u8 = 1;

/// The number of a state in its machine.
pub type StateNumber = u8;

/// The `ttl` of an item and its age in seconds, if there is an item.
type AgedTtl = Option<(Option<Ttl>, i64)>;

/// The state that decides every later answer.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    default_ttl: Option<Ttl>,
    items: Vec<AgedTtl>,
}

/// The part of an answer that a client compares; the belief judges the details of an item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MachineAnswer {
    /// A status.
    Status(Status),
    /// A query or a list, and whether it has each of the items.
    Listed(Vec<bool>),
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

    /// Returns what a client compares of a target's response.
    pub(crate) fn seen(ids: &[&str], response: &Response) -> Self {
        match &response.body {
            Body::Ids(listed) => {
                Self::Listed(ids.iter().map(|id| listed.iter().any(|one| one == id)).collect())
            }
            Body::Count(count) => Self::Counted(count.saturating_sub(1)),
            Body::Committed(statuses) => Self::Committed(statuses.clone()),
            Body::Aborted { at } => Self::Aborted(*at, response.status),
            _ => Self::Status(response.status),
        }
    }

    /// Returns what a client compares of a model's response about this number of items, and a witness.
    fn of(items: usize, response: &model::Response) -> Self {
        match response {
            model::Response::Ids(listed) => Self::Listed(ids(items).map(|id| listed.contains(&id)).collect()),
            // The witness is always counted.
            model::Response::Count { least, most } => Self::Counted(count(*least, *most).saturating_sub(1)),
            model::Response::Committed(all) => Self::Committed(all.iter().map(status).collect()),
            model::Response::Aborted { at, .. } => Self::Aborted(*at, status(response)),
            _ => Self::Status(status(response)),
        }
    }
}

/// Answers that are allowed, and what follows from them.
#[derive(Clone, Debug)]
struct Outcome {
    /// The answers, in order. A second that passes has none.
    answers: Vec<MachineAnswer>,
    /// The next states, by when expired items were removed (`reappearance`): that of the target's choices first.
    fates: Vec<StateNumber>,
}

/// All that is allowed for an input in a state.
#[derive(Clone, Debug)]
struct Transition {
    /// Different outcomes have no answer in common.
    outcomes: Vec<Outcome>,
    /// The outcome of the target's choices, if it stays in the machine.
    usual: Option<usize>,
    /// It leads to one state only, whatever a target chooses.
    is_sure: bool,
}

/// The machine of a few items.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The inputs.
    pub alphabet: Alphabet,
    /// The choices of the target.
    pub choices: Preferences,
    longest_s: i64,
    /// For each opening the state of a new container.
    opened: Vec<StateNumber>,
    states: Vec<State>,
    /// For each state one row; `None` where the input means nothing or leaves the machine.
    rows: Vec<Vec<Option<Transition>>>,
}

impl Machine {
    /// Computes the machine of one item with lifetimes up to this many seconds.
    pub fn new(longest_s: u8, choices: Preferences) -> Self {
        Self::of(Alphabet::new(longest_s), longest_s, choices)
    }

    /// Computes the machine of two items that share a container, with lifetimes up to one second.
    pub fn of_two(choices: Preferences) -> Self {
        Self::of(Alphabet::of_two(PAIR_LONGEST_S), PAIR_LONGEST_S, choices)
    }

    fn of(alphabet: Alphabet, longest_s: u8, choices: Preferences) -> Self {
        let states = states(alphabet.ids.len(), longest_s);
        let (opened, rows) = (Vec::new(), Vec::new());
        let mut machine = Self { alphabet, choices, longest_s: longest_s.into(), opened, states, rows };
        machine.opened = machine.alphabet.openings.iter().filter_map(|one| machine.opened_by(one)).collect();
        let asked: Vec<_> = machine.alphabet.inputs.iter().map(|input| machine.asked(input)).collect();
        let row = |state: &State| {
            let inputs = machine.alphabet.inputs.iter().zip(&asked);
            inputs.map(|(input, asked)| machine.transition(state, input, asked.as_ref())).collect()
        };
        machine.rows = machine.states.iter().map(row).collect();
        machine
    }

    /// Returns how many states it has.
    pub fn state_count(&self) -> usize {
        self.states.len()
    }

    /// Returns how many inputs it has; those of the core come first.
    pub fn input_count(&self) -> usize {
        self.alphabet.inputs.len()
    }

    /// Returns how many inputs are the core: they may lead to a hidden state of a store.
    pub fn core(&self) -> usize {
        self.alphabet.core
    }

    /// Returns the state of a new container with each of the openings.
    pub fn opened(&self) -> &[StateNumber] {
        &self.opened
    }

    /// Returns the answers and the next state under the choices of the target; `None` where the input means nothing or
    /// leaves the machine.
    pub fn step(&self, state: StateNumber, input: InputNumber) -> Option<(&[MachineAnswer], StateNumber)> {
        let transition = self.row(state, input)?;
        let usual = transition.outcomes.get(transition.usual?)?;
        Some((&usual.answers, *usual.fates.first()?))
    }

    /// Returns the states of which one follows from an answer, or from a second that passes.
    pub(crate) fn after(
        &self,
        state: StateNumber,
        input: InputNumber,
        answer: Option<&MachineAnswer>,
    ) -> &[StateNumber] {
        let gives = |outcome: &&Outcome| answer.is_none_or(|answer| outcome.answers.contains(answer));
        let outcome = self.row(state, input).and_then(|transition| transition.outcomes.iter().find(gives));
        outcome.map_or(&[], |outcome| &outcome.fates)
    }

    /// Returns whether an input leads to one state only, whatever a target chooses.
    pub fn is_sure(&self, state: StateNumber, input: InputNumber) -> bool {
        self.row(state, input).is_some_and(|transition| transition.is_sure)
    }

    /// Returns whether two states answer an input differently for certain. A second that passes is not answered.
    pub fn differ(&self, one: StateNumber, other: StateNumber, input: InputNumber) -> bool {
        let (Some((one, _)), Some((other, _))) = (self.step(one, input), self.step(other, input)) else {
            return false;
        };
        !one.is_empty() && one.iter().all(|answer| !other.contains(answer))
    }

    fn row(&self, state: StateNumber, input: InputNumber) -> Option<&Transition> {
        self.rows.get(usize::from(state))?.get(usize::from(input))?.as_ref()
    }

    fn number(&self, state: &State) -> Option<StateNumber> {
        self.states.iter().position(|one| one == state).and_then(|number| u8::try_from(number).ok())
    }

    fn opened_by(&self, container: &Container) -> Option<StateNumber> {
        let new = World::new(0, settings(container), &mut { self.choices }).ok()?;
        self.number(&self.state(&new))
    }

    /// The request of the model, if the input is one. The etag of an item is its number.
    fn asked(&self, input: &Input) -> Option<model::Request> {
        let names: Vec<Id> = self.alphabet.ids.iter().chain([&WITNESS]).map(|id| (*id).into()).collect();
        let empty = world(&State { default_ttl: None, items: Vec::new() });
        let mut asked = Names::of(&names).request(&empty, input.request.as_ref()?);
        require(&mut asked, &input.conditions);
        Some(asked)
    }

    fn transition(&self, state: &State, input: &Input, asked: Option<&model::Request>) -> Option<Transition> {
        let stored = world(state);
        let (Some(request), Some(asked)) = (&input.request, asked) else {
            let mut later = stored;
            later.wait(1);
            let next = self.number(&self.state(&later))?;
            let outcome = Outcome { answers: Vec::new(), fates: vec![next] };
            return Some(Transition { outcomes: vec![outcome], usual: Some(0), is_sure: true });
        };
        if !removes_what_is_there(asked, &stored) {
            return None;
        }
        // With each expired item stored or removed.
        let mut worlds = vec![stored.clone()];
        for id in ids(state.items.len()) {
            let mut removed = worlds.clone();
            removed.retain_mut(|world| world.remove(id));
            worlds.extend(removed);
        }
        let emptied = worlds.last().unwrap_or(&stored);
        // By the next states.
        let mut all: BTreeMap<Option<Vec<StateNumber>>, BTreeSet<MachineAnswer>> = BTreeMap::new();
        let mut usual = None;
        for choices in all_choices(self.choices, request) {
            let step = |world: &World| {
                let mut after = world.clone();
                let response = after.answer(asked, &mut { choices });
                (after, MachineAnswer::of(state.items.len(), &response))
            };
            let (after, answer) = step(&stored);
            let next = self.next(&after, &step(emptied).0);
            if choices == self.choices {
                usual = next.clone().map(|fates| (fates, answer));
            }
            let answers =
                |world: &World| every(|path| world.clone().answer(asked, &mut Bound { choices, path }));
            let answers = worlds.iter().flat_map(answers);
            let answers = answers.map(|(_, response)| MachineAnswer::of(state.items.len(), &response));
            all.entry(next).or_default().extend(answers.flat_map(|answer| allowed(request, &answer)));
        }
        // A value that is stored may set nothing, or what it says: nobody can tell which.
        let outside = all.remove(&None);
        let is_sure =
            outside.is_none() && all.len() == 1 && all.keys().flatten().all(|fates| fates.len() == 1);
        let outside = outside.unwrap_or_default();
        let outcome = |(next, answers): (Option<Vec<StateNumber>>, BTreeSet<MachineAnswer>)| {
            let answers: Vec<_> = answers.difference(&outside).cloned().collect();
            next.filter(|_| !answers.is_empty()).map(|fates| Outcome { answers, fates })
        };
        let outcomes: Vec<_> = all.into_iter().filter_map(outcome).collect();
        let usual = usual.and_then(|(fates, answer)| {
            outcomes.iter().position(|one| one.fates == fates && one.answers.contains(&answer))
        });
        Some(Transition { outcomes, usual, is_sure })
    }

    /// The next states, by when expired items were removed (`reappearance`). `None` where a value is stored that is not valid,
    /// which only a container that is off may take.
    fn next(&self, stored: &World, emptied: &World) -> Option<Vec<StateNumber>> {
        if stored.items.values().any(|item| item.has_wrong_ttl) {
            return None;
        }
        let mut fates = vec![self.state(stored)];
        for (at, id) in ids(self.alphabet.ids.len()).enumerate() {
            if stored.visible(id).is_some() && !emptied.items.contains_key(&id) {
                let gone = |back: &State| {
                    let mut gone = back.clone();
                    gone.items.iter_mut().skip(at).take(1).for_each(|item| *item = None);
                    gone
                };
                fates.extend(fates.iter().map(gone).collect::<Vec<_>>());
            }
        }
        if self.choices.has(OpenChoice::ExpiredIsGone) {
            fates.reverse();
        }
        fates.iter().map(|state| self.number(state)).collect()
    }

    /// The state of a world, its items as old as matters.
    fn state(&self, world: &World) -> State {
        let aged = |item: &Item| {
            let age_s = world.now.saturating_sub(item.ts);
            (item.ttl, age_s.clamp(0, oldest(item.ttl, self.longest_s)))
        };
        let items = ids(self.alphabet.ids.len()).map(|id| world.items.get(&id).map(aged)).collect();
        State { default_ttl: world.settings.default_ttl, items }
    }
}

/// The world of second 0 that stands for all those in this state, with a witness.
fn world(state: &State) -> World {
    let with_witness = state.items.iter().copied().chain([Some((Some(Ttl::Forever), 0))]);
    let stored = (0_u32..).zip(with_witness).filter_map(|(number, item)| {
        let (ttl, age_s) = item?;
        let (etag, content) = (Etag(number), Content(0));
        let item = Item { ttl, has_wrong_ttl: false, ts: -age_s, etag, content };
        Some((ItemId(number), item))
    });
    World {
        now: 0,
        settings: Settings { default_ttl: state.default_ttl, indexing: Indexing::Consistent },
        items: stored.collect(),
        next_etag: Etag(u32::try_from(state.items.len() + 1).unwrap_or(u32::MAX)),
        index: Index::Ready,
    }
}

/// The model's numbers of this many items.
fn ids(items: usize) -> impl Iterator<Item = ItemId> {
    (0..).take(items).map(ItemId)
}

/// Every default with every item of every age, and none.
fn states(items: usize, longest_s: u8) -> Vec<State> {
    let seconds = (1..=i64::from(longest_s)).map(|seconds| Some(Ttl::Seconds(seconds)));
    let ttls: Vec<Option<Ttl>> = [None, Some(Ttl::Forever)].into_iter().chain(seconds).collect();
    let mut aged: Vec<AgedTtl> = vec![None];
    for ttl in &ttls {
        aged.extend((0..=oldest(*ttl, longest_s.into())).map(|age_s| Some((*ttl, age_s))));
    }
    let mut all: Vec<State> =
        ttls.into_iter().map(|default_ttl| State { default_ttl, items: Vec::new() }).collect();
    for _ in 0..items {
        let with = |state: &State, item: &AgedTtl| {
            let mut state = state.clone();
            state.items.push(*item);
            state
        };
        all = all.iter().flat_map(|state| aged.iter().map(move |item| with(state, item))).collect();
    }
    all
}

/// The age beyond which nothing changes any more.
fn oldest(ttl: Option<Ttl>, longest_s: i64) -> i64 {
    match ttl {
        None => longest_s,
        Some(Ttl::Forever) => 0,
        Some(Ttl::Seconds(own_s)) => own_s,
    }
}

/// The answers that one of the model stands for: an upsert that replaces an item may answer that it made one, as everywhere. So
/// its status tells no states apart.
fn allowed(request: &Request, answer: &MachineAnswer) -> Vec<MachineAnswer> {
    let upserts = |one: Option<&Operation>| matches!(one, Some(Operation::Upsert(_)));
    let operations = request.operations();
    let mut all = vec![answer.clone()];
    match answer {
        MachineAnswer::Status(Status::Ok) if upserts(operations.first()) => {
            all.push(MachineAnswer::Status(Status::Created));
        }
        MachineAnswer::Committed(_) => {
            for at in (0..operations.len()).filter(|at| upserts(operations.get(*at))) {
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
    all
}

/// Whether each patch that takes `ttl` away finds one, or no item: what else it answers has nothing to do with time to live.
fn removes_what_is_there(asked: &model::Request, world: &World) -> bool {
    let finds = |one: &model::Operation| match one {
        model::Operation::Patch { id, ttl: model::TtlChange::Remove, .. } => {
            world.visible(*id).is_none_or(|item| item.ttl.is_some())
        }
        _ => true,
    };
    match asked {
        model::Request::Item(operation) => finds(operation),
        model::Request::Batch(operations) => operations.iter().all(finds),
        _ => true,
    }
}

fn require(request: &mut model::Request, conditions: &[(usize, Condition)]) {
    let operations = match request {
        model::Request::Item(operation) => std::slice::from_mut(operation),
        model::Request::Batch(operations) => operations.as_mut_slice(),
        _ => return,
    };
    for (number, condition) in conditions {
        let Some(operation) = operations.get_mut(*number) else { continue };
        let etag = if *condition == Condition::Seen { Etag(operation.id().0) } else { STALE };
        if let model::Operation::Replace { if_match, .. }
        | model::Operation::Patch { if_match, .. }
        | model::Operation::Delete { if_match, .. } = operation
        {
            *if_match = Some(etag);
        }
    }
}

/// Answers as a target with these choices that bind, and otherwise in every way.
struct Bound<'p> {
    choices: Preferences,
    path: &'p mut Path,
}

impl Choose for Bound<'_> {
    fn choose(&mut self, choice: OpenChoice, item: Option<ItemId>) -> bool {
        if BINDING.contains(&choice) { self.choices.has(choice) } else { self.path.choose(choice, item) }
    }
}

/// The choices that bind under which this request may be answered differently, those of the target first.
fn all_choices(choices: Preferences, request: &Request) -> Vec<Preferences> {
    let kinds = || request.operations().iter().filter_map(|one| Some(one.ttl()?.kind()));
    let sends_fraction = kinds().any(|kind| matches!(kind, LiteralKind::WholeAsFraction(_)));
    let sends_wrong = kinds().any(|kind| !matches!(kind, LiteralKind::Whole(-1 | 1..=2_147_483_647)));
    let mut all = vec![choices];
    for (applies, choice) in
        [(sends_fraction, OpenChoice::FractionIsAccepted), (sends_wrong, OpenChoice::WrongTtlIsStored)]
    {
        let others: Vec<_> = all.iter().map(|one| one.with(choice, !one.has(choice))).collect();
        all.extend(others.into_iter().filter(|_| applies));
    }
    all
}
