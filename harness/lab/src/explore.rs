//! `cargo lab explore`: how soon random requests find each mutant, and that no correct store is accused.

use std::sync::atomic::AtomicBool;

use crate::args::ExploreArgs;
use cosmos_ttl::shell::{CommandError, Output, grouped};
use cosmos_ttl_explore::{ExploreOptions, explore as explore_target};
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

/// Returns those of these stores in which this number of random requests finds a fault, or in which it finds none.
fn found(stores: &[Explored], steps: u64, finds: bool) -> Result<Vec<&Explored>, Fault> {
    let stop = AtomicBool::new(false);
    let found = parallel::map(stores, |Explored { store, seed, .. }| {
        let options = ExploreOptions { seed: *seed, steps, stop: &stop };
        Ok::<_, Fault>(explore_target(store, &options)?.found.is_some())
    })?;
    Ok(stores.iter().zip(found).filter(|(_, found)| *found == finds).map(|(store, _)| store).collect())
}

/// Explores every store, and returns what was not found, who was accused, and the result in a line; exit code 1 if a
/// correct store was accused.
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
    let accused = found(&controls, steps, true)?;
    let missed = found(&mutants, steps, false)?;
    let not_found = missed.iter().map(|one| format!("not found: {}: {}\n", one.name, one.says));
    let wrong = accused.iter().map(|one| format!("accused: {}, which is correct\n", one.name));
    let lines: Vec<String> = not_found.chain(wrong).collect();
    let of_mutants = match mutants.len() {
        0 => String::new(),
        all => format!("{} of {all} mutants found, ", all - missed.len()),
    };
    let text = format!(
        "{}{of_mutants}{} of {} controls without a difference, within {} requests each\n",
        lines.concat(),
        controls.len() - accused.len(),
        controls.len(),
        grouped(steps)
    );
    Ok(Output { text, code: u8::from(!accused.is_empty()) })
}

pub(crate) fn explore(args: &ExploreArgs) -> Result<Output, CommandError> {
    Ok(explored(args.seed, args.steps, args.controls)?)
}
