//! The partition of an item: which properties say it, and what a header says of it.

use std::ops::{Range, RangeInclusive};

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::Properties;
use murmur3::murmur3_x64_128;
use serde::Deserialize;
use serde_json::Value;

use crate::answer::RestRefusal;
use crate::rest::RestRequest;

pub(crate) const PARTITION_HEADER: &str = "x-ms-documentdb-partitionkey";

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
    /// The refusal is 400 if it is no JSON array with as many scalar values as the container's key has paths, or too long.
    pub(crate) fn parse(header: &str, paths: &PartitionPaths) -> Result<Self, RestRefusal> {
        let count = paths.names.len();
        Self::of(&values_of(header, count..=count)?)
    }

    /// Returns the value with this text, which [`PartitionValue::as_str`] returned.
    pub fn from_stored(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Returns the JSON text of the array.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns where the partition is among all, as every client computes it: a hash of each value in turn.
    fn hash(&self) -> String {
        let values: Vec<Value> = serde_json::from_str(&self.0).unwrap_or_default();
        let hash = |value: &Value| {
            let bytes = match value {
                Value::Null => vec![1],
                Value::Bool(truth) => vec![if *truth { 3 } else { 2 }],
                Value::Number(number) => {
                    [&[5], &number.as_f64().unwrap_or_default().to_le_bytes()[..]].concat()
                }
                Value::String(text) => [&[8], text.as_bytes(), &[0xff]].concat(),
                Value::Array(_) | Value::Object(_) => vec![0],
            };
            // The two highest bits are always 0, so that each is below the end of everything, FF.
            format!("{:032X}", murmur3_x64_128(&mut &bytes[..], 0).unwrap_or_default() & (u128::MAX >> 2))
        };
        values.iter().map(hash).collect()
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

fn values_of(header: &str, counts: RangeInclusive<usize>) -> Result<Vec<Value>, RestRefusal> {
    let values: Option<Vec<Value>> = serde_json::from_str(header).ok();
    let values = values.filter(|values| counts.contains(&values.len()) && values.iter().all(is_component));
    values.ok_or_else(|| {
        let most = counts.end();
        RestRefusal::bad(format!(
            "`{PARTITION_HEADER}` must be a JSON array with {most} value(s), as the container's key has {most} path(s); only \
             a query and a list take the first values alone"
        ))
        .with_substatus(OTHER_PARTITION)
    })
}

/// The partitions that a feed is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PartitionScope {
    All,
    One(PartitionValue),
    /// Those whose text begins so: the first values of a hierarchical key.
    Beginning(String),
    /// Those whose hash is in this range.
    Hashes(Range<String>),
}

impl PartitionScope {
    /// Reads the headers that bound a feed.
    pub(crate) fn of(request: &RestRequest, paths: &PartitionPaths) -> Result<Self, RestRefusal> {
        // Without a start or an end, a range of hashes is open on that side.
        let bound = |name: &str, open: &str| request.header(name).unwrap_or(open).to_owned();
        let range = bound("x-ms-start-epk", "")..bound("x-ms-end-epk", "FF");
        if !(range.start.is_empty() && range.end == "FF") {
            if paths.hash_version != 2 {
                let what = "a range of hashes of a partition key whose `version` is not 2";
                return Err(RestRefusal::not_offered(what));
            }
            return Ok(Self::Hashes(range));
        }
        let Some(header) = request.header(PARTITION_HEADER) else { return Ok(Self::All) };
        let count = paths.names.len();
        let values = values_of(header, 1..=count)?;
        let PartitionValue(mut text) = PartitionValue::of(&values)?;
        if values.len() == count {
            return Ok(Self::One(PartitionValue(text)));
        }
        text.pop();
        Ok(Self::Beginning(text + ","))
    }

    pub(crate) fn has(&self, partition: &PartitionValue) -> bool {
        match self {
            Self::All => true,
            Self::One(one) => one == partition,
            Self::Beginning(text) => partition.0.starts_with(text),
            Self::Hashes(range) => range.contains(&partition.hash()),
        }
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
pub(crate) struct PartitionPaths {
    pub(crate) names: Vec<Vec<String>>,
    /// How clients hash a partition.
    hash_version: u8,
}

impl PartitionPaths {
    /// Reads `partitionKey` of a container.
    /// The refusal is 400 and says what is accepted.
    pub(crate) fn parse(definition: &Literal) -> Result<Self, RestRefusal> {
        #[derive(Deserialize)]
        struct Definition {
            paths: Vec<String>,
            #[serde(default)]
            kind: Option<String>,
            #[serde(default)]
            version: Option<u8>,
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
        let names = paths.ok_or_else(accepted)?;
        let is_hierarchical = definition.kind.as_deref() == Some("MultiHash");
        Ok(Self { names, hash_version: definition.version.unwrap_or(if is_hierarchical { 2 } else { 1 }) })
    }

    /// Returns the partition of an item with these properties.
    /// The refusal is 400 if one of the paths leads to an array or an object, or if the values are too long.
    pub(crate) fn of_item(&self, id: &str, properties: &Properties) -> Result<PartitionValue, RestRefusal> {
        let values: Vec<_> = self.names.iter().map(|names| value_at(id, properties, names)).collect();
        if values.iter().all(is_component) {
            return PartitionValue::of(&values);
        }
        Err(RestRefusal::bad("the item's partition key must be a string, a number, true, false or null"))
    }

    /// Returns whether a patch at this path may change the partition.
    pub(crate) fn depend_on(&self, path: &[String]) -> bool {
        self.names.iter().any(|names| names.starts_with(path) || path.starts_with(names))
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
