//! What is tested: tells targets from filters, and replays.

use super::args::RunArgs;
use super::trouble::Trouble;
use super::{endpoint, process};
use crate::run::{Run, run_virtual};
use crate::target::Fault;
use crate::targets::reference::Reference;
use crate::vector::Vector;

/// What is accepted where a target is.
pub(super) const ACCEPTED: &str =
    "a target is `reference`, a URL, http://… or https://…, or a command after `--`";

/// The word for the model.
const REFERENCE: &str = "reference";

/// A target, as the command line names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Named {
    Reference,
    Url(String),
    /// A command and its arguments.
    Process(Vec<String>),
}

impl Named {
    /// The target that the first word or the command names, if one does, and the filters.
    pub(super) fn split<'w>(
        words: &'w [String],
        command: &[String],
    ) -> Result<(Self, &'w [String]), Trouble> {
        let (named, filters) = match words {
            words if !command.is_empty() => (Self::Process(command.to_vec()), words),
            [first, rest @ ..] if first == REFERENCE => (Self::Reference, rest),
            [first, rest @ ..] if first.contains("://") => (Self::url(first)?, rest),
            words => (Self::Reference, words),
        };
        match filters.iter().find(|word| *word == REFERENCE || word.contains("://")) {
            Some(_) => Err(Trouble::usage(
                "a target stands among the filters",
                format!("name one target: the first word, or the command after `--`; {ACCEPTED}"),
            )),
            None => Ok((named, filters)),
        }
    }

    /// Never repeats the word in what it refuses: a connection string pasted here has a key inside.
    fn url(word: &str) -> Result<Self, Trouble> {
        if word.starts_with("http://") || word.starts_with("https://") {
            Ok(Self::Url(word.into()))
        } else {
            Err(Trouble::usage("the target is no URL that can be reached", ACCEPTED))
        }
    }

    /// The words that name it.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Reference => REFERENCE.into(),
            Self::Url(url) => url.clone(),
            Self::Process(command) => command.join(" "),
        }
    }

    /// Replays vectors against it.
    pub(super) fn replay<'a>(&self, vectors: &[&'a Vector], args: &RunArgs) -> Result<Run<'a>, Fault> {
        match self {
            Self::Reference => run_virtual(&Reference::default(), vectors),
            Self::Url(url) => endpoint::replay(url, vectors, args),
            Self::Process(command) => process::replay(command, vectors, args),
        }
    }
}
