//! The command line of the lab.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Parser, Subcommand};
use cosmos_ttl::shell::{HELP_WIDTH, STYLES, VectorsArgs, help_text};

/// Checks the suite itself: the model, the vectors and the generated files
///
/// For the people who maintain the suite. To test a store, use `cosmos-ttl`.
#[derive(Debug, Parser)]
#[command(name = "cosmos-ttl-lab", bin_name = "cargo lab", version, styles = STYLES, max_term_width = HELP_WIDTH)]
pub struct LabArgs {
    #[command(subcommand)]
    pub(crate) command: LabCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LabCommand {
    /// Checks the properties of the model in every reachable state of small worlds
    Check(CheckArgs),
    /// Runs all mutants and controls; fails if a mutant survives or a control is killed
    Mutants(MutantsArgs),
    /// Sends random requests to all mutants and controls; fails if a control is accused
    #[command(after_help = help_text(EXPLORE_CODES))]
    Explore(ExploreArgs),
    /// Checks that the complete suite is complete, and plays it against faulty machines
    #[command(after_help = help_text(COMPLETE_HELP))]
    Complete(CompleteArgs),
    /// Counts wrong verdicts of runs on a real clock, over simulated networks and clocks
    Soundness(SoundnessArgs),
    /// Writes all generated files
    #[command(after_help = help_text(UPDATE_HELP))]
    Update(UpdateArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = help_text(MUTANTS_HELP))]
pub(crate) struct MutantsArgs {
    /// Filters of mutants; see below. Default: all
    #[arg(value_name = "FILTER")]
    pub(crate) filters: Vec<String>,
    #[command(flatten)]
    pub(crate) vectors: VectorsArgs,
}

const MUTANTS_HELP: &str = "\
What a FILTER means:
  one-second-late        one mutant
  'queries-*'            `*` means any characters
  gone-at-deadline       all mutants that break a clause
  lifetime               all mutants that break a clause of a section
A mutant is the independent store with one fault: `cosmos-ttl run mutant:one-second-late`. \
A control is a correct variant of that store, which passes every vector.

Exit codes:
  0  a vector kills every mutant, and every control passes; each client-visible clause has a mutant that a vector \
citing the clause kills; each vector kills a mutant
  1  some of this does not hold; it is listed
  2  wrong use, or a bad vector";

#[derive(Debug, clap::Args)]
pub(crate) struct UpdateArgs {
    /// Directory of the project
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) project: PathBuf,
    /// Writes nothing; lists what is stale
    #[arg(long)]
    pub(crate) check: bool,
}

const UPDATE_HELP: &str = "\
For use after a new vector, clause or mutant. It replays every vector against every mutant, and writes:
  vectors.json    every vector, with tables written out, for the programs and for other languages
  quick.yaml      few vectors that kill every mutant that all vectors together kill
  signatures.txt  how each mutant fails each vector, which a diagnosis looks up
It never changes an expectation or a snapshot.

Exit codes:
  0  all is up to date
  1  something is stale; it is listed
  2  wrong use, or a bad vector";

#[derive(Debug, clap::Args)]
#[command(after_help = help_text(CHECK_CODES))]
pub(crate) struct CheckArgs {
    /// Checks nothing; serves stateright's Explorer, a page for a browser, at this address of this machine until Ctrl-C
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) explorer: Option<SocketAddr>,
}

const CHECK_CODES: &str = "\
Exit codes:
  0  every property holds
  1  a property does not hold: the output shows the shortest trace to it as a vector
  2  wrong use";

#[derive(Debug, clap::Args)]
pub(crate) struct ExploreArgs {
    /// Seed of the random requests
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Number of requests to each store
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) steps: u64,
    /// Explores no mutant
    #[arg(long)]
    pub(crate) controls: bool,
}

const EXPLORE_CODES: &str = "\
Exit codes:
  0  no correct store is accused; the output lists the mutants that were not found
  1  a correct store is accused
  2  wrong use";

#[derive(Debug, clap::Args)]
pub(crate) struct CompleteArgs {
    /// File of the certificate
    #[arg(long, value_name = "FILE", default_value = "harness/explore/certificate.yaml")]
    pub(crate) certificate: PathBuf,
    /// Writes nothing; exits with 1 if the certificate is stale
    #[arg(long)]
    pub(crate) check: bool,
    /// Checks the condition for the tests of depth 1, too, which takes minutes
    #[arg(long)]
    pub(crate) depth_1: bool,
}

const COMPLETE_HELP: &str = "\
For each set of choices of a target, the certificate states the number of tests, that they satisfy the condition of \
Vaandrager and Melse for completeness, and that they kill each machine with one wrong transition or answer. It does so for \
one item, and for two items that share a container.

Exit codes:
  0  the condition holds, and every faulty machine is killed
  1  something of this does not hold, or the certificate is stale
  2  wrong use";

#[derive(Debug, clap::Args)]
#[command(after_help = help_text(SOUNDNESS_HELP))]
pub(crate) struct SoundnessArgs {
    /// Classes of adversity; `*` means any characters. Default: all
    #[arg(value_name = "CLASS")]
    pub(crate) classes: Vec<String>,
    /// Least number of runs, of all classes together
    #[arg(long, value_name = "NUMBER", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub(crate) runs: u64,
    /// Makes only the two runs of this seed, and shows the verdict of each vector
    #[arg(long, value_name = "SEED", conflicts_with = "runs")]
    pub(crate) seed: Option<u64>,
}

const SOUNDNESS_HELP: &str = "\
Each seed makes two runs in each class: one of a control, and one of a mutant. The clock, the network and the \
server are simulated, so the same seed gives the same figures on every machine.

Exit codes:
  0  within the bounds no control fails a vector; no run finds a mutant conformant that is nonconformant without \
adversity; outside the bounds every run with a wrong verdict also reports that something is wrong
  1  something of this does not hold; the output lists it
  2  wrong use";
