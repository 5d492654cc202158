//! Lists of known failures: which vectors of a target fail, how many, how and why; and whether a run bears that out.
//!
//! A list is a YAML file. An entry is about one vector (`name`), or about a number of those that a pattern matches (`match`
//! and `failing`). Where the harness moves the clock, exactly that many fail; on a clock that runs by itself, at least one
//! and at most that many. More are new failures, and fewer are unexpected passes: both fail the run.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use wildmatch::WildMatch;

use crate::diagnostic::{Diagnostic, Source};
use crate::plain::{plain, visible};
use crate::run::{Run, VectorResult};
use crate::suggest;
use crate::target::Clock;
use crate::text_file::TextKind;
use crate::vector::{Suite, render};
use crate::verdict::{Failure, Listed, Outcome, Verdict};
use crate::yaml::fields::Parsed;
use crate::yaml::{self, Node};

/// A list of known failures, as a file.
pub const LISTS: TextKind = TextKind::written_by_people(
    "a list of known failures is a YAML file of at most 1 MiB, which `cosmos-ttl known update` writes",
);

/// The comment at the head of a new list.
const HEAD: &str = "\
# How this target is known to fail. `cosmos-ttl known update` writes this file; it keeps reasons, and the comments at the head.
";

/// A list of known failures of vectors that exist.
#[derive(Clone, Debug)]
pub struct KnownFailures {
    target: Option<String>,
    /// The file as it was read.
    pub source: Arc<Source>,
    entries: Vec<Entry>,
}

/// How one vector fails, or a number of those that a pattern matches.
#[derive(Clone, Debug)]
struct Entry {
    /// The vector, `section/id`, or a pattern, in which `*` stands for any characters.
    name: String,
    is_pattern: bool,
    /// How many vectors fail so.
    failing: usize,
    reason: String,
    /// How they fail, as a [`Failure`] has it: what is left out may be anything.
    second: Option<u64>,
    expected: Option<String>,
    got: Option<String>,
    /// The vector whose choice it contradicts: alone, it passes.
    beside: Option<String>,
    line: usize,
    /// The vectors that it is about: of a pattern, those that no entry before it is about.
    vectors: Vec<String>,
}

impl KnownFailures {
    /// Returns a list of nothing, to be written to this file.
    pub fn new(file: impl Into<String>, target: &str) -> Self {
        let source = Arc::new(Source::new(file, HEAD));
        Self { target: Some(visible(target)), source, entries: Vec::new() }
    }

    /// Reads a file, of failures of this suite's vectors.
    ///
    /// # Errors
    ///
    /// The first [`Diagnostic`].
    pub fn load(path: &Path, suite: &Suite) -> Result<Self, Diagnostic> {
        Self::parse(&Arc::new(LISTS.read(path)?), suite)
    }

    /// Reads a text, of failures of this suite's vectors.
    ///
    /// # Errors
    ///
    /// The first [`Diagnostic`].
    pub fn parse(source: &Arc<Source>, suite: &Suite) -> Result<Self, Diagnostic> {
        Self::read(&yaml::parse(source)?, source, suite).map_err(|flaw| flaw.in_file(source))
    }

    fn read(tree: &Node, source: &Arc<Source>, suite: &Suite) -> Parsed<Self> {
        tree.only(&["target", "known"])?;
        let target = tree.optional("target", Node::owned)?;
        let mut entries: Vec<_> = tree.need("known")?.list(|node| Entry::read(node, source, suite))?;
        let mut taken = BTreeSet::new();
        for of_patterns in [false, true] {
            let with_nodes = entries.iter_mut().zip(tree.items_of("known"));
            for (entry, node) in with_nodes.filter(|(entry, _)| entry.is_pattern == of_patterns) {
                entry.vectors.retain(|name| taken.insert(name.clone()));
                let (left, key) = (entry.vectors.len(), if of_patterns { "failing" } else { "name" });
                if !(1..=left).contains(&entry.failing) {
                    let what = format!("vectors that `{}` alone is about: {left}", plain(&entry.name));
                    let help = "a vector counts for one entry; `failing` says how many fail now, at least 1";
                    return Err(node.get(key).unwrap_or(node).flaw(what, help));
                }
            }
        }
        Ok(Self { target, source: Arc::clone(source), entries })
    }

    /// Returns the number of entries.
    pub fn entry_count(&self) -> usize {
        self.entries.len()
    }

    /// Returns the vectors that an entry names or matches.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().flat_map(|entry| &entry.vectors).map(String::as_str)
    }

    /// Says of every vector of a run what the list says of it, and in [`Run::stale`] what of the list is not so any more.
    ///
    /// Vectors that were not part of the run, or have no verdict, bear nothing out and disprove nothing.
    pub fn apply(&self, run: &mut Run<'_>) {
        for entry in &self.entries {
            let place = format!("{}:{}", self.source.name, entry.line);
            let count = entry.apply(run).filter(|_| entry.is_pattern);
            run.stale.extend(count.map(|count| format!("{place}: {}", entry.unlike(count))));
        }
    }

    /// Returns the text of a file with these entries, and with the comments at the head of this one.
    fn with_entries(&self, entries: &[Entry]) -> String {
        let head = self.source.text.lines().take_while(|line| line.starts_with('#')).map(str::to_owned);
        let target = self.target.iter().map(|target| format!("target: {}", scalar(target)));
        let known = if entries.is_empty() { "known: []" } else { "known:" };
        let lines = head.chain(target).chain([known.to_owned()]);
        lines.chain(entries.iter().flat_map(Entry::lines)).map(|line| line + "\n").collect()
    }
}

impl Entry {
    fn read(node: &Node, source: &Source, suite: &Suite) -> Parsed<Self> {
        let (is_pattern, subject) = match (node.get("name"), node.get("match")) {
            (Some(name), None) => (false, name),
            (None, Some(pattern)) => (true, pattern),
            _ => return Err(node.flaw("expected `name`, or `match` with `failing`", "")),
        };
        let about = if is_pattern { &["match", "failing"][..] } else { &["name"] };
        node.only(&[about, &["reason", "second", "expected", "got", "beside"]].concat())?;
        let name = subject.owned()?;
        let all = || suite.vectors.iter().map(|vector| vector.name.as_str());
        let pattern = WildMatch::new(&name);
        let is_meant = |other: &&str| if is_pattern { pattern.matches(other) } else { *other == name };
        let vectors: Vec<_> = all().filter(is_meant).map(str::to_owned).collect();
        if vectors.is_empty() {
            let help = match suggest::question(&suggest::suggest(&name, all())) {
                _ if name.contains('*') => "a pattern stands after `match`".into(),
                question if question.is_empty() => "`cosmos-ttl list` shows the vectors".into(),
                question => question,
            };
            return Err(subject.flaw(format!("`{}` is no vector", plain(&name)), help));
        }
        let failing = if is_pattern { node.need("failing")?.whole()? } else { 1 };
        let reason = node.need("reason")?;
        if on_one_line(reason.text()?).is_empty() {
            return Err(reason.flaw("no reason", "say why it fails, for whoever reads this next"));
        }
        Ok(Self {
            is_pattern,
            // More than any machine can count is more than there are vectors.
            failing: usize::try_from(failing).unwrap_or(usize::MAX),
            reason: on_one_line(reason.text()?),
            second: node.optional("second", Node::whole)?,
            expected: node.optional("expected", Node::visible)?,
            got: node.optional("got", Node::visible)?,
            beside: node.optional("beside", Node::owned)?,
            line: source.position(node.span.start).0,
            vectors,
            name,
        })
    }

    /// Returns the entry of a vector that fails so.
    fn of_failure(name: &str, failure: &Failure, reason: &str) -> Self {
        Self {
            name: name.into(),
            is_pattern: false,
            failing: 1,
            reason: on_one_line(reason),
            second: Some(failure.at_s),
            expected: Some(failure.signature.expected.clone()),
            got: Some(failure.signature.got.clone()),
            beside: failure.beside.clone(),
            line: 0,
            vectors: vec![name.into()],
        }
    }

    /// Returns its lines in a file.
    fn lines(&self) -> impl Iterator<Item = String> {
        let text = |text: &Option<String>| text.as_deref().map(scalar);
        let fields = [
            (if self.is_pattern { "- match" } else { "- name" }, Some(scalar(&self.name))),
            ("  failing", self.is_pattern.then(|| self.failing.to_string())),
            ("  reason", Some(scalar(&self.reason))),
            ("  second", self.second.map(|second| second.to_string())),
            ("  expected", text(&self.expected)),
            ("  got", text(&self.got)),
            ("  beside", text(&self.beside)),
        ];
        fields.into_iter().filter_map(|(key, value)| Some(format!("{key}: {}", value?)))
    }

    fn fits(&self, verdict: &Verdict) -> bool {
        let Verdict::Fail(Failure { at_s, signature, .. }) = verdict else { return false };
        self.second.is_none_or(|second| second == *at_s)
            && self.expected.as_ref().is_none_or(|expected| *expected == signature.expected)
            && self.got.as_ref().is_none_or(|got| *got == signature.got)
    }

    /// Returns the entry as reports show it.
    fn listed(&self, holds: bool) -> Listed {
        let second = self.second.map(|second| format!("at second {second}"));
        let sides = [("expected", &self.expected), ("got", &self.got)];
        let sides = sides.into_iter().filter_map(|(key, side)| Some(format!("{key} {}", side.as_ref()?)));
        let signature: Vec<_> = second.into_iter().chain(sides).collect();
        let signature = (!signature.is_empty()).then(|| signature.join(", "));
        Listed { reason: self.reason.clone(), signature, holds }
    }

    fn unlike(&self, count: usize) -> String {
        format!("`{}` lists {} failing, and now it is {count}", plain(&self.name), self.failing)
    }

    /// Says of each vector of a run what the entry says of it. Returns how many fail so, if too many or too few.
    fn apply(&self, run: &mut Run<'_>) -> Option<usize> {
        let in_run = |other: &String| run.results.iter().any(|result| result.vector.name == *other);
        let is_alone = self.beside.as_ref().is_some_and(|other| !in_run(other));
        let is_mine = |result: &&mut VectorResult<'_>| self.vectors.contains(&result.vector.name);
        let mut mine: Vec<_> = run.results.iter_mut().filter(is_mine).collect();
        let fails_not_so = |result: &&&mut VectorResult<'_>| match &result.verdict {
            Verdict::Pass => !is_alone,
            Verdict::Fail(_) => !self.fits(&result.verdict),
            Verdict::Unsupported(_) | Verdict::NotOffered(_) => true,
            _ => false,
        };
        let most = self.vectors.len().saturating_sub(mine.iter().filter(fails_not_so).count());
        let failing = mine.iter().filter(|result| self.fits(&result.verdict)).count();
        if self.failing < failing {
            return Some(failing);
        }
        for result in &mut mine {
            let holds = self.fits(&result.verdict);
            if holds || !(self.is_pattern || is_alone && result.verdict == Verdict::Pass) {
                result.listed = Some(self.listed(holds));
            }
        }
        let least = if run.about.clock == Clock::Virtual { self.failing } else { 1 };
        (most < least).then_some(most)
    }
}

/// A list after a run, and what changed: a line of each entry, for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpdatedList {
    /// The text of the file.
    pub text: String,
    /// Entries that fail so no more.
    pub removed: Vec<String>,
    /// Entries that fail otherwise, or of which fewer vectors fail.
    pub changed: Vec<String>,
    /// New entries.
    pub added: Vec<String>,
}

/// Why a list is not brought up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpdateRefusal {
    /// The run did not come to its end, or a vector on the list broke or is inconclusive.
    Unjudged(Outcome, String),
    /// There are new failures, and no reason for them.
    NoReason(Vec<String>),
    /// More vectors fail than a pattern lists.
    TooMany(String),
}

/// Returns the list that describes this run, which was not yet compared with a list. New failures are added for this reason;
/// under `strict`, also differences from a `should`.
///
/// # Errors
///
/// An [`UpdateRefusal`], if the run judged too little, or a person has to decide.
pub fn updated(
    known: &KnownFailures,
    run: &Run<'_>,
    reason: Option<&str>,
    strict: bool,
) -> Result<UpdatedList, UpdateRefusal> {
    for result in &run.results {
        let (outcome, name) = (result.verdict.outcome(), &result.vector.name);
        let is_unjudged = matches!(outcome, Outcome::Broken | Outcome::Inconclusive);
        if outcome == Outcome::NotRun || (is_unjudged && known.names().any(|listed| listed == name)) {
            let why = plain(&result.verdict.reason().unwrap_or_default());
            return Err(UpdateRefusal::Unjudged(outcome, format!("{name}: {why}")));
        }
    }
    let (mut run, mut entries, mut list) = (run.clone(), Vec::new(), UpdatedList::default());
    for entry in &known.entries {
        let name = &entry.name;
        let count = entry.apply(&mut run);
        let result = run.results.iter().find(|result| result.vector.name == *name);
        match (count, result.map(|result| &result.verdict)) {
            (None, _) => entries.push(entry.clone()),
            (_, Some(Verdict::Fail(failure))) => {
                entries.push(Entry::of_failure(name, failure, &entry.reason));
                list.changed.push(format!("{name}: {}", plain(&failure.to_string())));
            }
            (Some(0), _) => list.removed.push(format!("{name}: it fails so no more")),
            (Some(count), _) if entry.failing < count => {
                return Err(UpdateRefusal::TooMany(format!("line {}: {}", entry.line, entry.unlike(count))));
            }
            (Some(failing), _) => {
                entries.push(Entry { failing, ..entry.clone() });
                list.changed.push(format!("{name}: `failing` is {failing}"));
            }
        }
    }
    for result in &run.results {
        let is_new = result.outcome() == Outcome::Fail || (strict && result.outcome() == Outcome::Differ);
        if let (true, Verdict::Fail(failure)) = (is_new, &result.verdict) {
            let name = &result.vector.name;
            entries.push(Entry::of_failure(name, failure, reason.unwrap_or_default()));
            list.added.push(format!("{name}: {}", plain(&failure.to_string())));
        }
    }
    if reason.is_none() && !list.added.is_empty() {
        return Err(UpdateRefusal::NoReason(list.added));
    }
    Ok(UpdatedList { text: known.with_entries(&entries), ..list })
}

/// Returns text as a YAML scalar on one line, with quotes unless it is harmless words.
fn scalar(text: &str) -> String {
    let harmless = |c: char| c.is_ascii_alphanumeric() || " -_.,;()/*".contains(c);
    let is_words = text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.contains([' ', '/']);
    if is_words && text.chars().all(harmless) { text.into() } else { render::text(text) }
}

/// Returns a text on one line, in which everything can be seen.
fn on_one_line(text: &str) -> String {
    visible(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}
