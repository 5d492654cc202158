//! The command line, as clap reads it.

use std::path::PathBuf;
use std::sync::Arc;

use clap::builder::{PossibleValuesParser, StringValueParser, TypedValueParser as _};
use clap::{Parser, Subcommand, ValueEnum};

use super::init::Language;
use super::judge::default_ttl;
use crate::shell::{Format, HELP_WIDTH, Profile, STYLES, VectorsArgs, help_text};
use crate::what_if::Setting;
use cosmos_ttl_harness::exchange_log::ExchangeLog;
use cosmos_ttl_harness::request_log::LogWriter;
use cosmos_ttl_harness::target::{Fault, Part};
use cosmos_ttl_model::container::Settings;
use cosmos_ttl_targets::http::AccountKey;

/// Tests whether a store follows the rules of time to live in Azure Cosmos DB
///
/// Without a command: replays every vector against the reference, as `run` does.
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
Exit codes of every command:
  0  conformant, or all failures are on the list of known failures; nothing is wrong
  1  nonconformant: a vector failed, a difference was found, something regressed, or the list of known failures is out of date
  2  wrong use, or a bad vector, list or report
  3  undecided: nothing failed, but something was not judged that should have been
  4  the target or the connection broke, or an adapter breaks the protocol
  130  interrupted twice: ended at once; a database or a process may be left";

const FILTERS: &str = "\
What a FILTER means:
  lifetime               all vectors of a section
  clock/longest-ttl      one vector
  'lifetime/off-*'       `*` means any characters, before or after the slash
  gone-at-deadline       all vectors that cite a clause; also clause:gone-at-deadline
Several filters select the vectors that at least one of them selects. A filter that selects no vector is an error.";

const TARGETS: &str = "\
What TARGET means:
  reference              the model, which is part of this program
  mutant:NAME            a store with one fault, also part of it; `cargo lab mutants` lists the names
  http://…, https://…    an endpoint that speaks the REST protocol of Azure Cosmos DB
  -- COMMAND …           an adapter: a program that speaks the protocol of harness/targets/PROTOCOL.md
The first word is a target if it is `reference`, starts with `mutant:` or contains `://`. Otherwise it is a \
filter, and the target is `reference`.";

/// No clock can count every number of seconds that can be written; these are longer than any user waits.
const DAY_S: u64 = 86_400;
/// The word for every optional part.
pub(super) const ALL_PARTS: &str = "all";
const YEAR_S: u64 = 31_536_000;

pub(super) const BUDGET_S: u64 = 60;
/// Where few sessions may be open at the same time, vectors wait for each other.
pub(super) const POOL_BUDGET_S: u64 = 900;
/// Time for the longest soak vector, tried twice.
pub(super) const SOAK_BUDGET_S: u64 = 1500;
pub(super) const TIMEOUT_S: u64 = 10;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Replays vectors against a target, and says which fail and why
    Run(RunArgs),
    /// Writes an adapter with its store left open, and says how it is run
    Init(InitArgs),
    /// Checks an adapter, a program that speaks the process protocol, for protocol errors
    #[command(override_usage = "cosmos-ttl smoke [OPTIONS] -- COMMAND [ARGUMENT]...")]
    Smoke(SmokeArgs),
    /// Sends random requests and reports responses that the model does not allow
    Explore(ExploreArgs),
    /// Judges a log of requests and answers, of any client: which answers does no right store give?
    Judge(JudgeArgs),
    /// Says which rules a client's log shows at work, and which of them a fake fails
    Relies(ReliesArgs),
    /// Prints the cheapest experiment that settles an open clause; without one, what each costs
    Ask(AskArgs),
    /// Plays a complete suite: no faulty store of a stated class passes it
    Prove(ProveArgs),
    /// Answers the process protocol as the reference does, for experiments
    #[command(hide = true)]
    Serve(ServeArgs),
    /// Lists the vectors, or the clauses
    List(ListArgs),
    /// Explains a clause, a vector, a section, a mutant or a finding; finds words
    Explain(ExplainArgs),
    /// Updates or checks a list of known failures, the file of `run --known`
    #[command(subcommand)]
    Known(KnownCommand),
    /// Writes an HTML page of one report, or of several in columns
    Report(ReportArgs),
    /// Compares two reports: which vectors regressed, which are fixed, what else changed
    Diff(DiffArgs),
    /// Says which stored items vanish, and when, if a container's `defaultTtl` changes
    WhatIf(WhatIfArgs),
    /// Deletes the databases that killed runs have left at an endpoint
    Cleanup(CleanupArgs),
    /// Prints the JSON Schema of a format
    #[command(hide = true)]
    Schema {
        /// The format
        #[arg(value_enum, default_value_t)]
        of: SchemaOf,
    },
    /// Prints a shell script that completes this program's command lines
    #[command(hide = true)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, clap::Args)]
#[command(
    override_usage = "cosmos-ttl run [OPTIONS] [TARGET] [FILTER]...\n       cosmos-ttl run [OPTIONS] [FILTER]... -- COMMAND [ARGUMENT]...",
    after_help = help_text(&format!("{TARGETS}\n\n{FILTERS}\n\n{EXIT_CODES}"))
)]
pub(super) struct RunArgs {
    /// List of known failures: each listed vector must fail, with its recorded signature
    #[arg(long, value_name = "FILE")]
    pub(super) known: Option<PathBuf>,
    /// Format of the output
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    /// Number of mistakes to show in full, each by the shortest vector that shows it
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(super) show: usize,
    /// Shows every failing vector in full
    #[arg(long)]
    pub(super) all: bool,
    /// Lists every clause, and how many vectors pass in each section
    #[arg(long)]
    pub(super) all_clauses: bool,
    /// Writes a report into this directory: JSON, HTML, Markdown and JUnit
    #[arg(long, value_name = "DIR")]
    pub(super) report: Option<PathBuf>,
    /// Writes the rules as this store answered into this file, as Markdown; what differs is marked
    #[arg(long, value_name = "FILE")]
    pub(super) rules: Option<PathBuf>,
    /// Replays only the vectors that did not pass in an earlier run: its `report.json` or its `--report` directory
    #[arg(long, value_name = "REPORT")]
    pub(super) failed: Option<PathBuf>,
    /// Replays this number of random sessions instead, each written as a vector; also on a real clock
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=10_000), conflicts_with_all = ["profile", "known", "failed"])]
    pub(super) random: Option<u16>,
    /// With `--random`: the seed of the first session. The same seed gives the same vectors on every machine
    #[arg(long, value_name = "S", requires = "random", default_value_t = 1)]
    pub(super) seed: u64,
    /// Writes each request and each answer with its time to this file, without keys (URLs and processes only)
    #[arg(long, value_name = "FILE", conflicts_with = "jobs")]
    pub(super) trace: Option<PathBuf>,
    /// Writes each request and each answer as a line of JSON into this file, for `judge`
    #[arg(long, value_name = "FILE")]
    pub(super) log: Option<PathBuf>,
    /// Connects to nothing; estimates the requests, the request units and the time of the run
    #[arg(long)]
    pub(super) dry_run: bool,
    #[command(flatten)]
    pub(super) replay: ReplayArgs,
}

// What is replayed, and against what: a doc comment would be the help of the commands.
#[derive(Debug, clap::Args)]
pub(super) struct ReplayArgs {
    /// The target, and filters of vectors; see below
    #[arg(value_name = "TARGET|FILTER")]
    pub(super) words: Vec<String>,
    #[command(flatten)]
    pub(super) vectors: VectorsArgs,
    /// Fails the run also if only vectors of a `should` clause fail
    #[arg(long)]
    pub(super) strict: bool,
    /// Ends the run at the first failing vector (virtual clock only)
    #[arg(long)]
    pub(super) fail_fast: bool,
    /// Number of copies of the process that run at the same time (processes only); they share neither ports nor files
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) jobs: u16,
    /// Allows a run that may cost money: more than 100 containers or 20,000 request units, except on loopback
    #[arg(long)]
    pub(super) yes: bool,
    #[command(flatten)]
    pub(super) at: TargetArgs,
}

// How a target is reached that is not in this process; the same.
#[derive(Debug, clap::Args)]
pub(super) struct TargetArgs {
    /// Parts that the store does not offer, with commas between them: nothing of them is asked, and the conclusion names them
    #[arg(long, value_name = "PART", value_delimiter = ',', value_parser = PossibleValuesParser::new(Part::ALL.map(Part::word)).try_map(|word| word.parse::<Part>()))]
    pub(super) without: Vec<Part>,
    /// Optional parts that the store offers, with commas between them, or `all`: it is asked for no others. An adapter announces its own
    #[arg(long, value_name = "PART", value_delimiter = ',', value_parser = PossibleValuesParser::new(Part::optional().into_iter().map(Part::word).chain([ALL_PARTS])))]
    pub(super) offers: Vec<String>,
    /// Key of the account (URLs only)
    #[arg(long, env = "COSMOS_TTL_KEY", hide_env_values = true, hide_default_value = true, value_parser = StringValueParser::new().map(|key| AccountKey::parse(&key)))]
    pub(super) key: Option<GivenKey>,
    /// Time limit of the run in seconds (real clock only). Longer vectors are skipped and counted. Default: 60, with reused containers 900, for `--profile soak` 1500
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=YEAR_S))]
    pub(super) budget: Option<u64>,
    /// Throughput of the run's database in request units per second (URLs only). Default: that of the account
    #[arg(long, value_name = "UNITS")]
    pub(super) throughput: Option<u32>,
    /// Number of containers that vectors share, one after another (URLs only); 0 means a new container for each vector. Default: 10, on loopback 0
    #[arg(long, value_name = "N")]
    pub(super) containers: Option<u16>,
    /// Seconds to wait for each reply (URLs and processes only)
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT_S, value_parser = clap::value_parser!(u64).range(1..=DAY_S))]
    pub(super) timeout: u64,
    /// How often to restart a process that broke (processes only)
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(super) restarts: usize,
    /// Refuses fields that are not in the schema of the protocol (processes only)
    #[arg(long)]
    pub(super) strict_protocol: bool,
    /// Records each exchange with a URL or a process.
    #[arg(skip)]
    pub(super) log: Option<Arc<ExchangeLog>>,
    /// Records each exchange for `judge`.
    #[arg(skip)]
    pub(super) requests: Option<Arc<LogWriter>>,
    /// The command of a process, and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub(super) command: Vec<String>,
}

impl ReplayArgs {
    /// Returns the budget of a run in seconds: the given one, or the default of its profile, or of a run that reuses
    /// containers or not.
    pub(super) fn budget_s(&self, reuses_containers: bool) -> u64 {
        self.at.budget.unwrap_or(match self.vectors.profile {
            Profile::Soak => SOAK_BUDGET_S,
            _ if reuses_containers => POOL_BUDGET_S,
            _ => BUDGET_S,
        })
    }
}

#[derive(Debug, clap::Args)]
#[command(after_help = help_text(CLEANUP_HELP))]
pub(super) struct CleanupArgs {
    /// The endpoint, http://… or https://…
    pub(super) url: String,
    /// Names of databases. Default: all databases of runs that are older than an hour
    #[arg(value_name = "DATABASE")]
    pub(super) databases: Vec<String>,
    /// Key of the account
    #[arg(long, env = "COSMOS_TTL_KEY", hide_env_values = true, hide_default_value = true, value_parser = StringValueParser::new().map(|key| AccountKey::parse(&key)))]
    pub(super) key: Option<GivenKey>,
    /// Seconds to wait for each reply
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT_S, value_parser = clap::value_parser!(u64).range(1..=DAY_S))]
    pub(super) timeout: u64,
}

const CLEANUP_HELP: &str = "\
Only databases with a name of the form cosmos-ttl-SECONDS-PROCESS-NUMBER, which runs create, are deleted. A database \
that is younger than an hour may belong to a run that is not over: it is deleted only if you name it.";

/// A key as it was given, good or not: only where a key is needed is a bad one refused.
///
/// It never fails to parse, as clap repeats in its errors what it could not parse; and it shows the key nowhere.
pub(super) type GivenKey = Result<AccountKey, Fault>;

#[derive(Debug, clap::Args)]
pub(super) struct InitArgs {
    /// The language
    #[arg(value_enum)]
    pub(super) language: Language,
    /// The directory of the adapter, created if it is not there; no file in it is replaced
    #[arg(value_name = "DIR", default_value = ".")]
    pub(super) directory: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(super) struct SmokeArgs {
    /// Seconds to wait for each reply
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT_S, value_parser = clap::value_parser!(u64).range(1..=DAY_S))]
    pub(super) timeout: u64,
    /// Refuses fields that are not in the schema of the protocol
    #[arg(long)]
    pub(super) strict_protocol: bool,
    /// The command that starts the adapter, and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(super) command: Vec<String>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = help_text(EXPLORE_HELP))]
pub(super) struct ExploreArgs {
    /// The target: `reference`, `mutant:NAME`, a URL, or a command after `--`
    #[arg(value_name = "TARGET")]
    pub(super) target: Option<String>,
    /// Seed of the random requests: the same seed gives the same requests on every machine
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(super) seed: u64,
    /// Number of requests. Default: 1,000,000; for a process and a URL 10,000
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) steps: Option<u64>,
    /// Fails if only a `should` clause is violated
    #[arg(long)]
    pub(super) strict: bool,
    /// Ignores differences that violate this clause, and continues; can be given several times
    #[arg(long, value_name = "CLAUSE")]
    pub(super) except: Vec<String>,
    /// Ignores a difference if a vector on this list of known failures cites all clauses that it violates, and continues
    #[arg(long, value_name = "FILE")]
    pub(super) known: Option<PathBuf>,
    /// Writes the vector that shows the difference also to this file
    #[arg(long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    #[command(flatten)]
    pub(super) vectors: VectorsArgs,
    #[command(flatten)]
    pub(super) at: TargetArgs,
}

const EXPLORE_HELP: &str = "\
Sends random requests, and compares each answer with the belief state: all model states that agree with the \
requests and answers so far. An answer that none of them gives is a difference. It is shrunk, and printed as a \
vector that can be added to the suite.

It needs a clock that the harness moves. On a real clock, `cosmos-ttl run --random` replays random requests as vectors.";

#[derive(Debug, clap::Args)]
#[command(after_help = help_text(JUDGE_HELP))]
pub(super) struct JudgeArgs {
    /// The log, a JSON object a line; `-` is standard input
    #[arg(value_name = "LOG")]
    pub(super) log: PathBuf,
    /// Says that nobody else writes to these containers, and that reads see every write: then absences are judged, too
    #[arg(long)]
    pub(super) sole_writer: bool,
    /// The `defaultTtl` of every container until the log changes it: `off`, `-1` or seconds. Default: unknown
    #[arg(long, value_name = "SETTING", value_parser = default_ttl, allow_hyphen_values = true)]
    pub(super) default_ttl: Option<Settings>,
    /// Fails also if only a `should` clause is violated
    #[arg(long)]
    pub(super) strict: bool,
    /// Prints what was seen of open clauses also as lines for `vectors/evidence.yaml`; you fill in the words in capitals
    #[arg(long)]
    pub(super) evidence: bool,
    /// Format of the output
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    /// Number of contradictions to show
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) show: usize,
}

const RELIES_HELP: &str = "\
The requests of the log are replayed on a right store and on each mutant, a store with one fault. Where a mutant answers otherwise, the \
client has seen the rule at work that it breaks. A rule that is not seen may still matter to what the log does not show. The replay is bounded: some thousand requests about \
some dozen items are few enough. Logs are \
those of `cosmos-ttl judge`: write one with the tests of your application, from the creation of its containers on.

Exit codes: 0 the store of the report fails none of these rules, or no report was given, 1 it fails one, 3 one was not judged, or no line \
could be replayed.";

#[derive(Debug, clap::Args)]
#[command(after_help = help_text(RELIES_HELP))]
pub(super) struct ReliesArgs {
    /// The log, a JSON object a line; `-` is standard input
    #[arg(value_name = "LOG")]
    pub(super) log: PathBuf,
    /// The report of a store, from `run --report`: does it fail a rule that the client relies on?
    #[arg(long, value_name = "REPORT")]
    pub(super) against: Option<PathBuf>,
    /// The `defaultTtl` of containers whose creation is not in the log: `off`, `-1` or seconds. Default: their lines are left out
    #[arg(long, value_name = "SETTING", value_parser = default_ttl, allow_hyphen_values = true)]
    pub(super) default_ttl: Option<Settings>,
    /// Format of the output
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

const JUDGE_HELP: &str = "\
A line holds `sent`, `received`, `container`, `request` and `answer`, as harness/explore/LOGS.md says. `run --log FILE` and \
`cosmos-ttl-server --log FILE` write such logs, and the page has wrappers for two clients.

Exit codes: 0 every judged line is possible, 1 one is not, 3 nothing could be judged.";

#[derive(Debug, clap::Args)]
#[command(after_help = help_text(ASK_HELP))]
pub(super) struct AskArgs {
    /// The open clause. Default: a table of all
    #[arg(value_name = "CLAUSE")]
    pub(super) clause: Option<String>,
    /// Prints a program instead, which sends the requests and deletes what it made
    #[arg(long, value_enum, requires = "clause", conflicts_with = "format")]
    pub(super) client: Option<Client>,
    /// Format of the output
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

/// A client of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Client {
    /// A script for bash, with curl and openssl; you read the last answer
    Curl,
    /// For azure-cosmos; writes `ask.log` for `judge`
    Python,
    /// For @azure/cosmos; writes `ask.log` for `judge`
    Javascript,
}

const ASK_HELP: &str = "\
The script is the shortest over one container and one item after which the last answer tells the values apart, whatever else is \
open. It never runs by itself: nothing is sent.

Exit codes: 0 the clause can be settled, 2 wrong use, 3 no client can settle it.";

#[derive(Debug, clap::Args)]
#[command(
    override_usage = "cosmos-ttl prove [OPTIONS] [TARGET]\n       cosmos-ttl prove [OPTIONS] -- COMMAND [ARGUMENT]...",
    after_help = help_text(PROVE_HELP)
)]
pub(super) struct ProveArgs {
    /// The target: `reference`, `mutant:NAME`, or a command after `--`
    #[arg(value_name = "TARGET")]
    pub(super) target: Option<String>,
    /// The suite finds each fault that hides at most this many core inputs beyond the states of the model. Each step up makes
    /// the suite much longer. Default: 1, with two items 0
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(0..=3))]
    pub(super) depth: Option<u8>,
    /// Number of items that share a container, 1 or 2. Two items are tested at depth 0, with lifetimes up to 1 s
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    pub(super) items: u8,
    /// The longest lifetime that is tested, in seconds. Default: 2, with two items 1
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u8).range(1..=3))]
    pub(super) longest_ttl: Option<u8>,
    /// Fails also if only a `should` clause is violated
    #[arg(long)]
    pub(super) strict: bool,
    #[command(flatten)]
    pub(super) at: TargetArgs,
}

const PROVE_HELP: &str = "\
A store that passes always answers as the model does, under assumptions that harness/USAGE.md lists. It needs a clock that the \
harness moves.";

#[derive(Debug, clap::Args)]
pub(super) struct ServeArgs {
    /// Uses standard input and output; required
    #[arg(long, required = true)]
    pub(super) stdio: bool,
    /// The store that answers: `reference`, or `mutant:NAME`
    #[arg(long, value_name = "TARGET", default_value = "reference")]
    pub(super) target: String,
}

#[derive(Debug, clap::Args)]
#[command(after_help = help_text(FILTERS))]
pub(super) struct ListArgs {
    /// Filters of vectors. Default: all
    #[arg(value_name = "FILTER")]
    pub(super) filters: Vec<String>,
    /// Lists the clauses, each with the number of its vectors
    #[arg(long)]
    pub(super) clauses: bool,
    /// With `--format json`: whole vectors with their steps, in the format that `schema vectors` prints
    #[arg(long, conflicts_with = "clauses")]
    pub(super) steps: bool,
    #[command(flatten)]
    pub(super) vectors: VectorsArgs,
    /// Format of the output
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

#[derive(Debug, clap::Args)]
pub(super) struct ExplainArgs {
    /// A clause, a vector (`section/id`), a section, a mutant, a document or finding (`D2017`, `S-57`), or a word to look for; `matrix`,
    /// the table of lifetimes; or `life`, the states of an item
    #[arg(value_name = "NAME|WORD")]
    pub(super) word: String,
    #[command(flatten)]
    pub(super) vectors: VectorsArgs,
}

#[derive(Debug, Subcommand)]
pub(super) enum KnownCommand {
    /// Runs the vectors and updates the list; keeps comments and order
    Update(Box<UpdateArgs>),
    /// Checks a list without a run: its format, and whether its vectors exist
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
    after_help = help_text(&format!("{TARGETS}\n\n{FILTERS}"))
)]
pub(super) struct UpdateArgs {
    /// The list; created if it does not exist
    pub(super) file: PathBuf,
    /// Reason for the new failures; required to add any
    #[arg(long, value_name = "TEXT")]
    pub(super) reason: Option<String>,
    #[command(flatten)]
    pub(super) replay: ReplayArgs,
}

#[derive(Debug, clap::Args)]
pub(super) struct ReportArgs {
    /// A `report.json`, or a directory with one; several are shown in columns
    #[arg(value_name = "REPORT", required = true)]
    pub(super) reports: Vec<PathBuf>,
    /// Name of a report's column, once for each report in their order. Default: that of the target; of two equal ones, the file's
    #[arg(long = "label", value_name = "NAME")]
    pub(super) labels: Vec<String>,
    /// File to write. Default: standard output
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(super) struct DiffArgs {
    /// The report of the first run: a `report.json`, or the directory of `run --report`
    #[arg(value_name = "BEFORE")]
    pub(super) before: PathBuf,
    /// The report of the second run
    #[arg(value_name = "AFTER")]
    pub(super) after: PathBuf,
    /// Format of the output; `md` is Markdown, for a comment
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: DiffFormat,
    /// Number of vectors to show for each kind of change
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(super) show: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum DiffFormat {
    #[default]
    Text,
    Json,
    Md,
}

#[derive(Debug, clap::Args)]
#[command(after_help = help_text(WHAT_IF_HELP))]
pub(super) struct WhatIfArgs {
    /// The `defaultTtl` as it is: `off`, -1, or seconds
    #[arg(long, value_name = "TTL", allow_negative_numbers = true)]
    pub(super) from: Setting,
    /// The `defaultTtl` as it would be
    #[arg(long, value_name = "TTL", allow_negative_numbers = true)]
    pub(super) to: Setting,
    /// The second of the Unix epoch at which it changes. Default: now
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(i64).range(0..=LATEST_S))]
    pub(super) at: Option<i64>,
    /// Counts what is no item, and goes on
    #[arg(long)]
    pub(super) skip_bad: bool,
    /// Format of the output
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    /// File of the items; `-` reads standard input
    #[arg(value_name = "ITEMS")]
    pub(super) items: PathBuf,
}

/// The end of the year 9999.
const LATEST_S: i64 = 253_402_300_799;

const WHAT_IF_HELP: &str = "\
This query gives the items, with the client of any language or in the portal; change nothing in what it answers:
  SELECT c.id, c._ts, c.ttl FROM c
It is read as one item on each line, as an array, or as pages with `Documents`, in UTF-8. Other properties are ignored. An \
item without `ttl` has none here either: `null` is a value, which the service refuses.
Exit codes: 0 the items were read, 2 wrong use or a text that is no item, 3 there was no item.";

/// A format that has a schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum SchemaOf {
    /// Files of vectors, as in `vectors/schema.json`, and of `list --format json --steps`
    #[default]
    #[value(alias = "vectors")]
    Vector,
    /// Reports: the output of `run --format json`, and `report.json`
    Report,
    /// Lines of the process protocol
    Protocol,
}
