//! A short script on which two targets differ.
//!
//! The requests of every vector are compared, then sessions drawn by chance; the judge is that the answers differ. What
//! differs is shrunk until no single simplification keeps the difference: short, and not proved to be the shortest.

use std::collections::BTreeMap;

use serde::Serialize;

use super::explore::{ExploreOptions, Explorer};
use super::player::{Exchange, Peer, Player};
use super::script::Script;
use super::shrink::{MOST_CALLS, shrink_in_batches, weight};
use super::write::expected;
use cosmos_ttl_harness::target::{About, Clock, Edition, Fault, PurgedTarget, Removal, Response, Target};
use cosmos_ttl_harness::vector::{Expect, Vector};

/// A script that tells two targets apart.
#[derive(Clone, Debug)]
pub struct Distinction {
    /// The script.
    pub script: Script,
    /// The schedule of removal, at both.
    pub removal: Option<Removal>,
    /// Each request, and both answers as they are compared; the last ones differ.
    pub exchanges: Vec<(Exchange, [Response; 2])>,
    /// The model allows all these answers: the difference falls under an open clause.
    pub is_open: bool,
    /// The open clause, if a single one decides between these answers.
    pub clause: Option<String>,
    /// No single simplification of the script keeps a difference.
    pub is_shrunk: bool,
    /// Where it was found.
    pub found_in: String,
}

/// The extent of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Searched {
    /// Scripts of vectors.
    pub vectors: u64,
    /// Requests of sessions drawn by chance.
    pub requests: u64,
    /// Scripts that were tried to make a difference smaller.
    pub shrinking: u64,
}

/// How many of the vectors that differ are shrunk, the lightest ones, in addition to random scripts.
const MOST_STARTS: usize = 12;

/// Searches for a short script on which the two targets differ. With `ignore_open`, differences under an open clause do
/// not count: the model allows both answers.
///
/// # Errors
///
/// A [`Fault`] of one of them.
pub fn distinguish(
    targets: [&dyn Target; 2],
    vectors: &[Vector],
    options: &ExploreOptions<'_>,
    ignore_open: bool,
) -> Result<(Option<Distinction>, Searched), Fault> {
    let [a, b] = targets.map(PurgedTarget::of);
    let targets = [&a, &b];
    let about = common(targets)?;
    let editions = about.editions.clone();
    let removals: Vec<_> = about.removals.iter().copied().map(Some).collect();
    let removals = if removals.is_empty() { vec![None] } else { removals };
    let replay = |script: &Script, removal| compare(targets, script, removal, ignore_open);
    let mut searched = Searched::default();
    let mut scripts = Vec::new();
    for vector in vectors {
        let editions = editions.iter().filter(|edition| vector.edition.is_none_or(|of| of == **edition));
        let asked = editions.filter_map(|edition| Script::of_vector(vector, *edition));
        scripts.extend(asked.map(|script| (script, &vector.name)));
    }
    scripts.sort_by_cached_key(|(script, _)| weight(script));
    let mut starts = Vec::new();
    for (script, name) in scripts {
        if starts.len() >= MOST_STARTS {
            break;
        }
        searched.vectors += 1;
        for removal in &removals {
            let player = replay(&script, *removal);
            let whole = player.script(usize::MAX);
            if player.into_difference()?.is_some() {
                starts.push((whole, *removal, format!("the requests of {name}")));
                break;
            }
        }
    }
    let mut explorer = Explorer::new(targets[0], about, options);
    explorer.peer = Some((targets[1], ignore_open));
    explorer.play()?;
    searched.requests = explorer.explored.coverage.requests;
    if let Some(found) = explorer.explored.found {
        let found_in = format!("the session of seed {}", found.seed);
        starts.push((found.script, found.removal, found_in));
    }
    let is_open = |player: &Player<'_>| player.peer.as_ref().is_some_and(|peer| peer.is_open);
    let mut shrunk = Vec::new();
    // What was tried, and whether it shows a difference: many starts come to the same scripts.
    let mut tried = BTreeMap::new();
    for (script, removal, found_in) in starts {
        let was_open = is_open(&replay(&script, removal));
        // What no open clause allows stays so.
        let shows = |script: &Script| {
            let player = replay(script, removal);
            let differs = editions.contains(&script.edition) && player.difference().is_some();
            differs && (was_open || !is_open(&player))
        };
        let (mut left, mut is_known) = (MOST_CALLS, false);
        let (small, effort) = shrink_in_batches(&script, 1, &mut |batch| {
            left = left.checked_sub(1)?;
            let script = batch.first()?;
            let key = (removal, was_open, format!("{script:?}"));
            let known = tried.get(&key).copied();
            // Another start went on from here.
            is_known = known == Some(true);
            let shows = (!is_known).then(|| known.unwrap_or_else(|| shows(script)))?;
            tried.insert(key, shows);
            Some(shows.then_some(0))
        });
        if !is_known {
            shrunk.push((small, removal, effort.is_complete, found_in, was_open));
        }
    }
    searched.shrinking = u64::try_from(tried.len()).unwrap_or(u64::MAX);
    let shortest =
        shrunk.into_iter().min_by_key(|(small, .., was_open)| (small.requests(), *was_open, weight(small)));
    let found = shortest.and_then(|(script, removal, is_shrunk, found_in, _)| {
        let player = replay(&script, removal);
        let (exchanges, peer) = (player.exchanges(), player.peer?);
        let exchanges = exchanges.into_iter().zip(peer.answers).collect();
        let is_open = peer.is_open;
        let clause = match expected(&script) {
            Ok(Expect::Open { clause, .. }) if is_open => Some(clause),
            _ => None,
        };
        Some(Distinction { script, removal, exchanges, is_open, clause, is_shrunk, found_in })
    });
    Ok((found, searched))
}

/// Plays a script at both targets, up to the first answers that differ.
fn compare<'t>(
    [a, b]: [&'t PurgedTarget<'t>; 2],
    script: &Script,
    removal: Option<Removal>,
    ignore_open: bool,
) -> Player<'t> {
    let mut player = Player::replaying(a, script, removal);
    player.peer = Some(Peer::new(b, ignore_open));
    player.play()
}

/// Returns whether the two targets answer a script differently.
///
/// # Errors
///
/// A [`Fault`] of one of them.
pub fn differs(targets: [&dyn Target; 2], script: &Script, removal: Option<Removal>) -> Result<bool, Fault> {
    let [a, b] = targets.map(PurgedTarget::of);
    Ok(compare([&a, &b], script, removal, false).into_difference()?.is_some())
}

/// Returns what the two have in common: clocks that the harness moves, editions, schedules of removal.
fn common(targets: [&PurgedTarget<'_>; 2]) -> Result<About, Fault> {
    let [a, b] = targets.map(Target::about);
    for about in [&a, &b] {
        if about.clock == Clock::Real {
            return Err(Fault::Misuse(format!("the clock of {} cannot be moved", about.name)));
        }
    }
    let mut editions = vec![Edition::Y2024, Edition::Y2020];
    editions.retain(|edition| a.editions.contains(edition) && b.editions.contains(edition));
    if editions.is_empty() {
        return Err(Fault::Misuse(format!("{} and {} have no edition in common", a.name, b.name)));
    }
    // A target that cannot be told follows a schedule of its own, beside which the other follows any.
    let removals = if a.removals.is_empty() { b.removals } else { a.removals.clone() };
    Ok(About { editions, removals, ..a })
}
