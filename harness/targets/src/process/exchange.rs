//! Starts a process, sends it one message and reads one reply, and ends it whatever it does.
//!
//! Each of its three streams is read or written by a thread of its own, so that none can block the harness.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use cosmos_ttl_harness::exchange_log::ExchangeLog;
use cosmos_ttl_harness::plain::{cut, visible};
use cosmos_ttl_harness::target::Fault;
use serde_json::{Map, Value};

use super::child::{ChildProcess, RunningProcesses};
use super::protocol::{Hello, LineContent as _, MOST_BYTES, Message, ProtocolLine, Reply, VERSION, parse};
use crate::lock;

/// A program may have to be compiled or loaded before it can say what it is.
const FIRST_REPLY: Duration = Duration::from_secs(60);
/// How long the first reply may take before somebody is told that there is none.
const SILENCE: Duration = Duration::from_secs(5);
/// How long a process may take to go by itself after it said that it does.
const GOING: Duration = Duration::from_secs(2);
/// How long the end of a process may take that closed its output.
const ENDING: Duration = Duration::from_millis(500);
/// How much of the standard error is kept.
const KEPT_BYTES: usize = 16 << 10;
/// How often a reader that waits checks whether everything is to stop.
const STOP_CHECK: Duration = Duration::from_millis(50);
/// How long to wait for standard error that is still on its way.
const SETTLE: Duration = Duration::from_millis(20);

/// Why a process cannot be used any longer.
#[derive(Debug)]
pub(crate) struct Mistake {
    pub(crate) kind: MistakeKind,
    /// In words.
    pub(crate) why: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MistakeKind {
    NoCommand,
    NotStarted,
    OtherVersion,
    Ended,
    MoreLines,
    NotUnderstood,
    Interrupted,
    NoReply,
    Other,
}

impl MistakeKind {
    pub(crate) fn because(self, why: impl Into<String>) -> Mistake {
        Mistake { kind: self, why: why.into() }
    }
}

impl From<Mistake> for Fault {
    fn from(mistake: Mistake) -> Self {
        match mistake.kind {
            MistakeKind::NoCommand => Self::Misuse(mistake.why),
            MistakeKind::Interrupted => Self::Unknown(mistake.why),
            _ => Self::Broken(mistake.why),
        }
    }
}

/// How a process is started and talked to.
#[derive(Clone, Debug)]
pub struct ProcessConfig {
    /// The program and its arguments, without a shell.
    pub command: Vec<String>,
    /// How long to wait for one reply; the first may take a minute.
    pub timeout: Duration,
    /// How often a process is restarted, in all.
    pub restarts: usize,
    /// How many copies of the process run at the same time, if there are so many sessions.
    pub jobs: usize,
    /// Whether a field that the schema does not know breaks the protocol.
    pub strict: bool,
    /// Ends all waiting for replies when it becomes true; checked every twentieth of a second.
    pub stop: Arc<AtomicBool>,
    /// The processes that run with this configuration.
    pub running: RunningProcesses,
    /// Records each line that is sent or received.
    pub log: Option<Arc<ExchangeLog>>,
    /// Is called once when there is no reply to `hello` within five seconds; the wait goes on.
    pub on_silence: fn(),
}

impl ProcessConfig {
    /// Returns the defaults: ten seconds a reply, twenty restarts, and unknown fields are ignored.
    pub fn new(command: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            command: command.into_iter().map(Into::into).collect(),
            timeout: Duration::from_secs(10),
            restarts: 20,
            jobs: 1,
            strict: false,
            stop: Arc::default(),
            running: RunningProcesses::default(),
            log: None,
            on_silence: || (),
        }
    }
}

/// A process that can be talked to.
#[derive(Debug)]
pub(crate) struct ProcessExchange {
    // Dropped first, so that the process sees the end of its input before it is asked to end.
    stdin: Sender<String>,
    stdout: Receiver<OutputEvent>,
    /// The bytes after the last line.
    partial: Arc<Mutex<Vec<u8>>>,
    pub(crate) stderr: StderrLog,
    process: ChildProcess,
    config: ProcessConfig,
    q: u64,
}

impl ProcessExchange {
    /// Starts a process and asks what it is. An error has the last lines of its standard error.
    pub(crate) fn start(config: &ProcessConfig) -> Result<(Self, Hello), Mistake> {
        let Some((program, arguments)) = config.command.split_first() else {
            return Err(MistakeKind::NoCommand.because("no command stands after `--`"));
        };
        let mut exchange = Self::spawn(program, arguments, config)
            .map_err(|err| MistakeKind::NotStarted.because(format!("`{program}` does not start: {err}")))?;
        exchange.config.timeout = config.timeout.max(FIRST_REPLY);
        let hello = exchange.hello();
        exchange.config.timeout = config.timeout;
        match hello {
            Ok(hello) => Ok((exchange, hello)),
            Err(Mistake { kind, why }) => {
                let stderr = exchange.stderr.clone();
                Err(kind.because(exchange.kill(&why) + &stderr.last_words()))
            }
        }
    }

    fn spawn(program: &str, arguments: &[String], config: &ProcessConfig) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // The key of an account is for the harness alone.
        command.env_remove("COSMOS_TTL_KEY");
        let mut process = ChildProcess::spawn(&mut command, &config.running)?;
        let streams = process.streams();
        let ((stdin, stdout), stderr) = streams.ok_or_else(|| io::Error::other("it has no streams"))?;
        let partial = Arc::default();
        Ok(Self {
            stdin: stdin_lines(stdin),
            stdout: stdout_events(stdout, Arc::clone(&partial)),
            partial,
            stderr: StderrLog::new(stderr),
            process,
            config: config.clone(),
            q: 0,
        })
    }

    fn hello(&mut self) -> Result<Hello, Mistake> {
        match self.ask(Message::hello())? {
            Reply::Hello(Hello { protocol, .. }) if protocol != VERSION => {
                Err(other_version(protocol.into()))
            }
            Reply::Hello(hello) => Ok(hello),
            Reply::Unsupported(why) | Reply::Unknown(why) | Reply::Broken(why) => {
                Err(MistakeKind::Other.because(format!("it did not say who it is: {why}")))
            }
            Reply::Ok {} | Reply::Answer(_) => {
                Err(MistakeKind::Other.because("it did not reply `hello` to `hello`"))
            }
        }
    }

    /// Sends a message and returns the reply; after a mistake the process cannot be used any longer.
    pub(crate) fn ask(&mut self, message: Message) -> Result<Reply, Mistake> {
        // A line that came before the first message is taken for the reply to it: nobody can tell which came first.
        if self.q > 0
            && let Some(mistake) = self.unexpected()
        {
            return Err(mistake);
        }
        self.q += 1;
        let word = message.word();
        let sent = ProtocolLine { q: self.q, content: message }.text();
        self.config.log.iter().for_each(|log| log.sent(&sent));
        let _ = self.stdin.send(sent);
        let line = match self.next_event() {
            Some(OutputEvent::Line(line)) => line,
            Some(event) => {
                let Mistake { kind, why } = self.describe(event);
                let why = format!("no reply to `{word}`: {why}");
                self.config.log.iter().for_each(|log| log.received(&why));
                return Err(kind.because(why));
            }
            None if self.config.stop.load(Ordering::Relaxed) => {
                return Err(MistakeKind::Interrupted.because("the run was interrupted"));
            }
            None => {
                let half = started(&lock(&self.partial));
                let half = half.map_or_else(String::new, |part| format!(", only half a line: {part}"));
                let seconds = self.config.timeout.as_secs_f32();
                return Err(
                    MistakeKind::NoReply.because(format!("no reply to `{word}` within {seconds} s{half}"))
                );
            }
        };
        self.config.log.iter().for_each(|log| log.received(&line));
        let shown = excerpt(line.as_bytes());
        let reply: ProtocolLine<Reply> = parse(&line, self.config.strict).map_err(|why| {
            // Another version may write everything in another way.
            other_greeting(&line).unwrap_or_else(|| {
                let why = format!("its reply to `{word}` is not understood, {why}: {shown}");
                MistakeKind::NotUnderstood.because(why)
            })
        })?;
        if reply.q != self.q {
            let (replied, asked) = (reply.q, self.q);
            return Err(MistakeKind::Other.because(format!(
                "it replied to message {replied} where message {asked}, `{word}`, was asked: {shown}"
            )));
        }
        Ok(reply.content)
    }

    /// Returns how many messages were sent.
    pub(crate) fn asked(&self) -> u64 {
        self.q
    }

    /// Waits for the next event; `None` if there is none in time, or before everything is to stop.
    fn next_event(&self) -> Option<OutputEvent> {
        let mut left = self.config.timeout;
        let mut silence = (self.q == 1).then_some(SILENCE);
        while !left.is_zero() && !self.config.stop.load(Ordering::Relaxed) {
            let wait = left.min(STOP_CHECK);
            if let Some(event) = self.event_within(wait) {
                return Some(event);
            }
            left = left.saturating_sub(wait);
            silence = silence.map(|left| left.saturating_sub(wait));
            if silence.take_if(|left| left.is_zero()).is_some() {
                (self.config.on_silence)();
            }
        }
        None
    }

    fn event_within(&self, wait: Duration) -> Option<OutputEvent> {
        match self.stdout.recv_timeout(wait) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(OutputEvent::End(None)),
        }
    }

    /// Describes what came instead of a reply.
    fn describe(&mut self, event: OutputEvent) -> Mistake {
        match event {
            OutputEvent::Line(line) => {
                let line = excerpt(line.as_bytes());
                MistakeKind::Other.because(format!("it wrote a line without a message before it: {line}"))
            }
            OutputEvent::Noise(mistake) => mistake,
            OutputEvent::End(half) => {
                let after = half.map_or_else(String::new, |part| format!(" in the middle of a line: {part}"));
                match self.process.wait(ENDING) {
                    Some(status) => {
                        MistakeKind::Ended.because(format!("the process ended with {status}{after}"))
                    }
                    None => {
                        MistakeKind::Other.because(format!("the process closed its standard output{after}"))
                    }
                }
            }
        }
    }

    /// Describes what the process did while no message was on its way; `None` if it waits, as it must.
    pub(crate) fn unexpected(&mut self) -> Option<Mistake> {
        let event = self.event_within(Duration::ZERO)?;
        Some(self.describe(event))
    }

    /// Ends the process because it made a mistake, and returns the mistake and how the process went.
    pub(crate) fn kill(mut self, why: &str) -> String {
        if self.process.end() { why.to_owned() } else { format!("{why}; it had to be killed") }
    }

    /// Ends the process in good order; an error says what it did instead of going by itself.
    pub(crate) fn bye(mut self) -> Result<(), Mistake> {
        let reply = self.ask(Message::Bye {});
        let Self { stdin, mut process, .. } = self;
        drop(stdin);
        let went = process.wait(GOING).is_some();
        let killed = if process.end() { "" } else { " and had to be killed" };
        let mistake = match reply? {
            Reply::Ok {} if went => return Ok(()),
            Reply::Ok {} => format!("the process said that it ends and did not{killed}"),
            _ => "it did not reply `ok` to `bye`".into(),
        };
        Err(MistakeKind::Other.because(mistake))
    }
}

/// Returns the mistake of a process that greets in another version of the protocol.
fn other_greeting(line: &str) -> Option<Mistake> {
    let line: Value = serde_json::from_str(line).ok()?;
    let protocol = line.get("hello")?.get("protocol")?.as_u64()?;
    (protocol != u64::from(VERSION)).then(|| other_version(protocol))
}

fn other_version(protocol: u64) -> Mistake {
    MistakeKind::OtherVersion.because(format!(
        "it speaks version {protocol} of the protocol, and this harness speaks version {VERSION}"
    ))
}

/// Runs a thread. Without one nothing is read or written, which is reported like any other silence.
fn spawn(run: impl FnOnce() + Send + 'static) {
    let _ = thread::Builder::new().spawn(run);
}

/// An event on the process's standard output.
#[derive(Debug)]
enum OutputEvent {
    /// One line, and nothing with it.
    Line(String),
    /// Anything else.
    Noise(Mistake),
    /// The end, after a part of a line or after nothing.
    End(Option<String>),
}

/// Reads a process's standard output line by line; what came after the last line is in the buffer.
fn stdout_events(mut stdout: ChildStdout, partial: Arc<Mutex<Vec<u8>>>) -> Receiver<OutputEvent> {
    let (sender, events) = channel();
    spawn(move || {
        let mut chunk = vec![0; 1 << 16];
        loop {
            let event = match stdout.read(&mut chunk) {
                Ok(0) | Err(_) => OutputEvent::End(started(&lock(&partial))),
                Ok(count) => match extend(&mut lock(&partial), chunk.get(..count).unwrap_or(&[])) {
                    Some(event) => event,
                    None => continue,
                },
            };
            let is_last = !matches!(event, OutputEvent::Line(_));
            if sender.send(event).is_err() || is_last {
                return;
            }
        }
    });
    events
}

/// Returns the line that was begun and not ended, if there is one.
fn started(partial: &[u8]) -> Option<String> {
    (!partial.is_empty()).then(|| excerpt(partial))
}

/// Adds bytes to what came after the last line; returns an event unless the line goes on.
fn extend(partial: &mut Vec<u8>, bytes: &[u8]) -> Option<OutputEvent> {
    let noise = |kind: MistakeKind, what: &str, line: &[u8]| {
        Some(OutputEvent::Noise(kind.because(format!("{what}: {}", excerpt(line)))))
    };
    let too_long = format!("it wrote a line longer than {MOST_BYTES} bytes, which begins");
    let before = partial.len();
    partial.extend_from_slice(bytes);
    let Some(newline) = partial.iter().skip(before).position(|byte| *byte == b'\n') else {
        let is_long = partial.len() > MOST_BYTES;
        return is_long.then(|| noise(MistakeKind::Other, &too_long, partial)).flatten();
    };
    let line: Vec<u8> = partial.drain(..before + newline).collect();
    // Only the line feed itself may be left: nothing is asked before this was answered.
    if partial.len() != 1 {
        let is_message = serde_json::from_slice::<Map<String, Value>>(&line).is_ok();
        let (which, shown) = match partial.get(1..) {
            Some(more) if is_message => ("the second begins", more),
            _ => ("this line is no message", line.as_slice()),
        };
        let what = format!("it wrote more than one line to one message; {which}");
        return noise(MistakeKind::MoreLines, &what, shown);
    }
    partial.clear();
    if line.len() > MOST_BYTES {
        return noise(MistakeKind::Other, &too_long, &line);
    }
    match String::from_utf8(line) {
        Ok(line) => Some(OutputEvent::Line(line)),
        Err(err) => noise(MistakeKind::Other, "it wrote a line that is no UTF-8", err.as_bytes()),
    }
}

/// Returns the beginning of a line, made harmless.
fn excerpt(line: &[u8]) -> String {
    // Enough bytes for as many characters, and to see that there are more.
    let head = line.get(..1000).unwrap_or(line);
    cut(String::from_utf8_lossy(head).trim_end(), 120)
}

/// Returns a process's standard input, line by line. If no thread reads a line, the missing reply says so.
fn stdin_lines(mut stdin: ChildStdin) -> Sender<String> {
    let (sender, lines) = channel::<String>();
    spawn(move || {
        for line in lines {
            if stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                return;
            }
        }
    });
    sender
}

/// The end of what a process wrote to its standard error, from some moment on.
#[derive(Clone, Debug, Default)]
pub(crate) struct StderrLog {
    tail: Arc<(Mutex<StderrTail>, Condvar)>,
    /// How many bytes came before.
    from: usize,
}

#[derive(Debug, Default)]
struct StderrTail {
    kept: VecDeque<u8>,
    written: usize,
    ended: bool,
}

impl StderrLog {
    fn new(mut stderr: ChildStderr) -> Self {
        let tail: Arc<(Mutex<StderrTail>, Condvar)> = Arc::default();
        let shared = Arc::clone(&tail);
        spawn(move || {
            let mut chunk = vec![0; 1 << 16];
            while let Ok(count @ 1..) = stderr.read(&mut chunk) {
                let mut tail = lock(&shared.0);
                tail.written += count;
                tail.kept.extend(chunk.iter().take(count));
                let excess = tail.kept.len().saturating_sub(KEPT_BYTES);
                tail.kept.drain(..excess);
            }
            lock(&shared.0).ended = true;
            shared.1.notify_all();
        });
        Self { tail, from: 0 }
    }

    /// Returns the same log, from this moment on.
    pub(crate) fn starting_now(&self) -> Self {
        Self { tail: Arc::clone(&self.tail), from: lock(&self.tail.0).written }
    }

    /// Returns the end of what was written since, if anything was.
    pub(crate) fn text(&self) -> Option<String> {
        let settled = self.tail.1.wait_timeout_while(lock(&self.tail.0), SETTLE, |tail| !tail.ended);
        let (tail, _) = settled.unwrap_or_else(PoisonError::into_inner);
        let since = tail.written - self.from;
        let bytes: Vec<u8> = tail.kept.iter().skip(tail.kept.len().saturating_sub(since)).copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let cut = if tail.kept.len() < since { "… " } else { "" };
        (!text.trim().is_empty()).then(|| format!("{cut}{}", text.trim_end()))
    }

    /// Returns the first and the last lines as a part of a sentence; empty if there are none.
    pub(crate) fn last_words(&self) -> String {
        // The first lines name the cause, above the frames of a stack.
        const FIRST_CHARS: usize = 300;
        const LAST_CHARS: usize = 100;
        let Some(text) = self.text() else { return String::new() };
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).map(visible);
        let said = lines.collect::<Vec<_>>().join(" | ");
        let count = said.chars().count();
        if count <= FIRST_CHARS + LAST_CHARS {
            return format!("; its standard error ends: {said}");
        }
        let first: String = said.chars().take(FIRST_CHARS).collect();
        let last: String = said.chars().skip(count - LAST_CHARS).collect();
        format!("; its standard error begins: {first} …; and ends: … {last}")
    }
}
