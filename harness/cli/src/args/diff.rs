//! What can be said to `cosmos-ttl diff`.

use std::path::PathBuf;

use clap::ValueEnum;

use super::RunArgs;

#[derive(Debug, clap::Args)]
#[command(after_help = DIFF_CODES)]
pub(crate) struct DiffArgs {
    /// The report of the first run: a `report.json`, or the directory of `run --report`
    #[arg(value_name = "BEFORE")]
    pub(crate) before: PathBuf,
    /// The report of the second run
    #[arg(value_name = "AFTER")]
    pub(crate) after: PathBuf,
    /// As text for people, as JSON for programs, or as Markdown for a comment
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: DiffFormat,
    /// How many vectors of each change to show
    #[arg(long, value_name = "N", default_value_t = RunArgs::SHOW)]
    pub(crate) show: usize,
}

const DIFF_CODES: &str = "\
Exit codes:
  0  nothing regressed
  1  a vector that passed does not pass any more
  2  wrong use, or a file that is no report
  3  undecided: nothing regressed, but a run is incomplete, or what passed could not be judged any more";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    #[default]
    Text,
    Json,
    Md,
}
