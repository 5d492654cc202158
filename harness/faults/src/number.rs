//! Reads a `ttl` or a `defaultTtl` as it was sent.

use cosmos_ttl_harness::literal::Literal;

/// The greatest lifetime, in seconds.
pub const GREATEST: i128 = 2_147_483_647;

/// What a client sent as a lifetime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// Nothing: the property is absent.
    Absent,
    /// `null`
    Null,
    /// A number without a fractional part.
    Number(SentNumber),
    /// Anything else.
    Other,
}

/// A number without a fractional part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentNumber {
    /// Its value; at most 10^30 and at least -10^30.
    pub value: i128,
    /// Whether it was written with a point or an exponent.
    pub fractional: bool,
    /// Whether it was written with a minus sign.
    pub minus: bool,
}

/// Reads what a client sent.
pub fn read(literal: Option<&Literal>) -> Sent {
    let Some(literal) = literal else { return Sent::Absent };
    let text = literal.as_str();
    match text.as_bytes().first() {
        _ if text == "null" => Sent::Null,
        Some(b'-' | b'0'..=b'9') => number(text).map_or(Sent::Other, Sent::Number),
        _ => Sent::Other,
    }
}

/// Returns the number, unless it has a fractional part.
fn number(text: &str) -> Option<SentNumber> {
    let fractional = text.contains(['.', 'e', 'E']);
    let (minus, unsigned) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits = format!("{before}{after}");
    // An exponent that does not fit decides by its sign alone.
    let exponent = exponent.parse().unwrap_or(if exponent.starts_with('-') { -100_000_i64 } else { 100_000 });
    let mut shift = exponent.saturating_sub(i64::try_from(after.len()).unwrap_or(i64::MAX));
    while shift < 0 && digits.ends_with('0') {
        digits.pop();
        shift += 1;
    }
    let magnitude = match digits.trim_start_matches('0') {
        "" => 0,
        _ if shift < 0 => return None,
        digits => {
            let zeros = "0".repeat(usize::try_from(shift.min(40)).unwrap_or(0));
            format!("{digits}{zeros}").parse().unwrap_or(i128::MAX).min(10_i128.pow(30))
        }
    };
    Some(SentNumber { value: if minus { -magnitude } else { magnitude }, fractional, minus })
}
