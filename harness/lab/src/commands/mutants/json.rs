//! The kill matrix for programs.

use std::collections::BTreeMap;

use serde::Serialize;

use cosmos_ttl_explore::told::Told;
use cosmos_ttl_mutants::matrix::{KillMatrixRow, Matrix};

/// The version of the form.
const FORMAT: u32 = 1;

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Report<'a> {
    format: u32,
    mutants: Vec<MutantRow<'a>>,
    controls: Vec<ControlRow<'a>>,
    unwitnessed: Vec<&'a str>,
    idle: Vec<&'a str>,
    missing: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct MutantRow<'a> {
    name: &'a str,
    clauses: &'a [&'a str],
    says: &'a str,
    equivalent: Option<&'a str>,
    killed_by: usize,
    sections: BTreeMap<&'a str, usize>,
    shortest: Option<Shortest<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    storyboard: Option<Storyboard>,
    vectors: Vec<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Shortest<'a> {
    vector: &'a str,
    steps: usize,
}

/// On which it and a right store differ; only where that was asked for.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Storyboard {
    requests: usize,
    /// No row of fewer requests and waits differs in its scope.
    proved_shortest: bool,
    /// Otherwise they differ in what is open.
    wrong: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct ControlRow<'a> {
    name: &'a str,
    says: &'a str,
    failed_by: Vec<&'a str>,
}

pub(super) fn json(matrix: &Matrix<'_>, told: Option<&[Option<Told>]>, missing: &[String]) -> String {
    let controls = matrix.controls.iter().map(|(control, killers)| ControlRow {
        name: control.name,
        says: control.says,
        failed_by: killers.iter().map(|vector| vector.name.as_str()).collect(),
    });
    let told = |number| told.and_then(|told: &[Option<Told>]| *told.get(number)?);
    let rows = matrix.rows.iter().enumerate();
    let report = Report {
        format: FORMAT,
        mutants: rows.map(|(number, one)| row(one, told(number))).collect(),
        controls: controls.collect(),
        // Of a part of the mutants neither says anything.
        unwitnessed: if matrix.whole { matrix.unwitnessed() } else { Vec::new() },
        idle: if matrix.whole { matrix.idle() } else { Vec::new() },
        missing,
    };
    // Strings, numbers, lists and structs: nothing that JSON could refuse.
    serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"
}

fn row<'a>(row: &'a KillMatrixRow<'a>, told: Option<Told>) -> MutantRow<'a> {
    let shortest = row.shortest();
    MutantRow {
        name: row.mutant.name,
        clauses: row.mutant.clauses,
        says: row.mutant.says,
        equivalent: row.mutant.equivalent,
        killed_by: row.failures.len(),
        sections: row.by_section(),
        shortest: shortest.map(|vector| Shortest { vector: &vector.name, steps: vector.steps.len() }),
        storyboard: told.map(|Told { requests, shortest, wrong }| Storyboard {
            requests,
            proved_shortest: shortest,
            wrong,
        }),
        vectors: row.killers().map(|vector| vector.name.as_str()).collect(),
    }
}
