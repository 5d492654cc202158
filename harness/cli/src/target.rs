//! What is tested: tells targets from filters, and replays.

use std::sync::Arc;

use super::args::RunArgs;
use super::interrupt::{self, Interrupt};
use super::{endpoint, process};
use crate::shell::CommandError;
use cosmos_ttl_harness::run::{Run, run_virtual_until};
use cosmos_ttl_harness::suggest;
use cosmos_ttl_harness::target::{About, Clock, Target};
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_mutants::{self as mutants, NamedStore as Mutant};
use cosmos_ttl_reference::Reference;

/// What is accepted where a target is.
pub(super) const ACCEPTED: &str =
    "a target is `reference`, `mutant:NAME`, a URL, http://… or https://…, or a command after `--`";

/// The word for the model.
const REFERENCE: &str = "reference";

/// What stands before the name of a mutant.
const MUTANT: &str = "mutant:";

/// A target, as the command line names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Named {
    Reference,
    /// A store of ours with one fault, or one that is right in a way of its own.
    Mutant(Mutant),
    Url(String),
    /// A command and its arguments.
    Process(Vec<String>),
}

impl Named {
    /// The target that the first word or the command names, if one does, and the filters.
    pub(super) fn split<'w>(
        words: &'w [String],
        command: &[String],
    ) -> Result<(Self, &'w [String]), CommandError> {
        let (named, filters) = match words {
            words if !command.is_empty() => (Self::Process(command.to_vec()), words),
            [first, rest @ ..] if first == REFERENCE => (Self::Reference, rest),
            [first, rest @ ..] if first.starts_with(MUTANT) => (Self::of_ours(first)?, rest),
            [first, rest @ ..] if first.contains("://") => (Self::url(first)?, rest),
            words => (Self::Reference, words),
        };
        match filters.iter().find(|word| Self::is_meant(word)) {
            Some(_) => Err(CommandError::usage(
                "a target stands among the filters",
                format!("name one target: the first word, or the command after `--`; {ACCEPTED}"),
            )),
            None => Ok((named, filters)),
        }
    }

    /// Whether a word is a target and nothing else, be it one that there is or not.
    pub(super) fn is_meant(word: &str) -> bool {
        word == REFERENCE || word.starts_with(MUTANT) || word.contains("://")
    }

    /// A target that comes with the program.
    pub(super) fn of_ours(word: &str) -> Result<Self, CommandError> {
        let Some(name) = word.strip_prefix(MUTANT) else {
            return if word == REFERENCE { Ok(Self::Reference) } else { Err(unknown(word, "")) };
        };
        match mutants::named(name) {
            Ok(mutant) => Ok(Self::Mutant(mutant)),
            Err(names) => Err(unknown(word, &suggest::question(&names))),
        }
    }

    /// The target, if it comes with the program.
    pub(super) fn target(&self) -> Option<Box<dyn Target>> {
        match self {
            Self::Reference => Some(Box::new(Reference::default())),
            Self::Mutant(mutant) => Some(Box::new(*mutant)),
            Self::Url(_) | Self::Process(_) => None,
        }
    }

    /// Never repeats the word in what it refuses: a connection string pasted here has a key inside.
    fn url(word: &str) -> Result<Self, CommandError> {
        if word.starts_with("http://") || word.starts_with("https://") {
            Ok(Self::Url(word.into()))
        } else {
            Err(CommandError::usage("the target is no URL that can be reached", ACCEPTED))
        }
    }

    /// The words that name it.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Reference => REFERENCE.into(),
            Self::Mutant(mutant) => format!("{MUTANT}{}", mutant.name),
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
        begin: impl FnOnce(About) -> Result<(), CommandError>,
    ) -> Result<Run<'a>, CommandError> {
        match self {
            Self::Reference => moved_by_us(&Reference::default(), vectors, begin),
            Self::Mutant(mutant) => moved_by_us(mutant, vectors, begin),
            Self::Url(url) => endpoint::replay(url, vectors, args, begin),
            Self::Process(command) => process::replay(command, vectors, args, self.unasked(), begin),
        }
    }
}

fn unknown(word: &str, question: &str) -> CommandError {
    let names = "`reference`, or `mutant:NAME`; `cargo lab mutants` lists the names";
    let help = [question, names].iter().filter(|line| !line.is_empty()).copied().collect::<Vec<_>>();
    CommandError::usage(format!("no target that comes with this program is called `{word}`"), help.join("\n"))
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
    begin: impl FnOnce(About) -> Result<(), CommandError>,
) -> Result<Run<'a>, CommandError> {
    let stop = Arc::default();
    interrupt::watch(&stop, Interrupt::default())?;
    begin(target.about())?;
    Ok(run_virtual_until(target, vectors, &stop)?)
}
