//! The command line, as clap reads it.

mod search;

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, StringValueParser, TypedValueParser as _};
use clap::{Parser, Subcommand, ValueEnum};

use crate::shell::{Format, HELP_WIDTH, STYLES, VectorsArgs, help_text};
use cosmos_ttl_harness::known_failures::FailureKind;
use cosmos_ttl_harness::target::Fault;
use cosmos_ttl_http::AccountKey;

pub(super) use self::search::{DistinguishArgs, ExploreArgs};

/// Time to live in Azure Cosmos DB, as rules that can be run
///
/// Without a command: replays every vector against the embedded reference model, as `run` does.
#[derive(Debug, Parser)]
#[command(name = "cosmos-ttl", version, styles = STYLES, max_term_width = HELP_WIDTH, after_help = help_text(EXIT_CODES))]
pub struct Args {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t, global = true)]
    pub(super) color: ColorWhen,
}

/// When output has colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ColorWhen {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    Always,
    Never,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  conformant, or failing only as a list of known failures says
  1  nonconformant: an answer is not as it must be, or a list of known failures is not true any more
  2  wrong use, or a bad vector
  3  undecided: nothing failed, but something could not be judged, or nothing was
  4  the target, or the way to it, broke
  130  interrupted twice: the process ended at once, and may leave a database or a process behind";

const FILTERS: &str = "\
What a FILTER means:
  lifetime               all vectors of a section
  clock/longest-ttl      one vector
  'lifetime/off-*'       `*` stands for any characters, on either side of the slash
  gone-at-deadline       all vectors that cite a clause; also clause:gone-at-deadline
Several filters select whatever one of them selects. A filter that selects nothing is an error.";

const TARGETS: &str = "\
What TARGET means:
  reference              the model that came with this program
  mutant:NAME            a store that came with it and has one fault; `cargo lab mutants` lists them
  http://…, https://…    an endpoint that speaks the REST protocol of Azure Cosmos DB
  -- COMMAND …           a program that reads and writes lines of JSON, as harness/process/PROTOCOL.md says
The first word is a target if it is `reference`, starts with `mutant:` or has `://` in it. Otherwise it is a \
filter, and the target is `reference`.";

/// No clock can count every number of seconds that can be written; these are more than anybody waits.
const DAY_S: u64 = 86_400;
const YEAR_S: u64 = 31_536_000;

pub(super) const BUDGET_S: u64 = 60;
/// Where few sessions may be open at the same time, vectors wait for each other.
pub(super) const POOL_BUDGET_S: u64 = 600;
pub(super) const TIMEOUT_S: u64 = 10;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Replays vectors against a target and says, clause by clause, what came of it
    Run(RunArgs),
    /// Looks whether an adapter, a program that speaks the process protocol, does what an adapter must
    #[command(override_usage = "cosmos-ttl smoke [OPTIONS] -- COMMAND [ARGUMENT]...")]
    Smoke(SmokeArgs),
    /// Finds a short script on which two targets differ
    Distinguish(DistinguishArgs),
    /// Sends random requests, and finds responses that the model does not allow
    Explore(ExploreArgs),
    /// Speaks the process protocol itself, with the reference behind it: an example, and a test of yours
    Serve(ServeArgs),
    /// Lists the vectors, or the clauses
    List(ListArgs),
    /// Explains a clause, a vector, a section or a mutant: what it says, where it is from, what shows it
    Explain(ExplainArgs),
    /// Keeps a list of known failures, as `run --known` takes it
    #[command(subcommand)]
    Known(KnownCommand),
    /// Makes a page of a report, or of several side by side
    Report(ReportArgs),
    /// Compares two reports: what regressed, what is fixed, what else changed
    Diff(DiffArgs),
    /// Deletes databases that runs which were killed have left at an endpoint, and no others
    Cleanup(CleanupArgs),
    /// Prints the JSON Schema of a format
    Schema {
        /// Of which format
        #[arg(value_enum, default_value_t)]
        of: SchemaOf,
    },
    /// Prints a script that completes this command line
    Completions {
        /// For which shell
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, clap::Args)]
#[command(
    override_usage = "cosmos-ttl run [OPTIONS] [TARGET] [FILTER]...\n       cosmos-ttl run [OPTIONS] [FILTER]... -- COMMAND [ARGUMENT]...",
    after_help = help_text(&format!("{TARGETS}\n\n{FILTERS}\n\n{EXIT_CODES}"))
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct RunArgs {
    /// What to test, and with which vectors; see below
    #[arg(value_name = "TARGET|FILTER")]
    pub(super) words: Vec<String>,
    #[command(flatten)]
    pub(super) vectors: VectorsArgs,
    /// Lets a difference from a `should` clause fail the run
    #[arg(long)]
    pub(super) strict: bool,
    /// A list of known failures: a listed vector must fail, and as the list says
    #[arg(long, value_name = "FILE")]
    pub(super) known: Option<PathBuf>,
    /// As text for people, or as JSON for programs
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    /// How many mistakes to show in full, each with the shortest vector that shows it
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(super) show: usize,
    /// Shows each failing vector of these mistakes in full
    #[arg(long)]
    pub(super) all: bool,
    /// Also writes what came of the run into this directory: JSON, HTML, Markdown, JUnit and CTRF
    #[arg(long, value_name = "DIR")]
    pub(super) report: Option<PathBuf>,
    /// Only the vectors that did not pass in an earlier run: its `report.json`, or the directory of its `--report`
    #[arg(long, value_name = "REPORT")]
    pub(super) failed: Option<PathBuf>,
    /// Ends at the first vector that fails, and does not run the others; only on a clock that the harness moves
    #[arg(long)]
    pub(super) fail_fast: bool,
    /// Sends nothing: prints what the run would ask, how long it would take, and what it may cost
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Of `--profile complete`: how many requests lead at most to a state that the model does not have
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(0..=3))]
    pub(super) depth: Option<u8>,
    /// Of `--profile complete`: the longest lifetime of the model in seconds, by default 2
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u8).range(1..=3))]
    pub(super) longest_ttl: Option<u8>,
    /// Allows a run that may cost money: more than 100 containers or 20,000 request units, not on loopback
    #[arg(long)]
    pub(super) yes: bool,
    #[command(flatten)]
    pub(super) at: TargetArgs,
}

// How a target is reached that is not in this process: a doc comment would be the help of the commands.
#[derive(Debug, clap::Args)]
pub(super) struct TargetArgs {
    /// Of a URL: the account's key
    #[arg(long, env = "COSMOS_TTL_KEY", hide_env_values = true, hide_default_value = true, value_parser = StringValueParser::new().map(|key| AccountKey::parse(&key)))]
    pub(super) key: Option<GivenKey>,
    /// Of a real clock: how many seconds the run may take; 60, or 600 where containers are used again. Longer vectors are left out and counted
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=YEAR_S))]
    pub(super) budget: Option<u64>,
    /// Of a URL: the throughput of the run's database in request units per second; without it none is asked for
    #[arg(long, value_name = "UNITS")]
    pub(super) throughput: Option<u32>,
    /// Of a URL: how many containers are used again for one vector after another; 10, but on loopback 0: a new one for each vector
    #[arg(long, value_name = "N")]
    pub(super) containers: Option<u16>,
    /// Of a URL or a process: how many seconds to wait for one reply
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT_S, value_parser = clap::value_parser!(u64).range(1..=DAY_S))]
    pub(super) timeout: u64,
    /// Of a process: how often it may be started again after it broke
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(super) restarts: usize,
    /// Of a process: refuses fields that the schema of the protocol does not know
    #[arg(long)]
    pub(super) strict_protocol: bool,
    /// Of a process: its command, and the command's arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub(super) command: Vec<String>,
}

impl TargetArgs {
    /// Returns the budget of a run in seconds: the given one, or the default of a run that reuses containers or not.
    pub(super) fn budget_s(&self, reuses_containers: bool) -> u64 {
        self.budget.unwrap_or(if reuses_containers { POOL_BUDGET_S } else { BUDGET_S })
    }
}

#[derive(Debug, clap::Args)]
#[command(after_help = help_text(CLEANUP_CODES))]
pub(super) struct CleanupArgs {
    /// The endpoint, http://… or https://…
    pub(super) url: String,
    /// Which databases; without one, all databases of runs that are older than an hour
    #[arg(value_name = "DATABASE")]
    pub(super) databases: Vec<String>,
    /// The account's key
    #[arg(long, env = "COSMOS_TTL_KEY", hide_env_values = true, hide_default_value = true, value_parser = StringValueParser::new().map(|key| AccountKey::parse(&key)))]
    pub(super) key: Option<GivenKey>,
    /// How many seconds to wait for one reply
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT_S, value_parser = clap::value_parser!(u64).range(1..=DAY_S))]
    pub(super) timeout: u64,
}

const CLEANUP_CODES: &str = "\
A database is deleted only if its whole name is one that this program gives: cosmos-ttl-SECONDS-PROCESS-NUMBER. \
A younger database may be of a run that goes on elsewhere. It is deleted only where it is named.

Exit codes:
  0  nothing is left of what was to be deleted
  2  wrong use
  4  a database could not be deleted, or the endpoint broke";

/// A key as it was given, good or not: only where a key is needed is a bad one refused.
///
/// It never fails to parse, as clap repeats in its errors what it could not parse; and it shows the key nowhere.
pub(super) type GivenKey = Result<AccountKey, Fault>;

#[derive(Debug, clap::Args)]
#[command(after_help = help_text(SMOKE_CODES))]
pub(super) struct SmokeArgs {
    /// How many seconds to wait for one reply
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT_S, value_parser = clap::value_parser!(u64).range(1..=DAY_S))]
    pub(super) timeout: u64,
    /// Refuses fields that the schema of the protocol does not know
    #[arg(long)]
    pub(super) strict_protocol: bool,
    /// The command that starts the adapter, and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(super) command: Vec<String>,
}

const SMOKE_CODES: &str = "\
Exit codes:
  0  the adapter does what an adapter must; of time to live nothing is said
  2  wrong use
  4  it does not: each check says what is wrong";

#[derive(Debug, clap::Args)]
pub(super) struct ServeArgs {
    /// Over standard input and output, which is the only way there is
    #[arg(long, required = true)]
    pub(super) stdio: bool,
    /// What is served: `reference`, or `mutant:NAME`
    #[arg(long, value_name = "TARGET", default_value = "reference")]
    pub(super) target: String,
}

#[derive(Debug, clap::Args)]
#[command(after_help = help_text(FILTERS))]
pub(super) struct ListArgs {
    /// Which vectors; all without one
    #[arg(value_name = "FILTER")]
    pub(super) filters: Vec<String>,
    /// Lists the clauses, each with the number of its vectors
    #[arg(long)]
    pub(super) clauses: bool,
    /// With `--format json`: whole vectors with their steps, as files that `schema vectors` describes
    #[arg(long, conflicts_with = "clauses")]
    pub(super) steps: bool,
    #[command(flatten)]
    pub(super) vectors: VectorsArgs,
    /// As text for people, or as JSON for programs
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

#[derive(Debug, clap::Args)]
pub(super) struct ExplainArgs {
    /// A clause, a vector (`section/id`), a section or a mutant; or `matrix`, the table of lifetimes
    #[arg(value_name = "CLAUSE|VECTOR|SECTION|MUTANT")]
    pub(super) word: String,
    #[command(flatten)]
    pub(super) vectors: VectorsArgs,
}

#[derive(Debug, Subcommand)]
pub(super) enum KnownCommand {
    /// Runs, then changes a list so that it says what is so; comments and order stay
    Update(Box<UpdateArgs>),
    /// Brings a list of an earlier format to the present one; comments and order stay
    Convert {
        /// The list
        file: PathBuf,
        /// Writes nothing; exit code 1 says that the list has an earlier format
        #[arg(long)]
        check: bool,
        #[command(flatten)]
        vectors: VectorsArgs,
    },
    /// Reads a list without a run: whether it can be used with these vectors
    Check {
        /// The list
        file: PathBuf,
        #[command(flatten)]
        vectors: VectorsArgs,
    },
}

#[derive(Debug, clap::Args)]
#[command(
    override_usage = "cosmos-ttl known update [OPTIONS] FILE [TARGET] [FILTER]...",
    after_help = help_text(&format!("{TARGETS}\n\n{FILTERS}\n\n{UPDATE_CODES}")),
    mut_arg("known", |arg| arg.hide(true)),
    mut_arg("dry_run", |arg| arg.hide(true)),
    mut_arg("format", |arg| arg.hide(true)),
    mut_arg("show", |arg| arg.hide(true)),
    mut_arg("all", |arg| arg.hide(true))
)]
pub(super) struct UpdateArgs {
    /// The list; made if it is not there
    pub(super) file: PathBuf,
    /// Why new failures fail; without it none is added
    #[arg(long, value_name = "TEXT")]
    pub(super) reason: Option<String>,
    /// What new failures are
    #[arg(long, default_value = "bug", value_parser = PossibleValuesParser::new(["bug", "wont-fix"])
        .map(|word| if word == "bug" { FailureKind::Bug } else { FailureKind::WontFix }))]
    pub(super) kind: FailureKind,
    #[command(flatten)]
    pub(super) run: RunArgs,
}

const UPDATE_CODES: &str = "\
Exit codes:
  0  the list says what is so
  1  an entry is left that somebody has to decide on
  2  wrong use, a bad vector or list, new failures without a reason; nothing is written
  3  the run says too little of the list; nothing is written
  4  the target, or the way to it, broke; nothing is written";

#[derive(Debug, clap::Args)]
pub(super) struct ReportArgs {
    /// A `report.json`, or a directory with one; several are shown side by side
    #[arg(value_name = "REPORT", required = true)]
    pub(super) reports: Vec<PathBuf>,
    /// What to make of them
    #[arg(long, value_enum, default_value_t)]
    pub(super) to: PageFormat,
    /// Where to write it, instead of to the standard output
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

/// What can be made of reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum PageFormat {
    /// One page that loads nothing and runs nothing
    #[default]
    Html,
}

#[derive(Debug, clap::Args)]
#[command(after_help = help_text(DIFF_CODES))]
pub(super) struct DiffArgs {
    /// The report of the first run: a `report.json`, or the directory of `run --report`
    #[arg(value_name = "BEFORE")]
    pub(super) before: PathBuf,
    /// The report of the second run
    #[arg(value_name = "AFTER")]
    pub(super) after: PathBuf,
    /// As text for people, as JSON for programs, or as Markdown for a comment
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: DiffFormat,
    /// How many vectors of each change to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(super) show: usize,
}

const DIFF_CODES: &str = "\
Exit codes:
  0  nothing regressed
  1  a vector that passed does not pass any more
  2  wrong use, or a file that is no report
  3  undecided: nothing regressed, but a run is incomplete, or what passed could not be judged any more";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum DiffFormat {
    #[default]
    Text,
    Json,
    Md,
}

/// What has a schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum SchemaOf {
    /// Files of vectors, as in `vectors/schema.json`, and of `list --format json --steps`
    #[default]
    #[value(alias = "vectors")]
    Vector,
    /// What `run --format json` prints and `run --report` writes as `report.json`
    Report,
    /// Lists of known failures
    Known,
    /// A line between the harness and a process
    Protocol,
}
