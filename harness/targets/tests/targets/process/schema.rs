//! The protocol's schema takes exactly the lines that are taken strictly.

use std::num::NonZeroU32;

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Document, Item, PageRequest, Part, Properties, Response, Status};
use cosmos_ttl_harness::vector::{Pages, Precondition, embedded};
use cosmos_ttl_targets::process::protocol::{LineContent as _, Message, ProtocolLine, Reply, SCHEMA, parse};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::program::read;
use crate::trial;
use cosmos_ttl_testing::json_schema::Schema;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("the_schema_takes_what_is_taken_strictly_and_nothing_else", takes_the_same),
        trial("the_schema_takes_what_the_vectors_send_and_has_every_word", takes_the_vectors),
    ]
}

fn takes_the_vectors() {
    let schema = Schema::committed(SCHEMA);
    let check = |line: String| match serde_json::from_str(&line) {
        Ok(value) => assert_eq!(schema.refuses(&value), None, "{line}"),
        // The validator's numbers are smaller than those that a client may send.
        Err(err) => assert!(err.to_string().contains("number out of range"), "{err}: {line}"),
    };
    for step in embedded().unwrap().vectors.into_iter().flat_map(|vector| vector.steps) {
        let content = Message::Send {
            session: "a".into(),
            request: step.request,
            partition: step.partition,
            page: step.pages.map(|pages| match pages {
                Pages::First(size) => PageRequest { size, continuation: None },
                Pages::Rest => PageRequest { size: NonZeroU32::MIN, continuation: Some("next".into()) },
            }),
            container: step.container,
            if_match: matches!(step.precondition, Some(Precondition::IfMatch(_))).then(|| "\"1\"".into()),
            if_none_match: match step.precondition {
                Some(Precondition::IfNoneMatch(etag)) => Some(etag.map_or("*", |_| "\"1\"").into()),
                _ => None,
            },
        };
        check(ProtocolLine { q: 0, content }.text());
    }
    let document = Document { id: "a".into(), properties: Properties::default() };
    let item = Item { document, ts: Some(10), etag: Some("\"1\"".into()) };
    for answer in [
        Response::ids(vec!["a".into()]).continued(Some("next".into())),
        Response::values(vec![Literal::from(&json!({"b": null}))]),
        Response::count(1),
        Response::container(Status::Created, Some(Literal::from(&json!(10)))),
        Response::container(Status::Ok, None),
        Response::item(Status::Found, item),
        Response::committed(vec![Status::Created, Status::NoContent]),
        Response::aborted(Status::Conflict, 1),
        Response::new(Status::Other(503)).with_detail("busy"),
    ] {
        check(ProtocolLine { q: 0, content: Reply::Answer(answer) }.text());
    }
    for word in Message::WORDS.iter().chain(Reply::WORDS).copied().chain(Part::ALL.map(Part::word)) {
        assert!(SCHEMA.contains(&format!("\"{word}\"")), "{word}");
    }
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
