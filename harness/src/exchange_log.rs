//! Records what went to a target and what came back, for people who look for the cause of a failure.
//!
//! A line of the log begins with the seconds since the run began, then `>` for what was sent and `<` for what came back, and
//! the vector for which it was.

use std::cell::RefCell;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use crate::plain::cut;
use crate::realtime::Time;

/// How many characters of one text are kept.
const MOST_CHARS: usize = 4_000;
/// How many bytes are kept in all.
const MOST_BYTES: usize = 64 << 20;
const FULL: &str = "the log is full; what follows is not in it\n";

thread_local! {
    /// The vector that this thread replays.
    static VECTOR: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Until this is dropped, the exchanges of this thread are those of a vector.
pub(crate) struct VectorScope(());

impl VectorScope {
    pub(crate) fn new(vector: &str) -> Self {
        VECTOR.set(format!("{vector}: "));
        Self(())
    }
}

impl Drop for VectorScope {
    fn drop(&mut self) {
        VECTOR.take();
    }
}

/// The exchanges of a run, as text: bounded, and with everything escaped that a terminal would obey.
pub struct ExchangeLog {
    now_us: Box<dyn Fn() -> i64 + Send + Sync>,
    most_bytes: usize,
    text: Mutex<String>,
}

impl fmt::Debug for ExchangeLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExchangeLog").field("most_bytes", &self.most_bytes).finish_non_exhaustive()
    }
}

impl ExchangeLog {
    /// Returns an empty log whose times are those of this clock.
    pub fn new(clock: impl Time + Send + 'static) -> Self {
        Self { now_us: Box::new(move || clock.now_us()), most_bytes: MOST_BYTES, text: Mutex::default() }
    }

    /// Sets how many bytes the log keeps, by default 64 MiB.
    #[must_use]
    pub fn with_most_bytes(self, most_bytes: usize) -> Self {
        Self { most_bytes, ..self }
    }

    /// Returns the microseconds of its clock.
    pub fn now_us(&self) -> i64 {
        (self.now_us)()
    }

    /// Records what is sent now.
    pub fn sent(&self, text: &str) {
        self.push(&line(self.now_us(), '>', text));
    }

    /// Records what came back now, or why nothing did.
    pub fn received(&self, text: &str) {
        self.push(&line(self.now_us(), '<', text));
    }

    /// Records an exchange that began at this microsecond and ends now, and the command that repeats it. Its lines are
    /// not mixed with those of other sessions.
    pub fn exchanged(&self, began_us: i64, sent: &str, received: &str, again: &str) {
        let ended_us = self.now_us();
        let again = cut(again, MOST_CHARS);
        self.push(&format!(
            "{}{}{:>13}{again}\n",
            line(began_us, '>', sent),
            line(ended_us, '<', received),
            ""
        ));
    }

    /// Returns the log so far.
    pub fn text(&self) -> String {
        self.text.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn push(&self, lines: &str) {
        let mut text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        if text.ends_with(FULL) {
            return;
        }
        let fits = text.len().saturating_add(lines.len()) <= self.most_bytes;
        text.push_str(if fits { lines } else { FULL });
    }
}

fn line(at_us: i64, sign: char, text: &str) -> String {
    let (seconds, rest_us) = (at_us.div_euclid(1_000_000), at_us.rem_euclid(1_000_000));
    let text = cut(text.trim_end(), MOST_CHARS);
    VECTOR.with_borrow(|vector| format!("{seconds:>4}.{rest_us:06} {sign} {vector}{text}\n"))
}
