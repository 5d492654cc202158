//! A world of the model with the choices made in it, and what is the same in all of them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use cosmos_ttl_harness::etags::EtagLog;
use cosmos_ttl_harness::target::Etag;
use cosmos_ttl_model::container::{self as model, ItemId, Rules, World};
use cosmos_ttl_model::interpretation::{ContainerNull, Interpretation};
use cosmos_ttl_model::rule::Edition;
use cosmos_ttl_reference::Names;

/// The most items of a session.
pub(crate) const MOST_ITEMS: usize = 64;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ItemSet(u64);

impl ItemSet {
    pub(crate) fn has(self, id: ItemId) -> bool {
        self.0 & bit(id) != 0
    }

    pub(crate) fn with(self, id: ItemId) -> Self {
        Self(self.0 | bit(id))
    }

    pub(crate) fn without(self, id: ItemId) -> Self {
        Self(self.0 & !bit(id))
    }

    pub(crate) fn count(self) -> u32 {
        self.0.count_ones()
    }
}

fn bit(id: ItemId) -> u64 {
    1_u64.checked_shl(id.0).unwrap_or(0)
}

/// A choice that is made item by item and binds the item: the usual value or the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ItemChoice {
    made: ItemSet,
    other: ItemSet,
}

impl ItemChoice {
    /// Whether the other value was chosen for this item; `None` if nothing was.
    pub(crate) fn made(self, id: ItemId) -> Option<bool> {
        self.made.has(id).then(|| self.other.has(id))
    }

    /// The values that are possible for this item.
    pub(crate) fn values(self, id: ItemId) -> &'static [bool] {
        match self.made(id) {
            Some(false) => &[false],
            Some(true) => &[true],
            None => &[false, true],
        }
    }

    pub(crate) fn with(self, id: ItemId, other: bool) -> Self {
        Self { made: self.made.with(id), other: if other { self.other.with(id) } else { self.other } }
    }
}

/// A possible hidden state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hypothesis {
    /// Nothing was ever removed from it.
    pub(crate) world: World,
    /// Items that were expired when settings changed: each of them may be gone (`reappearance`).
    pub(crate) unsure: ItemSet,
    /// Items that turned out to be gone, and of which something may still be stored.
    pub(crate) latched: ItemSet,
    /// `container-null-is-off`
    pub(crate) null: Option<ContainerNull>,
    /// `item-integral-fraction`
    pub(crate) fraction: ItemChoice,
    /// `item-invalid-while-off`
    pub(crate) invalid: ItemChoice,
}

impl Hypothesis {
    pub(crate) fn new(world: World) -> Self {
        let (unsure, latched) = (ItemSet::default(), ItemSet::default());
        let (fraction, invalid) = (ItemChoice::default(), ItemChoice::default());
        Self { world, unsure, latched, null: None, fraction, invalid }
    }

    /// Whether a client that looks at this item would learn if it is gone.
    pub(crate) fn is_open(&self, id: ItemId) -> bool {
        self.unsure.has(id) && self.world.visible(id).is_some()
    }

    /// The items of which a client would learn if they are gone.
    pub(crate) fn open_ids(&self) -> impl Iterator<Item = ItemId> {
        self.world.visible_ids().filter(|id| self.unsure.has(*id))
    }

    /// The item is gone or there for certain. A gone item was removed when it was expired, before settings changed:
    /// [`World::remove`] at that time. Nothing that came since was about it, or it would be settled, so it is as well
    /// removed now.
    pub(crate) fn decide(&mut self, id: ItemId, gone: bool) {
        self.unsure = self.unsure.without(id);
        if gone {
            self.world.items.remove(&id);
            self.latched = self.latched.with(id);
        }
    }

    /// The hypothesis with the fate of this item decided, if it is open: back, or else gone.
    pub(crate) fn fates(&self, id: ItemId) -> impl Iterator<Item = (Cow<'_, Self>, Option<bool>)> {
        let decided = |gone: bool| {
            let mut one = self.clone();
            one.decide(id, gone);
            (Cow::Owned(one), Some(gone))
        };
        let (first, second) = if self.is_open(id) {
            (decided(false), Some(decided(true)))
        } else {
            ((Cow::Borrowed(self), None), None)
        };
        [first].into_iter().chain(second)
    }
}

/// A clause that leaves a target two ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpenClause {
    /// The id of the clause.
    pub id: &'static str,
    /// The values of the clause, the usual one first.
    pub values: [&'static str; 2],
    /// Whether one choice holds from then on, for an item or for the whole target.
    pub binds: bool,
}

impl OpenClause {
    /// Whether a query may miss items while a lazy index is rebuilt.
    pub const LAZY_INDEX: Self = Self::new("lazy-index-may-lag", ["complete", "incomplete"], false);
    pub(crate) const CONTAINER_NULL: Self = Self::new("container-null-is-off", ["off", "rejected"], true);
    pub(crate) const AGGREGATES: Self = Self::new("expired-in-aggregates", ["excluded", "counted"], false);
    pub(crate) const EXPIRED_PRECONDITION: Self =
        Self::new("expired-precondition", ["not-found", "precondition-failed"], false);
    pub(crate) const EXPIRED_UPSERT: Self =
        Self::new("expired-upsert-status", ["created", "replaced"], false);
    pub(crate) const INTEGRAL_FRACTION: Self =
        Self::new("item-integral-fraction", ["rejected", "accepted"], true);
    pub(crate) const INVALID_WHILE_OFF: Self =
        Self::new("item-invalid-while-off", ["rejected", "stored"], true);
    pub(crate) const REAPPEARANCE: Self = Self::new("reappearance", ["back", "gone"], true);

    const fn new(id: &'static str, values: [&'static str; 2], binds: bool) -> Self {
        Self { id, values, binds }
    }
}

/// What is the same in all hypotheses: the edition, and what the target has shown so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Observations {
    pub(crate) edition: Edition,
    pub(crate) names: Names,
    /// The etag that was last shown for each write. Every hypothesis has made the same writes, so a write has the same
    /// number in all of them.
    pub(crate) writes: BTreeMap<model::Etag, Etag>,
    pub(crate) etags: EtagLog<ItemId>,
    /// What the target's clock shows at the model's second 0.
    pub(crate) origin: Option<i64>,
    /// The target took a lazy index before.
    pub(crate) offers_lazy: bool,
}

impl Observations {
    pub(crate) fn rules(&self, interpretation: Interpretation) -> Rules {
        Rules { edition: self.edition, interpretation }
    }
}
