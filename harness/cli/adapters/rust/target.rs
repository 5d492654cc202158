//! The store under test: let each method call yours. `Refused::Unsupported` fails no vector, and a refusal is a status code:
//! `Err(Refused::Status(404))`.

use cosmos_ttl_harness::store::{Answer, Body, Key, Refused, Store};
use cosmos_ttl_harness::target::{Indexing, Part, Target};
use serde_json::Value;

/// One session: an account with at most one container, and a clock of its own.
pub struct MyStore {
    /// Seconds since 1970, moved by the harness: the store takes its time from here.
    now: u64,
}

/// The store, still without a container, and the parts that it lacks.
pub fn my_store() -> impl Target {
    let target = cosmos_ttl_harness::store::target("my-store", || MyStore { now: 1_700_000_000 });
    target.without([Part::Batch, Part::Patch]) // the trait `Store` has methods for both, and for optional parts
}

/// A returned item has its `id`, every property that was written, `_ts` (the second of its last write) and `_etag`.
impl Store for MyStore {
    fn pass(&mut self, seconds: u64) {
        self.now = self.now.saturating_add(seconds);
    }

    /// `default_ttl` is any JSON value, `None` if absent.
    fn create_container(&mut self, _default_ttl: Option<Value>, _indexing: Indexing) -> Answer<()> {
        Err(Refused::Unsupported)
    }

    /// Replaces the settings as a whole.
    fn replace_container(&mut self, _default_ttl: Option<Value>, _indexing: Indexing) -> Answer<()> {
        Err(Refused::Unsupported)
    }

    /// Returns the item as it is stored.
    fn create(&mut self, _key: Key<'_>, _body: Body) -> Answer<Body> {
        Err(Refused::Unsupported)
    }

    /// Returns also whether the item is a new one.
    fn upsert(&mut self, _key: Key<'_>, _body: Body) -> Answer<(bool, Body)> {
        Err(Refused::Unsupported)
    }

    /// With an etag, replaces only the item that has it, as `delete` does.
    fn replace(&mut self, _key: Key<'_>, _body: Body, _if_match: Option<&str>) -> Answer<Body> {
        Err(Refused::Unsupported)
    }

    fn read(&mut self, _key: Key<'_>) -> Answer<Body> {
        Err(Refused::Unsupported)
    }

    fn delete(&mut self, _key: Key<'_>, _if_match: Option<&str>) -> Answer<()> {
        Err(Refused::Unsupported)
    }

    /// Returns the ids of the partition's items that a client sees.
    fn query(&mut self, _partition: &str) -> Answer<Vec<String>> {
        Err(Refused::Unsupported)
    }

    /// The same, at most so many, from where the page before ended; and the text at which the next page continues.
    fn page(
        &mut self,
        _partition: &str,
        _size: usize,
        _from: Option<&str>,
    ) -> Answer<(Vec<String>, Option<String>)> {
        Err(Refused::Unsupported)
    }
}
