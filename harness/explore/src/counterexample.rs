//! A difference that was found, made small and written as a vector.

use std::collections::BTreeSet;

use super::player::{Exchange, Player};
use super::random;
use super::script::Script;
use super::shrink::drop_unneeded;
use super::write::{PASSES, WrittenVector, has_patched_item, shown_clauses, write};
use crate::belief::Contradiction;
use cosmos_ttl_harness::clauses::Level;
use cosmos_ttl_harness::describe;
use cosmos_ttl_harness::plain::{plain, plain_lines};
use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::target::{Fault, PurgedTarget, Removal, Target};
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_harness::verdict::Outcome;
use proptest::strategy::ValueTree as _;

/// A difference, as it was found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The seed of its session.
    pub seed: u64,
    /// How many requests the whole exploration had asked by then.
    pub after: u64,
    /// Everything that happened in its session, up to the answer that differs.
    pub script: Script,
    /// The schedule of removal.
    pub removal: Option<Removal>,
    /// The expected response and the actual one.
    pub differs: Contradiction,
}

/// The smallest script that shows a difference, and the vector of it.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The script.
    pub script: Script,
    /// The expected response and the actual one; perhaps for another of the differences that were found.
    pub differs: Contradiction,
    /// The requests and responses, the difference last.
    pub exchanges: Vec<Exchange>,
    /// The schedule of removal, where it does not show under every one that the target offers.
    pub only_under: Option<Removal>,
    /// The vector that shows it too, or why none can.
    pub written: Result<WrittenVector, String>,
}

impl Counterexample {
    /// Returns it in words, a line each: the requests and responses, what was expected, and the vector.
    pub fn lines(&self) -> Vec<String> {
        let steps = self.exchanges.iter().map(|one| {
            let asked = describe::request(&one.call.request, &one.call.conditions);
            (one.at_s, plain(&asked), plain(&describe::response(&one.response)))
        });
        let mut lines: Vec<_> = describe::lines(steps).into_iter().map(|line| format!("  {line}")).collect();
        let Contradiction { expected, got } = &self.differs;
        lines.push(format!("expected {}, got {}", plain(expected), plain(got)));
        lines.extend(self.only_under.map(|removal| format!("only where removal is: {removal}")));
        match &self.written {
            Ok(WrittenVector { vector, text, .. }) => lines.extend([
                format!("clauses: {}", vector.clauses.join(", ")),
                String::new(),
                format!("as a vector, to be added to vectors/{}.yaml:", vector.section),
                plain_lines(text),
            ]),
            Err(why) => lines.push(format!("no vector can say it: {}", plain(why))),
        }
        lines
    }

    /// Makes a difference as small as this many replays allow.
    ///
    /// # Errors
    ///
    /// A [`Fault`] of the target, and [`Fault::Unknown`] where the difference does not show again.
    pub fn of(target: &dyn Target, suite: &Suite, found: &Finding, replays: u32) -> Result<Self, Fault> {
        let target = &PurgedTarget::of(target);
        let mut clauses = KeptClauses::of(&found.script);
        let smaller = smaller_session(target, found, &mut clauses, replays / 2);
        let script = smaller.as_ref().unwrap_or(&found.script);
        Self::small(target, suite, script, found.removal, clauses, replays - replays / 2)
    }

    /// Makes the difference that a script shows as small as this many replays allow.
    ///
    /// # Errors
    ///
    /// As [`Self::of`].
    pub fn of_script(
        target: &dyn Target,
        suite: &Suite,
        script: &Script,
        removal: Option<Removal>,
        replays: u32,
    ) -> Result<Self, Fault> {
        let target = &PurgedTarget::of(target);
        Self::small(target, suite, script, removal, KeptClauses::of(script), replays)
    }

    fn small(
        target: &PurgedTarget<'_>,
        suite: &Suite,
        script: &Script,
        removal: Option<Removal>,
        mut clauses: KeptClauses,
        mut replays: u32,
    ) -> Result<Self, Fault> {
        let replay = |script: &Script, removal| Player::replay(target, script, removal);
        // A script that breaks the target shows no difference.
        let shows = |script: &Script, removal| replay(script, removal).difference().is_some();
        if !shows(script, removal) {
            return Err(Fault::Unknown("the difference that was found does not show again".into()));
        }
        let script = drop_unneeded(script, &mut replays, &mut |script| {
            let player = replay(script, removal);
            // A script that differs earlier is about the request that differs, whatever follows it.
            player.difference().is_some() && clauses.keeps(&player.script())
        });
        // A smaller script may differ earlier than the one that was found: what follows shows nothing.
        let player = replay(&script, removal);
        let script = player.script();
        let schedules = target.removals();
        let showing: Vec<_> = schedules.iter().copied().filter(|removal| shows(&script, *removal)).collect();
        let removal = showing.first().copied().unwrap_or(removal);
        let only_under = removal.filter(|_| showing.len() < schedules.len());
        let player = replay(&script, removal);
        let exchanges = player.exchanges.clone();
        let Some(differs) = player.into_difference()? else {
            return Err(Fault::Unknown("the difference does not show each time".into()));
        };
        let written = write(&script, suite, &[], &mut |vector| {
            run_virtual(target.target, &[vector])
                .is_ok_and(|run| run.results.iter().any(|result| result.verdict.outcome() == Outcome::Fail))
        });
        Ok(Self { script, differs, exchanges, only_under, written })
    }

    /// Returns whether only a clause that is a `should` is broken.
    pub fn is_should(&self) -> bool {
        match &self.written {
            Ok(written) => written.vector.level == Level::Should,
            // No vector fails: the statuses and properties are right, and only `_ts` differs, which a patch should set.
            Err(why) => why == PASSES && has_patched_item(&self.script),
        }
    }
}

/// The clauses that a difference is about; they stay while it is shrunk.
#[derive(Debug)]
struct KeptClauses(Option<BTreeSet<&'static str>>);

impl KeptClauses {
    /// Keeps the clauses that the last request of this script shows.
    fn of(script: &Script) -> Self {
        Self(shown_clauses(script).filter(|clauses| !clauses.is_empty()))
    }

    /// Returns whether a smaller script shows one of the clauses, as far as those of the whole script can be told.
    fn allows(&self, script: &Script) -> bool {
        self.0
            .as_ref()
            .is_none_or(|kept| shown_clauses(script).is_some_and(|clauses| !kept.is_disjoint(&clauses)))
    }

    /// Keeps the clauses of a smaller script that differs, and returns whether it is allowed. Where the clauses of the whole
    /// script cannot be told, those of the first smaller one that has some are kept.
    fn keeps(&mut self, script: &Script) -> bool {
        let is_allowed = self.allows(script);
        if self.0.is_none() {
            *self = Self::of(script);
        }
        is_allowed
    }
}

/// Lets proptest shrink the session that was drawn. Returns the actions that were played in the smallest one that shows the
/// difference.
fn smaller_session(
    target: &PurgedTarget<'_>,
    found: &Finding,
    clauses: &mut KeptClauses,
    mut replays: u32,
) -> Option<Script> {
    let mut drawn = random::drawn(found.seed)?;
    let mut best: Option<Script> = None;
    let mut goes_on = drawn.simplify();
    while goes_on && 0 < replays {
        replays -= 1;
        let player = Player::draw(target, drawn.current(), u64::MAX, u64::MAX);
        let script = player.script();
        let is_same = best.as_ref() == Some(&script);
        let fails = is_same || (player.difference().is_some() && clauses.keeps(&script));
        if fails {
            best = Some(script);
            goes_on = drawn.simplify();
        } else {
            goes_on = drawn.complicate();
        }
    }
    best
}

/// Plays a script up to the first answer that the model never gives. What cannot be asked, since there is no container or
/// no such etag, or since the target does not offer it, is left out.
///
/// # Errors
///
/// A [`Fault`] other than [`Fault::Unsupported`]: then nothing can be said of the target.
pub fn play(
    target: &dyn Target,
    script: &Script,
    removal: Option<Removal>,
) -> Result<Option<Contradiction>, Fault> {
    Player::replay(&PurgedTarget::of(target), script, removal).into_difference()
}
