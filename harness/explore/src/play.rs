//! Plays one script in a place of its own, judged by the worlds that may be.

use cosmos_ttl_model::interpretation::ContainerNull;

use super::script::{Action, Call, Script};
use super::walk::{Heard, Walk};
use cosmos_ttl_belief::Contradiction;
use cosmos_ttl_harness::target::{Fault, Opening, Removal, Response, Target};

/// An answer that the model never gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which move it was: counted from 0, or `None` for the making of the container.
    pub at: Option<usize>,
    /// The second of the script.
    pub at_s: u64,
    /// Under which schedule of removal.
    pub removal: Option<Removal>,
    /// What was to be expected, and what came.
    pub differs: Contradiction,
}

/// Something that was asked, when, and what came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The second of the script.
    pub at_s: u64,
    /// What was asked.
    pub ask: Call,
    /// What was answered.
    pub response: Response,
}

/// Plays a script up to the first answer that no world gives. What cannot be asked, since there is no container or
/// no such etag, or since the target does not offer it, is left out.
///
/// # Errors
///
/// A [`Fault`] other than [`Fault::Unsupported`]: then nothing can be said of the target.
pub fn play(
    target: &dyn Target,
    script: &Script,
    removal: Option<Removal>,
) -> Result<Option<Difference>, Fault> {
    play_telling(target, script, removal, &mut |_| {})
}

/// The same; `tell` is called with whatever was answered, the difference included.
///
/// # Errors
///
/// A [`Fault`] other than [`Fault::Unsupported`]: then nothing can be said of the target.
pub fn play_telling(
    target: &dyn Target,
    script: &Script,
    removal: Option<Removal>,
    tell: &mut dyn FnMut(Exchange),
) -> Result<Option<Difference>, Fault> {
    let mut walk = Walk::open(target, Opening::new(script.edition, removal))?;
    let played = played(&mut walk, script, tell);
    let closed = walk.close();
    let found = played?;
    if found.is_none() {
        closed?;
    }
    Ok(found.map(|(at, at_s, differs)| Difference { at, at_s, removal, differs }))
}

/// What the target takes a container's null for in this script, if it shows.
///
/// # Errors
///
/// A [`Fault`] other than [`Fault::Unsupported`].
pub(super) fn null_of(
    target: &dyn Target,
    script: &Script,
    removal: Option<Removal>,
    tell: &mut dyn FnMut(Exchange),
) -> Result<Option<ContainerNull>, Fault> {
    let mut walk = Walk::open(target, Opening::new(script.edition, removal))?;
    let played = played(&mut walk, script, tell);
    let null = walk.belief.container_null();
    walk.close()?;
    played.map(|_| null)
}

type Place = (Option<usize>, u64, Contradiction);

fn played(
    walk: &mut Walk<'_>,
    script: &Script,
    tell: &mut dyn FnMut(Exchange),
) -> Result<Option<Place>, Fault> {
    if let Some(differs) = asked(walk, &script.creation(), tell)? {
        return Ok(Some((None, walk.now_s, differs)));
    }
    for (number, one) in script.actions.iter().enumerate() {
        match one {
            Action::Wait(seconds) => walk.wait(*seconds)?,
            Action::Call(ask) => {
                if let Some(differs) = asked(walk, ask, tell)? {
                    return Ok(Some((Some(number), walk.now_s, differs)));
                }
            }
        }
        if walk.belief.is_crowded() {
            return Ok(None);
        }
    }
    Ok(None)
}

fn asked(
    walk: &mut Walk<'_>,
    ask: &Call,
    tell: &mut dyn FnMut(Exchange),
) -> Result<Option<Contradiction>, Fault> {
    let (response, differs) = match walk.ask(ask)? {
        Heard::Fits(response) => (response, None),
        Heard::Differs(response, differs) => (response, Some(differs)),
        Heard::NotAsked | Heard::NotOffered => return Ok(None),
    };
    tell(Exchange { at_s: walk.now_s, ask: ask.clone(), response });
    Ok(differs)
}
