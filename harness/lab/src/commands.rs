//! The commands of the lab.

mod ablation;
mod check;
mod generated;
mod mutants;

use cosmos_ttl::shell::{CommandError, Output};
use cosmos_ttl_report::style::RenderOptions;

use crate::args::Command;

/// Does what one command says.
pub(crate) fn command(command: Command, look: RenderOptions) -> Result<Output, CommandError> {
    match command {
        Command::Check(args) => check::check(&args, look),
        Command::Mutants(args) => mutants::mutants(&args, look),
        Command::Ablation(args) => ablation::ablation(&args, look),
        Command::Derive(args) => generated::derive_vectors(&args),
        Command::Quick(args) => generated::quick(&args),
        Command::Lock(args) => generated::lock(&args),
        Command::Schema(args) => generated::schemas(&args),
    }
}
