//! The files of one directory; whatever is no file of ours is an error.

use std::fs;
use std::path::Path;

const DIRECTORIES: [&str; 3] = ["must-fail", "must-not-load", "must-pass"];

/// A file: its name without the ending, what its head says, and its whole text.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) head: Vec<(String, String)>,
    pub(crate) text: String,
}

fn entries(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn here() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verdicts/runner")
}

/// Every file of a directory, in the order of names.
#[track_caller]
pub(crate) fn cases(directory: &str) -> Vec<Case> {
    assert!(DIRECTORIES.contains(&directory));
    let cases: Vec<_> = entries(&here().join(directory)).iter().map(|file| case(directory, file)).collect();
    assert!(10 < cases.len(), "{directory} holds only {} files", cases.len());
    cases
}

#[track_caller]
fn case(directory: &str, file: &str) -> Case {
    let stem = file.strip_suffix(".yaml");
    let name = stem.unwrap_or_else(|| panic!("{directory}/{file}: nobody reads this file")).to_owned();
    let text = fs::read_to_string(here().join(directory).join(file)).unwrap();
    let lines = text.lines().map_while(|line| line.strip_prefix("# "));
    let said = lines.map(|line| line.split_once(": ").map(|(key, value)| (key.to_owned(), value.to_owned())));
    let head: Option<Vec<_>> = said.collect();
    Case {
        head: head.unwrap_or_else(|| panic!("{directory}/{file}: a head of lines `# key: value`")),
        name,
        text,
    }
}

#[test]
fn nothing_else_stands_beside_them() {
    let sources = ["figures.rs", "files.rs", "load.rs", "main.rs", "verdicts.rs"];
    let directories = entries(&here()).into_iter().filter(|name| !sources.contains(&name.as_str()));
    assert_eq!(directories.collect::<Vec<_>>(), DIRECTORIES);
}
