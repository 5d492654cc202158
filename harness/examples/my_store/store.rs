//! An in-memory stand-in for an account with one container: it knows nothing of any test suite.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The status codes of the service.
pub type Code = u16;

/// An item as a client sees it, with `id`, `_ts` and `_etag`.
pub type Item = Map<String, Value>;

/// The account.
#[derive(Debug, Default)]
pub struct Fake {
    /// Seconds of the Unix epoch; the owner of the fake moves it.
    pub now: i64,
    container: Option<Container>,
    writes: u64,
}

#[derive(Debug)]
struct Container {
    default_ttl: Option<i64>,
    /// By partition key and id.
    items: BTreeMap<(String, String), Item>,
}

impl Fake {
    /// An account without a container.
    pub fn new(now: i64) -> Self {
        Self { now, ..Self::default() }
    }

    /// Makes the container.
    pub fn create_container(&mut self, default_ttl: Option<&Value>, indexed: bool) -> Result<(), Code> {
        if self.container.is_some() {
            return Err(409);
        }
        let default_ttl = default(default_ttl, indexed)?;
        self.container = Some(Container { default_ttl, items: BTreeMap::new() });
        Ok(())
    }

    /// Replaces the settings.
    pub fn configure(&mut self, default_ttl: Option<&Value>, indexed: bool) -> Result<(), Code> {
        let container = self.container.as_mut().ok_or(404_u16)?;
        container.default_ttl = default(default_ttl, indexed)?;
        Ok(())
    }

    /// Makes an item.
    pub fn create(&mut self, key: (&str, &str), body: Item) -> Result<Item, Code> {
        setting(body.get("ttl"))?;
        match self.read(key) {
            Ok(_) => Err(409),
            Err(_) => self.put(key, body),
        }
    }

    /// Makes or replaces an item; also says whether it made one.
    pub fn upsert(&mut self, key: (&str, &str), body: Item) -> Result<(bool, Item), Code> {
        setting(body.get("ttl"))?;
        Ok((self.read(key).is_err(), self.put(key, body)?))
    }

    /// Replaces an item.
    pub fn replace(&mut self, key: (&str, &str), body: Item, etag: Option<&str>) -> Result<Item, Code> {
        setting(body.get("ttl"))?;
        self.check(key, etag)?;
        self.put(key, body)
    }

    /// Deletes an item.
    pub fn delete(&mut self, key: (&str, &str), etag: Option<&str>) -> Result<(), Code> {
        self.check(key, etag)?;
        self.container.as_mut().ok_or(404_u16)?.items.remove(&owned(key));
        Ok(())
    }

    /// Reads an item.
    pub fn read(&self, key: (&str, &str)) -> Result<Item, Code> {
        let container = self.container.as_ref().ok_or(404_u16)?;
        let item = container.items.get(&owned(key)).filter(|item| !self.is_expired(container, item));
        item.cloned().ok_or(404)
    }

    /// The ids of all items of a partition.
    pub fn query(&self, partition: &str) -> Result<Vec<String>, Code> {
        let container = self.container.as_ref().ok_or(404_u16)?;
        let of_it = container.items.iter().filter(|((key, _), _)| key == partition);
        let there = of_it.filter(|(_, item)| !self.is_expired(container, item));
        Ok(there.map(|((_, id), _)| id.clone()).collect())
    }

    fn check(&self, key: (&str, &str), etag: Option<&str>) -> Result<(), Code> {
        let item = self.read(key)?;
        if etag.is_none_or(|etag| item.get("_etag").is_some_and(|it| it == etag)) { Ok(()) } else { Err(412) }
    }

    fn put(&mut self, key: (&str, &str), mut item: Item) -> Result<Item, Code> {
        self.writes += 1;
        item.insert("_ts".into(), self.now.into());
        item.insert("_etag".into(), self.writes.to_string().into());
        self.container.as_mut().ok_or(404_u16)?.items.insert(owned(key), item.clone());
        Ok(item)
    }

    fn is_expired(&self, container: &Container, item: &Item) -> bool {
        let own = item.get("ttl").and_then(Value::as_i64);
        match container.default_ttl {
            None => false,
            Some(default_ttl) => match own.unwrap_or(default_ttl) {
                -1 => false,
                seconds => item.get("_ts").and_then(Value::as_i64).is_some_and(|ts| ts + seconds <= self.now),
            },
        }
    }
}

fn owned((partition, id): (&str, &str)) -> (String, String) {
    (partition.to_owned(), id.to_owned())
}

/// A container's `defaultTtl`, which needs an index.
fn default(default_ttl: Option<&Value>, indexed: bool) -> Result<Option<i64>, Code> {
    let default_ttl = setting(default_ttl.filter(|ttl| !ttl.is_null()))?;
    if default_ttl.is_some() && !indexed { Err(400) } else { Ok(default_ttl) }
}

/// A `ttl` or `defaultTtl`, if that is what it is.
fn setting(ttl: Option<&Value>) -> Result<Option<i64>, Code> {
    match ttl.map(Value::as_i64) {
        None => Ok(None),
        Some(Some(seconds)) if seconds == -1 || (1..=i64::from(i32::MAX)).contains(&seconds) => {
            Ok(Some(seconds))
        }
        Some(_) => Err(400),
    }
}
