//! Random numbers that repeat themselves.

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng as _, SeedableRng as _};

/// A source of random numbers that repeat themselves: the same seed draws the same on every machine and in every release.
///
/// The algorithm is pinned by its crate, the use of its numbers here.
#[derive(Debug)]
pub struct Rng(ChaCha8Rng);

impl Rng {
    /// Returns the source that follows from this seed.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Draws a number below this one; 0 if there is none.
    pub fn below(&mut self, end: u32) -> u32 {
        let wide = u64::from(self.0.next_u32()).wrapping_mul(end.into());
        u32::try_from(wide >> 32).unwrap_or(0)
    }

    /// Returns true in this many of a hundred cases.
    pub fn percent(&mut self, cases: u32) -> bool {
        self.below(100) < cases
    }

    /// Draws an index below this count; 0 if there is none.
    pub fn index(&mut self, count: usize) -> usize {
        let drawn = self.below(u32::try_from(count).unwrap_or(u32::MAX));
        usize::try_from(drawn).unwrap_or(0)
    }

    /// Draws one of these; `None` if there are none.
    pub fn of<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.index(all.len()))
    }
}
