//! The output of `cargo lab mutants`.

use crate::program::{refuses, say, succeeds};

#[test]
fn mutants_stand_under_the_clauses_that_they_break() {
    insta::assert_snapshot!(succeeds(&["mutants", "visible-before-deadline", "purge-invisible"]));
}

#[test]
fn what_vectors_miss_and_whom_they_accuse_is_listed_and_fails() {
    let said = say(&["mutants", "--vectors", "suite", "no-index-is-fine", "nothing-expires"]);
    assert_eq!((said.code, said.err.as_str()), (1, ""));
    insta::assert_snapshot!(said.out);
}

#[test]
fn names_that_are_nearly_right_are_recognised() {
    assert!(refuses(&["mutants", "gone-at-dedline"]).contains("did you mean gone-at-deadline?"));
}
