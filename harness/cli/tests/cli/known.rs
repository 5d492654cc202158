//! Known failures on the command line: `run --known`, `known update`, `known check`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{ProgramOutput, check, check_said, copied, program, words};

/// A list that is as it should be, and one that is not.
const LIST: &str = "known:\n- {match: 'settings/*', max: 1, kind: bug, reason: r}\n";
const WRONG: &str = "known:\n- {match: 'settings/*', kind: bug, reason: r}\n";
/// What is listed, in a list.
const NAMED: &str = "id: lifetime/item-shorter-than-default";

/// A directory with the small suite as `vectors`, one of which the reference fails.
fn wrong(name: &str) -> PathBuf {
    let directory = copied(name);
    expect(&directory, "expect: not-found}", "expect: found}");
    directory
}

/// Changes what the vectors of a section expect.
fn expect(directory: &Path, from: &str, to: &str) {
    let path = directory.join("vectors/lifetime.yaml");
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches(from).count(), 1, "`{from}` stands there once");
    fs::write(path, text.replace(from, to)).unwrap();
}

#[track_caller]
fn says(directory: &Path, line: &str, code: i32, contains: &[&str]) {
    let said = program().current_dir(directory).args(words(line)).output().unwrap().into();
    check_said(line, &said, code, contains);
}

fn stored(directory: &Path) -> String {
    fs::read_to_string(directory.join("known.yaml")).unwrap_or_default()
}

const RUN: &str = "run --vectors vectors --known known.yaml";
const UPDATE: &str = "known update known.yaml --vectors vectors";
const WITH_REASON: &str = "known update known.yaml --vectors vectors --reason it-is-so";

#[test]
fn a_list_is_made_held_kept_and_emptied() {
    let directory = &wrong("known-kept");
    says(directory, RUN, 2, &["known.yaml"]);
    says(
        directory,
        UPDATE,
        2,
        &["1 failure is not on the list", "--reason TEXT", "expected found, got not-found"],
    );
    assert_eq!(stored(directory), "");
    says(directory, WITH_REASON, 0, &["1 added", "written"]);
    assert!(
        stored(directory).contains(NAMED) && stored(directory).contains("it-is-so"),
        "{}",
        stored(directory)
    );
    says(
        directory,
        RUN,
        0,
        &["as known: 1 of 5 judged vectors fail as known.yaml says; this is not conformant"],
    );
    says(directory, &format!("{RUN} settings"), 0, &[]);
    says(directory, "run --vectors vectors", 1, &["nonconformant"]);
    let before = stored(directory);
    says(directory, UPDATE, 0, &["1 kept; up to date"]);
    assert_eq!(stored(directory), before);

    fs::write(directory.join("known.yaml"), before.replace("got: not-found", "got: conflict")).unwrap();
    says(directory, RUN, 1, &["known.yaml is out of date: 1 changed failure"]);
    says(directory, UPDATE, 0, &["1 changed", "at second 10: expected found, got not-found"]);
    says(directory, RUN, 0, &[]);

    expect(directory, "expect: found}\n  - query", "expect: not-found}\n  - query");
    says(
        directory,
        RUN,
        1,
        &["known.yaml is out of date: 1 unexpected pass", "cosmos-ttl known update known.yaml"],
    );
    says(directory, UPDATE, 0, &["1 removed, 0 kept; written"]);
    says(directory, RUN, 0, &["conformant: "]);
    assert_eq!(fs::read_dir(directory).unwrap().count(), 2, "nothing stays beside it");
}

#[test]
fn a_list_is_not_changed_in_ci() {
    let directory = &wrong("known-ci");
    let with = |value: &str, line: &str| -> ProgramOutput {
        program().current_dir(directory).env("CI", value).args(words(line)).output().unwrap().into()
    };
    for value in ["true", "1", "woodpecker"] {
        check_said(value, &with(value, WITH_REASON), 2, &["not changed in CI"]);
        assert!(!directory.join("known.yaml").exists());
    }
    for value in ["", "0", "False"] {
        check_said(value, &with(value, WITH_REASON), 0, &[]);
    }
    check_said("holding it is what CI is for", &with("true", RUN), 0, &[]);
}

#[test]
fn what_says_too_little_or_nothing_changes_no_list() {
    let directory = &wrong("known-refused");
    fs::write(directory.join("known.yaml"), LIST).unwrap();
    says(directory, &format!("{UPDATE} http://127.0.0.1:9 settings"), 4, &[]);
    assert_eq!(stored(directory), LIST);
    says(
        directory,
        "known check known.yaml --vectors vectors",
        0,
        &["known.yaml: 1 entry, of 2 of 5 vectors\n"],
    );
    fs::write(directory.join("known.yaml"), WRONG).unwrap();
    for line in ["known check known.yaml --vectors vectors", RUN, WITH_REASON] {
        says(directory, line, 2, &["known.yaml:2:"]);
    }
    check(&[
        ("known update known.yaml SUITE --known other.yaml", 2, &["says nothing here"]),
        ("known update known.yaml SUITE --format json", 2, &["says nothing here"]),
        ("known update known.yaml SUITE --reason=", 2, &["an empty reason"]),
        ("known update known.yaml SUITE --reason r --", 2, &["no command stands after `--`"]),
        ("known update mutant:one-second-late", 2, &["a target stands where the list should"]),
        ("known update http://127.0.0.1:9", 2, &["a target stands where the list should"]),
        ("known update no/such/directory/known.yaml SUITE", 2, &["cannot be written"]),
        ("known update known.yaml --containers 0 --reason r http://account.invalid:443", 2, &["--yes"]),
    ]);
}

#[cfg(unix)]
#[test]
fn what_somebody_else_wrote_meanwhile_is_not_lost() {
    for (name, before, script, code) in [
        ("kept", Some("known: []\n"), "true", 0),
        ("new", None, "printf other > known.yaml", 2),
        ("changed", Some("known: []\n"), "printf other > known.yaml", 2),
        ("gone", Some("known: []\n"), "rm known.yaml", 2),
    ] {
        let directory = wrong(&format!("known-meanwhile-{name}"));
        before.iter().for_each(|text| fs::write(directory.join("known.yaml"), text).unwrap());
        let script = format!("{script}; exec \"$0\" serve --stdio");
        let mut update = program();
        update.current_dir(&directory).args(words(WITH_REASON)).args(["--", "sh", "-c", &script]);
        let said = update.arg(crate::program::this()).output().unwrap().into();
        let contains = if code == 0 { "written" } else { "somebody changed it during the run" };
        check_said(name, &said, code, &[contains]);
        let list = stored(&directory);
        assert!(
            if code == 0 { list.contains(NAMED) } else { ["other", ""].contains(&list.as_str()) },
            "{list}"
        );
    }
}
