//! A sixth store with its own faults, written by an author who had read neither vectors nor the other faults.
//!
//! The store is built as storage engines are: a memtable takes the writes, a full memtable becomes a sorted run, and a
//! lookup takes the newest version. A compaction merges the runs and drops what is expired. A batch writes ahead and is
//! rolled back to a snapshot of the engine. All requests meet at one expiry check, which knows who looks.

mod batch;
mod compaction;
mod engine;
mod feed;
mod items;
mod life;
mod manifest;
mod session;
mod slip;
mod value;

pub mod leeway;

pub mod correct;
pub mod faults;

pub use correct::{CorrectLsmStore, all_correct};
pub use faults::{LsmFault, all_faults};
pub use session::LsmStore;
