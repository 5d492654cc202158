//! The normative clauses: the index that model, vectors and reports cite.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::diagnostic::{Diagnostic, Source};
use crate::evidence::{Cited, Evidence, EvidenceFile};
use crate::suggest;
use crate::yaml::fields::Parsed;
use crate::yaml::{self, Node};

/// Every clause, by section.
#[derive(Clone, Debug)]
pub struct Catalogue {
    /// In the order of the file.
    pub sections: Vec<Section>,
}

/// Clauses that belong together.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its name; also that of its vectors' file.
    pub name: String,
    /// Whether its vectors ask what a container or a new item accepts, so that the requests that set them up are judged, too.
    pub judges_setup: bool,
    /// In the order of the file.
    pub clauses: Vec<Clause>,
}

/// One testable statement.
#[derive(Clone, Debug, Serialize)]
pub struct Clause {
    /// Immutable; never reused.
    pub id: String,
    /// How binding it is.
    pub level: Level,
    /// Of an open clause: what is allowed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// Of an open clause: how far one choice reaches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binds: Option<Binds>,
    /// Of an open clause: what is known of the service's own choice, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
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
        Self::of_tree(&yaml::parse(source)?).map_err(|flaw| flaw.in_file(source))
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
        let (tree, evidence_tree) = (yaml::parse(source)?, yaml::parse(evidence)?);
        let catalogue = Self::of_tree(&tree).map_err(|flaw| flaw.in_file(source))?;
        let file = EvidenceFile::of_tree(&evidence_tree).map_err(|flaw| flaw.in_file(evidence))?;
        let mut cited = BTreeSet::new();
        let clauses = tree.items_of("sections").iter().flat_map(|node| node.items_of("clauses"));
        for (clause, node) in catalogue.clauses().zip(clauses) {
            for (id, node) in clause.sources.iter().zip(node.items_of("sources")) {
                // A place is cited through a finding, which says what can be read there.
                let is_cited = matches!(file.get(id), Some(Cited::Finding(_)))
                    || file.documents.iter().any(|document| document.id == *id);
                if !is_cited {
                    let what = format!("the source `{id}` is neither a document nor a finding");
                    let guesses = suggest::question(&suggest::suggest(id, file.ids()));
                    let help = format!("{guesses}evidence.yaml in the same directory has the ids");
                    return Err(node.flaw(what, help).in_file(source));
                }
                cited.insert(id.as_str());
            }
        }
        file.check_used(&evidence_tree, cited).map_err(|flaw| flaw.in_file(evidence))?;
        Ok((catalogue, file))
    }

    /// Reads the tree of `clauses.yaml`.
    pub(crate) fn of_tree(tree: &Node) -> Parsed<Self> {
        tree.only(&["format", "sections"])?;
        tree.check_format()?;
        let mut ids = BTreeSet::new();
        let sections = tree.need("sections")?.list(|node| {
            node.only(&["section", "judges-setup", "clauses"])?;
            Ok(Section {
                name: node.need("section")?.owned()?,
                judges_setup: node.optional("judges-setup", Node::truth)?.unwrap_or_default(),
                clauses: node.need("clauses")?.list(|node| {
                    let clause = Clause::of_tree(node)?;
                    if !ids.insert(clause.id.clone()) {
                        let what = format!("duplicate clause `{}`", clause.id);
                        return Err(node.flaw(what, "an id is used once"));
                    }
                    Ok(clause)
                })?,
            })
        })?;
        Ok(Self { sections })
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

impl Clause {
    fn of_tree(node: &Node) -> Parsed<Self> {
        node.only(&["id", "level", "values", "binds", "service", "evidence", "observe", "sources", "says"])?;
        let clause = Self {
            id: node.need("id")?.owned()?,
            level: node.need("level")?.word()?,
            values: node.optional("values", |node| node.list(Node::owned))?.unwrap_or_default(),
            binds: node.optional("binds", Node::word)?,
            service: node.optional("service", Node::owned)?,
            evidence: node.need("evidence")?.word()?,
            observe: node.need("observe")?.word()?,
            sources: node.need("sources")?.list(Node::owned)?,
            says: node.need("says")?.owned()?,
        };
        let is_open = clause.values.len() > 1 && clause.binds.is_some();
        if (clause.level == Level::Open) != is_open || (clause.service.is_some() && !is_open) {
            let what = format!("clause `{}` has the wrong fields for its level", clause.id);
            let help = "an open clause has two or more `values`, what it `binds` and what is known of the `service`; no other has any";
            return Err(node.flaw(what, help));
        }
        Ok(clause)
    }
}
