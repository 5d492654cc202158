//! `cosmos-ttl`: replays the vectors against a target, explains the rules.

use std::process::ExitCode;

fn main() -> ExitCode {
    cosmos_ttl::main()
}
