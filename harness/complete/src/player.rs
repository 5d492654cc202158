//! Plays a test as a script, in a session of its own: the belief judges every answer.

use cosmos_ttl_explore::{Action, Call, Contradiction, Exchange, PlayedScript, Script, play_whole};
use cosmos_ttl_harness::target::{Fault, Opening, PurgedTarget, Request};

use crate::input::{Input, InputNumber, WITNESS, create_witness, prologue, upsert_witness};
use crate::machine::{Machine, MachineAnswer, StateNumber};
use crate::suite::TestCase;

/// How a test ended.
#[derive(Debug)]
pub(crate) struct TestResult {
    pub(crate) requests: u64,
    /// It was not played to its end: an etag was not shown, or a choice left the machine.
    pub(crate) is_cut: bool,
    pub(crate) failing: Option<Failing>,
    /// An input that the target does not offer.
    pub(crate) not_offered: Option<InputNumber>,
}

/// An answer that the model does not allow.
#[derive(Debug)]
pub(crate) struct Failing {
    pub(crate) differs: Contradiction,
    /// What was sent, as scripts that show the difference without etags of other items: as it is, and where a condition was
    /// sent, as if each item had had two etags before.
    pub(crate) scripts: Vec<Script>,
}

/// The writes of the witness with which each test begins.
fn witness() -> [Action; 2] {
    [create_witness(), upsert_witness()].map(|write| Action::Call(Call::plain(Request::Item(write))))
}

/// Plays a test.
pub(crate) fn play(
    target: &PurgedTarget<'_>,
    opening: Opening,
    machine: &Machine,
    test: &TestCase,
) -> Result<TestResult, Fault> {
    let container = machine.alphabet.openings.get(usize::from(test.opening)).cloned().unwrap_or_default();
    let input = |number: &InputNumber| machine.alphabet.inputs.get(usize::from(*number));
    let action = |Input { request, conditions }: &Input| match request {
        None => Action::Wait(1),
        Some(request) => {
            Action::Call(Call { conditions: conditions.clone(), ..Call::plain(request.clone()) })
        }
    };
    let actions = witness().into_iter().chain(test.inputs.iter().filter_map(input).map(action)).collect();
    let script = Script { edition: opening.edition, container, actions };
    let played = play_whole(target, &script, opening.removal, WITNESS)?;
    let not_offered = match played.not_offered {
        None => None,
        // The creation of the container, and of the witness, come first.
        Some(number) => match number.checked_sub(3).and_then(|at| test.inputs.get(at)) {
            Some(input) => Some(*input),
            None => {
                let what = "a container, an item that lives forever, or a read";
                return Err(Fault::Unsupported(what.into()));
            }
        },
    };
    let PlayedScript { requests, difference, is_whole, ref exchanges, .. } = played;
    let is_cut = difference.is_none() && !(is_whole && stays(machine, test, exchanges));
    let failing = difference.map(|(differs, script)| {
        let sends_etag =
            script.actions.iter().any(|one| matches!(one, Action::Call(call) if !call.conditions.is_empty()));
        let mut scripts = vec![script];
        if sends_etag {
            scripts.extend(with_prologue(scripts.first()));
        }
        Failing { differs, scripts }
    });
    Ok(TestResult { requests, is_cut, failing, not_offered })
}

/// The script as if the item had had two etags before.
fn with_prologue(script: Option<&Script>) -> Option<Script> {
    let mut script = script?.clone();
    let earlier = prologue().map(|request| Action::Call(Call::plain(request)));
    script.actions.splice(..0, earlier);
    Some(script)
}

/// Whether the answers stay in the machine: a target may choose otherwise for some items than for those that were observed.
fn stays(machine: &Machine, test: &TestCase, mut exchanges: &[Exchange]) -> bool {
    let mut states: Vec<StateNumber> =
        machine.opened().get(usize::from(test.opening)).copied().into_iter().collect();
    for number in &test.inputs {
        let Some(input) = machine.alphabet.inputs.get(usize::from(*number)) else { return false };
        if let Some(request) = &input.request {
            let is_input =
                |one: &Exchange| one.call.request == *request && one.call.conditions == input.conditions;
            // Reads that were added, and what could not be sent, are no inputs.
            let Some(at) = exchanges.iter().position(is_input) else { continue };
            let (sent, rest) = exchanges.split_at(at + 1);
            exchanges = rest;
            let answer = sent.last().map(|one| MachineAnswer::seen(machine.alphabet.ids, &one.response));
            let gives = |state: &StateNumber| {
                machine
                    .step(*state, *number)
                    .is_some_and(|(answers, _)| answers.iter().any(|one| Some(one) == answer.as_ref()))
            };
            states.retain(gives);
        }
        states = states.iter().flat_map(|state| machine.fates(*state, *number)).copied().collect();
    }
    !states.is_empty()
}
