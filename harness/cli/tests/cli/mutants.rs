//! Mutants as targets.

use std::io::Write as _;
use std::process::Stdio;

use crate::program::{ProgramOutput, program, refuses, say, succeeds};

#[test]
fn names_that_are_nearly_right_are_recognised() {
    insta::assert_snapshot!(refuses(&["run", "mutant:one-second-lat"]));
    insta::assert_snapshot!(refuses(&["serve", "--stdio", "--target", "http://127.0.0.1:9"]));
    insta::assert_snapshot!(refuses(&["run", "lifetime", "mutant:one-second-late", "--vectors", "suite"]));
}

#[test]
fn a_mutant_is_a_target() {
    let said = say(&["run", "mutant:one-second-late", "--vectors", "suite"]);
    assert_eq!(said.code, 1);
    let again = "again: cosmos-ttl run --vectors suite mutant:one-second-late ";
    assert!(said.out.contains(again), "{}", said.out);
    assert!(succeeds(&["run", "mutant:expiry-latched", "--vectors", "suite"]).contains("conformant"));
}

#[test]
fn a_mutant_is_served_like_the_reference() {
    let serve = env!("CARGO_BIN_EXE_cosmos-ttl");
    let through = |target: &str| {
        say(&["run", "--vectors", "suite", "--", serve, "serve", "--stdio", "--target", target]).code
    };
    assert_eq!((through("mutant:one-second-late"), through("mutant:right")), (1, 0));
    let mut served = program();
    served.args(["serve", "--stdio", "--target", "mutant:right"]);
    let mut served = served.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    served
        .stdin
        .take()
        .unwrap()
        .write_all(b"{\"q\":1,\"hello\":{\"protocol\":1,\"harness\":\"tests\"}}\n")
        .unwrap();
    let ProgramOutput { out, .. } = served.wait_with_output().unwrap().into();
    assert!(out.contains("\"name\":\"mutant:right\""), "{out}");
}

#[test]
fn a_mutant_is_no_list_of_known_failures() {
    let err = refuses(&["known", "update", "mutant:one-second-late"]);
    assert!(err.contains("a target stands where the list should"), "{err}");
}
