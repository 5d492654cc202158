//! Starts a process, and ends it whatever it does.

use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use super::pipes::{Errors, Input, Output};

/// Between two looks whether a process is gone.
const LOOK: Duration = Duration::from_millis(5);
/// How long a process may take to go when it is told to.
const GRACE: Duration = Duration::from_secs(1);

/// A process that runs, and everything that it starts.
#[derive(Debug)]
pub(super) struct Running {
    child: Child,
    status: Option<ExitStatus>,
    /// Whether it was ended, and all that it started.
    ended: bool,
}

/// A process and its streams.
pub(super) struct Started {
    pub(super) running: Running,
    pub(super) input: Input,
    pub(super) output: Output,
    pub(super) errors: Errors,
}

/// Starts a command; no shell is asked.
pub(super) fn start(program: &str, arguments: &[String]) -> io::Result<Started> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // The key of an account is for the harness alone.
    command.env_remove("COSMOS_TTL_KEY");
    // What it starts itself goes with it; and Ctrl-C reaches the harness alone, which ends it in good order.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    let streams = child.stdin.take().zip(child.stdout.take()).zip(child.stderr.take());
    let running = Running { child, status: None, ended: false };
    let ((stdin, stdout), stderr) = streams.ok_or_else(|| io::Error::other("it has no streams"))?;
    let (input, output, errors) = (Input::of(stdin), Output::of(stdout), Errors::of(stderr));
    Ok(Started { running, input, output, errors })
}

impl Running {
    /// How it ended; `None` while it runs.
    pub(super) fn status(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = self.child.try_wait().ok().flatten();
        }
        self.status
    }

    /// Waits for its end, but not for long.
    pub(super) fn wait(&mut self, at_most: Duration) -> Option<ExitStatus> {
        let mut left = at_most;
        while self.status().is_none() && !left.is_zero() {
            #[expect(clippy::disallowed_methods, reason = "another process takes its time")]
            thread::sleep(LOOK);
            left = left.saturating_sub(LOOK);
        }
        self.status
    }

    /// Ends it: asks first, and does not ask twice. Whether it went when it was asked, or before.
    pub(super) fn end(&mut self) -> bool {
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

    /// Asks the process and all that it started to end, or makes them.
    #[cfg(unix)]
    fn signal(&self, at_once: bool) {
        use nix::sys::signal::{Signal, killpg};
        use nix::unistd::Pid;
        let signal = if at_once { Signal::SIGKILL } else { Signal::SIGTERM };
        if let Ok(id) = i32::try_from(self.child.id()) {
            // There may be nobody left.
            let _ = killpg(Pid::from_raw(id), signal);
        }
    }

    #[cfg(not(unix))]
    fn signal(&mut self, _: bool) {
        let _ = self.child.kill();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.ended {
            self.end();
        }
    }
}
