//! How soon exploration finds each mutant, how short a script tells each from a correct store, and that no control is
//! accused.

use std::sync::atomic::AtomicBool;

use serde::Serialize;

use super::counterexample::play;
use super::distinguish::distinguish;
use super::explore::{ExploreOptions, explore};
use cosmos_ttl_harness::parallel;
use cosmos_ttl_harness::target::{Fault, Target};
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_mutants::{CONTROLS, IndependentStore, Mutant, mutants};

/// The results of exploration for every store that is part of the harness.
#[derive(Clone, Debug)]
pub struct Table {
    /// How many requests each was asked.
    pub steps: u64,
    /// Every mutant, and after how many requests it was found.
    pub mutants: Vec<(&'static Mutant, Option<u64>)>,
    /// Every control, and after how many requests it was accused.
    pub controls: Vec<(&'static str, Option<u64>)>,
}

impl Table {
    /// Explores each mutant and each control.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`], which none of them gives.
    pub fn of(seed: u64, steps: u64, stop: &AtomicBool) -> Result<Self, Fault> {
        let after = |target: &dyn Target| {
            let explored = explore(target, &ExploreOptions { seed, steps, stop })?;
            Ok::<_, Fault>(explored.found.map(|found| found.after))
        };
        let all: Vec<&Mutant> = mutants().collect();
        let mutants = parallel::map(&all, |mutant| Ok((*mutant, after(&mutant.store())?)))?;
        let controls = parallel::map(&CONTROLS, |control| Ok((control.name, after(&control.store)?)))?;
        Ok(Self { steps, mutants, controls })
    }

    /// Returns the mutants that were not found.
    pub fn missed(&self) -> impl Iterator<Item = &'static Mutant> {
        self.mutants.iter().filter(|(_, after)| after.is_none()).map(|(mutant, _)| *mutant)
    }

    /// Returns the correct stores that were accused: each is a false alarm.
    pub fn accused(&self) -> impl Iterator<Item = &'static str> {
        self.controls.iter().filter(|(_, after)| after.is_some()).map(|(name, _)| *name)
    }

    /// Returns the result in a line.
    pub fn last_line(&self) -> String {
        let innocent = self.controls.iter().filter(|(_, after)| after.is_none()).count();
        format!(
            "{} of {} mutants found within {} requests, {innocent} of {} controls without a difference",
            self.mutants.len() - self.missed().count(),
            self.mutants.len(),
            grouped(self.steps),
            self.controls.len(),
        )
    }
}

/// Returns a number with a comma after every third digit.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(",")
}

/// The shortest script that was found on which a mutant and a correct store differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MutantSummary {
    /// Its requests, the container's creation among them, as a vector counts its steps.
    pub requests: usize,
    /// Whether no correct store answers so; otherwise the two differ in what is open.
    pub wrong: bool,
}

/// How many requests of drawn sessions are compared for each mutant.
const SUMMARY_STEPS: u64 = 10_000;

/// Tells each of these from the store that chooses what the evidence favours; `None` where nothing was found. Their
/// order is kept; they are shared out among the processor's cores.
///
/// # Errors
///
/// A [`Fault`] of one of them, which none gives.
pub fn summaries(
    mutants: &[&'static Mutant],
    vectors: &[Vector],
) -> Result<Vec<Option<MutantSummary>>, Fault> {
    let stop = AtomicBool::new(false);
    let options = ExploreOptions { seed: 1, steps: SUMMARY_STEPS, stop: &stop };
    parallel::map(mutants, |mutant| {
        let store = mutant.store();
        let targets: [&dyn Target; 2] = [&store, &IndependentStore::default()];
        let Some(found) = distinguish(targets, vectors, &options, false)?.0 else { return Ok(None) };
        let wrong = play(&store, &found.script, found.removal)?.is_some();
        Ok(Some(MutantSummary { requests: found.exchanges.len(), wrong }))
    })
}
