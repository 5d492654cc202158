//! Helpers to read requests of every kind: JSON objects, names, verbs.

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Properties, UniqueKeys};

use crate::answer::RestRefusal;
use crate::rest::RestRequest;
use crate::system_properties::without_system_properties;

/// Reads a JSON object, without what only a server sets.
pub(crate) fn properties(text: &str) -> Result<Properties, RestRefusal> {
    let UniqueKeys::<Literal>(mut properties) = serde_json::from_str(text)
        .map_err(|error| RestRefusal::bad(format!("the body is no JSON object: {error}")))?;
    without_system_properties(&mut properties);
    Ok(properties)
}

/// Checks what a name of a resource must be.
/// 400 if it is empty, too long, or has a character that no path can carry.
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

/// Returns whether a POST is a query.
pub(crate) fn is_query(request: &RestRequest) -> bool {
    request.says("x-ms-documentdb-isquery")
        || request.says("x-ms-cosmos-is-query-plan-request")
        || request.header("content-type").is_some_and(|media| media.starts_with("application/query+json"))
}

/// Returns the verb, if it is one that HTTP knows: it is text from outside.
pub(crate) fn verb(request: &RestRequest) -> &str {
    const KNOWN: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    KNOWN.into_iter().find(|verb| *verb == request.verb).unwrap_or("this method")
}
