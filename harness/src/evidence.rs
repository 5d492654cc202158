//! The evidence behind the clauses: the documents, and what they and others say.

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostic::{Diagnostic, Source};
use crate::yaml::{self, Node};

/// The contents of `evidence.yaml`. Every id in it is known to be used, and every id that it uses to be in it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvidenceFile {
    #[expect(dead_code, reason = "`yaml::read` looks at it")]
    format: u32,
    /// The editions of the documents, oldest first.
    pub documents: Vec<EvidencePlace>,
    /// Other places at which a finding can be read.
    #[serde(default)]
    pub places: Vec<EvidencePlace>,
    /// The findings of the sources, in our own words.
    #[serde(default)]
    pub findings: Vec<EvidenceFinding>,
}

/// A document, test, issue or page with a public address.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvidencePlace {
    /// Cited by clauses and findings.
    pub id: String,
    /// Its title, in English.
    pub title: String,
    /// When it was published, as far as known: `2017-01-13` or `2018`.
    pub date: Option<String>,
    /// The language of the copy that was read, if it is not English.
    pub language: Option<String>,
    /// The public address.
    pub address: String,
}

/// How well a clause is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the words are explained in the head of clauses.yaml")]
pub enum Evidence {
    Documented,
    Observed,
    Inferred,
    Contradictory,
    Unknown,
}

display_as_serialized!(Evidence);

/// One thing that sources say, or leave open.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvidenceFinding {
    /// `S-N` of a statement, `C-N` of a contradiction, `Q-N` of a question.
    pub id: String,
    /// How well it is known.
    pub kind: Evidence,
    /// Ids of documents, places and other findings.
    pub at: Vec<String>,
    /// The finding.
    pub finding: String,
    /// Of a contradiction or a question: what the clauses hold.
    pub held: Option<String>,
    /// One sentence of a source, where its wording decides.
    pub quotes: Option<String>,
}

/// The entry of the evidence that an id names.
#[derive(Clone, Copy, Debug)]
pub enum Cited<'a> {
    /// A document or another place.
    Place(&'a EvidencePlace),
    /// A finding.
    Finding(&'a EvidenceFinding),
}

impl EvidenceFile {
    /// Reads `evidence.yaml`, with its tree.
    ///
    /// Refuses an id that is used twice, a citation of what is not in the file, and a finding that lacks what its id demands.
    pub(crate) fn parse(source: &Arc<Source>) -> Result<(Self, Node), Diagnostic> {
        let (file, tree): (Self, Node) = yaml::read(source)?;
        let refuse =
            |node: &Node, what, help: &str| Err(Diagnostic::at(source, node.span.clone(), what, help));
        let mut known = BTreeSet::new();
        for (id, node) in file.ids().zip(nodes(&tree)) {
            if !known.insert(id) {
                return refuse(node, format!("the id `{id}` is used twice"), "use an id once");
            }
        }
        for (finding, node) in file.findings.iter().zip(tree.items_of("findings")) {
            let id = &finding.id;
            let decides = id.starts_with("C-") || id.starts_with("Q-");
            if !decides && !id.starts_with("S-") {
                let help =
                    "begin the id of a statement with S-, of a contradiction with C-, of a question with Q-";
                return refuse(node, format!("the finding `{id}` has an unknown kind of id"), help);
            }
            if decides != finding.held.is_some() {
                let help = "a contradiction and a question say in `held` what the clauses hold; a statement does not";
                return refuse(node, format!("the finding `{id}` has the wrong fields"), help);
            }
            for (at, node) in finding.at.iter().zip(node.items_of("at")) {
                if at == id || !known.contains(at.as_str()) {
                    let help = "name a document, a place or another finding of this file";
                    return refuse(node, format!("`{at}` is not in this file"), help);
                }
            }
        }
        Ok((file, tree))
    }

    /// Refuses the first id that neither the clauses cite, as `used` says, nor a finding.
    pub(crate) fn refuse_unused<'a>(
        &'a self,
        source: &Arc<Source>,
        tree: &Node,
        mut used: BTreeSet<&'a str>,
    ) -> Result<(), Diagnostic> {
        used.extend(self.findings.iter().flat_map(|finding| finding.at.iter().map(String::as_str)));
        match self.ids().zip(nodes(tree)).find(|(id, _)| !used.contains(id)) {
            None => Ok(()),
            Some((id, node)) => {
                let help = "cite it in a clause or a finding, or remove it";
                Err(Diagnostic::at(source, node.span.clone(), format!("nothing cites `{id}`"), help))
            }
        }
    }

    /// Returns what an id names.
    pub fn get(&self, id: &str) -> Option<Cited<'_>> {
        let places = self.documents.iter().chain(&self.places).find(|place| place.id == id).map(Cited::Place);
        places.or_else(|| self.findings.iter().find(|finding| finding.id == id).map(Cited::Finding))
    }

    /// Returns every id, in the order of the file.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        let places = self.documents.iter().chain(&self.places).map(|place| place.id.as_str());
        places.chain(self.findings.iter().map(|finding| finding.id.as_str()))
    }
}

/// Returns the nodes of all ids, in the order of [`EvidenceFile::ids`].
fn nodes(tree: &Node) -> impl Iterator<Item = &Node> {
    ["documents", "places", "findings"].into_iter().flat_map(|list| tree.items_of(list))
}
