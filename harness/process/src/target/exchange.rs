//! Starts a process, sends it one message and reads one reply, and ends it whatever it does.

use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use cosmos_ttl_harness::target::Fault;

use super::ProcessConfig;
use super::streams::{OutputEvent, StderrLog, StdoutReader, excerpt, stdin_lines};
use crate::protocol::{Hello, LineContent as _, Message, ProtocolLine, Reply, VERSION, parse};

/// A program may have to be compiled or loaded before it can say what it is.
const FIRST_REPLY: Duration = Duration::from_secs(60);
/// How long a process may take to go by itself after it said that it does.
const GOING: Duration = Duration::from_secs(2);
/// How long the end of a process may take that closed its output.
const ENDING: Duration = Duration::from_millis(500);
/// How long a process may take to go when it gets a signal.
const GRACE: Duration = Duration::from_secs(1);
/// The time between two checks whether a process is gone.
const POLL: Duration = Duration::from_millis(5);

/// Why nobody waits any longer.
pub(super) const INTERRUPTED: &str = "the run was interrupted";

/// A process that can be talked to.
#[derive(Debug)]
pub(super) struct ProcessExchange {
    // Dropped first, so that the process sees the end of its input before it is asked to end.
    stdin: Sender<String>,
    stdout: StdoutReader,
    stderr: StderrLog,
    process: ChildProcess,
    timeout: Duration,
    strict: bool,
    stop: Arc<AtomicBool>,
    q: u64,
}

impl ProcessExchange {
    /// Starts a process and asks what it is.
    ///
    /// # Errors
    ///
    /// [`Fault::Broken`], with the last lines of its standard error; [`Fault::Misuse`] if there is no command.
    pub(super) fn start(config: &ProcessConfig) -> Result<(Self, Hello), Fault> {
        let Some((program, arguments)) = config.command.split_first() else {
            return Err(Fault::Misuse("no command stands after `--`".into()));
        };
        let mut exchange = Self::spawn(program, arguments, config)
            .map_err(|err| Fault::Broken(format!("`{program}` does not start: {err}")))?;
        exchange.timeout = config.timeout.max(FIRST_REPLY);
        let hello = exchange.hello();
        exchange.timeout = config.timeout;
        match hello {
            Ok(hello) => Ok((exchange, hello)),
            Err(why) => {
                let stderr = exchange.stderr.clone();
                Err(Fault::Broken(exchange.kill(&why) + &stderr.last_words()))
            }
        }
    }

    fn spawn(program: &str, arguments: &[String], config: &ProcessConfig) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // The key of an account is for the harness alone.
        command.env_remove("COSMOS_TTL_KEY");
        // What it starts itself goes with it; and Ctrl-C reaches the harness alone, which ends it in good order.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let streams = child.stdin.take().zip(child.stdout.take()).zip(child.stderr.take());
        let process = ChildProcess { child, status: None, ended: false };
        let ((stdin, stdout), stderr) = streams.ok_or_else(|| io::Error::other("it has no streams"))?;
        Ok(Self {
            stdin: stdin_lines(stdin),
            stdout: StdoutReader::new(stdout),
            stderr: StderrLog::new(stderr),
            process,
            timeout: config.timeout,
            strict: config.strict,
            stop: Arc::clone(&config.stop),
            q: 0,
        })
    }

    fn hello(&mut self) -> Result<Hello, String> {
        match self.ask(Message::hello())? {
            Reply::Hello(Hello { protocol, .. }) if protocol != VERSION => {
                Err(other_version(protocol.into()))
            }
            Reply::Hello(Hello { editions, .. }) if editions.is_empty() => Err(
                "its `hello` offers no edition; `editions` is a list of \"2020\" and \"2024\", or left out"
                    .into(),
            ),
            Reply::Hello(hello) => Ok(hello),
            Reply::Unsupported(why) | Reply::Unknown(why) | Reply::Broken(why) => {
                Err(format!("it did not say who it is: {why}"))
            }
            Reply::Ok {} | Reply::Answer(_) => Err("it did not reply `hello` to `hello`".into()),
        }
    }

    /// Sends a message and waits for the reply.
    ///
    /// # Errors
    ///
    /// What the process did instead, in words; it cannot be talked to any longer.
    pub(super) fn ask(&mut self, message: Message) -> Result<Reply, String> {
        // A line that came before the first message is taken for the reply to it: nobody can tell which came first.
        if self.q > 0
            && let Some(why) = self.unexpected()
        {
            return Err(why);
        }
        self.q += 1;
        let word = message.word();
        let _ = self.stdin.send(ProtocolLine { q: self.q, content: message }.text());
        let line = match self.stdout.next(self.timeout, &self.stop) {
            Some(OutputEvent::Line(line)) => line,
            Some(event) => return Err(format!("no reply to `{word}`: {}", self.describe(event))),
            None if self.stop.load(Ordering::Relaxed) => return Err(INTERRUPTED.into()),
            None => {
                let partial = self.stdout.partial_line();
                let partial = partial.map_or_else(String::new, |part| format!(", only half a line: {part}"));
                return Err(format!("no reply to `{word}` within {} s{partial}", self.timeout.as_secs_f32()));
            }
        };
        let reply: ProtocolLine<Reply> = parse(&line, self.strict).map_err(|why| {
            // Another version may write everything in another way.
            other_greeting(&line).unwrap_or_else(|| {
                format!("its reply to `{word}` is not understood, {why}: {}", excerpt(line.as_bytes()))
            })
        })?;
        if reply.q != self.q {
            let (replied, asked, line) = (reply.q, self.q, excerpt(line.as_bytes()));
            return Err(format!(
                "it replied to message {replied} where message {asked}, `{word}`, was asked: {line}"
            ));
        }
        Ok(reply.content)
    }

    /// Describes what came instead of a reply.
    fn describe(&mut self, event: OutputEvent) -> String {
        match event {
            OutputEvent::Line(line) => {
                format!("it wrote a line that nobody asked for: {}", excerpt(line.as_bytes()))
            }
            OutputEvent::Noise(what) => what,
            OutputEvent::End(partial) => {
                let after =
                    partial.map_or_else(String::new, |part| format!(" in the middle of a line: {part}"));
                match self.process.wait(ENDING) {
                    Some(status) => format!("the process ended with {status}{after}"),
                    None => format!("the process closed its standard output{after}"),
                }
            }
        }
    }

    /// Describes what the process did while no message was on its way; `None` if it waits, as it must.
    pub(super) fn unexpected(&mut self) -> Option<String> {
        let event = self.stdout.pending()?;
        Some(self.describe(event))
    }

    /// Returns its standard error from here on.
    pub(super) fn new_stderr(&self) -> StderrLog {
        self.stderr.starting_now()
    }

    /// Ends the process because it made a mistake, and returns the mistake and how the process went.
    pub(super) fn kill(mut self, why: &str) -> String {
        if self.process.end() { why.to_owned() } else { format!("{why}; it had to be killed") }
    }

    /// Ends the process in good order.
    ///
    /// # Errors
    ///
    /// In words, if it did not go by itself.
    pub(super) fn bye(mut self) -> Result<(), String> {
        let reply = self.ask(Message::Bye {});
        let Self { stdin, mut process, .. } = self;
        drop(stdin);
        let went = process.wait(GOING).is_some();
        let killed = if process.end() { "" } else { " and had to be killed" };
        match reply? {
            Reply::Ok {} if went => Ok(()),
            Reply::Ok {} => Err(format!("the process said that it ends and did not{killed}")),
            _ => Err("it did not reply `ok` to `bye`".into()),
        }
    }
}

/// Returns the error for a process that greets in another version of the protocol.
fn other_greeting(line: &str) -> Option<String> {
    let line: serde_json::Value = serde_json::from_str(line).ok()?;
    let protocol = line.get("hello")?.get("protocol")?.as_u64()?;
    (protocol != u64::from(VERSION)).then(|| other_version(protocol))
}

fn other_version(protocol: u64) -> String {
    format!("it speaks version {protocol} of the protocol, and this harness speaks version {VERSION}")
}

/// A process that runs, and everything that it starts.
#[derive(Debug)]
struct ChildProcess {
    child: Child,
    status: Option<ExitStatus>,
    /// Whether it was ended, with all that it started.
    ended: bool,
}

impl ChildProcess {
    /// Returns how it ended; `None` while it runs.
    fn status(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = self.child.try_wait().ok().flatten();
        }
        self.status
    }

    /// Waits for its end, but not for long.
    fn wait(&mut self, at_most: Duration) -> Option<ExitStatus> {
        let mut left = at_most;
        while self.status().is_none() && !left.is_zero() {
            #[expect(clippy::disallowed_methods, reason = "another process takes its time")]
            thread::sleep(POLL);
            left = left.saturating_sub(POLL);
        }
        self.status
    }

    /// Ends it: signals it once, waits, and kills it. Returns whether it went before it was killed.
    fn end(&mut self) -> bool {
        if self.status().is_none() {
            self.signal(false);
        }
        let went = self.wait(GRACE).is_some();
        self.ended = true;
        // Also what it started and left behind.
        self.signal(true);
        if !went {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        went
    }

    /// Asks the process and all that it started to end, or kills them.
    #[cfg(unix)]
    fn signal(&self, kill: bool) {
        use nix::sys::signal::{Signal, killpg};
        let signal = if kill { Signal::SIGKILL } else { Signal::SIGTERM };
        if let Ok(id) = i32::try_from(self.child.id()) {
            // There may be nobody left.
            let _ = killpg(nix::unistd::Pid::from_raw(id), signal);
        }
    }

    #[cfg(not(unix))]
    fn signal(&mut self, _: bool) {
        let _ = self.child.kill();
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        if !self.ended {
            self.end();
        }
    }
}
