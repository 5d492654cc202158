//! The stations of the derived vectors: each state of the complete suite's machine, with a shortest way to it.
//!
//! In one respect a client knows less than a state says: an expired item that settings would show again may be back or gone
//! (`reappearance`). Such an item is *lapsed* until a look decides, and has stations of its own.
//!
//! A state that depends on a change of settings has a second station: its way begins with other settings.

use cosmos_ttl_complete::{
    CompleteSuite, InputNumber, Machine, NextState, StateNumber, TestCase, Transitions as _,
};
use cosmos_ttl_harness::target::{Container, Request};
use cosmos_ttl_model::rule::DefaultTtl;
use cosmos_ttl_reference::translate;

use super::transitions::WAIT;
use super::words::default_wire;

/// The knowledge of a client at a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StationState {
    /// This state.
    Sure(StateNumber),
    /// One of two states: no request has shown which.
    Lapsed {
        /// The item has reappeared.
        back: StateNumber,
        /// The item is gone for good.
        gone: StateNumber,
    },
}

impl StationState {
    /// Returns the states that may be.
    pub(super) fn states(self) -> impl Iterator<Item = StateNumber> {
        let (first, second) = match self {
            Self::Sure(state) => (state, None),
            Self::Lapsed { back, gone } => (back, Some(gone)),
        };
        [first].into_iter().chain(second)
    }

    /// Returns what a client knows after an outcome that is certain.
    fn after(next: NextState) -> Option<Self> {
        match next {
            NextState::State(state) => Some(Self::Sure(state)),
            NextState::Fate { back, gone } => Some(Self::Lapsed { back, gone }),
            NextState::Outside => None,
        }
    }
}

/// A state with a shortest way to it.
#[derive(Clone, Debug)]
pub(super) struct Station {
    pub(super) way: TestCase,
    pub(super) state: StationState,
    /// Whether other settings were in force on the way, under which the item would not be what it is.
    pub(super) had_other_settings: bool,
}

impl Station {
    /// Returns the container's `defaultTtl` at the station.
    pub(super) fn default_ttl(&self, machine: &Machine) -> DefaultTtl {
        let number = self.state.states().next().unwrap_or_default();
        machine.states().get(usize::from(number)).map_or(DefaultTtl::Off, |state| state.default_ttl)
    }
}

/// Returns every station: the states by the ways of the complete suite, and then the lapsed items.
pub(super) fn stations(suite: &CompleteSuite<'_>) -> Vec<Station> {
    let of = |(way, state): &(TestCase, StateNumber)| Station {
        way: way.clone(),
        state: StationState::Sure(*state),
        had_other_settings: false,
    };
    let mut all: Vec<Station> = suite.access.iter().map(of).collect();
    let machine = suite.machine();
    let mut at = 0;
    while let Some(station) = all.get(at).cloned() {
        for input in shared_core(machine) {
            let Some(next) = follow(machine, station.state, input) else { continue };
            let is_new =
                matches!(next, StationState::Lapsed { .. }) && all.iter().all(|one| one.state != next);
            if is_new {
                let mut way = station.way.clone();
                way.inputs.push(input);
                all.push(Station { way, state: next, had_other_settings: false });
            }
        }
        at += 1;
    }
    let changed: Vec<Station> =
        all.iter().filter_map(|station| with_other_settings(machine, station)).collect();
    all.extend(changed);
    all
}

/// Returns a way to the same state that begins with other settings. They are changed as late as can be: now, or before the
/// first second passes. If the state depends on what they were, a store that still goes by them is found.
fn with_other_settings(machine: &Machine, station: &Station) -> Option<Station> {
    let StationState::Sure(state) = station.state else { return None };
    let inputs = &station.way.inputs;
    let change = change_to(machine, station.default_ttl(machine))?;
    let arrive = |opening: usize, inputs: &[InputNumber]| {
        let opened = StationState::Sure(machine.opened().get(opening).copied()?);
        inputs.iter().try_fold(opened, |state, input| follow(machine, state, *input))
    };
    let before_waiting = inputs.iter().position(|input| *input == WAIT).unwrap_or(inputs.len());
    (0..machine.alphabet.openings.len()).find_map(|opening| {
        let StationState::Sure(unchanged) = arrive(opening, inputs)? else { return None };
        let depends = machine.is_visible(unchanged) != machine.is_visible(state);
        [inputs.len(), before_waiting].into_iter().filter(|_| depends).find_map(|at| {
            let mut changed = inputs.clone();
            changed.insert(at, change);
            (arrive(opening, &changed) == Some(station.state)).then(|| Station {
                way: TestCase { opening: u8::try_from(opening).unwrap_or(u8::MAX), inputs: changed },
                state: station.state,
                had_other_settings: true,
            })
        })
    })
}

/// Returns the input that changes the container to this `defaultTtl`.
pub(super) fn change_to(machine: &Machine, default_ttl: DefaultTtl) -> Option<InputNumber> {
    let default_ttl = translate::literal(default_wire(default_ttl));
    let change = Request::ReplaceContainer(Container { default_ttl, ..Container::default() });
    let mut core = (0..).zip(machine.alphabet.inputs.iter().take(machine.alphabet.core));
    core.find(|(_, input)| input.request.as_ref() == Some(&change)).map(|(number, _)| number)
}

/// Returns the inputs of the core that are about the container, or let a second pass.
fn shared_core(machine: &Machine) -> impl Iterator<Item = InputNumber> {
    let core = (0..).zip(machine.alphabet.inputs.iter().take(machine.alphabet.core));
    core.filter(|(_, input)| input.is_shared()).map(|(number, _)| number)
}

/// Returns what a client knows after an input that looks at nothing; `None` where the answer would tell more.
fn follow(machine: &Machine, state: StationState, input: InputNumber) -> Option<StationState> {
    let sure = |state| match machine.outcomes(state, input)? {
        [only] if only.answers.len() < 2 => Some((only.answers.first(), StationState::after(only.next)?)),
        _ => None,
    };
    match state {
        StationState::Sure(state) => sure(state).map(|(_, next)| next),
        StationState::Lapsed { back, gone } => {
            let ((first, back), (second, gone)) = (sure(back)?, sure(gone)?);
            let (StationState::Sure(back), StationState::Sure(gone)) = (back, gone) else { return None };
            // Once it is hidden again, it may be expired or removed: that is the expired state.
            let next = if machine.is_visible(back) {
                StationState::Lapsed { back, gone }
            } else {
                StationState::Sure(back)
            };
            (first == second).then_some(next)
        }
    }
}
