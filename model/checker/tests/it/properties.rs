//! The checker's report about the shipped model.

use std::collections::{BTreeMap, BTreeSet};

use crate::REPORT;
use cosmos_ttl_checker::{CheckReport, PropertyKind, PropertyResult, Trace, TraceEvent};

use cosmos_ttl_model::container::{ItemId, Refusal, Response};

/// The table as a person reads it, without seconds.
fn table(report: &CheckReport) -> String {
    let mut lines = Vec::new();
    for model in &report.models {
        let (states, steps, depth) = (model.unique_states, model.steps, model.depth);
        lines.push(format!("{}: {states} states, {steps} steps, depth {depth}", model.name));
        lines.push(format!("  ({})", model.about));
        for property in &model.properties {
            let kind = match property.kind {
                PropertyKind::Always => "always",
                PropertyKind::Sometimes => "sometimes",
            };
            let (result, clauses) = (result(&property.result), property.clauses.join(", "));
            lines.push(format!("  {kind:9}  {result:12}  {} [{clauses}]", property.sentence));
        }
        lines.extend(model.disagreement.iter().map(|disagreement| format!("  DISAGREEMENT: {disagreement}")));
        lines.push(String::new());
    }
    lines.join("\n")
}

fn result(result: &PropertyResult) -> String {
    match result {
        PropertyResult::Held => "held".into(),
        PropertyResult::Found(trace) => format!("found in {}", trace.steps),
        PropertyResult::Violated(trace) => format!("VIOLATED in {}", trace.steps),
        PropertyResult::NotFound => "NOT FOUND".into(),
    }
}

#[test]
fn every_property_is_as_it_must_be() {
    assert!(REPORT.holds(), "{}", table(&REPORT));
}

/// For people: how many properties each model has, and how long the shortest examples are. The verdict is the test above.
#[test]
fn the_summary_of_properties_reads_so() {
    let mut all = BTreeSet::new();
    let lines = REPORT.models.iter().map(|model| {
        let mut results = BTreeMap::<String, usize>::new();
        for property in &model.properties {
            all.insert(property.sentence);
            *results.entry(result(&property.result)).or_default() += 1;
        }
        let results: Vec<_> = results.iter().map(|(result, count)| format!("{count} {result}")).collect();
        format!("{}: {}", model.name, results.join(", "))
    });
    let lines: Vec<_> = lines.collect();
    insta::assert_snapshot!(format!("{}\n\n{} sentences", lines.join("\n"), all.len()));
}

/// A smaller number means that something has become unreachable, a greater one that something new can happen.
#[test]
fn every_model_has_as_many_states_and_steps_as_ever() {
    let sizes = REPORT.models.iter().map(|model| (model.name, model.unique_states, model.steps));
    let expected = [
        // (N+2)(1+(N+2)(N+1))^K
        ("one item", 4 * 13, 3896),
        ("two items", 4 * 13 * 13, 86_876),
        ("other readings", 4 * 13, 3896),
        ("indexing", 13 * 13, 4521),
        ("indexing, lagging", 13 * 13, 4521),
        ("memory", 276, 20_472),
        // With each age capped at the item's own `ttl` there are 10 of them, not 13.
        ("removal, settings stand", 4 * 10 * 10, 47_780),
        ("removal, lives shorten", 4 * 10, 2799),
        ("removal, settings change", 310, 23_001),
        ("removal, other readings", 4 * 10, 2609),
        ("sweeper without a guard", 103, 1014),
        ("sweeper by etag", 103, 1014),
        ("sweeper by etag, settings change", 124, 1720),
        ("sweeper by the rule", 124, 1720),
        ("provisioned throughput", 1616, 32_688),
        ("serverless", 4 * 13 * 13, 13_882),
        ("clock", 1584, 58_420),
        ("clock, other readings", 1888, 52_654),
        ("clock, late", 570, 14_490),
    ];
    assert_eq!(sizes.collect::<Vec<_>>(), expected);
}

#[test]
fn each_always_has_a_sometimes_beside_it() {
    for model in &REPORT.models {
        for (property, next) in model.properties.iter().zip(&model.properties[1..]) {
            assert!(
                property.kind == PropertyKind::Sometimes || next.kind == PropertyKind::Sometimes,
                "{}",
                property.sentence
            );
        }
        // ModelAblation an always, stateright stops as soon as it has seen the rest.
        assert!(model.properties.iter().any(|property| property.kind == PropertyKind::Always));
        assert_eq!(model.properties.last().map(|property| property.kind), Some(PropertyKind::Sometimes));
    }
}

/// The trace that shows a sentence in a model.
fn found<'a>(report: &'a CheckReport, model: &str, sentence: &str) -> &'a Trace {
    let model = report.models.iter().find(|checked| checked.name == model).unwrap();
    let property = model.properties.iter().find(|property| property.sentence == sentence).unwrap();
    match &property.result {
        PropertyResult::Found(trace) => trace,
        other => panic!("{other:?}"),
    }
}

#[test]
fn removal_shows_in_four_steps_once_settings_change() {
    let sentence = "two stores that differ only in what was removed answer differently";
    let trace = found(&REPORT, "removal, settings change", sentence);
    assert_eq!(trace.steps, 4);
    let not_found = TraceEvent::RemovedAtDeadline(Response::Refused(Refusal::NotFound));
    assert_eq!(trace.events.last(), Some(&not_found));
}

#[test]
fn a_sweeper_that_does_not_ask_the_rule_takes_a_living_item_in_five_steps() {
    let taken = "the sweeper takes a visible item all the same";
    let unguarded = found(&REPORT, "sweeper without a guard", taken);
    let by_etag = found(&REPORT, "sweeper by etag, settings change", taken);
    assert_eq!((unguarded.steps, by_etag.steps), (5, 5));
    for trace in [unguarded, by_etag] {
        assert!(trace.events.contains(&TraceEvent::Picked(ItemId(0))));
        assert!(trace.events.contains(&TraceEvent::Removed(ItemId(0))));
    }
}
