//! `cosmos-ttl-server`

use std::process::ExitCode;

fn main() -> ExitCode {
    cosmos_ttl_server::main()
}
