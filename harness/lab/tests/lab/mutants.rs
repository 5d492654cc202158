//! The output of `cargo lab mutants`.

use crate::program::{copied, refuses, say, succeeds};

#[test]
fn mutants_stand_under_the_clauses_that_they_break() {
    insta::assert_snapshot!(succeeds(&["mutants", "visible-before-deadline", "purge-invisible"]));
}

#[test]
fn what_vectors_miss_is_listed_and_fails() {
    let said = say(&["mutants", "--vectors", "suite", "no-index-is-fine", "nothing-expires"]);
    assert_eq!((said.code, said.err.as_str()), (1, ""));
    insta::assert_snapshot!(said.out);
}

#[test]
fn programs_read_the_same() {
    let json = succeeds(&["mutants", "--format", "json", "mutant:one-second-late"]);
    let read: serde_json::Value = serde_json::from_str(&json).unwrap();
    let mutant = &read["mutants"][0];
    assert_eq!(mutant["name"], "one-second-late");
    assert_eq!(mutant["killed-by"], mutant["vectors"].as_array().unwrap().len());
    assert!(
        read["controls"]
            .as_array()
            .unwrap()
            .iter()
            .all(|control| control["failed-by"] == serde_json::json!([]))
    );
    assert_eq!(read["missing"], serde_json::json!([]));
}

#[test]
fn names_that_are_nearly_right_are_recognised() {
    assert!(refuses(&["mutants", "gone-at-dedline"]).contains("did you mean gone-at-deadline?"));
}

#[test]
fn a_vector_that_asks_too_much_accuses_controls_and_the_command_fails() {
    let directory = copied("controls");
    let directory = directory.join("vectors");
    // The small suite asks for a new etag, which no clause does.
    let words = ["mutants", "--controls", "--steps", "1", "--vectors", directory.to_str().unwrap()];
    let said = say(&words);
    assert_eq!((said.code, said.err.as_str()), (1, ""));
    let end = "\nmissing 1 vector fails etags-stay, lifetime/patched-item first\n\
               41 controls · 5 vectors · 41 random requests · 1 accused\n";
    assert!(said.out.ends_with(end), "{}", said.out);
    assert!(said.out.contains("\nnull-refused-at-creation\n    Refuses null"), "{}", said.out);
}
