//! Reads a directory of vectors, strictly: whatever is wrong with one file would otherwise be a test that passes
//! without testing anything. Next to the vectors is `quick.yaml`, which names the vectors that are enough for a quick
//! look.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::{Step, Vector, format, lint, quick, shows, steps};
use crate::clauses::{Catalogue, Level, Observe};
use crate::diagnostic::{Diagnostic, Source};
use crate::evidence::EvidenceFile;
use crate::plain::plain;
use crate::suggest;
use crate::text_file::TextKind;
use crate::yaml::{self, Node};

/// The file that holds the clauses.
pub const CLAUSES_FILE: &str = "clauses.yaml";
/// The file that holds the evidence behind the clauses.
pub const EVIDENCE_FILE: &str = "evidence.yaml";
/// The file that holds the format for editors.
pub const SCHEMA_FILE: &str = "schema.json";
/// The file that names the quick vectors.
pub const QUICK_FILE: &str = "quick.yaml";
/// The file that says which clauses each step of a vector shows.
pub const SHOWS_FILE: &str = "shows.yaml";
/// Files in the directory that hold no vectors; the directory of this project is also a crate.
const OTHERS: [&str; 5] = ["README.md", "DOCUMENTS.md", SCHEMA_FILE, "Cargo.toml", "lib.rs"];

/// The steps of a vector, the operations of its batches included; almost twice as many as the longest vector has.
const MAX_STEPS: usize = 250;
/// The last second of a vector: more than 2,000 years, and ten times the longest vector of this project.
const MAX_AT_S: u64 = 1 << 36;

const VECTORS: TextKind =
    TextKind::written_by_people("vectors are files that end in .yaml, of at most 1 MiB");

/// Clauses and vectors that belong together.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The clauses.
    pub catalogue: Catalogue,
    /// The evidence of the clauses.
    pub evidence: EvidenceFile,
    /// The vectors, by section in the order of the clauses, then as in the file.
    pub vectors: Vec<Vector>,
    /// The names of those that are enough for a quick look; none where there is no `quick.yaml`.
    pub quick: BTreeSet<String>,
    /// Where it is from, for people.
    pub origin: String,
}

/// Returns the vectors that came with this build.
///
/// # Errors
///
/// A [`Diagnostic`] of a file, though a test sees to it that there is none.
pub fn embedded() -> Result<Suite, Diagnostic> {
    built_in(cosmos_ttl_vectors::FILES)
}

/// Returns the vectors of one section, without the quick ones, of a directory or of those that came with this
/// build: for a process that replays one vector, and need not read the others.
///
/// # Errors
///
/// A [`Diagnostic`] of a file that was read; also where there is no such section.
#[cfg(feature = "libtest")]
pub(crate) fn load_section(directory: Option<&Path>, section: &str) -> Result<Suite, Diagnostic> {
    let file = format!("{section}.yaml");
    let Some(directory) = directory else {
        let files = cosmos_ttl_vectors::FILES
            .iter()
            .filter(|(name, _)| [CLAUSES_FILE, EVIDENCE_FILE, &file].contains(name));
        return built_in(&files.copied().collect::<Vec<_>>());
    };
    let read = |name| VECTORS.read(&directory.join(name)).map(Arc::new);
    let sources = [read(CLAUSES_FILE)?, read(EVIDENCE_FILE)?, read(&file)?];
    Suite::from_sources(&directory.display().to_string(), &sources)
}

fn built_in(files: &[(&str, &str)]) -> Result<Suite, Diagnostic> {
    let source = |(name, text): &(&str, &str)| Arc::new(Source::built_in(format!("vectors/{name}"), *text));
    Suite::from_sources("vectors (built in)", &files.iter().map(source).collect::<Vec<_>>())
}

impl Suite {
    /// Returns the digest of the vectors: of their names and meanings, in any layout.
    pub fn digest(&self) -> String {
        let lines = self.vectors.iter().map(|vector| format!("{} {}\n", vector.name, vector.digest));
        digest(&lines.collect::<String>())
    }

    /// Reads every file of a directory.
    ///
    /// # Errors
    ///
    /// The first [`Diagnostic`], in the order of file names: of the directory, of a file, of what the files say together.
    pub fn load(directory: &Path) -> Result<Self, Diagnostic> {
        Self::load_but(directory, &[])
    }

    /// Reads a directory for a program that writes its generated files again: those in it may be stale.
    ///
    /// # Errors
    ///
    /// As [`Suite::load`].
    pub fn load_without_generated(directory: &Path) -> Result<Self, Diagnostic> {
        Self::load_but(directory, &[QUICK_FILE, SHOWS_FILE])
    }

    fn load_but(directory: &Path, unread: &[&str]) -> Result<Self, Diagnostic> {
        let sources = sources(directory, &[&OTHERS[..], unread].concat())?;
        Self::from_sources(&directory.display().to_string(), &sources)
    }

    fn from_sources(origin: &str, sources: &[Arc<Source>]) -> Result<Self, Diagnostic> {
        let is = |name: &str, source: &Source| Path::new(&source.name).ends_with(name);
        let named = |name: &str| sources.iter().find(|source| is(name, source));
        let missing = |what: &str, help| Diagnostic::of_path(origin, what, help);
        let no_clauses =
            || missing(&format!("no {CLAUSES_FILE}"), "every vector cites clauses; put the file there");
        let clauses = named(CLAUSES_FILE).ok_or_else(no_clauses)?;
        let no_evidence =
            || missing(&format!("no {EVIDENCE_FILE}"), "every clause cites evidence; put the file there");
        let evidence = named(EVIDENCE_FILE).ok_or_else(no_evidence)?;
        let (catalogue, evidence) = Catalogue::read_with_evidence(clauses, evidence)?;
        let others = [CLAUSES_FILE, EVIDENCE_FILE, QUICK_FILE, SHOWS_FILE];
        let written = sources.iter().filter(|source| !others.iter().any(|name| is(name, source)));
        let mut vectors = vectors(&catalogue, written)?;
        if vectors.is_empty() {
            return Err(missing("no vectors", "nothing would be tested; is this the right directory?"));
        }
        named(SHOWS_FILE).map_or(Ok(()), |source| shows::read_into(&mut vectors, source))?;
        let quick = named(QUICK_FILE).map_or(Ok(BTreeSet::new()), |source| quick::read(source, &vectors))?;
        Ok(Self { catalogue, evidence, vectors, quick, origin: origin.into() })
    }

    /// Reads a file of vectors that is not among those of the suite, as strictly as those.
    ///
    /// # Errors
    ///
    /// The first [`Diagnostic`] of the file.
    pub fn read_file(&self, name: &str, text: String) -> Result<Vec<Vector>, Diagnostic> {
        let source = Arc::new(Source::new(name, text));
        VectorReader { catalogue: &self.catalogue, source: &source }.file()
    }

    /// The vector with this full name.
    pub fn get(&self, name: &str) -> Option<&Vector> {
        self.vectors.iter().find(|vector| vector.name == name)
    }
}

/// The files of vectors in a directory, in the order of their names.
fn sources(directory: &Path, others: &[&str]) -> Result<Vec<Arc<Source>>, Diagnostic> {
    let unreadable = |err: std::io::Error| {
        let what = format!("cannot be read: {err}");
        Diagnostic::of_path(directory.display(), what, "name a directory of vectors")
    };
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        names.insert(entry.map_err(unreadable)?.file_name().into_string().map_err(|name| {
            let path = directory.join(name);
            Diagnostic::of_path(path.display(), "a file name that is not UTF-8", "rename it")
        })?);
    }
    names.retain(|name| !others.contains(&name.as_str()) && !is_left_by_an_editor(name));
    let read = |name: &String| {
        let path = directory.join(name);
        if name.starts_with('.') || path.extension().is_none_or(|extension| extension != "yaml") {
            let help =
                "a directory of vectors holds only .yaml files, one for each section; remove this file";
            return Err(Diagnostic::of_path(path.display(), "an unexpected file", help));
        }
        VECTORS.read(&path).map(Arc::new)
    };
    names.iter().map(read).collect()
}

/// Returns whether an editor or a file manager leaves files of this name where people work.
fn is_left_by_an_editor(name: &str) -> bool {
    let swap = [".swp", ".swo", ".swx"].iter().any(|end| name.starts_with('.') && name.ends_with(end));
    let emacs = name.starts_with(".#") || (name.starts_with('#') && name.ends_with('#'));
    swap || emacs || name.ends_with('~') || name == ".DS_Store"
}

/// The vectors of these files, in the order of the clauses' sections.
fn vectors<'a>(
    catalogue: &Catalogue,
    sources: impl Iterator<Item = &'a Arc<Source>>,
) -> Result<Vec<Vector>, Diagnostic> {
    let (mut vectors, mut flaws) = (Vec::new(), Vec::new());
    for source in sources {
        match (VectorReader { catalogue, source }).file() {
            Ok(read) => vectors.extend(read),
            Err(flaw) => flaws.push(flaw),
        }
    }
    vectors.sort_by_cached_key(|vector| catalogue.sections.iter().position(|one| one.name == vector.section));
    Diagnostic::all(flaws).map_or(Ok(vectors), Err)
}

struct VectorReader<'a> {
    catalogue: &'a Catalogue,
    source: &'a Arc<Source>,
}

impl VectorReader<'_> {
    fn file(&self) -> Result<Vec<Vector>, Diagnostic> {
        let (file, tree): (format::FileYaml, Node) =
            yaml::read(self.source).map_err(|first| shape_flaws(self.source).unwrap_or(first))?;
        let section = file.section;
        if self.catalogue.section(&section).is_none() {
            let what = format!("section `{section}` is not in {CLAUSES_FILE}");
            let help = "a file holds the vectors of one section of the clauses";
            return self.refuse(&tree, "section", what, help);
        }
        if Path::new(&self.source.name).file_stem().is_none_or(|stem| stem != section.as_str()) {
            let what = format!("section `{section}` is in the wrong file");
            return self.refuse(&tree, "section", what, format!("name the file {section}.yaml"));
        }
        if file.vectors.is_empty() {
            return self.refuse(&tree, "vectors", "no vectors", "a file without vectors tests nothing");
        }
        let (mut vectors, mut flaws) = (Vec::new(), Vec::new());
        let mut names = BTreeSet::new();
        for (text, node) in file.vectors.into_iter().zip(tree.items_of("vectors")) {
            let read = self.vector(&section, text, node).and_then(|vector| {
                if names.insert(vector.name.clone()) {
                    return Ok(vector);
                }
                let what = format!("id `{}` stands here twice", vector.name);
                self.refuse(node, "id", what, "an id is used once")
            });
            match read {
                Ok(vector) => vectors.push(vector),
                Err(flaw) => flaws.push(flaw),
            }
        }
        Diagnostic::all(flaws).map_or(Ok(vectors), Err)
    }

    fn vector(&self, section: &str, text: format::VectorYaml, node: &Node) -> Result<Vector, Diagnostic> {
        let harmless = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-');
        if text.id.is_empty() || !text.id.chars().all(harmless) {
            let what = format!("`{}` is no id", plain(&text.id));
            return self.refuse(node, "id", what, "lower case, digits and hyphens");
        }
        let level = self.level(&text.clauses, node)?;
        let steps = self.steps(text.steps, &text.clauses, node)?;
        let lifetimes_s = super::lifetimes_s(&steps);
        let binds =
            text.clauses.iter().filter_map(|id| Some((id.clone(), self.catalogue.get(id)?.binds?))).collect();
        let is_binding =
            |id: &&String| self.catalogue.get(id).is_some_and(|clause| clause.level != Level::Should);
        let binding = text.clauses.iter().filter(is_binding).cloned().collect();
        let vector = Vector {
            name: format!("{section}/{}", text.id),
            section: section.into(),
            title: text.title,
            clauses: text.clauses,
            level,
            documents: text.documents,
            span_s: steps.last().map_or(0, |step| step.at_s),
            margin_s: super::margin_s(&steps, &lifetimes_s),
            lifetimes_s,
            binds,
            binding,
            steps,
            digest: meaning(node),
            source: Arc::clone(self.source),
            span: node.span.clone(),
        };
        lint::check(self.catalogue, &vector)
            .map_err(|(span, what, help)| Diagnostic::at(self.source, span, what, help))?;
        Ok(vector)
    }

    fn level(&self, clauses: &[String], node: &Node) -> Result<Level, Diagnostic> {
        let refuse = |what: String, help: &str| self.refuse(node, "clauses", what, help);
        let mut level = Level::Must;
        let mut cited = BTreeSet::new();
        for id in clauses {
            let Some(clause) = self.catalogue.get(id) else {
                let known = self.catalogue.clauses().map(|clause| clause.id.as_str());
                let question = suggest::question(&suggest::suggest(id, known));
                let help = format!("{question} `cosmos-ttl list --clauses` shows them");
                return refuse(format!("clause `{id}` is not in {CLAUSES_FILE}"), help.trim_start());
            };
            if clause.observe == Observe::Model {
                let help = "no client can see it; it is a property of the model";
                return refuse(format!("clause `{id}` has no vectors"), help);
            }
            if !cited.insert(id) {
                return refuse(format!("clause `{id}` is cited twice"), "once is enough");
            }
            level = level.min(clause.level);
        }
        if clauses.is_empty() {
            return refuse("no clauses".into(), "a vector shows at least one clause");
        }
        Ok(level)
    }

    fn steps(
        &self,
        texts: Vec<format::OneKey<format::StepYaml>>,
        clauses: &[String],
        node: &Node,
    ) -> Result<Vec<Step>, Diagnostic> {
        let nodes = node.items_of("steps");
        let in_batches = texts.iter().map(|format::OneKey(step)| step.operations_of_batch());
        let count = in_batches.fold(texts.len(), usize::saturating_add);
        if count > MAX_STEPS {
            let what = format!("{count} steps, the operations of batches included, are too many");
            return self.refuse(node, "steps", what, format!("at most {MAX_STEPS}; divide the vector"));
        }
        let (mut steps, mut flaws) = (Vec::new(), Vec::new());
        let mut clock_s = 0;
        for (format::OneKey(text), node) in texts.into_iter().zip(nodes) {
            match text {
                format::StepYaml::At(second) if second <= clock_s => {
                    let what = format!("the clock is at second {clock_s} and cannot go to {second}");
                    return self.refuse(node, "", what, "`at` only moves forward");
                }
                format::StepYaml::At(second) if second > MAX_AT_S => {
                    let what = format!("second {second} is too late");
                    return self.refuse(node, "", what, format!("at most {MAX_AT_S}"));
                }
                format::StepYaml::At(second) => clock_s = second,
                text => {
                    let read = steps::read(text);
                    let steps::ReadStep { request, partition, pages, conditions, expect } = match read {
                        Ok(read) => read,
                        Err((what, help)) => {
                            flaws.push(Diagnostic::at(self.source, node.span.clone(), what, help));
                            continue;
                        }
                    };
                    let (at_s, shows, span) = (clock_s, clauses.to_vec(), node.span.clone());
                    steps.push(Step { at_s, request, partition, pages, conditions, expect, shows, span });
                }
            }
        }
        if let Some(flaws) = Diagnostic::all(flaws) {
            return Err(flaws);
        }
        match (steps.last(), nodes.last()) {
            (Some(step), Some(node)) if step.at_s < clock_s => {
                let what = format!("nothing is asked at second {clock_s}");
                self.refuse(node, "", what, "the last step is a request")
            }
            _ => Ok(steps),
        }
    }

    /// Refuses the value under this key, or the whole where there is none.
    fn refuse<T>(
        &self,
        node: &Node,
        key: &str,
        what: impl Into<String>,
        help: impl Into<String>,
    ) -> Result<T, Diagnostic> {
        Err(Diagnostic::at(self.source, node.span_of(key), what, help))
    }
}

/// Returns what is wrong with the shape of each vector of a file and of each step; `None` if that is not what is wrong.
fn shape_flaws(source: &Arc<Source>) -> Option<Diagnostic> {
    let tree = yaml::parse(source).ok()?;
    let of_vector = |(number, node): (usize, &Node)| {
        let id = node.get("id").and_then(Node::as_plain);
        let name = id.map_or_else(|| format!("vectors[{number}]"), plain);
        let own = yaml::shape_flaw::<format::VectorYaml>(source, node, &name);
        let of_steps = node.items_of("steps").iter().enumerate().filter_map(move |(number, step)| {
            let name = format!("{name}.steps[{number}]");
            Some(yaml::shape_flaw::<format::OneKey<format::StepYaml>>(source, step, &name)?.1)
        });
        let own = own.filter(|(path, _)| !path.starts_with("steps["));
        own.map(|(_, flaw)| flaw).into_iter().chain(of_steps).collect::<Vec<_>>()
    };
    Diagnostic::all(tree.items_of("vectors").iter().enumerate().flat_map(of_vector))
}

fn meaning(node: &Node) -> String {
    let mut text = String::new();
    for key in ["clauses", "steps"] {
        if let Some(value) = node.get(key) {
            text.push_str(key);
            value.canonical(&mut text);
        }
    }
    digest(&text)
}

/// The first 128 bits of SHA-256, in hexadecimal.
pub fn digest(text: &str) -> String {
    let bits =
        Sha256::digest(text).iter().take(16).fold(0_u128, |bits, byte| (bits << 8) | u128::from(*byte));
    format!("{bits:032x}")
}
