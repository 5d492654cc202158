//! The model of time to live as a Cosmos DB endpoint over HTTP, whose clock a test can turn. It is no general emulator.
//!
//! ```
//! use clap::Parser as _;
//! use cosmos_ttl_server::arguments::ServerArguments;
//! use cosmos_ttl_server::{CosmosEndpoint, RestRequest};
//!
//! let arguments = ServerArguments::parse_from(["cosmos-ttl-server", "--clock", "virtual"]);
//! let endpoint = CosmosEndpoint::new(arguments.endpoint());
//! let advance = RestRequest {
//!     verb: "POST".into(),
//!     path: "/_ttl/advance".into(),
//!     query: "seconds=60".into(),
//!     ..RestRequest::default()
//! };
//! assert_eq!(endpoint.ask(&advance).status, 200);
//! ```
//!
//! The model decides everything about time to live; this crate translates. The modules, in reading order: `rest` and
//! `answer` are what comes in and goes out, `signature` says who may ask, `clock` is the time, `partition` and
//! `system_properties` are what Cosmos DB adds to an item. `item_store` is the border to what decides, `metered_items`
//! asks the model, and `logged_items` writes down what it answers. `account` holds databases and containers. `endpoint` answers a request:
//! `definitions` are databases and containers, `pages` cuts lists; `operation`, `patch`, `items` and `batch` are items; `sql` is the
//! grammar of queries, `query` what they mean, and `feeds` answers them; `control` turns the clock. `listener` opens the sockets and keeps their limits; `arguments` is the command line, `program` does what it says.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "constants; what comes from outside is added with saturating_add"
)]

mod account;
mod answer;
pub mod arguments;
mod batch;
mod body;
mod clock;
mod config;
mod control;
mod definitions;
mod endpoint;
mod feeds;
mod item_parts;
pub mod item_store;
mod items;
pub mod listener;
mod logged_items;
mod metered_items;
mod operation;
mod pages;
mod partition;
mod patch;
mod program;
mod query;
mod rest;
mod signature;
mod sql;
mod system_properties;
#[cfg(feature = "tls")]
pub mod tls;

pub use answer::{RestAnswer, RestRefusal};
pub use clock::{ClockKind, machine_clock};
pub use config::EndpointConfig;
pub use endpoint::{Admitted, CosmosEndpoint};
pub use item_store::RemovalSchedule;
pub use logged_items::LoggedFactory;
pub use metered_items::ModelFactory;
pub use partition::PartitionValue;
pub use program::main;
pub use rest::RestRequest;
pub use signature::SigningKey;
