//! A child process, and how it ends with everything that it started.

use std::collections::BTreeSet;
use std::io;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use crate::lock;

/// How long a process may take to go when it gets a signal.
const GRACE: Duration = Duration::from_secs(1);
/// The time between two checks whether a process is gone.
const POLL: Duration = Duration::from_millis(5);
/// The variable by which whatever a child started is found again, since most programs hand their environment on.
const MARK: &str = "COSMOS_TTL_PROCESS";

/// The processes that were started and have not ended, so that a program that exits at once can kill them first.
#[derive(Clone, Debug, Default)]
pub struct RunningProcesses(Arc<Mutex<Running>>);

#[derive(Debug, Default)]
struct Running {
    /// The id of each process, which is that of its group, and its mark.
    processes: BTreeSet<(u32, String)>,
    is_closed: bool,
}

impl RunningProcesses {
    /// Kills all of them with everything that they started, without any grace. No other can be started afterwards.
    ///
    /// A caller that ends one of them waits until the result is dropped: the program can exit first, with its own code.
    #[must_use = "others go on when this is dropped"]
    pub fn kill(&self) -> KilledProcesses<'_> {
        let mut running = lock(&self.0);
        running.is_closed = true;
        for (id, mark) in &running.processes {
            kill_all(*id, mark);
        }
        KilledProcesses { _running: running }
    }
}

/// Holds up everybody who ends a process that was killed.
#[derive(Debug)]
pub struct KilledProcesses<'r> {
    _running: MutexGuard<'r, Running>,
}

/// A process that was started, and ends at the latest when this is dropped.
#[derive(Debug)]
pub(crate) struct ChildProcess {
    child: Child,
    mark: String,
    running: RunningProcesses,
    /// Whether it was ended, with all that it started.
    has_ended: bool,
}

impl ChildProcess {
    pub(crate) fn spawn(command: &mut Command, running: &RunningProcesses) -> io::Result<Self> {
        static STARTED: AtomicU64 = AtomicU64::new(0);
        let mark = format!("{}-{}", std::process::id(), STARTED.fetch_add(1, Ordering::Relaxed));
        command.env(MARK, &mark);
        // Ctrl-C reaches the harness alone, which ends the process in good order.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        // Locked until the process is noted, so that none escapes `kill`.
        let mut noted = lock(&running.0);
        if noted.is_closed {
            return Err(io::Error::other("the program is about to exit"));
        }
        let child = command.spawn()?;
        noted.processes.insert((child.id(), mark.clone()));
        drop(noted);
        Ok(Self { child, mark, running: running.clone(), has_ended: false })
    }

    /// Takes the streams, if all are there.
    pub(crate) fn streams(&mut self) -> Option<((ChildStdin, ChildStdout), ChildStderr)> {
        self.child.stdin.take().zip(self.child.stdout.take()).zip(self.child.stderr.take())
    }

    /// Waits for its end, but not for long, and returns how it ended; `None` while it runs.
    pub(crate) fn wait(&mut self, at_most: Duration) -> Option<ExitStatus> {
        let mut left = at_most;
        loop {
            let status = self.child.try_wait().ok().flatten();
            if status.is_some() || left.is_zero() {
                return status;
            }
            #[expect(clippy::disallowed_methods, reason = "another process takes its time")]
            thread::sleep(POLL);
            left = left.saturating_sub(POLL);
        }
    }

    /// Ends it: signals it once, waits, and kills it. Returns whether it went before it was killed.
    pub(crate) fn end(&mut self) -> bool {
        if self.wait(Duration::ZERO).is_none() {
            terminate(&mut self.child);
        }
        let went = self.wait(GRACE).is_some();
        self.has_ended = true;
        // Also what it started and left behind.
        kill_all(self.child.id(), &self.mark);
        if !went {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        lock(&self.running.0).processes.remove(&(self.child.id(), self.mark.clone()));
        went
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        if !self.has_ended {
            self.end();
        }
    }
}

/// Asks a process and its group to end.
#[cfg(unix)]
fn terminate(child: &mut Child) {
    signal_group(child.id(), nix::sys::signal::Signal::SIGTERM);
}

#[cfg(not(unix))]
fn terminate(child: &mut Child) {
    let _ = child.kill();
}

#[cfg(unix)]
fn signal_group(id: u32, signal: nix::sys::signal::Signal) {
    if let Ok(id) = i32::try_from(id) {
        // There may be nobody left.
        let _ = nix::sys::signal::killpg(nix::unistd::Pid::from_raw(id), signal);
    }
}

/// Kills a group of processes, and on Linux also what left the group with the mark in its environment.
#[cfg(unix)]
fn kill_all(group: u32, mark: &str) {
    use nix::sys::signal::{Signal, kill};
    /// One of them may start another while they are looked for.
    const ROUNDS: usize = 3;
    signal_group(group, Signal::SIGKILL);
    for _ in 0..ROUNDS {
        let found = marked(mark);
        for id in &found {
            // It may be gone by now.
            let _ = kill(nix::unistd::Pid::from_raw(*id), Signal::SIGKILL);
        }
        if found.is_empty() {
            return;
        }
    }
}

#[cfg(not(unix))]
fn kill_all(_: u32, _: &str) {}

/// Lists the processes with this mark; only Linux shows the environment of a process.
#[cfg(unix)]
fn marked(mark: &str) -> Vec<i32> {
    let wanted = format!("{MARK}={mark}");
    let is_marked = |id: &i32| {
        let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    let names = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    names.filter_map(|name| name.file_name().to_str()?.parse().ok()).filter(is_marked).collect()
}
