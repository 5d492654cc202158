//! Targets that are processes: one JSON object a line over standard input and output, as `PROTOCOL.md` says.
//!
//! ```no_run
//! use cosmos_ttl_harness::{embedded, run_virtual};
//! use cosmos_ttl_targets::process::target::{ProcessConfig, ProcessTarget};
//!
//! let target = ProcessTarget::start(ProcessConfig::new(["python3", "adapter.py"]))?;
//! let suite = embedded()?;
//! let run = run_virtual(&target, &suite.vectors.iter().collect::<Vec<_>>())?;
//! target.bye()?;
//! println!("{} vectors came to their end", run.results.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`protocol`] has the messages, [`target`] speaks to a process, [`serve`] is the other side, and [`smoke`] checks an
//! adapter before anything is said of time to live.

mod child;
mod exchange;
pub mod protocol;
pub mod serve;
pub mod smoke;
mod structure;
pub mod target;
