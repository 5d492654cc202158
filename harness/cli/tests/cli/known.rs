//! Known failures on the command line: `run --known`, `known update`, `known check`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{ProgramOutput, check, check_in, check_said, copied, program, words};

/// A list that is as it should be, and one that is not.
const LIST: &str = "known:\n- {match: 'settings/*', failing: 1, reason: r}\n";
const WRONG: &str = "known:\n- {match: 'settings/*', reason: r}\n";
/// What is listed, in a list.
const NAMED: &str = "name: lifetime/item-shorter-than-default";

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

fn stored(directory: &Path) -> String {
    fs::read_to_string(directory.join("known.yaml")).unwrap_or_default()
}

const RUN: &str = "run --vectors vectors --known known.yaml";
const WITH_REASON: &str = "known update known.yaml --vectors vectors --reason it-is-so";

#[test]
fn a_list_is_made_held_kept_and_emptied() {
    let directory = &wrong("known-kept");
    check_in(
        directory,
        "
        2 | run --vectors vectors --known known.yaml | known.yaml
        2 | known update known.yaml --vectors vectors | 1 failure is not on the list | --reason TEXT
        0 | known update known.yaml --vectors vectors --reason it-is-so | 1 added | written
        0 | run --vectors vectors --known known.yaml | as known: 1 of 5 judged vectors fail as known.yaml says
        0 | run --vectors vectors --known known.yaml settings
        1 | run --vectors vectors | nonconformant
        0 | known update known.yaml --vectors vectors | 1 kept; up to date
        ",
    );
    let list = stored(directory);
    assert!(list.contains(NAMED) && list.contains("it-is-so"), "{list}");
    fs::write(directory.join("known.yaml"), list.replace("got: not-found", "got: conflict")).unwrap();
    check_in(
        directory,
        "
        1 | run --vectors vectors --known known.yaml | known.yaml is out of date: 1 changed failure
        0 | known update known.yaml --vectors vectors | 1 changed | at second 10: expected found, got not-found
        0 | run --vectors vectors --known known.yaml
        ",
    );
    expect(directory, "expect: found}\n  - query", "expect: not-found}\n  - query");
    check_in(
        directory,
        "
        1 | run --vectors vectors --known known.yaml | out of date: 1 unexpected pass | cosmos-ttl known update known.yaml
        0 | known update known.yaml --vectors vectors | 1 removed, 0 kept; written
        0 | run --vectors vectors --known known.yaml | conformant:
        ",
    );
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
    check_in(
        directory,
        "
        4 | known update known.yaml --vectors vectors http://127.0.0.1:9 settings
        0 | known check known.yaml --vectors vectors | known.yaml: 1 entry, of 2 of 5 vectors
        ",
    );
    assert_eq!(stored(directory), LIST);
    fs::write(directory.join("known.yaml"), WRONG).unwrap();
    check_in(
        directory,
        "
        2 | known check known.yaml --vectors vectors | known.yaml:2:
        2 | run --vectors vectors --known known.yaml | known.yaml:2:
        2 | known update known.yaml --vectors vectors --reason r | known.yaml:2:
        ",
    );
    check(
        r"
        2 | known update known.yaml SUITE --known other.yaml | says nothing here
        2 | known update known.yaml SUITE --format json | says nothing here
        2 | known update known.yaml SUITE --reason= | an empty reason
        2 | known update known.yaml SUITE --reason r -- | no command stands after `--`
        2 | known update mutant:one-second-late | a target stands where the list should
        2 | known update http://127.0.0.1:9 | a target stands where the list should
        2 | known update no/such/directory/known.yaml SUITE | cannot be written
        2 | known update known.yaml --containers 0 --reason r http://account.invalid:443 | --yes
        ",
    );
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
        if let Some(text) = before {
            fs::write(directory.join("known.yaml"), text).unwrap();
        }
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
