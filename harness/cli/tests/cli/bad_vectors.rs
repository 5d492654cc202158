//! Files that cannot be used: each is refused, at its place, with what is accepted.

use std::fs;

use crate::program::{directory, program, suite};

const HEAD: &str = "format: 1\nsection: lifetime\nvectors:\n";

const GOOD: &str = "\
- id: good
  title: An item's own ttl wins
  clauses: [item-seconds-override]
  steps:
  - create-container: {defaultTtl: 100, expect: created}
  - create: {id: a, ttl: 10,            expect: created}
  - at: 9
  - read: {id: a,                       expect: found}
";

fn copy_clauses(vectors: &std::path::Path) {
    for file in ["clauses.yaml", "evidence.yaml"] {
        fs::copy(suite().join(file), vectors.join(file)).unwrap();
    }
}

/// Returns the error about a directory with this `lifetime.yaml`.
#[track_caller]
fn refused(name: &str, text: &[u8]) -> String {
    let directory = directory(name);
    let vectors = directory.join("vectors");
    fs::create_dir(&vectors).unwrap();
    copy_clauses(&vectors);
    fs::write(vectors.join("lifetime.yaml"), text).unwrap();
    refused_in(&directory)
}

#[track_caller]
fn refused_in(directory: &std::path::Path) -> String {
    let output = program().current_dir(directory).args(["run", "--vectors", "vectors"]).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(!text.contains("panicked"), "{text}");
    text
}

/// The good vector with one thing changed.
#[track_caller]
fn changed(name: &str, from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    refused(name, (HEAD.to_owned() + &GOOD.replace(from, to)).as_bytes())
}

#[test]
fn a_directory_that_is_missing() {
    insta::assert_snapshot!(refused_in(&directory("missing")));
}

#[test]
fn a_directory_without_clauses() {
    let directory = directory("no-clauses");
    fs::create_dir(directory.join("vectors")).unwrap();
    insta::assert_snapshot!(refused_in(&directory));
}

#[test]
fn a_directory_without_vectors() {
    let directory = directory("no-vectors");
    fs::create_dir(directory.join("vectors")).unwrap();
    copy_clauses(&directory.join("vectors"));
    insta::assert_snapshot!(refused_in(&directory));
}

#[test]
fn a_file_that_nobody_reads() {
    let directory = directory("stray");
    fs::create_dir(directory.join("vectors")).unwrap();
    fs::write(directory.join("vectors/notes.txt"), "").unwrap();
    insta::assert_snapshot!(refused_in(&directory));
}

#[test]
fn a_file_whose_name_means_no_good() {
    let directory = directory("hostile-name");
    fs::create_dir(directory.join("vectors")).unwrap();
    fs::write(directory.join("vectors/\u{1b}[31mred\n.txt"), "").unwrap();
    let text = refused_in(&directory);
    assert!(!text.contains('\u{1b}'), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn a_field_that_does_not_exist() {
    insta::assert_snapshot!(changed(
        "unknown-field",
        "{id: a,                       expect: found}",
        "{id: a, expcet: found}"
    ));
}

#[test]
fn a_step_that_does_not_exist() {
    insta::assert_snapshot!(changed("unknown-step", "- read:", "- raed:"));
}

#[test]
fn a_request_that_expects_nothing() {
    insta::assert_snapshot!(changed("no-expect", "{id: a,                       expect: found}", "{id: a}"));
}

#[test]
fn an_answer_that_this_request_never_has() {
    insta::assert_snapshot!(changed("wrong-answer", "expect: found}", "expect: created}"));
}

#[test]
fn a_clause_that_does_not_exist() {
    insta::assert_snapshot!(changed("unknown-clause", "[item-seconds-override]", "[item-seconds-overide]"));
}

#[test]
fn a_clause_that_no_client_can_see() {
    insta::assert_snapshot!(changed("model-clause", "[item-seconds-override]", "[purge-uses-leftover]"));
}

#[test]
fn a_clock_that_goes_back() {
    insta::assert_snapshot!(changed("clock", "  - at: 9", "  - at: 9\n  - at: 8"));
}

#[test]
fn an_item_that_is_gone_without_a_witness() {
    insta::assert_snapshot!(changed("no-witness", "expect: found}", "expect: not-found}"));
}

#[test]
fn an_id_that_is_used_twice() {
    insta::assert_snapshot!(refused("twice", (HEAD.to_owned() + GOOD + GOOD).as_bytes()));
}

#[test]
fn a_file_without_vectors() {
    insta::assert_snapshot!(refused("empty-file", b"format: 1\nsection: lifetime\nvectors: []\n"));
}

#[test]
fn a_vector_that_asks_nothing() {
    let text = "- id: idle\n  title: Nothing is asked\n  clauses: [item-seconds-override]\n  steps: []\n";
    insta::assert_snapshot!(refused("idle", (HEAD.to_owned() + text).as_bytes()));
}

#[test]
fn an_anchor() {
    insta::assert_snapshot!(changed("anchor", "title: An", "title: &a An"));
}

#[test]
fn a_text_that_is_no_yaml() {
    insta::assert_snapshot!(changed("no-yaml", "expect: found}", "expect: found"));
}

#[test]
fn a_text_that_is_no_utf_8() {
    let mut text = (HEAD.to_owned() + GOOD).into_bytes();
    let place = text.windows(4).position(|window| window == b"ttl ").unwrap();
    text[place] = 0xff;
    insta::assert_snapshot!(refused("no-utf-8", &text));
}

#[test]
fn a_text_that_means_no_good() {
    let text = changed("hostile-text", "title: An", "\"\\e[31mred\\e[0m\": \u{202e}An");
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn an_ended_line_of_another_system_is_no_flaw() {
    let directory = directory("crlf");
    fs::create_dir(directory.join("vectors")).unwrap();
    copy_clauses(&directory.join("vectors"));
    fs::write(directory.join("vectors/lifetime.yaml"), (HEAD.to_owned() + GOOD).replace('\n', "\r\n"))
        .unwrap();
    let output = program().current_dir(&directory).args(["run", "--vectors", "vectors"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn all_errors_of_all_files_are_shown_at_once_with_what_may_be_meant() {
    let directory = directory("many");
    let vectors = directory.join("vectors");
    fs::create_dir(&vectors).unwrap();
    copy_clauses(&vectors);
    let other = GOOD.replace("id: good", "id: better").replace("at: 9", "at: soon");
    let shapes = GOOD.replace("title:", "titel:").replace("expect: found", "expcet: found") + &other;
    fs::write(vectors.join("lifetime.yaml"), HEAD.to_owned() + &shapes).unwrap();
    let settings = HEAD.replace("lifetime", "settings");
    let clause = GOOD.replace("override", "overide");
    let query =
        GOOD.replace("id: good", "id: better").replace("read: {id: a,  ", "query: {").replace("found", "[b]");
    fs::write(vectors.join("settings.yaml"), settings + &clause + &query).unwrap();
    insta::assert_snapshot!(refused_in(&directory));
}
