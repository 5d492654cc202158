//! What is tested: tells targets from filters, and replays.

use std::sync::Arc;

use super::args::RunArgs;
use super::endpoint;
use super::interrupt::{self, Interrupt};
use super::trouble::Trouble;
use crate::run::{Run, run_virtual_until};
use crate::target::{About, Target};
use crate::targets::reference::Reference;
use crate::vector::Vector;

/// What is accepted where a target is.
pub(super) const ACCEPTED: &str = "a target is `reference` or a URL, http://… or https://…";

/// The word for the model.
const REFERENCE: &str = "reference";

/// A target, as the command line names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Named {
    Reference,
    Url(String),
}

impl Named {
    /// The target that the first word names, if it does, and the filters.
    pub(super) fn split(words: &[String]) -> Result<(Self, &[String]), Trouble> {
        let (named, filters) = match words {
            [first, rest @ ..] if first == REFERENCE => (Self::Reference, rest),
            [first, rest @ ..] if first.contains("://") => (Self::url(first)?, rest),
            words => (Self::Reference, words),
        };
        match filters.iter().find(|word| *word == REFERENCE || word.contains("://")) {
            Some(_) => Err(Trouble::usage(
                "a target stands among the filters",
                format!("name one target, first; {ACCEPTED}"),
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

    /// The word that names it.
    pub(super) fn word(&self) -> &str {
        match self {
            Self::Reference => REFERENCE,
            Self::Url(url) => url,
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
        }
    }
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
