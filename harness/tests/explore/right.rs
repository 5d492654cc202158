//! Targets that are right, each in a way of its own: no request may make a difference.

use std::sync::atomic::AtomicBool;

use cosmos_ttl_harness::explore::{Options, explore};
use cosmos_ttl_harness::target::Target;
use cosmos_ttl_harness::targets::mutants::{CONTROLS, Naive};

use crate::common::choices::{COUNT, numbered, reference};

#[track_caller]
fn check(name: &str, target: &dyn Target, steps: u64) {
    let options = Options { seed: 1, steps, stop: &AtomicBool::new(false) };
    let explored = explore(target, &options).unwrap();
    assert!(explored.found.is_none(), "{name}: {:#?}", explored.found);
    assert_eq!(explored.tally.requests, steps, "{name}: {:?}", explored.mishaps);
}

#[test]
fn no_control_is_accused() {
    for control in CONTROLS {
        check(control.name, &control.store, 10_000);
    }
}

#[test]
fn no_choice_of_an_open_clause_is_accused() {
    for number in 0..COUNT {
        let (interpretation, choices) = numbered(number);
        check(&format!("reference {number}"), &reference(interpretation), 1_000);
        check(&format!("naive {number}"), &Naive { choices, ..Naive::default() }, 1_000);
    }
}

#[test]
fn print_the_table() {
    let table = cosmos_ttl_harness::explore::mutants::Table::of(1, 10_000, &AtomicBool::new(false)).unwrap();
    let missed: Vec<_> = table.missed().map(|mutant| mutant.name).collect();
    let mut late: Vec<_> = table.tellable().filter_map(|(m, a)| a.map(|a| (a, m.name))).collect();
    late.sort();
    println!(
        "{}\nmissed {missed:#?}\naccused {:?}\nlatest {:?}",
        table.last_line(),
        table.accused().collect::<Vec<_>>(),
        &late[late.len().saturating_sub(40)..]
    );
}
