//! The same seed gives the same run.

use cosmos_ttl_testing::simulation::bounds::Class;
use cosmos_ttl_testing::simulation::soundness::{Simulated, row, simulate};

use crate::{STORES, class};

fn in_words(run: &Simulated<'_>) -> String {
    let results: Vec<_> =
        run.results.iter().map(|(vector, outcome, reason)| (&vector.name, outcome, reason)).collect();
    format!("{:?} {:?} {} {} {results:?}", run.store, run.conclusion, run.requests, run.us)
}

#[track_caller]
fn check_repeated(class: &Class, seed: u64, threads: usize) {
    for hand in [STORES.right(seed), STORES.faulty(seed)] {
        let run = || in_words(&simulate(class, seed, &hand, threads));
        assert_eq!(run(), run(), "{} {seed} {threads}", class.name);
    }
}

#[test]
fn the_same_seed_gives_the_same_run_with_any_number_of_threads() {
    for threads in [1, 2, 64] {
        for name in ["mix", "steps-and-returns", "servers-apart"] {
            check_repeated(class(name), 1, threads);
        }
    }
}

#[test]
fn another_seed_gives_another_run() {
    let hand = STORES.right(0);
    let run = |seed| in_words(&simulate(class("mix"), seed, &hand, 16));
    assert_ne!(run(0), run(1));
}

#[test]
fn a_row_does_not_depend_on_how_the_cores_share_its_runs() {
    let all = row(&STORES, class("mix"), 0..4);
    assert_eq!(all, row(&STORES, class("mix"), 0..4));
    let halves = [0..2, 2..4].map(|seeds| row(&STORES, class("mix"), seeds).runs);
    assert_eq!(halves.iter().sum::<usize>(), all.runs);
}
