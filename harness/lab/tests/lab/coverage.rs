//! `cargo lab coverage`: which cells have vectors, and which reasons say why a cell has none.

use std::fs;

use crate::program::{directory, say, succeeds};

#[test]
fn every_cell_has_a_vector_or_a_reason() {
    let out = succeeds(&["coverage"]);
    assert!(out.trim_end().ends_with(" with a reason, 0 empty"), "{out}");
    assert!(out.contains("\nwritten and container "), "{out}");
    assert!(out.contains("\npath and own "), "{out}");
    // `harness/TRUST.md` has this line.
    insta::assert_snapshot!("counts", out.lines().last().unwrap_or_default());
}

#[test]
fn a_vector_fails_each_mutant_that_reads_one_thing_wrongly() {
    let out = succeeds(&["coverage", "--misreadings"]);
    assert!(out.contains("110 of 110 mutants that read one thing wrongly are killed"), "{out}");
}

#[test]
fn an_empty_cell_without_a_reason_is_listed() {
    let (code, out) =
        with_reasons("coverage-empty", "- {why: x, cells: {operation: [query], place: [in a batch]}}");
    assert_eq!(code, 1);
    assert!(out.contains("no vector in operation `list` with place `alone`"), "{out}");
    assert!(out.contains("no vector in operation `query` with place `in an aborted batch`\n"), "{out}");
}

/// Returns what the program says of the small suite with these reasons.
fn with_reasons(name: &str, reasons: &str) -> (i32, String) {
    let path = directory(name).join("reasons.yaml");
    fs::write(&path, format!("format: 1\nreasons:\n{reasons}\n")).unwrap();
    let said = say(&["coverage", "--vectors", "suite", "--reasons", path.to_str().unwrap()]);
    (said.code, said.out + &said.err)
}

#[test]
fn a_reason_for_a_cell_with_a_vector_is_an_error() {
    let (code, out) =
        with_reasons("coverage-idle", "- {why: x, cells: {operation: [create, list], place: [alone]}}");
    assert_eq!(code, 1);
    let all = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        all.contains("a vector is in operation `create` with place `alone`, so this is not a reason: x"),
        "{out}"
    );
    assert!(!all.contains("a vector is in operation `list`"), "{out}");
    assert!(!all.contains("no vector in operation `list` with place `alone`"), "{out}");
}

#[test]
fn a_reason_is_about_known_values_of_two_dimensions() {
    let check = |name: &str, reason: &str, complaint: &str| {
        let (code, out) = with_reasons(name, reason);
        assert_eq!(code, 2, "{out}");
        assert!(out.contains(complaint), "{out}");
    };
    let cells = |text: &str| format!("- {{why: x, cells: {{{text}}}}}");
    check(
        "coverage-value",
        &cells("operation: [merge], place: [alone]"),
        "`merge` is no value of the dimension operation",
    );
    check("coverage-dimension", &cells("verb: [count], place: [alone]"), "`verb` is not a dimension");
    check("coverage-one", &cells("operation: [count]"), "a reason about 1 dimensions");
}
