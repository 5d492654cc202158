//! The lab: can the suite be trusted?
//!
//! `cosmos-ttl` asks whether a store is right. This program asks whether the answer means anything: whether the model
//! holds, whether the vectors notice faults, and whether what is derived from the model is up to date.
//!
//! ```
//! use clap::Parser as _;
//!
//! assert!(cosmos_ttl_lab::LabArgs::try_parse_from(["cargo lab", "derive", "--check"]).is_ok());
//! ```

#![allow(
    clippy::arithmetic_side_effects,
    reason = "only small counts and the seconds of short vectors are added"
)]

pub mod ablation;
pub mod check;
pub mod complete;
pub mod controls;
pub mod coverage;
pub mod derive;
pub mod faults;
pub mod mutants;
pub mod shows;
pub mod soundness;

mod args;
mod figures;
mod generated;
mod report_text;
mod update;

use std::process::ExitCode;

use clap::Parser as _;
use cosmos_ttl::shell;

use self::args::LabCommand;

pub use args::LabArgs;

/// Does what the command line says.
pub fn main() -> ExitCode {
    let look = shell::render_options();
    let done = match LabArgs::parse().command {
        LabCommand::Check(args) => check::check(&args, look),
        LabCommand::Mutants(args) => mutants::mutants(&args, look),
        LabCommand::Complete(args) => complete::complete(&args),
        LabCommand::Coverage(args) => coverage::coverage(&args, look),
        LabCommand::Faults(args) => faults::faults(&args, look),
        LabCommand::Ablation(args) => ablation::ablation(&args, look),
        LabCommand::Soundness(args) => soundness::soundness(&args, look),
        LabCommand::Derive(args) => generated::derive_vectors(&args),
        LabCommand::Quick(args) => generated::quick(&args),
        LabCommand::Shows(args) => generated::shows(&args),
        LabCommand::Lock(args) => generated::lock(&args),
        LabCommand::Update(args) => update::update(&args),
        LabCommand::Schema(args) => generated::schemas(&args),
    };
    shell::finish(done, look)
}
