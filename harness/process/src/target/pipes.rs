//! The three streams of a process, each read or written by a thread of its own, so that none can hold the harness up.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use cosmos_ttl_harness::plain::visible;

/// No line is longer; a reply that is, is none.
const MOST_BYTES: usize = 1 << 20;
/// So much of what a process writes to its standard error is kept.
const KEPT_BYTES: usize = 16 << 10;
/// Whoever waits looks so often whether everything is to stop.
const STOP_CHECK: Duration = Duration::from_millis(50);
/// Whoever asks for standard error waits so long for what is still on its way.
const SETTLE: Duration = Duration::from_millis(20);

/// What came over standard output.
#[derive(Debug)]
pub(super) enum Heard {
    /// One line, and nothing with it.
    Line(String),
    /// Anything else, in words.
    Noise(String),
    /// The end, after a line that was not ended or after nothing.
    End(Option<String>),
}

/// A process's standard output, line by line.
#[derive(Debug)]
pub(super) struct Output {
    heard: Receiver<Heard>,
    /// What came after the last line.
    half: Arc<Mutex<Vec<u8>>>,
}

impl Output {
    pub(super) fn of(stdout: ChildStdout) -> Self {
        let (sender, heard) = channel();
        let half = Arc::default();
        let reader = Reader { stdout, half: Arc::clone(&half), sender };
        // Without a thread nothing is heard, which is said like any other silence.
        let _ = thread::Builder::new().spawn(move || reader.read());
        Self { heard, half }
    }

    /// The next line; `None` where there is none in time, or before everything is to stop.
    pub(super) fn next(&self, timeout: Duration, stop: &AtomicBool) -> Option<Heard> {
        let mut left = timeout;
        while !left.is_zero() && !stop.load(Ordering::Relaxed) {
            let wait = left.min(STOP_CHECK);
            match self.heard.recv_timeout(wait) {
                Ok(heard) => return Some(heard),
                Err(RecvTimeoutError::Timeout) => left = left.saturating_sub(wait),
                Err(RecvTimeoutError::Disconnected) => return Some(Heard::End(None)),
            }
        }
        None
    }

    /// What came that nobody waited for.
    pub(super) fn pending(&self) -> Option<Heard> {
        match self.heard.try_recv() {
            Ok(heard) => Some(heard),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Heard::End(None)),
        }
    }

    /// The line that was begun and not ended, if there is one.
    pub(super) fn half(&self) -> Option<String> {
        let half = self.half.lock().unwrap_or_else(PoisonError::into_inner);
        (!half.is_empty()).then(|| excerpt(&half))
    }
}

struct Reader {
    stdout: ChildStdout,
    half: Arc<Mutex<Vec<u8>>>,
    sender: Sender<Heard>,
}

impl Reader {
    fn read(mut self) {
        let mut chunk = vec![0; 1 << 16];
        loop {
            let heard = match self.stdout.read(&mut chunk) {
                Ok(0) | Err(_) => self.end(),
                Ok(count) => match self.take(chunk.get(..count).unwrap_or(&[])) {
                    Some(heard) => heard,
                    None => continue,
                },
            };
            let over = !matches!(heard, Heard::Line(_));
            if self.sender.send(heard).is_err() || over {
                return;
            }
        }
    }

    fn end(&self) -> Heard {
        let half = self.half.lock().unwrap_or_else(PoisonError::into_inner);
        Heard::End((!half.is_empty()).then(|| excerpt(&half)))
    }

    /// What follows from these bytes; nothing yet, where the line goes on.
    fn take(&self, bytes: &[u8]) -> Option<Heard> {
        let mut half = self.half.lock().unwrap_or_else(PoisonError::into_inner);
        let before = half.len();
        half.extend_from_slice(bytes);
        let Some(newline) = half.iter().skip(before).position(|byte| *byte == b'\n') else {
            return (MOST_BYTES < half.len()).then(|| Heard::Noise(too_long(&half)));
        };
        let line: Vec<u8> = half.drain(..before.saturating_add(newline)).collect();
        // Only the line feed itself may be left: nothing is asked before this was answered.
        if half.len() != 1 {
            let more = excerpt(half.get(1..).unwrap_or(&[]));
            return Some(Heard::Noise(format!(
                "it wrote more than one line to one message; the second begins: {more}"
            )));
        }
        half.clear();
        Some(if MOST_BYTES < line.len() {
            Heard::Noise(too_long(&line))
        } else {
            String::from_utf8(line).map_or_else(
                |err| Heard::Noise(format!("it wrote a line that is no UTF-8: {}", excerpt(err.as_bytes()))),
                Heard::Line,
            )
        })
    }
}

fn too_long(line: &[u8]) -> String {
    format!("it wrote a line longer than {MOST_BYTES} bytes, which begins: {}", excerpt(line))
}

/// The beginning of a line, harmless.
pub(super) fn excerpt(line: &[u8]) -> String {
    const MOST_CHARS: usize = 120;
    let start = line.get(..line.len().min(4 * MOST_CHARS)).unwrap_or(&[]);
    let start = String::from_utf8_lossy(start);
    let cut: String = start.chars().take(MOST_CHARS).collect();
    let more = if cut.len() < line.len() { "…" } else { "" };
    visible(cut.trim_end()) + more
}

/// A process's standard input.
#[derive(Debug)]
pub(super) struct Input(Sender<String>);

impl Input {
    pub(super) fn of(mut stdin: ChildStdin) -> Self {
        let (sender, lines) = channel::<String>();
        let write = move || {
            for line in lines {
                if stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
            }
        };
        let _ = thread::Builder::new().spawn(write);
        Self(sender)
    }

    /// Sends a line; if nobody reads any longer, the missing reply says so.
    pub(super) fn send(&self, line: String) {
        let _ = self.0.send(line);
    }
}

/// The end of what a process wrote to its standard error, as one place sees it.
#[derive(Clone, Debug)]
pub(super) struct Errors {
    tail: Arc<(Mutex<Tail>, Condvar)>,
    /// How much there was before.
    from: u64,
}

#[derive(Debug, Default)]
struct Tail {
    kept: VecDeque<u8>,
    written: u64,
    ended: bool,
}

impl Errors {
    pub(super) fn of(mut stderr: ChildStderr) -> Self {
        let tail: Arc<(Mutex<Tail>, Condvar)> = Arc::default();
        let shared = Arc::clone(&tail);
        let read = move || {
            let mut chunk = vec![0; 1 << 16];
            while let Ok(count @ 1..) = stderr.read(&mut chunk) {
                let mut tail = shared.0.lock().unwrap_or_else(PoisonError::into_inner);
                tail.push(chunk.get(..count).unwrap_or(&[]));
            }
            shared.0.lock().unwrap_or_else(PoisonError::into_inner).ended = true;
            shared.1.notify_all();
        };
        let _ = thread::Builder::new().spawn(read);
        Self { tail, from: 0 }
    }

    /// The same, from here on.
    pub(super) fn opened_now(&self) -> Self {
        let from = self.tail.0.lock().unwrap_or_else(PoisonError::into_inner).written;
        Self { tail: Arc::clone(&self.tail), from }
    }

    /// What was written since, if anything: at most the end of it.
    pub(super) fn since_opened(&self) -> Option<String> {
        let tail = self.tail.0.lock().unwrap_or_else(PoisonError::into_inner);
        let settled = self.tail.1.wait_timeout_while(tail, SETTLE, |tail| !tail.ended);
        let (tail, _) = settled.unwrap_or_else(PoisonError::into_inner);
        let since = usize::try_from(tail.written.saturating_sub(self.from)).unwrap_or(usize::MAX);
        let skipped = tail.kept.len().saturating_sub(since);
        let bytes: Vec<u8> = tail.kept.iter().skip(skipped).copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let cut = if tail.kept.len() < since { "… " } else { "" };
        (!text.trim().is_empty()).then(|| format!("{cut}{}", text.trim_end()))
    }
}

/// The last lines of standard error as a part of a sentence; nothing where there are none.
pub(super) fn last_words(errors: &Errors) -> String {
    const MOST_CHARS: usize = 400;
    let Some(text) = errors.since_opened() else { return String::new() };
    let skipped = text.chars().count().saturating_sub(MOST_CHARS);
    let last: String = text.chars().skip(skipped).collect();
    format!("; its standard error ends: {}", visible(last.trim()))
}

impl Tail {
    fn push(&mut self, bytes: &[u8]) {
        self.written = self.written.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        self.kept.extend(bytes);
        let more = self.kept.len().saturating_sub(KEPT_BYTES);
        self.kept.drain(..more);
    }
}
