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
