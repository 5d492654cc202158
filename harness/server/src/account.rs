//! The content of the server: databases, their containers, and a store for the items of each.

use std::collections::BTreeMap;

use cosmos_ttl_harness::target::Properties;

use crate::answer::RestRefusal;
use crate::clock::AccountClock;
use crate::item_store::{ItemStore, RemovalSchedule};
use crate::partition::PartitionPaths;
use crate::rest::ContainerName;

/// How many databases and containers there may be in all.
const MOST_RESOURCES: usize = 10_000;

/// Everything that the server holds.
#[derive(Debug)]
pub(crate) struct Account {
    pub(crate) clock: AccountClock,
    pub(crate) databases: BTreeMap<String, CosmosDatabase>,
    /// When expired items are removed in a container that does not say so itself.
    pub(crate) removal: RemovalSchedule,
    /// Counts databases and containers, for their `_rid`.
    created: u32,
    /// Counts successful writes of anything, for session tokens.
    pub(crate) writes: u64,
}

#[derive(Debug)]
pub(crate) struct CosmosDatabase {
    pub(crate) number: u32,
    pub(crate) ts: i64,
    pub(crate) containers: BTreeMap<String, CosmosContainer>,
}

#[derive(Debug)]
pub(crate) struct CosmosContainer {
    pub(crate) number: u32,
    /// The definition as the client wrote it, without what the server adds.
    pub(crate) definition: Properties,
    /// About how many bytes the definition takes.
    pub(crate) definition_bytes: usize,
    pub(crate) paths: PartitionPaths,
    pub(crate) ts: i64,
    /// Counts replacements, for the etag.
    pub(crate) version: u32,
    /// By how many seconds this container alone was advanced.
    pub(crate) advanced_s: i64,
    pub(crate) store: Box<dyn ItemStore>,
}

impl Account {
    pub(crate) fn new(clock: AccountClock, removal: RemovalSchedule) -> Self {
        Self { clock, databases: BTreeMap::new(), removal, created: 0, writes: 0 }
    }

    /// Returns the number of a new database or container.
    pub(crate) fn next_number(&mut self) -> Result<u32, RestRefusal> {
        let containers = self.databases.values().map(|database| database.containers.len());
        let count = containers.fold(self.databases.len(), usize::saturating_add);
        if count >= MOST_RESOURCES {
            let message =
                format!("the server holds {MOST_RESOURCES} databases and containers; delete some first");
            return Err(RestRefusal::new(403, message));
        }
        self.created = self.created.wrapping_add(1);
        Ok(self.created)
    }

    pub(crate) fn database(&mut self, name: &str) -> Result<&mut CosmosDatabase, RestRefusal> {
        self.databases.get_mut(name).ok_or_else(|| RestRefusal::not_found("the database"))
    }

    /// Returns a container, and the second that it is there.
    pub(crate) fn container(
        &mut self,
        name: &ContainerName,
    ) -> Result<(i64, &mut CosmosContainer), RestRefusal> {
        let clock = self.clock;
        let container = self
            .database(&name.database)?
            .containers
            .get_mut(&name.container)
            .ok_or_else(|| RestRefusal::not_found("the container"))?;
        Ok((clock.now_s(container.advanced_s), container))
    }

    pub(crate) fn containers(&mut self) -> impl Iterator<Item = (ContainerName, &mut CosmosContainer)> {
        self.databases.iter_mut().flat_map(|(database, of)| {
            of.containers.iter_mut().map(move |(container, one)| {
                (ContainerName { database: database.clone(), container: container.clone() }, one)
            })
        })
    }

    /// Returns about how many bytes of memory all items and the definitions of all containers take.
    pub(crate) fn bytes(&self) -> usize {
        let containers = self.databases.values().flat_map(|database| database.containers.values());
        let bytes = |one: &CosmosContainer| one.store.bytes().saturating_add(one.definition_bytes);
        containers.map(bytes).fold(0, usize::saturating_add)
    }
}
