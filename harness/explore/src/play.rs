//! Plays one storyboard in a place of its own, judged by the worlds that may be.

use cosmos_ttl_model::interpretation::ContainerNull;

use super::storyboard::{Ask, Move, Storyboard};
use super::walk::{Heard, Walk};
use super::worlds::Differs;
use cosmos_ttl_harness::target::{Fault, Opening, Removal, Response, Target};

/// An answer that the model never gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which move it was: counted from 0, or `None` for the making of the container.
    pub at: Option<usize>,
    /// The second of the storyboard.
    pub at_s: u64,
    /// Under which schedule of removal.
    pub removal: Option<Removal>,
    /// What was to be expected, and what came.
    pub differs: Differs,
}

/// Something that was asked, when, and what came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The second of the storyboard.
    pub at_s: u64,
    /// What was asked.
    pub ask: Ask,
    /// What was answered.
    pub response: Response,
}

/// Plays a storyboard up to the first answer that no world gives. What cannot be asked, since there is no container or
/// no such etag, or since the target does not offer it, is left out.
///
/// # Errors
///
/// A [`Fault`] other than [`Fault::Unsupported`]: then nothing can be said of the target.
pub fn play(
    target: &dyn Target,
    storyboard: &Storyboard,
    removal: Option<Removal>,
) -> Result<Option<Difference>, Fault> {
    play_telling(target, storyboard, removal, &mut |_| {})
}

/// The same; `tell` is called with whatever was answered, the difference included.
///
/// # Errors
///
/// A [`Fault`] other than [`Fault::Unsupported`]: then nothing can be said of the target.
pub fn play_telling(
    target: &dyn Target,
    storyboard: &Storyboard,
    removal: Option<Removal>,
    tell: &mut dyn FnMut(Asked),
) -> Result<Option<Difference>, Fault> {
    let mut walk = Walk::open(target, Opening::new(storyboard.edition, removal))?;
    let played = played(&mut walk, storyboard, tell);
    let closed = walk.close();
    let found = played?;
    if found.is_none() {
        closed?;
    }
    Ok(found.map(|(at, at_s, differs)| Difference { at, at_s, removal, differs }))
}

/// What the target takes a container's null for in this storyboard, if it shows.
///
/// # Errors
///
/// A [`Fault`] other than [`Fault::Unsupported`].
pub(super) fn null_of(
    target: &dyn Target,
    storyboard: &Storyboard,
    removal: Option<Removal>,
    tell: &mut dyn FnMut(Asked),
) -> Result<Option<ContainerNull>, Fault> {
    let mut walk = Walk::open(target, Opening::new(storyboard.edition, removal))?;
    let played = played(&mut walk, storyboard, tell);
    let null = walk.worlds.container_null();
    walk.close()?;
    played.map(|_| null)
}

type Place = (Option<usize>, u64, Differs);

fn played(
    walk: &mut Walk<'_>,
    storyboard: &Storyboard,
    tell: &mut dyn FnMut(Asked),
) -> Result<Option<Place>, Fault> {
    if let Some(differs) = asked(walk, &storyboard.creation(), tell)? {
        return Ok(Some((None, walk.now_s, differs)));
    }
    for (number, one) in storyboard.moves.iter().enumerate() {
        match one {
            Move::Wait(seconds) => walk.wait(*seconds)?,
            Move::Ask(ask) => {
                if let Some(differs) = asked(walk, ask, tell)? {
                    return Ok(Some((Some(number), walk.now_s, differs)));
                }
            }
        }
        if walk.worlds.is_crowded() {
            return Ok(None);
        }
    }
    Ok(None)
}

fn asked(walk: &mut Walk<'_>, ask: &Ask, tell: &mut dyn FnMut(Asked)) -> Result<Option<Differs>, Fault> {
    let (response, differs) = match walk.ask(ask)? {
        Heard::Fits(response) => (response, None),
        Heard::Differs(response, differs) => (response, Some(differs)),
        Heard::NotAsked | Heard::NotOffered => return Ok(None),
    };
    tell(Asked { at_s: walk.now_s, ask: ask.clone(), response });
    Ok(differs)
}
