//! The three streams of a process, each read or written by a thread of its own, so that none can block the harness.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use cosmos_ttl_harness::plain::visible;

/// A longer line is a mistake.
const MOST_BYTES: usize = 1 << 20;
/// How much of the standard error is kept.
const KEPT_BYTES: usize = 16 << 10;
/// How often a reader that waits checks whether everything is to stop.
const STOP_CHECK: Duration = Duration::from_millis(50);
/// How long to wait for standard error that is still on its way.
const SETTLE: Duration = Duration::from_millis(20);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a thread. Without one nothing is read or written, which is reported like any other silence.
fn spawn(run: impl FnOnce() + Send + 'static) {
    let _ = thread::Builder::new().spawn(run);
}

/// What came over standard output.
#[derive(Debug)]
pub(super) enum OutputEvent {
    /// One line, and nothing with it.
    Line(String),
    /// Anything else, in words.
    Noise(String),
    /// The end, after a part of a line or after nothing.
    End(Option<String>),
}

/// A process's standard output, line by line.
#[derive(Debug)]
pub(super) struct StdoutReader {
    events: Receiver<OutputEvent>,
    partial: PartialLine,
}

impl StdoutReader {
    pub(super) fn new(mut stdout: ChildStdout) -> Self {
        let (sender, events) = channel();
        let partial = PartialLine::default();
        let shared = partial.clone();
        spawn(move || {
            let mut chunk = vec![0; 1 << 16];
            loop {
                let event = match stdout.read(&mut chunk) {
                    Ok(0) | Err(_) => OutputEvent::End(shared.excerpt()),
                    Ok(count) => match shared.push(chunk.get(..count).unwrap_or(&[])) {
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
        Self { events, partial }
    }

    /// Waits for the next event; `None` if there is none in time, or before everything is to stop.
    pub(super) fn next(&self, timeout: Duration, stop: &AtomicBool) -> Option<OutputEvent> {
        let mut left = timeout;
        while !left.is_zero() && !stop.load(Ordering::Relaxed) {
            let wait = left.min(STOP_CHECK);
            match self.events.recv_timeout(wait) {
                Ok(event) => return Some(event),
                Err(RecvTimeoutError::Timeout) => left = left.saturating_sub(wait),
                Err(RecvTimeoutError::Disconnected) => return Some(OutputEvent::End(None)),
            }
        }
        None
    }

    /// Returns an event that nobody waited for.
    pub(super) fn pending(&self) -> Option<OutputEvent> {
        match self.events.try_recv() {
            Ok(event) => Some(event),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(OutputEvent::End(None)),
        }
    }

    /// Returns the line that was begun and not ended, if there is one.
    pub(super) fn partial_line(&self) -> Option<String> {
        self.partial.excerpt()
    }
}

/// What came after the last line.
#[derive(Clone, Debug, Default)]
struct PartialLine(Arc<Mutex<Vec<u8>>>);

impl PartialLine {
    fn excerpt(&self) -> Option<String> {
        let partial = lock(&self.0);
        (!partial.is_empty()).then(|| excerpt(&partial))
    }

    /// Adds bytes; returns an event unless the line goes on.
    fn push(&self, bytes: &[u8]) -> Option<OutputEvent> {
        let too_long = |line: &[u8]| {
            let start = excerpt(line);
            OutputEvent::Noise(format!(
                "it wrote a line longer than {MOST_BYTES} bytes, which begins: {start}"
            ))
        };
        let mut partial = lock(&self.0);
        let before = partial.len();
        partial.extend_from_slice(bytes);
        let Some(newline) = partial.iter().skip(before).position(|byte| *byte == b'\n') else {
            return (partial.len() > MOST_BYTES).then(|| too_long(&partial));
        };
        let line: Vec<u8> = partial.drain(..before + newline).collect();
        // Only the line feed itself may be left: nothing is asked before this was answered.
        if partial.len() != 1 {
            let more = excerpt(partial.get(1..).unwrap_or(&[]));
            return Some(OutputEvent::Noise(format!(
                "it wrote more than one line to one message; the second begins: {more}"
            )));
        }
        partial.clear();
        if line.len() > MOST_BYTES {
            return Some(too_long(&line));
        }
        Some(String::from_utf8(line).map_or_else(
            |err| {
                let start = excerpt(err.as_bytes());
                OutputEvent::Noise(format!("it wrote a line that is no UTF-8: {start}"))
            },
            OutputEvent::Line,
        ))
    }
}

/// Returns the beginning of a line, made harmless.
pub(super) fn excerpt(line: &[u8]) -> String {
    const MOST_CHARS: usize = 120;
    let start = line.get(..line.len().min(4 * MOST_CHARS)).unwrap_or(&[]);
    let start = String::from_utf8_lossy(start);
    let cut: String = start.chars().take(MOST_CHARS).collect();
    let more = if cut.len() < line.len() { "…" } else { "" };
    visible(cut.trim_end()) + more
}

/// Returns a process's standard input, line by line. If nobody reads a line, the missing reply says so.
pub(super) fn stdin_lines(mut stdin: ChildStdin) -> Sender<String> {
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
#[derive(Clone, Debug)]
pub(super) struct StderrLog {
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
    pub(super) fn new(mut stderr: ChildStderr) -> Self {
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
    pub(super) fn starting_now(&self) -> Self {
        Self { tail: Arc::clone(&self.tail), from: lock(&self.tail.0).written }
    }

    /// Returns the end of what was written since, if anything was.
    pub(super) fn text(&self) -> Option<String> {
        let settled = self.tail.1.wait_timeout_while(lock(&self.tail.0), SETTLE, |tail| !tail.ended);
        let (tail, _) = settled.unwrap_or_else(PoisonError::into_inner);
        let since = tail.written - self.from;
        let bytes: Vec<u8> = tail.kept.iter().skip(tail.kept.len().saturating_sub(since)).copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let cut = if tail.kept.len() < since { "… " } else { "" };
        (!text.trim().is_empty()).then(|| format!("{cut}{}", text.trim_end()))
    }

    /// Returns the last lines as a part of a sentence; empty if there are none.
    pub(super) fn last_words(&self) -> String {
        const MOST_CHARS: usize = 400;
        let Some(text) = self.text() else { return String::new() };
        let skipped = text.chars().count().saturating_sub(MOST_CHARS);
        let last: String = text.chars().skip(skipped).collect();
        format!("; its standard error ends: {}", visible(last.trim()))
    }
}
