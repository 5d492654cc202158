//! What can be said to `cosmos-ttl distinguish`.

use super::{DAY_S, RunArgs};
use crate::shell::{Format, VectorsArgs};

#[derive(Debug, clap::Args)]
#[command(
    after_help = DISTINGUISH_HELP,
    override_usage = "cosmos-ttl distinguish [OPTIONS] <A> <B>\n       cosmos-ttl distinguish [OPTIONS] <A> -- COMMAND [ARGUMENT]..."
)]
pub(crate) struct DistinguishArgs {
    /// One target: `reference` or `mutant:NAME`
    #[arg(value_name = "A")]
    pub(crate) a: String,
    /// The other one; without it, the command after `--`
    #[arg(value_name = "B", required_unless_present = "command", conflicts_with = "command")]
    pub(crate) b: Option<String>,
    #[command(flatten)]
    pub(crate) vectors: VectorsArgs,
    /// How many requests, drawn by chance, are compared beside those of the vectors
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(crate) steps: u64,
    /// From where to draw: the same seed draws the same everywhere
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Passes differences by where the model allows both answers
    #[arg(long)]
    pub(crate) ignore_open: bool,
    /// Is gone: `--steps` says how much to compare
    #[arg(long, hide = true)]
    pub(crate) depth: Option<String>,
    /// Is gone: `--steps` says how much to compare
    #[arg(long, hide = true)]
    pub(crate) chances: Option<String>,
    /// As text for people, or as JSON for programs
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    /// Of a process: how many seconds to wait for one reply
    #[arg(long, value_name = "SECONDS", default_value_t = RunArgs::TIMEOUT_S, value_parser = clap::value_parser!(u64).range(1..=DAY_S))]
    pub(crate) timeout: u64,
    /// Of a process: its command, and the command's arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

const DISTINGUISH_HELP: &str = "\
Both need a clock that the harness moves. The requests of every vector and then requests by chance are put to both, and
what they answer differently is shrunk, until no single simplification keeps a difference: short, and not proved to be
shortest. Answers are compared as values: JSON as JSON, seconds from the first write, etags by the order in which they
were seen. Where the model allows both answers, an open clause leaves it to the target, and that is said.

Exit codes:
  0  no difference was found; how much was searched is said
  1  they differ
  2  wrong use, or a bad vector
  4  a target broke";
