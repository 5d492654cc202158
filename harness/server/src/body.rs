//! Helpers to read bodies of every kind: JSON objects, names, values.

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Properties, UniqueKeys};

use crate::answer::RestRefusal;
use crate::system_properties::without_system_properties;

/// Reads a JSON object, without what only a server sets.
pub(crate) fn properties(text: &str) -> Result<Properties, RestRefusal> {
    let UniqueKeys::<Literal>(mut properties) = serde_json::from_str(text)
        .map_err(|error| RestRefusal::bad(format!("the body is no JSON object: {error}")))?;
    without_system_properties(&mut properties);
    Ok(properties)
}

/// Checks what a name of a resource must be.
/// The refusal is 400 if it is empty, too long, or has a character that no path can carry.
pub(crate) fn check_name(id: &str, longest: usize) -> Result<(), RestRefusal> {
    let bad = |c: char| matches!(c, '/' | '\\' | '?' | '#') || c.is_control();
    if id.is_empty()
        || id.len() > longest
        || id.contains(bad)
        || id.ends_with(' ')
        || matches!(id, "." | "..")
    {
        return Err(RestRefusal::bad(format!(
            "`id` must have 1 to {longest} bytes, without / \\ ? #, control characters, or a space at its end"
        )));
    }
    Ok(())
}

/// Returns JSON text, cut where it is long.
pub(crate) fn shortened(value: &Literal) -> String {
    const MOST: usize = 40;
    let text = value.as_str();
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
