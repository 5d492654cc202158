//! `cargo lab explore`: how soon random requests find each mutant, and that no control is accused.

use std::sync::atomic::AtomicBool;

use crate::args::ExploreArgs;
use cosmos_ttl::shell::{CommandError, Output, grouped};
use cosmos_ttl_explore::{ExploreOptions, explore as explore_target};
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
    pub fn of(seed: u64, steps: u64) -> Result<Self, Fault> {
        let stop = AtomicBool::new(false);
        let after = |target: &dyn Target| {
            let explored = explore_target(target, &ExploreOptions { seed, steps, stop: &stop })?;
            Ok::<_, Fault>(explored.found.map(|found| found.after))
        };
        let all: Vec<&Mutant> = mutants().collect();
        let mutants = parallel::map(&all, |mutant| Ok::<_, Fault>((*mutant, after(&mutant.store())?)))?;
        let controls =
            parallel::map(&CONTROLS, |control| Ok::<_, Fault>((control.name, after(&control.store)?)))?;
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

    /// Returns what was not found, who was accused, and the result in a line.
    pub fn text(&self) -> String {
        let missed = self.missed().map(|mutant| format!("not found: {}: {}\n", mutant.name, mutant.says));
        let accused = self.accused().map(|name| format!("accused: {name}, which is correct\n"));
        let lines: String = missed.chain(accused).collect();
        format!(
            "{lines}{} of {} mutants found within {} requests, {} of {} controls without a difference\n",
            self.mutants.len() - self.missed().count(),
            self.mutants.len(),
            grouped(self.steps),
            self.controls.len() - self.accused().count(),
            self.controls.len(),
        )
    }
}

pub(crate) fn explore(args: &ExploreArgs) -> Result<Output, CommandError> {
    let table = Table::of(args.seed, args.steps)?;
    Ok(Output { text: table.text(), code: u8::from(table.accused().next().is_some()) })
}
