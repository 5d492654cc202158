//! One vector for each core transition of the machine of one item, for runners of others and for real clocks.

use crate::{Action, Call, Script, write_whole};
use cosmos_ttl_harness::target::{Operation, Request};
use cosmos_ttl_harness::vector::{Suite, Vector};
use cosmos_ttl_model::choices::Preferences;

use crate::complete::input::{Input, InputNumber, create_witness};
use crate::complete::machine::Machine;
use crate::complete::player::action;
use crate::complete::suite::{CompleteSuite, Depth};

/// The longest lifetime, in seconds: every wait costs as long on a real clock.
const LONGEST_S: u8 = 2;
const ID: &str = "a";

/// Returns a vector for each core transition: the shortest way to its state, its input, and what tells the next state from
/// the others. Each step expects every answer that the model allows. Transitions that no vector can say are left out.
pub fn model_vectors(suite: &Suite) -> Vec<Vector> {
    let machine = Machine::new(LONGEST_S, Preferences::default());
    let complete = CompleteSuite::new(&machine, Depth(0));
    let mut vectors = Vec::new();
    for (state, (access, reached)) in complete.access.iter().enumerate() {
        for input in (0..=u8::MAX).take(machine.core()) {
            let Some((_, next)) = machine.step(*reached, input) else { continue };
            let told = complete.identifiers.of_state(next).first().map_or(&[][..], Vec::as_slice);
            let inputs: Vec<InputNumber> =
                access.inputs.iter().chain([&input]).chain(told).copied().collect();
            let words = machine.alphabet.inputs.get(usize::from(input)).map(Input::words).unwrap_or_default();
            let title = format!("In state {state} of the model of one item, {words}");
            let script = script(&machine, usize::from(access.opening), &inputs);
            vectors.extend(write_whole(&script, suite, &format!("model-{state}-{input}"), &title).ok());
        }
    }
    vectors
}

/// The script of these inputs, with a witness and a read in the end.
fn script(machine: &Machine, opening: usize, inputs: &[InputNumber]) -> Script {
    let container = machine.alphabet.openings.get(opening).cloned().unwrap_or_default();
    let plain = |operation| Action::Call(Call::plain(Request::Item(operation)));
    let inputs = inputs.iter().filter_map(|input| machine.alphabet.inputs.get(usize::from(*input)));
    let first = [plain(create_witness())].into_iter();
    let actions = first.chain(inputs.map(|input| input.about(ID)).map(|input| action(&input)));
    let actions = actions.chain([plain(Operation::Read(ID.into()))]).collect();
    Script { container, actions }
}
