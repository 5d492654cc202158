//! Progress of what takes longer than a second: one line on a terminal, which is written over and cleared at the end.

use std::io::{self, IsTerminal as _, StderrLock, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// A stream that shows one line of progress at a time.
#[derive(Debug)]
pub struct ProgressLine<W> {
    stream: W,
    is_terminal: bool,
}

impl ProgressLine<StderrLock<'static>> {
    /// Returns the standard error.
    pub fn stderr() -> Self {
        let stream = io::stderr().lock();
        Self { is_terminal: stream.is_terminal(), stream }
    }
}

// Whether progress can be written changes nothing, so no error of the stream is told.
impl<W: Write> ProgressLine<W> {
    /// Returns a line on another stream.
    pub fn new(stream: W, is_terminal: bool) -> Self {
        Self { stream, is_terminal }
    }

    /// Shows a line in place of the last one; on a terminal only.
    pub fn show(&mut self, line: &str) {
        if self.is_terminal {
            let _ = write!(self.stream, "\r{line}\u{1b}[K").and_then(|()| self.stream.flush());
        }
    }

    /// Shows a line on a terminal; elsewhere, as in the log of a CI, logs it every ten seconds.
    pub fn show_or_log(&mut self, line: &str, elapsed_s: u64) {
        if !self.is_terminal && elapsed_s.is_multiple_of(10) {
            let _ = writeln!(self.stream, "{line}");
        }
        self.show(line);
    }

    /// Removes the line; on a terminal only.
    pub fn clear(&mut self) {
        self.show("");
    }
}

/// Runs something, and shows on a terminal from the first second on what goes on and for how long.
pub fn during<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let line = |elapsed_s| format!("{what}: {elapsed_s} s");
    if io::stderr().is_terminal() { show_lines(line, SECOND, ProgressLine::stderr, work) } else { work() }
}

/// Runs something that counts what it has done of so many, and shows the count and an estimate; also in a log.
pub fn counted<T>(what: &str, of: usize, work: impl FnOnce(&AtomicUsize) -> T) -> T {
    let done = AtomicUsize::new(0);
    let line = |elapsed_s| counted_line(what, done.load(Ordering::Relaxed), of, elapsed_s);
    show_lines(line, SECOND, ProgressLine::stderr, || work(&done))
}

/// Returns, for example: `replaying vectors: 120 of 663, about 8 s more`.
pub fn counted_line(what: &str, done: usize, of: usize, elapsed_s: u64) -> String {
    let [done_u64, left] =
        [done, of.saturating_sub(done)].map(|count| u64::try_from(count).unwrap_or(u64::MAX));
    let rest_s = elapsed_s.saturating_mul(left).checked_div(done_u64);
    let rest = rest_s.map_or_else(String::new, |rest_s| format!(", about {rest_s} s more"));
    format!("{what}: {done} of {of}{rest}")
}

/// Runs something, and shows at each tick the line of its seconds on what `open` returns.
pub fn show_lines<T, W: Write>(
    line: impl Fn(u64) -> String + Send,
    tick: Duration,
    open: impl Fn() -> ProgressLine<W> + Send,
    work: impl FnOnce() -> T,
) -> T {
    let (done, is_done) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut elapsed_s = 0_u64;
            while is_done.recv_timeout(tick) == Err(RecvTimeoutError::Timeout) {
                elapsed_s += 1;
                open().show_or_log(&line(elapsed_s), elapsed_s);
            }
            if elapsed_s > 0 {
                open().clear();
            }
        });
        let result = work();
        drop(done);
        result
    })
}
