//! Code of others, called so that it breaks alone.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::target::Fault;

/// Calls a target; if it panics, it broke. The caller does not use it again, except to close it.
///
/// # Errors
///
/// Returns the result of the call, and [`Fault::Broken`] if it panics.
pub fn catch_panic<T>(call: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Err(Fault::Broken(format!("it panicked: {}", text.chars().take(400).collect::<String>())))
    })
}
