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
//! stateright has the say; a walk of our own over the same machines checks its counts and finds the shortest paths.

mod book;
mod container;
mod engine;
mod laws;
mod report;
mod requests;
mod search;
mod semantics;
mod step;
mod storyboard;
mod timeless;
mod walk;

use std::net::SocketAddr;
use std::vec;

use stateright::Model as _;

pub use book::Kind;
pub use report::{Checked, Outcome, Property, Report, Scene, Trace};
pub use semantics::{Semantics, Shipped};
pub use storyboard::storyboard;

use crate::container::Rules;
use crate::interpretation::{
    Aggregates, ContainerNull, ExpiredPrecondition, ExpiredUpsert, IntegralFraction, Interpretation,
    InvalidWhileOff, LazyIndex,
};
use crate::rule::Edition;
use container::Container;
use timeless::Cap;

/// How much to check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Two items and lifetimes up to 2 s, every kind of request: seconds.
    #[default]
    Standard,
    /// The same, and four items with lifetimes up to 3 s, the requests that change most: minutes.
    Large,
}

/// Checks the shipped model.
pub fn check(scope: Scope) -> Report {
    check_with(&Shipped, scope)
}

/// Checks other functions in its place: shows what the checker notices.
pub fn check_with<S: Semantics>(semantics: &S, scope: Scope) -> Report {
    let own = |rules, items, cap| Container::every(semantics.clone(), rules, items, cap);
    let rules = Rules::default();
    let mut models = vec![
        search::check(
            "one item",
            "one item, lifetimes up to 2 s, every kind of request",
            &own(rules, 1, Cap::Longest(2)),
        ),
        search::check(
            "two items",
            "two items, lifetimes up to 2 s, every kind of request",
            &own(rules, 2, Cap::Longest(2)),
        ),
        search::check(
            "other readings",
            "one item, the edition of 2020, and every open clause read the other way",
            &own(other_readings(), 1, Cap::Longest(2)),
        ),
        search::check(
            "indexing",
            "one item, every indexing mode, queries complete while a lazy index is built anew",
            &Container::indexing(semantics.clone(), rules, Cap::Longest(2)),
        ),
        search::check(
            "indexing, lagging",
            "one item, every indexing mode, queries empty while a lazy index is built anew",
            &Container::indexing(semantics.clone(), other_readings(), Cap::Longest(2)),
        ),
    ];
    if scope == Scope::Large {
        models.push(search::check(
            "four items",
            "four items, lifetimes up to 3 s, the requests that change most",
            &Container::few(semantics.clone(), 4, Cap::Longest(3)),
        ));
    }
    Report { models }
}

/// Serves stateright's Explorer, over the model of one item (standard) or two (large), until the process ends.
///
/// Whoever opens the address in a browser can walk through the states by hand.
pub fn explore(scope: Scope, address: SocketAddr) {
    let items = match scope {
        Scope::Standard => 1,
        Scope::Large => 2,
    };
    let machine = Container::every(Shipped, Rules::default(), items, Cap::Longest(2));
    engine::Judged(machine).checker().serve(address);
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
