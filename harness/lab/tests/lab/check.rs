//! The output after the model was checked.

use std::time::Duration;

use cosmos_ttl::report::style::RenderOptions;
use cosmos_ttl_checker::{
    CheckReport, CheckedModel, CheckedProperty, PropertyKind, PropertyResult, Semantics, Trace,
};
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_lab::check::text;

use crate::program::{refuses, suite};

fn said(report: &CheckReport) -> String {
    let suite = Suite::load(&suite()).unwrap();
    let text = text(report, &suite.catalogue, Duration::from_millis(1234), RenderOptions::default());
    anstream::adapter::strip_str(&text).to_string()
}

fn property(kind: PropertyKind, sentence: &'static str, result: PropertyResult) -> CheckedProperty {
    CheckedProperty { kind, section: "lifetime", clauses: &["item-seconds-override"], sentence, result }
}

fn trace(steps: usize) -> Trace {
    Trace { steps, lines: vec!["container defaultTtl: 2".into()] }
}

fn world(name: &'static str, properties: Vec<CheckedProperty>) -> CheckedModel {
    let about = "a world that is made up";
    CheckedModel { name, about, unique_states: 52, steps: 3756, depth: 3, properties }
}

const ALWAYS: &str = "an item with `ttl` n is shown exactly while its age is below n";
const SOMETIMES: &str = "an item with a `ttl` of its own outlives a shorter default";

#[test]
fn what_holds_is_told_once_for_all_worlds() {
    let of = |steps| {
        let found = property(PropertyKind::Sometimes, SOMETIMES, PropertyResult::Found(trace(steps)));
        vec![property(PropertyKind::Always, ALWAYS, PropertyResult::Held), found]
    };
    let mut report = CheckReport { models: vec![world("one item", of(4)), world("two items", of(3))] };
    report.models[1].properties.push(CheckedProperty {
        section: "cost",
        clauses: &["purge-uses-leftover"],
        ..property(PropertyKind::Always, "removal takes what is left over", PropertyResult::Held)
    });
    assert!(report.holds());
    insta::assert_snapshot!(said(&report));
}

#[test]
fn what_is_broken_is_told_with_the_shortest_way_to_it() {
    let mut trace = trace(2);
    trace.lines.extend(["1 s passes", "read a: not found", "a is removed"].map(String::from));
    let properties = vec![
        property(PropertyKind::Always, ALWAYS, PropertyResult::Violated(trace)),
        property(PropertyKind::Sometimes, SOMETIMES, PropertyResult::NotFound),
    ];
    let report = CheckReport { models: vec![world("one item", properties)] };
    assert!(!report.holds());
    insta::assert_snapshot!(said(&report));
}

#[test]
fn the_model_holds() {
    let report = cosmos_ttl_checker::check_with(Semantics::SHIPPED, |world| world != "two items");
    let text = said(&report);
    assert!(text.ends_with("the model does what the clauses say\n"), "{text}");
}

#[test]
fn the_explorer_stays_at_home() {
    assert!(refuses(&["check", "--explorer", "0.0.0.0:3000"]).contains("can be reached by other machines"));
    refuses(&["check", "--explorer", "nowhere"]);
}
