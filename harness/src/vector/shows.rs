//! `shows.yaml`: which clauses each step of a vector shows. If the step fails, these clauses are blamed, and the others
//! that the vector cites are not judged.
//!
//! A vector that the file does not name shows all of its clauses with every step. The file is never written by hand:
//! `cargo lab shows` computes it from stores that lack one clause.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;

use super::Vector;
use crate::diagnostic::{Diagnostic, Source};
use crate::plain::plain;
use crate::yaml::{self, Node};

/// In the place of a request's clauses: all that its vector cites.
pub const ALL: &str = "all";

const HELP: &str = "`cargo lab shows` writes this file";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ShowsText {
    #[expect(dead_code, reason = "`yaml::read` looks at it")]
    format: u32,
    vectors: Vec<ShownText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ShownText {
    vector: String,
    /// For each request, the clauses that it shows.
    steps: Vec<Vec<String>>,
}

/// Reads the file into the steps of these vectors.
///
/// # Errors
///
/// The first entry that names no vector, names one twice, has another number of requests than the vector, or names a
/// clause that the vector does not cite.
pub(super) fn read_into(vectors: &mut [Vector], source: &Arc<Source>) -> Result<(), Diagnostic> {
    let (file, tree): (ShowsText, Node) = yaml::read(source)?;
    let mut names = BTreeSet::new();
    for (text, node) in file.vectors.into_iter().zip(tree.items_of("vectors")) {
        let refuse =
            |key: &str, what: String, help: &str| Err(Diagnostic::at(source, node.span_of(key), what, help));
        let name = plain(&text.vector);
        let Some(vector) = vectors.iter_mut().find(|vector| vector.name == text.vector) else {
            return refuse("vector", format!("`{name}` is not a vector"), HELP);
        };
        if !names.insert(text.vector) {
            return refuse("vector", format!("`{name}` is named twice"), "name each vector once");
        }
        if text.steps.len() != vector.steps.len() {
            let (listed, has) = (text.steps.len(), vector.steps.len());
            return refuse("steps", format!("`{name}` has {has} requests, and {listed} are listed"), HELP);
        }
        let unknown = |clause: &&String| *clause != ALL && !vector.clauses.contains(clause);
        if let Some(clause) = text.steps.iter().flatten().find(unknown) {
            let what = format!("`{name}` does not cite `{}`", plain(clause));
            return refuse("steps", what, "a step shows only clauses that its vector cites");
        }
        for (step, shows) in vector.steps.iter_mut().zip(text.steps) {
            step.shows = if shows == [ALL] { vector.clauses.clone() } else { shows };
        }
    }
    Ok(())
}
