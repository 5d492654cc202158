//! Faulty machines, and whether the tests kill them: the model with one wrong transition or one wrong answer.
//!
//! A faulty machine is killed if it gives an answer that the model does not allow at that point of a test. It is simulated,
//! so that no store stands between the fault and the tests.

use std::collections::BTreeMap;

use cosmos_ttl_explore::complete::{
    CompleteSuite, InputNumber, Machine, MachineAnswer, StateNumber, TestCase,
};

/// How many faulty machines of one sort there are, and how many of them are killed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KilledMachines {
    /// Those that a client can tell from the model.
    pub all: u64,
    /// Those that a test kills.
    pub killed: u64,
}

/// A transition: the answers of which one is given, and the next state.
type Transition<'m> = (&'m [MachineAnswer], StateNumber);

/// The model but for one transition, that of an input in a state.
struct FaultyMachine<'m> {
    machine: &'m Machine,
    at: (StateNumber, InputNumber),
    instead: Transition<'m>,
}

impl<'m> FaultyMachine<'m> {
    fn step(&self, state: StateNumber, input: InputNumber) -> Option<Transition<'m>> {
        if (state, input) == self.at { Some(self.instead) } else { self.machine.step(state, input) }
    }

    /// Whether this test shows an answer that the model does not allow there.
    fn is_killed_by(&self, test: &TestCase) -> bool {
        let start = self.machine.opened().get(usize::from(test.opening)).copied();
        let mut states = start.map(|start| (start, start));
        for input in &test.inputs {
            let step = states
                .and_then(|(right, wrong)| self.machine.step(right, *input).zip(self.step(wrong, *input)));
            let Some(((allowed, right), (given, wrong))) = step else { return false };
            if differ(allowed, given) {
                return true;
            }
            states = Some((right, wrong));
        }
        false
    }
}

/// Whether two kinds of answers have none in common; no answer is one that nobody sees.
pub(super) fn differ(one: &[MachineAnswer], other: &[MachineAnswer]) -> bool {
    !one.is_empty() && !other.is_empty() && one.iter().all(|one| !other.contains(one))
}

/// The model, its tests, and which tests take each transition.
#[derive(Debug)]
pub struct Simulation<'m> {
    machine: &'m Machine,
    /// For each state the first one that a client cannot tell from it.
    representatives: Vec<StateNumber>,
    tests: Vec<TestCase>,
    taking: BTreeMap<(StateNumber, InputNumber), Vec<usize>>,
}

impl<'m> Simulation<'m> {
    /// Holds all tests.
    pub fn new(suite: &CompleteSuite<'m>) -> Self {
        let (machine, representatives) = (suite.machine(), suite.identifiers.representatives.clone());
        let mut simulation = Self { machine, representatives, tests: Vec::new(), taking: BTreeMap::new() };
        suite.each(&mut |test| {
            simulation.hold(test);
            true
        });
        simulation
    }

    fn hold(&mut self, test: &TestCase) {
        let number = self.tests.len();
        let mut state = self.machine.opened().get(usize::from(test.opening)).copied();
        for input in &test.inputs {
            let Some(from) = state else { break };
            let tests = self.taking.entry((from, *input)).or_default();
            if tests.last() != Some(&number) {
                tests.push(number);
            }
            state = self.machine.step(from, *input).map(|(_, next)| next);
        }
        self.tests.push(test.clone());
    }

    /// Redirects each transition to each other state.
    pub fn transfer_faults(&self) -> KilledMachines {
        let first = |state: StateNumber| self.representatives.get(usize::from(state));
        self.killed(|(answers, next)| {
            let states = (0..=StateNumber::MAX).take(self.representatives.len());
            let others = states.filter(|other| first(*other) != first(next));
            others.map(|other| (answers, other)).collect()
        })
    }

    /// Gives each transition each other answer that a request can have somewhere.
    pub fn output_faults(&self) -> KilledMachines {
        let mut kinds: Vec<&[MachineAnswer]> = Vec::new();
        for (_, (answers, _)) in self.transitions((0..=StateNumber::MAX).take(self.machine.state_count())) {
            if !kinds.contains(&answers) {
                kinds.push(answers);
            }
        }
        self.killed(|(answers, next)| {
            kinds.iter().filter(|other| differ(answers, other)).map(|other| (*other, next)).collect()
        })
    }

    /// Tries these faults of each transition of the states that a client can tell apart.
    fn killed(&self, faults: impl Fn(Transition<'m>) -> Vec<Transition<'m>>) -> KilledMachines {
        let distinct = (0..).zip(&self.representatives).filter(|(state, first)| state == *first);
        let mut found = KilledMachines::default();
        for (at, right) in self.transitions(distinct.map(|(state, _)| state)) {
            for instead in faults(right) {
                let wrong = FaultyMachine { machine: self.machine, at, instead };
                // Other tests meet no fault.
                let mut tests = self.taking.get(&at).into_iter().flatten();
                let is_killed =
                    tests.any(|number| self.tests.get(*number).is_some_and(|test| wrong.is_killed_by(test)));
                found.all += 1;
                found.killed += u64::from(is_killed);
            }
        }
        found
    }

    fn transitions(
        &self,
        states: impl Iterator<Item = StateNumber>,
    ) -> impl Iterator<Item = ((StateNumber, InputNumber), Transition<'m>)> {
        let (machine, inputs) = (self.machine, self.machine.input_count());
        let all = states
            .flat_map(move |state| (0..=InputNumber::MAX).take(inputs).map(move |input| (state, input)));
        all.filter_map(move |(state, input)| Some(((state, input), machine.step(state, input)?)))
    }
}
