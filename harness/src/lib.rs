//! Replays the TTL vectors against any implementation of Azure Cosmos DB.

pub mod literal;
pub mod target;

pub mod clauses;
pub mod vector;

pub mod etags;
pub mod fit;
mod judge;
pub mod replay;
pub mod verdict;

pub mod result;
pub mod said;

pub mod run;

pub mod known;

pub mod realtime;

#[cfg(feature = "libtest")]
pub mod cargo_test;
#[cfg(feature = "libtest")]
mod story;
pub mod storyboard;

pub mod flaw;
pub mod guard;
pub mod near;
pub mod plain;
pub mod plain_text;
pub mod returned;
mod text_file;
pub mod yaml;
