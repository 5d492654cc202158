//! Why a cell is empty: `coverage.yaml`, one reason for a rule of cells.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use clap::ValueEnum as _;
use cosmos_ttl_harness::diagnostic::{Diagnostic, MAX_FILE_BYTES, Source};
use cosmos_ttl_harness::plain::plain;
use cosmos_ttl_harness::text_file::TextKind;
use cosmos_ttl_harness::yaml::{self, Node};
use serde::Deserialize;
use wildmatch::WildMatch;

use super::cells::{Cells, DimensionValue};
use crate::args::Dimension;

/// The reasons that came with this build.
const BUILT_IN: &str = include_str!("../../coverage.yaml");

const REASONS: TextKind = TextKind {
    accepted: "name a file of reasons, such as harness/lab/coverage.yaml",
    most_bytes: MAX_FILE_BYTES,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReasonsText {
    #[expect(dead_code, reason = "`yaml::read` looks at it")]
    format: u32,
    reasons: Vec<ReasonText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReasonText {
    why: String,
    /// Two dimensions, each with words for its values.
    cells: BTreeMap<String, Vec<String>>,
    /// Of each of these dimensions, what the words leave out.
    #[serde(default)]
    but: BTreeMap<String, Vec<String>>,
}

/// Why every cell of some values with some other values is empty.
#[derive(Clone, Debug)]
pub(super) struct Reason {
    pub(super) why: String,
    sides: [(Dimension, BTreeSet<String>); 2],
}

impl Reason {
    /// Returns whether the reason is about the cell of these two values.
    pub(super) fn is_about(&self, one: &DimensionValue, other: &DimensionValue) -> bool {
        let [left, right] = &self.sides;
        let takes = |(dimension, values): &(Dimension, BTreeSet<String>), value: &DimensionValue| {
            *dimension == value.0 && values.contains(&value.1)
        };
        takes(left, one) && takes(right, other) || takes(left, other) && takes(right, one)
    }
}

/// Reads the reasons that came with this build.
///
/// # Errors
///
/// The first reason that is not about two dimensions, and the first word that matches no value.
pub(super) fn built_in(cells: &Cells) -> Result<Vec<Reason>, Diagnostic> {
    read(&Arc::new(Source::new("coverage.yaml", BUILT_IN)), cells)
}

/// Reads the reasons of a file.
///
/// # Errors
///
/// As [`built_in`]; also where the file cannot be read.
pub(super) fn load(path: &Path, cells: &Cells) -> Result<Vec<Reason>, Diagnostic> {
    read(&Arc::new(REASONS.read(path)?), cells)
}

fn read(source: &Arc<Source>, cells: &Cells) -> Result<Vec<Reason>, Diagnostic> {
    let (file, tree): (ReasonsText, Node) = yaml::read(source)?;
    let mut reasons = Vec::new();
    for (text, node) in file.reasons.into_iter().zip(tree.items_of("reasons")) {
        let refuse = |what: String, help: &str| Diagnostic::at(source, node.span.clone(), what, help);
        if let Some(name) = text.but.keys().find(|name| !text.cells.contains_key(*name)) {
            return Err(refuse(
                format!("`but` names `{}`, which `cells` does not", plain(name)),
                "leave out values of the dimensions that the reason is about",
            ));
        }
        let mut sides = Vec::new();
        for (name, words) in &text.cells {
            let dimension = Dimension::from_str(name, false).map_err(|_| {
                let what = format!("`{}` is not a dimension", plain(name));
                refuse(what, "`cargo lab coverage --help` lists the dimensions")
            })?;
            let known = cells.values(dimension);
            let matching = |words: &[String]| -> Result<BTreeSet<String>, Diagnostic> {
                let mut all = BTreeSet::new();
                for word in words {
                    let glob = WildMatch::new(word);
                    let matching: Vec<_> =
                        known.iter().filter(|value| glob.matches(value)).cloned().collect();
                    if matching.is_empty() {
                        let what = format!("`{}` is no value of the dimension {dimension}", plain(word));
                        return Err(refuse(what, "`cargo lab coverage --pairs` shows the values"));
                    }
                    all.extend(matching);
                }
                Ok(all)
            };
            let (all, but) = (matching(words)?, matching(text.but.get(name).map_or(&[], Vec::as_slice))?);
            sides.push((dimension, all.difference(&but).cloned().collect()));
        }
        match <[_; 2]>::try_from(sides) {
            Ok(sides) => reasons.push(Reason { why: text.why, sides }),
            Err(sides) => {
                let what = format!("a reason about {} dimensions", sides.len());
                return Err(refuse(what, "a reason is about the cells of two dimensions"));
            }
        }
    }
    Ok(reasons)
}
