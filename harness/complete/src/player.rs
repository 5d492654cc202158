//! Plays a test as a script, in a session of its own: the belief judges every answer.

use cosmos_ttl_explore::{Action, Call, Contradiction, PlayedScript, Script, play_whole};
use cosmos_ttl_harness::target::{Fault, Opening, PurgedTarget, Request, Response};

use crate::input::{Alphabet, Input, InputNumber, WITNESS, create_witness, prologue, upsert_witness};
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

pub(crate) fn action(Input { request, conditions }: &Input) -> Action {
    match request {
        None => Action::Wait(1),
        Some(request) => {
            Action::Call(Call { conditions: conditions.clone(), ..Call::plain(request.clone()) })
        }
    }
}

/// Plays a test. The alphabet is that of the machine, perhaps with another name of the item.
pub(crate) fn play(
    target: &PurgedTarget<'_>,
    opening: Opening,
    machine: &Machine,
    alphabet: &Alphabet,
    test: &TestCase,
) -> Result<TestResult, Fault> {
    let container = alphabet.openings.get(usize::from(test.opening)).cloned().unwrap_or_default();
    let input = |number: &InputNumber| alphabet.inputs.get(usize::from(*number));
    let actions = witness().into_iter().chain(test.inputs.iter().filter_map(input).map(action)).collect();
    let script = Script { edition: opening.edition, container, actions };
    let played = play_whole(target, &script, opening.removal, WITNESS)?;
    // The creation of the container, and of the witness, come first.
    let input = |number: usize| number.checked_sub(3).and_then(|at| test.inputs.get(at)).copied();
    let not_offered = played.not_offered.map(input);
    if not_offered == Some(None) {
        return Err(Fault::Unsupported("a container, an item that lives forever, or a read".into()));
    }
    let PlayedScript { requests, difference, is_whole, ref answers, .. } = played;
    // The last one is that which differs, if one does.
    let judged = answers.len().saturating_sub(usize::from(difference.is_some()));
    let stays = answers.get(2..judged).is_none_or(|answers| stays(machine, alphabet, test, answers));
    let is_cut = !stays || difference.is_none() && !is_whole;
    // Of a target that left the machine before it differed, this test says nothing.
    let failing = difference.filter(|_| stays).map(|(differs, script)| {
        let sends_etag = |one: &Action| matches!(one, Action::Call(call) if !call.conditions.is_empty());
        let mut scripts = vec![script.clone()];
        if let Some(id) = alphabet.ids.first().filter(|_| script.actions.iter().any(sends_etag)) {
            let earlier = prologue(id).iter().map(action).chain(script.actions).collect();
            scripts.push(Script { actions: earlier, ..script });
        }
        Failing { differs, scripts }
    });
    Ok(TestResult { requests, is_cut, failing, not_offered: not_offered.flatten() })
}

/// Whether the answers stay in the machine: a target may choose otherwise for some items than for those that were observed.
fn stays(machine: &Machine, alphabet: &Alphabet, test: &TestCase, answers: &[Option<Response>]) -> bool {
    let mut states: Vec<StateNumber> =
        machine.opened().get(usize::from(test.opening)).copied().into_iter().collect();
    for (number, answer) in test.inputs.iter().zip(answers) {
        let waits = alphabet.inputs.get(usize::from(*number)).is_some_and(|input| input.request.is_none());
        let answer = answer.as_ref().map(|answer| MachineAnswer::seen(alphabet.ids, answer));
        // What was not sent changes nothing.
        if waits || answer.is_some() {
            let after = |state: &StateNumber| machine.after(*state, *number, answer.as_ref());
            states = states.iter().flat_map(after).copied().collect();
        }
    }
    !states.is_empty()
}
