//! Witnesses for programs.

use serde::Serialize;

use crate::ablation::{Laws, Witnesses};
use cosmos_ttl_harness::vector::Vector;

/// The version of the form.
const FORMAT: u32 = 1;

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Page<'a> {
    format: u32,
    clauses: Vec<Row<'a>>,
    missing: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Row<'a> {
    clause: &'a str,
    instead: Option<&'a str>,
    enough: bool,
    shortest: Option<&'a str>,
    citing: Vec<&'a str>,
    others: Vec<&'a str>,
    derived: Vec<&'a str>,
    own_laws: &'a Laws,
    other_laws: &'a Laws,
}

pub(super) fn json(found: &[Witnesses<'_>]) -> String {
    let page = Page {
        format: FORMAT,
        clauses: found.iter().map(row).collect(),
        missing: found.iter().filter_map(Witnesses::missing).collect(),
    };
    // Strings, numbers, lists and structs: nothing that JSON could refuse.
    serde_json::to_string_pretty(&page).unwrap_or_default() + "\n"
}

fn row<'a>(one: &'a Witnesses<'a>) -> Row<'a> {
    let names = |vectors: &'a [&'a Vector]| vectors.iter().map(|vector| vector.name.as_str()).collect();
    Row {
        clause: &one.clause.id,
        instead: one.instead.as_deref(),
        enough: one.is_enough(),
        shortest: one.shortest().map(|vector| vector.name.as_str()),
        citing: names(&one.citing),
        others: names(&one.others),
        derived: names(&one.derived),
        own_laws: &one.own_laws,
        other_laws: &one.other_laws,
    }
}
