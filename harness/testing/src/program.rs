//! The program itself, with nothing of the caller's that could change what it says.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use crate::{directory, temporary};

/// What the program reads of its surroundings. A test that wants one sets it.
const READ: [&str; 6] = ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COSMOS_TTL_KEY", "COLUMNS", "CI"];

/// The program at this path, as if nobody had set anything: `env!("CARGO_BIN_EXE_…")`.
pub fn program(path: &str) -> Command {
    let mut command = Command::new(path);
    for name in READ {
        command.env_remove(name);
    }
    command
}

/// What it did.
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
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
