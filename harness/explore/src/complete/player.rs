//! Plays a test in a session of its own: the belief judges every answer.

use super::input::{Alphabet, Input, InputNumber, WITNESS, create_witness, prologue, upsert_witness};
use super::machine::{Machine, MachineAnswer, StateNumber};
use super::suite::TestCase;
use crate::belief::{Belief, Contradiction};
use crate::player::{Ending, Player, Sent};
use crate::{Action, Call, Script};
use cosmos_ttl_harness::target::{Fault, Id, Operation, PurgedTarget, Removal, Request, Session};

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

pub(super) fn action(Input { request, conditions }: &Input) -> Action {
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
    removal: Option<Removal>,
    machine: &Machine,
    alphabet: &Alphabet,
    test: &TestCase,
) -> Result<TestResult, Fault> {
    let mut states: Vec<StateNumber> =
        machine.opened().get(usize::from(test.opening)).copied().into_iter().collect();
    let (mut not_offered, mut is_cut) = (None, false);
    let player = Player::play(target, removal, |player, session| {
        let container = alphabet.openings.get(usize::from(test.opening)).cloned().unwrap_or_default();
        let witness = [create_witness(), upsert_witness()].map(Request::Item);
        for request in [Request::CreateContainer(container)].into_iter().chain(witness) {
            if ask(player, session, Call::plain(request))? == Sent::NotOffered {
                return Err(Fault::Unsupported("a container, or an item that lives forever".into()));
            }
        }
        for number in &test.inputs {
            let Some(input) = alphabet.inputs.get(usize::from(*number)).filter(|_| player.goes_on()) else {
                break;
            };
            let after = |states: &[StateNumber], answer: Option<&MachineAnswer>| -> Vec<StateNumber> {
                states.iter().flat_map(|state| machine.after(*state, *number, answer)).copied().collect()
            };
            let sent = match action(input) {
                Action::Wait(seconds) => {
                    player.wait(session, seconds)?;
                    states = after(&states, None);
                    continue;
                }
                Action::Call(call) => ask(player, session, call)?,
            };
            match sent {
                _ if !player.goes_on() => {}
                Sent::Answered(exchange) => {
                    let exchange = player.exchanges.get(exchange);
                    let answer = exchange.map(|one| MachineAnswer::seen(alphabet.ids, &one.response));
                    states = after(&states, answer.as_ref());
                    // A target may choose otherwise for some items than for those that were observed.
                    is_cut |= states.is_empty();
                }
                Sent::NotOffered => not_offered = not_offered.or(Some(*number)),
                // Its etag was not shown; or it means nothing in the state, which a look may have shown.
                Sent::Impossible => is_cut |= states.iter().all(|state| !after(&[*state], None).is_empty()),
            }
        }
        Ok(())
    });
    let requests = player.coverage.requests;
    is_cut |= matches!(player.ending, Some(Ending::GivenUp));
    // Of a target that left the machine before it differed, this test says nothing.
    let failing = player.difference().filter(|_| !states.is_empty()).map(|differs| {
        let script = player.script();
        let sends_etag = |one: &Action| matches!(one, Action::Call(call) if !call.conditions.is_empty());
        let mut scripts = vec![script.clone()];
        if let Some(id) = alphabet.ids.first().filter(|_| script.actions.iter().any(sends_etag)) {
            let earlier = prologue(id).iter().map(action).chain(script.actions).collect();
            scripts.push(Script { actions: earlier, ..script });
        }
        Failing { differs: differs.clone(), scripts }
    });
    player.into_difference()?;
    Ok(TestResult { requests, is_cut, failing, not_offered })
}

/// Sends a request, and the reads that a client needs to know the state of its items: before a condition whose etag no answer
/// has shown, and where an item may have reappeared. Where an item has had no etag such as a condition means, one of the
/// witness is sent.
fn ask(player: &mut Player, session: &mut dyn Session, call: Call) -> Result<Sent, Fault> {
    let configures = call.request.container().is_some();
    let touches_witness = call.request.operations().iter().any(|one| one.id() == WITNESS);
    if !call.conditions.is_empty() {
        let about = call.request.operations().iter().map(Operation::id);
        look(player, session, about, Belief::hides_etag)?;
    }
    if !player.goes_on() {
        return Ok(Sent::Impossible);
    }
    let sent = player.call(session, call, |belief, id| {
        let last = belief.etags(id).last();
        belief.etags(WITNESS).iter().find(|etag| Some(*etag) != last).cloned()
    })?;
    if touches_witness {
        look(player, session, [WITNESS].into_iter(), Belief::hides_etag)?;
    }
    if configures {
        let all: Vec<Id> = player.belief.ids().cloned().collect();
        look(player, session, all.iter().map(Id::as_str), Belief::is_open)?;
    }
    Ok(sent)
}

/// Reads those of the items that need it.
fn look<'i>(
    player: &mut Player,
    session: &mut dyn Session,
    mut ids: impl Iterator<Item = &'i str>,
    needs: impl Fn(&Belief, &str) -> bool,
) -> Result<(), Fault> {
    ids.try_for_each(|id| {
        if player.goes_on() && needs(&player.belief, id) {
            player.call(session, Call::plain(Request::Item(Operation::Read(id.into()))), |_, _| None)?;
        }
        Ok(())
    })
}
