//! The names of targets on the command line.

use cosmos_ttl_harness::suggest;
use cosmos_ttl_harness::target::{About, Clock, Target};
use cosmos_ttl_mutants::{self as mutants, IndependentStore};
use cosmos_ttl_reference::Reference;

use crate::shell::{CommandError, filter};

/// What is accepted where a target is.
pub(super) const ACCEPTED: &str =
    "a target is `reference`, `mutant:NAME`, a URL, http://… or https://…, or a command after `--`";

const REFERENCE: &str = "reference";
const MUTANT: &str = "mutant:";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TargetName {
    Reference,
    /// A mutant or a control.
    Mutant(IndependentStore),
    Url(String),
    /// A command and its arguments.
    Process(Vec<String>),
}

impl TargetName {
    /// Returns the target that the first word or the command names, by default the reference, and the filters.
    pub(super) fn split<'w>(
        words: &'w [String],
        command: &[String],
    ) -> Result<(Self, &'w [String]), CommandError> {
        let (named, filters) = match words {
            words if !command.is_empty() => (Self::Process(command.to_vec()), words),
            [first, rest @ ..] if first == REFERENCE => (Self::Reference, rest),
            [first, rest @ ..] if first.starts_with(MUTANT) => (Self::parse_included(first)?, rest),
            [url, rest @ ..] if url.starts_with("http://") || url.starts_with("https://") => {
                (Self::Url(url.clone()), rest)
            }
            // Never repeats the word: a connection string pasted here has a key inside.
            [first, ..] if first.contains("://") => {
                return Err(CommandError::usage("the target is no URL that can be reached", ACCEPTED));
            }
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

    /// Returns whether a word can only be meant as a target, whether that exists or not.
    pub(super) fn is_meant(word: &str) -> bool {
        word == REFERENCE || word.starts_with(MUTANT) || word.contains("://")
    }

    pub(super) fn parse_included(word: &str) -> Result<Self, CommandError> {
        let Some(name) = word.strip_prefix(MUTANT) else {
            return if word == REFERENCE { Ok(Self::Reference) } else { Err(unknown(word, "")) };
        };
        match mutants::named(name) {
            Ok(mutant) => Ok(Self::Mutant(mutant)),
            Err(names) => Err(unknown(word, &suggest::question(&names))),
        }
    }

    /// Returns the target, if it comes with the program.
    pub(super) fn included(&self) -> Option<Box<dyn Target>> {
        match self {
            Self::Reference => Some(Box::new(Reference::default())),
            Self::Mutant(mutant) => Some(Box::new(*mutant)),
            Self::Url(_) | Self::Process(_) => None,
        }
    }

    pub(super) fn words(&self) -> String {
        match self {
            Self::Reference => REFERENCE.into(),
            Self::Mutant(mutant) => mutant.about().name,
            Self::Url(url) => harmless(url),
            Self::Process(command) => command.join(" "),
        }
    }

    /// Returns what is known of it before the first request.
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
}

fn unknown(word: &str, question: &str) -> CommandError {
    let names = "`reference`, or `mutant:NAME`; `cargo lab mutants` lists the names";
    let what = format!("no target that comes with this program is called `{word}`");
    CommandError::usage(what, filter::help(&[question, names]))
}

/// Returns scheme, host and port: any other part of a URL may be a secret.
fn harmless(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let host = host.chars().take_while(|c| c.is_ascii_alphanumeric() || ".-_:[]".contains(*c));
    format!("{scheme}://{}", host.collect::<String>())
}
