//! Tells which text without quotes a reader of YAML 1.1 takes for something else.
//!
//! Our two readers know only `true` and `false`. Others, as that of Python, also read `off` as false, `2024-01-01` as a date and
//! `1:30` as 90. A file of ours must mean the same in any language, so such a text has quotes.

/// `y` and `n` are left out: the page of YAML 1.1 has them, but no reader in wide use takes them for more than letters.
const TRUTHS: [&str; 4] = ["yes", "no", "on", "off"];

/// Returns whether a reader of YAML 1.1 takes this text for something else, and ours take it for a text.
pub(crate) fn has_one(text: &str) -> bool {
    is_truth(text) || text == "=" || is_date(text) || is_sexagesimal(text)
}

/// The word in small letters, in capital letters, or with a capital letter first.
fn is_truth(text: &str) -> bool {
    let rest = text.get(1..).unwrap_or_default();
    let one_case =
        rest.bytes().all(|c| c.is_ascii_lowercase()) || text.bytes().all(|c| c.is_ascii_uppercase());
    one_case && TRUTHS.iter().any(|truth| truth.eq_ignore_ascii_case(text))
}

/// A date, perhaps with a time after it.
fn is_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let digits = |part: Option<&str>, count: usize| {
        part.is_some_and(|part| part.len() <= count && part.bytes().all(|c| c.is_ascii_digit()))
    };
    digits(parts.next().filter(|year| year.len() == 4), 4)
        && digits(parts.next().filter(|month| !month.is_empty()), 2)
        && parts.next().is_some_and(|day| day.starts_with(|c: char| c.is_ascii_digit()))
}

/// A number to the base 60.
fn is_sexagesimal(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    unsigned.contains(':')
        && unsigned.starts_with(|c: char| c.is_ascii_digit())
        && unsigned.bytes().all(|c| c.is_ascii_digit() || matches!(c, b':' | b'_' | b'.'))
}
