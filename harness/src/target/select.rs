//! Queries of other shapes than `SELECT * FROM c`: functions of the items that a client sees.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Document, Properties, Response};
use crate::literal::{Literal, LiteralKind};

/// A query. Its answer has the ids of the items; or values, if it asks for those of a property; or their number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Select {
    /// Only items whose properties have these values, `id` among them.
    #[serde(rename = "where", skip_serializing_if = "BTreeMap::is_empty")]
    pub filter: Properties,
    /// In the order of this property, whose values are whole numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order_by: Option<String>,
    /// Without so many at the beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u32>,
    /// At most so many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// The values of this property in place of the ids; of items that have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<String>,
    /// Each value once.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub distinct: bool,
    /// Their number in place of the ids.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub count: bool,
    /// Of all partitions.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub across: bool,
}

impl Select {
    /// Returns the answer of a container in which a client sees these items.
    pub fn answer<'a>(&self, visible: impl Iterator<Item = &'a Document>) -> Response {
        let mut items: Vec<&Document> = visible.filter(|item| self.takes(item)).collect();
        if let Some(property) = &self.order_by {
            items.sort_by(|a, b| order(a.properties.get(property), b.properties.get(property)));
        }
        let amount =
            |number: Option<u32>, all| number.map_or(all, |some| usize::try_from(some).unwrap_or(usize::MAX));
        let chosen = items.into_iter().skip(amount(self.offset, 0)).take(amount(self.limit, usize::MAX));
        match &self.values {
            _ if self.count => Response::count(chosen.count() as u64),
            None => Response::ids(chosen.map(|item| item.id.clone()).collect()),
            Some(property) => {
                let mut values: Vec<Literal> = Vec::new();
                for value in chosen.filter_map(|item| item.properties.get(property)) {
                    if !(self.distinct && values.iter().any(|known| known.same_value(value))) {
                        values.push(value.clone());
                    }
                }
                Response::values(values)
            }
        }
    }

    fn takes(&self, item: &Document) -> bool {
        self.filter.iter().all(|(name, wanted)| match name.as_str() {
            "id" => wanted.same_value(&Literal::from(&serde_json::Value::from(item.id.as_str()))),
            name => item.properties.get(name).is_some_and(|value| value.same_value(wanted)),
        })
    }
}

fn order(a: Option<&Literal>, b: Option<&Literal>) -> Ordering {
    let number = |value: Option<&Literal>| match value.map(Literal::kind) {
        Some(LiteralKind::Whole(number) | LiteralKind::WholeAsFraction(number)) => Some(number),
        _ => None,
    };
    number(a).cmp(&number(b))
}
