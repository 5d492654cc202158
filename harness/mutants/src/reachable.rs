//! Replays against stores with one mutation, without those that cannot reach it.

use super::mutation::Mutation;
use super::reach::Reach;
use super::store::IndependentStore;
use cosmos_ttl_harness::run::{VectorResult, hold_to_choices, run_virtual, until_failure};
use cosmos_ttl_harness::target::{Fault, Target as _};
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_harness::verdict::{Failure, Verdict};

#[derive(Debug)]
/// Vectors, each with what it can reach and with its result on a correct store.
pub struct ReachableVectors<'a> {
    correct: IndependentStore,
    vectors: Vec<(&'a Vector, Reach<'a>, VectorResult<'a>)>,
}

impl<'a> ReachableVectors<'a> {
    /// Replays every vector against the correct store.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`] only.
    pub fn new(correct: IndependentStore, vectors: &[&'a Vector]) -> Result<Self, Fault> {
        let results = run_virtual(&correct, vectors)?.results;
        let with_reach = |(vector, result)| (vector, Reach::of(vector), result);
        Ok(Self { correct, vectors: vectors.iter().copied().zip(results).map(with_reach).collect() })
    }

    /// Returns the correct store with this mutation.
    pub fn store(&self, mutation: Mutation) -> IndependentStore {
        IndependentStore { mutation: Some(mutation), ..self.correct }
    }

    /// Returns the vectors that fail the store with this mutation, in their order, and how.
    ///
    /// A vector that cannot reach the mutation is not replayed: there the store answers as the correct one.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`] only.
    pub fn failures(&self, mutation: Mutation) -> Result<Vec<(&'a Vector, Failure)>, Fault> {
        let store = self.store(mutation);
        let about = store.about();
        let mut results = Vec::new();
        for (vector, reach, correct) in &self.vectors {
            if reach.has(mutation) {
                results.push(until_failure(&store, &about, vector)?);
            } else if !correct.choices.is_empty() || correct.verdict != Verdict::Pass {
                let mut same = VectorResult::unasked(vector, correct.verdict.clone());
                same.choices.clone_from(&correct.choices);
                results.push(same);
            }
        }
        hold_to_choices(&mut results);
        Ok(failures(results))
    }
}

/// Returns the vectors that failed, and how.
pub(crate) fn failures(results: Vec<VectorResult<'_>>) -> Vec<(&Vector, Failure)> {
    let failures = results.into_iter().filter_map(|result| match result.verdict {
        Verdict::Fail(failure) => Some((result.vector, failure)),
        _ => None,
    });
    failures.collect()
}
