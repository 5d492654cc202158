//! A target of which only one schedule of removal is asked: each vector is replayed once.

use cosmos_ttl_harness::target::{About, Fault, Opening, Removal, Session, Target};

/// The target inside, as if it offered this schedule alone.
pub struct OneRemoval<'a>(pub &'a dyn Target, pub Removal);

impl Target for OneRemoval<'_> {
    fn about(&self) -> About {
        About { removals: vec![self.1], ..self.0.about() }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        self.0.open(opening)
    }
}
