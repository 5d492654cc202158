//! The names that `cosmos-ttl explain` explains, and their pages for programs: `explain --format json`.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::shell::{CommandError, json};
use cosmos_ttl_harness::clauses::{Clause, Level, Section};
use cosmos_ttl_harness::evidence::{Cited, Evidence, EvidenceFinding, EvidencePlace};
use cosmos_ttl_harness::vector::{Suite, Vector, citations};
use cosmos_ttl_mutants::matrix::KillMatrixRow;
use cosmos_ttl_mutants::{CONTROLS, Control, Mutant, mutants};

/// The version of the pages.
pub(super) const FORMAT: u32 = 1;

/// Something that has a name and can be explained.
#[derive(Clone, Copy, Debug)]
pub(super) enum Named<'a> {
    Vector(&'a Vector),
    Clause(&'a Clause),
    Section(&'a Section),
    Mutant(&'static Mutant),
    Control(&'static Control),
}

impl<'a> Named<'a> {
    /// Returns what this word names; `None` if it names nothing.
    pub(super) fn find(suite: &'a Suite, word: &str) -> Option<Self> {
        let mutant = mutant_name(word);
        let vector = suite.get(word).map(Self::Vector);
        vector
            .or_else(|| suite.catalogue.get(word).map(Self::Clause))
            .or_else(|| suite.catalogue.section(word).map(Self::Section))
            .or_else(|| mutants().find(|one| one.name == mutant).map(Self::Mutant))
            .or_else(|| CONTROLS.iter().find(|one| one.name == mutant).map(Self::Control))
    }

    /// Returns the page for programs.
    pub(super) fn json(self, suite: &'a Suite) -> Result<String, CommandError> {
        let page = |explained| json(&ExplainedPage { format: FORMAT, explained });
        let names = |vectors: &[&'a Vector]| vectors.iter().map(|vector| vector.name.as_str()).collect();
        Ok(match self {
            Self::Vector(vector) => {
                let whole = vector.json()?;
                json(&VectorPage { format: FORMAT, kind: "vector", listed: listed(vector), vector: whole })
            }
            Self::Clause(clause) => {
                let (findings, places) = rests_on(suite, &clause.sources);
                let cited = citations(&suite.vectors);
                let vectors = cited.get(clause.id.as_str()).map_or_else(Vec::new, |cited| names(cited));
                let findings = findings.into_iter().map(|one| FindingPage {
                    id: &one.id,
                    kind: one.kind,
                    finding: &one.finding,
                    at: &one.at,
                    held: one.held.as_deref(),
                    quotes: one.quotes.as_deref(),
                });
                let places = places.into_iter().map(|one| PlacePage {
                    id: &one.id,
                    title: &one.title,
                    date: one.date.as_deref(),
                    address: &one.address,
                });
                let (findings, places) = (findings.collect(), places.collect());
                page(Explained::Clause { clause, findings, places, vectors })
            }
            Self::Section(section) => {
                let own = suite.vectors.iter().filter(|vector| vector.section == section.name);
                page(Explained::Section {
                    name: &section.name,
                    clauses: section.clauses.iter().map(|clause| clause.id.as_str()).collect(),
                    vectors: names(&own.collect::<Vec<_>>()),
                })
            }
            Self::Mutant(mutant) => {
                let row = KillMatrixRow::of(mutant, &suite.vectors.iter().collect::<Vec<_>>())?;
                page(Explained::Mutant {
                    mutant,
                    killed_by: names(&row.killers().collect::<Vec<_>>()),
                    shortest: row.shortest().map(|vector| vector.name.as_str()),
                })
            }
            Self::Control(control) => page(Explained::Control { control }),
        })
    }
}

/// Returns the name of a mutant with or without the prefix of a target.
pub(super) fn mutant_name(word: &str) -> &str {
    word.strip_prefix("mutant:").unwrap_or(word)
}

/// Returns the findings that these sources are or lead to, and every document and place that they name.
pub(super) fn rests_on<'a>(
    suite: &'a Suite,
    sources: &'a [String],
) -> (Vec<&'a EvidenceFinding>, Vec<&'a EvidencePlace>) {
    let evidence = &suite.evidence;
    let mut findings = Vec::new();
    let mut unread: Vec<&str> = sources.iter().rev().map(String::as_str).collect();
    let mut read = BTreeSet::new();
    while let Some(id) = unread.pop() {
        let cited = evidence.get(id).filter(|_| read.insert(id));
        if let Some(Cited::Finding(finding)) = cited {
            findings.push(finding);
            unread.extend(finding.at.iter().rev().map(String::as_str));
        }
    }
    let places = evidence.documents.iter().chain(&evidence.places);
    (findings, places.filter(|place| read.contains(place.id.as_str())).collect())
}

#[derive(Serialize)]
struct ExplainedPage<'a> {
    format: u32,
    #[serde(flatten)]
    explained: Explained<'a>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
enum Explained<'a> {
    Clause {
        #[serde(flatten)]
        clause: &'a Clause,
        findings: Vec<FindingPage<'a>>,
        places: Vec<PlacePage<'a>>,
        vectors: Vec<&'a str>,
    },
    Section {
        name: &'a str,
        clauses: Vec<&'a str>,
        vectors: Vec<&'a str>,
    },
    Mutant {
        #[serde(flatten)]
        mutant: &'static Mutant,
        killed_by: Vec<&'a str>,
        shortest: Option<&'a str>,
    },
    Control {
        #[serde(flatten)]
        control: &'static Control,
    },
}

#[derive(Serialize)]
struct FindingPage<'a> {
    id: &'a str,
    kind: Evidence,
    finding: &'a str,
    at: &'a [String],
    held: Option<&'a str>,
    quotes: Option<&'a str>,
}

#[derive(Serialize)]
struct PlacePage<'a> {
    id: &'a str,
    title: &'a str,
    date: Option<&'a str>,
    address: &'a str,
}

/// The fields of `list --format json`, and the whole vector as its file has it.
#[derive(Serialize)]
struct VectorPage<'a, V> {
    format: u32,
    kind: &'static str,
    #[serde(flatten)]
    listed: ListedVector<'a>,
    vector: V,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct ListedVector<'a> {
    name: &'a str,
    title: &'a str,
    level: Level,
    clauses: &'a [String],
    documents: Vec<String>,
    margin_s: Option<u64>,
    span_s: u64,
    steps: usize,
    file: &'a str,
    line: usize,
    digest: &'a str,
}

pub(super) fn listed(vector: &Vector) -> ListedVector<'_> {
    ListedVector {
        name: &vector.name,
        title: &vector.title,
        level: vector.level,
        clauses: &vector.clauses,
        documents: vector.documents.iter().map(|document| format!("{document:?}")).collect(),
        margin_s: vector.margin_s,
        span_s: vector.span_s,
        steps: vector.steps.len(),
        file: &vector.source.name,
        line: vector.line,
        digest: vector.digest(),
    }
}
