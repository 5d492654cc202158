//! Identifies a failure by what the vector format writes for both sides, whatever the message to people says.

use crate::describe::{self, list};
use crate::literal::{Literal, LiteralKind};
use crate::plain::visible;
use crate::target::{Body, Response, Status};
use crate::vector::{ExpectedResponse, render};
use crate::yaml::other_reading;

/// The identity of a failure at its second. Both sides are YAML in the words of the vector format: `not-found`,
/// `[a, b]`, `{found: {ttl: 5}}`. They change only with the format of lists of known failures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The expected response.
    pub expected: String,
    /// The actual response.
    pub got: String,
}

/// One side of a difference: the words for people, and the YAML that identifies it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FailureSide {
    pub(crate) words: String,
    pub(crate) yaml: String,
}

impl FailureSide {
    /// An expected response without the details of its item.
    pub(crate) fn expected(response: &ExpectedResponse) -> Self {
        let yaml = match response {
            ExpectedResponse::Status(status, _) => self::status(*status),
            // The other kinds have no details, which alone may be unwritable.
            response => render::expected_response(response, &[]).unwrap_or_default(),
        };
        Self { words: describe::expected(response), yaml }
    }

    /// A response without its item.
    pub(crate) fn got(response: &Response) -> Self {
        let detail = response.detail.as_deref();
        let yaml = match (&response.body, response.status, detail) {
            (Body::Ids(ids), Status::Ok, _) => list(describe::bounded_ids(ids).iter().map(|id| text(id))),
            (Body::Count(count), Status::Ok, _) => count.to_string(),
            (Body::Values(_), Status::Ok, _) => text(&describe::response(response)),
            (Body::Committed(statuses), Status::Ok, _) => {
                format!("{{committed: {}}}", list(statuses.iter().map(|status| self::status(*status))))
            }
            (Body::Aborted { at }, status, _) => {
                format!("{{aborted: {{at: {at}, with: {}}}}}", self::status(status))
            }
            (_, status @ Status::Other(_), Some(detail)) => {
                format!("{{{}: {}}}", self::status(status), text(&describe::excerpt(detail)))
            }
            (_, status, _) => self::status(status),
        };
        Self { words: describe::response_with_detail(response), yaml }
    }

    pub(crate) fn item(status: Status, words: &str, field: &str) -> Self {
        Self {
            words: format!("{status} {words}"),
            yaml: format!("{{{}: {{{field}}}}}", self::status(status)),
        }
    }

    pub(crate) fn property(status: Status, name: &str, value: &Literal) -> Self {
        let value = describe::excerpt(value.as_str());
        Self::item(status, &format!("with {name}: {value}"), &property(name, &value))
    }

    pub(crate) fn without(status: Status, name: &str) -> Self {
        Self::item(status, &format!("without {name}"), &format!("absent: [{}]", text(name)))
    }
}

/// A status: its word, or its code where it has none.
pub(crate) fn status(status: Status) -> String {
    match status {
        Status::Other(code) => code.to_string(),
        status => status.word().into(),
    }
}

/// A property as a field: whole numbers and null as they are, anything else as JSON text.
pub(crate) fn property(name: &str, json: &str) -> String {
    let literal = Literal::parse(json);
    match literal.as_ref().map(Literal::kind) {
        Ok(LiteralKind::Whole(number)) if number.to_string() == json => format!("{}: {json}", key(name)),
        Ok(LiteralKind::Null) => format!("{}: null", key(name)),
        _ => format!("{}: {}", key(&format!("{name}-json")), text(json)),
    }
}

/// Text from elsewhere as a key.
pub(crate) fn key(name: &str) -> String {
    let harmless = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let plain = name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(harmless)
        && !other_reading::has_one(name);
    if plain { name.into() } else { text(name) }
}

/// Text from elsewhere as a scalar.
pub(crate) fn text(text: &str) -> String {
    render::text(&visible(text))
}
