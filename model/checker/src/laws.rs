//! What must hold, in words and as code, section by section as in `vectors/clauses.yaml`.
//!
//! A law is stated of a [`Step`]: what was stored, what somebody did, what they were told, what is stored now. Each comes
//! with a sight: a step that must be reachable, so that the law does not hold for want of occasion.

mod clock;
mod domain;
mod expired;
mod indexing;
mod lifetime;
mod open;
mod purge;
mod settings;
mod writes;

use super::book::Book;
use super::step::Step;
use cosmos_ttl_model::container::Rules;

/// Everything that can be said of a container that is indexed as usual.
pub(super) fn of_container(rules: Rules) -> Book<Step> {
    let mut book = Book::new();
    domain::add(&mut book, rules);
    lifetime::add(&mut book);
    clock::add(&mut book);
    writes::add(&mut book);
    expired::add(&mut book);
    purge::add(&mut book);
    settings::add(&mut book);
    open::add(&mut book, rules);
    book
}

/// What can be said of it with only the requests that change most.
pub(super) fn of_large_container() -> Book<Step> {
    let mut book = Book::new();
    lifetime::add(&mut book);
    clock::add(&mut book);
    purge::add(&mut book);
    settings::add(&mut book);
    book
}

/// What can be said of indexing modes.
pub(super) fn of_indexing(rules: Rules) -> Book<Step> {
    let mut book = Book::new();
    indexing::add(&mut book, rules);
    book
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::*;
    use crate::book::Kind;
    use crate::container::{Container, Order};
    use crate::engine::Machine as _;
    use crate::timeless::Cap;
    use crate::without;
    use cosmos_ttl_model::semantics::{Semantics, Shipped};

    /// Asks each property of each step, whatever its occasion, and expects the judgement of the book.
    fn occasions_change_nothing(machine: &Container) {
        let mut waiting = machine.start();
        let mut known: BTreeSet<_> = waiting.iter().copied().collect();
        while let Some(state) = waiting.pop() {
            let ready = machine.ready(&state);
            for choice in machine.moves(&state) {
                let Some((step, next)) = machine.take(&ready, choice) else { continue };
                let (mut broken, mut seen) = (0, 0);
                for property in machine.book().properties() {
                    match (property.kind, (property.holds)(&step)) {
                        (Kind::Always, false) => broken |= property.mark,
                        (Kind::Sometimes, true) => seen |= property.mark,
                        (Kind::Always, true) | (Kind::Sometimes, false) => {}
                    }
                }
                assert_eq!(machine.book().judge(&step), (broken, seen), "{step:?}");
                waiting.extend(known.insert(next).then_some(next));
            }
        }
    }

    #[test]
    fn no_property_is_missed_for_want_of_its_occasion() {
        let faults = without::all().map(|one| Arc::new(*one) as Arc<dyn Semantics>);
        for semantics in faults.chain([Arc::new(Shipped) as _]) {
            let cap = Cap::Longest(2);
            occasions_change_nothing(&Container::few(Arc::clone(&semantics), 2, cap, Order::Named));
            occasions_change_nothing(&Container::every(semantics, Rules::default(), 1, cap));
        }
    }
}
