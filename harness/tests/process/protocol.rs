//! The messages: the page's own example, and values that must not change on the way.

use std::fs;
use std::path::Path;

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::protocol::{Answer, Ask, Line, Reply, Send, StatusCode, Word, parse, schema_json};
use cosmos_ttl_harness::serve::Server;
use cosmos_ttl_harness::target::{Container, Document, Operation, Patch, Request};
use cosmos_ttl_harness::targets::reference::Reference;
use libtest_mimic::Trial;

use crate::trial;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("the_pages_example_is_what_the_reference_answers", example),
        trial("the_page_names_every_message_and_every_field", names),
        trial("values_travel_as_they_were_written", values),
        trial("absent_is_told_from_null", absent),
        trial("the_schema_is_the_one_that_is_generated", schema),
        trial("line_separators_inside_values_do_not_end_a_line", separators),
    ]
}

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn example() {
    let page = read("PROTOCOL.md");
    let exchange = page.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let reference = Reference::default();
    let mut server = Server::new(&reference);
    let mut lines = exchange.lines();
    let mut count: usize = 0;
    while let Some(asked) = lines.next() {
        let asked = asked.strip_prefix("> ").unwrap();
        let replied = lines.next().unwrap().strip_prefix("< ").unwrap();
        // Written by the harness just so, and understood strictly.
        let ask: Line<Ask> = parse(asked, true).unwrap();
        assert_eq!(ask.text().trim_end(), asked);
        let reply: Line<Reply> = parse(replied, true).unwrap();
        assert_eq!(server.reply(asked).0, reply, "to {asked}");
        count = count.saturating_add(1);
    }
    assert!(20 < count, "{count} messages");
}

fn names() {
    let page = read("PROTOCOL.md");
    let schema: serde_json::Value = serde_json::from_str(&schema_json()).unwrap();
    let mut names = Vec::new();
    collect(&schema, &mut names);
    assert!(30 < names.len(), "{names:?}");
    for name in names {
        let said = page.contains(&format!("`{name}`")) || page.contains(&format!("\"{name}\""));
        assert!(said, "the page does not say what `{name}` is");
    }
}

/// Every property that the schema knows, and every word of an enumeration.
fn collect(schema: &serde_json::Value, names: &mut Vec<String>) {
    match schema {
        serde_json::Value::Object(fields) => {
            for (key, value) in fields {
                match (key.as_str(), value) {
                    ("properties", serde_json::Value::Object(properties)) => {
                        names.extend(properties.keys().cloned());
                    }
                    ("enum", serde_json::Value::Array(words)) => {
                        names.extend(words.iter().filter_map(|word| word.as_str()).map(str::to_owned));
                    }
                    _ => {}
                }
                collect(value, names);
            }
        }
        serde_json::Value::Array(all) => all.iter().for_each(|one| collect(one, names)),
        _ => {}
    }
}

/// The request, after it travelled.
fn travelled(request: &Request) -> (String, Request) {
    let send = Send { session: "1".into(), request: request.into() };
    let text = Line { q: 1, what: Ask::Send(send) }.text();
    let Line { what: Ask::Send(send), .. } = parse::<Ask>(&text, true).unwrap() else { panic!("{text}") };
    (text, send.request.try_into().unwrap())
}

const VALUES: [&str; 14] = [
    "10",
    "10.0",
    "1e400",
    "-0",
    "18446744073709551616",
    "null",
    "true",
    "\"10\"",
    "[1.50, {}]",
    "{\"a\": 1e5}",
    "0.1e-7",
    "\"\\ud83d\\ude00\"",
    "\"a\\nb\"",
    "\"\"",
];

fn values() {
    for value in VALUES {
        let literal = Literal::parse(value).unwrap();
        let document = Document { id: "a".into(), properties: [("ttl".to_owned(), literal.clone())].into() };
        let patch = Patch { id: "a".into(), set: document.properties.clone(), remove: vec!["b".into()] };
        let etag = Some("\"1\"".to_owned());
        for request in [
            Request::CreateContainer(Container {
                default_ttl: Some(literal.clone()),
                ..Container::default()
            }),
            Request::Item(Operation::Replace(document.clone(), etag.clone())),
            Request::Batch(vec![Operation::Upsert(document.clone()), Operation::Patch(patch.clone(), etag)]),
        ] {
            let (text, back) = travelled(&request);
            assert!(text.contains(value), "{value} in {text}");
            assert_eq!(back, request);
        }
        let item = document.properties.into_iter().chain([("id".into(), Literal::parse("\"a\"").unwrap())]);
        let answer = Answer {
            status: StatusCode::Word(Word::Found),
            item: Some(item.collect()),
            ids: None,
            count: None,
            committed: None,
            aborted: None,
            detail: None,
        };
        let line = Line { q: 1, what: Reply::Answer(answer) };
        assert_eq!(parse::<Reply>(&line.text(), true).unwrap(), line);
    }
}

fn absent() {
    let container = |text: Option<&str>| {
        let default_ttl = text.map(|text| Literal::parse(text).unwrap());
        travelled(&Request::CreateContainer(Container { default_ttl, ..Container::default() }))
    };
    let (text, request) = container(None);
    assert!(!text.contains("defaultTtl"), "{text}");
    assert_eq!(request, Request::CreateContainer(Container::default()));
    let (text, request) = container(Some("null"));
    assert!(text.contains("\"defaultTtl\":null"), "{text}");
    assert_ne!(request, Request::CreateContainer(Container::default()));
}

fn schema() {
    let kept = read("schemas/protocol.schema.json");
    assert!(kept == schema_json(), "not up to date: `cosmos-ttl schema protocol` prints what it should be");
}

fn separators() {
    let value = Literal::parse("\"a\u{2028}b\u{2029}c\"").unwrap();
    let document = Document { id: "a".into(), properties: [("text".to_owned(), value.clone())].into() };
    let (text, request) = travelled(&Request::Item(Operation::Create(document)));
    assert!(!text.contains(['\u{2028}', '\u{2029}']), "{text}");
    let Request::Item(Operation::Create(document)) = request else { panic!("{request:?}") };
    assert!(document.properties.get("text").unwrap().same_value(&value));
}
