//! `cosmos-ttl-lab`: checks the model, the vectors and what is derived from them.

use std::process::ExitCode;

fn main() -> ExitCode {
    cosmos_ttl_lab::main()
}
