//! The part of a machine from which tests are made.

use crate::input::InputNumber;

/// The number of a state in its machine.
pub type StateNumber = u8;

/// A finite machine: what it answers in each state, and which state follows.
pub trait Transitions {
    /// The answer to an input.
    type Answer: Clone + PartialEq;

    /// Returns how many states it has.
    fn state_count(&self) -> usize;

    /// Returns how many inputs it has; those of the core come first.
    fn input_count(&self) -> usize;

    /// Returns how many inputs are the core: they may lead to a hidden state of a store.
    fn core(&self) -> usize;

    /// Returns the state of a new container with each of the openings.
    fn opened(&self) -> &[StateNumber];

    /// Returns the answers and the next state under the choices of the target; `None` where the input means nothing or
    /// leaves the machine.
    fn step(&self, state: StateNumber, input: InputNumber) -> Option<(&[Self::Answer], StateNumber)>;

    /// Returns whether an input leads to one state only, whatever a target chooses.
    fn is_sure(&self, state: StateNumber, input: InputNumber) -> bool;

    /// Returns whether an input is about the container or all items: tests that share a place do it together.
    fn is_shared(&self, input: InputNumber) -> bool;

    /// Returns whether two states answer an input differently for certain. A second that passes is not answered.
    fn differ(&self, one: StateNumber, other: StateNumber, input: InputNumber) -> bool {
        let (Some((one, _)), Some((other, _))) = (self.step(one, input), self.step(other, input)) else {
            return false;
        };
        !one.is_empty() && one.iter().all(|answer| !other.contains(answer))
    }
}
