//! `cargo lab check --format json`

use serde::Serialize;

use super::{PropertyRow, rows};
use cosmos_ttl::shell;
use cosmos_ttl_checker::{CheckReport, PropertyKind, PropertyResult};

/// Returns the report for programs.
pub fn json(report: &CheckReport) -> String {
    let worlds = report.models.iter().map(|model| WorldPage {
        name: model.name,
        about: model.about,
        states: model.unique_states,
        steps: model.steps,
        depth: model.depth,
        properties: model.properties.len(),
    });
    shell::json(&CheckPage {
        format: 1,
        holds: report.holds(),
        properties: rows(report).into_iter().map(PropertyPage::of).collect(),
        worlds: worlds.collect(),
    })
}

#[derive(Serialize)]
struct CheckPage<'a> {
    format: u32,
    holds: bool,
    properties: Vec<PropertyPage<'a>>,
    worlds: Vec<WorldPage<'a>>,
}

/// A property, with the gravest result of all worlds.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct PropertyPage<'a> {
    section: &'a str,
    clauses: &'a [&'a str],
    kind: &'static str,
    says: &'a str,
    result: &'static str,
    good: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counterexample: Option<Vec<String>>,
}

impl<'a> PropertyPage<'a> {
    fn of((property, outcome): PropertyRow<'a>) -> Self {
        let (result, steps, counterexample) = match outcome {
            PropertyResult::Held => ("held", None, None),
            PropertyResult::Found(trace) => ("found", Some(trace.steps), None),
            PropertyResult::Violated(trace) => ("violated", Some(trace.steps), Some(trace.lines.clone())),
            PropertyResult::NotFound => ("not-found", None, None),
        };
        Self {
            section: property.section,
            clauses: property.clauses,
            kind: match property.kind {
                PropertyKind::Always => "always",
                PropertyKind::Sometimes => "sometimes",
            },
            says: property.sentence,
            result,
            good: outcome.is_good(),
            steps,
            counterexample,
        }
    }
}

#[derive(Serialize)]
struct WorldPage<'a> {
    name: &'a str,
    about: &'a str,
    states: usize,
    steps: usize,
    depth: usize,
    properties: usize,
}
