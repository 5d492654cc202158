//! Runs the program itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The directory with the vectors of these tests.
pub(crate) fn suite() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/suite")
}

/// The program, with nothing of the caller's that could change what it writes.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cosmos-ttl"));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli"));
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COSMOS_TTL_KEY", "COLUMNS", "CI"] {
        command.env_remove(name);
    }
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
