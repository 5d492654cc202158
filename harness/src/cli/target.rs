//! What is tested: tells targets from filters, and replays.

use std::sync::Arc;

use super::args::RunArgs;
use super::interrupt::{self, Interrupt};
use super::trouble::Trouble;
use super::{endpoint, process};
use crate::run::{Run, run_virtual_until};
use crate::target::{About, Clock, Target};
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
            Self::Url(url) => harmless(url),
            Self::Process(command) => command.join(" "),
        }
    }

    /// What is known of it before it was asked.
    pub(super) fn unasked(&self) -> About {
        let clock = if let Self::Url(_) = self { Clock::Real } else { Clock::Virtual };
        About {
            name: self.words(),
            version: "unknown".into(),
            clock,
            editions: Vec::new(),
            removals: Vec::new(),
        }
    }

    /// Replays vectors against it. Calls `begin` with what is known of it before the first request, once nothing about
    /// the command line is wrong.
    pub(super) fn replay<'a>(
        &self,
        vectors: &[&'a Vector],
        args: &RunArgs,
        begin: impl FnOnce(About) -> Result<(), Trouble>,
    ) -> Result<Run<'a>, Trouble> {
        match self {
            Self::Reference => moved_by_us(&Reference::default(), vectors, begin),
            Self::Url(url) => endpoint::replay(url, vectors, args, begin),
            Self::Process(command) => process::replay(command, vectors, args, self.unasked(), begin),
        }
    }
}

/// Scheme, host and port: whatever else stands in a URL may be a secret.
fn harmless(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let host = host.chars().take_while(|c| c.is_ascii_alphanumeric() || ".-_:[]".contains(*c));
    format!("{scheme}://{}", host.collect::<String>())
}

/// Replays vectors against a target whose clock the harness moves, up to Ctrl-C.
fn moved_by_us<'a>(
    target: &dyn Target,
    vectors: &[&'a Vector],
    begin: impl FnOnce(About) -> Result<(), Trouble>,
) -> Result<Run<'a>, Trouble> {
    let stop = Arc::default();
    interrupt::watch(&stop, Interrupt::default())?;
    begin(target.about())?;
    Ok(run_virtual_until(target, vectors, &stop)?)
}
