//! Walks every reachable world of bounded size.
//!
//! [`check`] runs the shipped functions, never copies of them, through every state of a few small models and asks of
//! every step what the clauses say. Each *always* comes with a *sometimes* that shows the interesting case is reached.
//! The answer is a [`Report`] of plain data; a property that does not hold carries a shortest [`Trace`], which
//! [`storyboard`] writes as a vector.
//!
//! Worlds are told apart by ages, not instants, and ages saturate at the longest lifetime in play: unbounded time, few
//! states, and a test that shows that nothing is lost by it.
//!
//! stateright has the say; a walk of our own over the same machines checks its counts and finds the shortest paths. Why
//! bounded worlds say something of all: [`bounds`].
//!
//! ```
//! use cosmos_ttl_checker::{Scope, Semantics, broken_by, check};
//! use cosmos_ttl_model::container::World;
//!
//! assert!(check(Scope::Small).holds());
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
//! let report = broken_by(Stopped);
//! let mut laws = report.failures().map(|(_, law)| law.sentence);
//! assert!(laws.any(|law| law == "a second that passes makes every item a second older"));
//! ```
//!
//! The modules, in reading order: what a state is (`timeless`) and what a step (`step`); what must hold of steps (`book`,
//! `laws`); the main machine (`container`) and what may be asked of it (`requests`, `renaming`); how machines are searched
//! (`engine`, `walk`, `search`) and what that comes to (`report`, `storyboard`). Then the other machines, each a question
//! of its own, the proofs, and what is built on top.

pub mod bounds;

mod timeless;

mod report;
mod storyboard;

mod step;

mod book;
mod laws;

mod engine;

mod renaming;
mod requests;

mod container;

mod walk;

mod search;

mod clocked;
mod remembered;
mod sweeper;
mod twins;
mod units;

pub mod integers;
pub mod symbolic;

pub mod client;

pub mod without;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use stateright::Model as _;

pub use book::Kind;
pub use report::{Checked, Property, PropertyResult, Report, Scene, Trace};
pub use storyboard::storyboard;

pub use cosmos_ttl_model::semantics::{Semantics, Shipped};

use clocked::Clocked;
use container::{Container, Order};
use cosmos_ttl_model::container::Rules;
use cosmos_ttl_model::interpretation::{
    Aggregates, ContainerNull, ExpiredPrecondition, ExpiredUpsert, IntegralFraction, Interpretation,
    InvalidWhileOff, LazyIndex,
};
use cosmos_ttl_model::rule::Edition;
use cosmos_ttl_model::throughput::Throughput;
use remembered::Remembered;
use search::By;
use sweeper::{Guard, Sweeper};
use timeless::Cap;
use twins::{Change, Twins};
use units::Paid;

/// How much to check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scope {
    /// One item and lifetimes up to 2 s: a tenth of a second.
    Small,
    /// Up to two items and lifetimes up to 2 s, every kind of request: a second or two.
    #[default]
    Standard,
    /// The same, and four items with lifetimes up to 3 s, the requests that change most: a few seconds.
    Large,
    /// The same, and five items: some seconds more.
    Largest,
}

/// Checks the shipped model.
pub fn check(scope: Scope) -> Report {
    check_with(Shipped, scope)
}

/// Checks other functions in its place: shows what the checker notices.
pub fn check_with(semantics: impl Semantics, scope: Scope) -> Report {
    check_by(By::Both, &(Arc::new(semantics) as _), scope)
}

/// Which laws these functions break, in the small scope: one walk of our own, without stateright.
///
/// It says the same as [`check_with`], sooner.
pub fn broken_by(semantics: impl Semantics) -> Report {
    check_by(By::Walk, &(Arc::new(semantics) as _), Scope::Small)
}

fn check_by(by: By, semantics: &Arc<dyn Semantics>, scope: Scope) -> Report {
    let items = if scope == Scope::Small { 1 } else { 2 };
    let mut models = containers(by, semantics, items);
    models.push(search::check(
        by,
        "memory",
        "one item, and a client that remembers what it wrote",
        &Remembered::new(Arc::clone(semantics)),
    ));
    models.extend(removal(by, semantics, items));
    models.extend(sweepers(by, semantics));
    models.extend(accounts(by, semantics, items));
    models.extend(clocks(by, semantics));
    if by == By::Both {
        // It runs the shipped rule, whatever else is checked.
        models.push(integers::check());
    }
    if matches!(scope, Scope::Large | Scope::Largest) {
        let about = "four items that only settings and ages tell apart, lifetimes up to 3 s, the requests that change most";
        models.push(search::check(by, "four items", about, &alike(semantics, 4)));
    }
    if scope == Scope::Largest {
        let about = "five items, the same otherwise";
        models.push(search::check(by, "five items", about, &alike(semantics, 5)));
    }
    Report { models }
}

/// What stateright met in one of the models of many items, for whoever measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// How many different states.
    pub states: usize,
    /// How many steps, each judged by every property.
    pub steps: usize,
}

/// Walks the model of five items of [`Scope::Largest`] by stateright alone.
pub fn count_five_items() -> Count {
    count(&alike(&(Arc::new(Shipped) as _), 5))
}

/// Walks four items with lifetimes up to 3 s by stateright alone, told apart by their names and with the greatest ages.
///
/// These are 63 times as many states as [`Scope::Large`] has for four items.
pub fn count_four_items_by_name() -> Count {
    count(&Container::few(Arc::new(Shipped), 4, Cap::Longest(3), Order::Named))
}

fn count(machine: &Container) -> Count {
    let search::Stateright { unique_states, steps, .. } = search::stateright(machine);
    Count { states: unique_states, steps }
}

/// So many items with lifetimes up to 3 s, told apart by their settings and ages alone.
fn alike(semantics: &Arc<dyn Semantics>, items: u32) -> Container {
    Container::few(Arc::clone(semantics), items, Cap::Outliving(3), Order::Sorted)
}

/// Lifetimes of 1 s miss faults, lifetimes of 3 s find no more than those of 2 s.
const LONGEST: Cap = Cap::Longest(2);

fn containers(by: By, semantics: &Arc<dyn Semantics>, items: u32) -> Vec<Checked> {
    let rules = Rules::default();
    let every = |rules, items| Container::every(Arc::clone(semantics), rules, items, LONGEST);
    let indexing = |rules| Container::indexing(Arc::clone(semantics), rules, LONGEST);
    let mut models = vec![search::check(
        by,
        "one item",
        "one item, lifetimes up to 2 s, every kind of request",
        &every(rules, 1),
    )];
    if items > 1 {
        let about = "two items, lifetimes up to 2 s, every kind of request";
        models.push(search::check(by, "two items", about, &every(rules, items)));
    }
    models.extend([
        search::check(
            by,
            "other readings",
            "one item, the edition of 2020, and every open clause read the other way",
            &every(other_readings(), 1),
        ),
        search::check(
            by,
            "indexing",
            "one item, every indexing mode, queries complete while a lazy index is built anew",
            &indexing(rules),
        ),
        search::check(
            by,
            "indexing, lagging",
            "one item, every indexing mode, queries empty while a lazy index is built anew",
            &indexing(other_readings()),
        ),
    ]);
    models
}

/// When removal can be seen, and when not.
fn removal(by: By, semantics: &Arc<dyn Semantics>, items: u32) -> Vec<Checked> {
    let rules = Rules::default();
    let twins = |rules, items, change, book| Twins::new(Arc::clone(semantics), rules, items, change, book);
    vec![
        search::check(
            by,
            "removal, settings stand",
            "a store that removes at any time beside one that removes at the deadline",
            &twins(rules, items, Change::Never, twins::invisible()),
        ),
        search::check(
            by,
            "removal, lives shorten",
            "the same with one item, and settings under which no item lives longer",
            &twins(rules, 1, Change::Shorter, twins::invisible()),
        ),
        search::check(
            by,
            "removal, settings change",
            "the same with one item, and any settings",
            &twins(rules, 1, Change::Free, twins::visible()),
        ),
        search::check(
            by,
            "removal, other readings",
            "the same with one item, settings that stand, and every open clause read the other way",
            &twins(other_readings(), 1, Change::Never, twins::told_by_other_readings()),
        ),
    ]
}

fn sweepers(by: By, semantics: &Arc<dyn Semantics>) -> Vec<Checked> {
    let sweeper = |guard, change, book| Sweeper::new(Arc::clone(semantics), guard, change, book);
    vec![
        search::check(
            by,
            "sweeper without a guard",
            "one item is picked and later removed, settings stand",
            &sweeper(Guard::Nothing, false, sweeper::unsafe_without_looking()),
        ),
        search::check(
            by,
            "sweeper by etag",
            "one item is picked and later removed if it is still the same write, settings stand",
            &sweeper(Guard::SameEtag, false, sweeper::safe(false)),
        ),
        search::check(
            by,
            "sweeper by etag, settings change",
            "the same, and settings may change in between",
            &sweeper(Guard::SameEtag, true, sweeper::unsafe_without_looking()),
        ),
        search::check(
            by,
            "sweeper by the rule",
            "one item is picked and later removed if the rule still says so, settings may change in between",
            &sweeper(Guard::Rule, true, sweeper::safe(true)),
        ),
    ]
}

fn accounts(by: By, semantics: &Arc<dyn Semantics>, items: u32) -> Vec<Checked> {
    vec![
        search::check(
            by,
            "provisioned throughput",
            "3 units a second; a read takes 1, a write and a removal 2, a query 3",
            &Paid::provisioned(Arc::clone(semantics), items),
        ),
        search::check(
            by,
            "serverless",
            "the same costs, no budget",
            &Paid::new(Arc::clone(semantics), Throughput::Serverless, items),
        ),
    ]
}

/// Whether telling worlds apart by ages loses anything.
fn clocks(by: By, semantics: &Arc<dyn Semantics>) -> Vec<Checked> {
    let usual = requests::settings_up_to(LONGEST.longest()).into_iter().map(requests::consistent).collect();
    let every_index = requests::indexings(LONGEST.longest());
    let clocked = |rules, openings, last_second, writes| {
        Clocked::new(Arc::clone(semantics), rules, 1, LONGEST, openings, last_second, writes)
    };
    vec![
        search::check(
            by,
            "clock",
            "one item, 4 s and 3 writes by a real clock, each step beside the world of ages that stands for it",
            &clocked(Rules::default(), usual, 4, 3),
        ),
        search::check(
            by,
            "clock, other readings",
            "the same with 3 s and 2 writes, every indexing mode, and every open clause read the other way",
            &clocked(other_readings(), every_index, 3, 2),
        ),
    ]
}

/// Serves stateright's Explorer, over the model of one item (small) or two, until the process ends.
///
/// Whoever opens the address in a browser can walk through the states by hand. Nothing asks who that is: a loopback
/// address is meant.
///
/// # Errors
///
/// If the address cannot be listened on.
pub fn explore(scope: Scope, address: SocketAddr) -> io::Result<()> {
    // stateright would panic instead.
    TcpListener::bind(address)?;
    let items = match scope {
        Scope::Small => 1,
        Scope::Standard | Scope::Large | Scope::Largest => 2,
    };
    let machine = Container::every(Arc::new(Shipped), Rules::default(), items, LONGEST);
    engine::Judged::new(machine).checker().serve(address);
    Ok(())
}

/// Every open clause with the choice that is not the default, and the older edition.
fn other_readings() -> Rules {
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
        },
    }
}
