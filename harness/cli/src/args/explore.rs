//! What can be said to `cosmos-ttl explore`.

use std::path::PathBuf;

use super::{DAY_S, GivenKey, ProcessArgs, RunArgs, YEAR_S};
use crate::shell::VectorsArgs;

#[derive(Debug, clap::Args)]
#[command(after_help = EXPLORE_HELP)]
pub(crate) struct ExploreArgs {
    /// What to explore: `reference`, `mutant:NAME`, a URL, or a command after `--`
    #[arg(value_name = "TARGET")]
    pub(crate) target: Option<String>,
    /// From where to draw: the same seed draws the same everywhere
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// After how many requests to end; 1,000,000, or 10,000 of each mutant and of a process, 1,000 on a real clock
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) steps: Option<u64>,
    /// Explores every mutant and every control, and says after how many requests each is found
    #[arg(long, conflicts_with_all = ["target", "command", "output", "strict"])]
    pub(crate) mutants: bool,
    /// Lets a difference from a `should` clause fail
    #[arg(long)]
    pub(crate) strict: bool,
    /// Where to write the vector that shows the difference; without it, it is printed
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) vectors: VectorsArgs,
    /// Of a URL: the account's key
    #[arg(long, env = "COSMOS_TTL_KEY", hide_env_values = true, hide_default_value = true)]
    pub(crate) key: Option<GivenKey>,
    /// Of a real clock: after how many seconds to end; what was found by then is still confirmed
    #[arg(long, value_name = "SECONDS", default_value_t = RunArgs::BUDGET_S, value_parser = clap::value_parser!(u64).range(1..=YEAR_S))]
    pub(crate) budget: u64,
    /// Of a URL or a process: how many seconds to wait for one reply
    #[arg(long, value_name = "SECONDS", default_value_t = RunArgs::TIMEOUT_S, value_parser = clap::value_parser!(u64).range(1..=DAY_S))]
    pub(crate) timeout: u64,
    #[command(flatten)]
    pub(crate) process: ProcessArgs,
    /// Of a process: its command, and the command's arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

const EXPLORE_HELP: &str = "\
Requests are drawn by chance, and each answer is held against every world that the model allows after what was asked and
answered before. What no world answers is a difference: it is made as small as it gets, and written as a vector that can
be added to the suite.

On a clock that runs by itself, several places wait side by side. A difference is made smaller as far as the budget
allows, and counts only if it shows once more in a fresh place.

Exit codes:
  0  no difference in so many requests, or only one from a `should` clause; of more requests nothing is said
  1  a difference was found; of --mutants: a store that is right was accused
  2  wrong use, or a bad vector
  3  undecided: nothing was answered, it was interrupted, or what was found does not show again
  4  the target, or the way to it, broke";
