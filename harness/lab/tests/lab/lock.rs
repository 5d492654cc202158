//! `cargo lab lock`: what is published stays what it is.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{Outcome, copied, program};

/// The same, with a lock that is up to date.
fn locked(name: &str) -> PathBuf {
    let directory = copied(name);
    assert_eq!(lock(&directory, &[]).code, 0);
    directory
}

fn lock(directory: &Path, words: &[&str]) -> Outcome {
    program().current_dir(directory).arg("lock").args(words).output().unwrap().into()
}

fn stored(directory: &Path) -> String {
    fs::read_to_string(directory.join("vectors/vectors.lock")).unwrap()
}

fn change(directory: &Path, file: &str, from: &str, to: &str) {
    let path = directory.join("vectors").join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from}");
    fs::write(path, text.replace(from, to)).unwrap();
}

/// Takes the second vector of `settings.yaml` away.
fn take_away(directory: &Path) {
    let path = directory.join("vectors/settings.yaml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.split("- id: refused-batch").next().unwrap()).unwrap();
}

#[test]
fn new_vectors_are_added() {
    let directory = copied("lock-new");
    let said = lock(&directory, &[]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert_eq!(said.out, "vectors/vectors.lock: 5 vectors, 5 new; written\n");
    assert_eq!(stored(&directory).lines().filter(|line| !line.starts_with('#')).count(), 5);
    assert_eq!(lock(&directory, &[]).out, "vectors/vectors.lock: 5 vectors; up to date\n");
    assert_eq!(lock(&directory, &["--check"]).code, 0);
}

#[test]
fn a_check_writes_nothing() {
    let directory = copied("lock-check");
    let said = lock(&directory, &["--check"]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    assert!(!directory.join("vectors/vectors.lock").exists());
    insta::assert_snapshot!(said.err);
}

#[test]
fn another_layout_is_no_change() {
    let directory = locked("lock-layout");
    change(
        &directory,
        "lifetime.yaml",
        "{id: a, ttl: 10,            expect: created}",
        "{ttl: 10, id: a, expect: created}",
    );
    change(&directory, "lifetime.yaml", "title: An item's own", "title: An item's very own");
    assert_eq!(lock(&directory, &["--check"]).code, 0);
}

#[test]
fn a_published_vector_that_changed_is_refused_unless_it_is_named() {
    let directory = locked("lock-changed");
    let before = stored(&directory);
    change(&directory, "lifetime.yaml", "ttl: 10, ", "ttl: 11, ");
    change(&directory, "lifetime.yaml", "  - at: 10\n", "  - at: 11\n");
    let said = lock(&directory, &[]);
    assert_eq!((said.code, stored(&directory) == before), (2, true));
    insta::assert_snapshot!(said.err);
    let said = lock(&directory, &["--accept", "lifetime/item-shorter-than-default"]);
    assert_eq!(said.out, "vectors/vectors.lock: 5 vectors, 1 changed; written\n");
    assert!(stored(&directory) != before);
}

#[test]
fn a_published_vector_that_is_gone_is_refused_unless_it_is_retired() {
    let directory = locked("lock-gone");
    take_away(&directory);
    let said = lock(&directory, &[]);
    assert_eq!(said.code, 2);
    insta::assert_snapshot!(said.err);
    assert_eq!(lock(&directory, &["--retire", "settings/refused-batch"]).code, 2, "without a reason");
    let said = lock(&directory, &["--retire", "settings/refused-batch", "--why", "Two things\nin one"]);
    assert_eq!(said.out, "vectors/vectors.lock: 4 vectors, 1 retired; written\n");
    assert!(stored(&directory).contains("settings/refused-batch retired Two things in one\n"));
}

#[test]
fn a_retired_name_is_never_used_again() {
    let directory = locked("lock-reused");
    let whole = fs::read_to_string(directory.join("vectors/settings.yaml")).unwrap();
    take_away(&directory);
    assert_eq!(lock(&directory, &["--retire", "settings/refused-batch", "--why", "x"]).code, 0);
    fs::write(directory.join("vectors/settings.yaml"), whole).unwrap();
    let said = lock(&directory, &["--check"]);
    assert_eq!(said.code, 2);
    insta::assert_snapshot!(said.err);
}

#[test]
fn what_is_named_for_nothing_is_refused() {
    let directory = locked("lock-idle");
    insta::assert_snapshot!(lock(&directory, &["--accept", "lifetime/null-inherits"]).err);
    insta::assert_snapshot!(lock(&directory, &["--retire", "lifetime/null-inherits", "--why", "x"]).err);
}

#[test]
fn a_lock_that_cannot_be_read_is_shown_at_its_line() {
    let directory = locked("lock-bad");
    let text = stored(&directory) + "lifetime/other\n";
    fs::write(directory.join("vectors/vectors.lock"), text).unwrap();
    let said = lock(&directory, &[]);
    assert_eq!(said.code, 2);
    insta::assert_snapshot!(said.err);
}
