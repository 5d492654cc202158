//! Replays the TTL vectors against any implementation of Azure Cosmos DB.

pub mod clauses;
pub mod flaw;
pub mod literal;
pub mod target;
pub mod vector;
pub mod yaml;
