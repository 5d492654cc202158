//! The options of `distinguish` and `explore`, the commands that search.

use std::path::PathBuf;

use super::{DAY_S, TIMEOUT_S, TargetArgs};
use crate::shell::{Format, VectorsArgs, help_text};

#[derive(Debug, clap::Args)]
#[command(
    after_help = help_text(DISTINGUISH_HELP),
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
    /// How many random requests are compared, in addition to those of the vectors
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
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT_S, value_parser = clap::value_parser!(u64).range(1..=DAY_S))]
    pub(crate) timeout: u64,
    /// Of a process: its command, and the command's arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

const DISTINGUISH_HELP: &str = "\
Both need a clock that the harness moves. The requests of every vector and then requests by chance are put to \
both, and \
what they answer differently is shrunk, until no single simplification keeps a difference: short, and not \
proved to be \
shortest. Answers are compared as values: JSON as JSON, seconds from the first write, etags by the order in \
which they \
were seen. Where the model allows both answers, an open clause leaves it to the target, and that is said.

Exit codes:
  0  no difference was found; how much was searched is said
  1  they differ
  2  wrong use, or a bad vector
  4  a target broke";

#[derive(Debug, clap::Args)]
#[command(after_help = help_text(EXPLORE_HELP), mut_arg("budget", |budget| budget.help(EXPLORE_BUDGET)))]
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
    /// Goes on after a difference that shows this clause; can be given several times
    #[arg(long, value_name = "CLAUSE", conflicts_with = "mutants")]
    pub(crate) except: Vec<String>,
    /// Goes on after a difference of which a vector on this list of known failures cites every clause
    #[arg(long, value_name = "FILE", conflicts_with = "mutants")]
    pub(crate) known: Option<PathBuf>,
    /// Where to write the vector that shows the difference; without it, it is printed
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) vectors: VectorsArgs,
    #[command(flatten)]
    pub(crate) at: TargetArgs,
}

const EXPLORE_BUDGET: &str = "Of a real clock: after how many seconds to end, by default 60; what was found by then is still confirmed";

const EXPLORE_HELP: &str = "\
Requests are drawn by chance, and each answer is held against every world that the model allows after what \
was asked and \
answered before. What no world answers is a difference: it is made as small as it gets, and written as a \
vector that can \
be added to the suite.

On a clock that runs by itself, several places wait side by side. A difference is made smaller as far as the \
budget \
allows, and counts only if it shows once more in a fresh place.

Exit codes:
  0  no difference in these requests, or only one from a `should` clause
  1  a difference was found; of --mutants: a store that is right was accused
  2  wrong use, or a bad vector
  3  undecided: nothing was answered, it was interrupted, or what was found does not show again
  4  the target, or the way to it, broke";
