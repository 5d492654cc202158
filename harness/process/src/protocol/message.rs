//! The messages themselves: what the harness asks, and what a process replies.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::line::Kinds;
use super::{Answer, Request, VERSION};
use cosmos_ttl_harness::target::{Clock, Edition};

/// What the harness asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ask {
    /// Comes first, once.
    Hello(Greeting),
    /// Asks for an empty, isolated place.
    Open(Open),
    /// A client's request in such a place.
    Send(Send),
    /// Moves the clock of a place forward; only where it is virtual.
    Pass(Pass),
    /// Tells the background of a place what to do; only where the process said that it can be told.
    Purge(Purge),
    /// Gives a place up; a place that was given up may be given up again.
    Close(Close),
    /// Comes last: the process is to end.
    Bye(Empty),
}

impl Kinds for Ask {
    const KINDS: &'static [&'static str] = &["hello", "open", "send", "pass", "purge", "close", "bye"];
}

impl Ask {
    /// The first message.
    pub fn hello() -> Self {
        let harness = concat!("cosmos-ttl ", env!("CARGO_PKG_VERSION")).into();
        Self::Hello(Greeting { protocol: VERSION, harness })
    }

    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Hello(_) => "hello",
            Self::Open(_) => "open",
            Self::Send(_) => "send",
            Self::Pass(_) => "pass",
            Self::Purge(_) => "purge",
            Self::Close(_) => "close",
            Self::Bye(_) => "bye",
        }
    }
}

/// What a process replies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// To `hello`: who it is.
    Hello(Hello),
    /// To everything but `hello` and `send`: done.
    Ok(Empty),
    /// To `send`: the answer, which may be a refusal.
    Answer(Answer),
    /// It does not offer this; why.
    Unsupported(String),
    /// It cannot know whether the request had its effect; why.
    Unknown(String),
    /// It, or what it talks to, broke; why.
    Broken(String),
}

impl Kinds for Reply {
    const KINDS: &'static [&'static str] = &["hello", "ok", "answer", "unsupported", "unknown", "broken"];
}

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Greeting {
    /// The version of the protocol that the harness speaks.
    pub protocol: u32,
    /// The harness's name and version, for a log.
    pub harness: String,
}

/// Who replies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hello {
    /// The version of the protocol that the process speaks.
    pub protocol: u32,
    /// What it is.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Whose clock counts.
    pub clock: Clock,
    /// Under which editions of the rules a place can be opened; the latest, if nothing is said.
    #[serde(default = "latest")]
    pub editions: Vec<Edition>,
    /// Whether its background can be told when to remove expired items.
    #[serde(default)]
    pub purge: bool,
}

fn latest() -> Vec<Edition> {
    vec![Edition::default()]
}

/// A place for one storyboard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Open {
    /// Its name; no two places of a process have the same.
    pub session: String,
    /// One of the editions that the process offers.
    pub edition: Edition,
}

/// A client's request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Send {
    /// In which place.
    pub session: String,
    /// What is asked.
    pub request: Request,
}

/// Time passes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pass {
    /// In which place; whether it passes elsewhere too does not matter.
    pub session: String,
    /// How much.
    pub seconds: u64,
}

/// What the background is to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Purge {
    /// In which place.
    pub session: String,
    /// What.
    #[serde(rename = "do")]
    pub what: Do,
}

/// What the background is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Do {
    /// From now on, to remove nothing unless it is told to.
    Hold,
    /// To remove all that is expired at this moment.
    Now,
}

/// A place is given up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Close {
    /// Which.
    pub session: String,
}

/// Nothing to say: `{}`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Empty {}
