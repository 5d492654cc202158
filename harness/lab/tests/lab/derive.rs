//! `cargo lab derive`: what it writes, what it calls stale, and what it leaves to people.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{Outcome, directory, program};

/// A directory with the vectors of this project, as `vectors`; the derived ones are not there yet.
fn hand_written(name: &str) -> PathBuf {
    let directory = directory(name);
    fs::create_dir(directory.join("vectors")).unwrap();
    for entry in fs::read_dir(cosmos_ttl_testing::project().join("vectors")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::copy(&path, directory.join("vectors").join(path.file_name().unwrap())).unwrap();
        }
    }
    directory
}

fn said(directory: &Path, words: &[&str]) -> Outcome {
    program().current_dir(directory).args(words).output().unwrap().into()
}

#[test]
fn what_is_written_is_up_to_date_until_somebody_edits_it() {
    let directory = hand_written("derive");
    let first = said(&directory, &["derive"]);
    assert_eq!((first.code, first.err.as_str()), (0, ""));
    assert!(first.out.ends_with("settings.yaml, writes.yaml, certificate.yaml\n"), "{}", first.out);
    let check = || said(&directory, &["derive", "--check"]);
    assert_eq!(check().code, 0);
    assert!(check().out.ends_with("; up to date\n"), "{}", check().out);

    let file = directory.join("vectors/derived/clock.yaml");
    let text = fs::read_to_string(&file).unwrap();
    let edited = text.replace("An item with", "Any item with");
    fs::write(&file, &edited).unwrap();
    assert_eq!(check().code, 1);
    assert!(check().out.contains(": stale: clock.yaml\n"), "{}", check().out);
    assert_eq!(fs::read_to_string(&file).unwrap(), edited, "a check writes nothing");

    assert!(said(&directory, &["derive"]).out.ends_with("; written: clock.yaml\n"));
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

#[test]
fn a_directory_without_derived_vectors_is_stale() {
    let directory = hand_written("derive-none");
    let check = said(&directory, &["derive", "--check"]);
    assert_eq!((check.code, check.err.as_str()), (1, ""));
    assert!(check.out.contains("purge.yaml, settings.yaml"), "{}", check.out);
    assert!(!directory.join("vectors/derived").exists());
}

#[test]
fn a_file_that_nobody_derives_is_refused_and_left_alone() {
    let directory = hand_written("derive-stranger");
    assert_eq!(said(&directory, &["derive"]).code, 0);
    let stranger = directory.join("vectors/derived/mine.yaml");
    fs::write(&stranger, "mine\n").unwrap();
    let check = said(&directory, &["derive"]);
    assert_eq!(check.code, 2);
    assert!(check.err.contains("nobody derives this file"), "{}", check.err);
    assert_eq!(fs::read_to_string(stranger).unwrap(), "mine\n");
}
