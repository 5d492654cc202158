//! What can be said to `cargo lab mutants`.

use cosmos_ttl::shell::{Format, VectorsArgs};

#[derive(Debug, clap::Args)]
#[command(after_help = MUTANTS_HELP)]
pub(crate) struct MutantsArgs {
    /// Which mutants; see below
    #[arg(value_name = "FILTER")]
    pub(crate) filters: Vec<String>,
    #[command(flatten)]
    pub(crate) vectors: VectorsArgs,
    /// Shows every mutant with the number of vectors of each section that fail it
    #[arg(long, conflicts_with = "survivors")]
    pub(crate) matrix: bool,
    /// Shows only the mutants that no vector fails
    #[arg(long)]
    pub(crate) survivors: bool,
    /// Shows the shortest storyboard on which each mutant and a right store differ, beside the shortest vector that fails it
    #[arg(long, conflicts_with_all = ["matrix", "survivors"])]
    pub(crate) shortest: bool,
    /// As text for people, or as JSON for programs
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

const MUTANTS_HELP: &str = "\
What a FILTER means:
  one-second-late        one mutant
  'queries-*'            `*` stands for any characters
  gone-at-deadline       all mutants that break a clause
  lifetime               all mutants that break a clause of a section
A mutant is a store of our own, written without the model, with one fault: `cosmos-ttl run mutant:one-second-late`.
A control is right in a way of its own, so no vector may fail it.

Exit codes:
  0  every mutant is failed by a vector, and no control is; and of all mutants: every clause that a client can see is
     broken by a mutant that a vector which cites it fails, and every vector fails a mutant
  1  something of this does not hold; it is listed
  2  wrong use, or a bad vector";
