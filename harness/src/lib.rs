//! Replays the TTL vectors against any implementation of Azure Cosmos DB.

#[cfg(feature = "libtest")]
pub mod cargo_test;
pub mod clauses;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod derive;
mod etags;
#[cfg(feature = "cli")]
pub mod explore;
mod fit;
pub mod flaw;
mod guard;
mod judge;
pub mod known;
pub mod literal;
mod near;
mod plain_text;
pub mod protocol;
pub mod realtime;
pub mod replay;
pub mod report;
mod returned;
pub mod run;
pub mod said;
pub mod serve;
pub mod smoke;
#[cfg(feature = "libtest")]
mod story;
pub mod target;
pub mod targets;
mod text_file;
pub mod vector;
pub mod verdict;
#[cfg(feature = "cli")]
pub mod witness;
pub mod yaml;
