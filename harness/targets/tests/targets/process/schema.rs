//! The protocol's schema takes exactly the lines that are taken strictly.

use cosmos_ttl_targets::process::protocol::{Message, Reply, SCHEMA, parse, schema_json};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::program::read;
use crate::trial;
use cosmos_ttl_testing::json_schema::{Schema, check_committed};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("the_schema_is_the_one_that_is_generated", || check_committed(SCHEMA, &schema_json())),
        trial("the_schema_takes_what_is_taken_strictly_and_nothing_else", takes_the_same),
    ]
}

/// Every line of the page's example, and every line that differs from one of them in one place.
///
/// A message of the harness is never read strictly: an adapter must take more fields than it knows.
fn takes_the_same() {
    let schema = Schema::committed(SCHEMA);
    let page = read("PROTOCOL.md");
    let exchange = page.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let (mut taken, mut refused): (usize, usize) = (0, 0);
    for line in exchange.lines() {
        let is_reply = line.starts_with('<');
        let line: Value = serde_json::from_str(line.get(2..).unwrap()).unwrap();
        assert_eq!(schema.refuses(&line), None, "{line}");
        for other in others(&line) {
            let text = other.to_string();
            let fits = schema.refuses(&other).is_none();
            if is_reply {
                assert_eq!(fits, parse::<Reply>(&text, true).is_ok(), "{text}");
            } else {
                assert!(!fits || parse::<Message>(&text, false).is_ok(), "{text}");
            }
            let count = if fits { &mut taken } else { &mut refused };
            *count = count.saturating_add(1);
        }
    }
    assert!(100 < taken && 1000 < refused, "{taken} taken, {refused} refused");
}

/// The values that differ from this one in one place.
fn others(value: &Value) -> Vec<Value> {
    let instead = [
        json!(null),
        json!(true),
        json!("other"),
        json!(-1),
        json!(1.5),
        json!(70_000),
        json!([]),
        json!({}),
    ];
    let mut others: Vec<Value> = instead.into_iter().filter(|other| other != value).collect();
    match value {
        Value::Object(fields) => {
            for (name, inner) in fields {
                let with = |other: Option<Value>| {
                    let mut fields = fields.clone();
                    match other {
                        Some(other) => fields.insert(name.clone(), other),
                        None => fields.remove(name),
                    };
                    Value::Object(fields)
                };
                others.push(with(None));
                others.extend(self::others(inner).into_iter().map(|other| with(Some(other))));
            }
            let mut more = fields.clone();
            more.insert("other".into(), json!(1));
            others.push(Value::Object(more));
        }
        Value::Array(values) => {
            for (place, inner) in values.iter().enumerate() {
                others.extend(self::others(inner).into_iter().map(|other| {
                    let mut values = values.clone();
                    *values.get_mut(place).unwrap() = other;
                    Value::Array(values)
                }));
            }
        }
        _ => {}
    }
    others
}
