//! A second store with its own faults, written later and by somebody who had read neither vectors nor the first faults.
//!
//! The store keeps a map of documents for each partition. It computes a deadline at each write and again after each change
//! of settings, removes expired items from a queue of deadlines, and lets a batch work on a copy of its partition.
//! Queries and counts walk an index of ids. That is how emulators and fakes are built, and where they go wrong.

mod batch;
mod bug;
mod collection;
mod document;
mod feed;
mod lifetime;
mod put;
mod session;
mod sweeper;
mod value;
mod write;

pub mod leeway;

pub mod correct;
pub mod faults;

pub use correct::{CorrectDocumentStore, all_correct};
pub use faults::{DocumentFault, all_faults};
pub use session::DocumentStore;
