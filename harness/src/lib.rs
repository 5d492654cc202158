//! Replays the TTL vectors against any implementation of Azure Cosmos DB.
//!
//! A store is put behind [`Target`] and [`Session`]. A run replays [`Vector`]s against it and gives each a [`Verdict`].
//! This crate does not depend on the model, so the vectors alone state the expectations.
//!
//! ```
//! use cosmos_ttl_harness::{
//!     About, Clock, Fault, Request, Response, Session, Status, Target, Outcome, embedded,
//!     run_virtual,
//! };
//!
//! /// A store that refuses every request.
//! struct Refuses;
//!
//! impl Target for Refuses {
//!     fn about(&self) -> About {
//!         About {
//!             name: "refuses".into(),
//!             version: "1".into(),
//!             clock: Clock::Virtual,
//!             purges: false,
//!         }
//!     }
//!
//!     fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
//!         Ok(Box::new(Refuses))
//!     }
//! }
//!
//! impl Session for Refuses {
//!     fn send(&mut self, _: &Request) -> Result<Response, Fault> {
//!         Ok(Response::new(Status::BadRequest))
//!     }
//!
//!     fn pass(&mut self, _seconds: u64) -> Result<(), Fault> {
//!         Ok(())
//!     }
//! }
//!
//! let suite = embedded()?;
//! let vectors: Vec<_> = suite.vectors.iter().collect();
//! let run = run_virtual(&Refuses, &vectors)?;
//! let failed = run.results.iter().filter(|result| result.verdict.outcome() == Outcome::Fail);
//! assert!(failed.count() > 200);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules, in reading order:
//!
//! | | |
//! |---|---|
//! | [`target`], [`literal`] | the seam: requests, responses, values as JSON text |
//! | [`clauses`], [`vector`] | what is read: the clauses, the vectors, strictly |
//! | [`replay`], [`observation_window`], [`etags`], [`signature`], [`verdict`] | one vector against one session, up to its verdict |
//! | [`run`], [`unjudged`] | many vectors against one target, and the conclusion; the clauses of which nothing was judged |
//! | [`known_failures`] | lists of known failures |
//! | [`realtime`] | the same on a real clock |
//! | [`cargo_test`] | one test for each vector in a user's `cargo test` (feature `libtest`, on by default) |
//! | [`request_log`] | logs of requests and answers, which anyone may have written |
//! | [`describe`], [`plain`] | requests and responses in words; text from a target made harmless |
//! | [`diagnostic`], [`text_file`], [`suggest`], [`catch_panic`], [`yaml`] | the ground: errors with places, files read, suggestions, panics caught |

/// Displays unit variants by the words with which serde writes them.
macro_rules! display_as_serialized {
    ($($name:ty),+) => {
        $(impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                serde::Serialize::serialize(self, f)
            }
        })+
    };
}

pub mod literal;
pub mod store;
pub mod target;

pub mod clauses;
pub mod vector;

pub mod etags;
pub mod evidence;
pub mod observation_window;
pub mod pages;
pub mod replay;
pub mod signature;
pub mod verdict;

pub mod run;
pub mod unjudged;

pub mod known_failures;

pub mod realtime;

#[cfg(feature = "libtest")]
pub mod cargo_test;

pub mod describe;

pub mod catch_panic;
pub mod diagnostic;
pub mod exchange_log;
pub mod parallel;
pub mod plain;
pub mod request_log;
pub mod suggest;
pub mod text_file;
pub mod yaml;

pub use run::{Run, run_virtual};
pub use target::{About, Clock, Fault, Request, Response, Session, Status, Target};
pub use vector::{Suite, Vector, embedded};
pub use verdict::{Outcome, Verdict};
