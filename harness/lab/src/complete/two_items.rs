//! The size of the complete suite of two items: their machine is the product of two machines of one item that share a
//! container. The sizes are counted here; the suite of two items is not played.

use std::collections::BTreeSet;

use cosmos_ttl_complete::{
    CompleteSuite, Depth, InputNumber, Machine, MachineAnswer, StateNumber, TargetChoices,
};
use cosmos_ttl_harness::target::{Edition, Operation, Request};

/// The longest lifetime of the two items, in seconds.
const LONGEST_S: u8 = 1;

/// The states of both items.
type PairState = [StateNumber; 2];

/// An input of two items.
#[derive(Clone, Copy, Debug)]
enum PairInput {
    /// A request about the container or all items, or a second that passes.
    Shared(InputNumber),
    /// A request about one of the items.
    Own(usize, InputNumber),
    /// A batch of two operations, the first about the first item.
    Batch(InputNumber, InputNumber),
}

/// The sizes of the suite of depth 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TwoItemSize {
    /// How many states the product has.
    pub states: usize,
    /// How many of them a client can tell apart.
    pub distinguishable: usize,
    /// How many identifiers the states have, all together.
    pub identifiers: usize,
    /// How many inputs of the core there are, those about both items counted once.
    pub core_inputs: usize,
    /// How many batches of two core writes there are.
    pub batches: usize,
    /// How many tests the core needs at depth 0.
    pub tests: usize,
    /// How many inputs these tests have.
    pub inputs: usize,
    /// How many more tests the batches need.
    pub batch_tests: usize,
    /// How many inputs these have.
    pub batch_test_inputs: usize,
}

impl TwoItemSize {
    /// Counts the tests of two items, with the usual choices.
    pub fn new() -> Self {
        let machine = Machine::new(LONGEST_S, Edition::default(), TargetChoices::default());
        Product { suite: &CompleteSuite::new(&machine, Depth(0)), machine: &machine }.size()
    }
}

impl Default for TwoItemSize {
    fn default() -> Self {
        Self::new()
    }
}

struct Product<'a> {
    suite: &'a CompleteSuite<'a>,
    machine: &'a Machine,
}

impl Product<'_> {
    fn size(&self) -> TwoItemSize {
        let [core, batches] = self.inputs();
        let reached = self.reached(&core);
        let first =
            |state: StateNumber| self.suite.identifiers.representatives.get(usize::from(state)).copied();
        let distinct: BTreeSet<_> = reached.iter().map(|(state, _)| state.map(first)).collect();
        let (mut identifiers, mut tests, mut inputs) = (0, 0, 0);
        let (mut batch_tests, mut batch_test_inputs) = (0, 0);
        for (state, way) in &reached {
            let [own, length] = self.identified(*state);
            identifiers += own;
            tests += own;
            inputs += own * way + length;
            for next in core.iter().filter_map(|input| self.step(*state, *input)) {
                let [own, length] = self.identified(next);
                tests += own;
                inputs += own * (way + 1) + length;
            }
            for next in batches.iter().filter_map(|input| self.step(*state, *input)) {
                let [own, length] = self.identified(next);
                batch_tests += own;
                batch_test_inputs += own * (way + 1) + length;
            }
        }
        TwoItemSize {
            states: reached.len(),
            distinguishable: distinct.len(),
            identifiers,
            core_inputs: core.len(),
            batches: batches.len(),
            tests,
            inputs,
            batch_tests,
            batch_test_inputs,
        }
    }

    /// Returns the inputs of the core, and the batches of two of its writes.
    fn inputs(&self) -> [Vec<PairInput>; 2] {
        let (mut core, mut writes) = (Vec::new(), Vec::new());
        for (number, input) in (0..).zip(self.machine.alphabet.inputs.iter().take(self.machine.alphabet.core))
        {
            if input.is_shared() {
                core.push(PairInput::Shared(number));
                continue;
            }
            core.extend([0, 1].map(|item| PairInput::Own(item, number)));
            let reads = matches!(input.request, Some(Request::Item(Operation::Read(_))));
            if matches!(input.request, Some(Request::Item(_))) && !reads && input.conditions.is_empty() {
                writes.push(number);
            }
        }
        let batch =
            |first: &InputNumber| writes.iter().map(|second| PairInput::Batch(*first, *second)).collect();
        [core, writes.iter().flat_map(|first| -> Vec<PairInput> { batch(first) }).collect()]
    }

    /// Returns every state with the length of a shortest way to it, nearest first.
    fn reached(&self, core: &[PairInput]) -> Vec<(PairState, usize)> {
        let mut all: Vec<(PairState, usize)> = Vec::new();
        let mut known = BTreeSet::new();
        for state in self.machine.opened() {
            if known.insert([state, state]) {
                all.push(([state, state], 0));
            }
        }
        let mut at = 0;
        while let Some((state, way)) = all.get(at).copied() {
            for next in core.iter().filter_map(|input| self.step(state, *input)) {
                if known.insert(next) {
                    all.push((next, way + 1));
                }
            }
            at += 1;
        }
        all
    }

    fn step(&self, [one, other]: PairState, input: PairInput) -> Option<PairState> {
        match input {
            PairInput::Shared(input) => {
                Some([self.machine.step(one, input)?.1, self.machine.step(other, input)?.1])
            }
            PairInput::Own(0, input) => Some([self.machine.step(one, input)?.1, other]),
            PairInput::Own(_, input) => Some([one, self.machine.step(other, input)?.1]),
            PairInput::Batch(first, second) => {
                let (first, after_one) = self.machine.step(one, first)?;
                let (second, after_other) = self.machine.step(other, second)?;
                let took = [first, second].iter().all(|answers| answers.iter().all(is_success));
                Some(if took { [after_one, after_other] } else { [one, other] })
            }
        }
    }

    /// Returns how many identifiers a state has, and how many inputs those have. Two states differ in an item, and the
    /// identifiers of that item tell them apart; one that sends only what both items share serves both.
    fn identified(&self, [one, other]: PairState) -> [usize; 2] {
        let mut all: BTreeSet<(usize, &[InputNumber])> = BTreeSet::new();
        for (item, state) in [(0, one), (1, other)] {
            for sequence in self.suite.identifiers.of_state(state) {
                let item = if sequence.iter().all(|input| self.is_shared(*input)) { 0 } else { item };
                all.insert((item, sequence));
            }
        }
        [all.len(), all.iter().map(|(_, sequence)| sequence.len()).sum()]
    }

    fn is_shared(&self, input: InputNumber) -> bool {
        self.machine
            .alphabet
            .inputs
            .get(usize::from(input))
            .is_some_and(cosmos_ttl_complete::Input::is_shared)
    }
}

fn is_success(answer: &MachineAnswer) -> bool {
    matches!(answer, MachineAnswer::Status(status) if status.is_success())
}
