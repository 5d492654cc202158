//! Finds how deep a JSON text is and which key an object holds twice, in one pass without recursion.
//!
//! A parser that recurses needs to know the depth before it begins. And `RawValue` keeps the values of an item as they were
//! written, so no type would notice a key that occurs twice inside one.

use std::borrow::Cow;
use std::collections::BTreeSet;

/// The structure of a text, before a parser reads it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Structure<'t> {
    /// Whether objects and lists are nested deeper than allowed; nothing behind that place was looked at.
    pub(crate) is_too_deep: bool,
    /// The first key that an object holds twice. It means something only if the text is valid JSON.
    pub(crate) repeated_key: Option<Cow<'t, str>>,
}

impl<'t> Structure<'t> {
    /// Returns the structure of a text, which need not be JSON. `most` is the greatest depth that is allowed.
    pub(crate) fn of(text: &'t str, most: usize) -> Self {
        let mut found = Self::default();
        // The keys of each object that is open; a list has none.
        let mut open: Vec<BTreeSet<Cow<'t, str>>> = Vec::new();
        let mut string: Option<&'t str> = None;
        let mut at = 0;
        while let Some(byte) = text.as_bytes().get(at) {
            at += 1;
            match byte {
                b'{' | b'[' if open.len() == most => return Self { is_too_deep: true, ..found },
                b'{' | b'[' => open.push(BTreeSet::new()),
                b'}' | b']' => drop(open.pop()),
                b'"' => {
                    let length = string_length(text.as_bytes().get(at..).unwrap_or(&[]));
                    string = text.get(at..at + length);
                    at += length + 1;
                }
                b':' => {
                    if let Some((keys, key)) = open.last_mut().zip(string.take().map(unescaped))
                        && !keys.insert(key.clone())
                    {
                        found.repeated_key.get_or_insert(key);
                    }
                }
                _ => {}
            }
        }
        found
    }
}

/// Returns the number of bytes before the quotation mark that ends a string.
fn string_length(bytes: &[u8]) -> usize {
    let mut is_escaped = false;
    let end = bytes.iter().position(|byte| {
        let ends = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        ends
    });
    end.unwrap_or(bytes.len())
}

/// Returns a key as it is meant: `"\u0061"` is `a`.
fn unescaped(key: &str) -> Cow<'_, str> {
    if !key.contains('\\') {
        return Cow::Borrowed(key);
    }
    serde_json::from_str(&format!("\"{key}\"")).map_or(Cow::Borrowed(key), Cow::Owned)
}
