//! The store behind the harness's trait: translates, and decides nothing.

use cosmos_ttl_harness::store::{Answer, Body, Key, Store};
use cosmos_ttl_harness::target::{Indexing, Part, Target};
use serde_json::Value;

use super::store::Fake;

/// The store, still without a container.
pub fn my_store() -> impl Target {
    let target = cosmos_ttl_harness::store::target("my-store", || Fake::new(1_700_000_000));
    target.without([Part::Batch, Part::Patch])
}

impl Store for Fake {
    fn pass(&mut self, seconds: u64) {
        self.now += seconds.cast_signed();
    }

    fn create_container(&mut self, default_ttl: Option<Value>, indexing: Indexing) -> Answer<()> {
        Ok(Fake::create_container(self, default_ttl.as_ref(), indexing != Indexing::None)?)
    }

    fn replace_container(&mut self, default_ttl: Option<Value>, indexing: Indexing) -> Answer<()> {
        Ok(self.configure(default_ttl.as_ref(), indexing != Indexing::None)?)
    }

    fn create(&mut self, key: Key<'_>, body: Body) -> Answer<Body> {
        Ok(Fake::create(self, (key.partition, key.id), body)?)
    }

    fn upsert(&mut self, key: Key<'_>, body: Body) -> Answer<(bool, Body)> {
        Ok(Fake::upsert(self, (key.partition, key.id), body)?)
    }

    fn replace(&mut self, key: Key<'_>, body: Body, if_match: Option<&str>) -> Answer<Body> {
        Ok(Fake::replace(self, (key.partition, key.id), body, if_match)?)
    }

    fn read(&mut self, key: Key<'_>) -> Answer<Body> {
        Ok(Fake::read(self, (key.partition, key.id))?)
    }

    fn delete(&mut self, key: Key<'_>, if_match: Option<&str>) -> Answer<()> {
        Ok(Fake::delete(self, (key.partition, key.id), if_match)?)
    }

    fn query(&mut self, partition: &str) -> Answer<Vec<String>> {
        Ok(Fake::query(self, partition)?)
    }

    fn page(
        &mut self,
        partition: &str,
        size: usize,
        from: Option<&str>,
    ) -> Answer<(Vec<String>, Option<String>)> {
        let mut rest = Fake::query(self, partition)?;
        rest.retain(|id| from.is_none_or(|last| last < id.as_str()));
        let next = rest.get(size).and(rest.get(size - 1)).cloned();
        rest.truncate(size);
        Ok((rest, next))
    }
}
