//! A complete test suite: no faulty store of a stated class passes it.
//!
//! The model of one item, with lifetimes of a few seconds, is a finite machine. The suite tests it by the HSI method
//! (harmonised state identifiers): it reaches each state, sends every input there, and identifies the state that follows.
//! F. Vaandrager and I. Melse ("New Fault Domains for Conformance Testing of Finite State Machines", CONCUR 2025) prove
//! what passing such a suite means: each store of which every state is reached by one of the access sequences and at
//! most `k` further inputs, and which passes, answers as the machine does, forever.
//!
//! ```
//! use cosmos_ttl_explore::complete::{CompleteOptions, Depth, complete};
//! use cosmos_ttl_harness::vector::embedded;
//! use cosmos_ttl_explore::reference::Reference;
//!
//! let done = complete(&Reference::default(), &embedded()?, &CompleteOptions::new(Depth(0)))?;
//! assert!(done.found.is_none() && done.is_whole());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The suite of two items ([`CompleteOptions::two_items`]) is made in the same way from the machine of two items that share a
//! container. It sends the core of the inputs and batches about both items.
//!
//! The modules, in reading order: `input` is what a client may do; `machine` is what the model answers to it, state by
//! state. `identify` finds the sequences that tell states apart, and `suite` makes the tests. `player` plays a test as a
//! script, judged by the belief. `run` plays the whole suite, makes what it finds small, and says
//! what passing means.

mod choices;
mod export;
mod identify;
mod input;
mod machine;
mod player;
mod run;
mod suite;

pub use choices::{BINDING, describe};
pub use export::model_vectors;
pub use identify::Identifiers;
pub use input::{Alphabet, ITEM, Input, InputNumber};
pub use machine::{Machine, MachineAnswer, StateNumber};
pub use run::{CompleteOptions, Completion, PlayedSchedule, SuiteProgress, complete};
pub use suite::{CompleteSuite, Depth, TestCase};
