//! An in-memory stand-in for a container: it knows nothing of any test suite.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The status codes of the service.
pub type Refused = u16;

/// An item with what the service adds to it.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Everything but `id`.
    pub body: Map<String, Value>,
    /// Second of the last write.
    pub ts: i64,
    /// New with every write.
    pub etag: u64,
}

/// A container.
#[derive(Debug)]
pub struct Store {
    /// Seconds of the Unix epoch; the owner of the store moves it.
    pub now: i64,
    default_ttl: Option<i64>,
    items: BTreeMap<String, Stored>,
    writes: u64,
}

impl Store {
    /// An empty container.
    pub fn new(now: i64, default_ttl: Option<&Value>, indexed: bool) -> Result<Self, Refused> {
        let default_ttl = setting(default_ttl.filter(|ttl| !ttl.is_null()))?;
        if default_ttl.is_some() && !indexed {
            return Err(400);
        }
        Ok(Self { now, default_ttl, items: BTreeMap::new(), writes: 0 })
    }

    /// An empty container with the settings of this one.
    pub fn emptied(&self) -> Self {
        Self { items: BTreeMap::new(), ..*self }
    }

    /// Replaces the settings.
    pub fn configure(&mut self, default_ttl: Option<&Value>, indexed: bool) -> Result<(), Refused> {
        self.default_ttl = Self::new(self.now, default_ttl, indexed)?.default_ttl;
        Ok(())
    }

    /// Makes an item.
    pub fn create(&mut self, id: &str, body: Map<String, Value>) -> Result<Stored, Refused> {
        setting(body.get("ttl"))?;
        if self.read(id).is_ok() { Err(409) } else { Ok(self.put(id, body)) }
    }

    /// Makes or replaces an item; also says whether it made one.
    pub fn upsert(&mut self, id: &str, body: Map<String, Value>) -> Result<(bool, Stored), Refused> {
        setting(body.get("ttl"))?;
        let new = self.read(id).is_err();
        Ok((new, self.put(id, body)))
    }

    /// Replaces an item.
    pub fn replace(
        &mut self,
        id: &str,
        body: Map<String, Value>,
        etag: Option<u64>,
    ) -> Result<Stored, Refused> {
        setting(body.get("ttl"))?;
        self.check(id, etag)?;
        Ok(self.put(id, body))
    }

    /// Deletes an item.
    pub fn delete(&mut self, id: &str, etag: Option<u64>) -> Result<(), Refused> {
        self.check(id, etag)?;
        self.items.remove(id);
        Ok(())
    }

    /// Reads an item.
    pub fn read(&self, id: &str) -> Result<&Stored, Refused> {
        self.items.get(id).filter(|item| !self.is_expired(item)).ok_or(404)
    }

    /// The ids of all items.
    pub fn query(&self) -> Vec<String> {
        self.items.iter().filter(|(_, item)| !self.is_expired(item)).map(|(id, _)| id.clone()).collect()
    }

    fn check(&self, id: &str, etag: Option<u64>) -> Result<(), Refused> {
        let item = self.read(id)?;
        if etag.is_none_or(|etag| etag == item.etag) { Ok(()) } else { Err(412) }
    }

    fn put(&mut self, id: &str, body: Map<String, Value>) -> Stored {
        self.writes += 1;
        let item = Stored { body, ts: self.now, etag: self.writes };
        self.items.insert(id.to_owned(), item.clone());
        item
    }

    fn is_expired(&self, item: &Stored) -> bool {
        let own = item.body.get("ttl").and_then(Value::as_i64);
        match self.default_ttl {
            None => false,
            Some(default_ttl) => match own.unwrap_or(default_ttl) {
                -1 => false,
                seconds => item.ts + seconds <= self.now,
            },
        }
    }
}

/// A `ttl` or `defaultTtl`, if that is what it is.
fn setting(ttl: Option<&Value>) -> Result<Option<i64>, Refused> {
    match ttl.map(Value::as_i64) {
        None => Ok(None),
        Some(Some(seconds)) if seconds == -1 || (1..=i64::from(i32::MAX)).contains(&seconds) => {
            Ok(Some(seconds))
        }
        Some(_) => Err(400),
    }
}
