//! Runs the program itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

#[path = "../common/program.rs"]
mod clean;

/// The directory with the vectors of these tests.
pub(crate) fn suite() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/suite")
}

/// The program, in the directory of these tests.
pub(crate) fn program() -> Command {
    let mut command = clean::program();
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli"));
    command
}

/// What it did.
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().expect("it ended by itself"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// What the program does with these words.
pub(crate) fn say(words: &[&str]) -> Said {
    program().args(words).output().unwrap().into()
}

/// The same; it must succeed, and complain of nothing.
#[track_caller]
pub(crate) fn succeeds(words: &[&str]) -> String {
    let said = say(words);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{words:?}");
    said.out
}

/// The same; it must be wrong use, and come to no result.
#[track_caller]
pub(crate) fn refuses(words: &[&str]) -> String {
    let said = say(words);
    assert_eq!((said.code, said.out.as_str()), (2, ""), "{words:?}: {}", said.err);
    assert!(!said.err.contains("panicked"), "{}", said.err);
    said.err
}

/// An empty directory for one test; its name is part of what the program says.
pub(crate) fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli").join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// A directory with the suite, as `vectors`.
pub(crate) fn copied(name: &str) -> PathBuf {
    let directory = directory(name);
    fs::create_dir(directory.join("vectors")).unwrap();
    for entry in fs::read_dir(suite()).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, directory.join("vectors").join(path.file_name().unwrap())).unwrap();
    }
    directory
}
