//! An object no key of which stands in it twice: of two values under one key nobody could say which was meant.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Values by name.
pub(super) struct Unique<V>(pub(super) BTreeMap<String, V>);

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Unique<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Once(PhantomData))
    }
}

struct Once<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for Once<V> {
    type Value = Unique<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Unique<V>, A::Error> {
        let mut values = BTreeMap::new();
        while let Some((key, value)) = map.next_entry::<String, V>()? {
            if values.contains_key(&key) {
                return Err(A::Error::custom(format!("`{key}` stands in it twice")));
            }
            values.insert(key, value);
        }
        Ok(Unique(values))
    }
}

/// Reads such an object.
pub(super) fn unique<'de, D: Deserializer<'de>, V: Deserialize<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, V>, D::Error> {
    Unique::deserialize(deserializer).map(|Unique(values)| values)
}

/// The same of one that need not be there; null is none.
pub(super) fn unique_or_none<'de, D: Deserializer<'de>, V: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<BTreeMap<String, V>>, D::Error> {
    Ok(Option::<Unique<V>>::deserialize(deserializer)?.map(|Unique(values)| values))
}
