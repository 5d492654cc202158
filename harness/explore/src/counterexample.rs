//! What was found, made small, and written down.

use super::choice::Chosen;
use super::play::{Difference, Exchange, null_of, play, play_telling};
use super::run::Found;
use super::script::Script;
use super::shrink::shrink_within;
use super::write::{WrittenVector, write};
use cosmos_ttl_harness::clauses::Level;
use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::target::{Fault, Removal, Target};
use cosmos_ttl_harness::vector::{Suite, Vector};
use cosmos_ttl_harness::verdict::Outcome;

/// The smallest script that shows a difference, and what became of it.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The script.
    pub script: Script,
    /// The difference that it shows: of those in what was found, perhaps another.
    pub difference: Difference,
    /// What was asked and answered, the difference last.
    pub told: Vec<Exchange>,
    /// It does not show under every schedule of removal that the target offers.
    pub only_so: bool,
    /// What was asked before in another place, where the target chose otherwise, if that is what differs.
    pub beside: Vec<Exchange>,
    /// The vector that shows it too, or why none can.
    pub written: Result<WrittenVector, String>,
}

impl Counterexample {
    /// Makes a difference as small as so many replays allow.
    ///
    /// # Errors
    ///
    /// A [`Fault`] of the target, and [`Fault::Unknown`] where the difference does not show again.
    pub fn of(target: &dyn Target, suite: &Suite, found: &Found, replays: u32) -> Result<Self, Fault> {
        if let Some(chosen) = &found.beside {
            return Self::of_choice(target, found, chosen, replays);
        }
        let removal = found.difference.removal;
        // Whatever breaks on the way shows no difference.
        let mut fails = |board: &Script| matches!(play(target, board, removal), Ok(Some(_)));
        if !fails(&found.script) {
            let why = format!("what was found at seed {} does not show again", found.seed);
            return Err(Fault::Unknown(why));
        }
        let script = shrink_within(&found.script, replays, &mut fails);
        let schedules: Vec<_> = target.about().removals.into_iter().map(Some).collect();
        let shows = |removal: &Option<Removal>| matches!(play(target, &script, *removal), Ok(Some(_)));
        let showing: Vec<_> = schedules.iter().copied().filter(shows).collect();
        let only_so = showing.len() < schedules.len();
        let removal = showing.first().copied().unwrap_or(removal);
        let mut told = Vec::new();
        let difference = play_telling(target, &script, removal, &mut |asked| told.push(asked))?;
        let Some(difference) = difference else {
            return Err(Fault::Unknown("the difference does not show each time".into()));
        };
        let written = write(&script, suite, &[], &mut |vector| fails_it(target, vector));
        Ok(Self { script, difference, told, only_so, beside: Vec::new(), written })
    }

    /// Of two places in which the target chose differently: first the later one, then the earlier one is made small.
    fn of_choice(target: &dyn Target, found: &Found, chosen: &Chosen, replays: u32) -> Result<Self, Fault> {
        let null = |board: &Script, removal| null_of(target, board, removal, &mut |_| {}).ok().flatten();
        let removal = found.difference.removal;
        let differ = |earlier: &Script, later: &Script| {
            let (one, other) = (null(earlier, chosen.removal), null(later, removal));
            one.is_some() && other.is_some() && one != other
        };
        if !differ(&chosen.script, &found.script) {
            let why = format!(
                "what was chosen at the seeds {} and {} does not show again",
                chosen.seed, found.seed
            );
            return Err(Fault::Unknown(why));
        }
        let later = shrink_within(&found.script, replays, &mut |board| differ(&chosen.script, board));
        let earlier = shrink_within(&chosen.script, replays, &mut |board| differ(board, &later));
        let (mut beside, mut told) = (Vec::new(), Vec::new());
        null_of(target, &earlier, chosen.removal, &mut |asked| beside.push(asked))?;
        null_of(target, &later, removal, &mut |asked| told.push(asked))?;
        Ok(Self::chosen(found, later, beside, told))
    }

    /// A choice that was not kept.
    pub(super) fn chosen(found: &Found, script: Script, beside: Vec<Exchange>, told: Vec<Exchange>) -> Self {
        let difference = Difference {
            at: script.actions.len().checked_sub(1),
            at_s: told.last().map_or(0, |asked| asked.at_s),
            ..found.difference.clone()
        };
        let why = "it takes two places; `cosmos-ttl run` holds a target to its choice across all vectors";
        Self { script, difference, told, only_so: false, beside, written: Err(why.into()) }
    }

    /// Whether only a clause that is a `should` is broken.
    pub fn is_should(&self) -> bool {
        self.written.as_ref().is_ok_and(|written| written.vector.level == Level::Should)
    }
}

fn fails_it(target: &dyn Target, vector: &Vector) -> bool {
    let run = run_virtual(target, &[vector]);
    run.is_ok_and(|run| run.results.iter().any(|result| result.verdict.outcome() == Outcome::Fail))
}
