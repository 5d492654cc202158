//! Why a command could not do what it was asked.

use cosmos_ttl_harness::diagnostic::Diagnostic;
use cosmos_ttl_harness::plain::plain;
use cosmos_ttl_harness::target::Fault;
use cosmos_ttl_report::diagnostic;
use cosmos_ttl_report::style::Look;

/// What went wrong before there was a verdict.
#[derive(Debug)]
pub enum Trouble {
    /// A file cannot be used.
    Diagnostic(Diagnostic),
    /// A word on the command line cannot be used.
    Usage {
        /// What is wrong with it.
        what: String,
        /// What is accepted.
        help: String,
    },
    /// The target could not be reached, or the harness was used wrongly.
    Fault(Fault),
}

impl Trouble {
    /// A word that cannot be used: what is wrong with it, and what is accepted.
    pub fn usage(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Usage { what: what.into(), help: help.into() }
    }

    /// What the process exits with.
    pub fn code(&self) -> u8 {
        match self {
            Self::Fault(Fault::Broken(_) | Fault::Unknown(_)) => 4,
            Self::Diagnostic(_)
            | Self::Usage { .. }
            | Self::Fault(Fault::Misuse(_) | Fault::Unsupported(_)) => 2,
        }
    }

    /// What went wrong, in a sentence.
    pub fn why(&self) -> String {
        match self {
            Self::Diagnostic(flaw) => flaw.to_string(),
            Self::Usage { what, .. } => what.clone(),
            Self::Fault(fault) => fault.to_string(),
        }
    }

    /// For people, with styles.
    pub fn render(&self, look: Look) -> String {
        match self {
            Self::Diagnostic(flaw) => diagnostic::flaw(flaw, look),
            Self::Usage { what, help } => diagnostic::trouble(what, help, look),
            Self::Fault(fault) => {
                let help = match fault {
                    Fault::Misuse(_) => "`cosmos-ttl run --help` says what is accepted, and where a key goes",
                    Fault::Broken(_) | Fault::Unknown(_) | Fault::Unsupported(_) => "",
                };
                diagnostic::trouble(&plain(&fault.to_string()), help, look)
            }
        }
    }
}

impl From<Diagnostic> for Trouble {
    fn from(flaw: Diagnostic) -> Self {
        Self::Diagnostic(flaw)
    }
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}
