//! The verdicts of the complete suite about stores, and the reasons why some faulty stores survive it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use cosmos_ttl_complete::{CompleteOptions, Completion, Depth, complete as play};
use cosmos_ttl_explore::distinguish::distinguish;
use cosmos_ttl_explore::{ExploreOptions, Script};
use cosmos_ttl_faults::FaultSet;
use cosmos_ttl_faults::script::Demonstration;
use cosmos_ttl_harness::parallel;
use cosmos_ttl_harness::target::{Fault, Target};
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_mutants::matrix::{KillMatrixRow, Matrix};
use cosmos_ttl_mutants::{CONTROLS, Control, IndependentStore, all_controls, mutants};

use super::LONGEST_S;
use super::domain::{Domain, Needed};
use crate::faults::explored_script;

/// The verdict of the suite about one store.
#[derive(Clone, Debug)]
pub struct StoreResult {
    /// Its name.
    pub name: &'static str,
    /// The findings of the suite.
    pub done: Completion,
}

impl StoreResult {
    /// Returns whether the suite found that it breaks a must.
    pub fn is_killed(&self) -> bool {
        self.done.found.is_some()
    }

    /// Returns whether the suite found that it differs from a should, and from no must.
    pub fn differs(&self) -> bool {
        !self.is_killed() && !self.done.shoulds.is_empty()
    }

    /// Returns whether the suite found only what shows no clause, or what the belief state does not confirm.
    pub fn is_noticed(&self) -> bool {
        !self.is_killed() && !self.differs() && !self.done.unconfirmed.is_empty()
    }

    /// Returns whether the suite found nothing.
    pub fn survives(&self) -> bool {
        !self.is_killed() && !self.differs() && !self.is_noticed()
    }
}

/// Plays the suite against stores.
///
/// # Errors
///
/// [`Fault::Misuse`], which none of the stores gives.
pub fn results(
    suite: &Suite,
    depth: Depth,
    stores: &[(&'static str, &dyn Target)],
) -> Result<Vec<StoreResult>, Fault> {
    results_of(suite, || CompleteOptions::new(depth), stores)
}

fn results_of(
    suite: &Suite,
    options: impl Fn() -> CompleteOptions<'static> + Sync,
    stores: &[(&'static str, &dyn Target)],
) -> Result<Vec<StoreResult>, Fault> {
    parallel::map(stores, |(name, store)| {
        let options = CompleteOptions { replays: 300, ..options() };
        Ok(StoreResult { name, done: play(*store, suite, &options)? })
    })
}

/// The verdicts of the suite about all mutants, controls, independent faults and correct stores.
#[derive(Clone, Debug)]
pub struct StoreScores {
    /// Our mutants.
    pub mutants: Vec<StoreResult>,
    /// Our controls, alone and in pairs.
    pub controls: Vec<StoreResult>,
    /// The independent faults, by set.
    pub faults: Vec<(FaultSet, Vec<StoreResult>)>,
    /// The correct stores of all sets.
    pub correct: Vec<StoreResult>,
    /// The controls and the correct stores, by the suite of two items.
    pub two_items: Vec<StoreResult>,
}

impl StoreScores {
    /// Plays the suite of this depth against all of them.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`], which none of the stores gives.
    pub fn of(suite: &Suite, depth: Depth) -> Result<Self, Fault> {
        let wrong: Vec<_> =
            mutants().filter(|one| one.equivalent.is_none()).map(|one| (one.name, one.store())).collect();
        let right = |all: &'static [Control]| -> Vec<(&str, &dyn Target)> {
            all.iter().map(|one| (one.name, &one.store as _)).collect()
        };
        let of_set = |set: FaultSet| {
            let all = set.faults();
            let stores: Vec<_> = all.iter().map(|one| (one.name, one.store.target())).collect();
            Ok((set, results(suite, depth, &stores)?))
        };
        let correct: Vec<_> = FaultSet::ALL.iter().copied().flat_map(FaultSet::correct).collect();
        let correct: Vec<_> = correct.iter().map(|one| (one.name, one.store.target())).collect();
        Ok(Self {
            mutants: results(suite, depth, &as_targets(&wrong))?,
            controls: results(suite, depth, &right(all_controls()))?,
            faults: FaultSet::ALL.iter().copied().map(of_set).collect::<Result<_, Fault>>()?,
            correct: results(suite, depth, &correct)?,
            two_items: results_of(suite, CompleteOptions::two_items, &[right(&CONTROLS), correct].concat())?,
        })
    }

    /// Returns the right stores that are said to break a must, or of which the two judges disagree.
    pub fn accused(&self) -> impl Iterator<Item = &StoreResult> {
        let right = self.controls.iter().chain(&self.correct).chain(&self.two_items);
        right.filter(|one| one.is_killed() || !one.done.unconfirmed.is_empty())
    }
}

/// Returns stores with their names as targets.
pub fn as_targets<'s, T: Target>(stores: &'s [(&'static str, T)]) -> Vec<(&'static str, &'s dyn Target)> {
    stores.iter().map(|(name, store)| (*name, store as _)).collect()
}

/// How many drawn requests are compared to tell a faulty store from a correct one.
const STEPS: u64 = 10_000;

/// Faulty stores that the suite does not kill, by what a test needs that shows them.
///
/// Where nothing is needed, the suite sends all the requests, but not in this order: the store has more hidden states than
/// the depth allows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survivors(pub BTreeMap<BTreeSet<Needed>, Vec<&'static str>>);

impl Survivors {
    /// Returns the mutants that survive. What is needed is what a shrunk script needs that tells the mutant from a correct
    /// store; where drawn requests find none, what all vectors need that kill it.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`], which none of the stores gives.
    pub fn of_mutants(suite: &Suite, results: &[StoreResult]) -> Result<Self, Fault> {
        let domain = Domain::new(LONGEST_S);
        let picked: Vec<_> = mutants().filter(|one| survives(results, one.name)).collect();
        let all = parallel::map(&picked, |mutant| -> Result<_, Fault> {
            let told = told_apart([&mutant.store(), &IndependentStore::default()], suite)?;
            if let Some(script) = told {
                return Ok((mutant.name, domain.needed_by_script(&script)));
            }
            let matrix = Matrix::of(suite, &[*mutant])?;
            let killers = matrix.rows.iter().flat_map(KillMatrixRow::killers);
            let needed = killers.map(|vector| domain.needed_by_vector(vector));
            Ok((mutant.name, needed.reduce(|one, other| &one & &other).unwrap_or_default()))
        })?;
        Ok(Self::grouped(all))
    }

    /// Returns the independent faults of a set that survive. What is needed is what a shrunk script needs that tells the fault from a
    /// correct store; where drawn requests find none, what the script of its author needs.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`], which none of the stores gives.
    pub fn of_faults(set: FaultSet, suite: &Suite, results: &[StoreResult]) -> Result<Self, Fault> {
        let domain = Domain::new(LONGEST_S);
        let usual = set.usual_store();
        let picked: Vec<_> = set.faults().into_iter().filter(|fault| survives(results, fault.name)).collect();
        let all = parallel::map(&picked, |fault| -> Result<_, Fault> {
            let told = told_apart([fault.store.target(), usual.target()], suite)?;
            let own = || explored_script(&Demonstration::parse(fault.shown_by).ok()?);
            let needed = told.or_else(own).map(|script| domain.needed_by_script(&script));
            Ok((fault.name, needed.unwrap_or_default()))
        })?;
        Ok(Self::grouped(all))
    }

    fn grouped(all: Vec<(&'static str, BTreeSet<Needed>)>) -> Self {
        let mut grouped = Self::default();
        for (name, needed) in all {
            grouped.0.entry(needed).or_default().push(name);
        }
        grouped
    }

    /// Returns how many survive although the suite sends all the requests that show them.
    pub fn of_more_states(&self) -> usize {
        self.0.get(&BTreeSet::new()).map_or(0, Vec::len)
    }
}

fn survives(results: &[StoreResult], name: &str) -> bool {
    results.iter().any(|one| one.name == name && one.survives())
}

/// Returns a shrunk script on which these two differ, if drawn requests find one.
fn told_apart(targets: [&dyn Target; 2], suite: &Suite) -> Result<Option<Script>, Fault> {
    let stop = AtomicBool::new(false);
    let options = ExploreOptions { seed: 1, steps: STEPS, stop: &stop };
    Ok(distinguish(targets, &suite.vectors, &options, false)?.0.map(|found| found.script))
}

pub(super) fn score_lines(suite: &Suite, scores: &StoreScores) -> Result<Vec<String>, Fault> {
    let mut lines = Vec::new();
    let survivors = Survivors::of_mutants(suite, &scores.mutants)?;
    let mut tables = vec![("mutants".to_owned(), &scores.mutants, survivors)];
    for (set, results) in &scores.faults {
        let survivors = Survivors::of_faults(*set, suite, results)?;
        tables.push((format!("{} set of independent faults", set.word()), results, survivors));
    }
    for (what, all, survivors) in tables {
        let killed = all.iter().filter(|one| one.is_killed()).count();
        let differ = all.iter().filter(|one| one.differs()).count();
        let noticed = all.iter().filter(|one| one.is_noticed()).count();
        lines.push(format!(
            "{what}: {killed} of {} break a must, {differ} more differ from a should, {noticed} more answer what shows no clause",
            all.len()
        ));
        for (needed, names) in &survivors.0 {
            let needed: Vec<String> = needed.iter().map(Needed::to_string).collect();
            let why = if needed.is_empty() {
                "not within this depth".into()
            } else {
                format!("outside: {}", needed.join(", "))
            };
            lines.push(format!("  {why}: {}: {}", names.len(), names.join(", ")));
        }
    }
    let right = scores.controls.len() + scores.correct.len();
    let (of_two, accused) = (scores.two_items.len(), scores.accused().count());
    lines.push(format!(
        "{right} right stores by the tests of one item, {of_two} of them also by those of two: {accused} accused"
    ));
    for one in scores.accused() {
        let found = one.done.found.as_ref().map(|found| &found.differs);
        let differs =
            found.map_or_else(String::new, |one| format!(": expected {}, got {}", one.expected, one.got));
        lines.push(format!("  {}{differs}{}", one.name, unconfirmed(one)));
    }
    Ok(lines)
}

fn unconfirmed(one: &StoreResult) -> String {
    one.done.unconfirmed.first().map_or_else(String::new, |what| format!("; not confirmed: {what}"))
}
