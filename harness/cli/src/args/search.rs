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
    /// The other target, or a command after `--`
    #[arg(value_name = "B", required_unless_present = "command", conflicts_with = "command")]
    pub(crate) b: Option<String>,
    #[command(flatten)]
    pub(crate) vectors: VectorsArgs,
    /// Number of random requests to compare, after those of the vectors
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(crate) steps: u64,
    /// Seed of the random requests: the same seed gives the same requests on every machine
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Skips differences that an open clause allows
    #[arg(long)]
    pub(crate) ignore_open: bool,
    /// Format of the output
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    /// Seconds to wait for each reply (processes only)
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT_S, value_parser = clap::value_parser!(u64).range(1..=DAY_S))]
    pub(crate) timeout: u64,
    /// The command of a process, and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

const DISTINGUISH_HELP: &str = "\
Both targets need a virtual clock. They get the requests of every vector, and then random requests. A \
difference is shrunk until no single simplification keeps it: the script is short, but not proved to be \
the shortest. Answers are compared as values: JSON as JSON, `_ts` in seconds from the first write, etags by the \
order in which they appear. If an open clause allows both answers, the output says so.

Exit codes:
  0  no difference was found; the output says how much was searched
  1  they differ
  2  wrong use, or a bad vector
  4  a target broke";

#[derive(Debug, clap::Args)]
#[command(after_help = help_text(EXPLORE_HELP), mut_arg("budget", |budget| budget.help(EXPLORE_BUDGET)))]
pub(crate) struct ExploreArgs {
    /// The target: `reference`, `mutant:NAME`, a URL, or a command after `--`
    #[arg(value_name = "TARGET")]
    pub(crate) target: Option<String>,
    /// Seed of the random requests: the same seed gives the same requests on every machine
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Number of requests. Default: 1,000,000; for each mutant and for a process 10,000; on a real clock 1,000
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) steps: Option<u64>,
    /// Explores every mutant and every control; shows the number of requests until a difference is found
    #[arg(long, conflicts_with_all = ["target", "command", "output", "strict"])]
    pub(crate) mutants: bool,
    /// Fails if only a `should` clause is violated
    #[arg(long)]
    pub(crate) strict: bool,
    /// Ignores differences that violate this clause, and continues; can be given several times
    #[arg(long, value_name = "CLAUSE", conflicts_with = "mutants")]
    pub(crate) except: Vec<String>,
    /// Ignores a difference if a vector on this list of known failures cites all clauses that it violates, and continues
    #[arg(long, value_name = "FILE", conflicts_with = "mutants")]
    pub(crate) known: Option<PathBuf>,
    /// File for the vector that shows the difference. Default: standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) vectors: VectorsArgs,
    #[command(flatten)]
    pub(crate) at: TargetArgs,
}

const EXPLORE_BUDGET: &str = "Seconds until the exploration ends (real clock only). It still confirms what it has found by then. Default: 60";

const EXPLORE_HELP: &str = "\
Sends random requests, and compares each answer with the belief state: all model states that agree with the \
requests and answers so far. An answer that none of them gives is a difference. It is shrunk, and printed as a \
vector that can be added to the suite.

On a real clock, several sessions wait at the same time. A difference is shrunk as far as the budget allows, and \
counts only if it occurs again in a new session.

Exit codes:
  0  no difference, or only one from a `should` clause
  1  a difference was found; with --mutants: a correct store was accused
  2  wrong use, or a bad vector
  3  undecided: no answer came, the run was interrupted, or a difference did not occur again
  4  the target or the connection broke";
