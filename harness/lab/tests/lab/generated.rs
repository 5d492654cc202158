//! `cargo lab lock`, `quick` and `shows`: what they write, what they call stale, and what they leave to people.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{ProgramOutput, copied, directory, program, succeeds};

/// Runs the program with these words in this directory.
fn said(directory: &Path, words: &[&str]) -> ProgramOutput {
    program().current_dir(directory).args(words).output().unwrap().into()
}

#[test]
fn outside_a_project_no_command_writes_anything_and_each_says_where_to_run_it() {
    let directory = directory("generated-elsewhere");
    for command in ["lock", "quick", "shows", "update", "schema", "complete"] {
        let elsewhere = said(&directory, &[command]);
        assert_eq!((elsewhere.code, elsewhere.out.as_str()), (2, ""), "{command}: {}", elsewhere.out);
        let help = "run the command in the directory of the project";
        assert!(elsewhere.err.contains(help), "{command}: {}", elsewhere.err);
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 0, "{command} wrote something");
    }
}

fn quick_file(directory: &Path) -> PathBuf {
    directory.join("vectors/quick.yaml")
}

#[test]
fn the_quick_profile_is_up_to_date_until_a_vector_or_somebody_changes_it() {
    let directory = copied("quick");
    let check = || said(&directory, &["quick", "--check"]);
    assert_eq!((check().code, quick_file(&directory).exists()), (1, false), "{}", check().out);
    let written = said(&directory, &["quick"]);
    assert_eq!((written.code, written.err.as_str()), (0, ""));
    assert!(written.out.ends_with("; written\n"), "{}", written.out);
    assert!(check().out.ends_with("; up to date\n"), "{}", check().out);

    let text = fs::read_to_string(quick_file(&directory)).unwrap();
    let (fewer, last) = text.trim_end().rsplit_once('\n').unwrap();
    fs::write(quick_file(&directory), fewer.to_owned() + "\n").unwrap();
    assert_eq!(check().code, 1, "without {last}");
    assert_eq!(
        fs::read_to_string(quick_file(&directory)).unwrap(),
        fewer.to_owned() + "\n",
        "a check writes nothing"
    );
    assert_eq!(said(&directory, &["quick"]).code, 0);
    assert_eq!(fs::read_to_string(quick_file(&directory)).unwrap(), text);
}

#[test]
fn a_list_of_shown_clauses_that_fits_no_vector_can_be_written_again() {
    let directory = copied("shows-stale");
    let file = directory.join("vectors/shows.yaml");
    fs::write(&file, "format: 1\nvectors:\n- {vector: lifetime/none, steps: []}\n").unwrap();
    assert_eq!(said(&directory, &["shows", "--check"]).code, 1);
    assert_eq!(said(&directory, &["shows"]).code, 0);
    assert!(said(&directory, &["shows", "--check"]).out.ends_with("; up to date\n"));
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains("\n- {vector: lifetime/item-shorter-than-default, steps: [["), "{text}");
}

#[test]
fn a_stale_quick_profile_can_be_written_again() {
    let directory = copied("quick-stale");
    fs::write(quick_file(&directory), "format: 1\nvectors:\n- lifetime/none\n").unwrap();
    assert_eq!(said(&directory, &["quick"]).code, 0);
    assert!(said(&directory, &["quick", "--check"]).out.ends_with("; up to date\n"));
}

#[test]
fn a_kill_matrix_of_the_quick_vectors_says_so() {
    let survivors = succeeds(&["mutants", "--profile", "quick", "--survivors", "indexing"]);
    assert!(survivors.contains(" mutants killed"), "{survivors}");
    let json = succeeds(&["mutants", "--profile", "quick", "--format", "json", "one-second-late"]);
    let all = succeeds(&["mutants", "--format", "json", "one-second-late"]);
    assert!(json.matches('/').count() < all.matches('/').count(), "{json}");
}

/// A directory with the small suite and a lock that is up to date.
fn locked(name: &str) -> PathBuf {
    let directory = copied(name);
    assert_eq!(lock(&directory, &[]).code, 0);
    directory
}

fn lock(directory: &Path, words: &[&str]) -> ProgramOutput {
    said(directory, &[&["lock"], words].concat())
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
