//! `cargo lab explore`: how soon random requests find each mutant, and that no correct store is accused.

use std::sync::atomic::AtomicBool;

use crate::args::ExploreArgs;
use cosmos_ttl::shell::{CommandError, Output, grouped};
use cosmos_ttl_explore::{Exploration, ExploreOptions, explore as explore_target};
use cosmos_ttl_harness::parallel;
use cosmos_ttl_harness::target::Fault;
use cosmos_ttl_mutants::{CONTROLS, FaultyStore, mutants};

/// A store, and what is known of it.
struct Explored {
    name: &'static str,
    says: &'static str,
    store: FaultyStore,
    seed: u64,
}

/// Explores each of these stores with this number of random requests.
fn explorations(stores: &[Explored], steps: u64) -> Result<Vec<Exploration>, Fault> {
    let stop = AtomicBool::new(false);
    parallel::map(stores, |Explored { store, seed, .. }| {
        explore_target(store, &ExploreOptions { seed: *seed, steps, stop: &stop })
    })
}

/// Explores every store, and returns what was not found, who was accused, and the result in a line; exit code 1 if a
/// correct store was accused, or was not asked all of it.
///
/// # Errors
///
/// [`Fault::Misuse`], which none of them gives.
pub fn explored(seed: u64, steps: u64, controls_alone: bool) -> Result<Output, Fault> {
    let apart = |number: u64| seed.wrapping_add(number.wrapping_mul(1_000_000));
    let controls: Vec<_> = CONTROLS
        .iter()
        .zip(0..)
        .map(|(one, number)| Explored {
            name: one.name,
            says: one.says,
            store: one.store.into(),
            seed: apart(number),
        })
        .collect();
    let mutants: Vec<_> = mutants()
        .filter(|_| !controls_alone)
        .map(|one| Explored { name: one.name, says: one.says, store: one.store(), seed })
        .collect();
    let wrong: Vec<String> = controls
        .iter()
        .zip(explorations(&controls, steps)?)
        .filter_map(|(one, Exploration { found, coverage, .. })| match (found, coverage.given_up) {
            (Some(_), _) => Some(format!("accused: {}, which is correct\n", one.name)),
            (None, 0) if coverage.requests == steps => None,
            (None, given_up) => Some(format!(
                "not explored: {}: {} requests, {given_up} sessions given up\n",
                one.name, coverage.requests
            )),
        })
        .collect();
    let missed: Vec<String> = mutants
        .iter()
        .zip(explorations(&mutants, steps)?)
        .filter(|(_, explored)| explored.found.is_none())
        .map(|(one, _)| format!("not found: {}: {}\n", one.name, one.says))
        .collect();
    let of_mutants = match mutants.len() {
        0 => String::new(),
        all => format!("{} of {all} mutants found, ", all - missed.len()),
    };
    let text = format!(
        "{}{}{of_mutants}{} of {} controls without a difference, within {} requests each\n",
        missed.concat(),
        wrong.concat(),
        controls.len() - wrong.len(),
        controls.len(),
        grouped(steps)
    );
    Ok(Output { text, code: u8::from(!wrong.is_empty()) })
}

pub(crate) fn explore(args: &ExploreArgs) -> Result<Output, CommandError> {
    Ok(explored(args.seed, args.steps, args.controls)?)
}
