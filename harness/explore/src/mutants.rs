//! After how many requests exploration finds each mutant, and that it accuses no control.

use std::sync::atomic::AtomicBool;

use super::run::{Options, explore};
use cosmos_ttl_harness::target::{Fault, Target};
use cosmos_ttl_mutants::{CONTROLS, Mutant, mutants};

/// What exploration makes of every store that comes with the harness.
#[derive(Clone, Debug)]
pub struct Table {
    /// Each was explored for so many requests.
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
            let explored = explore(target, &Options { seed, steps, stop })?;
            Ok::<_, Fault>(explored.found.map(|found| found.after))
        };
        let mut table = Self { steps, mutants: Vec::new(), controls: Vec::new() };
        for mutant in mutants() {
            table.mutants.push((mutant, after(&mutant.store())?));
        }
        for control in CONTROLS {
            table.controls.push((control.name, after(&control.store)?));
        }
        Ok(table)
    }

    /// Mutants that can be told from a right store, found or not.
    pub fn tellable(&self) -> impl Iterator<Item = &(&'static Mutant, Option<u64>)> {
        self.mutants.iter().filter(|(mutant, _)| mutant.equivalent.is_none())
    }

    /// How many of them were found.
    pub fn found(&self) -> usize {
        self.tellable().filter(|(_, after)| after.is_some()).count()
    }

    /// Those that were not.
    pub fn missed(&self) -> impl Iterator<Item = &'static Mutant> {
        self.tellable().filter(|(_, after)| after.is_none()).map(|(mutant, _)| *mutant)
    }

    /// Whoever was found and is right: each is a false alarm.
    pub fn accused(&self) -> impl Iterator<Item = &'static str> {
        let equivalent = self.mutants.iter().filter(|(mutant, _)| mutant.equivalent.is_some());
        let rest = equivalent.map(|(mutant, after)| (mutant.name, *after));
        rest.chain(self.controls.iter().copied()).filter(|(_, after)| after.is_some()).map(|(name, _)| name)
    }

    /// What it comes to, in a line.
    pub fn last_line(&self) -> String {
        let innocent = self.controls.iter().filter(|(_, after)| after.is_none()).count();
        format!(
            "{} of {} mutants found within {} requests, {innocent} of {} controls without a difference",
            self.found(),
            self.tellable().count(),
            grouped(self.steps),
            self.controls.len(),
        )
    }
}

/// A number with a comma after every third digit.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if 0 < place && digits.len().saturating_sub(place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
