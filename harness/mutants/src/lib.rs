//! A second store, written from the clauses and not from the model, and what becomes of it with one mutation.
//!
//! It keeps everything as it came: an item's properties as text and the second of its write. Whatever the rule needs is
//! read off that again at every look, in absolute time and in 128 bits, so nothing is latched, cached or rounded. It
//! shares no code with the model, nor the harness's reading of numbers.
//!
//! ```
//! use cosmos_ttl_harness::{Outcome, embedded, run_virtual};
//!
//! let suite = embedded()?;
//! let mutant = cosmos_ttl_mutants::named("one-second-late").expect("there is such a mutant");
//! let run = run_virtual(&mutant, &suite.vectors.iter().collect::<Vec<_>>())?;
//! assert!(run.results.iter().any(|result| result.verdict.outcome() == Outcome::Fail));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules, in reading order: [`mutation`] is how stores differ; `store` is one container and the
//! target that holds it; `list` has every mutant and [`controls`] every control; [`matrix`] is the kill matrix, and [`diagnosis`]
//! finds the mutant that fails like a target.
//!
//! Without a mutation it is an oracle in addition to the model. With one it is a mutant: a store that a vector must fail. What is
//! right in a way of its own is a control: a store that no vector may fail.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "counts are small, and 128 bits hold every sum of seconds; what is multiplied saturates"
)]

pub mod controls;
pub mod diagnosis;
mod list;
pub mod matrix;
pub mod mutation;
mod store;

pub use controls::{CONTROLS, Control, all_controls};
pub use list::{Mutant, mutants, named};
pub use mutation::Mutation;
pub use store::{
    Background, Choices, Freedoms, IndependentSession, IndependentStore, Pick, START, ShownBy,
    UnindexedAnswers, whole,
};
