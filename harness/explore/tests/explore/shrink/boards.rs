//! Scripts to try things with.

use cosmos_ttl_explore::distinguish::differs as answer_differently;
use cosmos_ttl_explore::shrink::{MOST_CALLS, shrink_within};
use cosmos_ttl_explore::{Script, draw};
use cosmos_ttl_harness::target::{Edition, Removal, Target};
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_mutants::{IndependentStore, named};

/// Whether this store answers otherwise than the right one.
pub(crate) fn differs(store: &dyn Target, script: &Script) -> bool {
    answer_differently([store, &IndependentStore::default()], script, Some(Removal::Never)).unwrap()
}

/// Whether it answers as no right store does that chooses the same everywhere.
pub(crate) fn errs(store: &dyn Target, script: &Script) -> bool {
    let others = ["right", "every-other-choice", "removal-eager", "expiry-latched"];
    let differs = |name: &str| {
        let right = named(name).unwrap();
        answer_differently([store, &right], script, Some(Removal::Never)).unwrap()
    };
    others.into_iter().all(differs)
}

/// The smallest script that fails.
pub(crate) fn shrink(script: &Script, fails: &mut dyn FnMut(&Script) -> bool) -> Script {
    shrink_within(script, MOST_CALLS, fails).0
}

/// What a vector asks.
pub(crate) fn asked_by(vector: &Vector) -> Script {
    Script::of_vector(vector, Edition::default()).unwrap()
}

/// The first actions that are drawn from this seed, up to eight.
pub(crate) fn drawn(seed: u64) -> Script {
    let mut script = draw(&IndependentStore::default(), seed).unwrap();
    script.actions.truncate(1 + usize::try_from(seed % 8).unwrap());
    script
}
