//! Known failures: what a list says of a vector that fails.

use serde::{Deserialize, Serialize};

/// Why a failure is on the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// It is to be mended.
    Bug,
    /// It stays.
    WontFix,
    /// It passes or fails from run to run.
    Flaky,
}

/// What a list of known failures says of a vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Why it is on the list.
    pub kind: Kind,
    /// The same for people.
    pub reason: String,
    /// Where more is said about it.
    pub link: Option<String>,
    /// How it fails; `None` where the list takes every failure.
    pub signature: Option<String>,
    /// Whether it fails now, and so.
    pub holds: bool,
}
