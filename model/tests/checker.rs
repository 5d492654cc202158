//! What the checker says of the shipped model.

mod common;

use common::table;
use cosmos_ttl_model::checker::{Scope, check};

#[test]
fn every_property_is_as_it_must_be() {
    let report = check(Scope::Standard);
    assert!(report.holds(), "{}", table(&report));
}

#[test]
fn the_table_of_properties_reads_so() {
    insta::assert_snapshot!(table(&check(Scope::Standard)));
}

#[test]
fn two_items_have_as_many_states_as_the_formula_says() {
    let report = check(Scope::Standard);
    let states =
        |name| report.models.iter().find(|model| model.name == name).map(|model| model.unique_states);
    // (N+2)(1+(N+2)(N+1))^K
    assert_eq!(states("one item"), Some(4 * 13));
    assert_eq!(states("two items"), Some(4 * 13 * 13));
}
