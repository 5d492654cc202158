//! Exploration: random requests, whose responses are compared with what the model allows.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use cosmos_ttl_explore::{ExploreOptions, explore};
//! use cosmos_ttl_reference::Reference;
//!
//! let options = ExploreOptions { seed: 1, steps: 1_000, stop: &AtomicBool::new(false) };
//! let explored = explore(&Reference::default(), &options)?;
//! assert!(explored.found.is_none() && explored.coverage.expired > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules, in reading order: `script` is what a client does; `random` draws it with proptest. `player` plays it in one session, judged by the [belief](cosmos_ttl_belief). `explore` plays session after
//! session, and counts. [`shrink`](mod@shrink) makes a difference small, [`write`](mod@write) makes a vector of it,
//! `counterexample` is both. `export` writes whole sessions as vectors.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "it counts requests; seconds that a target shows saturate"
)]

mod counterexample;
mod coverage;
mod explore;
mod explore_test;
mod export;
mod left_out;
mod player;
mod random;
mod script;
pub mod shrink;
pub mod write;

pub use cosmos_ttl_belief::Contradiction;
pub use counterexample::{Counterexample, Finding, PlayedScript, play, play_whole};
pub use coverage::Coverage;
pub use explore::{Exploration, ExploreOptions, SearchResult, explore, next_seed, search, search_but};
pub use explore_test::ExploreTest;
pub use export::random_vectors;
pub use left_out::LeftOut;
pub use player::Exchange;
pub use script::{Action, Call, Script};
pub use write::{WrittenVector, write, write_whole};
