//! Ctrl-C, for runs of every kind: the first ends the run in good order, the second the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::shell::write_stderr;
use cosmos_ttl_harness::target::Fault;

/// The exit code after Ctrl-C.
const INTERRUPTED: i32 = 130;

/// What happens at Ctrl-C.
pub(super) struct Interrupt {
    /// What the first one does, in words.
    pub(super) first: String,
    /// What the second one leaves behind, in words.
    pub(super) second: String,
    /// Ends all waiting; called at the first one, from a thread of its own.
    pub(super) wake: Box<dyn Fn() + Send>,
}

impl Default for Interrupt {
    fn default() -> Self {
        let (first, second) = ("ending the run".into(), "nothing is said of the run".into());
        Self { first, second, wake: Box::new(|| {}) }
    }
}

/// Sets `stop` at the first Ctrl-C, and ends the process at the second. To be called once in a process.
pub(super) fn watch(stop: &Arc<AtomicBool>, interrupt: Interrupt) -> Result<(), Fault> {
    let stop = Arc::clone(stop);
    let handler = move || {
        if stop.swap(true, Ordering::SeqCst) {
            write_stderr(&format!("interrupted twice: {}\n", interrupt.second));
            #[expect(clippy::exit, reason = "whoever presses Ctrl-C twice does not want to wait")]
            std::process::exit(INTERRUPTED);
        }
        write_stderr(&format!("interrupted: {}; once more ends at once\n", interrupt.first));
        (interrupt.wake)();
    };
    ctrlc::set_handler(handler).map_err(|err| Fault::Misuse(format!("ctrl-c cannot be watched: {err}")))
}
