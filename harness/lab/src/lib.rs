//! The lab: can the suite be trusted?
//!
//! `cosmos-ttl` asks whether a store is right. This program asks whether the answer means anything: whether the model
//! holds, whether the vectors notice faults, and whether generated files are up to date.
//!
//! ```
//! use clap::Parser as _;
//!
//! assert!(cosmos_ttl_lab::LabArgs::try_parse_from(["cargo lab", "update", "--check"]).is_ok());
//! ```

#![allow(
    clippy::arithmetic_side_effects,
    reason = "only small counts and the seconds of short vectors are added"
)]

pub mod check;
pub mod complete;
pub mod explore;
pub mod soundness;

mod args;
mod mutants;
mod report_text;
mod update;

use std::process::ExitCode;

use clap::Parser as _;
use cosmos_ttl::shell;
use cosmos_ttl::shell::progress::during;

use self::args::LabCommand;

pub use args::LabArgs;

/// Does what the command line says.
pub fn main() -> ExitCode {
    let look = shell::render_options();
    let done = match LabArgs::parse().command {
        LabCommand::Check(args) => check::check(&args, look),
        LabCommand::Mutants(args) => during("running the mutants", || mutants::mutants(&args, look)),
        LabCommand::Explore(args) => during("exploring every mutant", || explore::explore(&args)),
        LabCommand::Complete(args) => during("playing the complete suite", || complete::complete(&args)),
        LabCommand::Soundness(args) => during("simulating runs", || soundness::soundness(&args, look)),
        LabCommand::Update(args) => during("writing what follows from the vectors", || update::update(&args)),
    };
    shell::finish(done, look)
}
