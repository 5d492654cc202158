//! Plays a test of two items as a script, in a session of its own: the belief judges every answer.

use cosmos_ttl_explore::{Action, Call, Script, play_whole};
use cosmos_ttl_harness::target::{Fault, Opening, Operation, PurgedTarget, Request};

use crate::input::{Input, InputNumber, PAIR, create_witness};
use crate::judge::Mismatch;
use crate::pair::PairMachine;
use crate::place::{Failing, PlaceResult};
use crate::suite::TestCase;
use crate::transitions::Transitions as _;

/// Plays a test.
pub(crate) fn play(
    target: &PurgedTarget<'_>,
    opening: Opening,
    machine: &PairMachine,
    test: &TestCase,
) -> Result<PlaceResult, Fault> {
    let (script, numbers) = script(opening, machine, test);
    let played = play_whole(target, &script, opening.removal)?;
    let failing = played.difference.map(|(differs, script)| {
        let mismatch = Mismatch { expected: differs.expected, got: differs.got };
        Failing { mismatch, scripts: vec![script] }
    });
    let not_offered = match played.not_offered.map(|number| numbers.get(number).copied().flatten()) {
        Some(None) => {
            return Err(Fault::Unsupported("a container, an item that lives forever, or a read".into()));
        }
        number => number.flatten(),
    };
    Ok(PlaceResult { requests: played.requests, cut: u64::from(!played.is_whole), failing, not_offered })
}

/// The script of a test, and for the creation and each of its actions the input.
fn script(opening: Opening, machine: &PairMachine, test: &TestCase) -> (Script, Vec<Option<InputNumber>>) {
    let number = usize::from(test.opening);
    let container = machine.alphabet.openings.get(number).cloned().unwrap_or_default();
    let plain = |request| Action::Call(Call::plain(request));
    let mut actions = vec![plain(Request::Item(create_witness()))];
    let mut numbers = vec![None; 2];
    let mut state = machine.opened().get(number).copied();
    for input in &test.inputs {
        let Some(Input { request, conditions }) = machine.alphabet.inputs.get(usize::from(*input)) else {
            continue;
        };
        let call =
            |request: &Request| Call { conditions: conditions.clone(), ..Call::plain(request.clone()) };
        actions.push(request.as_ref().map_or(Action::Wait(1), |request| Action::Call(call(request))));
        numbers.push(Some(*input));
        let fates = state.map_or([false; 2], |state| machine.fates(state, *input));
        for (id, _) in PAIR.into_iter().zip(fates).filter(|(_, is_open)| *is_open) {
            actions.push(plain(Request::Item(Operation::Read(id.into()))));
            numbers.push(None);
        }
        state = state.and_then(|state| machine.step(state, *input)).map(|(_, next)| next);
    }
    (Script { edition: opening.edition, container, actions }, numbers)
}
