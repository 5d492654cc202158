//! The program itself, with nothing of the caller's that could change what it says.

use std::process::Command;

/// What the program reads of its surroundings. A test that wants one sets it.
const READ: [&str; 6] = ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COSMOS_TTL_KEY", "COLUMNS", "CI"];

/// `cosmos-ttl`, as if nobody had set anything.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cosmos-ttl"));
    for name in READ {
        command.env_remove(name);
    }
    command
}
