//! What `cosmos-ttl mutants` says, and mutants as targets.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn program(words: &[&str]) -> Command {
    let mut command = crate::program::program();
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli")).args(words);
    command
}

fn text(output: Output) -> (i32, String, String) {
    let utf8 = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), utf8(output.stdout), utf8(output.stderr))
}

fn say(words: &[&str]) -> (i32, String, String) {
    text(program(words).output().unwrap())
}

#[track_caller]
fn says(words: &[&str]) -> String {
    let (code, out, err) = say(words);
    assert_eq!((code, err.as_str()), (0, ""), "{words:?}");
    out
}

#[track_caller]
fn refuses(words: &[&str]) -> String {
    let (code, out, err) = say(words);
    assert_eq!((code, out.as_str()), (2, ""), "{words:?}");
    err
}

#[test]
fn the_kill_matrix() {
    insta::assert_snapshot!(says(&["mutants", "--matrix"]));
}

#[test]
fn mutants_stand_under_the_clauses_that_they_break() {
    insta::assert_snapshot!(says(&["mutants", "visible-before-deadline", "purge-invisible"]));
}

#[test]
fn there_are_no_survivors_but_those_that_nobody_can_tell() {
    insta::assert_snapshot!(says(&["mutants", "--survivors"]));
}

#[test]
fn what_vectors_miss_is_listed_and_fails() {
    let (code, out, err) = say(&["mutants", "--vectors", "suite", "no-index-is-fine", "nothing-expires"]);
    assert_eq!((code, err.as_str()), (1, ""));
    insta::assert_snapshot!(out);
}

#[test]
fn the_shortest_storyboard_stands_beside_the_shortest_vector() {
    let names = ["item-zero-inherits", "removal-finishes-when-switched-off", "one-second-late"];
    let out = says(&[&["mutants", "--shortest"], &names[..]].concat());
    let line = |name: &str| {
        let line = out.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    // One request beside the container's creation, and nothing shorter: refused or not.
    assert_eq!(line(names[0])[..2], ["2", "*"], "{out}");
    // It differs from the store that removes later, and both are right.
    assert_eq!((line(names[1])[1].as_str(), line(names[1])[3].as_str()), ("o", "equivalent"), "{out}");
    // Two moves are too few for a life that is created, passes and is read: found among the vectors, not proved.
    let late = line(names[2]);
    assert_eq!(late[0], "3", "{out}");
    assert!(late[1] != "*" && late[1] != "o", "{out}");
    assert!(out.contains("\n0 of 2 mutants are failed by a vector as short as their storyboard, "), "{out}");
}

#[test]
fn programs_read_the_shortest_storyboard_only_if_it_is_asked_for() {
    let read = |words: &[&str]| -> serde_json::Value {
        let json = says(&[&["mutants", "--format", "json", "item-zero-inherits"], words].concat());
        serde_json::from_str(&json).unwrap()
    };
    let asked = &read(&["--shortest"])["mutants"][0]["storyboard"];
    assert_eq!(asked, &serde_json::json!({"requests": 2, "proved-shortest": true, "wrong": true}));
    assert!(read(&[])["mutants"][0].get("storyboard").is_none());
}

#[test]
fn programs_read_the_same() {
    let json = says(&["mutants", "--format", "json", "mutant:one-second-late"]);
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
    insta::assert_snapshot!(refuses(&["run", "mutant:one-second-lat"]));
    insta::assert_snapshot!(refuses(&["mutants", "gone-at-dedline"]));
    insta::assert_snapshot!(refuses(&["serve", "--stdio", "--target", "http://127.0.0.1:9"]));
    insta::assert_snapshot!(refuses(&["run", "clock", "mutant:one-second-late"]));
}

#[test]
fn a_mutant_is_a_target() {
    let (code, out, _) = say(&["run", "mutant:one-second-late", "gone-at-deadline"]);
    assert_eq!(code, 1);
    assert!(out.contains("again: cosmos-ttl run mutant:one-second-late "), "{out}");
    assert!(says(&["run", "mutant:expiry-latched"]).contains("conformant"));
}

#[test]
fn a_mutant_is_served_like_the_reference() {
    let serve = env!("CARGO_BIN_EXE_cosmos-ttl");
    let through = |target: &str| {
        say(&["run", "gone-at-deadline", "--", serve, "serve", "--stdio", "--target", target]).0
    };
    assert_eq!((through("mutant:one-second-late"), through("mutant:right")), (1, 0));
    let mut served = program(&["serve", "--stdio", "--target", "mutant:right"]);
    let mut served = served.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    served
        .stdin
        .take()
        .unwrap()
        .write_all(b"{\"q\":1,\"hello\":{\"protocol\":1,\"harness\":\"tests\"}}\n")
        .unwrap();
    let (_, out, _) = text(served.wait_with_output().unwrap());
    assert!(out.contains("\"name\":\"mutant:right\""), "{out}");
}

#[test]
fn a_mutant_is_no_list_of_known_failures() {
    let err = refuses(&["known", "update", "mutant:one-second-late"]);
    assert!(err.contains("a target stands where the list should"), "{err}");
}
