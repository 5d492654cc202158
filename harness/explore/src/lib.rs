//! Everything that the model judges: which answers may a target give, after all that it answered before?
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use cosmos_ttl_explore::reference::Reference;
//! use cosmos_ttl_explore::{ExploreOptions, explore};
//!
//! let options = ExploreOptions { seed: 1, steps: 1_000, stop: &AtomicBool::new(false) };
//! let explored = explore(&Reference::default(), &options)?;
//! assert!(explored.found.is_none() && explored.coverage.expired > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules, in reading order: [`reference`](mod@reference) is the model as a target, and [`belief`] every hidden state that
//! a target's answers allow. `script` is what a client does. `player` plays it in one session and asks the belief.
//! `random` draws scripts with proptest; `explore` plays session after session. [`complete`] makes the scripts of which
//! passing proves something. [`shrink`](mod@shrink) makes a difference small, [`write`](mod@write) makes a vector of it,
//! `counterexample` is both. `export` writes whole sessions as vectors; `cargo_test` adds all this to a
//! user's own test program. [`judge`] judges the logs of others; [`ask`] finds what to ask a store about an open clause.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "counts of requests, tests and hypotheses; seconds that a target shows saturate"
)]

pub mod ask;
pub mod belief;
mod cargo_test;
pub mod complete;
mod counterexample;
mod coverage;
mod explore;
mod export;
pub mod judge;
mod left_out;
mod player;
mod random;
pub mod reference;
mod script;
pub mod shrink;
pub mod write;

pub use belief::Contradiction;
pub use cargo_test::ExploreTest;
pub use counterexample::{Counterexample, Finding, play};
pub use coverage::Coverage;
pub use explore::{Exploration, ExploreOptions, SearchResult, explore, next_seed, search, search_but};
pub use export::random_vectors;
pub use left_out::LeftOut;
pub use player::Exchange;
pub use script::{Action, Call, Script};
pub use write::{WrittenVector, write, write_whole};
