//! What was found, made small, and written down.

use super::play::{Asked, Difference, play, play_telling};
use super::run::Found;
use super::shrink::shrink_within;
use super::storyboard::Storyboard;
use super::write::{Written, write};
use crate::clauses::Level;
use crate::run::run_virtual;
use crate::target::{Fault, Removal, Target};
use crate::vector::{Suite, Vector};
use crate::verdict::VerdictKind;

/// The smallest storyboard that shows a difference, and what became of it.
#[derive(Clone, Debug)]
pub struct Smallest {
    /// The storyboard.
    pub storyboard: Storyboard,
    /// The difference that it shows: of those in what was found, perhaps another.
    pub difference: Difference,
    /// What was asked and answered, the difference last.
    pub told: Vec<Asked>,
    /// It does not show under every schedule of removal that the target offers.
    pub only_so: bool,
    /// The vector that shows it too, or why none can.
    pub written: Result<Written, String>,
}

impl Smallest {
    /// Makes a difference as small as so many replays allow.
    ///
    /// # Errors
    ///
    /// A [`Fault`] of the target, and [`Fault::Unknown`] where the difference does not show again.
    pub fn of(target: &dyn Target, suite: &Suite, found: &Found, replays: u32) -> Result<Self, Fault> {
        let removal = found.difference.removal;
        // Whatever breaks on the way shows no difference.
        let mut fails = |board: &Storyboard| matches!(play(target, board, removal), Ok(Some(_)));
        if !fails(&found.storyboard) {
            let why = format!("what was found at seed {} does not show again", found.seed);
            return Err(Fault::Unknown(why));
        }
        let storyboard = shrink_within(&found.storyboard, replays, &mut fails);
        let schedules: Vec<_> = target.about().removals.into_iter().map(Some).collect();
        let shows = |removal: &Option<Removal>| matches!(play(target, &storyboard, *removal), Ok(Some(_)));
        let showing: Vec<_> = schedules.iter().copied().filter(shows).collect();
        let only_so = showing.len() < schedules.len();
        let removal = showing.first().copied().unwrap_or(removal);
        let mut told = Vec::new();
        let difference = play_telling(target, &storyboard, removal, &mut |asked| told.push(asked))?;
        let Some(difference) = difference else {
            return Err(Fault::Unknown("the difference does not show each time".into()));
        };
        let written = write(&storyboard, suite, &[], &mut |vector| fails_it(target, vector));
        Ok(Self { storyboard, difference, told, only_so, written })
    }

    /// Whether only a clause that is a `should` is broken.
    pub fn is_should(&self) -> bool {
        self.written.as_ref().is_ok_and(|written| written.vector.level == Level::Should)
    }
}

fn fails_it(target: &dyn Target, vector: &Vector) -> bool {
    let run = run_virtual(target, &[vector]);
    run.is_ok_and(|run| run.results.iter().any(|result| result.verdict.kind() == VerdictKind::Fail))
}
