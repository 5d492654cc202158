//! A line: a number, and exactly one thing that is said under it.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::shape;
use super::unique::Unique;

/// What may be said in one direction.
pub trait Kinds: Serialize + DeserializeOwned {
    /// The word for each.
    const KINDS: &'static [&'static str];
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line<T> {
    /// Counts what the harness asks; a reply has the number of what it replies to.
    pub q: u64,
    /// What is said.
    #[serde(flatten)]
    pub what: T,
}

impl<T: Kinds> Line<T> {
    /// As it travels, its line feed included.
    pub fn text(&self) -> String {
        // A message is made of strings, numbers, lists, maps and valid JSON text: nothing that JSON could refuse.
        let text = serde_json::to_string(self).unwrap_or_default();
        // Some languages end a line at these too. They can only stand in strings, where an escape means the same.
        text.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029") + "\n"
    }
}

/// Why a line cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Garbled {
    /// Its number, where it has one.
    pub q: Option<u64>,
    /// What is wrong, in words.
    pub why: String,
}

impl fmt::Display for Garbled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for Garbled {}

/// Reads a line. Fields that nobody knows are passed over, unless it is to be read strictly.
///
/// # Errors
///
/// Where it is no JSON object, has no number, or does not say exactly one thing; if strictly, also where it has a field
/// that the schema does not know.
pub fn parse<T: Kinds>(line: &str, strict: bool) -> Result<Line<T>, Garbled> {
    let garbled = |q: Option<u64>| move |why: String| Garbled { q, why };
    let Unique::<&RawValue>(mut fields) =
        serde_json::from_str(line).map_err(|err| garbled(None)(format!("no JSON object: {err}")))?;
    let q = fields.remove("q").ok_or_else(|| garbled(None)("no `q`, the number of the message".into()))?;
    let q = serde_json::from_str(q.get())
        .map_err(|_| garbled(None)(format!("`q` is {}, and must be a whole number", q.get())))?;
    let what = said(fields, strict).map_err(garbled(Some(q)))?;
    Ok(Line { q, what })
}

/// The one thing that is said.
fn said<T: Kinds>(mut fields: BTreeMap<String, &RawValue>, strict: bool) -> Result<T, String> {
    let unknown = fields.keys().find(|key| !T::KINDS.contains(&key.as_str())).cloned();
    if let Some(unknown) = unknown.filter(|_| strict) {
        return Err(format!("a field `{unknown}` that the schema does not know"));
    }
    fields.retain(|key, _| T::KINDS.contains(&key.as_str()));
    let said: Vec<_> = fields.iter().collect();
    let [(kind, value)] = said.as_slice() else {
        let kinds = T::KINDS.join("`, `");
        return Err(format!("it says {} of `{kinds}`, and must say exactly one", said.len()));
    };
    let text = format!("{{\"{kind}\":{}}}", value.get());
    let what = read(&text, strict).map_err(|why| format!("`{kind}`: {why}"))?;
    let again = serde_json::to_string(&what).unwrap_or_default();
    match shape::differs(&text, &again) {
        Some(path) => Err(format!("`{path}` is a list, and must be an object")),
        None => Ok(what),
    }
}

fn read<T: DeserializeOwned>(text: &str, strict: bool) -> Result<T, String> {
    let mut unknown = None;
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_ignored::deserialize(&mut json, |path| {
        unknown.get_or_insert_with(|| path.to_string().replace("?.", ""));
    });
    let value = value.map_err(|err: serde_json::Error| err.to_string())?;
    match unknown {
        Some(path) if strict => Err(format!("a field `{path}` that the schema does not know")),
        _ => Ok(value),
    }
}
