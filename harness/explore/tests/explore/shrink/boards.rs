//! Scripts to try things with.

use std::sync::atomic::AtomicBool;

use cosmos_ttl_explore::shrink::{MOST_CALLS, drop_unneeded};
use cosmos_ttl_explore::{ExploreOptions, Script, explore, play};
use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::target::{Body, Removal, Response, Target};
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_mutants::IndependentStore;
use cosmos_ttl_testing::choices::{COUNT, numbered, reference};
use cosmos_ttl_testing::wrong::Tampered;

/// Whether this store answers what the model never does.
pub(crate) fn differs(store: &dyn Target, script: &Script) -> bool {
    play(store, script, Some(Removal::Never)).unwrap().is_some()
}

/// The smallest script that fails.
pub(crate) fn shrink(script: &Script, fails: &mut dyn FnMut(&Script) -> bool) -> Script {
    drop_unneeded(script, &mut { MOST_CALLS }, fails)
}

/// Returns the requests of a vector as a script, if the model knows them.
pub(crate) fn asked_by(vector: &Vector) -> Option<Script> {
    Script::of_vector(vector)
}

/// The first actions of a session that is drawn from about this seed, up to eight.
pub(crate) fn drawn(seed: u64) -> Script {
    let counts_wrongly = |response: &mut Response| {
        if let Body::Count(count) = &mut response.body {
            *count += 1_000;
        }
    };
    let options = ExploreOptions { seed: 1_000 * seed, steps: 10_000, stop: &AtomicBool::new(false) };
    let explored = explore(&Tampered(IndependentStore::default(), counts_wrongly), &options).unwrap();
    let mut script = explored.found.unwrap().script;
    script.actions.truncate(1 + usize::try_from(seed % 8).unwrap());
    script
}

fn kind(target: &dyn Target, vector: &Vector) -> Outcome {
    run_virtual(target, &[vector]).unwrap().results[0].verdict.outcome()
}

pub(crate) fn fails(target: &dyn Target, vector: &Vector) -> bool {
    kind(target, vector) == Outcome::Fail
}

/// Both oracles pass it, whatever they choose.
pub(crate) fn check_right(vector: &Vector, text: &str) {
    for number in (0..COUNT).step_by(9).chain([COUNT - 1]) {
        let (preferences, choices) = numbered(number);
        let model = kind(&reference(preferences), vector);
        assert_eq!(model, Outcome::Pass, "the model, choice {number}:\n{text}");
        let naive = kind(&IndependentStore { choices, ..IndependentStore::default() }, vector);
        assert_eq!(naive, Outcome::Pass, "the naive store, choice {number}:\n{text}");
    }
}
