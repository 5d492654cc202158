//! Hides keys and signatures in text from a server: some servers repeat the request that they refuse.
//!
//! [`redact`] runs before anything of a response is parsed, so neither a message nor an item can carry a secret on.

use std::collections::BTreeSet;

/// The text that a reader sees in place of a secret.
const HIDDEN: &[u8] = b"(hidden)";
/// So many characters of a secret in a row hide it, too: a server may cut what it repeats. Fewer may be there by chance.
const LEAST: usize = 12;
/// An escape may be escaped itself, as where JSON stands in a string of JSON. Nobody does it more often.
const MOST_LAYERS: usize = 5;
/// The text before a signature in an `authorization` header.
const BEFORE_SIGNATURE: &[u8] = b"sig=";

/// Returns the text without these secrets, and without any other signature behind `sig=`.
///
/// Finds a secret or a part of it as it is, in other case, as base64 for URLs, and percent-encoded, escaped in JSON or as HTML
/// entities, each of them in the others, too.
pub(super) fn redact(text: &[u8], secrets: &[&str]) -> Vec<u8> {
    let plain = Unescaped::of(text);
    let secrets: Vec<Vec<u8>> = secrets.iter().map(|secret| secret.bytes().map(spelled).collect()).collect();
    let parts: BTreeSet<&[u8]> = secrets
        .iter()
        .filter(|secret| !secret.is_empty())
        .flat_map(|secret| secret.windows(LEAST.min(secret.len())))
        .collect();
    let lengths: BTreeSet<usize> = parts.iter().map(|part| part.len()).collect();
    let mut out = Vec::with_capacity(text.len());
    let (mut at, mut raw) = (0, 0);
    while at < plain.bytes.len() {
        let rest = plain.bytes.get(at..).unwrap_or(&[]);
        let known = |from: usize| {
            lengths
                .iter()
                .copied()
                .find(|length| rest.get(from..from + length).is_some_and(|part| parts.contains(part)))
        };
        let secret = match known(0) {
            // As long as each next character belongs to a secret.
            Some(length) => {
                (0, (0..).map_while(|from| known(from).map(|length| from + length)).last().unwrap_or(length))
            }
            None => signature(rest).unwrap_or((1, 0)),
        };
        let (keep, hide) = secret;
        let kept = raw..plain.end(at + keep);
        out.extend_from_slice(text.get(kept).unwrap_or(&[]));
        if hide > 0 {
            out.extend_from_slice(HIDDEN);
        }
        at += keep + hide;
        raw = plain.end(at);
    }
    out
}

/// Returns how many characters `sig=` takes, and how many the signature behind it.
fn signature(text: &[u8]) -> Option<(usize, usize)> {
    let behind = text.strip_prefix(BEFORE_SIGNATURE)?;
    let of_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    let length = behind.iter().take_while(|byte| of_base64(byte)).count();
    (length >= LEAST).then_some((BEFORE_SIGNATURE.len(), length))
}

/// A character as it is compared.
fn spelled(byte: u8) -> u8 {
    match byte {
        b'-' => b'+',
        b'_' => b'/',
        byte => byte.to_ascii_lowercase(),
    }
}

/// A text without its escapes.
struct Unescaped {
    bytes: Vec<u8>,
    /// Where each of them ends in the text.
    ends: Vec<usize>,
}

impl Unescaped {
    fn of(text: &[u8]) -> Self {
        let mut plain = Self { bytes: text.to_vec(), ends: (1..=text.len()).collect() };
        for _ in 0..MOST_LAYERS {
            let count = plain.bytes.len();
            plain = plain.without_a_layer();
            if plain.bytes.len() == count {
                break;
            }
        }
        plain.bytes.iter_mut().for_each(|byte| *byte = spelled(*byte));
        plain
    }

    fn without_a_layer(&self) -> Self {
        let mut plain =
            Self { bytes: Vec::with_capacity(self.bytes.len()), ends: Vec::with_capacity(self.ends.len()) };
        let mut at = 0;
        while let Some((byte, length)) = self.bytes.get(at..).and_then(unescaped) {
            at += length;
            plain.bytes.push(byte);
            plain.ends.push(self.end(at));
        }
        plain
    }

    /// Returns where in the text the first of these characters end.
    fn end(&self, count: usize) -> usize {
        count.checked_sub(1).and_then(|last| self.ends.get(last)).copied().unwrap_or(0)
    }
}

/// Returns the first character of the text, and how many bytes it takes with its escape.
fn unescaped(text: &[u8]) -> Option<(u8, usize)> {
    let plain = (*text.first()?, 1);
    let escaped = match text {
        [b'%', high, low, ..] => hex(&[*high, *low]).map(|byte| (byte, 3)),
        [b'\\', b'u', b'0', b'0', high, low, ..] => hex(&[*high, *low]).map(|byte| (byte, 6)),
        [b'\\', b'x', high, low, ..] => hex(&[*high, *low]).map(|byte| (byte, 4)),
        [b'\\', byte @ (b'/' | b'\\' | b'"'), ..] => Some((*byte, 2)),
        [b'&', rest @ ..] => entity(rest),
        _ => None,
    };
    Some(escaped.unwrap_or(plain))
}

/// Reads what follows `&` in HTML: `#43;`, `#x2B;` or `plus;`.
fn entity(text: &[u8]) -> Option<(u8, usize)> {
    let end = text.iter().take(8).position(|byte| *byte == b';')?;
    let byte = match text.get(..end)? {
        [b'#', b'x' | b'X', digits @ ..] => hex(digits)?,
        [b'#', digits @ ..] => std::str::from_utf8(digits).ok()?.parse().ok()?,
        b"amp" => b'&',
        b"plus" => b'+',
        b"sol" => b'/',
        b"equals" => b'=',
        _ => return None,
    };
    Some((byte, end + 2))
}

fn hex(digits: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(digits).ok().filter(|text| !text.starts_with('+'))?;
    u8::from_str_radix(text, 16).ok()
}
