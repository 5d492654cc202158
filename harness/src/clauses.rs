//! The normative clauses: the index that model, vectors and reports cite.

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostic::{Diagnostic, Source};
use crate::evidence::{Cited, Evidence, EvidenceFile};
use crate::suggest;
use crate::yaml::{self, Node};

/// Every clause, by section.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    #[expect(dead_code, reason = "`yaml::read` looks at it")]
    format: u32,
    /// In the order of the file.
    pub sections: Vec<Section>,
}

/// Clauses that belong together.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Section {
    /// Its name; also that of its vectors' file.
    #[serde(rename = "section")]
    pub name: String,
    /// Whether its vectors ask what a container or a new item accepts, so that the requests that set them up are judged, too.
    #[serde(default, rename = "judges-setup")]
    pub judges_setup: bool,
    /// In the order of the file.
    pub clauses: Vec<Clause>,
}

/// One testable statement.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Clause {
    /// Immutable; never reused.
    pub id: String,
    /// How binding it is.
    pub level: Level,
    /// Of an open clause: what is allowed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// Of an open clause: how far one choice reaches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binds: Option<Binds>,
    /// How well it is known.
    pub evidence: Evidence,
    /// Who can see it.
    pub observe: Observe,
    /// The ids of the documents and findings that it rests on, in `evidence.yaml`.
    pub sources: Vec<String>,
    /// The statement.
    pub says: String,
}

/// How binding a clause is. The order is that of force, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// A target that differs is reported, and fails only if that is asked for.
    Should,
    /// A target that differs is nonconformant.
    Must,
    /// Each of several values is allowed; anything else is nonconformant.
    Open,
}

display_as_serialized!(Level);

/// How far one choice under an open clause reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Binds {
    /// All vectors of a target.
    Target,
    /// One item within a vector.
    Item,
    /// Nothing: each answer stands alone.
    Nothing,
}

/// Who can see whether a clause holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Observe {
    /// A client of one target: it has vectors.
    Client,
    /// Only the model: it is a checked property.
    Model,
}

impl Catalogue {
    /// Reads `clauses.yaml`.
    ///
    /// # Errors
    ///
    /// The first [`Diagnostic`] of the file.
    pub fn read(source: &Arc<Source>) -> Result<Self, Diagnostic> {
        Ok(Self::parse(source)?.0)
    }

    /// Reads `clauses.yaml`, and the `evidence.yaml` that it cites.
    ///
    /// # Errors
    ///
    /// The first [`Diagnostic`] of either file.
    pub fn read_with_evidence(
        source: &Arc<Source>,
        evidence: &Arc<Source>,
    ) -> Result<(Self, EvidenceFile), Diagnostic> {
        let (catalogue, tree) = Self::parse(source)?;
        let sections = tree.items_of("sections");
        let (evidence_source, (evidence, evidence_tree)) = (evidence, EvidenceFile::parse(evidence)?);
        let mut cited = BTreeSet::new();
        for (clause, node) in
            catalogue.clauses().zip(sections.iter().flat_map(|node| node.items_of("clauses")))
        {
            for (id, node) in clause.sources.iter().zip(node.items_of("sources")) {
                // A place is cited through a finding, which says what can be read there.
                let is_cited = matches!(evidence.get(id), Some(Cited::Finding(_)))
                    || evidence.documents.iter().any(|document| document.id == *id);
                if !is_cited {
                    let what = format!("the source `{id}` is neither a document nor a finding");
                    let guesses = suggest::question(&suggest::suggest(id, evidence.ids()));
                    let help = format!("{guesses}evidence.yaml in the same directory has the ids");
                    return Err(Diagnostic::at(source, node.span.clone(), what, &help));
                }
                cited.insert(id.as_str());
            }
        }
        evidence.refuse_unused(evidence_source, &evidence_tree, cited)?;
        Ok((catalogue, evidence))
    }

    fn parse(source: &Arc<Source>) -> Result<(Self, Node), Diagnostic> {
        let (catalogue, tree): (Self, Node) = yaml::read(source)?;
        let sections = tree.items_of("sections");
        let nodes = sections.iter().flat_map(|node| node.items_of("clauses"));
        let mut ids = BTreeSet::new();
        for (clause, node) in catalogue.clauses().zip(nodes) {
            let id = &clause.id;
            let is_open = clause.values.len() > 1 && clause.binds.is_some();
            let (what, help) = if !ids.insert(id) {
                (format!("clause `{id}` stands here twice"), "an id is used once")
            } else if (clause.level == Level::Open) != is_open {
                let help =
                    "an open clause has two or more `values` and says what it `binds`; no other has either";
                (format!("clause `{id}` has the wrong fields for its level"), help)
            } else {
                continue;
            };
            return Err(Diagnostic::at(source, node.span.clone(), what, help));
        }
        Ok((catalogue, tree))
    }

    /// Every clause, in the order of the file.
    pub fn clauses(&self) -> impl Iterator<Item = &Clause> + Clone {
        self.sections.iter().flat_map(|section| &section.clauses)
    }

    /// The clause with this id.
    pub fn get(&self, id: &str) -> Option<&Clause> {
        self.clauses().find(|clause| clause.id == id)
    }

    /// The section with this name.
    pub fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.name == name)
    }
}
