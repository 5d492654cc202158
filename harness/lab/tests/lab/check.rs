//! What is said after the model was checked.

use std::time::Duration;

use cosmos_ttl_checker::{Checked, Kind, Property, PropertyResult, Report, Scene, Trace};
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_lab::check_report::{Took, text};
use cosmos_ttl_model::container::{Indexing, ItemId, Operation, Refusal, Request, Response, SettingsDraft};
use cosmos_ttl_model::rule::Wire;
use cosmos_ttl_report::style::RenderOptions;

use crate::program::{refuses, succeeds, suite};

fn said(report: &Report) -> String {
    let suite = Suite::load(&suite()).unwrap();
    let text = text(report, &suite.catalogue, Took(Duration::from_millis(1234)), RenderOptions::default());
    anstream::adapter::strip_str(&text).to_string()
}

fn property(kind: Kind, sentence: &'static str, outcome: PropertyResult) -> Property {
    Property { kind, section: "lifetime", clauses: &["item-seconds-override"], sentence, outcome }
}

fn trace(steps: usize, sentence: &'static str) -> Trace {
    Trace {
        section: "lifetime",
        clauses: &["item-seconds-override"],
        sentence,
        opening: SettingsDraft { default_ttl: Wire::Whole(2), indexing: Indexing::Consistent },
        steps,
        scenes: Vec::new(),
    }
}

fn world(name: &'static str, properties: Vec<Property>) -> Checked {
    let about = "a world that is made up";
    Checked { name, about, unique_states: 52, steps: 3756, depth: 3, properties, disagreement: None }
}

const ALWAYS: &str = "an item with `ttl` n is shown exactly while its age is below n";
const SOMETIMES: &str = "an item with a `ttl` of its own outlives a shorter default";

#[test]
fn what_holds_is_told_once_for_all_worlds() {
    let of = |steps| {
        let found = property(Kind::Sometimes, SOMETIMES, PropertyResult::Found(trace(steps, SOMETIMES)));
        vec![property(Kind::Always, ALWAYS, PropertyResult::Held), found]
    };
    let mut report = Report { models: vec![world("one item", of(4)), world("two items", of(3))] };
    report.models[1].properties.push(Property {
        section: "cost",
        clauses: &["purge-uses-leftover"],
        ..property(Kind::Always, "removal takes what is left over", PropertyResult::Proved { paths: 8 })
    });
    assert!(report.holds());
    insta::assert_snapshot!(said(&report));
}

#[test]
fn what_is_broken_is_told_with_the_shortest_way_to_it() {
    let ask = |request, response| Scene::Asked { request, response, oldest: 2 };
    let read = || Request::Item(Operation::Read(ItemId(0)));
    let scenes =
        vec![Scene::Passed, ask(read(), Response::Refused(Refusal::NotFound)), Scene::Removed(ItemId(0))];
    let trace = Trace { scenes, ..trace(2, ALWAYS) };
    let properties = vec![
        property(Kind::Always, ALWAYS, PropertyResult::Violated(trace)),
        property(Kind::Sometimes, SOMETIMES, PropertyResult::NotFound),
        property(
            Kind::Always,
            "no deadline overflows",
            PropertyResult::Refuted { witness: "ts = 1, ttl = 2".into() },
        ),
    ];
    let mut report = Report { models: vec![world("one item", properties)] };
    report.models[0].disagreement = Some("stateright sees 52 states, the walk 51".into());
    assert!(!report.holds());
    insta::assert_snapshot!(said(&report));
}

#[test]
fn the_model_that_ships_holds_and_the_line_of_properties_adds_up() {
    let text = succeeds(&["check"]);
    let sum = text.lines().find(|line| line.contains(" properties = ")).unwrap();
    let (all, parts) = sum.split_once(" properties = ").unwrap();
    let (parts, _) = parts.split_once(", in ").unwrap();
    let number = |text: &str| text.split(' ').next().unwrap().parse::<usize>().unwrap();
    assert_eq!(number(all), parts.split(" + ").map(number).sum::<usize>(), "{sum}");
    assert!(text.ends_with("the model does what the clauses say\n"), "{text}");
}

#[test]
fn the_explorer_stays_at_home() {
    insta::assert_snapshot!(refuses(&["check", "--explorer", "0.0.0.0:3000"]));
    refuses(&["check", "--explorer", "nowhere"]);
    refuses(&["check", "--anywhere"]);
}
