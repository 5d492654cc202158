//! One world that may be, with what it has chosen and what nobody knows of it.

use cosmos_ttl_model::container::{ItemId, World};
use cosmos_ttl_model::interpretation::ContainerNull;

/// Some of the items, by their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ids(u64);

/// How many items a place may have.
pub(super) const MOST_IDS: usize = 64;

impl Ids {
    pub(super) fn has(self, id: ItemId) -> bool {
        self.0 & bit(id) != 0
    }

    pub(super) fn with(self, id: ItemId) -> Self {
        Self(self.0 | bit(id))
    }

    pub(super) fn without(self, id: ItemId) -> Self {
        Self(self.0 & !bit(id))
    }

    pub(super) fn count(self) -> u32 {
        self.0.count_ones()
    }
}

fn bit(id: ItemId) -> u64 {
    1_u64.checked_shl(id.0).unwrap_or(0)
}

/// A choice that is made item by item, and binds the item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    usual: Ids,
    other: Ids,
}

impl Choice {
    /// What it may be for this item: whether it is the other one.
    pub(super) fn open(self, id: ItemId) -> &'static [bool] {
        match (self.usual.has(id), self.other.has(id)) {
            (true, _) => &[false],
            (_, true) => &[true],
            _ => &[false, true],
        }
    }

    pub(super) fn made(self, id: ItemId, other: bool) -> Self {
        if other {
            Self { other: self.other.with(id), ..self }
        } else {
            Self { usual: self.usual.with(id), ..self }
        }
    }
}

/// A world that may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hypothesis {
    /// Nothing was ever removed from it.
    pub(super) world: World,
    /// Items that were expired when settings changed: each of them may be gone (`reappearance`).
    pub(super) unsure: Ids,
    /// Items that turned out to be gone, and of which something may still be stored.
    pub(super) latched: Ids,
    /// `container-null-is-off`
    pub(super) null: Option<ContainerNull>,
    /// `item-integral-fraction`
    pub(super) fraction: Choice,
    /// `item-invalid-while-off`
    pub(super) invalid: Choice,
}

impl Hypothesis {
    pub(super) fn new(world: World) -> Self {
        Self {
            world,
            unsure: Ids::default(),
            latched: Ids::default(),
            null: None,
            fraction: Choice::default(),
            invalid: Choice::default(),
        }
    }

    /// Whether a client that looks at this item would learn if it is gone.
    pub(super) fn is_open(&self, id: ItemId) -> bool {
        self.unsure.has(id) && self.world.visible(id).is_some()
    }

    /// The items of which a client would learn if they are gone.
    pub(super) fn open_ids(&self) -> impl Iterator<Item = ItemId> {
        self.world.visible_ids().filter(|id| self.unsure.has(*id))
    }

    /// The item is there for certain.
    pub(super) fn settle(&mut self, id: ItemId) {
        self.unsure = self.unsure.without(id);
    }

    /// The item was removed when it was expired, before settings changed: [`World::remove`] at that time. Nothing that
    /// came since was about it, or it would be settled, so it is as well removed now.
    pub(super) fn lose(&mut self, id: ItemId) {
        self.world.items.remove(&id);
        self.unsure = self.unsure.without(id);
        self.latched = self.latched.with(id);
    }

    /// The item was written or deleted: whatever was not known of it is of no matter any more.
    pub(super) fn renew(&mut self, id: ItemId) {
        self.unsure = self.unsure.without(id);
        self.latched = self.latched.without(id);
    }

    /// The same, the item lost.
    pub(super) fn without(&self, id: ItemId) -> Self {
        let mut gone = self.clone();
        gone.lose(id);
        gone
    }
}
