//! The targets on the command line: their names, and how vectors are replayed against them, up to Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::plain::plain;
use cosmos_ttl_harness::realtime::{Options, Progress, run_real};
use cosmos_ttl_harness::request_log::LoggedTarget;
use cosmos_ttl_harness::run::{Run, run_virtual_while};
use cosmos_ttl_harness::suggest;
use cosmos_ttl_harness::target::{About, Clock, Declared, Fault, Part, Target, option};
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_mutants::{self as mutants, FaultyStore};
use cosmos_ttl_targets::http::{AccountKey, HttpConfig, HttpTarget};
use cosmos_ttl_targets::process::target::{ProcessConfig, ProcessTarget, RunningProcesses};

use super::args::{ALL_PARTS, ReplayArgs, TargetArgs};
use super::cleanup;
use crate::report::spoken;
use crate::shell::progress::{ProgressLine, counted};
use crate::shell::{CommandError, Output, filter, secret, write_stderr};

/// The accepted names of targets, for errors.
pub(super) const ACCEPTED: &str =
    "a target is `reference`, `mutant:NAME`, a URL, http://… or https://…, or a command after `--`";

const REFERENCE: &str = "reference";
const MUTANT: &str = "mutant:";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TargetName {
    Reference,
    /// A mutant or a control.
    Mutant(FaultyStore),
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

    /// Returns whether it comes with the program.
    pub(super) fn is_included(&self) -> bool {
        matches!(self, Self::Reference | Self::Mutant(_))
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
            Self::Process(command) => {
                command.iter().map(|word| secret::without_keys(word)).collect::<Vec<_>>().join(" ")
            }
        }
    }

    /// Returns what is known of it before the first request.
    pub(super) fn unasked(&self) -> About {
        let clock = if let Self::Url(_) = self { Clock::Real } else { Clock::Virtual };
        About { name: self.words(), version: "unknown".into(), clock, purges: false }
    }
}

fn unknown(word: &str, question: &str) -> CommandError {
    let names = "`reference`, or `mutant:NAME`; `cargo lab mutants` lists the names";
    let what = format!("no target that comes with this program is called `{}`", secret::shown(word));
    CommandError::usage(what, filter::help(&[question, names]))
}

/// Returns scheme, host and port: any other part of a URL may be a secret.
fn harmless(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let host = host.chars().take_while(|c| c.is_ascii_alphanumeric() || ".-_:[]".contains(*c));
    format!("{scheme}://{}", host.collect::<String>())
}

/// Returns the target of a command that takes no filters.
pub(super) fn only(word: Option<&str>, at: &TargetArgs) -> Result<TargetName, CommandError> {
    let words: Vec<String> = word.iter().map(|word| (*word).to_owned()).collect();
    let (named, rest) = TargetName::split(&words, &at.command)?;
    let wrong =
        |word: &String| CommandError::usage(format!("`{}` is no target", secret::shown(word)), ACCEPTED);
    rest.first().map_or(Ok(named), |word| Err(wrong(word)))
}

/// Returns the command that repeats something done with a target, as these words say.
pub(super) fn again(command: &str, mut words: Vec<String>, named: &TargetName, at: &TargetArgs) -> String {
    let without = at.without.iter().copied().collect();
    words.extend(
        (!at.offers.is_empty()).then(|| ["--offers".into(), at.offers.join(",")]).into_iter().flatten(),
    );
    words.extend(
        (!at.without.is_empty())
            .then(|| option(&without))
            .iter()
            .flat_map(|it| it.split(' '))
            .map(String::from),
    );
    match named {
        TargetName::Process(command) => {
            words.push("--".into());
            words.extend(command.iter().map(|word| secret::without_keys(word)));
        }
        named => words.push(named.words()),
    }
    spoken(&format!("cosmos-ttl {command}"), words.iter().map(String::as_str))
}

/// What is said where an interruption came before the first request.
pub(super) fn interrupted() -> Output {
    Output { text: "undecided: interrupted before the first request\n".into(), code: 3 }
}

/// What came of something done with a target.
pub(super) struct Reached<T> {
    /// The target, as far as it is known.
    pub(super) about: About,
    /// `None` where an interruption came before it began.
    pub(super) done: Option<T>,
    /// The faults of a process between two vectors and at its end, a sentence each.
    pub(super) mishaps: Vec<String>,
}

/// Starts the named target, does something with it, and ends it. Of a process at most as many copies run as there are jobs.
///
/// Calls `begin` with what is known of the target before the first request, once nothing about the command line is wrong.
pub(super) fn with_target<T>(
    name: &TargetName,
    at: &TargetArgs,
    jobs: u16,
    stop: &Arc<AtomicBool>,
    begin: impl FnOnce(About) -> Result<(), CommandError>,
    work: impl FnOnce(&dyn Target) -> Result<T, Fault>,
) -> Result<Reached<T>, CommandError> {
    let without = at.without.iter().copied().collect();
    let offered = |part: &Part| at.offers.iter().any(|word| word == ALL_PARTS || word == part.word());
    let offers = Part::optional().into_iter().filter(offered).collect();
    let work = |target: &dyn Target| {
        let target = Declared::new(target, &without).offering(&offers);
        match &at.requests {
            Some(log) => work(&LoggedTarget::new(&target, log)),
            None => work(&target),
        }
    };
    match name {
        TargetName::Url(url) => with_endpoint(url, at, stop, begin, work),
        TargetName::Process(command) => {
            let running = watch(stop, Interrupt::default())?;
            let config = ProcessConfig {
                timeout: Duration::from_secs(at.timeout),
                restarts: at.restarts,
                strict: at.strict_protocol,
                stop: Arc::clone(stop),
                running,
                log: at.log.clone(),
                jobs: jobs.into(),
                ..ProcessConfig::new(command)
            };
            let target = match ProcessTarget::start(config) {
                Err(_) if stop.load(Ordering::SeqCst) => {
                    return Ok(Reached { about: name.unasked(), done: None, mishaps: Vec::new() });
                }
                target => target?,
            };
            begin(target.about())?;
            let done = work(&target);
            let mishaps = target.mishaps().into_iter().map(|why| format!("between two vectors: {why}"));
            let bye = target.bye().err().map(|fault| format!("at the end: {fault}{}", target.last_words()));
            // What follows from an interruption is nobody's fault.
            let mishaps = mishaps.chain(bye).filter(|_| !stop.load(Ordering::SeqCst)).collect();
            Ok(Reached { about: target.about(), done: Some(done?), mishaps })
        }
        TargetName::Reference | TargetName::Mutant(_) => {
            watch(stop, Interrupt::default())?;
            let target = name.included().ok_or_else(|| Fault::Misuse(name.words()))?;
            begin(target.about())?;
            Ok(Reached { about: target.about(), done: Some(work(target.as_ref())?), mishaps: Vec::new() })
        }
    }
}

/// Replays vectors against the named target; calls `begin` as [`with_target`] does.
pub(super) fn replay<'a>(
    name: &TargetName,
    vectors: &[&'a Vector],
    args: &ReplayArgs,
    begin: impl FnOnce(About) -> Result<(), CommandError>,
) -> Result<Run<'a>, CommandError> {
    let stop = Arc::new(AtomicBool::new(false));
    let reached =
        with_target(name, &args.at, args.jobs, &stop, begin, |target| match target.about().clock {
            Clock::Virtual => replay_virtual(target, vectors, args, &stop),
            Clock::Real => replay_real(target, vectors, args, &stop),
        })?;
    let Reached { about, done, mishaps } = reached;
    let run = done.unwrap_or_else(|| Run::unasked(about, vectors, "the run was interrupted before"));
    Ok(Run { mishaps, ..run })
}

/// Replays on a virtual clock; under `--fail-fast` up to the first failure.
fn replay_virtual<'a>(
    target: &dyn Target,
    vectors: &[&'a Vector],
    args: &ReplayArgs,
    stop: &AtomicBool,
) -> Result<Run<'a>, Fault> {
    counted("replaying vectors", vectors.len(), |done| {
        run_virtual_while(target, vectors, stop, |result| {
            done.fetch_add(1, Ordering::Relaxed);
            !(args.fail_fast && result.verdict.outcome() == Outcome::Fail)
        })
    })
}

fn replay_real<'a>(
    target: &dyn Target,
    vectors: &[&'a Vector],
    args: &ReplayArgs,
    stop: &Arc<AtomicBool>,
) -> Result<Run<'a>, Fault> {
    if args.fail_fast {
        let why = "`--fail-fast` needs a virtual clock: on a real clock vectors wait side by side";
        return Err(Fault::Misuse(why.into()));
    }
    let budget_s = args.budget_s(target.most_sessions() < usize::MAX);
    let options = Options { budget_s, progress: Arc::new(show_progress), stop: Arc::clone(stop) };
    let run = run_real(target, vectors, &options);
    ProgressLine::stderr().clear();
    run
}

fn show_progress(progress: Progress) {
    let Progress { elapsed_s, expected_s, done, of } = progress;
    let line = format!("{elapsed_s} of about {expected_s} s, {done} of {of} vectors done");
    ProgressLine::stderr().show_or_log(&line, elapsed_s);
}

/// Returns how to reach an endpoint with this key, and what may be created there.
pub(super) fn http_config(
    url: &str,
    key: Option<AccountKey>,
    args: &TargetArgs,
) -> Result<HttpConfig, Fault> {
    let config = HttpConfig::new(url, key)?.with_timeout(Duration::from_secs(args.timeout));
    let mut config = config.with_log(args.log.clone());
    if let Some(units) = args.throughput {
        config = config.with_throughput(units)?;
    }
    if let Some(containers) = args.containers {
        config = config.with_containers(containers.into());
    }
    Ok(config)
}

/// Does something at an endpoint, and deletes the endpoint's database afterwards.
///
/// The first Ctrl-C ends the run in good order: the run waits no longer for a busy target, vectors without a verdict say so,
/// and the database is deleted. What was interrupted before the endpoint was prepared is no fault.
fn with_endpoint<T>(
    url: &str,
    args: &TargetArgs,
    stop: &Arc<AtomicBool>,
    begin: impl FnOnce(About) -> Result<(), CommandError>,
    work: impl FnOnce(&dyn Target) -> Result<T, Fault>,
) -> Result<Reached<T>, CommandError> {
    let target = Arc::new(HttpTarget::new(http_config(url, args.key.clone().transpose()?, args)?));
    // The handler stays until the process ends, and must not keep the target from being dropped, which cleans up.
    let weak = Arc::downgrade(&target);
    let handler = Interrupt {
        first: "ending the run and deleting its database".into(),
        second: format!(
            "the database {} may be left behind; to delete it: {}",
            target.database(),
            target.cleanup_command(target.database())
        ),
        wake: Box::new(move || {
            if let Some(target) = weak.upgrade() {
                target.interrupt();
            }
        }),
    };
    watch(stop, handler)?;
    let result = begin(target.about()).and_then(|()| match target.prepare() {
        Ok(()) => {
            if let Some(notice) = cleanup::notice(&target) {
                write_stderr(&notice);
            }
            Ok(Some(work(target.as_ref())?))
        }
        Err(_) if stop.load(Ordering::SeqCst) => Ok(None),
        Err(fault) => Err(fault.into()),
    });
    if let Err(fault) = target.cleanup() {
        // What is left behind is no verdict, but somebody has to know.
        write_stderr(&format!("warning: {}\n", plain(&fault.to_string())));
    }
    Ok(Reached { about: target.about(), done: result?, mishaps: Vec::new() })
}

const INTERRUPTED: i32 = 130;

pub(super) struct Interrupt {
    /// The effect of the first one, in words.
    pub(super) first: String,
    /// The things that the second one leaves behind, in words.
    pub(super) second: String,
    /// Ends all waiting; called at the first one, from a thread of its own.
    pub(super) wake: Box<dyn Fn() + Send>,
}

impl Default for Interrupt {
    fn default() -> Self {
        let (first, second) = ("ending the run".into(), "nothing is said of the run".into());
        Self { first, second, wake: Box::new(|| {}) }
    }
}

/// Sets `stop` at the first Ctrl-C; at the second kills the processes that are started with what this returns, and exits. To
/// be called once in a process.
pub(super) fn watch(stop: &Arc<AtomicBool>, interrupt: Interrupt) -> Result<RunningProcesses, Fault> {
    let (stop, running) = (Arc::clone(stop), RunningProcesses::default());
    let started = running.clone();
    let handler = move || {
        if stop.swap(true, Ordering::SeqCst) {
            let _killed = started.kill();
            write_stderr(&format!("interrupted twice: {}\n", interrupt.second));
            #[expect(clippy::exit, reason = "whoever presses Ctrl-C twice does not want to wait")]
            std::process::exit(INTERRUPTED);
        }
        write_stderr(&format!("interrupted: {}; once more ends at once\n", interrupt.first));
        (interrupt.wake)();
    };
    ctrlc::set_handler(handler).map_err(|err| Fault::Misuse(format!("ctrl-c cannot be watched: {err}")))?;
    Ok(running)
}
