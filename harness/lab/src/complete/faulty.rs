//! Faulty machines, and whether the tests kill them: the model with one fault, and random machines with one more state.
//!
//! A faulty machine is killed if it gives an answer that the model does not allow at that point of a test. It is simulated,
//! so that no store stands between the fault and the tests.

use cosmos_ttl_explore::complete::{CompleteSuite, Machine, MachineAnswer, StateNumber, TestCase};
use cosmos_ttl_testing::simulation::Rng;

/// The number of a kind of answer.
type Kind = u16;

/// A machine as a table: for each state and each input the kind of the answer and the next state.
#[derive(Clone)]
struct FaultyMachine {
    rows: Vec<Vec<Option<(Kind, usize)>>>,
}

/// How many faulty machines of one sort there are, and how many of them are killed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KilledMachines {
    /// Those that a client can tell from the model.
    pub all: u64,
    /// Those that a test kills.
    pub killed: u64,
}

/// The model, its tests, and which tests take each transition.
pub struct Simulation {
    model: FaultyMachine,
    disjoint: Vec<Vec<bool>>,
    opened: Vec<StateNumber>,
    representatives: Vec<StateNumber>,
    tests: Vec<TestCase>,
    /// For each state and each input the tests that send it there.
    taking: Vec<Vec<Vec<u32>>>,
    core: usize,
    access: Vec<TestCase>,
}

impl std::fmt::Debug for Simulation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulation").field("tests", &self.tests.len()).finish_non_exhaustive()
    }
}

impl Simulation {
    /// Makes the tables, and holds all tests.
    pub fn new(suite: &CompleteSuite<'_>) -> Self {
        let machine = suite.machine();
        let (states, inputs) = (machine.state_count(), machine.input_count());
        let mut kinds: Vec<Vec<MachineAnswer>> = Vec::new();
        let mut row = |state: StateNumber| -> Vec<_> {
            let numbers = (0..=u8::MAX).take(inputs);
            numbers
                .map(|input| {
                    let (answers, next) = machine.step(state, input)?;
                    let kind = kinds.iter().position(|kind| kind == answers).unwrap_or_else(|| {
                        kinds.push(answers.to_vec());
                        kinds.len() - 1
                    });
                    Some((u16::try_from(kind).unwrap_or(u16::MAX), usize::from(next)))
                })
                .collect()
        };
        let rows = (0..=u8::MAX).take(states).map(&mut row).collect();
        let differ = |one: &Vec<MachineAnswer>, other: &Vec<MachineAnswer>| {
            !one.is_empty() && !other.is_empty() && one.iter().all(|one| !other.contains(one))
        };
        let disjoint =
            kinds.iter().map(|one| kinds.iter().map(|other| differ(one, other)).collect()).collect();
        let mut simulation = Self {
            model: FaultyMachine { rows },
            disjoint,
            opened: machine.opened().to_vec(),
            representatives: suite.identifiers.representatives.clone(),
            tests: Vec::new(),
            taking: vec![vec![Vec::new(); inputs]; states],
            core: machine.core(),
            access: suite.access.iter().map(|(test, _)| test.clone()).collect(),
        };
        suite.each(&mut |test| {
            simulation.hold(machine, test);
            true
        });
        simulation
    }

    fn hold(&mut self, machine: &Machine, test: &TestCase) {
        let number = u32::try_from(self.tests.len()).unwrap_or(u32::MAX);
        let mut state = self.opened.get(usize::from(test.opening)).copied();
        for input in &test.inputs {
            let Some(from) = state else { break };
            let row = self.taking.get_mut(usize::from(from));
            if let Some(tests) = row.and_then(|row| row.get_mut(usize::from(*input)))
                && tests.last() != Some(&number)
            {
                tests.push(number);
            }
            state = machine.step(from, *input).map(|(_, next)| next);
        }
        self.tests.push(test.clone());
    }

    /// Redirects each transition to each other state.
    pub fn transfer_faults(&self) -> KilledMachines {
        let mut found = KilledMachines::default();
        let mut faulty = self.model.clone();
        for (state, input, (kind, next)) in self.transitions() {
            for other in 0..self.representatives.len() {
                if self.representatives.get(other) == self.representatives.get(next) {
                    continue;
                }
                faulty.set(state, input, Some((kind, other)));
                found.all += 1;
                found.killed += u64::from(self.is_killed(&faulty, state, input));
            }
            faulty.set(state, input, Some((kind, next)));
        }
        found
    }

    /// Gives each transition each other answer that its request can have somewhere.
    pub fn output_faults(&self) -> KilledMachines {
        let mut found = KilledMachines::default();
        let mut faulty = self.model.clone();
        for (state, input, (kind, next)) in self.transitions() {
            for other in (0..u16::MAX).take(self.disjoint.len()).filter(|other| self.differ(kind, *other)) {
                faulty.set(state, input, Some((other, next)));
                found.all += 1;
                found.killed += u64::from(self.is_killed(&faulty, state, input));
            }
            faulty.set(state, input, Some((kind, next)));
        }
        found
    }

    /// Plays random machines with one more state: the copy of a state, with up to three transitions changed, to which one
    /// transition of the core leads. Those that a client cannot tell from the model do not count.
    pub fn random_machines(&self, seed: u64, machines: u32) -> KilledMachines {
        let mut rng = Rng::new(seed);
        let transitions: Vec<_> = self.transitions().collect();
        let states = self.model.rows.len();
        let mut below = |bound: usize| {
            let bound = u32::try_from(bound).unwrap_or(u32::MAX).max(1);
            usize::try_from(rng.below(bound)).unwrap_or(0)
        };
        let mut found = KilledMachines::default();
        let mut tried = 0;
        while found.all < u64::from(machines) && tried < u64::from(machines) * 100 {
            tried += 1;
            let mut faulty = self.model.clone();
            let Some((state, input, (kind, next))) = transitions.get(below(transitions.len())).copied()
            else {
                break;
            };
            if input >= self.core {
                continue;
            }
            let Some(copied) = faulty.rows.get(next).cloned() else { continue };
            faulty.rows.push(copied);
            faulty.set(state, input, Some((kind, states)));
            for _ in 0..=below(3) {
                let changed = below(faulty.rows.first().map_or(1, Vec::len));
                let Some((kind, next)) = faulty.get(states, changed) else { continue };
                let fault = match below(3) {
                    0 => (u16::try_from(below(self.disjoint.len())).unwrap_or(kind), next),
                    1 => (kind, states),
                    _ => (kind, below(states)),
                };
                faulty.set(states, changed, Some(fault));
            }
            if !self.is_in_domain(&faulty) || !self.differs(&faulty) {
                continue;
            }
            found.all += 1;
            found.killed += u64::from(self.is_killed(&faulty, state, input));
        }
        found
    }

    /// Whether every state is reached by an access sequence and at most one input of the core.
    fn is_in_domain(&self, faulty: &FaultyMachine) -> bool {
        let states = faulty.rows.len();
        let mut near = vec![false; states];
        let mut reached = Vec::new();
        for test in &self.access {
            let start = self.opened.get(usize::from(test.opening)).map(|state| usize::from(*state));
            let end = start.and_then(|start| {
                test.inputs
                    .iter()
                    .try_fold(start, |state, input| Some(faulty.get(state, usize::from(*input))?.1))
            });
            let Some(end) = end else { return false };
            let behind = (0..self.core).filter_map(|input| Some(faulty.get(end, input)?.1));
            reached.extend(std::iter::once(end).chain(behind));
        }
        for state in &reached {
            if let Some(near) = near.get_mut(*state) {
                *near = true;
            }
        }
        let leads =
            |state: usize| faulty.rows.get(state).into_iter().flatten().flatten().map(|(_, next)| *next);
        reached.iter().all(|state| leads(*state).all(|next| near.get(next).copied().unwrap_or(false)))
    }

    /// Whether some sequence of inputs shows the fault.
    fn differs(&self, faulty: &FaultyMachine) -> bool {
        let mut pairs: Vec<(usize, usize)> =
            self.opened.iter().map(|state| (usize::from(*state), usize::from(*state))).collect();
        let states = faulty.rows.len();
        let mut known = vec![false; states * states];
        while let Some((right, wrong)) = pairs.pop() {
            let Some(known) = known.get_mut(right * states + wrong) else { continue };
            if std::mem::replace(known, true) {
                continue;
            }
            for input in 0..self.model.rows.first().map_or(0, Vec::len) {
                let (Some((kind, right)), Some((other, wrong))) =
                    (self.model.get(right, input), faulty.get(wrong, input))
                else {
                    continue;
                };
                if self.differ(kind, other) {
                    return true;
                }
                pairs.push((right, wrong));
            }
        }
        false
    }

    /// Whether a test that sends this input in this state of the model kills a machine: others meet no fault.
    fn is_killed(&self, faulty: &FaultyMachine, state: usize, input: usize) -> bool {
        let tests = self.taking.get(state).and_then(|row| row.get(input));
        tests.into_iter().flatten().any(|number| {
            let test = usize::try_from(*number).ok().and_then(|number| self.tests.get(number));
            test.is_some_and(|test| self.kills(test, faulty))
        })
    }

    fn kills(&self, test: &TestCase, faulty: &FaultyMachine) -> bool {
        let Some(start) = self.opened.get(usize::from(test.opening)).copied() else { return false };
        let (mut right, mut wrong) = (usize::from(start), usize::from(start));
        for input in test.inputs.iter().map(|input| usize::from(*input)) {
            let (Some((kind, next)), Some((other, wrong_next))) =
                (self.model.get(right, input), faulty.get(wrong, input))
            else {
                return false;
            };
            if self.differ(kind, other) {
                return true;
            }
            (right, wrong) = (next, wrong_next);
        }
        false
    }

    fn differ(&self, one: Kind, other: Kind) -> bool {
        let row = self.disjoint.get(usize::from(one));
        row.and_then(|row| row.get(usize::from(other))).copied().unwrap_or(false)
    }

    /// The transitions of the states that a client can tell apart.
    fn transitions(&self) -> impl Iterator<Item = (usize, usize, (Kind, usize))> {
        let rows = self.model.rows.iter().enumerate();
        let distinct = rows.filter(|(state, _)| {
            self.representatives.get(*state).is_some_and(|first| usize::from(*first) == *state)
        });
        distinct.flat_map(|(state, row)| {
            row.iter().enumerate().filter_map(move |(input, one)| Some((state, input, (*one)?)))
        })
    }
}

impl FaultyMachine {
    fn get(&self, state: usize, input: usize) -> Option<(Kind, usize)> {
        *self.rows.get(state)?.get(input)?
    }

    fn set(&mut self, state: usize, input: usize, to: Option<(Kind, usize)>) {
        if let Some(cell) = self.rows.get_mut(state).and_then(|row| row.get_mut(input)) {
            *cell = to;
        }
    }
}
