//! Pages of everything that is listed: how long they are, and where the next one continues.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::answer::{RestAnswer, RestRefusal};
use crate::rest::RestRequest;

const CONTINUATION: &str = "x-ms-continuation";
const MAX_ITEMS: &str = "x-ms-max-item-count";
/// The entries of a page where the client does not say, and at most.
const PAGE: usize = 100;
const LARGEST_PAGE: usize = 1000;
/// No further entry after as many bytes of a page.
const PAGE_BYTES: usize = 1024 * 1024;

/// The bounds of one page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageBounds {
    /// At most as many entries.
    pub(crate) items: usize,
    /// No further entry after as many bytes.
    pub(crate) bytes: usize,
}

/// Reads how long a page may be.
pub(crate) fn bounds(request: &RestRequest) -> Result<PageBounds, RestRefusal> {
    let items = match request.header(MAX_ITEMS).map(|text| text.trim().parse::<i64>()) {
        None => PAGE,
        Some(Ok(-1)) => LARGEST_PAGE,
        Some(Ok(count @ 1..)) => usize::try_from(count).unwrap_or(LARGEST_PAGE).min(LARGEST_PAGE),
        Some(_) => {
            let message = format!("`{MAX_ITEMS}` must be -1 or a whole number of at least 1");
            return Err(RestRefusal::bad(message));
        }
    };
    Ok(PageBounds { items, bytes: PAGE_BYTES })
}

/// Reads behind which entry a page begins; `None` means at the start.
pub(crate) fn after<T: DeserializeOwned>(request: &RestRequest) -> Result<Option<T>, RestRefusal> {
    let read = |token: &str| {
        let bytes = STANDARD.decode(token).ok();
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).ok_or_else(no_token)
    };
    request.header(CONTINUATION).filter(|token| !token.is_empty()).map(read).transpose()
}

pub(crate) fn no_token() -> RestRefusal {
    RestRefusal::bad(format!("`{CONTINUATION}` is no token of this server for this list"))
}

/// Adds the token that continues behind the last entry of a page, if there may be more.
pub(crate) fn continued<T: Serialize>(answer: RestAnswer, last: Option<&T>) -> RestAnswer {
    match last.map(serde_json::to_string) {
        Some(Ok(last)) => answer.with(CONTINUATION, STANDARD.encode(last)),
        _ => answer,
    }
}
