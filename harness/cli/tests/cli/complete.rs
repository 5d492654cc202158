//! The output of `cosmos-ttl run --profile complete`.

use crate::program::program;

#[track_caller]
fn says(words: &[&str], code: i32) -> String {
    let output =
        program().args(["run", "--profile", "complete", "--depth", "0"]).args(words).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{words:?}");
    assert_eq!(output.status.code(), Some(code), "{words:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_store_that_passes_is_told_what_that_means() {
    let text = says(&["reference"], 0);
    assert!(text.contains("conformant: ") && text.contains("answers as the model does, forever"), "{text}");
    assert!(text.contains("removal never: 20,112 tests, 40 states to tell apart"), "{text}");
}

#[test]
fn a_fault_is_shown_as_a_vector_with_the_command_that_repeats_it() {
    let text = says(&["mutant:one-second-late"], 1);
    assert!(text.starts_with("error: ") && text.contains("clauses: ") && text.contains("- id: "), "{text}");
    assert!(
        text.contains("again: cosmos-ttl run --profile complete --depth 0 mutant:one-second-late"),
        "{text}"
    );
    assert!(!text.contains("forever"), "{text}");
}

#[test]
fn a_difference_from_a_should_is_a_warning_and_then_nothing_is_proved() {
    let text = says(&["mutant:item-text-counts"], 0);
    assert!(text.starts_with("warning: ") && text.contains("nothing is proved"), "{text}");
    let strict = says(&["--strict", "mutant:item-text-counts"], 1);
    assert!(strict.starts_with("error: "), "{strict}");
}

#[test]
fn the_complete_suite_is_no_choice_of_vectors() {
    for words in [
        &["run", "--profile", "complete", "lifetime"][..],
        &["run", "--profile", "complete", "--dry-run"],
        &["run", "--profile", "complete", "http://127.0.0.1:1"],
        &["run", "--depth", "1"],
        &["list", "--profile", "complete"],
    ] {
        assert_eq!(program().args(words).output().unwrap().status.code(), Some(2), "{words:?}");
    }
}
