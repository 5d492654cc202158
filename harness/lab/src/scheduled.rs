//! A target that offers some of its schedules of removal.

use cosmos_ttl_harness::target::{About, Fault, Opening, Removal, Session, Target};

/// A target with fewer schedules of removal, so that vectors are replayed less often.
pub(crate) struct Scheduled<'t> {
    pub(crate) target: &'t dyn Target,
    pub(crate) removals: Vec<Removal>,
}

impl Target for Scheduled<'_> {
    fn about(&self) -> About {
        let mut about = self.target.about();
        about.removals.retain(|removal| self.removals.contains(removal));
        about
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        self.target.open(opening)
    }
}
