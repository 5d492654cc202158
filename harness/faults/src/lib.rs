//! Faults and correct stores that were written without a look at the vectors, to measure them.
//!
//! Everything here follows from `vectors/clauses.yaml` and the documents alone. No fault is changed because a vector
//! misses it: the vectors must learn from the faults, and never the other way round.
//!
//! ```
//! use cosmos_ttl_faults::{FAULTS, LogStore};
//! use cosmos_ttl_harness::Target as _;
//!
//! assert!(FAULTS.iter().count() >= 60);
//! assert_eq!(LogStore::CORRECT.about().name, "correct");
//! ```
//!
//! The modules, in reading order: [`number`] reads lifetimes; [`freedom`] is what correct stores may do differently, and
//! [`mistake`] what faulty ones do wrong; [`store`] is one container and the target that holds it; [`script`] is a
//! sequence of requests as text; [`correct`] and [`faults`] are the lists. Each further set has a module
//! of its own, and [`sets`] lists them all.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "counts are small, and 128 bits hold every sum and product of seconds"
)]
#![expect(clippy::enum_glob_use, reason = "a list of faults names nearly every variant of a mistake")]

pub mod freedom;
pub mod mistake;
pub mod number;

pub mod store;

pub mod script;

pub mod correct;
pub mod faults;

pub mod second;

pub mod third;

pub mod fourth;

pub mod fifth;

pub mod sixth;

pub mod seventh;

pub mod eighth;

pub mod ninth;

pub mod tenth;

pub mod eleventh;

pub mod twelfth;

pub mod thirteenth;

pub mod fourteenth;

pub mod fifteenth;

pub mod sixteenth;

pub mod sets;

pub use correct::{CORRECT, CorrectStore};
pub use faults::{FAULTS, SingleFault};
pub use sets::{CorrectEntry, FaultEntry, FaultSet, PlantedStore};
pub use store::LogStore;
