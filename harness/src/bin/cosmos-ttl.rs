//! `cosmos-ttl`: replays the vectors, checks the model, explains the rules.

use std::process::ExitCode;

fn main() -> ExitCode {
    cosmos_ttl_harness::cli::main()
}
