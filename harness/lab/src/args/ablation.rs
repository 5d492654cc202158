//! What can be said to `cargo lab ablation`.

use std::path::PathBuf;

use cosmos_ttl::shell::Format;

#[derive(Debug, clap::Args)]
#[command(after_help = ABLATION_HELP)]
pub(crate) struct AblationArgs {
    /// Which clauses, or the clauses of which section; all without
    #[arg(value_name = "CLAUSE")]
    pub(crate) clauses: Vec<String>,
    /// A directory of vectors, instead of those that came with this program
    #[arg(long = "vectors", value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// As text for people, or as JSON for programs
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

const ABLATION_HELP: &str = "\
Takes a clause out of the model, as if nobody had written it, and says who notices: which vectors fail, and which laws of
the checker break. Where a clause leaves a choice, it is taken out by insisting on one value.
One or a few clauses are told at length, many as a table.

Exit codes:
  0  every clause that a client can see has a vector that cites it and fails, every other one a law that states it
  1  one has not; it is named
  2  wrong use, or a bad vector";
