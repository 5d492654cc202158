//! Walks every reachable world of bounded size.
//!
//! [`check`] runs the shipped functions, never copies of them, through every state of a few small models and asks of
//! every step what the clauses say. Each *always* comes with a *sometimes* that shows the interesting case is reached.
//! The answer is a [`CheckReport`] of plain data; a property that does not hold carries a shortest [`Trace`].
//!
//! Worlds are told apart by ages, not instants, and ages saturate at the longest lifetime in play: unbounded time, few
//! states, and a test that shows that nothing is lost by it.
//!
//! stateright has the say; a walk of our own over the same systems checks its counts and finds the shortest paths. Why
//! bounded worlds say something of all: [`bounds`].
//!
//! ```
//! use cosmos_ttl_checker::{CheckScope, Semantics, broken_by, check};
//! use cosmos_ttl_model::container::World;
//!
//! assert!(check(CheckScope::Small).holds());
//!
//! /// The model, but its clock stands still.
//! #[derive(Debug)]
//! struct Stopped;
//!
//! impl Semantics for Stopped {
//!     fn pass(&self, world: &World, _: u64) -> World {
//!         world.clone()
//!     }
//! }
//!
//! let report = broken_by(Stopped, CheckScope::Small, |model| model == "one item");
//! let mut broken = report.failures().map(|(_, property)| property.sentence);
//! assert!(broken.any(|sentence| sentence == "a second that passes makes every item a second older"));
//! ```
//!
//! The modules, in reading order: what a state is (`age_abstraction`) and what a step (`step`); what must hold of steps
//! (`property_set`); what is searched (`transition_system`), the main system (`container`) with what may be asked of it
//! (`requests`), and how systems are searched (`search`, `stateright`). Then the other systems, and what is built on top.

#![allow(clippy::arithmetic_side_effects, reason = "counters of states and steps; seconds are saturating")]

pub mod ablation;
pub mod bounds;

mod age_abstraction;
mod client_history;
mod concrete_time;
mod container;
mod metering;
mod property_set;
mod removal;
mod report;
mod requests;
mod search;
mod stateright;
mod step;
mod transition_system;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use ::stateright::Model as _;

pub use age_abstraction::{AgeCap, STALE};
pub use concrete_time::ClockBounds;
pub use property_set::PropertyKind;
pub use report::{CheckReport, CheckedModel, CheckedProperty, PropertyResult, Trace, TraceEvent};
pub use stateright::{ExplorerLabels, StateCount};
pub use step::ModelAction;

pub use cosmos_ttl_model::semantics::{Semantics, Shipped};

use client_history::ClientHistory;
use concrete_time::ConcreteTime;
use container::ContainerSystem;
use cosmos_ttl_model::container::Rules;
use cosmos_ttl_model::interpretation::{
    Aggregates, ContainerNull, ExpiredPrecondition, ExpiredUpsert, IntegralFraction, Interpretation,
    InvalidWhileOff, LazyIndex, RefusalOrder,
};
use cosmos_ttl_model::rule::Edition;
use cosmos_ttl_model::throughput::Throughput;
use metering::Metering;
use removal::{AllowedSettings, INVISIBLE, Refinement, SAFE, SweepGuard, Sweeper, UNSAFE, VISIBLE};
use search::SearchBy;

/// How much to check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CheckScope {
    /// One item and lifetimes up to 2 s: a tenth of a second.
    Small,
    /// Up to two items and lifetimes up to 2 s, every kind of request: a second or two.
    #[default]
    Standard,
}

impl CheckScope {
    /// How many items most of its models have.
    fn items(self) -> u32 {
        match self {
            Self::Small => 1,
            Self::Standard => 2,
        }
    }
}

/// Checks the shipped model.
pub fn check(scope: CheckScope) -> CheckReport {
    check_with(Shipped, scope, |_| true)
}

/// Checks other functions in its place, in the models with these names: shows what the checker notices.
pub fn check_with(
    semantics: impl Semantics,
    scope: CheckScope,
    is_checked: impl Fn(&str) -> bool,
) -> CheckReport {
    check_by(SearchBy::Both, &(Arc::new(semantics) as _), scope, is_checked)
}

/// Returns what these functions break in the models with these names: one walk of our own, without stateright.
///
/// It says the same as [`check_with`], sooner.
pub fn broken_by(
    semantics: impl Semantics,
    scope: CheckScope,
    is_checked: impl Fn(&str) -> bool,
) -> CheckReport {
    check_by(SearchBy::Walk, &(Arc::new(semantics) as _), scope, is_checked)
}

fn check_by(
    by: SearchBy,
    semantics: &Arc<dyn Semantics>,
    scope: CheckScope,
    is_checked: impl Fn(&str) -> bool,
) -> CheckReport {
    let mut models = Vec::new();
    /// Each model with its name, its bounds in a sentence, and perhaps when it is checked.
    macro_rules! check {
        ($($name:literal, $about:literal $(if $when:expr)? => $system:expr;)*) => {
            $(if is_checked($name) $(&& $when)? {
                models.push(search::check(by, $name, $about, &$system));
            })*
        };
    }
    let (usual, other, items) = (Rules::default(), other_readings(), scope.items());
    let every = |rules, items| ContainerSystem::new(semantics, rules, items, LONGEST);
    let indexing = |rules| ContainerSystem::indexing(semantics, rules, LONGEST);
    let removal = |rules, items, allowed, stated| Refinement::new(semantics, rules, items, allowed, stated);
    let sweeper = |guard, settings_change, stated| Sweeper::new(semantics, guard, settings_change, stated);
    let clock = |rules, indexings, first_second: i64, seconds, writes| {
        let last_second = first_second.saturating_add(seconds);
        let longest_s = LONGEST.longest();
        let bounds = ClockBounds { rules, items: 1, longest_s, indexings, first_second, last_second, writes };
        ConcreteTime::new(semantics, bounds, LONGEST)
    };

    check! {
        "one item", "one item, lifetimes up to 2 s, every kind of request" => every(usual, 1);
        "two items", "two items, lifetimes up to 2 s, every kind of request" if items > 1
            => every(usual, items);
        "other readings", "one item, the edition of 2020, and every open clause read the other way"
            => every(other, 1);
        "indexing", "one item, every indexing mode, queries complete while a lazy index is rebuilt"
            => indexing(usual);
        "indexing, lagging", "one item, every indexing mode, queries empty while a lazy index is rebuilt"
            => indexing(other);
        "memory", "one item, and a client that remembers what it wrote" => ClientHistory::new(semantics);

        // When removal can be seen, and when not.
        "removal, settings stand", "a store that removes at any time beside one that removes at the deadline"
            => removal(usual, items, AllowedSettings::Same, &[("purge", INVISIBLE)]);
        "removal, lives shorten", "the same with one item, and settings under which no item lives longer"
            => removal(usual, 1, AllowedSettings::Shorter, &[("purge", INVISIBLE)]);
        "removal, settings change", "the same with one item, and any settings"
            => removal(usual, 1, AllowedSettings::Any, &[("settings", VISIBLE)]);
        "removal, other readings",
        "the same with one item, settings that stand, and every open clause read the other way"
            => removal(other, 1, AllowedSettings::Same, removal::OTHER_READINGS);

        "sweeper without a guard", "one item is picked and later removed, settings stand"
            => sweeper(SweepGuard::Nothing, false, &[("purge", UNSAFE)]);
        "sweeper by etag",
        "one item is picked and later removed if it is still the same write, settings stand"
            => sweeper(SweepGuard::SameEtag, false, &[("purge", SAFE)]);
        "sweeper by etag, settings change", "the same, and settings may change in between"
            => sweeper(SweepGuard::SameEtag, true, &[("purge", UNSAFE)]);
        "sweeper by the rule",
        "one item is picked and later removed if the rule still says so, settings may change in between"
            => sweeper(SweepGuard::Rule, true, &[("purge", SAFE), ("purge", removal::SAFE_WHILE_SETTINGS_CHANGE)]);

        "provisioned throughput", "3 units a second; a read takes 1, a write and a removal 2, a query 3"
            => Metering::new(semantics, Throughput::Provisioned(metering::BUDGET), items);
        "serverless", "the same costs, no budget" => Metering::new(semantics, Throughput::Serverless, items);

        // Whether telling worlds apart by ages loses anything.
        "clock",
        "one item, 4 s and 3 writes by a real clock, each step beside the world of ages that stands for it"
            => clock(usual, false, 0, 4, 3);
        "clock, other readings",
        "the same with 3 s and 2 writes, every indexing mode, and every open clause read the other way"
            => clock(other, true, 0, 3, 2);
        "clock, late", "the same with 3 s and 2 writes, by a clock that starts two seconds before the end of 32 bits"
            => clock(usual, false, BEFORE_32_BITS_END, 3, 2);
    }
    CheckReport { models }
}

/// Checks worlds with a real clock, each step together with the world of ages, capped so, that stands for it.
pub fn check_ages(clock: ClockBounds, cap: AgeCap) -> CheckedModel {
    let system = ConcreteTime::new(&shipped(), clock, cap);
    search::check(SearchBy::Walk, "ages", "worlds with a clock", &system)
}

/// Counts, by stateright alone, the states of the shipped model with two items and lifetimes up to this many seconds.
pub fn count_states(longest_s: u8) -> StateCount {
    let cap = AgeCap::Longest(longest_s);
    stateright::search(&ContainerSystem::new(&shipped(), Rules::default(), 2, cap)).count
}

fn shipped() -> Arc<dyn Semantics> {
    Arc::new(Shipped)
}

/// In the second after the next, a clock of 32 bits with a sign would start again.
const BEFORE_32_BITS_END: i64 = i32::MAX as i64 - 1;

/// Lifetimes of 1 s miss faults, lifetimes of 3 s find no more than those of 2 s.
const LONGEST: AgeCap = AgeCap::Longest(2);

/// Serves stateright's Explorer, over the model of one item (small) or two with these functions, until the process ends.
///
/// A browser that opens the address can walk through the states by hand, which these labels describe. Access is not
/// restricted: use a loopback address.
///
/// # Errors
///
/// If the address cannot be listened on.
pub fn explore(
    semantics: impl Semantics,
    scope: CheckScope,
    address: SocketAddr,
    labels: ExplorerLabels,
) -> io::Result<()> {
    // stateright would panic instead.
    TcpListener::bind(address)?;
    let semantics: Arc<dyn Semantics> = Arc::new(semantics);
    let system = ContainerSystem::new(&semantics, Rules::default(), scope.items(), LONGEST);
    stateright::JudgedSystem::new(system, Some(labels)).checker().serve(address);
    Ok(())
}

/// Returns the rules with every open clause's choice that is not the default, and the older edition.
pub fn other_readings() -> Rules {
    Rules {
        edition: Edition::Y2020,
        interpretation: Interpretation {
            container_null: ContainerNull::Rejected,
            integral_fraction: IntegralFraction::Accepted,
            invalid_while_off: InvalidWhileOff::Stored,
            aggregates: Aggregates::Counted,
            expired_upsert: ExpiredUpsert::Replaced,
            expired_precondition: ExpiredPrecondition::PreconditionFailed,
            lazy_index: LazyIndex::Incomplete,
            refusal_order: RefusalOrder::Later,
        },
    }
}
