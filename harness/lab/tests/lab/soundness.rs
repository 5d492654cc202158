//! The output of `cargo lab soundness`.

use cosmos_ttl_harness::vector::embedded;
use cosmos_ttl_testing::simulation::bounds::classes;
use cosmos_ttl_testing::simulation::soundness::mutant_number;
use cosmos_ttl_testing::simulation::stores::Stores;

use crate::program::{refuses, succeeds};

/// The figures are those of the runner, and other tests judge them.
#[test]
fn the_table_has_a_row_for_each_class_and_the_seeds() {
    let out = succeeds(&["soundness", "--runs", "60", "calm", "mix", "servers-apart"]);
    insta::assert_snapshot!(out.replace(char::is_numeric, "0"));
}

#[test]
fn one_seed_shows_what_its_runs_say_of_each_vector() {
    let suite = embedded().unwrap();
    let stores = Stores::new(&suite);
    let class = classes().find(|class| class.name == "steps-back").unwrap();
    let hands = [stores.right(3), stores.faulty(mutant_number(class, 3))];
    let out = succeeds(&["soundness", "--seed", "3", "steps-back"]);
    for hand in hands {
        let (_, said) = out.split_once(&format!("\nmutant:{}, steps-back: ", hand.name)).unwrap();
        let named =
            said.lines().skip(2).take(hand.vectors.len()).map(|line| line.split_whitespace().next().unwrap());
        assert!(named.eq(hand.vectors.iter().map(|vector| &vector.name)), "{said}");
    }
}

#[test]
fn a_class_that_is_nearly_right_is_recognised() {
    assert!(refuses(&["soundness", "step-back"]).contains("did you mean steps-back or steps-back-little?"));
    assert!(20 < classes().count());
}
