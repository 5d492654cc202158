//! Answers to a client: a status, headers and a body; and every refusal, as the clients expect it.

use cosmos_ttl_harness::target::{Fault, Status};
use serde_json::json;

/// A response, before it is written to a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestAnswer {
    /// The HTTP status code.
    pub status: u16,
    /// Headers with lower-case names. `content-type` is always JSON.
    pub headers: Vec<(&'static str, String)>,
    /// JSON text; empty where there is none.
    pub body: String,
}

impl RestAnswer {
    /// Returns a response with this body.
    pub fn new(status: u16, body: impl Into<String>) -> Self {
        Self { status, headers: Vec::new(), body: body.into() }
    }

    /// Returns a response without a body.
    pub fn empty(status: u16) -> Self {
        Self::new(status, "")
    }

    /// Adds a header.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Returns the value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }
}

/// Why a request has no effect: the status, the service's word for it, and a sentence that says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestRefusal {
    /// The HTTP status code.
    pub status: u16,
    /// `x-ms-substatus`, where the clients look at it.
    pub substatus: Option<u32>,
    /// A sentence for people.
    pub message: String,
}

impl RestRefusal {
    /// Returns a refusal with this status.
    pub fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, substatus: None, message: message.into() }
    }

    /// Returns the refusal of a request that is malformed.
    pub fn bad(message: impl Into<String>) -> Self {
        Self::new(400, message)
    }

    /// Returns the refusal of a request that the service offers and this server does not.
    pub fn not_offered(what: impl std::fmt::Display) -> Self {
        Self::new(
            501,
            format!(
                "{what} is not offered: this server is no general emulator; harness/server/README.md lists what it offers"
            ),
        )
    }

    /// Returns the refusal of a request about something that does not exist.
    pub fn not_found(what: impl std::fmt::Display) -> Self {
        Self::new(404, format!("{what} does not exist"))
    }

    /// Adds a substatus.
    #[must_use]
    pub fn with_substatus(self, substatus: u32) -> Self {
        Self { substatus: Some(substatus), ..self }
    }

    /// Returns the refusal that a status of a store means; `why` says more where something is known.
    pub fn of_status(status: Status, why: Option<String>) -> Self {
        let code = status_code(status);
        Self::new(code, why.unwrap_or_else(|| words(code).1.to_owned()))
    }
}

impl From<Fault> for RestRefusal {
    fn from(fault: Fault) -> Self {
        let status = match fault {
            Fault::Unsupported(_) => 501,
            Fault::Unknown(_) => 503,
            Fault::Broken(_) => 500,
            Fault::Misuse(_) => 400,
        };
        Self::new(status, fault.to_string())
    }
}

impl From<RestRefusal> for RestAnswer {
    fn from(refusal: RestRefusal) -> Self {
        let (code, _) = words(refusal.status);
        // The clients print the message as it is.
        let body = json!({ "code": code, "message": refusal.message }).to_string();
        let answer = Self::new(refusal.status, body);
        match refusal.substatus {
            Some(substatus) => answer.with("x-ms-substatus", substatus.to_string()),
            None => answer,
        }
    }
}

/// Returns the HTTP status code of a status.
pub(crate) fn status_code(status: Status) -> u16 {
    match status {
        Status::Other(code) => code,
        status => Status::WORDS.iter().find(|(known, ..)| *known == status).map_or(500, |(.., code)| *code),
    }
}

/// The service's word for each status, and what it says where nothing more is known.
const CODES: [(u16, &str, &str); 13] = [
    (400, "BadRequest", "the request is not valid"),
    (401, "Unauthorized", ""),
    (403, "Forbidden", ""),
    (404, "NotFound", "no such item is visible"),
    (408, "RequestTimeout", ""),
    (409, "Conflict", "an item with this id is visible"),
    (412, "PreconditionFailed", "the item's etag is another one"),
    (413, "RequestEntityTooLarge", ""),
    (424, "FailedDependency", "another operation of the batch was refused"),
    (429, "TooManyRequests", "the request units of this second are used up; try again in the next second"),
    (501, "NotImplemented", ""),
    (503, "ServiceUnavailable", ""),
    (500, "InternalServerError", "the store answered with this status"),
];

fn words(status: u16) -> (&'static str, &'static str) {
    let known = CODES.iter().find(|(code, ..)| *code == status).or(CODES.last());
    known.map_or(("", ""), |(_, word, message)| (*word, *message))
}
