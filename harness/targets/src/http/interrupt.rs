//! The one way to end a run early: a gate that closes once, and wakes everybody who waits at it.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cosmos_ttl_harness::target::Fault;

use crate::lock;

/// Closed once, when a run is interrupted; every request looks at it, so that none is judged by what is being deleted.
#[derive(Debug, Default)]
pub(super) struct InterruptGate {
    closed: Mutex<Option<Instant>>,
    bell: Condvar,
}

impl InterruptGate {
    /// Closes it, and wakes everybody. Only the first call counts.
    pub(super) fn close(&self) {
        lock(&self.closed).get_or_insert_with(now);
        self.bell.notify_all();
    }

    /// Returns when it was closed.
    pub(super) fn closed_at(&self) -> Option<Instant> {
        *lock(&self.closed)
    }

    /// Returns a fault if it is closed.
    pub(super) fn check(&self) -> Result<(), Fault> {
        self.wait(Duration::ZERO)
    }

    /// Waits, but not longer than until it is closed; a fault if it is.
    pub(super) fn wait(&self, duration: Duration) -> Result<(), Fault> {
        let (closed, _) = self
            .bell
            .wait_timeout_while(lock(&self.closed), duration, |closed| closed.is_none())
            .unwrap_or_else(PoisonError::into_inner);
        if closed.is_some() {
            return Err(Fault::Unknown("the run was interrupted; its database is deleted".to_owned()));
        }
        Ok(())
    }
}

/// Returns the time of this machine's steady clock, which bounds how long a clean-up takes.
#[expect(clippy::disallowed_methods, reason = "a clean-up has a time limit; no verdict depends on it")]
pub(super) fn now() -> Instant {
    Instant::now()
}
