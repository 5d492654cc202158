//! What can be said to `cargo lab quick`.

use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_help = QUICK_CODES)]
pub(crate) struct QuickArgs {
    /// The directory of the vectors
    #[arg(long, value_name = "DIR", default_value = "vectors")]
    pub(crate) vectors: PathBuf,
    /// Writes nothing, and says whether what stands there is stale
    #[arg(long)]
    pub(crate) check: bool,
}

const QUICK_CODES: &str = "\
Replays every vector against every mutant, and picks greedily. Every mutant that all vectors fail is failed by these too,
and every clause that a client can see is still broken by a mutant that a vector which cites it fails.

Exit codes:
  0  what is picked stands in `quick.yaml`
  1  what stands there is stale
  2  wrong use, or a bad vector";
