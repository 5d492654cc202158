//! The program itself, with nothing of the caller's that could change what it says.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use crate::{directory, temporary};

/// The environment variables that the program reads. A test that needs one sets it.
const READ: [&str; 6] = ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COSMOS_TTL_KEY", "COLUMNS", "CI"];

/// The program at this path, with no variable set: `env!("CARGO_BIN_EXE_…")`.
pub fn program(path: &str) -> Command {
    let mut command = Command::new(path);
    for name in READ {
        command.env_remove(name);
    }
    command
}

/// The output of the program, and its exit code.
pub struct ProgramOutput {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl From<Output> for ProgramOutput {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().expect("it ended by itself"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// An empty directory for one test; its name is part of what the program says.
pub fn scratch(name: &str) -> PathBuf {
    let path = temporary().join("cli").join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// A directory with the suite, as `vectors`.
pub fn copied(name: &str) -> PathBuf {
    let copy = scratch(name);
    fs::create_dir(copy.join("vectors")).unwrap();
    for entry in fs::read_dir(directory().join("suite")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, copy.join("vectors").join(path.file_name().unwrap())).unwrap();
    }
    copy
}

/// Defines `suite`, `program`, `say`, `succeeds` and `refuses` for the program at this path: `env!("CARGO_BIN_EXE_…")`.
#[macro_export]
macro_rules! commands {
    ($path:expr) => {
        /// The directory with the small suite.
        pub(crate) fn suite() -> std::path::PathBuf {
            $crate::directory().join("suite")
        }

        /// The program, in the directory above the small suite.
        pub(crate) fn program() -> std::process::Command {
            let mut command = $crate::program::program($path);
            command.current_dir($crate::directory());
            command
        }

        /// Runs the program with these words.
        pub(crate) fn say(words: &[&str]) -> $crate::program::ProgramOutput {
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
    };
}
