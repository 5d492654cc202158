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
    /// How long the rows of moves get of which every one is played
    #[arg(long, value_name = "MOVES", default_value_t = 4, value_parser = clap::value_parser!(u8).range(0..=12))]
    pub(crate) depth: u8,
    /// How many rows by chance are played where every row of these and every vector shows no difference
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    pub(crate) chances: u32,
    /// What the rows by chance follow from
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
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
Both need a clock that the harness moves. Of two that come with this program every row of moves is played, the shortest
first, so that what is found is the shortest in its scope. Where that finds nothing, and for a process, the requests of
every vector and then rows by chance are compared, and what differs is shrunk: short, and not proved to be shortest.

Exit codes:
  0  no difference was found; how much was searched is said
  1  they differ
  2  wrong use, or a bad vector
  4  a target broke";
