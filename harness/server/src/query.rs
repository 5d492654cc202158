//! The meaning of a query: which items it finds, in which order, and what it returns of each.
//!
//! What does not exist is undefined, and so is every comparison of values of two types. A filter finds an item if it is true.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use cosmos_ttl_harness::target::{Document, Item};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::item_parts::ItemPlace;
use crate::item_store::ItemKey;
use crate::partition::PartitionValue;
use crate::sql::{ItemQuery, Operator, PathStep, Scalar, Selection};
use crate::system_properties::system_properties;

impl ItemQuery {
    /// Returns whether it says `VALUE`.
    pub(crate) fn selects_value(&self) -> bool {
        match &self.selection {
            Selection::Value(_) | Selection::Count(None, _) => true,
            Selection::Items | Selection::Object(_) | Selection::Count(..) => false,
        }
    }

    /// Returns the order of two rows, each with the values of `ORDER BY` and its key.
    pub(crate) fn order_of(
        &self,
        (left, left_key): (&[Option<Value>], &ItemKey),
        (right, right_key): (&[Option<Value>], &ItemKey),
    ) -> Ordering {
        let values = self.order.iter().zip(left.iter().zip(right));
        let orders = values.map(|((_, is_descending), (left, right))| {
            let order = in_order(left.as_ref(), right.as_ref());
            if *is_descending { order.reverse() } else { order }
        });
        orders.fold(Ordering::Equal, Ordering::then).then_with(|| left_key.cmp(right_key))
    }
}

/// An item, as a query sees it.
pub(crate) struct QueriedItem<'a> {
    pub(crate) place: &'a ItemPlace,
    pub(crate) partition: &'a PartitionValue,
    pub(crate) item: &'a Item,
}

impl QueriedItem<'_> {
    /// Returns the JSON text of a property as it was written.
    fn text_at(&self, path: &[PathStep]) -> Option<String> {
        let Some((first, rest)) = path.split_first() else {
            return Some(self.place.text(self.partition, self.item));
        };
        let PathStep::Name(name) = first else { return None };
        let Document { id, properties } = &self.item.document;
        match properties.get(name) {
            Some(value) => at(value.as_str(), rest),
            None if name == "id" => at(&json!(id).to_string(), rest),
            None => {
                let system = system_properties(self.item, self.place, self.partition);
                system.iter().find(|(known, _)| known == name).and_then(|(_, value)| at(value.as_str(), rest))
            }
        }
    }

    /// Returns the JSON text of an expression's value; `None` if it is undefined.
    fn text_of(&self, scalar: &Scalar) -> Option<String> {
        match scalar {
            Scalar::Property(path) => self.text_at(path),
            scalar => self.value_of(scalar).map(|value| value.to_string()),
        }
    }

    /// Returns an expression's value; `None` if it is undefined.
    pub(crate) fn value_of<'s>(&self, scalar: &'s Scalar) -> Option<Cow<'s, Value>> {
        match scalar {
            Scalar::Constant(value) => value.as_ref().map(Cow::Borrowed),
            Scalar::Property(path) => serde_json::from_str(&self.text_at(path)?).ok().map(Cow::Owned),
            Scalar::Operation(operator, of) => {
                let truth = truth(*operator, of.iter().map(|one| self.value_of(one)));
                truth.map(|truth| Cow::Owned(Value::Bool(truth)))
            }
        }
    }

    /// Returns whether a filter is true of the item.
    pub(crate) fn is_found(&self, filter: Option<&Scalar>) -> bool {
        let is_true = |filter| self.value_of(filter).is_some_and(|value| value.as_bool() == Some(true));
        filter.is_none_or(is_true)
    }

    /// Returns what a query returns of the item; `None` if that is undefined.
    pub(crate) fn selected(&self, selection: &Selection) -> Option<String> {
        match selection {
            Selection::Value(scalar) => self.text_of(scalar),
            Selection::Object(fields) => {
                let fields = fields.iter().filter_map(|(name, scalar)| Some((name, self.text_of(scalar)?)));
                let fields: Vec<_> = fields.map(|(name, text)| format!("{}:{text}", json!(name))).collect();
                Some(format!("{{{}}}", fields.join(",")))
            }
            Selection::Items | Selection::Count(..) => self.text_at(&[]),
        }
    }
}

/// Returns the text inside a JSON text that further steps lead to.
fn at(text: &str, path: &[PathStep]) -> Option<String> {
    let mut found = text;
    for step in path {
        found = match step {
            PathStep::Name(name) => serde_json::from_str::<BTreeMap<Cow<'_, str>, &RawValue>>(found)
                .ok()?
                .get(name.as_str())?
                .get(),
            PathStep::Index(index) => serde_json::from_str::<Vec<&RawValue>>(found).ok()?.get(*index)?.get(),
        };
    }
    Some(found.to_owned())
}

/// Returns what an operator says of its operands, of which it looks at no more than it needs.
fn truth<'s>(operator: Operator, mut of: impl Iterator<Item = Option<Cow<'s, Value>>>) -> Option<bool> {
    let as_truth = |value: Option<Cow<'_, Value>>| value.and_then(|value| value.as_bool());
    match operator {
        Operator::And => return all_true(of.map(as_truth)),
        Operator::Or => return all_true(of.map(|one| as_truth(one).map(|truth| !truth))).map(|none| !none),
        _ => {}
    }
    let first = of.next().flatten();
    match operator {
        Operator::IsDefined => return Some(first.is_some()),
        Operator::IsNull => return Some(first.is_some_and(|value| value.is_null())),
        Operator::In => {
            let differs =
                |other: Option<Cow<'_, Value>>| compared(Operator::Unequal, first.as_ref()?, other.as_ref()?);
            return all_true(of.map(differs)).map(|none| !none);
        }
        _ => {}
    }
    let first = first?;
    if operator == Operator::Not {
        return first.as_bool().map(|truth| !truth);
    }
    let second = of.next().flatten();
    let of_texts = |test: fn(&str, &str) -> bool, ignores_case: Option<Option<Cow<'_, Value>>>| {
        let (text, part) = (first.as_str()?, second.as_ref()?.as_str()?);
        if ignores_case.map_or(Some(false), as_truth)? {
            Some(test(&text.to_lowercase(), &part.to_lowercase()))
        } else {
            Some(test(text, part))
        }
    };
    match operator {
        Operator::StartsWith => of_texts(|text, part| text.starts_with(part), of.next()),
        Operator::Contains => of_texts(|text, part| text.contains(part), of.next()),
        operator => compared(operator, &first, second.as_ref()?),
    }
}

/// False if one is false; else undefined if one is undefined.
fn all_true(all: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut result = Some(true);
    for one in all {
        match one {
            Some(false) => return Some(false),
            Some(true) => {}
            None => result = None,
        }
    }
    result
}

/// Values of two types cannot be compared; arrays and objects have no order.
fn compared(operator: Operator, left: &Value, right: &Value) -> Option<bool> {
    if rank(Some(left)) != rank(Some(right)) {
        return None;
    }
    let order = in_order(Some(left), Some(right));
    let is_ordered = !left.is_array() && !left.is_object();
    match operator {
        Operator::Equal => Some(order.is_eq()),
        Operator::Unequal => Some(order.is_ne()),
        _ if !is_ordered => None,
        Operator::Less => Some(order.is_lt()),
        Operator::LessOrEqual => Some(order.is_le()),
        Operator::Greater => Some(order.is_gt()),
        Operator::GreaterOrEqual => Some(order.is_ge()),
        _ => None,
    }
}

/// The order of types in `ORDER BY`.
fn rank(value: Option<&Value>) -> u8 {
    match value {
        None => 0,
        Some(Value::Null) => 1,
        Some(Value::Bool(_)) => 2,
        Some(Value::Number(_)) => 3,
        Some(Value::String(_)) => 4,
        Some(Value::Array(_)) => 5,
        Some(Value::Object(_)) => 6,
    }
}

/// The order of `ORDER BY`: by type, and within one type by value; arrays and objects by their texts.
fn in_order(left: Option<&Value>, right: Option<&Value>) -> Ordering {
    match (left, right) {
        (Some(Value::Bool(left)), Some(Value::Bool(right))) => left.cmp(right),
        (Some(Value::Number(left)), Some(Value::Number(right))) => {
            left.as_f64().partial_cmp(&right.as_f64()).unwrap_or(Ordering::Equal)
        }
        (Some(Value::String(left)), Some(Value::String(right))) => left.cmp(right),
        (Some(left), Some(right)) if rank(Some(left)) == rank(Some(right)) => {
            same_text(left).cmp(&same_text(right))
        }
        (left, right) => rank(left).cmp(&rank(right)),
    }
}

/// Returns JSON text that is the same for the same value: 1 and 1.0 are one number, and fields have no order.
pub(crate) fn same_text(value: &Value) -> String {
    match value {
        Value::Number(number) => {
            number.as_f64().map_or_else(|| number.to_string(), |number| number.to_string())
        }
        Value::Array(all) => format!("[{}]", all.iter().map(same_text).collect::<Vec<_>>().join(",")),
        Value::Object(fields) => {
            let fields: BTreeMap<_, _> =
                fields.iter().map(|(name, value)| (name, same_text(value))).collect();
            let fields = fields.into_iter().map(|(name, text)| format!("{}:{text}", json!(name)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        value => value.to_string(),
    }
}
