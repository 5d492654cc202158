//! The kill matrix for programs.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::targets::mutants::matrix::{Matrix, Row};

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
    vectors: Vec<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Shortest<'a> {
    vector: &'a str,
    steps: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct ControlRow<'a> {
    name: &'a str,
    says: &'a str,
    failed_by: Vec<&'a str>,
}

pub(super) fn json(matrix: &Matrix<'_>, missing: &[String]) -> String {
    let controls = matrix.controls.iter().map(|(control, killers)| ControlRow {
        name: control.name,
        says: control.says,
        failed_by: killers.iter().map(|vector| vector.name.as_str()).collect(),
    });
    let report = Report {
        format: FORMAT,
        mutants: matrix.rows.iter().map(row).collect(),
        controls: controls.collect(),
        // Of a part of the mutants neither says anything.
        unwitnessed: if matrix.whole { matrix.unwitnessed() } else { Vec::new() },
        idle: if matrix.whole { matrix.idle() } else { Vec::new() },
        missing,
    };
    // Strings, numbers, lists and structs: nothing that JSON could refuse.
    serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"
}

fn row<'a>(row: &'a Row<'a>) -> MutantRow<'a> {
    let shortest = row.shortest();
    MutantRow {
        name: row.mutant.name,
        clauses: row.mutant.clauses,
        says: row.mutant.says,
        equivalent: row.mutant.equivalent,
        killed_by: row.killers.len(),
        sections: row.by_section(),
        shortest: shortest.map(|vector| Shortest { vector: &vector.name, steps: vector.steps.len() }),
        vectors: row.killers.iter().map(|vector| vector.name.as_str()).collect(),
    }
}
