//! The verdicts of the complete suite about single stores, and the reasons why some faulty stores survive it.

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
use cosmos_ttl_mutants::matrix::KillMatrixRow;
use cosmos_ttl_mutants::{IndependentStore, mutants};

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

    /// Returns whether the suite found that it breaks a must or differs from a should.
    pub fn is_found(&self) -> bool {
        self.is_killed() || self.differs()
    }

    /// Returns whether the suite says that it breaks a must, or has a difference that the belief state does not confirm. No
    /// correct store may be accused.
    pub fn is_accused(&self) -> bool {
        self.is_killed() || !self.done.unconfirmed.is_empty()
    }

    /// Returns whether the suite found only what shows no clause, or what the belief state does not confirm.
    pub fn is_noticed(&self) -> bool {
        !self.is_found() && !self.done.unconfirmed.is_empty()
    }

    /// Returns whether the suite found nothing.
    pub fn survives(&self) -> bool {
        !self.is_found() && !self.is_noticed()
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

pub(super) fn results_of(
    suite: &Suite,
    options: impl Fn() -> CompleteOptions<'static> + Sync,
    stores: &[(&'static str, &dyn Target)],
) -> Result<Vec<StoreResult>, Fault> {
    parallel::map(stores, |(name, store)| {
        let options = CompleteOptions { replays: 300, ..options() };
        Ok(StoreResult { name, done: play(*store, suite, &options)? })
    })
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
            let row = KillMatrixRow::of(mutant, &suite.vectors.iter().collect::<Vec<_>>())?;
            let needed = row.killers().map(|vector| domain.needed_by_vector(vector));
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
