//! `cargo lab quick` and `shows`: what they write, what they call stale, and what they leave to people.

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
    for command in ["quick", "shows", "update", "schema", "complete"] {
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
    let json = succeeds(&["mutants", "--profile", "quick", "--format", "json", "one-second-late"]);
    let all = succeeds(&["mutants", "--format", "json", "one-second-late"]);
    assert!(json.matches('/').count() < all.matches('/').count(), "{json}");
}
