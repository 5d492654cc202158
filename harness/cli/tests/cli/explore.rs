//! The output of `cosmos-ttl explore`.

use crate::program::{VECTORS, refuses, say, succeeds};

#[track_caller]
fn says(words: &[&str], code: i32) -> String {
    let output = crate::program::program().arg("explore").args(words).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{words:?}");
    assert_eq!(output.status.code(), Some(code), "{words:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_difference_is_shown_small_and_as_a_vector() {
    insta::assert_snapshot!(says(&["mutant:one-second-late", "--seed", "1"], 1));
}

#[test]
fn nothing_found_says_how_much_was_looked_at() {
    insta::assert_snapshot!(says(&["reference", "--steps", "2000"], 0));
}

#[test]
fn a_difference_from_a_should_fails_only_if_that_is_asked_for() {
    let words = ["mutant:patch-does-not-restart", "--steps", "3000"];
    let text = says(&words, 0);
    assert!(text.starts_with("warning: ") && text.contains("patch-restarts-count"), "{text}");
    let strict = says(&[&words[..], &["--strict"]].concat(), 1);
    assert!(strict.starts_with("error: "), "{strict}");
}

#[test]
fn a_process_is_explored_as_a_store_of_ours_is() {
    let program = env!("CARGO_BIN_EXE_cosmos-ttl");
    let text = says(&["--steps", "1000", "--", program, "serve", "--stdio"], 0);
    assert!(text.contains("no difference in 1,000 requests"), "{text}");
}

#[test]
fn what_cannot_be_explored_is_refused() {
    for words in [&["mutant:nobody"][..], &["lifetime"], &["ftp://127.0.0.1"]] {
        let suite = ["--vectors", "suite"];
        let output = crate::program::program().arg("explore").args(words).args(suite).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}");
    }
}

#[test]
fn exploration_goes_on_after_a_clause_that_is_left_out() {
    let text = says(&["mutant:one-second-late", "--steps", "500", "--except", "gone-at-deadline"], 0);
    assert!(text.contains("left out: ") && text.contains("no difference in 500 requests"), "{text}");
    let output = crate::program::program().args(["explore", "--except", "gone-at-dedline"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn random_sessions_are_replayed_as_vectors_and_one_alone_repeats() {
    let said = say(&["run", "--random", "30", "--seed", "7", "reference"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(said.out.contains("\nno failure: 30 selected vectors pass; "), "{}", said.out);

    let said = say(&["run", "--random", "30", "--seed", "7", "mutant:one-second-late"]);
    assert_eq!(said.code, 1, "{}{}", said.out, said.err);
    let again = said.out.lines().find_map(|line| line.split_once("cosmos-ttl run --random ")).unwrap().1;
    let words: Vec<&str> = again.split_whitespace().collect();
    assert_eq!(&words[..4], ["30", "--seed", "7", "mutant:one-second-late"], "{again}");
    let alone = say(&[&["run", "--random"], &words[..]].concat());
    assert!(alone.code == 1 && alone.out.contains("\n1 vector"), "{}{}", alone.out, alone.err);

    let refused = refuses(&["run", "--random", "3", "reference", "lifetime/off-*"]);
    assert!(refused.contains("no filter selects one of the 3 random vectors"), "{refused}");
}

#[test]
fn the_transitions_of_the_model_are_vectors_that_a_file_can_hold() {
    let listed = succeeds(&["list", "--profile", "model", "--format", "json", "--steps", "expired"]);
    let file = listed.split_once("\"files\": [").unwrap().1.trim_end().trim_end_matches('}').trim_end();
    // JSON is YAML.
    let read = VECTORS.read_file("expired.yaml", file.trim_end_matches(']').to_owned()).unwrap();
    assert!(20 < read.len() && read.iter().all(|vector| vector.name.starts_with("expired/model-")));
    assert_eq!(read.len(), file.matches("\"id\":\"model-").count());

    let said = say(&["run", "--profile", "model", "mutant:one-second-late"]);
    assert_eq!(said.code, 1, "{}{}", said.out, said.err);
    assert!(said.out.contains("cosmos-ttl run --profile model mutant:one-second-late "), "{}", said.out);
}
