//! Reads a list, strictly: whatever is wrong with an entry would otherwise excuse what nobody knows of.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::{EntryText, FORMAT, KnownFailure, KnownFailures, ListText, StepPattern, matches};
use crate::describe::list;
use crate::diagnostic::{self, Diagnostic, Source};
use crate::plain::{plain, visible};
use crate::signature::{key, text};
use crate::suggest;
use crate::vector::Suite;
use crate::yaml::{self, Node};

pub(super) const LISTS: [&str; 2] =
    ["a list of known failures is a YAML file", "a list of known failures has at most 1 MiB"];

const FIELDS: &str = "an entry needs `kind`, `reason`, and either `id` and `step` or `match` and `max`";

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
        Self::parse(&Arc::new(diagnostic::read_file(path, LISTS)?), suite)
    }

    /// Reads a text, of failures of this suite's vectors.
    ///
    /// # Errors
    ///
    /// The first [`Diagnostic`].
    pub fn parse(source: &Arc<Source>, suite: &Suite) -> Result<Self, Diagnostic> {
        let tree = yaml::parse(source)?;
        let reader = ListReader { source, suite };
        let format = tree.get("format").and_then(Node::as_plain);
        if let Some(text) = format.filter(|text| *text != FORMAT.to_string()) {
            let help = if text == "1" {
                format!("`cosmos-ttl known convert {}` brings the list to format {FORMAT}", source.name)
            } else {
                format!("this reads format {FORMAT}")
            };
            return Err(reader.flaw(&tree, "format", format!("format {} is not known", plain(text)), help));
        }
        let file: ListText = yaml::shape(source, &tree, FIELDS)?;
        let nodes = tree.items_of("known");
        let entries = file.known.into_iter().zip(nodes);
        let entries =
            entries.map(|(entry, node)| reader.entry(entry, node)).collect::<Result<Vec<_>, _>>()?;
        reader.once(&entries, nodes)?;
        Ok(Self { target: file.target, source: Arc::clone(source), tree, entries })
    }
}

const HOW: &str = "how the step fails: `step: {at: 1, expected: not-found, got: found}`";

/// A value as YAML on one line. A text that is not within brackets may have quotes, which say nothing.
fn flow(node: &Node, outermost: bool) -> String {
    match &node.kind {
        yaml::NodeKind::Scalar { text, plain } if *plain || outermost => text.clone(),
        yaml::NodeKind::Scalar { text, .. } => self::text(text),
        yaml::NodeKind::List(nodes) => list(nodes.iter().map(|node| flow(node, false))),
        yaml::NodeKind::Map(entries) => {
            let fields =
                entries.iter().map(|(name, node)| format!("{}: {}", key(&name.name), flow(node, false)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
    }
}

/// Makes entries of one file.
struct ListReader<'a> {
    source: &'a Arc<Source>,
    suite: &'a Suite,
}

impl ListReader<'_> {
    fn entry(&self, entry: EntryText, node: &Node) -> Result<KnownFailure, Diagnostic> {
        let null = node.get("reason").is_some_and(Node::is_null);
        let seen = |c: char| !c.is_whitespace() && visible(&c.to_string()) == c.to_string();
        if null || !entry.reason.chars().any(seen) {
            return Err(self.flaw(
                node,
                "reason",
                "no reason",
                "say why it fails, for whoever reads this next",
            ));
        }
        if let Some(link) = &entry.link {
            self.link(link, node)?;
        }
        let step = node.get("step").map_or(Ok(StepPattern::default()), |step| {
            self.step(step, entry.step.as_ref().and_then(|step| step.at))
        })?;
        let names = match (&entry.id, &entry.pattern) {
            (Some(id), None) => self.one(id, entry.max, &step, node)?,
            (None, Some(pattern)) => self.many(pattern, entry.max, node)?,
            (Some(_), Some(_)) => {
                let help = "`id` names one vector, `match` takes many; keep one of them";
                return Err(self.flaw(node, "match", "both `id` and `match`", help));
            }
            (None, None) => {
                let help = "name a vector with `id`, or many with `match` and `max`";
                return Err(self.flaw(node, "", "neither `id` nor `match`", help));
            }
        };
        let (line, _) = self.source.position(node.span.start);
        Ok(KnownFailure { text: entry, line, names, step })
    }

    /// How a step fails, in the form in which a [`Signature`](crate::signature::Signature) writes it.
    fn step(&self, node: &Node, at_s: Option<u64>) -> Result<StepPattern, Diagnostic> {
        let side = |name: &str| match node.get(name) {
            Some(value) if value.is_null() || value.as_text() == Some("") => {
                let help = "say how it fails, or take it away: then it may be anything";
                Err(self.flaw(node, name, format!("an empty `{name}`"), help))
            }
            Some(value) => Ok(Some(flow(value, true))),
            None => Ok(None),
        };
        let (expected, got) = (side("expected")?, side("got")?);
        if at_s.is_none() && expected.is_none() && got.is_none() {
            return Err(Diagnostic::at(self.source, node.span.clone(), "an empty `step`", HOW));
        }
        let chosen_in = node.get("expected").filter(|expected| expected.get("chosen").is_some());
        let chosen_in = chosen_in.and_then(|expected| expected.get("in")).and_then(Node::as_text);
        Ok(StepPattern { at_s, expected, got, chosen_in: chosen_in.map(str::to_owned) })
    }

    fn link(&self, link: &str, node: &Node) -> Result<(), Diagnostic> {
        let rest = link.strip_prefix("https://").or_else(|| link.strip_prefix("http://"));
        if rest.is_some_and(|rest| !rest.is_empty() && !rest.contains(char::is_whitespace)) {
            return Ok(());
        }
        Err(self.flaw(
            node,
            "link",
            format!("`{}` is no link", plain(link)),
            "a link is a URL, http://… or https://…",
        ))
    }

    fn one(
        &self,
        id: &str,
        max: Option<usize>,
        step: &StepPattern,
        node: &Node,
    ) -> Result<Vec<String>, Diagnostic> {
        if self.suite.get(id).is_none() {
            let help = if id.contains('*') {
                "a wildcard stands after `match`, with a `max`".into()
            } else {
                let names = self.suite.vectors.iter().map(|vector| vector.name.as_str());
                let question = suggest::question(&suggest::suggest(id, names));
                if question.is_empty() { "`cosmos-ttl list` shows the vectors".into() } else { question }
            };
            return Err(self.flaw(node, "id", format!("`{}` is no vector", plain(id)), help));
        }
        if max.is_some() {
            let help = "an `id` names one vector; take `max` away";
            return Err(self.flaw(node, "max", "`max` of a single vector", help));
        }
        if step.at_s.is_some() && step.expected.is_some() && step.got.is_some() {
            return Ok(vec![id.to_owned()]);
        }
        let (key, what) = if node.get("step").is_some() {
            ("step", format!("`{id}` does not say all of how it fails"))
        } else {
            ("id", format!("`{id}` does not say how it fails"))
        };
        Err(self.flaw(node, key, what, HOW))
    }

    fn many(&self, pattern: &str, max: Option<usize>, node: &Node) -> Result<Vec<String>, Diagnostic> {
        if !pattern.contains('*') {
            let help = "`*` stands for any characters, as in 'domain/*'; of one vector, say `id`";
            return Err(self.flaw(node, "match", format!("`{}` has no `*` in it", plain(pattern)), help));
        }
        let names = self.suite.vectors.iter().map(|vector| &vector.name);
        let names: Vec<_> = names.filter(|name| matches(pattern, name)).cloned().collect();
        if names.is_empty() {
            let help = "names read `section/id`; `cosmos-ttl list` shows them";
            return Err(self.flaw(node, "match", format!("`{}` matches no vector", plain(pattern)), help));
        }
        let help =
            "a wildcard needs a `max`: how many of its vectors fail now, so that another failure is noticed";
        match max {
            None => Err(self.flaw(node, "match", format!("no `max` of `{}`", plain(pattern)), help)),
            Some(0) => Err(self.flaw(node, "max", "a `max` of 0 lists nothing", help)),
            Some(max) if names.len() < max => {
                let what = format!("a `max` of {max}, and `{}` matches {}", plain(pattern), names.len());
                Err(self.flaw(node, "max", what, help))
            }
            Some(_) => Ok(names),
        }
    }

    /// No vector is named twice, and none is taken by two wildcards.
    fn once(&self, entries: &[KnownFailure], nodes: &[Node]) -> Result<(), Diagnostic> {
        let mut named: BTreeMap<(bool, &str), usize> = BTreeMap::new();
        for (entry, node) in entries.iter().zip(nodes) {
            let many = entry.text.pattern.is_some();
            for name in &entry.names {
                let Some(first) = named.insert((many, name), entry.line) else { continue };
                let (key, what, help) = if many {
                    let what = format!("`{name}` is taken by the `match` on line {first} as well");
                    ("match", what, "a vector counts for one of them; narrow one of them")
                } else {
                    let what = format!("`{name}` stands on line {first} as well");
                    ("id", what, "a vector fails in one way; keep one entry")
                };
                return Err(self.flaw(node, key, format!("{what}, and here on line {}", entry.line), help));
            }
        }
        Ok(())
    }

    /// A flaw of the value under a key; of the entry, where there is none.
    fn flaw(&self, node: &Node, key: &str, what: impl Into<String>, help: impl Into<String>) -> Diagnostic {
        let span = node.get(key).map_or(node.span.start..node.span.start, |value| value.span.clone());
        Diagnostic::at(self.source, span, what, help)
    }
}
