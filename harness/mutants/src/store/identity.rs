//! Which item is meant: one with this partition and this id.

use super::{IndependentSession, StoredItem};
use crate::mutation::{Access, Mutation as M};
use cosmos_ttl_harness::target::{DEFAULT_PARTITION, PartitionKey};

impl StoredItem {
    /// Whether it is the item with this id in this partition.
    pub(super) fn is(&self, partition: Option<&PartitionKey>, id: &str) -> bool {
        self.id == id && self.partition.as_ref() == partition
    }

    /// Whether it has the partition and the id of this one.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        self.is(other.partition.as_ref(), &other.id)
    }
}

impl IndependentSession {
    /// Whether it is the item with this id in the partition that the request is about.
    pub(super) fn is_meant(&self, item: &StoredItem, id: &str) -> bool {
        match self.store.mutation {
            Some(M::KeysAreJoined) => {
                joined(item.partition.as_ref(), &item.id) == joined(self.partition.as_ref(), id)
            }
            Some(M::IdsAreDecoded) => item.partition == self.partition && decoded(&item.id) == decoded(id),
            _ => item.is(self.partition.as_ref(), id),
        }
    }

    /// The item as one of these looks finds it.
    pub(super) fn find(&self, id: &str, looks: &[Access]) -> Option<&StoredItem> {
        let living = |item: &&StoredItem| !self.is_expired(item, looks);
        let found = self.items.iter().find(|item| self.is_meant(item, id) && living(item));
        match self.store.mutation {
            Some(M::LooksInAllPartitions(look)) if looks.contains(&look) => {
                found.or_else(|| self.items.iter().find(|item| item.id == id && living(item)))
            }
            _ => found,
        }
    }
}

fn joined(partition: Option<&PartitionKey>, id: &str) -> String {
    partition.map_or(DEFAULT_PARTITION, String::as_str).to_owned() + id
}

/// The id as a form in a URL would spell it.
fn decoded(id: &str) -> String {
    id.replace('+', " ").replace("%20", " ")
}
