//! The output of `cosmos-ttl prove`.

use crate::program::program;

#[track_caller]
fn says(words: &[&str], code: i32) -> String {
    says_of(&["--depth", "0", "--longest-ttl", "1"], words, code)
}

#[track_caller]
fn says_of(suite: &[&str], words: &[&str], code: i32) -> String {
    let output = program().arg("prove").args(suite).args(words).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{words:?}");
    assert_eq!(output.status.code(), Some(code), "{words:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_store_that_passes_is_told_what_that_means() {
    let text = says(&["reference"], 0);
    assert!(text.contains("conformant: ") && text.contains("harness/USAGE.md"), "{text}");
    assert!(text.contains("\nThis target answers as the model does, forever, unless "), "{text}");
    assert!(text.contains("removal never: 7,092 tests, 18 states to tell apart"), "{text}");
}

#[test]
fn a_fault_is_shown_as_a_vector_with_the_command_that_repeats_it() {
    let text = says(&["mutant:one-second-late"], 1);
    assert!(text.starts_with("error: ") && text.contains("clauses: ") && text.contains("- id: "), "{text}");
    let again = "again: cosmos-ttl prove --depth 0 --longest-ttl 1 mutant:one-second-late\n";
    assert!(text.contains(again), "{text}");
    assert!(!text.contains("forever"), "{text}");
}

#[test]
fn a_store_that_leaves_the_machine_is_undecided_and_is_told_why() {
    let text = says(&["mutant:whole-fractions-taken-for-some"], 3);
    assert!(text.contains(" tests ended early, so nothing is proved: "), "{text}");
    assert!(text.contains("undecided: ") && !text.contains("forever"), "{text}");
    let page = says(&["--format", "json", "mutant:whole-fractions-taken-for-some"], 3);
    assert!(page.contains("\"complete\": false") && page.contains("\"statement\": null"), "{page}");
}

#[test]
fn two_items_share_a_container() {
    let text = says_of(&["--items", "2"], &["--longest-ttl", "1", "mutant:one-second-late"], 1);
    assert!(text.starts_with("error: ") && text.contains("clauses: "), "{text}");
    for line in [
        "again: cosmos-ttl prove --depth 0 --items 2 --longest-ttl 1 mutant:one-second-late\n",
        "complete suite of depth 0 with two items and lifetimes up to 1 s: 108 states, 182 inputs, 38 of them on the way",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
fn two_items_have_one_depth_and_one_longest_lifetime() {
    for words in [["--depth", "1"], ["--longest-ttl", "2"]] {
        let output = program().args(["prove", "--items", "2", "reference"]).args(words).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(told.contains("only `--depth 0` and `--longest-ttl 1` are accepted"), "{told}");
    }
}

#[test]
fn a_difference_from_a_should_is_a_warning_and_then_nothing_is_proved() {
    let text = says(&["mutant:patch-in-a-batch-does-not-restart"], 0);
    assert!(text.starts_with("warning: ") && text.contains("nothing is proved"), "{text}");
    // It also leaves the model, so that tests end early.
    let cut = says(&["mutant:item-text-counts"], 3);
    assert!(
        cut.starts_with("warning: ") && cut.contains(" tests ended early, so nothing is proved: "),
        "{cut}"
    );
    let strict = says(&["--strict", "mutant:item-text-counts"], 1);
    assert!(strict.starts_with("error: "), "{strict}");
}

#[test]
fn what_has_no_complete_suite_is_refused() {
    for words in [
        &["prove", "lifetime"][..],
        &["prove", "reference", "lifetime"],
        &["prove", "http://127.0.0.1:1"],
        &["prove", "--items", "3"],
        &["run", "--depth", "1"],
        &["run", "--profile", "complete"],
    ] {
        assert_eq!(program().args(words).output().unwrap().status.code(), Some(2), "{words:?}");
    }
}
