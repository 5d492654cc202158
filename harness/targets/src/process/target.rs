//! A process in any language as a target: one JSON object a line over its standard input and output.
//!
//! `harness/targets/PROTOCOL.md` is the reference of the protocol. A process that breaks it is ended and restarted. The
//! sessions that were open in it are broken, and no others.

use std::collections::BTreeSet;
use std::iter;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

use cosmos_ttl_harness::plain::visible;
use cosmos_ttl_harness::target::{
    About, Body, Clock, Container, Document, Fault, Operation, Part, Properties, Request, RequestOptions,
    Response, Session, Target,
};

pub use super::child::{KilledProcesses, RunningProcesses};
pub use super::exchange::ProcessConfig;
use super::exchange::{Mistake, MistakeKind, ProcessExchange, StderrLog};
use super::protocol::{BackgroundRemoval, Hello, LineContent as _, Message, Reply};
use crate::{bounded, lock};

/// A process as a target, or several copies of it.
#[derive(Debug)]
pub struct ProcessTarget {
    config: ProcessConfig,
    pub(crate) hello: Hello,
    first: Process,
    /// They are started when they are needed.
    copies: Vec<Process>,
    /// Held while a session looks for the process with the fewest.
    choice: Mutex<()>,
    /// Counts the sessions, whose names are these numbers: no two have the same, in whichever copy.
    sessions: AtomicU64,
}

#[derive(Debug, Default)]
struct Process {
    state: Mutex<ProcessState>,
    /// How many sessions are open in it.
    sessions: AtomicUsize,
}

#[derive(Debug, Default)]
struct ProcessState {
    /// The process, unless it has not been started or had to be ended.
    exchange: Option<ProcessExchange>,
    /// Counts the processes that ended: a session of an earlier generation is gone.
    generation: usize,
    /// Why the last process had to be ended.
    ended: String,
    /// The faults that occurred while no session was open.
    mishaps: Vec<String>,
    /// The standard error of the process that was started last.
    stderr: StderrLog,
}

impl ProcessTarget {
    /// Starts the process, asks what it is, and checks that its clock is what it says.
    ///
    /// # Errors
    ///
    /// [`Fault::Broken`] if it does not start, does not say what it is, or lies about its clock; [`Fault::Misuse`] if there
    /// is no command.
    pub fn start(config: ProcessConfig) -> Result<Self, Fault> {
        let target = Self::start_unproved(config)?;
        match target.clock_step_s().map(|step_s| step_s.and_then(clock_error)) {
            Ok(None) => Ok(target),
            Ok(Some((why, _))) | Err(Fault::Broken(why)) => Err(Fault::Broken(why + &target.last_words())),
            Err(fault) => Err(fault),
        }
    }

    /// Starts the process without a check of its clock.
    pub(crate) fn start_unproved(config: ProcessConfig) -> Result<Self, Mistake> {
        let (exchange, hello) = ProcessExchange::start(&config)?;
        let mut first = ProcessState::default();
        first.take(exchange);
        let first = Process { state: Mutex::new(first), ..Process::default() };
        let copies = (1..config.jobs).map(|_| Process::default()).collect();
        Ok(Self { config, hello, first, copies, choice: Mutex::default(), sessions: AtomicU64::new(0) })
    }

    /// Ends each process in good order: tells it, waits, and kills it if it does not go.
    ///
    /// # Errors
    ///
    /// [`Fault::Broken`] if one did not go by itself.
    pub fn bye(&self) -> Result<(), Fault> {
        let exchanges: Vec<_> = self.states().filter_map(|mut state| state.exchange.take()).collect();
        let ends: Vec<_> = exchanges.into_iter().map(ProcessExchange::bye).collect();
        Ok(ends.into_iter().collect::<Result<(), Mistake>>()?)
    }

    /// Returns the end of what was written to standard error, as a part of a sentence; empty if nothing was.
    pub fn last_words(&self) -> String {
        let logs: Vec<_> = self.states().map(|state| state.stderr.clone()).collect();
        logs.iter().map(StderrLog::last_words).collect()
    }

    /// Returns how many messages were sent to the processes that run.
    pub(crate) fn asked(&self) -> u64 {
        self.states().filter_map(|state| state.exchange.as_ref().map(ProcessExchange::asked)).sum()
    }

    /// Returns what went wrong while no session was open, and so touches no vector, in words.
    pub fn mishaps(&self) -> Vec<String> {
        self.states().flat_map(|state| state.mishaps.clone()).collect()
    }

    fn states(&self) -> impl Iterator<Item = MutexGuard<'_, ProcessState>> {
        iter::once(&self.first).chain(&self.copies).map(|process| lock(&process.state))
    }

    fn least_busy(&self) -> Place<'_> {
        let _choice = lock(&self.choice);
        let sessions = |process: &Process| process.sessions.load(Ordering::Relaxed);
        let least = |one, other| if sessions(other) < sessions(one) { other } else { one };
        let process = self.copies.iter().fold(&self.first, least);
        process.sessions.fetch_add(1, Ordering::Relaxed);
        Place(process)
    }

    fn is_stopped(&self) -> bool {
        self.config.stop.load(Ordering::Relaxed)
    }

    /// Opens a session in the copy with the fewest open ones, which is restarted if it must be.
    ///
    /// A process that went, or wrote an unexpected line, before this message is not this session's fault: it is asked again.
    fn open_session(&self) -> Result<ProcessSession<'_>, Fault> {
        let place = self.least_busy();
        let process = place.0;
        let mut state = lock(&process.state);
        if let Some(mistake) = state.exchange.as_mut().and_then(ProcessExchange::unexpected) {
            state.end(&mistake.why);
            state.note_mishap(&mistake.why);
        }
        let (name, reply) = match self.ask_to_open(&mut state) {
            Err(Fault::Broken(why))
                if state.exchange.is_none()
                    && state.generation <= self.config.restarts
                    && !self.is_stopped() =>
            {
                state.note_mishap(&why);
                self.ask_to_open(&mut state)?
            }
            opened => opened?,
        };
        let session = ProcessSession {
            target: self,
            generation: state.generation,
            name,
            stderr: state.stderr.starting_now(),
            place,
        };
        drop(state);
        session.expect_ok("open", reply)?;
        Ok(session)
    }

    /// Opens a session under a new name, which it returns with the reply.
    fn ask_to_open(&self, state: &mut ProcessState) -> Result<(String, Reply), Fault> {
        if state.exchange.is_none() {
            self.restart(state)?;
        }
        let session = (self.sessions.fetch_add(1, Ordering::Relaxed) + 1).to_string();
        let open = Message::Open { session: session.clone() };
        Ok((session, state.ask(state.generation, open)?))
    }

    fn restart(&self, state: &mut ProcessState) -> Result<(), Fault> {
        let times = self.config.restarts;
        if times < state.generation {
            return Err(Fault::Broken(format!(
                "the process was restarted {times} times, which is the limit; the last reason: {}",
                state.ended
            )));
        }
        let (exchange, now) =
            ProcessExchange::start(&self.config).inspect_err(|mistake| drop(state.end(&mistake.why)))?;
        state.take(exchange);
        if now == self.hello { Ok(()) } else { Err(state.end("its `hello` differs from the first one")) }
    }

    /// Moves the clock and returns how far `_ts` moved; `None` if the clock is real, or the target shows no `_ts`.
    pub(crate) fn clock_step_s(&self) -> Result<Option<i64>, Fault> {
        if self.hello.clock != Clock::Virtual {
            return Ok(None);
        }
        let step_s = |session: &mut dyn Session| {
            session.send(&Request::CreateContainer(Container::default()))?;
            let before_s = written_at_s(session, "before")?;
            session.pass(CLOCK_STEP_S)?;
            let after_s = written_at_s(session, "after")?;
            Ok(before_s.zip(after_s).map(|(before_s, after_s)| after_s.saturating_sub(before_s)))
        };
        let moved_s = self.open().and_then(|mut session| {
            let moved_s = step_s(session.as_mut());
            session.close()?;
            moved_s
        });
        match moved_s {
            // Each vector that needs what is not offered will say so.
            Err(Fault::Unsupported(_) | Fault::Unknown(_)) => Ok(None),
            moved_s => moved_s,
        }
    }
}

impl ProcessState {
    /// From now on sessions are opened in this process.
    fn take(&mut self, exchange: ProcessExchange) {
        self.stderr = exchange.stderr.starting_now();
        self.exchange = Some(exchange);
    }

    /// Sends a message to the process of this generation, and returns the reply.
    fn ask(&mut self, generation: usize, message: Message) -> Result<Reply, Fault> {
        let current = self.exchange.as_mut().filter(|_| self.generation == generation);
        let Some(exchange) = current else {
            let why = format!("the process had to be ended while this was open: {}", self.ended);
            return Err(Fault::Broken(why));
        };
        exchange.ask(message).map_err(|Mistake { kind, why }| {
            let ended = self.end(&why);
            // Nobody can know what an interrupted process would have said.
            if kind == MistakeKind::Interrupted { Fault::Unknown(why) } else { ended }
        })
    }

    /// Ends a process that cannot be talked to any longer.
    fn end(&mut self, why: &str) -> Fault {
        self.generation += 1;
        self.ended = self.exchange.take().map_or_else(|| why.to_owned(), |exchange| exchange.kill(why));
        Fault::Broken(self.ended.clone())
    }

    fn note_mishap(&mut self, why: &str) {
        self.mishaps.push(format!("{why}{}", self.stderr.last_words()));
    }
}

impl Target for ProcessTarget {
    fn about(&self) -> About {
        let Hello { name, version, clock, purge, .. } = self.hello.clone();
        About { name, version, clock, purges: purge }
    }

    fn without(&self) -> BTreeSet<Part> {
        self.hello.without.clone()
    }

    fn offers(&self) -> BTreeSet<Part> {
        self.hello.offers.clone()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        let session = self.open_session()?;
        // Nobody purges on a real clock, so there the background goes on.
        if self.hello.purge && self.hello.clock == Clock::Virtual {
            session.control_removal(BackgroundRemoval::Hold)?;
        }
        Ok(Box::new(session))
    }

    fn replays_at_once(&self) -> usize {
        self.copies.len() + 1
    }

    fn interrupt(&self) {
        self.config.stop.store(true, Ordering::Relaxed);
    }
}

/// The process of a session, in which it counts as long as it is open.
struct Place<'t>(&'t Process);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.sessions.fetch_sub(1, Ordering::Relaxed);
    }
}

struct ProcessSession<'t> {
    target: &'t ProcessTarget,
    place: Place<'t>,
    generation: usize,
    name: String,
    stderr: StderrLog,
}

impl ProcessSession<'_> {
    fn ask(&self, message: Message) -> Result<Reply, Fault> {
        lock(&self.place.0.state).ask(self.generation, message)
    }

    /// Sends a message to which `ok` is the reply.
    fn tell(&self, message: Message) -> Result<(), Fault> {
        let word = message.word();
        let reply = self.ask(message)?;
        self.expect_ok(word, reply)
    }

    fn control_removal(&self, removal: BackgroundRemoval) -> Result<(), Fault> {
        self.tell(Message::Purge { session: self.name.clone(), removal })
    }

    fn expect_ok(&self, word: &str, reply: Reply) -> Result<(), Fault> {
        match reply {
            Reply::Ok {} => Ok(()),
            reply => Err(self.fault(word, reply)),
        }
    }

    /// Returns the fault that a reply other than the expected one stands for.
    fn fault(&self, word: &str, reply: Reply) -> Fault {
        let own_words = |why: &str| visible(&why.chars().take(400).collect::<String>());
        match reply {
            Reply::Unsupported(why) => Fault::Unsupported(own_words(&why)),
            Reply::Unknown(why) => Fault::Unknown(own_words(&why)),
            Reply::Broken(why) => Fault::Broken(own_words(&why)),
            reply => {
                let why = format!("it replied `{}` to `{word}`, which means nothing", reply.word());
                let mut state = lock(&self.place.0.state);
                if state.generation == self.generation { state.end(&why) } else { Fault::Broken(why) }
            }
        }
    }
}

impl Session for ProcessSession<'_> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.send_with(request, &RequestOptions::default())
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        let RequestOptions { partition, page, container, if_match, if_none_match } = options.clone();
        let Hello { partitions, pages, .. } = self.target.hello;
        if (partition.is_some() && !partitions) || (page.is_some() && !pages) {
            return Err(Fault::Unsupported(options.unsupported().unwrap_or_default().into()));
        }
        let (session, request_sent) = (self.name.clone(), request.clone());
        let message = Message::Send {
            session,
            request: request_sent,
            partition,
            page,
            container,
            if_match,
            if_none_match,
        };
        match self.ask(message)? {
            Reply::Answer(response) => bounded(response.answering(request)),
            reply => Err(self.fault("send", reply)),
        }
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        if self.target.hello.clock != Clock::Virtual {
            return Err(Fault::Misuse("the clock of the process runs by itself".into()));
        }
        self.tell(Message::Pass { session: self.name.clone(), seconds })
    }

    fn purge(&mut self) -> Result<(), Fault> {
        self.control_removal(BackgroundRemoval::Now)
    }

    fn log(&mut self) -> Option<String> {
        self.stderr.text()
    }

    fn close(&mut self) -> Result<(), Fault> {
        self.tell(Message::Close { session: self.name.clone() })
    }
}

/// How far the check of a virtual clock moves it.
///
/// Without this check a clock that stands still would make every rule about time to live look broken.
const CLOCK_STEP_S: u64 = 10;

/// Returns what is wrong with a clock that moved so far in [`ProcessTarget::clock_step_s`], and the advice.
pub(crate) fn clock_error(moved_s: i64) -> Option<(String, &'static str)> {
    let step_s = i64::try_from(CLOCK_STEP_S).unwrap_or(i64::MAX);
    if moved_s == step_s {
        return None;
    }
    let moved = format!("while {CLOCK_STEP_S} s were to pass, `_ts` moved by {moved_s}");
    Some(if moved_s == step_s.saturating_mul(1000) {
        (
            format!("{moved}: it looks like milliseconds; write `_ts` in whole seconds"),
            "divide by 1000: `_ts` counts whole seconds, as in Azure Cosmos DB",
        )
    } else {
        let why = format!(
            "it says that its clock is virtual, but {moved} s; say `\"clock\":\"real\"` in `hello`, or obey `pass`"
        );
        (why, "only `pass` may move the clock")
    })
}

/// Creates an item and returns its `_ts`.
fn written_at_s(session: &mut dyn Session, id: &str) -> Result<Option<i64>, Fault> {
    let document = Document { id: id.into(), properties: Properties::new() };
    let response = session.send(&Request::Item(Operation::Create(document)))?;
    Ok(match response.body {
        Body::Item(item) if response.status.is_success() => item.ts,
        _ => None,
    })
}
