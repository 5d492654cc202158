//! Whether an adapter does what an adapter must, before anything is said of time to live.
//!
//! Each check opens places of its own, so that one that fails does not fail the next.

mod checks;

use crate::protocol::Hello;
use crate::target::{ProcessConfig, ProcessTarget};
use cosmos_ttl_harness::target::{Clock, Fault};

/// What came of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// It is as it must be; what was seen.
    Good(String),
    /// The adapter does not offer this, and says so.
    NotOffered(String),
    /// It is not; what was seen, and what to do.
    Wrong {
        /// What was seen.
        what: String,
        /// What to do.
        help: String,
    },
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What is looked at, in a word or two.
    pub name: &'static str,
    /// What came of it.
    pub found: Found,
}

/// Every check, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Smoke {
    /// What came of each; where there is no handshake, nothing follows it.
    pub checks: Vec<Check>,
}

impl Smoke {
    /// How many checks found something wrong.
    pub fn wrong(&self) -> usize {
        self.checks.iter().filter(|check| matches!(check.found, Found::Wrong { .. })).count()
    }
}

/// Looks at an adapter.
///
/// # Errors
///
/// [`Fault::Misuse`] only, where there is no command.
pub fn smoke(config: ProcessConfig) -> Result<Smoke, Fault> {
    let target = match ProcessTarget::start_unproved(config) {
        Ok(target) => target,
        Err(Fault::Misuse(why)) => return Err(Fault::Misuse(why)),
        Err(fault) => {
            let help = "let the program read a line and write one, flush it, and write nothing else to standard output";
            let found = Found::Wrong { what: fault.to_string(), help: help.into() };
            return Ok(Smoke { checks: vec![Check { name: "handshake", found }] });
        }
    };
    let mut checks = vec![Check { name: "handshake", found: Found::Good(who(target.hello())) }];
    checks.extend(checks::all(&target));
    checks.extend(quiet(&target));
    checks.push(goodbye(&target));
    Ok(Smoke { checks })
}

fn who(hello: &Hello) -> String {
    let clock = match hello.clock {
        Clock::Virtual => "a clock that the harness moves",
        Clock::Real => "a clock that runs by itself",
    };
    let editions: Vec<_> = hello.editions.iter().map(ToString::to_string).collect();
    let purge = if hello.purge { ", its background can be told what to remove" } else { "" };
    format!("{} {}, {clock}, edition {}{purge}", hello.name, hello.version, editions.join(" and "))
}

/// What it wrote or did while nothing was asked; only there if it did.
fn quiet(target: &ProcessTarget) -> Option<Check> {
    let what = target.mishaps().into_iter().next()?;
    let help = "write one line for each line, and nothing else; log to standard error".into();
    Some(Check { name: "silence", found: Found::Wrong { what, help } })
}

fn goodbye(target: &ProcessTarget) -> Check {
    let found = match target.bye() {
        Ok(()) => Found::Good("it ended when it was told to".into()),
        Err(fault) => Found::Wrong {
            what: fault.to_string(),
            help: "reply `ok` to `bye` and end; end too when standard input ends".into(),
        },
    };
    Check { name: "bye", found }
}
