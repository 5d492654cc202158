//! How soon exploration finds each mutant, and that no control is accused.

use std::sync::atomic::AtomicBool;

use super::explore::{ExploreOptions, explore};
use cosmos_ttl_harness::parallel;
use cosmos_ttl_harness::target::{Fault, Target};
use cosmos_ttl_mutants::{CONTROLS, Mutant, mutants};

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
