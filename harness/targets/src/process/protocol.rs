//! The messages between the harness and a process: one JSON object on each line.
//!
//! `harness/targets/PROTOCOL.md` is the reference. Requests and responses travel as [`target`](cosmos_ttl_harness::target)
//! writes them: values are the JSON text that they are, so that `10.0`, `1e400` and 2^64 arrive as they were written.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use cosmos_ttl_harness::plain::plain;
use cosmos_ttl_harness::target::{
    Clock, ContainerName, Etag, PageRequest, Part, PartitionKey, Request, Response, UniqueKeys,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::structure::Structure;

/// The version of the protocol that this harness speaks.
pub const VERSION: u32 = 1;

/// The greatest length of a line, in bytes and without its line feed.
pub const MOST_BYTES: usize = 1 << 20;

/// The greatest depth of a line: how many objects and lists may be open at once, with the line itself.
pub const MOST_DEPTH: usize = 128;

/// The page that describes the protocol, as Markdown.
pub const PAGE: &str = include_str!("../../PROTOCOL.md");

/// The JSON Schema of a line, as committed.
pub const SCHEMA: &str = include_str!("../../schemas/protocol.schema.json");

/// A message from the harness.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::large_enum_variant, reason = "a message is written as soon as it is made")]
pub enum Message {
    /// Comes first, once.
    Hello {
        /// The version of the protocol that the harness speaks.
        protocol: u32,
        /// The harness's name and version, for a log.
        harness: String,
    },
    /// Asks for an empty, isolated session.
    Open {
        /// Its name; no two sessions of a process have the same.
        session: String,
    },
    /// A client's request in a session.
    Send {
        /// In which session.
        session: String,
        /// The request.
        request: Request,
        /// The partition that it is about, if that is not the default one; only if the process offers partitions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        partition: Option<PartitionKey>,
        /// The page of a query or a list that it asks for; only if the process offers pages.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        page: Option<PageRequest>,
        /// The container that it is about, if that is not the first one; only if the process offers `containers`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        container: Option<ContainerName>,
        /// With an upsert; only if the process offers `conditional-upsert`.
        #[serde(rename = "if-match", default, skip_serializing_if = "Option::is_none")]
        if_match: Option<Etag>,
        /// With a read or a create; only if the process offers `if-none-match`.
        #[serde(rename = "if-none-match", default, skip_serializing_if = "Option::is_none")]
        if_none_match: Option<Etag>,
    },
    /// Moves the clock of a session forward; only if it is virtual.
    Pass {
        /// In which session; whether time passes in others too does not matter.
        session: String,
        /// How many seconds.
        seconds: u64,
    },
    /// Controls background removal in a session; only if the process said that it can be controlled.
    Purge {
        /// In which session.
        session: String,
        /// The behaviour of background removal.
        #[serde(rename = "do")]
        removal: BackgroundRemoval,
    },
    /// Ends a session; a session that has ended may be ended again.
    Close {
        /// Which session.
        session: String,
    },
    /// Comes last: the process must end.
    Bye {},
}

/// A reply of a process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// To `hello`: what the process is.
    Hello(Hello),
    /// To everything but `hello` and `send`: done.
    Ok {},
    /// To `send`: the answer, which may be a refusal.
    Answer(Response),
    /// The process does not offer this, for this reason.
    Unsupported(String),
    /// The process cannot know whether the request took effect, for this reason.
    Unknown(String),
    /// The process, or what it talks to, broke for this reason.
    Broken(String),
}

/// The greeting of a process, with its properties.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The version of the protocol that the process speaks.
    pub protocol: u32,
    /// The name of what is tested.
    pub name: String,
    /// The version of what is tested.
    pub version: String,
    /// Whose clock counts.
    pub clock: Clock,
    /// Whether the harness can control background removal.
    #[serde(default)]
    pub purge: bool,
    /// Whether a container can have several partitions.
    #[serde(default)]
    pub partitions: bool,
    /// Whether a query or a list can be answered page by page.
    #[serde(default)]
    pub pages: bool,
    /// The parts of the interface that the process does not offer: nothing of them is judged.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub without: BTreeSet<Part>,
    /// The optional parts that the process offers: it is asked for no others.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub offers: BTreeSet<Part>,
}

/// The behaviour of background removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BackgroundRemoval {
    /// Removes nothing from now on, unless told to.
    Hold,
    /// Removes all items that are expired at this moment.
    Now,
}

impl Message {
    /// Returns the first message.
    pub fn hello() -> Self {
        Self::Hello { protocol: VERSION, harness: concat!("cosmos-ttl ", env!("CARGO_PKG_VERSION")).into() }
    }
}

/// The content of the lines in one direction: an enum whose variants are written as `{"word": ...}`.
pub trait LineContent: Serialize + DeserializeOwned {
    /// The words of all variants.
    const WORDS: &'static [&'static str];

    /// Returns the word of this variant.
    fn word(&self) -> &'static str;
}

macro_rules! words {
    ($content:ident { $($variant:ident => $word:literal),* $(,)? }) => {
        impl LineContent for $content {
            const WORDS: &'static [&'static str] = &[$($word),*];

            fn word(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $word),*
                }
            }
        }
    };
}

words!(Message {
    Hello => "hello", Open => "open", Send => "send", Pass => "pass", Purge => "purge", Close => "close", Bye => "bye"
});

words!(Reply {
    Hello => "hello", Ok => "ok", Answer => "answer",
    Unsupported => "unsupported", Unknown => "unknown", Broken => "broken"
});

/// A line of the protocol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProtocolLine<T> {
    /// Counts the messages; a reply has the number of its message.
    pub q: u64,
    /// The message or the reply.
    #[serde(flatten)]
    pub content: T,
}

impl<T: LineContent> ProtocolLine<T> {
    /// Returns the line as it travels, with its line feed.
    pub fn text(&self) -> String {
        // A message is made of strings, numbers, lists, maps and valid JSON text: nothing that JSON could refuse.
        let text = serde_json::to_string(self).unwrap_or_default();
        // Some languages end a line at these too. They can only stand in strings, where an escape means the same.
        text.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029") + "\n"
    }
}

/// Why a line cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError {
    /// The number of the line, if it has one.
    pub q: Option<u64>,
    /// The mistake, in words: one line of at most 300 characters, without invisible characters.
    pub why: String,
}

impl LineError {
    fn new(q: Option<u64>, why: &str) -> Self {
        Self { q, why: plain(why) }
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for LineError {}

/// Reads a line, in time linear in its length. Ignores unknown fields, unless `strict`.
///
/// # Errors
///
/// [`LineError`] if the line is longer than [`MOST_BYTES`], deeper than [`MOST_DEPTH`] or not a JSON object, holds a key
/// twice in one object, has no number, or does not say exactly one thing; if `strict`, also if it has a field that the
/// schema does not know.
pub fn parse<T: LineContent>(line: &str, strict: bool) -> Result<ProtocolLine<T>, LineError> {
    let error = |why: String| LineError::new(None, &why);
    if line.len() > MOST_BYTES {
        return Err(error(format!("it is longer than {MOST_BYTES} bytes")));
    }
    // First of all, because whatever parses the line may recurse.
    let Structure { is_too_deep, repeated_key } = Structure::of(line, MOST_DEPTH);
    if is_too_deep {
        return Err(error(format!("its objects and lists are nested more than {MOST_DEPTH} deep")));
    }
    let UniqueKeys::<&RawValue>(mut fields) =
        serde_json::from_str(line).map_err(|err| error(format!("no JSON object: {err}")))?;
    if let Some(key) = repeated_key {
        return Err(error(format!("an object holds the key `{key}` twice")));
    }
    let q = fields.remove("q").ok_or_else(|| error("no `q`, the number of the message".into()))?.get();
    let q = serde_json::from_str(q).map_err(|_| error(format!("`q` is {q}, and must be a whole number")))?;
    let content = parse_content(fields, strict).map_err(|why| LineError::new(Some(q), &why))?;
    Ok(ProtocolLine { q, content })
}

fn parse_content<T: LineContent>(mut fields: BTreeMap<String, &RawValue>, strict: bool) -> Result<T, String> {
    let is_known = |key: &str| T::WORDS.contains(&key);
    if let Some(unknown) = fields.keys().find(|key| strict && !is_known(key)) {
        return Err(format!("a field `{unknown}` that the schema does not know"));
    }
    fields.retain(|key, _| is_known(key));
    let Some((word, value)) = fields.first_key_value().filter(|_| fields.len() == 1) else {
        let words = T::WORDS.join("`, `");
        return Err(format!("it says {} of `{words}`, and must say exactly one", fields.len()));
    };
    let text = format!("{{\"{word}\":{}}}", value.get());
    let mut unknown = None;
    let mut json = serde_json::Deserializer::from_str(&text);
    let content: T = serde_ignored::deserialize(&mut json, |path| {
        unknown.get_or_insert_with(|| path.to_string().replace("?.", ""));
    })
    // A list may be too short for the fields of a type; one that is long enough is found below.
    .map_err(|err| match value.get().chars().next() {
        Some('[') => format!("`{word}` is a list, and must be an object"),
        _ => format!("`{word}`: {err}"),
    })?;
    if let Some(path) = unknown.filter(|_| strict) {
        return Err(format!("`{word}`: a field `{path}` that the schema does not know"));
    }
    let again = serde_json::value::to_raw_value(&content).map_err(|err| err.to_string())?;
    let text: &RawValue = serde_json::from_str(&text).map_err(|err| err.to_string())?;
    match list_for_object(text, &again, "") {
        Some(path) => Err(format!("`{path}` is a list, and must be an object")),
        None => Ok(content),
    }
}

/// Returns the path at which one text has a list and the other an object.
///
/// A derived type reads a list of its fields like an object, which the schema does not allow. Numbers are not looked at: no
/// type of ours could hold all that may be written.
///
/// The properties of an item are the same text in both, so only the few levels of our own types are taken apart.
fn list_for_object(one: &RawValue, other: &RawValue, path: &str) -> Option<String> {
    if one.get() == other.get() {
        return None;
    }
    let bracket = |value: &RawValue| value.get().chars().next().filter(|first| matches!(first, '{' | '['));
    if bracket(one) != bracket(other) {
        return Some(path.trim_end_matches('.').into());
    }
    let (one, other) = (parts(one), parts(other));
    one.iter().find_map(|(name, one)| list_for_object(one, other.get(name)?, &format!("{path}{name}.")))
}

/// Returns the values of an object by their names, or those of a list by their numbers; any other value has none.
fn parts(value: &RawValue) -> BTreeMap<String, &RawValue> {
    match serde_json::from_str::<Vec<&RawValue>>(value.get()) {
        Ok(list) => list.into_iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect(),
        Err(_) => serde_json::from_str(value.get()).unwrap_or_default(),
    }
}
