//! The tests: a shortest way to each state, every sequence of core inputs up to a depth, every input, and then the
//! identifiers of the state that follows.
//!
//! A test with which another test begins is left out where their states say so: the other one sends the same and more.

use crate::complete::identify::Identifiers;
use crate::complete::input::InputNumber;
use crate::complete::machine::{Machine, StateNumber};

/// How many inputs lead at most from an access sequence to a state of the store that the machine does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Depth(pub u8);

/// A test: the life of one item, or of two, from the creation of its container on.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestCase {
    /// The number of the alphabet's opening.
    pub opening: u8,
    /// The inputs after it.
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
            let ahead = Some(self.depth.0);
            self.identified(&mut test, *state, ahead, play)
                && self.extended(&mut test, *state, self.depth.0, true, play)
        })
    }

    /// Returns the suite of another depth.
    #[must_use]
    pub fn at_depth(&self, depth: Depth) -> Self {
        Self {
            machine: self.machine,
            identifiers: self.identifiers.clone(),
            access: self.access.clone(),
            depth,
        }
    }

    /// Returns the number of tests, without making them.
    pub fn count(&self) -> u64 {
        let states = (0..=u8::MAX).take(self.machine.state_count());
        // By how many inputs of the core may still follow, and by state: the tests that go on from there.
        let mut from: Vec<Vec<u64>> = Vec::new();
        for ahead in 0..=self.depth.0 {
            let of = |state| self.inputs(state).map(|next| self.count_behind(next, ahead, &from)).sum();
            let row = states.clone().map(of).collect();
            from.push(row);
        }
        let of = |(access, state): &(TestCase, StateNumber)| {
            let known = self.inputs(*state).filter(|next| self.is_access(access, next.input));
            let known: u64 = known.map(|next| self.count_behind(next, self.depth.0, &from)).sum();
            let row = from.last().and_then(|row| row.get(usize::from(*state)));
            self.identified_count(*state, Some(self.depth.0)) + row.copied().unwrap_or(0) - known
        };
        self.access.iter().map(of).sum()
    }

    /// The tests that begin with this input, in a state from which this many inputs of the core lead on behind it.
    fn count_behind(&self, next: NextInput, ahead: u8, from: &[Vec<u64>]) -> u64 {
        let behind = self.ahead(next.input, ahead);
        let row = behind.and_then(|behind| from.get(usize::from(behind)));
        let more = row.and_then(|row| row.get(usize::from(next.state))).copied().unwrap_or(0);
        self.identified_count(next.state, behind) + more
    }

    fn identified_count(&self, state: StateNumber, ahead: Option<u8>) -> u64 {
        let own = self.identifiers.of_state(state).iter();
        u64::try_from(own.filter(|one| !self.is_covered(state, one, ahead)).count()).unwrap_or(0)
    }

    /// Every input that means something in a state, and where it leads.
    fn inputs(&self, state: StateNumber) -> impl Iterator<Item = NextInput> {
        let all = (0..=u8::MAX).take(self.machine.input_count());
        all.filter_map(move |input| Some(NextInput { input, state: self.machine.step(state, input)?.1 }))
    }

    /// How many inputs of the core follow the one behind this input; `None` where no input follows it.
    fn ahead(&self, input: InputNumber, ahead: u8) -> Option<u8> {
        if usize::from(input) < self.machine.core() { ahead.checked_sub(1) } else { None }
    }

    /// Whether an access sequence and this input are an access sequence again: its own tests are the same and more.
    fn is_access(&self, access: &TestCase, input: InputNumber) -> bool {
        let is_longer = |(one, _): &(TestCase, StateNumber)| {
            one.opening == access.opening
                && one
                    .inputs
                    .split_last()
                    .is_some_and(|(last, before)| *last == input && before == access.inputs)
        };
        usize::from(input) < self.machine.core() && self.access.iter().any(is_longer)
    }

    /// Whether another test goes on from this state as this sequence does, and then further: `ahead` inputs of the core and
    /// one of the alphabet lead on from here, or none does.
    fn is_covered(&self, state: StateNumber, sequence: &[InputNumber], ahead: Option<u8>) -> bool {
        let (Some(ahead), Some((first, rest))) = (ahead, sequence.split_first()) else { return false };
        let Some((_, next)) = self.machine.step(state, *first) else { return false };
        self.identifiers.of_state(next).iter().any(|one| one.starts_with(rest))
            || self.is_covered(next, rest, self.ahead(*first, ahead))
    }

    /// The test goes on with one more input, and with more of them as long as they are of the core.
    fn extended(
        &self,
        test: &mut TestCase,
        state: StateNumber,
        ahead: u8,
        is_first: bool,
        play: &mut dyn FnMut(&TestCase) -> bool,
    ) -> bool {
        self.inputs(state).all(|next| {
            if is_first && self.is_access(test, next.input) {
                return true;
            }
            test.inputs.push(next.input);
            let behind = self.ahead(next.input, ahead);
            let goes_on = self.identified(test, next.state, behind, play)
                && behind.is_none_or(|behind| self.extended(test, next.state, behind, false, play));
            test.inputs.pop();
            goes_on
        })
    }

    fn identified(
        &self,
        test: &mut TestCase,
        state: StateNumber,
        ahead: Option<u8>,
        play: &mut dyn FnMut(&TestCase) -> bool,
    ) -> bool {
        let length = test.inputs.len();
        let own = self.identifiers.of_state(state).iter();
        own.filter(|one| !self.is_covered(state, one, ahead)).all(|identifier| {
            test.inputs.extend_from_slice(identifier);
            let goes_on = play(test);
            test.inputs.truncate(length);
            goes_on
        })
    }
}

/// An input in some state, and the state that follows.
#[derive(Clone, Copy)]
struct NextInput {
    input: InputNumber,
    state: StateNumber,
}

/// A shortest way to each state over the core, nearest first.
fn access(machine: &Machine, identifiers: &Identifiers) -> Vec<(TestCase, StateNumber)> {
    let mut all: Vec<(TestCase, StateNumber)> = Vec::new();
    let first = |state: StateNumber| identifiers.representatives.get(usize::from(state)).copied();
    let mut known = vec![false; machine.state_count()];
    let mut is_new = |state: StateNumber| {
        let known = first(state).and_then(|first| known.get_mut(usize::from(first)));
        known.is_some_and(|known| !std::mem::replace(known, true))
    };
    for (opening, state) in (0..=u8::MAX).zip(machine.opened().iter().copied()) {
        if is_new(state) {
            all.push((TestCase { opening, inputs: Vec::new() }, state));
        }
    }
    let mut at = 0;
    while let Some((test, state)) = all.get(at).cloned() {
        for input in (0..=u8::MAX).take(machine.core()) {
            let Some((_, next)) = machine.step(state, input) else { continue };
            // A fate is no way: a look decides it.
            if machine.is_sure(state, input) && is_new(next) {
                let mut test = test.clone();
                test.inputs.push(input);
                all.push((test, next));
            }
        }
        at += 1;
    }
    all
}
