//! The partition of an item: which properties say it, and what a header says of it.

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::Properties;
use serde::Deserialize;
use serde_json::Value;

use crate::answer::RestRefusal;

/// The most levels that a partition key has.
const MOST_PATHS: usize = 3;
/// The longest partition, in bytes of JSON text: continuations and lists repeat it.
const LONGEST: usize = 4096;
/// The service's substatus: the header names another partition than the item, or none.
const OTHER_PARTITION: u32 = 1001;

/// The partition of an item: JSON text of an array, in one form for each value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PartitionValue(String);

impl PartitionValue {
    /// Reads the header `x-ms-documentdb-partitionkey`.
    ///
    /// # Errors
    ///
    /// 400 if it is no JSON array with as many scalar values as the container's key has paths, or too long.
    pub fn parse(header: &str, paths: &PartitionPaths) -> Result<Self, RestRefusal> {
        let count = paths.0.len();
        let values: Option<Vec<Value>> = serde_json::from_str(header).ok();
        let values = values.filter(|values| values.len() == count && values.iter().all(is_component));
        let values = values.ok_or_else(|| {
            RestRefusal::bad(format!(
                "`x-ms-documentdb-partitionkey` must be a JSON array with {count} value(s), as the container's key has \
                 {count} path(s); a part of a key is not offered"
            ))
            .with_substatus(OTHER_PARTITION)
        })?;
        Self::of(&values)
    }

    /// Returns the value with this text, which [`PartitionValue::as_str`] returned.
    pub(crate) fn from_stored(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Returns the JSON text of the array.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn of(values: &[Value]) -> Result<Self, RestRefusal> {
        let text = |value: &Value| match value.as_f64() {
            // 1 and 1.0 are one partition.
            Some(number) => number.to_string(),
            None => value.to_string(),
        };
        let text = format!("[{}]", values.iter().map(text).collect::<Vec<_>>().join(","));
        if text.len() > LONGEST {
            let message =
                format!("a partition key may have at most {LONGEST} bytes, written as a JSON array");
            return Err(RestRefusal::bad(message));
        }
        Ok(Self(text))
    }
}

/// A scalar, or `{}`, which stands for a property that the item does not have.
fn is_component(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.is_empty(),
        value => !value.is_array(),
    }
}

/// The paths of a container's partition key: the names on the way to each property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionPaths(Vec<Vec<String>>);

impl PartitionPaths {
    /// Reads `partitionKey` of a container.
    ///
    /// # Errors
    ///
    /// 400 that says what is accepted.
    pub fn parse(definition: &Literal) -> Result<Self, RestRefusal> {
        #[derive(Deserialize)]
        struct Definition {
            paths: Vec<String>,
        }
        let accepted = || {
            RestRefusal::bad(format!(
                "`partitionKey` must be an object such as {{\"paths\":[\"/pk\"],\"kind\":\"Hash\"}}, with 1 to {MOST_PATHS} paths"
            ))
        };
        let definition: Definition = serde_json::from_str(definition.as_str()).map_err(|_| accepted())?;
        let names = |path: &String| {
            let path = path.strip_prefix('/')?;
            let names: Vec<_> = path.split('/').map(|name| name.trim_matches('"').to_owned()).collect();
            names.iter().all(|name| !name.is_empty()).then_some(names)
        };
        let paths: Option<Vec<_>> = definition.paths.iter().map(names).collect();
        let paths = paths.filter(|paths| (1..=MOST_PATHS).contains(&paths.len()));
        paths.map(Self).ok_or_else(accepted)
    }

    /// Returns the partition of an item with these properties.
    ///
    /// # Errors
    ///
    /// 400 if one of the paths leads to an array or an object, or if the values are too long.
    pub fn of_item(&self, id: &str, properties: &Properties) -> Result<PartitionValue, RestRefusal> {
        let values: Vec<_> = self.0.iter().map(|names| value_at(id, properties, names)).collect();
        if values.iter().all(is_component) {
            return PartitionValue::of(&values);
        }
        Err(RestRefusal::bad("the item's partition key must be a string, a number, true, false or null"))
    }

    /// Returns whether a patch of this property may change the partition.
    pub fn depend_on(&self, property: &str) -> bool {
        self.0.iter().any(|names| names.first().is_some_and(|first| first == property))
    }
}

/// Returns the refusal of an item that is of another partition than the header says.
pub(crate) fn other_partition() -> RestRefusal {
    RestRefusal::bad("the item's partition key differs from the one in `x-ms-documentdb-partitionkey`")
        .with_substatus(OTHER_PARTITION)
}

/// Returns the refusal of a request that must say its partition.
pub(crate) fn missing_partition() -> RestRefusal {
    RestRefusal::bad("the header `x-ms-documentdb-partitionkey` is missing").with_substatus(OTHER_PARTITION)
}

/// The value that names lead to; `{}` where there is none.
fn value_at(id: &str, properties: &Properties, names: &[String]) -> Value {
    let absent = || Value::Object(serde_json::Map::new());
    let Some((first, rest)) = names.split_first() else { return absent() };
    let value = match properties.get(first) {
        None if first == "id" => Value::from(id),
        value => value.and_then(|value| serde_json::from_str(value.as_str()).ok()).unwrap_or_else(absent),
    };
    rest.iter().try_fold(&value, |value, name| value.get(name)).cloned().unwrap_or_else(absent)
}
