//! Reads the vectors: those that came with the build from `vectors.json`, those of a directory from YAML.
//!
//! A directory is read strictly: whatever is wrong with one file would otherwise be a test that passes without testing
//! anything. Next to the vectors is `quick.yaml`, which names the vectors that are enough for a quick look.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use super::{SourceDocument, Step, Vector, lint, parse, table};
use crate::clauses::{Catalogue, Level, Observe};
use crate::diagnostic::{Diagnostic, Source};
use crate::evidence::EvidenceFile;
use crate::plain::plain;
use crate::suggest;
use crate::text_file::TextKind;
use crate::yaml::fields::{Flaw, Parsed};
use crate::yaml::{self, Node, NodeKind};

/// The file that holds the clauses.
pub const CLAUSES_FILE: &str = "clauses.yaml";
/// The file that holds the evidence behind the clauses.
pub const EVIDENCE_FILE: &str = "evidence.yaml";
/// The file that holds the format for editors.
pub const SCHEMA_FILE: &str = "schema.json";
/// The file that names the quick vectors.
pub const QUICK_FILE: &str = "quick.yaml";
/// The file that holds everything as JSON, with tables, loops and ranges written out.
pub const JSON_FILE: &str = "vectors.json";
/// Files in the directory that hold no vectors; the directory of this project is also a crate.
const OTHERS: [&str; 8] = [
    "README.md",
    "DOCUMENTS.md",
    SCHEMA_FILE,
    JSON_FILE,
    "Cargo.toml",
    "lib.rs",
    "LICENSE-APACHE",
    "LICENSE-MIT",
];

/// The steps of a vector, the operations of its batches included; enough for one that writes 1,000 items.
const MAX_STEPS: usize = 1_200;
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

/// A line of `vectors.json`.
#[derive(Deserialize)]
struct JsonVector<'a> {
    /// The file of YAML, and the line of the vector there, or of its row.
    file: &'a str,
    line: usize,
    /// The line of each step in the file.
    lines: Vec<usize>,
    #[serde(borrow)]
    vector: &'a RawValue,
}

const JSON_CLAUSES: &str = "\"clauses\":";
const JSON_EVIDENCE: &str = "\"evidence\":";
const JSON_QUICK: &str = "\"quick\":";
const JSON_VECTORS: &str = "\"vectors\":[";

/// Returns the vectors that came with this build.
///
/// # Errors
///
/// A [`Diagnostic`], though a test sees to it that there is none.
pub fn embedded() -> Result<Suite, Diagnostic> {
    built_in(|_| true)
}

/// Returns one vector and the clauses, of a directory or of those that came with this build: for a process that replays one
/// vector, and need not read the others; `None` where there is no such vector.
///
/// # Errors
///
/// A [`Diagnostic`] of a file that was read.
#[cfg(feature = "libtest")]
pub(crate) fn load_one(directory: Option<&Path>, name: &str) -> Result<Option<Suite>, Diagnostic> {
    let mut suite = match directory {
        None => built_in(|one| one == name)?,
        Some(directory) => {
            let file = format!("{}.yaml", name.split('/').next().unwrap_or_default());
            let read = |name: &str| VECTORS.read(&directory.join(name)).map(Arc::new);
            let sources = [read(CLAUSES_FILE)?, read(EVIDENCE_FILE)?, read(&file)?];
            Suite::from_sources(&directory.display().to_string(), &sources)?
        }
    };
    suite.vectors.retain(|vector| vector.name == name);
    Ok((!suite.vectors.is_empty()).then_some(suite))
}

/// The vectors that came with this build, and whose names are wanted.
fn built_in(wanted: impl Fn(&str) -> bool) -> Result<Suite, Diagnostic> {
    let flaw = |what: String| Diagnostic::of_path(JSON_FILE, what, "`cargo lab update` writes this file");
    let of_json = |error: serde_json::Error| flaw(error.to_string());
    let of_text = |of: Flaw| flaw(of.what);
    let text = cosmos_ttl_vectors::JSON;
    let (head, lines) = text.split_once(JSON_VECTORS).ok_or_else(|| flaw("there are no vectors".into()))?;
    let part = |key: &str| {
        let line = head.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
        line.trim_end_matches(',')
    };
    let tree = |key| serde_json::from_str::<Node>(part(key)).map_err(of_json);
    let catalogue = Catalogue::of_tree(&tree(JSON_CLAUSES)?).map_err(of_text)?;
    let evidence = EvidenceFile::of_tree(&tree(JSON_EVIDENCE)?).map_err(of_text)?;
    let quick = serde_json::from_str(part(JSON_QUICK)).map_err(of_json)?;
    let mut sources: Vec<(&str, Arc<Source>)> = Vec::new();
    let mut vectors = Vec::new();
    for line in lines.lines().map(|line| line.trim_end_matches(',')).filter(|line| line.len() > 2) {
        let name = line.split('"').nth(3).unwrap_or_default();
        if !wanted(name) {
            continue;
        }
        let JsonVector { file, line, lines, vector } = serde_json::from_str(line).map_err(of_json)?;
        let known = sources.iter().find(|(known, _)| *known == file).map(|(_, source)| Arc::clone(source));
        let source = known.unwrap_or_else(|| {
            let text = cosmos_ttl_vectors::FILES.iter().find(|(known, _)| *known == file);
            let text = text.map_or("", |(_, text)| *text);
            let source = Arc::new(Source::new(format!("vectors/{file}"), text));
            sources.push((file, Arc::clone(&source)));
            source
        });
        let section = name.split('/').next().unwrap_or_default();
        let node: Node = serde_json::from_str(vector.get()).map_err(of_json)?;
        let vector =
            Written { section, json: vector.get().into(), source, line, lines }.vector(&catalogue, &node);
        let first = |flaws: Vec<Flaw>| flaws.into_iter().next().map_or(String::new(), |flaw| flaw.what);
        vectors.push(vector.map_err(|flaws| flaw(format!("{name}: {}", first(flaws))))?);
    }
    let origin = "vectors (built in)".into();
    Ok(Suite { catalogue, evidence, vectors, quick, origin })
}

impl Suite {
    /// Returns the digest of the vectors: of their names and meanings.
    pub fn digest(&self) -> String {
        let lines = self.vectors.iter().map(|vector| format!("{} {}\n", vector.name, vector.digest()));
        digest(&lines.collect::<String>())
    }

    /// Returns `vectors.json` for the vectors of a directory, with these names of quick ones.
    ///
    /// # Errors
    ///
    /// The first [`Diagnostic`] of the clauses or the evidence.
    pub fn to_json(&self, directory: &Path, quick: &[&str]) -> Result<String, Diagnostic> {
        let tree = |name: &str| yaml::parse(&Arc::new(VECTORS.read(&directory.join(name))?));
        let (clauses, evidence) = (tree(CLAUSES_FILE)?, tree(EVIDENCE_FILE)?);
        let vectors = self.vectors.iter().map(|vector| {
            let file = Path::new(&vector.source.name).file_name().and_then(|name| name.to_str());
            let (name, file, lines) = (&vector.name, file.unwrap_or_default(), &vector.lines);
            let head = format!("\"name\":\"{name}\",\"file\":\"{file}\",\"line\":{}", vector.line);
            format!("{{{head},\"lines\":{},\"vector\":{}}}", json_text(lines), vector.json)
        });
        Ok(format!(
            "{{\"format\":1,\n{JSON_CLAUSES}{},\n{JSON_EVIDENCE}{},\n{JSON_QUICK}{},\n{JSON_VECTORS}\n{}\n]}}\n",
            json_text(&clauses),
            json_text(&evidence),
            json_text(&quick),
            vectors.collect::<Vec<_>>().join(",\n")
        ))
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
        Self::load_but(directory, &[QUICK_FILE])
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
        let others = [CLAUSES_FILE, EVIDENCE_FILE, QUICK_FILE];
        let written = sources.iter().filter(|source| !others.iter().any(|name| is(name, source)));
        let vectors = vectors(&catalogue, written)?;
        if vectors.is_empty() {
            return Err(missing("no vectors", "nothing would be tested; is this the right directory?"));
        }
        let quick = named(QUICK_FILE).map_or(Ok(BTreeSet::new()), |source| quick(source, &vectors))?;
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
        let mut tree = yaml::parse(self.source)?;
        let mut flaws = expand(&mut tree);
        let mut vectors = Vec::new();
        if flaws.is_empty() {
            let section = self.section(&tree).map_err(|flaw| flaw.in_file(self.source))?;
            let starts: Vec<usize> = self.source.text.match_indices('\n').map(|(byte, _)| byte).collect();
            let mut names = BTreeSet::new();
            for node in tree.items_of("vectors") {
                match self.vector(&section, node, &starts) {
                    Ok(vector) if !names.insert(vector.name.clone()) => {
                        let what = format!("duplicate id `{}`", vector.name);
                        flaws.push(node.get("id").unwrap_or(node).flaw(what, "an id is used once"));
                    }
                    Ok(vector) => vectors.push(vector),
                    Err(more) => flaws.extend(more),
                }
            }
        }
        // The rows of a table may share what is wrong with their template.
        flaws.dedup();
        Diagnostic::all(flaws.into_iter().map(|flaw| flaw.in_file(self.source))).map_or(Ok(vectors), Err)
    }

    /// Reads the head of a file.
    fn section(&self, tree: &Node) -> Parsed<String> {
        tree.only(&["format", "section", "vectors"])?;
        tree.check_format()?;
        let (node, vectors) = (tree.need("section")?, tree.need("vectors")?);
        let section = node.text()?;
        if self.catalogue.section(section).is_none() {
            let what = format!("section `{}` is not in {CLAUSES_FILE}", plain(section));
            return Err(node.flaw(what, "a file holds the vectors of one section of the clauses"));
        }
        if Path::new(&self.source.name).file_stem().is_none_or(|stem| stem != section) {
            let what = format!("section `{section}` is in the wrong file");
            return Err(node.flaw(what, format!("name the file {section}.yaml")));
        }
        if vectors.list::<_, Vec<_>>(Ok)?.is_empty() {
            return Err(vectors.flaw("no vectors", "a file without vectors tests nothing"));
        }
        Ok(section.to_owned())
    }

    fn vector(&self, section: &str, node: &Node, starts: &[usize]) -> Result<Vector, Vec<Flaw>> {
        let line = |node: &Node| starts.partition_point(|end| *end < node.span.start).saturating_add(1);
        let written = Written {
            section,
            json: json_text(node).into(),
            source: Arc::clone(self.source),
            line: line(node),
            lines: node.items_of("steps").iter().map(line).collect(),
        };
        let vector = written.vector(self.catalogue, node)?;
        lint::check(self.catalogue, &vector, node).map_err(|flaw| vec![flaw])?;
        Ok(vector)
    }
}

/// Writes the tables of a file out; returns what is wrong with them.
fn expand(tree: &mut Node) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    if let Some(Node { kind: NodeKind::List(entries), .. }) = tree.get_mut("vectors") {
        let (mut all, mut left) = (Vec::new(), table::MOST_VALUES);
        for entry in entries.iter() {
            match table::expand(entry, &mut left) {
                Ok(vectors) => all.extend(vectors),
                Err(flaw) => flaws.push(flaw),
            }
        }
        *entries = all;
    }
    flaws
}

/// A vector as it is written: where, and in which words.
struct Written<'a> {
    section: &'a str,
    json: Cow<'static, str>,
    source: Arc<Source>,
    line: usize,
    /// The line of each step.
    lines: Vec<usize>,
}

impl Written<'_> {
    fn vector(self, catalogue: &Catalogue, node: &Node) -> Result<Vector, Vec<Flaw>> {
        let head = Head::read(catalogue, node);
        let steps = node.need("steps").map_err(|flaw| vec![flaw]).and_then(|node| steps(node, &self.lines));
        let (Head { id, title, clauses, level, documents }, steps) = match (head, steps) {
            (Ok(head), Ok(steps)) => (head, steps),
            (head, steps) => {
                return Err(head.err().into_iter().chain(steps.err().into_iter().flatten()).collect());
            }
        };
        let judges_setup = catalogue.section(self.section).is_some_and(|section| section.judges_setup);
        let lifetimes_s = super::lifetimes_s(&steps);
        let cited = || clauses.iter().filter_map(|id| catalogue.get(id));
        let binding = cited().filter(|clause| clause.level != Level::Should);
        Ok(Vector {
            name: format!("{}/{id}", self.section),
            section: self.section.into(),
            title,
            binds: cited().filter_map(|clause| Some((clause.id.clone(), clause.binds?))).collect(),
            binding: binding.map(|clause| clause.id.clone()).collect(),
            clauses,
            level,
            documents,
            setup: if judges_setup { 0 } else { super::setup(&steps) },
            span_s: steps.last().map_or(0, |step| step.at_s),
            margin_s: super::margin_s(&steps, &lifetimes_s),
            lifetimes_s,
            steps,
            json: self.json,
            digest: OnceLock::new(),
            source: self.source,
            line: self.line,
            lines: self.lines,
        })
    }
}

/// What stands before the steps of a vector.
struct Head<'a> {
    id: &'a str,
    title: String,
    clauses: Vec<String>,
    /// The weakest of the levels of its clauses.
    level: Level,
    documents: Vec<SourceDocument>,
}

impl<'a> Head<'a> {
    fn read(catalogue: &Catalogue, node: &'a Node) -> Parsed<Self> {
        node.only(&["id", "title", "clauses", "documents", "steps"])?;
        let id = id(node)?;
        let title = node.need("title")?.heading()?;
        let (clauses, level) = clauses(catalogue, node.need("clauses")?)?;
        let documents = node.optional("documents", |node| node.list(Node::word))?.unwrap_or_default();
        Ok(Self { id, title, clauses, level, documents })
    }
}

fn id(node: &Node) -> Parsed<&str> {
    let node = node.need("id")?;
    let id = node.text()?;
    let harmless = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-');
    if id.is_empty() || !id.chars().all(harmless) {
        return Err(node.flaw(format!("`{}` is no id", plain(id)), "lower case, digits and hyphens"));
    }
    Ok(id)
}

/// Reads the clauses of a vector; returns them with the weakest of their levels.
fn clauses(catalogue: &Catalogue, node: &Node) -> Parsed<(Vec<String>, Level)> {
    let mut level = Level::Must;
    let mut cited: Vec<String> = Vec::new();
    for id in node.list::<_, Vec<_>>(Node::text)? {
        let Some(clause) = catalogue.get(id) else {
            let known = catalogue.clauses().map(|clause| clause.id.as_str());
            let question = suggest::question(&suggest::suggest(id, known));
            let help = format!("{question} `cosmos-ttl list --clauses` shows them");
            let what = format!("clause `{}` is not in {CLAUSES_FILE}", plain(id));
            return Err(node.flaw(what, help.trim_start()));
        };
        if clause.observe == Observe::Model {
            let help = "no client can see it; it is a property of the model";
            return Err(node.flaw(format!("clause `{id}` has no vectors"), help));
        }
        if cited.iter().any(|other| other == id) {
            return Err(node.flaw(format!("clause `{id}` is cited twice"), "once is enough"));
        }
        cited.push(id.to_owned());
        level = level.min(clause.level);
    }
    if cited.is_empty() {
        return Err(node.flaw("no clauses", "a vector shows at least one clause"));
    }
    Ok((cited, level))
}

/// Reads the steps of a vector, each of which begins on its line.
fn steps(list: &Node, lines: &[usize]) -> Result<Vec<Step>, Vec<Flaw>> {
    let one = |flaw| vec![flaw];
    let nodes: Vec<&Node> = list.list(Ok).map_err(one)?;
    let in_batches =
        nodes.iter().map(|node| node.get("batch").map_or(0, |it| it.items_of("operations").len()));
    let count = in_batches.fold(nodes.len(), usize::saturating_add);
    if count > MAX_STEPS {
        let what = format!("{count} steps, the operations of batches included, are too many");
        return Err(one(list.flaw(what, format!("at most {MAX_STEPS}; divide the vector"))));
    }
    let (mut steps, mut flaws) = (Vec::new(), Vec::new());
    let mut clock_s = 0;
    let mut moved = None;
    for (node, line) in nodes.into_iter().zip(lines) {
        moved = None;
        let step = node.single().and_then(|(word, text)| {
            if word.name == "at" {
                clock_s = moment(node, text, clock_s)?;
                moved = Some(node);
                return Ok(None);
            }
            parse::request(word, text, clock_s, *line).map(Some)
        });
        match step {
            Ok(step) => steps.extend(step),
            Err(flaw) => flaws.push(flaw),
        }
    }
    if let (Some(node), [_, ..]) = (moved, steps.as_slice()) {
        let what = format!("nothing is asked at second {clock_s}");
        flaws.push(node.flaw(what, "the last step is a request"));
    }
    if flaws.is_empty() { Ok(steps) } else { Err(flaws) }
}

/// Reads the second to which a step moves the clock.
fn moment(step: &Node, text: &Node, clock_s: u64) -> Parsed<u64> {
    match text.whole()? {
        second if second <= clock_s => {
            let what = format!("the clock is at second {clock_s} and cannot go to {second}");
            Err(step.flaw(what, "`at` only moves forward"))
        }
        second if second > MAX_AT_S => {
            Err(step.flaw(format!("second {second} is too late"), format!("at most {MAX_AT_S}")))
        }
        second => Ok(second),
    }
}

/// Reads `quick.yaml`: the names of the vectors that are enough for a quick look, each that of one of these vectors.
fn quick(source: &Arc<Source>, vectors: &[Vector]) -> Result<BTreeSet<String>, Diagnostic> {
    const HELP: &str = "`cargo lab update` writes this file";
    let tree = yaml::parse(source)?;
    let read = || {
        tree.only(&["format", "vectors"])?;
        tree.check_format()?;
        let known: BTreeSet<_> = vectors.iter().map(|vector| vector.name.as_str()).collect();
        let mut names = BTreeSet::new();
        let list = tree.need("vectors")?;
        for node in list.list::<_, Vec<_>>(Ok)? {
            let name = node.text()?;
            if !known.contains(name) {
                return Err(node.flaw(format!("`{}` is no vector", plain(name)), HELP));
            }
            if !names.insert(name.to_owned()) {
                return Err(node.flaw(format!("duplicate `{name}`"), HELP));
            }
        }
        if names.is_empty() { Err(list.flaw("no vectors", HELP)) } else { Ok(names) }
    };
    read().map_err(|flaw| flaw.in_file(source))
}

fn json_text(value: &impl Serialize) -> String {
    // Texts, lists and maps with texts as keys are always JSON.
    serde_json::to_string(value).unwrap_or_default()
}

/// The first 128 bits of SHA-256, in hexadecimal.
pub fn digest(text: &str) -> String {
    let bits =
        Sha256::digest(text).iter().take(16).fold(0_u128, |bits, byte| (bits << 8) | u128::from(*byte));
    format!("{bits:032x}")
}
