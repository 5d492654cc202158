//! What is the same in all hypotheses: the edition, and what the target has shown so far.

use cosmos_ttl_harness::etags::EtagLog;
use cosmos_ttl_harness::target::Etag;
use cosmos_ttl_model::container::{self as model, ItemId};
use cosmos_ttl_model::rule::Edition;
use cosmos_ttl_reference::Names;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Observations {
    pub(crate) edition: Edition,
    pub(crate) names: Names,
    /// For each write that took effect, the etag that was shown for it last. Every hypothesis has made the same writes,
    /// so a write has the same number in all of them.
    pub(crate) writes: Vec<Option<Etag>>,
    pub(crate) etags: EtagLog<ItemId>,
    /// What the target's clock shows at the model's second 0.
    pub(crate) origin: Option<i64>,
    /// The target took a lazy index before.
    pub(crate) offers_lazy: bool,
}

impl Observations {
    /// The etag that was last shown for this write.
    pub(crate) fn shown(&self, write: model::Etag) -> Option<&Etag> {
        usize::try_from(write.0).ok().and_then(|number| self.writes.get(number)).and_then(Option::as_ref)
    }

    /// Remembers the etag that came with an item.
    pub(crate) fn show(&mut self, id: ItemId, write: model::Etag, etag: &Etag) {
        let Ok(number) = usize::try_from(write.0) else { return };
        if self.writes.len() <= number {
            self.writes.resize(number + 1, None);
        }
        if let Some(shown) = self.writes.get_mut(number)
            && shown.as_ref() != Some(etag)
        {
            *shown = Some(etag.clone());
        }
        if self.etags.seen(&id).last() != Some(etag) {
            self.etags.record(id, etag.clone());
        }
    }
}
