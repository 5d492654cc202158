//! Hides keys and signatures in text from a server: some servers repeat the request that they refuse.
//!
//! [`redact`] runs before anything of a response is parsed, so neither a message nor an item can carry a secret on.

/// The text that a reader sees in place of a secret.
const HIDDEN: &[u8] = b"(hidden)";
/// The first characters of a secret that hide it, too: a server may cut what it repeats. Fewer may be there by chance.
const PREFIX: usize = 12;
/// The text before a signature in an `authorization` header.
const BEFORE_SIGNATURE: &[u8] = b"sig=";

/// Returns the text without these secrets, and without any other signature behind `sig=`.
///
/// Finds a secret as it is, percent-encoded once or twice, escaped in JSON, as HTML entities, and in other case.
pub(super) fn redact(text: &[u8], secrets: &[&str]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let known = secrets.iter().filter(|secret| !secret.is_empty()).find_map(|secret| {
            let (chars, length) = common_prefix(rest, secret.as_bytes());
            (chars >= PREFIX.min(secret.len())).then_some((0, length))
        });
        if let Some((keep, hide)) = known.or_else(|| signature(rest)) {
            let (kept, others) = rest.split_at_checked(keep).unwrap_or((rest, &[]));
            out.extend_from_slice(kept);
            out.extend_from_slice(HIDDEN);
            rest = others.get(hide..).unwrap_or(&[]);
        } else {
            out.push(*first);
            rest = after;
        }
    }
    out
}

/// Returns how many bytes of `sig=` come first, and how many bytes of a signature follow.
fn signature(text: &[u8]) -> Option<(usize, usize)> {
    let (chars, keep) = common_prefix(text, BEFORE_SIGNATURE);
    if chars < BEFORE_SIGNATURE.len() {
        return None;
    }
    let mut rest = text.get(keep..)?;
    let (mut count, mut hide) = (0, 0);
    while let Some((byte, length)) = decoded(rest) {
        if !byte.is_ascii_alphanumeric() && !b"+/=".contains(&byte) {
            break;
        }
        (count, hide) = (count + 1, hide + length);
        rest = rest.get(length..)?;
    }
    (count >= PREFIX).then_some((keep, hide))
}

/// Returns how many characters of the secret the text begins with, and how many bytes they take there.
fn common_prefix(text: &[u8], secret: &[u8]) -> (usize, usize) {
    let (mut rest, mut length) = (text, 0);
    for (chars, wanted) in secret.iter().enumerate() {
        match decoded(rest) {
            Some((byte, bytes)) if byte.eq_ignore_ascii_case(wanted) => {
                length += bytes;
                rest = rest.get(bytes..).unwrap_or(&[]);
            }
            _ => return (chars, length),
        }
    }
    (secret.len(), length)
}

/// Returns the first character of the text, whichever way it is escaped, and how many bytes it takes.
fn decoded(text: &[u8]) -> Option<(u8, usize)> {
    let plain = (*text.first()?, 1);
    let escaped = match text {
        [b'%', b'2', b'5', high, low, ..] if hex(&[*high, *low]).is_some() => {
            hex(&[*high, *low]).map(|byte| (byte, 5))
        }
        [b'%', high, low, ..] => hex(&[*high, *low]).map(|byte| (byte, 3)),
        [b'\\', b'u', b'0', b'0', high, low, ..] => hex(&[*high, *low]).map(|byte| (byte, 6)),
        [b'\\', byte @ b'/', ..] => Some((*byte, 2)),
        [b'&', b'#', rest @ ..] => entity(rest),
        _ => None,
    };
    Some(escaped.unwrap_or(plain))
}

/// Reads `43;` or `x2B;`, what follows `&#` in HTML.
fn entity(text: &[u8]) -> Option<(u8, usize)> {
    let end = text.iter().take(5).position(|byte| *byte == b';')?;
    let byte = match text.get(..end)? {
        [b'x' | b'X', digits @ ..] => hex(digits)?,
        digits => std::str::from_utf8(digits).ok()?.parse().ok()?,
    };
    Some((byte, end + 3))
}

fn hex(digits: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(digits).ok().filter(|text| !text.starts_with('+'))?;
    u8::from_str_radix(text, 16).ok()
}
