//! What can be said to `cosmos-ttl witness`.

use std::path::PathBuf;

use super::Format;

#[derive(Debug, clap::Args)]
#[command(after_help = WITNESS_HELP)]
pub(in crate::cli) struct WitnessArgs {
    /// Which clauses, or the clauses of which section; all without
    #[arg(value_name = "CLAUSE")]
    pub(in crate::cli) clauses: Vec<String>,
    /// A directory of vectors, instead of those that came with this program
    #[arg(long = "vectors", value_name = "DIR")]
    pub(in crate::cli) directory: Option<PathBuf>,
    /// As text for people, or as JSON for programs
    #[arg(long, value_enum, default_value_t)]
    pub(in crate::cli) format: Format,
}

const WITNESS_HELP: &str = "\
Takes a clause out of the model, as if nobody had written it, and says who notices: which vectors fail, and which laws of
the checker break. Where a clause leaves a choice, it is taken out by insisting on one value.
One or a few clauses are told at length, many as a table.

Exit codes:
  0  every clause that a client can see has a vector that cites it and fails, every other one a law that states it
  1  one has not; it is named
  2  wrong use, or a bad vector";
