//! Lists of known failures: what a list says of the vectors that fail, and whether a run bears it out.
//!
//! A list is a YAML file for one target. It is strict: a listed vector must fail, and in the listed way. A vector that
//! passes, or fails in another way, fails the run, and so does an entry that no longer describes the target. A failure is
//! identified by its [`Signature`](crate::signature::Signature), never by a message.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "it counts entries, and places within one text of at most 1 MiB"
)]

mod convert;
mod edit;
mod load;
mod update;

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::{self, IgnoredAny, Visitor};
use serde::{Deserialize, Deserializer};
use wildmatch::{WildMatch, WildMatchPattern};

use crate::diagnostic::Source;
use crate::plain::plain;
use crate::verdict::Verdict;
use crate::yaml::Node;

pub use crate::verdict::{FailureKind, Listed};
pub use convert::{Conversion, convert};
pub use update::{Adding, ListChange, ListChangeKind, UpdatePlan, UpdateRefusal, apply, blank, plan};

/// The JSON Schema of a list, as committed.
pub const SCHEMA: &str = include_str!("../schemas/known.schema.json");

/// The version of the format of lists.
const FORMAT: u32 = 2;

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

    /// What it says of a vector.
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

/// How a target is known to fail.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map of `format`, `target` and `known`")]
#[expect(dead_code, reason = "the version is looked at before anything else")]
struct ListText {
    /// The version of this format: 2.
    format: u32,
    /// What the list is of; for people.
    target: Option<String>,
    /// What is known; may be empty.
    known: Vec<EntryText>,
}

/// A known failure: `id` and `step` of one vector, or `match` and `max` of many.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Entry")]
#[serde(
    deny_unknown_fields,
    expecting = "a map of `id`, `kind`, `reason`, `link` and `step`, or of `match`, `max` and the like"
)]
struct EntryText {
    /// The vector: `section/id`.
    id: Option<String>,
    /// The vectors: as `id`, where `*` stands for any characters on its side of the slash. Needs `max`.
    #[serde(rename = "match")]
    pattern: Option<String>,
    /// Of a `match`: how many of its vectors fail, and no more.
    #[serde(default, deserialize_with = "max")]
    #[schemars(range(min = 1))]
    max: Option<usize>,
    /// Why it is on the list: it is a `bug` to be mended, it stays (`wont-fix`), or it is `flaky`.
    kind: FailureKind,
    /// The same in words.
    #[schemars(length(min = 1))]
    reason: String,
    /// Where more is said about it: a URL, http or https.
    #[schemars(regex(pattern = "^https?://"))]
    link: Option<String>,
    /// The step that fails, and how. An `id` needs all three fields. Of a `match`, what is left out may be anything.
    step: Option<StepText>,
}

/// The step that fails, and how: `{at: 1, expected: not-found, got: found}`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Step")]
#[serde(deny_unknown_fields, expecting = "a map of `at`, `expected` and `got`")]
#[expect(dead_code, reason = "the two sides are read as they are written")]
struct StepText {
    /// The second of the vector.
    at: Option<u64>,
    /// What was expected, as a vector writes it. Of a `match`, `*` in a text stands for any characters.
    #[serde(default)]
    #[schemars(with = "serde_json::Value")]
    expected: Option<IgnoredAny>,
    /// What was answered, as a vector writes it. Of a `match`, `*` in a text stands for any characters.
    #[serde(default)]
    #[schemars(with = "serde_json::Value")]
    got: Option<IgnoredAny>,
}

fn max<'de, D: Deserializer<'de>>(value: D) -> Result<Option<usize>, D::Error> {
    value.deserialize_u64(MaxVisitor).map(Some)
}

/// Says what is accepted in words, not as a type.
struct MaxVisitor;

impl Visitor<'_> for MaxVisitor {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of vectors, at least 1")
    }

    fn visit_u64<E: de::Error>(self, max: u64) -> Result<usize, E> {
        // More than any machine can count is more than there are vectors.
        Ok(usize::try_from(max).unwrap_or(usize::MAX))
    }
}

/// Returns `schemas/known.schema.json`, from the very types that read the lists.
pub fn known_schema_json() -> String {
    let mut schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<ListText>();
    schema.insert("title".into(), "Known failures of one target".into());
    // A schema is made of strings, numbers, lists and maps: nothing that JSON could refuse.
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}
