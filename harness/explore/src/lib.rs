//! Exploration: random requests, whose responses are compared with what the model allows.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use cosmos_ttl_explore::{Options, explore};
//!
//! let late = cosmos_ttl_mutants::named("one-second-late").expect("there is such a mutant");
//! let explored = explore(&late, &Options { seed: 1, steps: 10_000, stop: &AtomicBool::new(false) })?;
//! assert!(explored.found.is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules, in reading order: `storyboard` is what is asked; the belief ([`cosmos_ttl_belief`]) judges an
//! answer; `generate` draws requests; `play` and `walk` ask them, `run` explores; [`shrink`](mod@shrink) makes a difference small;
//! [`write`](mod@write) makes a vector of it, with the clauses of [`cite`]. [`real_time`] does the same on a clock that runs
//! by itself. [`compare`] and [`distinguish`] find the shortest difference between two targets, [`mutants`] and [`told`]
//! say how soon, and how shortly, each mutant is found.

mod script;

mod rng;
mod values;

mod generate;

mod play;
mod walk;

mod choice;
mod coverage;

mod run;

pub mod shrink;

pub mod cite;
pub mod write;

mod counterexample;

pub mod real_time;

pub mod compare;
pub mod distinguish;

pub mod mutants;
pub mod told;

pub use choice::Chosen;
pub use counterexample::Counterexample;
pub use coverage::Coverage;
pub use generate::{Generator, KINDS, Kind};
pub use play::{Difference, Exchange, play, play_telling};
pub use rng::Rng;
pub use run::{Explored, Found, Options, explore, explore_after};
pub use script::{Action, Call, Script};
pub use shrink::shrink;
pub use write::{WrittenVector, write};
