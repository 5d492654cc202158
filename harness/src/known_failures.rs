//! Lists of known failures: what a list says of the vectors that fail, and whether a run bears it out.
//!
//! A list is a YAML file for one target. It is strict: a listed vector must fail, and in the listed way. A vector that
//! passes, or fails in another way, fails the run, and so does an entry that no longer describes the target. A failure is
//! identified by its [`Signature`](crate::signature::Signature), never by a message.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "it counts entries, and places within one text of at most 1 MiB"
)]

mod edit;
mod update;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use wildmatch::{WildMatch, WildMatchPattern};

use crate::describe::list;
use crate::diagnostic::{Diagnostic, Source};
use crate::plain::{plain, visible};
use crate::signature::{key, text};
use crate::suggest;
use crate::text_file::TextKind;
use crate::vector::Suite;
use crate::verdict::Verdict;
use crate::yaml::fields::{Flaw, Parsed};
use crate::yaml::{self, Node, NodeKey, NodeKind, other_reading};

pub use crate::verdict::{FailureKind, Listed};
pub use update::{Adding, ListChange, ListChangeKind, UpdatePlan, UpdateRefusal, apply, blank, plan};

/// A list of known failures, as a file.
pub const LISTS: TextKind =
    TextKind::written_by_people("a list of known failures is a YAML file of at most 1 MiB");

/// An entry of *flaky* failures need not fail, so no run notices one that excuses too many: one entry excuses at most
/// this number.
const MOST_FLAKY: usize = 10;

const HOW: &str = "how the step fails: `step: {at: 1, expected: not-found, got: found}`";

/// A list of known failures of vectors that exist.
#[derive(Clone, Debug)]
pub struct KnownFailures {
    /// The target of the list, for people.
    pub target: Option<String>,
    source: Arc<Source>,
    tree: Node,
    entries: Vec<KnownFailure>,
}

impl KnownFailures {
    /// Reads a file, of failures of this suite's vectors.
    ///
    /// # Errors
    ///
    /// The first [`Diagnostic`]; also where there is no such file.
    pub fn load(path: &Path, suite: &Suite) -> Result<Self, Diagnostic> {
        if !path.exists() {
            let help = format!("`cosmos-ttl known update {}` writes it", path.display());
            return Err(Diagnostic::of_path(path.display(), "there is no such list of known failures", help));
        }
        Self::parse(&Arc::new(LISTS.read(path)?), suite)
    }

    /// Reads a text, of failures of this suite's vectors.
    ///
    /// # Errors
    ///
    /// The first [`Diagnostic`].
    pub fn parse(source: &Arc<Source>, suite: &Suite) -> Result<Self, Diagnostic> {
        let tree = yaml::parse(source)?;
        let read = || {
            tree.only(&["target", "known"])?;
            let target = tree.optional("target", Node::owned)?;
            Ok((target, tree.need("known")?.list::<_, Vec<_>>(EntryText::of_tree)?))
        };
        let (target, texts) = read().map_err(|flaw: Flaw| flaw.in_file(source))?;
        let nodes = tree.items_of("known");
        let entries = texts.into_iter().zip(nodes);
        let entries = entries.map(|(text, node)| EntryReader { source, suite, node }.read(text));
        let mut entries = entries.collect::<Result<Vec<_>, _>>()?;
        let mut named: BTreeMap<(bool, &str), usize> = BTreeMap::new();
        for (entry, node) in entries.iter().zip(nodes) {
            let many = entry.text.pattern.is_some();
            for name in &entry.names {
                let Some(first) = named.insert((many, name), entry.line) else { continue };
                let (key, how, help) = if many {
                    let how = format!("is taken by the `match` on line {first}");
                    ("match", how, "a vector counts for one of them; narrow one of them")
                } else {
                    ("id", format!("stands on line {first}"), "a vector fails in one way; keep one entry")
                };
                let what = format!("`{name}` {how} as well, and here on line {}", entry.line);
                return Err(EntryReader { source, suite, node }.flaw(key, what, help));
            }
        }
        let ids: BTreeSet<_> = entries.iter().filter_map(|entry| entry.text.id.clone()).collect();
        for entry in entries.iter_mut().filter(|entry| entry.text.pattern.is_some()) {
            entry.names.retain(|name| !ids.contains(name));
        }
        Ok(Self { target, source: Arc::clone(source), tree, entries })
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the vectors that an entry names, or matches.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().flat_map(|entry| &entry.names).map(String::as_str)
    }

    /// Returns the name of the file, for people.
    pub fn file(&self) -> &str {
        &self.source.name
    }

    /// Returns the text of the file.
    pub fn text(&self) -> &str {
        &self.source.text
    }
}

/// How one vector is known to fail, or how many of those that a pattern matches.
#[derive(Clone, Debug)]
struct KnownFailure {
    text: EntryText,
    /// The line on which it starts.
    line: usize,
    /// The vector that it names, or those that it matches and no entry names.
    names: Vec<String>,
    step: StepPattern,
}

/// The failures that an entry describes; what is left out may be anything.
#[derive(Clone, Debug, Default)]
struct StepPattern {
    at_s: Option<u64>,
    expected: Option<String>,
    got: Option<String>,
    /// The vector in which the target made the choice that it contradicts.
    chosen_in: Option<String>,
}

/// `*` stands for any characters; nothing else is special.
type TextPattern = WildMatchPattern<'*', '\0'>;

impl KnownFailure {
    /// Of a `match`: the pattern, and how many of its vectors fail at most.
    fn wildcard(&self) -> Option<(&str, usize)> {
        Some((self.text.pattern.as_deref()?, self.text.max?))
    }

    /// Whether it describes this verdict, which is a failure.
    fn fits(&self, verdict: &Verdict) -> bool {
        let Verdict::Fail(failure) = verdict else { return false };
        let many = self.text.pattern.is_some();
        let fits = |pattern: &Option<String>, text: &str| match pattern {
            None => true,
            Some(pattern) if many => TextPattern::new(pattern).matches(text),
            Some(pattern) => pattern == text,
        };
        self.step.at_s.is_none_or(|at_s| at_s == failure.at_s)
            && fits(&self.step.expected, &failure.signature.expected)
            && fits(&self.step.got, &failure.signature.got)
    }

    /// Returns the entry as reports show it.
    fn listed(&self, holds: bool) -> Listed {
        let StepPattern { at_s, expected, got, .. } = &self.step;
        let any = |text: &Option<String>| text.as_deref().map_or_else(|| "*".to_owned(), plain);
        let given = at_s.is_some() || expected.is_some() || got.is_some();
        let signature = given.then(|| {
            let at_s = at_s.map_or_else(|| "*".into(), |at_s| at_s.to_string());
            format!("at second {at_s}: expected {}, got {}", any(expected), any(got))
        });
        let EntryText { kind, reason, link, .. } = self.text.clone();
        Listed { kind, reason, link, signature, holds }
    }
}

/// Whether a pattern matches a vector; `*` stands for any characters on its side of the slash.
fn matches(pattern: &str, name: &str) -> bool {
    match (pattern.split_once('/'), name.split_once('/')) {
        (Some((section, id)), Some((its_section, its_id))) => {
            WildMatch::new(section).matches(its_section) && WildMatch::new(id).matches(its_id)
        }
        _ => false,
    }
}

/// A known failure: `id` and `step` of one vector, or `match` and `max` of many.
#[derive(Clone, Debug)]
struct EntryText {
    /// The vector: `section/id`.
    id: Option<String>,
    /// The vectors: as `id`, where `*` stands for any characters on its side of the slash. Needs `max`.
    pattern: Option<String>,
    /// Of a `match`: how many of its vectors fail, and no more.
    max: Option<usize>,
    /// Why it is on the list: it is a `bug` to be mended, it stays (`wont-fix`), or it is `flaky`.
    kind: FailureKind,
    /// The same in words.
    reason: String,
    /// Where more is said about it: a URL, http or https.
    link: Option<String>,
    /// The second at which it fails. An `id` needs it, and both responses. Of a `match`, what is left out may be anything.
    at_s: Option<u64>,
}

impl EntryText {
    fn of_tree(node: &Node) -> Parsed<Self> {
        node.only(&["id", "match", "max", "kind", "reason", "link", "step"])?;
        let at_s = node.optional("step", |step| {
            step.only(&["at", "expected", "got"])?;
            step.optional("at", Node::whole)
        })?;
        // More than any machine can count is more than there are vectors.
        let max = |node: &Node| Ok(usize::try_from(node.whole()?).unwrap_or(usize::MAX));
        Ok(Self {
            id: node.optional("id", Node::owned)?,
            pattern: node.optional("match", Node::owned)?,
            max: node.optional("max", max)?,
            kind: node.need("kind")?.word()?,
            reason: match node.need("reason")? {
                reason if reason.is_null() => String::new(),
                reason => reason.owned()?,
            },
            link: node.optional("link", Node::owned)?,
            at_s: at_s.flatten(),
        })
    }
}

/// A value as YAML on one line. A text that is not within brackets may have quotes, which say nothing.
fn flow(node: &Node, outermost: bool) -> String {
    match &node.kind {
        NodeKind::Scalar { text, .. } if other_reading::has_one(text) => self::text(text),
        NodeKind::Scalar { text, plain } if *plain || outermost => text.to_string(),
        NodeKind::Scalar { text, .. } => self::text(text),
        NodeKind::List(nodes) => list(nodes.iter().map(|node| flow(node, false))),
        NodeKind::Map(entries) => {
            let field =
                |(name, node): &(NodeKey, Node)| format!("{}: {}", key(&name.name), flow(node, false));
            format!("{{{}}}", entries.iter().map(field).collect::<Vec<_>>().join(", "))
        }
    }
}

fn is_link(link: &str) -> bool {
    let rest = link.strip_prefix("https://").or_else(|| link.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.contains(char::is_whitespace))
}

struct EntryReader<'a> {
    source: &'a Arc<Source>,
    suite: &'a Suite,
    node: &'a Node,
}

impl EntryReader<'_> {
    fn read(&self, entry: EntryText) -> Result<KnownFailure, Diagnostic> {
        let seen = |c: char| !c.is_whitespace() && visible(&c.to_string()) == c.to_string();
        if !entry.reason.chars().any(seen) {
            return Err(self.flaw("reason", "no reason", "say why it fails, for whoever reads this next"));
        }
        if let Some(link) = entry.link.as_deref().filter(|link| !is_link(link)) {
            let help = "a link is a URL, http://… or https://…";
            return Err(self.flaw("link", format!("`{}` is no link", plain(link)), help));
        }
        let step = self.step(entry.at_s)?;
        let names = match (&entry.id, &entry.pattern) {
            (Some(id), None) => self.one(id, entry.max, &step)?,
            (None, Some(pattern)) => self.many(pattern, entry.max, entry.kind)?,
            (Some(_), Some(_)) => {
                let help = "`id` names one vector, `match` takes many; keep one of them";
                return Err(self.flaw("match", "both `id` and `match`", help));
            }
            (None, None) => {
                let help = "name a vector with `id`, or many with `match` and `max`";
                return Err(self.flaw("", "neither `id` nor `match`", help));
            }
        };
        let (line, _) = self.source.position(self.node.span.start);
        Ok(KnownFailure { text: entry, line, names, step })
    }

    /// How a step fails, in the form in which a [`Signature`](crate::signature::Signature) writes it.
    fn step(&self, at_s: Option<u64>) -> Result<StepPattern, Diagnostic> {
        let Some(node) = self.node.get("step") else { return Ok(StepPattern::default()) };
        let side = |name: &str| match node.get(name) {
            Some(value) if value.is_null() || value.as_text() == Some("") => {
                let help = "say how it fails, or take it away: then it may be anything";
                Err(self.flaw(name, format!("an empty `{name}`"), help))
            }
            value => Ok(value.map(|value| flow(value, true))),
        };
        let (expected, got) = (side("expected")?, side("got")?);
        if at_s.is_none() && expected.is_none() && got.is_none() {
            return Err(self.flaw("step", "an empty `step`", HOW));
        }
        let chosen_in = node.get("expected").filter(|expected| expected.get("chosen").is_some());
        let chosen_in = chosen_in.and_then(|expected| expected.get("in")?.as_text()).map(str::to_owned);
        Ok(StepPattern { at_s, expected, got, chosen_in })
    }

    fn one(&self, id: &str, max: Option<usize>, step: &StepPattern) -> Result<Vec<String>, Diagnostic> {
        if self.suite.get(id).is_none() {
            let names = self.suite.vectors.iter().map(|vector| vector.name.as_str());
            let help = match suggest::question(&suggest::suggest(id, names)) {
                _ if id.contains('*') => "a wildcard stands after `match`, with a `max`".into(),
                question if question.is_empty() => "`cosmos-ttl list` shows the vectors".into(),
                question => question,
            };
            return Err(self.flaw("id", format!("`{}` is no vector", plain(id)), help));
        }
        if max.is_some() {
            let help = "an `id` names one vector; take `max` away";
            return Err(self.flaw("max", "`max` of a single vector", help));
        }
        if step.at_s.is_some() && step.expected.is_some() && step.got.is_some() {
            return Ok(vec![id.to_owned()]);
        }
        let (key, said) = if self.node.get("step").is_some() { ("step", "all of ") } else { ("id", "") };
        Err(self.flaw(key, format!("`{id}` does not say {said}how it fails"), HOW))
    }

    fn many(&self, pattern: &str, max: Option<usize>, kind: FailureKind) -> Result<Vec<String>, Diagnostic> {
        let names = self.suite.vectors.iter().map(|vector| &vector.name);
        let names: Vec<_> = names.filter(|name| matches(pattern, name)).cloned().collect();
        let count = names.len();
        let shown = plain(pattern);
        let needed =
            "a wildcard needs a `max`: how many of its vectors fail now, so that another failure is noticed";
        let (key, what, help) = match max {
            _ if !pattern.contains('*') => {
                let help = "`*` stands for any characters, as in 'domain/*'; of one vector, say `id`";
                ("match", format!("`{shown}` has no `*` in it"), help)
            }
            _ if count == 0 => {
                let help = "names read `section/id`; `cosmos-ttl list` shows them";
                ("match", format!("`{shown}` matches no vector"), help)
            }
            None => ("match", format!("no `max` of `{shown}`"), needed),
            Some(0) => ("max", "a `max` of 0 lists nothing".into(), needed),
            Some(max) if count < max => {
                ("max", format!("a `max` of {max}, and `{shown}` matches {count}"), needed)
            }
            Some(max) if kind == FailureKind::Flaky && MOST_FLAKY < max => {
                let help = "nothing notices when a flaky vector begins to fail always; say `id` of each";
                ("max", format!("a `max` of {max}, and one flaky `match` lists at most {MOST_FLAKY}"), help)
            }
            Some(_) => return Ok(names),
        };
        Err(self.flaw(key, what, help))
    }

    /// A flaw of the value under a key of the entry or of its step; of the entry, where there is none.
    fn flaw(&self, key: &str, what: impl Into<String>, help: impl Into<String>) -> Diagnostic {
        let node = self.node;
        let value = node.get(key).or_else(|| node.get("step")?.get(key));
        let span = value.map_or(node.span.start..node.span.start, |value| value.span.clone());
        Diagnostic::at(self.source, span, what, help)
    }
}
