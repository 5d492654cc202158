//! The checker's report about the shipped model.

use std::collections::BTreeSet;

use cosmos_ttl_checker::{CheckReport, PropertyKind, PropertyResult, Trace};

use crate::REPORT;

/// Every property with its shortest story: a line for each.
fn table(report: &CheckReport) -> String {
    let mut lines = Vec::new();
    for model in &report.models {
        lines.push(format!("{} ({})", model.name, model.about));
        for property in &model.properties {
            let (kind, story) = match &property.result {
                PropertyResult::Held => ("always", None),
                PropertyResult::Violated(trace) => ("BROKEN", Some(trace)),
                PropertyResult::Found(trace) => ("sometimes", Some(trace)),
                PropertyResult::NotFound => ("NOT FOUND", None),
            };
            lines.push(format!("  {kind} {}", property.sentence));
            lines.extend(story.map(|trace| format!("      {}", trace.lines.join(" | "))));
        }
        lines.push(String::new());
    }
    lines.join("\n")
}

#[test]
fn every_property_is_as_it_must_be() {
    assert!(REPORT.holds(), "{}", table(&REPORT));
}

/// For people. The verdict is the test above. What two items show was told of one.
#[test]
fn each_property_reads_so_and_has_this_shortest_story() {
    let mut report = REPORT.clone();
    report.models.retain(|model| model.name != "two items");
    insta::assert_snapshot!(table(&report));
}

#[test]
fn each_always_has_a_sometimes_beside_it() {
    for model in &REPORT.models {
        for (property, next) in model.properties.iter().zip(&model.properties[1..]) {
            let sometimes = [property, next].map(|one| one.kind == PropertyKind::Sometimes);
            assert!(sometimes.contains(&true), "{}", property.sentence);
        }
        assert_eq!(model.properties.last().map(|last| last.kind), Some(PropertyKind::Sometimes));
    }
}

/// stateright knows properties by their names.
#[test]
fn no_system_says_the_same_twice() {
    for model in &REPORT.models {
        let sentences: BTreeSet<_> = model.properties.iter().map(|property| property.sentence).collect();
        assert_eq!(sentences.len(), model.properties.len(), "{}", model.name);
    }
}

#[test]
fn stories_are_shortest() {
    let steps = |sentence| REPORT.story(sentence).map(|trace: &Trace| trace.steps);
    assert_eq!(steps("a count may show an expired item that a list leaves out"), Some(3));
    assert_eq!(steps("a sweeper that does not look again takes a visible item"), Some(5));
    assert_eq!(steps("an item that was expired is shown again"), Some(4));
}
