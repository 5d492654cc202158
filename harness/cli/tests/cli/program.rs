//! Runs the program itself.

use std::path::PathBuf;
use std::process::Command;

pub(crate) use cosmos_ttl_testing::program::{Said, copied, scratch as directory};

/// The directory with the small suite.
pub(crate) fn suite() -> PathBuf {
    cosmos_ttl_testing::directory().join("suite")
}

/// The program, in the directory above the small suite.
pub(crate) fn program() -> Command {
    let mut command = cosmos_ttl_testing::program::program(env!("CARGO_BIN_EXE_cosmos-ttl"));
    command.current_dir(cosmos_ttl_testing::directory());
    command
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
