//! Names for places on the page, each used once, whatever the reports say.

use std::collections::{BTreeMap, BTreeSet};

use crate::Report;

/// Where each vector and each clause stands.
pub(super) struct Anchors<'a> {
    vectors: Vec<String>,
    clauses: BTreeMap<&'a str, String>,
}

impl<'a> Anchors<'a> {
    pub(super) fn of(report: &'a Report) -> Self {
        let mut taken = BTreeSet::new();
        let vectors = report.cases.iter().map(|case| unique("v", &case.name, &mut taken)).collect();
        let mut clauses = BTreeMap::new();
        for clause in report.clauses() {
            clauses.entry(clause.id.as_str()).or_insert_with(|| unique("c", &clause.id, &mut taken));
        }
        Self { vectors, clauses }
    }

    /// The place of the vector with this number.
    pub(super) fn vector(&self, number: usize) -> &str {
        self.vectors.get(number).map_or("main", String::as_str)
    }

    /// The place of a clause; `None` of one that the report does not have.
    pub(super) fn clause(&self, id: &str) -> Option<&str> {
        self.clauses.get(id).map(String::as_str)
    }
}

/// The place of the section with this number, which the name makes readable.
pub(super) fn section(number: usize, name: &str) -> String {
    format!("s{number}-{}", slug(name))
}

fn unique(kind: &str, name: &str, taken: &mut BTreeSet<String>) -> String {
    let wanted = format!("{kind}-{}", slug(name));
    let anchor = if taken.contains(&wanted) { format!("{wanted}.{}", taken.len()) } else { wanted };
    taken.insert(anchor.clone());
    anchor
}

/// What may stand in a name of a place without being escaped there.
fn slug(text: &str) -> String {
    let plain = |c: char| match c {
        '/' => '.',
        c if c.is_ascii_alphanumeric() => c,
        _ => '-',
    };
    text.chars().take(80).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_places_have_one_name() {
        let mut taken = BTreeSet::new();
        let names = ["a/b", "a.b", "a/b", "a\"b", "a'b", "a<b"];
        let anchors: BTreeSet<_> = names.iter().map(|name| unique("v", name, &mut taken)).collect();
        assert_eq!(anchors.len(), names.len());
        let harmless = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
        assert!(anchors.iter().all(|anchor| anchor.chars().all(harmless)), "{anchors:?}");
    }
}
