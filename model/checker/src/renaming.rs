//! Items under other names.
//!
//! Items that are created alike are alike, whatever they are called. So worlds that differ only in which item has which
//! number need to be looked at once. A move of one is a move of the other after the same renaming.

use super::age_abstraction::{MAX_ITEMS, kept_content, kept_etag};
use super::requests::{named_mut, with_operations};
use super::step::ModelAction;
use cosmos_ttl_model::container::{Content, Etag, ItemId};

/// A new name for each item, no two the same, in the order of the old ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Renaming(pub(super) [ItemId; MAX_ITEMS]);

impl Renaming {
    pub(super) fn id(&self, id: ItemId) -> ItemId {
        usize::try_from(id.0).ok().and_then(|index| self.0.get(index)).copied().unwrap_or(id)
    }

    /// The etag of an item under its new name; one of no stored item as it is.
    pub(super) fn etag(&self, etag: Etag) -> Etag {
        kept_etag(self.id(ItemId(etag.0)))
    }

    pub(super) fn content(&self, content: Content) -> Content {
        kept_content(self.id(ItemId(content.0)))
    }

    /// Renames the items that somebody speaks of.
    pub(super) fn action(&self, action: &ModelAction) -> ModelAction {
        match action {
            ModelAction::Ask(request) => ModelAction::Ask(with_operations(request, |operation| {
                let (id, content, etag) = named_mut(operation);
                *id = self.id(*id);
                if let Some(content) = content {
                    *content = self.content(*content);
                }
                if let Some(etag) = etag {
                    *etag = self.etag(*etag);
                }
            })),
            ModelAction::Remove(id) => ModelAction::Remove(self.id(*id)),
            other => other.clone(),
        }
    }
}
