//! A second store, written from the clauses and not from the model, and what becomes of it with one mistake.
//!
//! It keeps everything as it came: an item's properties as text and the second of its write. Whatever the rule needs is
//! read off that anew at every look, in absolute time and in 128 bits, so nothing is latched, cached or rounded. It
//! shares no code with the model, nor the harness's reading of numbers.
//!
//! Without a mistake it is an oracle beside the model. With one it is a mutant: a store that a vector must fail. What is
//! right in a way of its own is a control: a store that no vector may fail.

mod choices;
pub mod diagnosis;
mod list;
pub mod matrix;
pub mod mistake;
mod naive;
mod number;
mod store;
mod together;

pub use choices::{Choices, Pick};
pub use list::{CONTROLS, Control, Mutant, Named, mutants, named};
pub use mistake::Mistake;
pub use naive::{Background, Naive, Place, START};
pub use number::whole;
pub use together::Together;
