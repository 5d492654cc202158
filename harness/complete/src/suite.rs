//! The tests: a shortest way to each state, every sequence of core inputs up to a depth, every input, and then the
//! identifiers of the state that follows.

use crate::identify::Identifiers;
use crate::input::InputNumber;
use crate::machine::{Machine, StateNumber};

/// How many inputs lead at most from an access sequence to a state of the store that the machine does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Depth(pub u8);

/// A test: an item's life from the creation of its container on.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestCase {
    /// The number of the alphabet's opening.
    pub opening: u8,
    /// What happens then.
    pub inputs: Vec<InputNumber>,
}

/// A complete suite: made while it is played, never stored.
#[derive(Clone, Debug)]
pub struct CompleteSuite<'m> {
    machine: &'m Machine,
    /// The identifiers of each state.
    pub identifiers: Identifiers,
    /// A shortest way to each state that a client can tell from the others.
    pub access: Vec<(TestCase, StateNumber)>,
    /// How many inputs of the core lead on from an access sequence.
    pub depth: Depth,
}

impl<'m> CompleteSuite<'m> {
    /// Returns the suite of this depth for a machine.
    pub fn new(machine: &'m Machine, depth: Depth) -> Self {
        let identifiers = Identifiers::of(machine);
        let access = access(machine, &identifiers);
        Self { machine, identifiers, access, depth }
    }

    /// Returns the machine.
    pub fn machine(&self) -> &'m Machine {
        self.machine
    }

    /// Hands each test to `play` until it returns `false`. Returns whether all were handed over.
    pub fn each(&self, play: &mut dyn FnMut(&TestCase) -> bool) -> bool {
        let mut test = TestCase::default();
        self.access.iter().all(|(access, state)| {
            test.clone_from(access);
            self.identified(&mut test, *state, play) && self.extended(&mut test, *state, self.depth.0, play)
        })
    }

    /// Returns the suite of another depth.
    #[must_use]
    pub fn at_depth(&self, depth: Depth) -> Self {
        Self { depth, ..self.clone() }
    }

    /// Returns the number of tests, without making them.
    pub fn count(&self) -> u64 {
        let states = self.machine.states().len();
        let mut behind = vec![0; states];
        for depth in 0..=self.depth.0 {
            let before = behind.clone();
            for (state, behind) in (0..=u8::MAX).zip(&mut behind) {
                *behind = self.count_from(state, if depth == 0 { None } else { Some(&before) });
            }
        }
        let of = |state: StateNumber| {
            self.identified_count(state) + behind.get(usize::from(state)).copied().unwrap_or(0)
        };
        self.access.iter().map(|(_, state)| of(*state)).sum()
    }

    /// The tests that send one more input in a state, with those behind the inputs of the core.
    fn count_from(&self, state: StateNumber, behind: Option<&[u64]>) -> u64 {
        let alphabet = &self.machine.alphabet;
        let inputs = (0..=u8::MAX).take(alphabet.inputs.len());
        let of = |input: InputNumber| {
            let (_, next) = self.machine.step(state, input)?;
            let is_core = usize::from(input) < alphabet.core;
            let behind = behind.filter(|_| is_core).and_then(|behind| behind.get(usize::from(next)));
            Some(self.identified_count(next) + behind.copied().unwrap_or(0))
        };
        inputs.filter_map(of).sum()
    }

    fn identified_count(&self, state: StateNumber) -> u64 {
        u64::try_from(self.identifiers.of_state(state).len()).unwrap_or(0)
    }

    /// The test goes on with one more input, and with more of them as long as they are of the core.
    fn extended(
        &self,
        test: &mut TestCase,
        state: StateNumber,
        depth: u8,
        play: &mut dyn FnMut(&TestCase) -> bool,
    ) -> bool {
        let alphabet = &self.machine.alphabet;
        for input in (0..=u8::MAX).take(alphabet.inputs.len()) {
            let Some((_, next)) = self.machine.step(state, input) else { continue };
            test.inputs.push(input);
            let is_core = usize::from(input) < alphabet.core;
            let goes_on = self.identified(test, next, play)
                && (depth == 0 || !is_core || self.extended(test, next, depth - 1, play));
            test.inputs.pop();
            if !goes_on {
                return false;
            }
        }
        true
    }

    fn identified(
        &self,
        test: &mut TestCase,
        state: StateNumber,
        play: &mut dyn FnMut(&TestCase) -> bool,
    ) -> bool {
        let length = test.inputs.len();
        self.identifiers.of_state(state).iter().all(|identifier| {
            test.inputs.extend_from_slice(identifier);
            let goes_on = play(test);
            test.inputs.truncate(length);
            goes_on
        })
    }
}

/// A shortest way to each state over the core, nearest first.
fn access(machine: &Machine, identifiers: &Identifiers) -> Vec<(TestCase, StateNumber)> {
    let mut all: Vec<(TestCase, StateNumber)> = Vec::new();
    let first = |state: StateNumber| identifiers.representatives.get(usize::from(state)).copied();
    let mut known = vec![false; machine.states().len()];
    let mut is_new = |state: StateNumber| {
        let known = first(state).and_then(|first| known.get_mut(usize::from(first)));
        known.is_some_and(|known| !std::mem::replace(known, true))
    };
    for (opening, state) in (0..=u8::MAX).zip(machine.opened()) {
        if is_new(state) {
            all.push((TestCase { opening, inputs: Vec::new() }, state));
        }
    }
    let mut at = 0;
    while let Some((test, state)) = all.get(at).cloned() {
        for input in (0..=u8::MAX).take(machine.alphabet.core) {
            let Some((_, next)) = machine.step(state, input) else { continue };
            // A fate is no way: a look decides it.
            let is_sure = machine.outcomes(state, input).is_some_and(|outcomes| outcomes.len() == 1);
            if is_sure && is_new(next) {
                let mut test = test.clone();
                test.inputs.push(input);
                all.push((test, next));
            }
        }
        at += 1;
    }
    all
}
