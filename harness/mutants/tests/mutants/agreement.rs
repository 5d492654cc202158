//! Random scripts, played to the model and to a store that was written without it: every answer must be the same.
//!
//! And if the store has a mutation, a script must show it, and shrink to one that a person can follow.

mod play;
mod script;
mod sides;

use std::iter::repeat_n;

use cosmos_ttl_mutants::{IndependentStore, Mutation, named};
use cosmos_ttl_testing::choices::{numbered, reference};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};
use script::{Script, scripts, shortened};

/// The same scripts every time, unless `PROPTEST_RNG_SEED` and `PROPTEST_CASES` say otherwise.
fn config() -> Config {
    let told = Config::default();
    let rng_seed =
        if told.rng_seed == RngSeed::Random { RngSeed::Fixed(2_147_483_647) } else { told.rng_seed };
    Config {
        cases: told.cases.max(10_000),
        rng_seed,
        max_shrink_iters: 100_000,
        failure_persistence: None,
        ..told
    }
}

/// The shortest script found that two sides answer differently, and how.
fn search(play: impl Fn(&Script) -> Result<(), String>) -> Option<(String, Script)> {
    let found =
        TestRunner::new(config()).run(&scripts(), |script| play(&script).map_err(TestCaseError::fail));
    match found {
        Ok(()) => None,
        Err(TestError::Fail(_, script)) => {
            let script = shortened(script, |script| play(script).is_err());
            play(&script).err().map(|why| (why, script))
        }
        Err(TestError::Abort(why)) => panic!("{why}"),
    }
}

#[track_caller]
fn check_agree(play: impl Fn(&Script) -> Result<(), String>) {
    println!("PROPTEST_RNG_SEED={}", config().rng_seed);
    if let Some((why, script)) = search(play) {
        panic!("{why}\n{script}");
    }
}

#[test]
fn the_model_and_the_naive_store_agree_whenever_the_background_takes_what() {
    check_agree(|script| {
        let (preferences, choices) = numbered(script.choices);
        let mut model = sides::Bare::new(preferences, script);
        let mut naive =
            sides::naive(IndependentStore { choices, ..IndependentStore::default() }, script, false);
        play::play(script, &mut model, &mut naive, &["value"])
    });
}

#[test]
fn the_reference_and_the_naive_store_agree_under_every_schedule() {
    check_agree(|script| with_mistake(script, None));
}

fn with_mistake(script: &Script, mutation: Option<Mutation>) -> Result<(), String> {
    let (preferences, choices) = numbered(script.choices);
    let reference = reference(preferences);
    let mut model = sides::Behind::new(&reference, script);
    let mut naive =
        sides::naive(IndependentStore { choices, mutation, ..IndependentStore::default() }, script, true);
    play::play(script, &mut model, &mut naive, &[])
}

#[test]
fn the_scripts_reach_what_they_are_about() {
    let mut runner = TestRunner::new(config());
    let telling = |mutation| {
        let script = scripts().new_tree(&mut runner).unwrap().current();
        with_mistake(&script, Some(mutation)).is_err()
    };
    let count = repeat_n(mutation("nothing-expires"), 1_000).map(telling).filter(|tells| *tells).count();
    println!("{count} of 1000 scripts tell a store in which nothing expires");
    assert!(200 < count, "only {count} of 1000");
}

/// A mutant of each kind that scripts are made of.
const SHOWN: [&str; 46] = [
    "nothing-expires",
    "default-wins",
    "shorter-wins",
    "minus-one-inherits",
    "container-minus-one-is-off",
    "off-honours-own-ttl",
    "minus-one-is-at-once",
    "absent-under-minus-one-is-at-once",
    "off-is-no-time",
    "one-second-late",
    "one-second-early",
    "counts-from-creation",
    "deadlines-wrap",
    "client-sets-ts",
    "reads-restart",
    "patch-does-not-restart",
    "upsert-does-not-restart",
    "identical-replace-does-not-restart",
    "refused-writes-touch-ts",
    "item-zero-is-never",
    "item-below-minus-one-is-never",
    "item-above-maximum-is-never",
    "null-inherits-for-ever",
    "null-is-refused-in-2020",
    "item-text-counts",
    "item-fraction-is-cut",
    "underscored-ttl-counts",
    "default-is-written-back",
    "refused-writes-are-kept",
    "reads-show-expired",
    "queries-show-expired",
    "expired-id-is-taken",
    "replace-revives",
    "patch-revives",
    "delete-finds-expired",
    "upsert-keeps-the-content",
    "removal-takes-the-youngest",
    "settings-at-write-decide",
    "settings-touch-ts",
    "settings-lose-items",
    "leaving-out-keeps-the-default",
    "refused-settings-switch-off",
    "no-index-is-fine",
    "aborted-batches-stay",
    "aborted-batches-keep-patches",
    "conditions-are-ignored",
];

fn mutation(name: &str) -> Mutation {
    named(name).unwrap().mutation.unwrap()
}

/// The longest that a shrunk script may be, time that passes included.
const FEW: usize = 6;

#[test]
fn every_mistake_shows_in_a_script_of_a_few_steps() {
    for name in SHOWN {
        let (why, script) = search(|script| with_mistake(script, Some(mutation(name))))
            .unwrap_or_else(|| panic!("no script shows {name}"));
        let steps = script.merged().len();
        println!("{name} in {steps}: {why}\n{script}");
        assert!(steps <= FEW, "{name} takes {steps} steps:\n{script}");
    }
}
