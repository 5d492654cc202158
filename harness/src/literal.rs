//! A JSON value kept as text, exactly as it was written: `10.0` stays `10.0`, and `1e400` stays itself.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

/// Valid JSON text.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal(Arc<str>);

/// What a literal is, as far as time to live asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiteralKind {
    /// `null`
    Null,
    /// A number written as a whole number. Past 64 bits it is the nearest that fits: far beyond every setting.
    Whole(i64),
    /// A number that is whole, yet written with a fraction or an exponent: `10.0`, `1e1`, `1e400`.
    WholeAsFraction(i64),
    /// Anything else: `1.5`, `"10"`, `true`, `[]`, `{}`.
    Other,
}

impl Literal {
    /// Takes JSON text as it is, spaces around it aside.
    ///
    /// # Errors
    ///
    /// Where the text is no JSON value.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        let raw: &RawValue = serde_json::from_str(text)?;
        Ok(Self(raw.get().into()))
    }

    /// The JSON text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What it is.
    pub fn kind(&self) -> LiteralKind {
        match self.0.as_bytes() {
            b"null" => LiteralKind::Null,
            [b'-' | b'0'..=b'9', ..] => number_kind(&self.0),
            _ => LiteralKind::Other,
        }
    }

    /// Whether both are the same value: numbers compare as numbers, objects without regard to order.
    pub fn same_value(&self, other: &Self) -> bool {
        use LiteralKind::{Whole, WholeAsFraction};
        if self == other {
            return true;
        }
        match (self.kind(), other.kind()) {
            // Both sides are exact here, which a comparison as floats would not be.
            (Whole(a) | WholeAsFraction(a), Whole(b) | WholeAsFraction(b)) => {
                a == b && a != i64::MAX && a != i64::MIN
            }
            _ => match (serde_json::from_str(&self.0), serde_json::from_str(&other.0)) {
                (Ok(a), Ok(b)) => same_json(&a, &b),
                _ => false,
            },
        }
    }
}

fn same_json(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_json(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same_json(a, b)))
        }
        _ => a == b,
    }
}

/// Decides by the digits, so that no rounding can make a fraction whole.
fn number_kind(text: &str) -> LiteralKind {
    if !text.contains(['.', 'e', 'E']) {
        return LiteralKind::Whole(saturating_number(text));
    }
    // An exponent past 64 bits belongs to no number that anybody means; its sign is all that matters.
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let (sign, whole) = whole.strip_prefix('-').map_or(("", whole), |whole| ("-", whole));
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return LiteralKind::WholeAsFraction(0);
    }
    // The value is `significant` followed by `zeros` zeros: whole unless that is a negative number of them.
    let significant = digits.trim_end_matches('0');
    let trailing = length(digits).saturating_sub(length(significant));
    let zeros = saturating_number(exponent).saturating_sub(length(fraction)).saturating_add(trailing);
    let Ok(zeros) = usize::try_from(zeros) else { return LiteralKind::Other };
    let zeros = "0".repeat(zeros.min(20));
    LiteralKind::WholeAsFraction(saturating_number(&format!("{sign}{significant}{zeros}")))
}

fn length(text: &str) -> i64 {
    i64::try_from(text.len()).unwrap_or(i64::MAX)
}

fn saturating_number(text: &str) -> i64 {
    text.parse().unwrap_or(if text.starts_with('-') { i64::MIN } else { i64::MAX })
}

impl From<i64> for Literal {
    fn from(number: i64) -> Self {
        Self(number.to_string().into())
    }
}

impl From<&Value> for Literal {
    fn from(value: &Value) -> Self {
        Self(value.to_string().into())
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl serde::Serialize for Literal {
    /// As the JSON text itself, which only a JSON serializer can carry.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_json::from_str::<&RawValue>(&self.0).map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for Literal {
    /// From JSON text; loses nothing.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Ok(Self(raw.get().into()))
    }
}
