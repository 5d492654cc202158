//! Replays the TTL vectors against any implementation of Azure Cosmos DB.

pub mod clauses;
mod fit;
pub mod flaw;
mod judge;
pub mod literal;
pub mod realtime;
pub mod replay;
pub mod run;
pub mod target;
pub mod targets;
pub mod vector;
pub mod verdict;
pub mod yaml;
