//! The evidence behind the clauses: the documents, and what they and others say.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::yaml::Node;
use crate::yaml::fields::Parsed;

/// The contents of `evidence.yaml`. Every id in it is known to be used, and every id that it uses to be in it.
#[derive(Clone, Debug)]
pub struct EvidenceFile {
    /// The editions of the documents, oldest first.
    pub documents: Vec<EvidencePlace>,
    /// Other places at which a finding can be read.
    pub places: Vec<EvidencePlace>,
    /// The findings of the sources, in our own words.
    pub findings: Vec<EvidenceFinding>,
}

/// A document, test, issue or page with a public address.
#[derive(Clone, Debug)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
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
#[derive(Clone, Debug)]
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
    /// Reads the tree of `evidence.yaml`.
    ///
    /// Refuses an id that is used twice, a citation of what is not in the file, and a finding that lacks what its id demands.
    pub(crate) fn of_tree(tree: &Node) -> Parsed<Self> {
        tree.only(&["format", "documents", "places", "findings"])?;
        tree.check_format()?;
        let file = Self {
            documents: tree.need("documents")?.list(EvidencePlace::of_tree)?,
            places: tree.optional("places", |node| node.list(EvidencePlace::of_tree))?.unwrap_or_default(),
            findings: tree
                .optional("findings", |node| node.list(EvidenceFinding::of_tree))?
                .unwrap_or_default(),
        };
        let mut known = BTreeSet::new();
        for (id, node) in file.ids().zip(nodes(tree)) {
            if !known.insert(id) {
                return Err(node.flaw(format!("the id `{id}` is used twice"), "use an id once"));
            }
        }
        for (finding, node) in file.findings.iter().zip(tree.items_of("findings")) {
            for (at, node) in finding.at.iter().zip(node.items_of("at")) {
                if *at == finding.id || !known.contains(at.as_str()) {
                    let help = "name a document, a place or another finding of this file";
                    return Err(node.flaw(format!("`{at}` is not in this file"), help));
                }
            }
        }
        Ok(file)
    }

    /// Refuses the first id that neither the clauses cite, as `used` says, nor a finding.
    pub(crate) fn check_used<'a>(&'a self, tree: &Node, mut used: BTreeSet<&'a str>) -> Parsed<()> {
        used.extend(self.findings.iter().flat_map(|finding| finding.at.iter().map(String::as_str)));
        match self.ids().zip(nodes(tree)).find(|(id, _)| !used.contains(id)) {
            None => Ok(()),
            Some((id, node)) => {
                let help = "cite it in a clause or a finding, or remove it";
                Err(node.flaw(format!("nothing cites `{id}`"), help))
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

impl EvidencePlace {
    fn of_tree(node: &Node) -> Parsed<Self> {
        node.only(&["id", "title", "date", "language", "address"])?;
        Ok(Self {
            id: node.need("id")?.owned()?,
            title: node.need("title")?.owned()?,
            date: node.optional("date", Node::owned)?,
            language: node.optional("language", Node::owned)?,
            address: node.need("address")?.owned()?,
        })
    }
}

impl EvidenceFinding {
    fn of_tree(node: &Node) -> Parsed<Self> {
        node.only(&["id", "kind", "at", "finding", "held", "quotes"])?;
        let finding = Self {
            id: node.need("id")?.owned()?,
            kind: node.need("kind")?.word()?,
            at: node.need("at")?.list(Node::owned)?,
            finding: node.need("finding")?.owned()?,
            held: node.optional("held", Node::owned)?,
            quotes: node.optional("quotes", Node::owned)?,
        };
        let id = &finding.id;
        let decides = id.starts_with("C-") || id.starts_with("Q-");
        if !decides && !id.starts_with("S-") {
            let help =
                "begin the id of a statement with S-, of a contradiction with C-, of a question with Q-";
            return Err(node.flaw(format!("the finding `{id}` has an unknown kind of id"), help));
        }
        if decides != finding.held.is_some() {
            let help =
                "a contradiction and a question say in `held` what the clauses hold; a statement does not";
            return Err(node.flaw(format!("the finding `{id}` has the wrong fields"), help));
        }
        Ok(finding)
    }
}
