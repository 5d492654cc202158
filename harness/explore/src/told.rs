//! How short a storyboard tells each mutant from a right store, beside the vectors that must fail it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::distinguish::{Effort, Side, distinguish};
use super::play::play;
use cosmos_ttl_harness::target::Fault;
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_mutants::{IndependentStore, Mutant};

/// Every row of two moves, and what the vectors ask: enough for whoever wants all mutants within a minute.
pub const LITTLE: Effort = Effort { depth: 2, chances: 0, seed: 1 };

/// The shortest storyboard that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// Its requests, the container's creation among them, as a vector counts its steps.
    pub requests: usize,
    /// Whether no row of fewer requests and waits differs in its scope.
    pub shortest: bool,
    /// Whether no right store answers so; otherwise the two differ in what is open.
    pub wrong: bool,
}

/// Tells each of these from the store that chooses what the evidence favours; `None` where nothing was found. Their
/// order is kept; they are shared out among the processor's cores.
///
/// # Errors
///
/// A [`Fault`] of one of them, which none gives.
pub fn told(
    mutants: &[&'static Mutant],
    vectors: &[Vector],
    effort: Effort,
) -> Result<Vec<Option<Told>>, Fault> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<Vec<(usize, Option<Told>)>, Fault> {
        let mut own = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(mutant) = mutants.get(number) else { return Ok(own) };
            own.push((number, one(mutant, vectors, effort)?));
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut all = Vec::with_capacity(mutants.len());
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            all.extend(worker.join().map_err(|_| Fault::Broken("a search ended early".into()))??);
        }
        Ok::<_, Fault>(())
    })?;
    all.sort_by_key(|(number, _)| *number);
    Ok(all.into_iter().map(|(_, told)| told).collect())
}

fn one(mutant: &Mutant, vectors: &[Vector], effort: Effort) -> Result<Option<Told>, Fault> {
    let store = mutant.store();
    let (one, right) = (Side::Store(store), Side::Store(IndependentStore::default()));
    let Some(found) = distinguish([&one, &right], vectors, effort)?.0 else { return Ok(None) };
    let wrong = play(&store, &found.board, found.removal)?.is_some();
    Ok(Some(Told { requests: found.heard.len(), shortest: found.shortest, wrong }))
}
