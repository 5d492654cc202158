//! Work that is shared out among the processor's cores.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Applies a function to each of these items on every core, and returns the results in the order of the items.
///
/// # Errors
///
/// An error of the function.
pub fn map<'a, T: Sync, R: Send, E: Send>(
    items: &'a [T],
    work: impl Fn(&'a T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    map_on(thread::available_parallelism().map_or(1, usize::from), items, work)
}

/// The same on this number of threads, of which this is one.
///
/// # Errors
///
/// An error of the function.
pub fn map_on<'a, T: Sync, R: Send, E: Send>(
    threads: usize,
    items: &'a [T],
    work: impl Fn(&'a T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let next = AtomicUsize::new(0);
    let worker = || -> Result<Vec<(usize, R)>, E> {
        let mut own = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(number) else { return Ok(own) };
            own.push((number, work(item)?));
        }
    };
    let done = thread::scope(|scope| {
        let workers: Vec<_> = (1..threads.min(items.len())).map(|_| scope.spawn(worker)).collect();
        let own = worker();
        let joined = workers.into_iter().map(|one| one.join().unwrap_or_else(|panic| resume_unwind(panic)));
        joined.chain([own]).collect::<Result<Vec<_>, E>>()
    })?;
    let mut done: Vec<_> = done.into_iter().flatten().collect();
    done.sort_by_key(|(number, _)| *number);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}
