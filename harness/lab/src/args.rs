//! What can be said on the command line of the lab.

mod ablation;
mod check;
mod lock;
mod mutants;
mod quick;

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use cosmos_ttl::shell::STYLES;

pub(crate) use self::ablation::AblationArgs;
pub(crate) use self::check::CheckArgs;
pub(crate) use self::lock::LockArgs;
pub(crate) use self::mutants::MutantsArgs;
pub(crate) use self::quick::QuickArgs;

/// Checks the suite itself: the model, what the vectors notice, and what is derived
///
/// For the people who maintain the suite; `cosmos-ttl` is the program for everybody else.
#[derive(Debug, Parser)]
#[command(name = "cosmos-ttl-lab", bin_name = "cargo lab", version, styles = STYLES, max_term_width = 100)]
pub struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Checks the model: what the clauses say, in every reachable state of small worlds
    Check(CheckArgs),
    /// Runs all mutants and controls; fails if a mutant survives or a control is killed
    Mutants(MutantsArgs),
    /// Removes a clause from the model; lists the vectors that fail and the laws of the checker that break
    Ablation(AblationArgs),
    /// Derives vectors from the graph that the checker walks; lists what they cover
    Derive(DeriveArgs),
    /// Picks the vectors of the quick profile: as few as still kill every mutant
    Quick(QuickArgs),
    /// Keeps `vectors.lock`: adds new vectors, and refuses changes to published ones
    Lock(LockArgs),
    /// Writes the JSON Schemas of the formats, from the types that read them
    Schema(SchemaArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = DERIVED_CODES)]
pub(crate) struct DeriveArgs {
    /// The directory of the vectors
    #[arg(long, value_name = "DIR", default_value = "vectors")]
    pub(crate) vectors: PathBuf,
    /// Writes nothing, and says what is stale
    #[arg(long)]
    pub(crate) check: bool,
}

const DERIVED_CODES: &str = "\
Exit codes:
  0  what is derived stands there
  1  something that stands there is stale
  2  wrong use, or a bad vector";

#[derive(Debug, clap::Args)]
#[command(after_help = SCHEMA_CODES)]
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
