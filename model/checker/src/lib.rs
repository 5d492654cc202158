//! Walks every reachable world of bounded size.
//!
//! [`check`] runs the shipped functions, never copies of them, through every state of a few small systems, and asks of
//! every step what the clauses say. Each *always* comes with a *sometimes* that shows that the interesting case is
//! reached. [stateright] judges: each statement is a property of it, and whether that holds is what it discovers. The
//! first step that shows it, in the order of the visit, ends a shortest path. The answer is a [`CheckReport`] of plain
//! data, with a [`Trace`] for whatever was found; [`Trace::lines`] tells it as a storyboard.
//!
//! Where a clause leaves a choice open, every way of choosing is a step of its own: so what is allowed is all checked.
//!
//! ```
//! use cosmos_ttl_checker::{Semantics, check_with};
//!
//! let stopped = Semantics { wait: |_| {}, ..Semantics::SHIPPED };
//! let report = check_with(stopped, |model| model == "one item");
//! let mut broken = report.failures().map(|(_, property)| property.sentence);
//! assert!(broken.any(|sentence| sentence.starts_with("a second that passes makes every item a second older")));
//! ```
//!
//! # Why small worlds say something of all
//!
//! - **Items do not influence each other**, and a batch is its operations one after another: tests of the model show both in
//!   all worlds of two items (`independence`, `sequence`). No statement speaks of three.
//! - **The rule compares an age with a lifetime and does nothing else.** With lifetimes of 1 s and 2 s an item's `ttl` is
//!   below, at and above the default, and its age below, at and above each.
//! - **The container keeps and subtracts numbers.** Tests of the model take the greatest ones and random ones through it, in
//!   absolute time (`great`, `random`).
//! - **Ages saturate**: no client can tell an age of 2 s from a greater one. A test takes each step of a world with a real
//!   clock beside the world that stands for it (`absolute`).
//!
//! What this leaves out: a budget that suffices for three removals, and a fault that remembers more than a state holds.
//! `scripts/model-changes` plants faults in the model, one at a time, and fails if no test notices one.
//!
//! In reading order: `world`, `system`, `step`, `statement`, `judge`; then the systems, with `requests`.

#![allow(clippy::arithmetic_side_effects, reason = "ages and units of bounded worlds are small")]

mod anomalies;
mod container;
mod judge;
mod memory;
mod metering;
mod removal;
mod report;
mod requests;
mod semantics;
mod statement;
mod step;
mod story;
mod sweeper;
mod system;
mod world;

use std::io;
use std::net::{SocketAddr, TcpListener};

use ::stateright::Model as _;
use cosmos_ttl_model::throughput::Throughput;

pub use anomalies::anomalies;
pub use report::{CheckReport, CheckedModel, CheckedProperty, PropertyKind, PropertyResult, Trace};
pub use semantics::Semantics;
pub use world::{STALE, canonical};

use container::Container;
use judge::judge;
use memory::ClientHistory;
use metering::{BUDGET, Metering};
use removal::Refinement;
use sweeper::Sweeper;

/// Checks the shipped model.
pub fn check() -> CheckReport {
    check_with(Semantics::SHIPPED, |_| true)
}

/// Checks other moves in its place, in the systems with these names: shows what the checker notices.
pub fn check_with(of: Semantics, is_checked: impl Fn(&str) -> bool) -> CheckReport {
    let mut models = Vec::new();
    /// Each system with its name and its bounds in a sentence.
    macro_rules! check {
        ($($name:literal, $about:literal => $judge:expr;)*) => {
            $(if is_checked($name) {
                models.push(judge($name, $about, $judge).0);
            })*
        };
    }
    check! {
        "one item", "one item, lifetimes up to 2 s, every kind of request" => Container::of_one(of);
        "two items", "two items, lifetimes up to 2 s, every kind of right request about one, and batches"
            => Container::of_two(of);
        "indexing", "one item, every indexing mode" => Container::indexed(of);
        "memory", "one item, and a client that remembers what it wrote" => ClientHistory::judge(of);
        "removal", "settings stand: a store that removes at any time beside one that removes at the deadline"
            => Refinement::judge(of);
        "sweeper", "one item is picked and later removed: unasked, if it is the same write, or if the rule still says so"
            => Sweeper::judge(of);
        "provisioned throughput", "two items, 3 units a second; a read takes 1, a write and a removal 2, a query 3"
            => Metering::judge(of, Throughput::Provisioned(BUDGET));
        "serverless", "the same costs, no budget" => Metering::judge(of, Throughput::Serverless);
    }
    CheckReport { models }
}

/// Serves stateright's Explorer, over the model of two items with these moves, until the process ends.
///
/// A browser that opens the address can walk through the states by hand. Access is not restricted: use a loopback address.
///
/// # Errors
///
/// If the address cannot be listened on.
pub fn explore(semantics: Semantics, address: SocketAddr) -> io::Result<()> {
    // stateright would panic instead.
    TcpListener::bind(address)?;
    Container::of_two(semantics).checker().serve(address);
    Ok(())
}
