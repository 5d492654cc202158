//! `cargo lab update`: what it writes, what it calls stale, and where it writes nothing.

use std::fs;
use std::path::Path;

use cosmos_ttl_mutants::mutants;

use crate::program::{ProgramOutput, copied, directory, program, succeeds};

/// Runs the program with these words in this directory.
fn said(directory: &Path, words: &[&str]) -> ProgramOutput {
    program().current_dir(directory).args(words).output().unwrap().into()
}

#[test]
fn outside_a_project_no_command_writes_anything_and_each_says_where_to_run_it() {
    let directory = directory("generated-elsewhere");
    for command in ["update", "complete"] {
        let elsewhere = said(&directory, &[command]);
        assert_eq!((elsewhere.code, elsewhere.out.as_str()), (2, ""), "{command}: {}", elsewhere.out);
        let help = "run the command in the directory of the project";
        assert!(elsewhere.err.contains(help), "{command}: {}", elsewhere.err);
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 0, "{command} wrote something");
    }
}

#[test]
fn what_is_generated_is_up_to_date_until_somebody_changes_it() {
    let directory = copied("generated");
    let check = || said(&directory, &["update", "--check"]);
    assert_eq!(check().code, 1, "{}", check().out);
    let snapshots = ["old.snap", "old.snap.new"].map(|name| directory.join(name));
    for path in &snapshots {
        fs::write(path, "for a person to review").unwrap();
    }
    let written = said(&directory, &["update"]);
    let vectors = cosmos_ttl_testing::small_suite().vectors.len();
    let names_it = format!("replaying {vectors} vectors against {} mutants\n", mutants().count());
    assert_eq!((written.code, written.err.as_str()), (0, names_it.as_str()));
    let (files, next) = written.out.split_once("no snapshot was touched, and no expectation\n").unwrap();
    assert_eq!(
        (files.matches(": written\n").count(), next.contains("`cargo insta review`")),
        (3, true),
        "{files}"
    );
    assert!(snapshots.iter().all(|path| fs::read(path).unwrap() == b"for a person to review"));
    assert!(check().code == 0 && !check().out.contains("stale"), "{}", check().out);
    for (name, stale) in [
        ("vectors/quick.yaml", "format: 1\nvectors:\n- lifetime/none\n"),
        ("vectors/vectors.json", "{}"),
        ("harness/mutants/signatures.txt", ""),
    ] {
        let file = directory.join(name);
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, stale).unwrap();
        let checked = check();
        assert!(checked.code == 1 && checked.out.contains(&format!("{name}: stale\n")), "{}", checked.out);
        assert_eq!(fs::read_to_string(&file).unwrap(), stale, "a check writes nothing");
        assert_eq!(said(&directory, &["update"]).code, 0);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}

#[test]
fn a_kill_matrix_of_the_quick_vectors_says_so() {
    let killers = |words: &[&str]| {
        let said = succeeds(&[&["mutants", "one-second-late"], words].concat());
        let row = said.lines().find(|line| line.starts_with("  one-second-late")).unwrap();
        row.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap()
    };
    assert!(killers(&["--profile", "quick"]) < killers(&[]));
}
