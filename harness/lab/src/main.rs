//! `cosmos-ttl-lab`: checks the model, the vectors and the generated files.

use std::process::ExitCode;

fn main() -> ExitCode {
    cosmos_ttl_lab::main()
}
