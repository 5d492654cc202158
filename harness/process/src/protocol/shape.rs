//! Whether a list stands where an object must: a type that reads objects would read a list of its fields as well, which the
//! schema does not know.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// Where a value is a list in one of two texts and an object in the other, as a path; `None` if nowhere, or if either is no
/// JSON. Numbers are not looked at: no type of ours could hold all that may be written.
pub(super) fn differs(one: &str, other: &str) -> Option<String> {
    let (one, other) = (serde_json::from_str(one).ok()?, serde_json::from_str(other).ok()?);
    at(one, other, "")
}

fn at(one: &RawValue, other: &RawValue, path: &str) -> Option<String> {
    match (kind(one), kind(other)) {
        (Some(b'{'), Some(b'{')) => {
            let (one, other) = (fields(one)?, fields(other)?);
            let both = one.iter().filter_map(|(name, value)| Some((name, *value, *other.get(name)?)));
            both.into_iter().find_map(|(name, one, other)| at(one, other, &format!("{path}{name}.")))
        }
        (Some(b'['), Some(b'[')) => {
            let (one, other) = (values(one)?, values(other)?);
            one.iter().zip(other).find_map(|(one, other)| at(one, other, path))
        }
        (one, other) if one == other => None,
        _ => Some(path.trim_end_matches('.').into()),
    }
}

/// The bracket that a list or an object begins with.
fn kind(value: &RawValue) -> Option<u8> {
    value.get().bytes().next().filter(|first| matches!(first, b'{' | b'['))
}

fn fields(value: &RawValue) -> Option<BTreeMap<String, &RawValue>> {
    serde_json::from_str(value.get()).ok()
}

fn values(value: &RawValue) -> Option<Vec<&RawValue>> {
    serde_json::from_str(value.get()).ok()
}
