//! The messages: the page's own example, and values that must not change on the way.

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Container, Document, Item, Operation, Patch, Request, Response, Status};
use cosmos_ttl_targets::process::protocol::{Message, ProtocolLine, Reply, parse, schema_json};
use cosmos_ttl_targets::process::serve::Server;
use libtest_mimic::Trial;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::prop_assert_eq;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use super::program::read;
use crate::trial;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("the_pages_example_is_what_the_reference_answers", example),
        trial("the_page_names_every_message_and_every_field", names),
        trial("values_travel_as_they_were_written", values),
        trial("absent_is_told_from_null", absent),
        trial("no_line_makes_the_reader_panic", any_line),
        trial("line_separators_inside_values_do_not_end_a_line", separators),
    ]
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
        let message: ProtocolLine<Message> = parse(asked, true).unwrap();
        assert_eq!(message.text().trim_end(), asked);
        let reply: ProtocolLine<Reply> = parse(replied, true).unwrap();
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
    let send = Message::Send { session: "1".into(), request: request.clone(), partition: None, page: None };
    let text = ProtocolLine { q: 1, content: send }.text();
    match parse(&text, true).unwrap().content {
        Message::Send { request, .. } => (text, request),
        other => panic!("{other:?}"),
    }
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
        let item = Item { document, ts: Some(10), etag: Some("\"1\"".into()) };
        let reply = Reply::Answer(Response::item(Status::Found, item));
        let line = ProtocolLine { q: 1, content: reply };
        assert!(line.text().contains(value), "{value} in {}", line.text());
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

/// Bytes that are nearly lines, and lines that were cut, doubled or mixed.
fn any_line() {
    let page = read("PROTOCOL.md");
    let lines: Vec<String> = page
        .lines()
        .filter_map(|line| line.strip_prefix("< ").or(line.strip_prefix("> ")))
        .map(str::to_owned)
        .collect();
    let part = (any::<Index>(), any::<Index>(), any::<Index>());
    let strategy = (vec(part, 1..4), "[\\PC\\x00-\\x1f]{0,8}");
    let config =
        Config { cases: 1_000, failure_persistence: None, rng_seed: RngSeed::Fixed(6), ..Config::default() };
    let found = TestRunner::new(config).run(&strategy, |(parts, more)| {
        let text: String = parts
            .iter()
            .map(|(line, from, until)| {
                let chars: Vec<char> = lines.get(line.index(lines.len())).unwrap().chars().collect();
                let (from, until) = (from.index(chars.len()), until.index(chars.len()));
                chars.get(from.min(until)..from.max(until)).unwrap().iter().collect::<String>()
            })
            .collect();
        for text in [format!("{text}{more}"), format!("{{\"q\":1,{text}}}")] {
            let (message, reply) = (parse::<Message>(&text, false), parse::<Reply>(&text, true));
            // Whatever is understood can be said again.
            if let Ok(line) = message {
                prop_assert_eq!(&parse::<Message>(&line.text(), true), &Ok(line));
            }
            if let Ok(line) = reply {
                prop_assert_eq!(&parse::<Reply>(&line.text(), true), &Ok(line));
            }
        }
        Ok(())
    });
    found.unwrap_or_else(|err| panic!("{err}"));
}

fn separators() {
    let value = Literal::parse("\"a\u{2028}b\u{2029}c\"").unwrap();
    let document = Document { id: "a".into(), properties: [("text".to_owned(), value.clone())].into() };
    let (text, request) = travelled(&Request::Item(Operation::Create(document)));
    assert!(!text.contains(['\u{2028}', '\u{2029}']), "{text}");
    let Request::Item(Operation::Create(document)) = request else { panic!("{request:?}") };
    assert!(document.properties.get("text").unwrap().same_value(&value));
}
