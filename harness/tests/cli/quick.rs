//! `cosmos-ttl quick`, and what `--profile quick` makes of it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{Said, copied, program, refuses, succeeds};

fn said(directory: &Path, words: &[&str]) -> Said {
    program().current_dir(directory).args(words).output().unwrap().into()
}

fn file(directory: &Path) -> PathBuf {
    directory.join("vectors/quick.yaml")
}

/// With a `quick.yaml` of these lines, nothing runs, and this is said of them.
#[track_caller]
fn check_refused(name: &str, lines: &str, what: &str) {
    let directory = copied(name);
    fs::write(file(&directory), lines).unwrap();
    let run = said(&directory, &["run", "--vectors", "vectors"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.contains(what), "{}", run.err);
    assert_eq!(said(&directory, &["quick"]).code, 0, "what is stale can be written anew");
}

#[test]
fn what_is_written_is_up_to_date_until_a_vector_or_somebody_changes_it() {
    let directory = copied("quick");
    let check = || said(&directory, &["quick", "--check"]);
    assert_eq!((check().code, file(&directory).exists()), (1, false), "{}", check().out);
    let written = said(&directory, &["quick"]);
    assert_eq!((written.code, written.err.as_str()), (0, ""));
    assert!(written.out.ends_with("; written\n"), "{}", written.out);
    assert!(check().out.ends_with("; up to date\n"), "{}", check().out);

    let text = fs::read_to_string(file(&directory)).unwrap();
    let (fewer, last) = text.trim_end().rsplit_once('\n').unwrap();
    fs::write(file(&directory), fewer.to_owned() + "\n").unwrap();
    assert_eq!(check().code, 1, "without {last}");
    assert_eq!(
        fs::read_to_string(file(&directory)).unwrap(),
        fewer.to_owned() + "\n",
        "a check writes nothing"
    );
    assert_eq!(said(&directory, &["quick"]).code, 0);
    assert_eq!(fs::read_to_string(file(&directory)).unwrap(), text);
}

#[test]
fn a_list_of_quick_vectors_that_means_nothing_is_refused_at_its_line() {
    check_refused("quick-unknown", "format: 1\nvectors:\n- lifetime/none\n", "quick.yaml:3:3");
    check_refused("quick-unknown", "format: 1\nvectors:\n- lifetime/none\n", "`lifetime/none` is no vector");
    let twice = "format: 1\nvectors:\n- lifetime/null-inherits\n- lifetime/null-inherits\n";
    check_refused("quick-twice", twice, "`lifetime/null-inherits` stands here twice");
    check_refused("quick-empty", "format: 1\nvectors: []\n", "no vectors");
    check_refused("quick-format", "format: 2\nvectors: []\n", "format 2 is not known");
    check_refused("quick-field", "format: 1\nvectors: []\nwhy: none\n", "unknown field");
}

#[test]
fn a_quick_run_is_never_mistaken_for_a_whole_one() {
    let listed = succeeds(&["list", "--profile", "quick", "--format", "json"]);
    let quick = listed.matches("\"name\":").count();
    let all = succeeds(&["list", "--format", "json"]).matches("\"name\":").count();
    assert!(0 < quick && 2 * quick < all, "{quick} of {all}");
    let run = succeeds(&["run", "--profile", "quick"]);
    assert!(run.contains(&format!("{quick} vectors (of {all})")), "{run}");
    assert!(run.contains(&format!("of {all} vectors\n")), "{run}");
    let known = succeeds(&["run", "--profile", "quick", "lifetime"]);
    assert!(known.contains(&format!("(of {all})")), "{known}");
}

#[test]
fn what_is_not_quick_is_not_run_in_silence() {
    let quick = succeeds(&["list", "--profile", "quick", "--format", "json"]);
    let all = succeeds(&["list", "--format", "json"]);
    let name = |line: &str| {
        line.trim().strip_prefix("\"name\": ").map(|name| name.trim_matches([',', '"']).to_owned())
    };
    let slow = all.lines().filter_map(name).find(|name| !quick.contains(name.as_str())).unwrap();
    let err = refuses(&["run", "--profile", "quick", &slow]);
    assert!(err.contains("is quick") && err.contains("leave `--profile quick` away"), "{err}");
    let none = refuses(&["run", "--profile", "quick", "--vectors", "suite"]);
    assert!(none.contains("no quick.yaml") && none.contains("cosmos-ttl quick"), "{none}");
}

#[test]
fn quick_vectors_fail_every_mutant_of_the_program() {
    assert_eq!(crate::program::say(&["run", "--profile", "quick", "mutant:one-second-late"]).code, 1);
    let survivors = succeeds(&["mutants", "--profile", "quick", "--survivors"]);
    assert!(
        survivors.contains("309 of 309 mutants killed (of 310, 1 equivalent) · 22 of 22 controls alive"),
        "{survivors}"
    );
}
