//! Control requests: an endpoint that offers them lets the harness move its clock and say when it removes items.
//!
//! Such an endpoint says so in a header of every answer, so that no other endpoint is asked. `harness/server` is one.

use cosmos_ttl_harness::target::Clock;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;

use super::client::HttpResponse;
use super::wire::{ContainerLink, HttpRequest};

const HEADER: &str = "x-cosmos-ttl-control";
const REMOVAL: &str = "x-cosmos-ttl-removal";
/// The schedule under which the harness says when items are removed.
const BY_HAND: &str = "by-hand";
/// The version of the control requests that this target sends.
const VERSION: &str = "1";

/// The control requests that an endpoint offers.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct ControlOffer {
    clock: Clock,
    removals: Vec<String>,
}

impl ControlOffer {
    /// Returns whether the endpoint may be asked for its offer.
    pub(super) fn is_announced(headers: &HeaderMap) -> bool {
        headers.get(HEADER).is_some_and(|version| version == VERSION)
    }

    /// Reads the offer; `None` if its clock runs by itself, so that there is nothing to control, or it cannot be read.
    pub(super) fn read(answer: &HttpResponse) -> Option<Self> {
        let offer: Self = serde_json::from_slice(&answer.body).ok().filter(|_| answer.status == 200)?;
        (offer.clock == Clock::Virtual).then_some(offer)
    }

    /// Returns whether expired items can be removed by hand.
    pub(super) fn purges(&self) -> bool {
        self.removals.iter().any(|word| word == BY_HAND)
    }

    /// Returns the header with which a container is created, if it is told when to remove.
    pub(super) fn header(&self) -> Option<(HeaderName, HeaderValue)> {
        let header = (HeaderName::from_static(REMOVAL), HeaderValue::from_static(BY_HAND));
        self.purges().then_some(header)
    }
}

/// `GET /_ttl`
pub(super) fn offer() -> HttpRequest {
    HttpRequest::control(http::Method::GET, "/_ttl".to_owned())
}

/// `POST /_ttl/advance`
pub(super) fn advance(container: &ContainerLink, seconds: u64) -> HttpRequest {
    let path = format!("/_ttl/advance?seconds={seconds}&container={}", container.link);
    HttpRequest::control(http::Method::POST, path)
}

/// `POST /_ttl/remove-expired`
pub(super) fn remove_expired(container: &ContainerLink) -> HttpRequest {
    HttpRequest::control(http::Method::POST, format!("/_ttl/remove-expired?container={}", container.link))
}
