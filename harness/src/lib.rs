//! Replays the TTL vectors against any implementation of Azure Cosmos DB.

pub mod literal;
pub mod target;
pub mod targets;
