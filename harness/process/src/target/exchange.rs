//! One message, one reply.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::ProcessConfig;
use super::child::{Running, Started, start};
use super::pipes::{Errors, Heard, Input, Output, excerpt, last_words};
use crate::protocol::{Hello, LineContent as _, Message, ProtocolLine, Reply, VERSION, parse};
use cosmos_ttl_harness::target::Fault;

/// A program may have to be compiled or loaded before it can say who it is.
const FIRST_REPLY: Duration = Duration::from_secs(60);
/// How long a process may take to go by itself after it said that it does.
const GOING: Duration = Duration::from_secs(2);
/// How long the end of a process may take that closed its output.
const ENDING: Duration = Duration::from_millis(500);

/// Why nobody waits any longer.
pub(super) const INTERRUPTED: &str = "the run was interrupted";

/// A process that can be talked to.
#[derive(Debug)]
pub(super) struct Exchange {
    // Goes first, so that the process sees the end of its input before it is asked to end.
    input: Input,
    output: Output,
    errors: Errors,
    running: Running,
    timeout: Duration,
    strict: bool,
    stop: Arc<AtomicBool>,
    q: u64,
}

impl Exchange {
    /// Starts a process and asks it who it is.
    ///
    /// # Errors
    ///
    /// [`Fault::Broken`], with the last lines of its standard error; [`Fault::Misuse`] where there is no command.
    pub(super) fn start(config: &ProcessConfig) -> Result<(Self, Hello), Fault> {
        let Some((program, arguments)) = config.command.split_first() else {
            return Err(Fault::Misuse("no command stands after `--`".into()));
        };
        let started = start(program, arguments)
            .map_err(|err| Fault::Broken(format!("`{program}` does not start: {err}")))?;
        let Started { running, input, output, errors } = started;
        let (timeout, strict) = (config.timeout.max(FIRST_REPLY), config.strict);
        let mut exchange =
            Self { input, output, errors, running, timeout, strict, stop: Arc::clone(&config.stop), q: 0 };
        let hello = exchange.hello();
        exchange.timeout = config.timeout;
        match hello {
            Ok(hello) => Ok((exchange, hello)),
            Err(why) => {
                let errors = exchange.errors.clone();
                Err(Fault::Broken(exchange.kill(&why) + &last_words(&errors)))
            }
        }
    }

    fn hello(&mut self) -> Result<Hello, String> {
        let hello = match self.ask(&Message::hello())? {
            Reply::Hello(hello) => hello,
            Reply::Unsupported(why) | Reply::Unknown(why) | Reply::Broken(why) => {
                return Err(format!("it did not say who it is: {why}"));
            }
            Reply::Ok {} | Reply::Answer(_) => {
                return Err("it did not reply `hello` to `hello`".into());
            }
        };
        match &hello {
            Hello { protocol, .. } if *protocol != VERSION => Err(speaks(u64::from(*protocol))),
            Hello { editions, .. } if editions.is_empty() => Err(
                "its `hello` offers no edition; `editions` is a list of \"2020\" and \"2024\", or left out"
                    .into(),
            ),
            _ => Ok(hello),
        }
    }

    /// Asks, and waits for the reply.
    ///
    /// # Errors
    ///
    /// What the process did instead, in words; it cannot be talked to any longer.
    pub(super) fn ask(&mut self, message: &Message) -> Result<Reply, String> {
        // What it wrote before the first message is taken for the reply to that, whichever came first.
        if 0 < self.q
            && let Some(why) = self.is_off()
        {
            return Err(why);
        }
        self.q = self.q.saturating_add(1);
        self.input.send(ProtocolLine { q: self.q, content: message.clone() }.text());
        let word = message.word();
        let line = match self.output.next(self.timeout, &self.stop) {
            Some(Heard::Line(line)) => line,
            Some(heard) => return Err(format!("no reply to `{word}`: {}", self.instead(heard))),
            None if self.stop.load(Ordering::Relaxed) => return Err(INTERRUPTED.into()),
            None => {
                let half = self.output.half();
                let half = half.map_or_else(String::new, |half| format!(", only half a line: {half}"));
                return Err(format!("no reply to `{word}` within {} s{half}", self.timeout.as_secs_f32()));
            }
        };
        let reply: ProtocolLine<Reply> = parse(&line, self.strict).map_err(|why| {
            // Another version may say everything in another way.
            other_version(&line).unwrap_or_else(|| {
                format!("its reply to `{word}` is not understood, {why}: {}", excerpt(line.as_bytes()))
            })
        })?;
        if reply.q != self.q {
            let (said, asked, line) = (reply.q, self.q, excerpt(line.as_bytes()));
            return Err(format!(
                "it replied to message {said} where message {asked}, `{word}`, was asked: {line}"
            ));
        }
        Ok(reply.content)
    }

    /// What came instead of a line.
    fn instead(&mut self, heard: Heard) -> String {
        match heard {
            Heard::Line(line) => excerpt(line.as_bytes()),
            Heard::Noise(what) => what,
            Heard::End(half) => {
                let after = half.map_or_else(String::new, |half| format!(" in the middle of a line: {half}"));
                match self.running.wait(ENDING) {
                    Some(status) => format!("the process ended with {status}{after}"),
                    None => format!("the process closed its standard output{after}"),
                }
            }
        }
    }

    /// What it did while nothing was asked, in words; `None` where it waits, as it must.
    pub(super) fn is_off(&mut self) -> Option<String> {
        let heard = self.output.pending()?;
        Some(match heard {
            Heard::Line(line) => {
                format!("it wrote a line that nobody asked for: {}", excerpt(line.as_bytes()))
            }
            heard => self.instead(heard),
        })
    }

    /// Its standard error from here on.
    pub(super) fn errors(&self) -> Errors {
        self.errors.opened_now()
    }

    /// Ends the process, which made a mistake, and says what became of it.
    pub(super) fn kill(mut self, why: &str) -> String {
        if self.running.end() { why.to_owned() } else { format!("{why}; it had to be killed") }
    }

    /// Ends the process in good order.
    ///
    /// # Errors
    ///
    /// Where it did not go by itself, in words.
    pub(super) fn bye(mut self) -> Result<(), String> {
        let reply = self.ask(&Message::Bye {});
        let Self { input, mut running, .. } = self;
        drop(input);
        let went = running.wait(GOING).is_some();
        let killed = if running.end() { "" } else { " and had to be killed" };
        match reply {
            Ok(Reply::Ok {}) if went => Ok(()),
            Ok(Reply::Ok {}) => Err(format!("the process said that it ends and did not{killed}")),
            Ok(_) => Err("it did not reply `ok` to `bye`".into()),
            Err(why) => Err(why),
        }
    }
}

/// What is said of a process that greets in another version of the protocol.
fn other_version(line: &str) -> Option<String> {
    let line: serde_json::Value = serde_json::from_str(line).ok()?;
    let protocol = line.get("hello")?.get("protocol")?.as_u64()?;
    (protocol != u64::from(VERSION)).then(|| speaks(protocol))
}

fn speaks(protocol: u64) -> String {
    format!("it speaks version {protocol} of the protocol, and this harness speaks version {VERSION}")
}
