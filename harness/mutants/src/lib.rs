//! A second store, written from the clauses and not from the model, and what becomes of it with one mutation.
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
//! The modules, in reading order: `oracle` is the store, and [`choices`] are where correct stores differ; `number` reads
//! numbers; [`faulty`] puts faults upon the store; `list` has every mutant and [`controls`] every control; [`matrix`] is the
//! kill matrix; [`signatures`] is how each mutant fails, and [`diagnosis`] finds the mutant that fails like a target. [`reliance`] finds the
//! rules that a log shows at work.
//!
//! Without a mutation the store is an oracle in addition to the model. With one it is a mutant: a store that a vector must
//! fail. What is right in a way of its own is a control: a store that no vector may fail.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "counts are small, and 128 bits hold every sum of seconds; what is multiplied saturates"
)]

pub mod choices;
pub mod controls;
pub mod diagnosis;
pub mod faulty;
mod list;
pub mod matrix;
mod number;
mod oracle;
pub mod reliance;
pub mod signatures;

pub use choices::{Background, Choices, Pick};
pub use controls::{CONTROLS, Control};
pub use faulty::{Faulty, FaultyStore, Mutation, Path};
pub use list::{Mutant, mutants, named};
pub use number::whole;
pub use oracle::{IndependentAccount, IndependentSession, IndependentStore, START};
