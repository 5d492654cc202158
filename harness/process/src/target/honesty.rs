//! Whether a clock that is said to be moved by the harness is.
//!
//! Nothing that is said about time to live would mean anything otherwise: where time stands still nothing expires, and the
//! rules would be blamed for it.

use super::ProcessTarget;
use cosmos_ttl_harness::target::{
    Body, Clock, Container, Document, Fault, Opening, Operation, Properties, Request, Session, Target as _,
};

/// How far the clock is moved.
const MOVED_S: u64 = 10;

/// Whether the clock is what it is said to be.
///
/// # Errors
///
/// [`Fault::Broken`] where it is not.
pub(super) fn prove(target: &ProcessTarget) -> Result<(), Fault> {
    moved_s(target)?.and_then(lie).map_or(Ok(()), |lie| Err(Fault::Broken(lie)))
}

/// What is wrong with a clock that moved so far when it was moved.
pub(crate) fn lie(moved_s: i64) -> Option<String> {
    let meant = i64::try_from(MOVED_S) == Ok(moved_s);
    (!meant).then(|| {
        format!(
            "it says that its clock is virtual, but while {MOVED_S} s were to pass, `_ts` moved by {moved_s} s; say \
             `\"clock\":\"real\"` in `hello`, or obey `pass`"
        )
    })
}

/// How far the clock moves when it is moved; `None` where it runs by itself, or the target shows no `_ts`.
pub(crate) fn moved_s(target: &ProcessTarget) -> Result<Option<i64>, Fault> {
    if target.hello.clock != Clock::Virtual {
        return Ok(None);
    }
    let about = target.about();
    let edition = about.editions.iter().max().copied().unwrap_or_default();
    let opened = target.open(&Opening::new(edition, about.removals.first().copied()));
    let moved_s = opened.and_then(|mut session| {
        let moved_s = look(session.as_mut());
        session.close()?;
        moved_s
    });
    match moved_s {
        // What it does not offer, each vector that needs it will say.
        Err(Fault::Unsupported(_) | Fault::Unknown(_)) => Ok(None),
        moved_s => moved_s,
    }
}

fn look(session: &mut dyn Session) -> Result<Option<i64>, Fault> {
    session.send(&Request::CreateContainer(Container::default()))?;
    let before = written(session, "before")?;
    session.pass(MOVED_S)?;
    let after = written(session, "after")?;
    Ok(before.zip(after).map(|(before, after)| after.saturating_sub(before)))
}

fn written(session: &mut dyn Session, id: &str) -> Result<Option<i64>, Fault> {
    let document = Document { id: id.into(), properties: Properties::new() };
    let response = session.send(&Request::Item(Operation::Create(document)))?;
    Ok(match response.body {
        Body::Item(item) if response.status.is_success() => item.ts,
        _ => None,
    })
}
