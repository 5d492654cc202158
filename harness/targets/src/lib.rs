//! Two ways to reach a store: a [`process`] in any language, and an endpoint over [`http`].
//!
//! ```
//! use cosmos_ttl_explore::reference::Reference;
//! use cosmos_ttl_targets::process::serve::serve;
//!
//! // The reference answers the protocol as an adapter does.
//! let hello = br#"{"q":1,"hello":{"protocol":1,"harness":"example"}}"#;
//! let mut replies = Vec::new();
//! serve(&Reference::default(), &hello[..], &mut replies)?;
//! assert!(String::from_utf8_lossy(&replies).contains(r#""clock":"virtual""#));
//! # Ok::<(), std::io::Error>(())
//! ```

#![allow(clippy::arithmetic_side_effects, reason = "counts of messages, attempts and bytes")]

#[cfg(feature = "http")]
pub mod http;
pub mod process;

use std::sync::{Mutex, MutexGuard, PoisonError};

use cosmos_ttl_harness::target::{Body, Fault, Response};

/// Locks what no panic leaves half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The most that one answer may hold: properties of an item, ids, or statuses of a batch.
const MOST_PARTS: usize = 2_000;
/// The longest that they, their names and an etag may be together, in bytes.
const MOST_BYTES: usize = 1 << 18;

/// Returns a response that is small enough to be kept: a run keeps many.
fn bounded(response: Response) -> Result<Response, Fault> {
    let (parts, mut bytes) = match &response.body {
        Body::Item(item) => {
            let properties = &item.document.properties;
            let text =
                properties.iter().map(|(name, value)| name.len() + value.as_str().len()).sum::<usize>();
            (properties.len(), text + item.etag.as_ref().map_or(0, String::len))
        }
        Body::Ids(ids) => (ids.len(), ids.iter().map(String::len).sum()),
        Body::Committed(statuses) => (statuses.len(), 0),
        Body::Values(values) => (values.len(), values.iter().map(|value| value.as_str().len()).sum()),
        Body::Container { default_ttl } => (1, default_ttl.as_ref().map_or(0, |value| value.as_str().len())),
        Body::Nothing | Body::Count(_) | Body::Aborted { .. } => (0, 0),
    };
    bytes += response.continuation.as_ref().map_or(0, String::len);
    check_size(parts, bytes)?;
    Ok(response)
}

/// Returns a fault for an answer that is too large to be kept.
fn check_size(parts: usize, bytes: usize) -> Result<(), Fault> {
    if parts <= MOST_PARTS && bytes <= MOST_BYTES {
        return Ok(());
    }
    Err(Fault::Broken(format!(
        "an answer with {parts} properties, ids or statuses of {bytes} bytes together; at most {MOST_PARTS} and \
         {MOST_BYTES} bytes are taken"
    )))
}
