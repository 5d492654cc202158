//! `--profile quick` and `quick.yaml`.

use std::fs;

use crate::program::{ProgramOutput, VECTORS, copied, program, refuses, succeeds};

/// With a `quick.yaml` of these lines, nothing runs, and this is said of them.
#[track_caller]
fn check_refused(name: &str, lines: &str, what: &str) {
    let directory = copied(name);
    fs::write(directory.join("vectors/quick.yaml"), lines).unwrap();
    let run: ProgramOutput =
        program().current_dir(directory).args(["run", "--vectors", "vectors"]).output().unwrap().into();
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.contains(what), "{}", run.err);
}

#[test]
fn a_list_of_quick_vectors_that_means_nothing_is_refused_at_its_line() {
    check_refused("quick-unknown", "format: 1\nvectors:\n- lifetime/none\n", "quick.yaml:3:3");
    check_refused("quick-unknown", "format: 1\nvectors:\n- lifetime/none\n", "`lifetime/none` is no vector");
    let twice = "format: 1\nvectors:\n- lifetime/null-is-refused\n- lifetime/null-is-refused\n";
    check_refused("quick-twice", twice, "`lifetime/null-is-refused` stands here twice");
    check_refused("quick-empty", "format: 1\nvectors: []\n", "no vectors");
    check_refused("quick-format", "format: 2\nvectors: []\n", "format 2 is not known");
    check_refused("quick-field", "format: 1\nvectors: []\nwhy: none\n", "unknown field");
}

#[test]
fn a_quick_run_is_never_mistaken_for_a_whole_one() {
    let (quick, all) = (VECTORS.quick.len(), VECTORS.vectors.len());
    assert!(0 < quick && 2 * quick < all, "{quick} of {all}");
    let run = succeeds(&["run", "--profile", "quick"]);
    assert!(run.contains(&format!("{quick} vectors (of {all})")), "{run}");
    assert!(run.contains(&format!("\nno failure in the quick profile: {quick} vectors pass; ")), "{run}");
}

#[test]
fn what_is_not_quick_is_not_run_in_silence() {
    let slow = VECTORS.vectors.iter().find(|vector| !VECTORS.quick.contains(&vector.name)).unwrap();
    let err = refuses(&["run", "--profile", "quick", &slow.name]);
    assert!(err.contains("is quick") && err.contains("leave `--profile quick` away"), "{err}");
    let none = refuses(&["run", "--profile", "quick", "--vectors", "suite"]);
    assert!(none.contains("no quick.yaml") && none.contains("cargo lab quick"), "{none}");
}
