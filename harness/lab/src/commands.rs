//! The commands of the lab.

mod ablation;
pub mod check;
mod generated;
pub mod mutants;

use cosmos_ttl::shell::{CommandError, Output};
use cosmos_ttl_report::style::RenderOptions;

use crate::args::LabCommand;

/// Does what one command says.
pub(crate) fn command(command: LabCommand, look: RenderOptions) -> Result<Output, CommandError> {
    match command {
        LabCommand::Check(args) => check::check(&args, look),
        LabCommand::Mutants(args) => mutants::mutants(&args, look),
        LabCommand::Ablation(args) => ablation::ablation(&args, look),
        LabCommand::Derive(args) => generated::derive_vectors(&args),
        LabCommand::Quick(args) => generated::quick(&args),
        LabCommand::Lock(args) => generated::lock(&args),
        LabCommand::Schema(args) => generated::schemas(&args),
    }
}
