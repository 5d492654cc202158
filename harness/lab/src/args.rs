//! What can be said on the command line of the lab.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Parser, Subcommand};
use cosmos_ttl::shell::{Format, HELP_WIDTH, STYLES, VectorsArgs, help_text};

/// Checks the suite itself: the model, what the vectors notice, and what is derived
///
/// For the people who maintain the suite; `cosmos-ttl` is the program for everybody else.
#[derive(Debug, Parser)]
#[command(name = "cosmos-ttl-lab", bin_name = "cargo lab", version, styles = STYLES, max_term_width = HELP_WIDTH)]
pub struct LabArgs {
    #[command(subcommand)]
    pub(crate) command: LabCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LabCommand {
    /// Checks the model: what the clauses say, in every reachable state of small worlds
    Check(CheckArgs),
    /// Runs all mutants and controls; fails if a mutant survives or a control is killed
    Mutants(MutantsArgs),
    /// Counts which clause vectors show on which path and in which state; fails if a cell is empty without a reason
    Coverage(CoverageArgs),
    /// Scores the vectors by faults that were written without them; lists the correct stores that they accuse
    Faults(FaultsArgs),
    /// Proves what the complete suite states: checks its tests, and plays them against faulty machines and stores
    #[command(after_help = help_text(COMPLETE_HELP))]
    Complete(CompleteArgs),
    /// Removes a clause from the model; lists the vectors that fail and the laws of the checker that break
    Ablation(AblationArgs),
    /// Counts wrong verdicts of runs on a real clock, over simulated networks and clocks
    Soundness(SoundnessArgs),
    /// Derives vectors from the graph that the checker walks; lists what they cover
    #[command(after_help = help_text(DERIVED_CODES))]
    Derive(GeneratedArgs),
    /// Picks the vectors of the quick profile: as few as still kill every mutant
    #[command(after_help = help_text(QUICK_CODES), mut_arg("check", |check| check.help(QUICK_CHECK)))]
    Quick(GeneratedArgs),
    /// Computes which clauses each step of a vector shows, from stores that lack one clause
    #[command(after_help = help_text(SHOWS_CODES), mut_arg("check", |check| check.help(QUICK_CHECK)))]
    Shows(GeneratedArgs),
    /// Keeps `vectors.lock`: adds new vectors, and refuses changes to published ones
    Lock(LockArgs),
    /// Writes everything that follows from the vectors and the mutants: generated files, and the figures of the pages
    #[command(after_help = help_text(UPDATE_HELP))]
    Update(ProjectUpdateArgs),
    /// Writes the JSON Schemas of the formats, from the types that read them
    Schema(SchemaArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = help_text(MUTANTS_HELP))]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
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
    /// Shows a short script on which each mutant and a correct store differ, and the shortest vector that kills it
    #[arg(long, conflicts_with_all = ["matrix", "survivors"])]
    pub(crate) shortest: bool,
    /// Lists all correct stores, the generated ones too; fails if a vector fails one
    #[arg(long, conflicts_with_all = ["filters", "matrix", "survivors", "shortest"])]
    pub(crate) controls: bool,
    /// Also divides this number of random requests among the controls; fails if one of them is accused
    #[arg(long, value_name = "REQUESTS", requires = "controls", default_value_t = 0)]
    pub(crate) steps: u64,
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
A mutant is the independent store with one fault: `cosmos-ttl run mutant:one-second-late`. \
A control is a correct variant of that store, which passes every vector.

Exit codes:
  0  a vector kills every mutant, and every control passes; each client-visible clause has a mutant that a vector \
citing the clause kills; each vector kills a mutant
  1  some of this does not hold; it is listed
  2  wrong use, or a bad vector";

// Where generated files are, and whether they are only compared: a doc comment would be the help of both commands.
#[derive(Debug, clap::Args)]
pub(crate) struct GeneratedArgs {
    /// The directory of the vectors
    #[arg(long, value_name = "DIR", default_value = "vectors")]
    pub(crate) vectors: PathBuf,
    /// Writes nothing, and says what is stale
    #[arg(long)]
    pub(crate) check: bool,
}

const DERIVED_CODES: &str = "\
Exit codes:
  0  the derived files are up to date
  1  a derived file is stale
  2  wrong use, or a bad vector";

const QUICK_CHECK: &str = "Writes nothing, and says whether the file is stale";

const QUICK_CODES: &str = "\
Replays every vector against every mutant, and picks vectors greedily. They kill every mutant that all \
vectors kill. \
Each client-visible clause keeps a mutant that a vector citing the clause kills.

Exit codes:
  0  `quick.yaml` is up to date
  1  `quick.yaml` is stale
  2  wrong use, or a bad vector";

const SHOWS_CODES: &str = "\
Replays every vector against the model without each clause, and against every mutant. Where one of them fails \
first, the \
step shows the clauses that it lacks. If a target fails at that step, these clauses are blamed, and no others.

Exit codes:
  0  `shows.yaml` is up to date
  1  it is stale
  2  wrong use, or a bad vector";

#[derive(Debug, clap::Args)]
#[command(mut_arg("check", |check| check.help(LOCK_CHECK).conflicts_with_all(["accept", "retire"])))]
pub(crate) struct LockArgs {
    #[command(flatten)]
    pub(crate) files: GeneratedArgs,
    /// Takes a published vector's new meaning: the old one was wrong, and its source says so
    #[arg(long, value_name = "VECTOR")]
    pub(crate) accept: Vec<String>,
    /// Leaves a tombstone for a published vector that went away
    #[arg(long, value_name = "VECTOR", requires = "why")]
    pub(crate) retire: Vec<String>,
    /// Why the retired vectors went away
    #[arg(long, value_name = "TEXT", requires = "retire")]
    pub(crate) why: Option<String>,
}

const LOCK_CHECK: &str = "Writes nothing, and refuses a lock that is not up to date";

#[derive(Debug, clap::Args)]
pub(crate) struct ProjectUpdateArgs {
    /// The directory of the project
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) project: PathBuf,
    /// Writes nothing, and lists what is stale
    #[arg(long)]
    pub(crate) check: bool,
    /// Also runs the tests with snapshots of the mutants, and accepts what changed; read the difference
    #[arg(long, conflicts_with = "check")]
    pub(crate) snapshots: bool,
}

const UPDATE_HELP: &str = "\
After a new vector, clause or mutant. Does what `derive`, `lock`, `quick`, `shows` and `schema` do, and writes the figures of \
README.md, harness/USAGE.md and harness/TRUST.md. It never changes an expectation, and refuses a published vector that \
changed.

Exit codes:
  0  all is up to date
  1  something is stale; it is listed
  2  wrong use, a bad vector, or a published vector that changed";

#[derive(Debug, clap::Args)]
#[command(after_help = help_text(SCHEMA_CODES))]
pub(crate) struct SchemaArgs {
    /// The directory of the project
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) project: PathBuf,
    /// Writes nothing, and lists the stale files
    #[arg(long)]
    pub(crate) check: bool,
}

const SCHEMA_CODES: &str = "\
Exit codes:
  0  every schema is up to date
  1  a schema is stale; it is listed
  2  wrong use";

#[derive(Debug, clap::Args)]
#[command(after_help = help_text(CHECK_CODES))]
pub(crate) struct CheckArgs {
    /// Checks four items with lifetimes up to 3 s as well, which takes some seconds
    #[arg(long)]
    pub(crate) large: bool,
    /// Checks five items, too
    #[arg(long)]
    pub(crate) largest: bool,
    /// Checks nothing, but serves stateright's Explorer for a browser until Ctrl-C: 127.0.0.1:3000
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) explorer: Option<SocketAddr>,
    /// Lets the Explorer listen where other machines can reach it
    #[arg(long, requires = "explorer")]
    pub(crate) anywhere: bool,
}

const CHECK_CODES: &str = "\
Exit codes:
  0  every property is as it must be
  1  one is not: the shortest way to it is printed as a vector
  2  wrong use";

#[derive(Debug, clap::Args)]
#[command(after_help = help_text(FAULTS_HELP))]
pub(crate) struct FaultsArgs {
    /// A directory of vectors, instead of those that came with this program
    #[arg(long = "vectors", value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// How many random requests each store gets from each of two seeds; 0 for none
    #[arg(long, value_name = "REQUESTS", default_value_t = 20_000)]
    pub(crate) steps: u64,
}

const FAULTS_HELP: &str = "\
The faults and the correct stores were written from the clauses and the documents alone, by people who had \
not seen the \
vectors. A fault is never changed because a vector misses it. Each fault comes with a script that shows it.

Exit codes:
  0  vectors or random requests find every fault, and accuse no correct store
  1  something of this does not hold; it is listed
  2  wrong use, or a bad vector";

#[derive(Debug, clap::Args)]
pub(crate) struct CompleteArgs {
    /// Where the certificate is
    #[arg(long, value_name = "FILE", default_value = "harness/complete/certificate.yaml")]
    pub(crate) certificate: PathBuf,
    /// Writes nothing, and says whether the certificate is stale
    #[arg(long)]
    pub(crate) check: bool,
    /// Plays this many random machines with one more state than the model
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) machines: u32,
    /// Plays the suite of this depth against every mutant, every control, every independent fault and every correct store
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(0..=2))]
    pub(crate) stores: Option<u8>,
}

const COMPLETE_HELP: &str = "\
The certificate says, for each set of choices of a target, how many tests there are, that they satisfy the \
condition of \
Vaandrager and Melse for completeness, and that they kill each fault of one transition or one answer of the \
machine.

Exit codes:
  0  the condition holds, every faulty machine is killed, and no correct store is accused
  1  something of this does not hold, or the certificate is stale
  2  wrong use";

#[derive(Debug, clap::Args)]
#[command(after_help = help_text(ABLATION_HELP))]
pub(crate) struct AblationArgs {
    /// Which clauses, or the clauses of which section; all without
    #[arg(value_name = "CLAUSE")]
    pub(crate) clauses: Vec<String>,
    /// A directory of vectors, instead of those that came with this program
    #[arg(long = "vectors", value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// As text for people, or as JSON for programs
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

const ABLATION_HELP: &str = "\
Removes a clause from the model, and says what notices: which vectors fail, and which properties of \
the checker break. Where a clause leaves a choice, only one value remains allowed. \
A few clauses are printed at length, many as a table.

Exit codes:
  0  each client-visible clause has a vector that cites it and fails; each other clause has a property that \
breaks
  1  a clause has none; it is named
  2  wrong use, or a bad vector";

#[derive(Debug, clap::Args)]
#[command(after_help = help_text(SOUNDNESS_HELP))]
pub(crate) struct SoundnessArgs {
    /// Which classes of adversity, with `*` for any characters; all without
    #[arg(value_name = "CLASS")]
    pub(crate) classes: Vec<String>,
    /// How many runs all classes make together, at least
    #[arg(long, value_name = "NUMBER", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub(crate) runs: u64,
    /// Makes the two runs of this seed only, and shows what they say of each vector
    #[arg(long, value_name = "SEED", conflicts_with = "runs")]
    pub(crate) seed: Option<u64>,
    /// Prints the bounds as a table in Markdown, and makes no run
    #[arg(long, conflicts_with_all = ["runs", "seed", "classes"])]
    pub(crate) bounds: bool,
    /// As text for people, or as JSON for programs
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

const SOUNDNESS_HELP: &str = "\
Each seed makes two runs in each class: one of a control, and one of a mutant. The clock, the network and the \
server are \
simulated, so the same seed gives the same figures on every machine.

Exit codes:
  0  within the bounds no vector fails a control; nowhere is a mutant found conformant that is nonconformant \
when calm; \
outside the bounds every run with a wrong verdict also says that something is wrong
  1  something of this does not hold; it is listed
  2  wrong use";

/// What `cargo lab coverage` counts.
#[derive(Debug, clap::Args)]
#[command(after_help = help_text(COVERAGE_HELP))]
pub(crate) struct CoverageArgs {
    /// A directory of vectors, instead of those that came with this program
    #[arg(long = "vectors", value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// A file of reasons, instead of those that came with this program
    #[arg(long, value_name = "FILE")]
    pub reasons: Option<PathBuf>,
    /// Shows the cells of two dimensions
    #[arg(long, num_args = 2, value_names = ["ROWS", "COLUMNS"])]
    pub pairs: Vec<Dimension>,
    /// Shows which vectors notice that one kind of request reads the settings or the table wrongly
    #[arg(long, conflicts_with = "pairs")]
    pub misreadings: bool,
}

/// What the cells are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub(crate) enum Dimension {
    /// The clause that a step shows.
    Clause,
    /// What the step asks.
    Operation,
    /// Whether it asks so alone or in a batch, and how the batch ends.
    Place,
    /// Whether it names an etag.
    Condition,
    /// How the item that it asks about was written last.
    Written,
    /// The container's setting.
    Setting,
    /// How the setting changed.
    History,
    /// The item's own setting, next to that of the container.
    Own,
    /// How far the item's life is.
    Life,
    /// The edition.
    Edition,
    /// The container's setting and how it changed, together.
    Container,
}

const COVERAGE_HELP: &str = "\
The model replays every vector, and each request is counted in the state in which it finds container and items. A \
cell is a pair of values of two dimensions, such as the clause `gone-at-deadline` and the operation `patch`. \
`harness/lab/coverage.yaml` says why a cell is empty.

Dimensions:
  clause      that the step shows
  operation   what it asks; place: alone or in a batch; condition: whether it names an etag
  written     how the item was written last
  setting     of the container; history: how it changed; container: both
  own         the item's `ttl` next to the default; life: how far its life is
  edition     of the documents
In the table of two dimensions, 3 is three vectors by hand, +3 three derived vectors only, · none for a reason, – none.

Exit codes:
  0  each cell has a vector or a reason, and no cell has both
  1  something of this does not hold; it is listed
  2  wrong use, or a bad vector";
