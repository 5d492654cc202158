//! A seventh store with its own faults, written by an author who had read neither vectors nor the other faults.
//!
//! The store is event-sourced. A command decides on facts: settings taken, an item put, dropped or swept. Facts are only
//! appended, and two projections fold them: the shelf answers point requests, and the board answers queries, lists and
//! counts. A change of the settings builds the board again from all facts. A batch decides on a draft of everything.

mod allowance;
mod batch;
mod board;
mod decide;
mod fold;
mod ledger;
mod rule;
mod slip;
mod sweep;

pub mod correct;
pub mod faults;

pub use allowance::Allowance;
pub use correct::{CorrectLedgerStore, all_correct};
pub use faults::{LedgerFault, all_faults};
pub use ledger::LedgerStore;
