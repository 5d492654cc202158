//! The log of a client: what it sent, what came back, and when; one JSON object a line, as `harness/explore/LOGS.md` says.
//!
//! A line is hostile: it is bounded, and one that cannot be read is refused with a reason. `judge` uses what it can read of it.

mod target;

use std::fmt;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::plain::message;
use crate::target::{Etag, Operation, PageRequest, Part, PartitionKey, Request, Response};

pub use target::LoggedTarget;

/// The most bytes of a log, which is kept in memory: its lines are judged in the order in which they were sent.
const MOST_BYTES: u64 = 1 << 30;
/// The most lines of a log.
const MOST_LINES: usize = 20_000_000;
/// The most bytes of a line.
pub const MOST_LINE_BYTES: usize = 4 << 20;

/// Seconds of the writer's clock, whose beginning is any moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogTime {
    /// In microseconds.
    pub us: i64,
}

impl LogTime {
    /// A whole second.
    pub fn of_s(seconds: i64) -> Self {
        Self { us: seconds.saturating_mul(1_000_000) }
    }
}

impl<'de> Deserialize<'de> for LogTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// Milliseconds since 1970 are beyond it.
        const MOST_S: f64 = 1e12;
        let number = serde_json::Number::deserialize(deserializer)?;
        let seconds = number.as_f64().filter(|seconds| seconds.abs() < MOST_S);
        let seconds = seconds.ok_or_else(|| {
            serde::de::Error::custom("a time is a number of seconds, and not of milliseconds")
        })?;
        #[expect(clippy::cast_possible_truncation, reason = "bounded above")]
        let rounded_us = (seconds * 1e6).round() as i64;
        Ok(number.as_i64().map_or(Self { us: rounded_us }, Self::of_s))
    }
}

impl Serialize for LogTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[expect(clippy::cast_precision_loss, reason = "a microsecond is exact for 285 years")]
        let seconds = self.us as f64 / 1e6;
        match self.us.checked_rem(1_000_000) {
            Some(0) => serializer.serialize_i64(self.us / 1_000_000),
            _ => serializer.serialize_f64(seconds),
        }
    }
}

/// Whose times stand in a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogClock {
    /// Those of the writer's clock, which runs evenly.
    #[default]
    Writer,
    /// Whole seconds of the server's clock, give or take the same for each line of the container: the writer moves that clock, or
    /// is the server. Requests do not overlap.
    Exact,
}

impl LogClock {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
    fn is_writers(&self) -> bool {
        *self == Self::Writer
    }
}

/// One line: a request and its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoggedExchange {
    /// When it was sent.
    pub sent: LogTime,
    /// When the answer was there; absent if none came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<LogTime>,
    /// Whose times these are.
    #[serde(default, skip_serializing_if = "LogClock::is_writers")]
    pub clock: LogClock,
    /// The container, by any name that is its own.
    pub container: String,
    /// The partition key of the items; absent for the default partition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<PartitionKey>,
    /// The page that a query or a list asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PageRequest>,
    /// The condition of an upsert.
    #[serde(rename = "if-match", default, skip_serializing_if = "Option::is_none")]
    pub if_match: Option<Etag>,
    /// The condition of a read or a create.
    #[serde(rename = "if-none-match", default, skip_serializing_if = "Option::is_none")]
    pub if_none_match: Option<Etag>,
    /// The request.
    pub request: Request,
    /// The answer; absent if it was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Response>,
}

impl LoggedExchange {
    /// Returns whether the request is one that every target is asked: those are judged.
    pub fn is_modelled(&self) -> bool {
        let parts = Part::of_request(&self.request);
        let is_plain = !parts.iter().any(|part| part.is_optional());
        // What `*` requires of an item that is not there, stores read in two ways.
        let is_any = |operation: &Operation| operation.etag().is_some_and(|etag| etag == "*");
        let has_any = self.request.operations().iter().any(is_any);
        is_plain && !has_any && self.if_match.is_none() && self.if_none_match.is_none()
    }

    /// Reads a line.
    ///
    /// # Errors
    ///
    /// Why it is none, bounded and harmless.
    pub fn parse(line: &[u8]) -> Result<Self, String> {
        if line.len() > MOST_LINE_BYTES {
            return Err(format!("{} bytes are too many: at most {MOST_LINE_BYTES} are read", line.len()));
        }
        let mut one: Self = serde_json::from_slice(line).map_err(|err| message(&err.to_string()))?;
        one.answer = one.answer.map(|answer| answer.answering(&one.request));
        match one.received {
            None if one.answer.is_some() => Err("an `answer` without `received`".into()),
            Some(received) if received < one.sent => Err("`received` is before `sent`".into()),
            received if one.clock == LogClock::Exact && received.is_some_and(|at| at != one.sent) => {
                Err("an `exact` clock, and `received` is not `sent`".into())
            }
            _ => Ok(one),
        }
    }
}

/// A log in memory.
#[derive(Debug)]
pub struct RequestLog {
    bytes: Vec<u8>,
    lines: Vec<Range<usize>>,
}

impl RequestLog {
    /// Reads a log to its end.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or has more than a GiB or 20 million lines.
    pub fn read(from: impl Read) -> io::Result<Self> {
        let mut bytes = Vec::new();
        from.take(MOST_BYTES).read_to_end(&mut bytes)?;
        if u64::try_from(bytes.len()).is_ok_and(|length| length >= MOST_BYTES) {
            let why =
                format!("the log has {MOST_BYTES} bytes or more; split it, between containers if possible");
            return Err(io::Error::other(why));
        }
        let mut lines = Vec::new();
        let mut start = 0_usize;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let end = start.saturating_add(line.len());
            lines.push(start..end);
            start = end;
            if lines.len() > MOST_LINES {
                let why = format!(
                    "the log has more than {MOST_LINES} lines; split it, between containers if possible"
                );
                return Err(io::Error::other(why));
            }
        }
        Ok(Self { bytes, lines })
    }

    /// Returns the number of lines.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Returns whether there is no line.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns a line, counted from 0, without the spaces around it.
    pub fn line(&self, index: usize) -> &[u8] {
        let range = self.lines.get(index).cloned().unwrap_or_default();
        self.bytes.get(range).unwrap_or_default().trim_ascii()
    }
}

/// Writes a log, a line for each exchange, from several threads.
pub struct LogWriter(Mutex<(Box<dyn Write + Send>, io::Result<()>)>);

impl fmt::Debug for LogWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogWriter").finish_non_exhaustive()
    }
}

impl LogWriter {
    /// Writes to this.
    pub fn new(to: impl Write + Send + 'static) -> Self {
        Self(Mutex::new((Box::new(to), Ok(()))))
    }

    /// Adds a line. After an error nothing more is written.
    pub fn write(&self, one: &LoggedExchange) {
        let mut guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (to, result) = &mut *guard;
        if result.is_ok() {
            let line = serde_json::to_vec(one).map_err(io::Error::from);
            *result = line.and_then(|mut line| {
                line.push(b'\n');
                to.write_all(&line)?;
                to.flush()
            });
        }
    }

    /// Returns whether every line was written.
    ///
    /// # Errors
    ///
    /// The first error of writing.
    pub fn finish(&self) -> io::Result<()> {
        let mut guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut guard.1, Ok(()))
    }
}
