//! `cargo lab quick`

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{Outcome, copied, program, succeeds};

fn said(directory: &Path, words: &[&str]) -> Outcome {
    program().current_dir(directory).args(words).output().unwrap().into()
}

fn file(directory: &Path) -> PathBuf {
    directory.join("vectors/quick.yaml")
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
fn a_stale_list_can_be_written_again() {
    let directory = copied("quick-stale");
    fs::write(file(&directory), "format: 1\nvectors:\n- lifetime/none\n").unwrap();
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
