//! What can be said to `cargo lab lock`.

use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct LockArgs {
    /// The directory of the vectors
    #[arg(long, value_name = "DIR", default_value = "vectors")]
    pub(crate) vectors: PathBuf,
    /// Writes nothing, and refuses a lock that is not up to date
    #[arg(long, conflicts_with_all = ["accept", "retire"])]
    pub(crate) check: bool,
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
