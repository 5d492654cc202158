//! A fourth store with its own faults, written by an author who had read neither vectors nor the other faults.
//!
//! The store is built as schedulers are: a sorted wheel of timers decides what is expired, and never the age of an item.
//! Items lie in numbered slots. An index of identities and a feed for each partition point to the slots. The settings are a
//! tape of events; a change of them arms every timer again. A batch writes a journal, and an abort plays it backwards.

mod batch;
mod feed;
mod items;
mod session;
mod settings;
mod slip;
mod slot;
mod value;
mod wheel;

pub mod choice;

pub mod correct;
pub mod faults;

pub use correct::{CorrectTimerStore, all_correct};
pub use faults::{TimerFault, all_faults};
pub use session::TimerStore;
