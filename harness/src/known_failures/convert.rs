//! Converts a list of format 1, which identified a failure by its message: `at second 1: expected not-found, got found`.
//!
//! The messages that are read here are those of format 1. They stay as they are, whatever messages say today.

use std::path::Path;
use std::sync::Arc;

use super::edit::Edit;
use super::{FORMAT, KnownFailures, LISTS};
use crate::describe::list;
use crate::diagnostic::{Diagnostic, Source};
use crate::plain::plain;
use crate::signature::{property, text};
use crate::target::Status;
use crate::vector::{Expect, Suite};
use crate::yaml::{self, Node};

/// A list that was brought to the present format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// The text before.
    pub before: String,
    /// The text afterwards; the same if the list has the present format already.
    pub after: String,
    /// The number of entries that changed.
    pub entries: usize,
}

/// Converts the text of a list, which may have the present format already. Comments, order and layout stay.
///
/// # Errors
///
/// The first [`Diagnostic`]; of an entry whose message is none of format 1, too.
pub fn convert(path: &Path, suite: &Suite) -> Result<Conversion, Diagnostic> {
    let source = Arc::new(LISTS.read(path)?);
    let tree = yaml::parse(&source)?;
    let before = source.text.clone();
    if tree.get("format").and_then(Node::as_text) != Some("1") {
        KnownFailures::parse(&source, suite)?;
        return Ok(Conversion { after: before.clone(), before, entries: 0 });
    }
    let mut edit = Edit::new(&source.text, &tree);
    edit.replace(&tree, "format", "format", &FORMAT.to_string());
    let mut entries = 0;
    for entry in edit.entries() {
        let Some(signature) = entry.get("signature") else { continue };
        let message = signature.as_text().unwrap_or_default();
        let Some(step) = step(message, entry.get("id").and_then(Node::as_text), suite) else {
            let what = format!("`{}` is no message of format 1 that says one failure", plain(message));
            let help = "write `step: {at: …, expected: …, got: …}` in its place, and `format: 2`";
            return Err(Diagnostic::at(&source, signature.span.clone(), what, help));
        };
        edit.replace(entry, "signature", "step", &step);
        entries += 1;
    }
    let after = edit.text();
    KnownFailures::parse(&Arc::new(Source::new(source.name.clone(), after.clone())), suite)?;
    Ok(Conversion { before, after, entries })
}

/// Between a choice and the vector in which the target made another.
const CHOSEN: &str = ", as it chose in ";

/// The step that a message is about; one with `*` leaves out what may be anything.
fn step(message: &str, id: Option<&str>, suite: &Suite) -> Option<String> {
    let (at, sides) = message.strip_prefix("at second ")?.split_once(": expected ")?;
    let (expected, got) = sides.split_once(", got ")?;
    let many = id.is_none();
    let mut fields = Vec::new();
    if !(many && at == "*") {
        fields.push(format!("at: {}", at.parse::<u64>().ok()?));
    }
    let side = |words: &str, expected_second: Option<i128>| {
        let is_plain = |c: char| c.is_ascii_lowercase() || "-*".contains(c);
        match words {
            "*" if many => Some(None),
            words if many && words.contains('*') => {
                (words.starts_with('[') || words.chars().all(is_plain)).then(|| Some(format!("'{words}'")))
            }
            words => one_of(words, at, id, suite).or_else(|| one(words, expected_second)).map(Some),
        }
    };
    let second = expected
        .split_once("with the `_ts` of second ")
        .and_then(|(_, second)| second.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok());
    fields.extend(side(expected, None)?.map(|expected| format!("expected: {expected}")));
    // After a choice stands the value that it chose.
    let got = if expected.contains(CHOSEN) { Some(got.to_owned()) } else { side(got, second)? };
    fields.extend(got.map(|got| format!("got: {got}")));
    Some(format!("{{{}}}", fields.join(", ")))
}

/// Returns the answers that an open clause allows: `found (back) or not-found (gone)`, or those that it allows after a
/// choice.
fn one_of(words: &str, at: &str, id: Option<&str>, suite: &Suite) -> Option<String> {
    if let Some((choice, chosen_in)) = words.split_once(CHOSEN) {
        let (clause, value) = choice.split_once(": ")?;
        return Some(format!("{{open: {clause}, chosen: {}, in: {chosen_in}}}", text(value)));
    }
    let words = words.split_once(", since it chose ").map_or(words, |(words, _)| words);
    let mut fields = Vec::new();
    let mut values = Vec::new();
    for alternative in words.strip_suffix(')')?.split(") or ") {
        let (words, value) = alternative.rsplit_once(" (")?;
        fields.push(format!("{}: {}", text(value), one(words, None)?));
        values.push(value);
    }
    let mut steps = suite.get(id?)?.steps.iter().filter(|step| step.at_s.to_string() == at);
    let clause = steps.find_map(|step| match &step.expect {
        Expect::Open { clause, outcomes, .. } => {
            let allowed = |value: &&str| outcomes.iter().any(|(allowed, _)| allowed == value);
            values.iter().all(allowed).then_some(clause)
        }
        Expect::One(_) => None,
    })?;
    Some(format!("{{open: {clause}, {}}}", fields.join(", ")))
}

fn between<'a>(words: &'a str, before: &str, after: &str) -> Option<&'a str> {
    words.strip_prefix(before)?.strip_suffix(after)
}

/// One response, expected or answered; where it is a `_ts` that differs, it is counted from the expected second.
fn one(words: &str, expected_second: Option<i128>) -> Option<String> {
    if let Some(ids) = between(words, "[", "]") {
        return Some(list(ids.split(", ").filter(|id| !id.is_empty()).map(text)));
    }
    if let Some(count) = words.strip_prefix("count ") {
        return count.parse::<u64>().ok().map(|count| count.to_string());
    }
    if let Some(statuses) = between(words, "committed [", "]") {
        return Some(format!("{{committed: [{statuses}]}}"));
    }
    if let Some(aborted) = words.strip_prefix("aborted at operation ") {
        let (at, with) = aborted.split_once(" with ")?;
        return Some(format!("{{aborted: {{at: {at}, with: {}}}}}", status(with)?));
    }
    if let Some((code, detail)) = words.strip_prefix("status ").and_then(|rest| rest.split_once(" (")) {
        return Some(format!("{{{code}: {}}}", text(detail.strip_suffix(')')?)));
    }
    // A value may have either of these words in it.
    let (word, field) = match (words.split_once(" with "), words.split_once(" without ")) {
        (None, None) => return status(words),
        (Some((word, rest)), _) if !word.contains(" without ") => (word, with_field(rest, expected_second)?),
        (_, Some((word, "an item"))) => (word, "absent: [id]".into()),
        (_, Some((word, name))) => (word, format!("absent: [{}]", text(name))),
        _ => return None,
    };
    Some(format!("{{{}: {{{field}}}}}", status(word)?))
}

fn with_field(rest: &str, expected_second: Option<i128>) -> Option<String> {
    match rest {
        "the etag seen last" => return Some("etag: same".into()),
        "another etag" | "a new etag" => return Some("etag: new".into()),
        "an etag seen before" => return Some("etag: seen".into()),
        _ => {}
    }
    if let Some(second) = rest.strip_prefix("the `_ts` of second ") {
        return Some(format!("written-at: {second}"));
    }
    if let Some(id) = between(rest, "the item `", "`") {
        return Some(format!("id: {}", text(id)));
    }
    if let Some(off) = between(rest, "`_ts` ", " s from that") {
        return Some(format!("written-at: {}", expected_second?.saturating_add(off.parse().ok()?)));
    }
    rest.split_once(": ").map(|(name, value)| property(name, value))
}

fn status(word: &str) -> Option<String> {
    let code = word.strip_prefix("status ").and_then(|code| code.parse::<u16>().ok());
    code.map(|code| code.to_string()).or_else(|| Status::from_word(word).map(|status| status.word().into()))
}
