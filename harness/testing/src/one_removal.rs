//! A target of which only one schedule of removal is asked: each vector is replayed once.

use std::collections::BTreeSet;

use cosmos_ttl_harness::target::{About, Fault, Part, Removal, Session, Target, purged};

/// The target inside, as if it removed by this schedule by itself.
pub struct OneRemoval<'a>(pub &'a dyn Target, pub Removal);

impl Target for OneRemoval<'_> {
    fn about(&self) -> About {
        About { purges: false, ..self.0.about() }
    }

    fn offers(&self) -> BTreeSet<Part> {
        self.0.offers()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(purged(self.0.open()?, self.1))
    }
}
