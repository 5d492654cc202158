//! The messages: the page's own example, and values that must not change on the way.

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Container, Document, Item, Operation, Patch, PatchOperation, Request, Response, Select, Status,
};
use cosmos_ttl_targets::process::protocol::{Message, ProtocolLine, Reply, parse};
use cosmos_ttl_targets::process::serve::Server;
use libtest_mimic::Trial;

use super::program::read;

pub(crate) fn trials() -> Vec<Trial> {
    trials![example, values, options, absent, separators]
}

/// The pages example is what the reference answers.
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

/// The request, after it travelled.
fn travelled(request: &Request) -> (String, Request) {
    let send = Message::Send {
        session: "1".into(),
        request: request.clone(),
        partition: None,
        page: None,
        container: None,
        if_match: None,
        if_none_match: None,
    };
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

/// Values travel as they were written.
fn values() {
    for value in VALUES {
        let literal = Literal::parse(value).unwrap();
        let document = Document { id: "a".into(), properties: [("ttl".to_owned(), literal.clone())].into() };
        let add = PatchOperation::Add { path: "/b/c".into(), value: literal.clone() };
        let patch = Patch {
            set: document.properties.clone(),
            remove: vec!["b".into()],
            operations: vec![add],
            ..Patch::of("a")
        };
        let etag = Some("\"1\"".to_owned());
        for request in [
            Request::CreateContainer(Container {
                default_ttl: Some(literal.clone()),
                ..Container::default()
            }),
            Request::Item(Operation::Replace(document.clone(), etag.clone())),
            Request::Item(Operation::Patch(Patch { set: [].into(), ..patch.clone() }, None)),
            Request::Batch(vec![Operation::Upsert(document.clone()), Operation::Patch(patch.clone(), etag)]),
            Request::Select(Select { filter: document.properties.clone(), ..Select::default() }),
        ] {
            let (text, back) = travelled(&request);
            assert!(text.contains(value), "{value} in {text}");
            assert_eq!(back, request);
        }
        let item = Item { document, ts: Some(10), etag: Some("\"1\"".into()) };
        for response in [
            Response::item(Status::Found, item),
            Response::values(vec![literal.clone()]),
            Response::container(Status::Created, Some(literal.clone())),
        ] {
            let line = ProtocolLine { q: 1, content: Reply::Answer(response) };
            assert!(line.text().contains(value), "{value} in {}", line.text());
            assert_eq!(parse::<Reply>(&line.text(), true).unwrap(), line);
        }
    }
}

/// The requests and fields that are sent only where they are offered are read strictly, and written again just so.
fn options() {
    for (request, more) in [
        (r#"{"read-container":{}}"#, r#","container":"other""#),
        (r#"{"delete-container":{}}"#, ""),
        (r#"{"read-many":{"ids":["a","b"]}}"#, ""),
        (r#"{"upsert":{"item":{"id":"a"}}}"#, r#","if-match":"\"1\"""#),
        (r#"{"read":{"id":"a"}}"#, r#","if-none-match":"\"1\"""#),
        (r#"{"create":{"item":{"id":"a"}}}"#, r#","if-none-match":"*""#),
        (
            r#"{"select":{"where":{"id":"a"},"order-by":"n","offset":1,"limit":2,"values":"n","distinct":true,"across":true}}"#,
            r#","partition":"q""#,
        ),
        (r#"{"select":{"count":true}}"#, ""),
        (
            r#"{"patch":{"id":"a","operations":[{"incr":{"path":"/ttl","value":-5}},{"move":{"from":"/a/b","path":"/ttl"}},{"remove":{"path":"/a"}},{"set":{"path":"/a","value":1.50}},{"replace":{"path":"/a","value":null}}]}}"#,
            "",
        ),
    ] {
        let line = format!(r#"{{"q":1,"send":{{"session":"1","request":{request}{more}}}}}"#);
        let message: ProtocolLine<Message> = parse(&line, true).unwrap();
        assert_eq!(message.text().trim_end(), line);
    }
}

/// Absent is told from null.
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

/// Line separators inside values do not end a line.
fn separators() {
    let value = Literal::parse("\"a\u{2028}b\u{2029}c\"").unwrap();
    let document = Document { id: "a".into(), properties: [("text".to_owned(), value.clone())].into() };
    let (text, request) = travelled(&Request::Item(Operation::Create(document)));
    assert!(!text.contains(['\u{2028}', '\u{2029}']), "{text}");
    let Request::Item(Operation::Create(document)) = request else { panic!("{request:?}") };
    assert!(document.properties.get("text").unwrap().same_value(&value));
}
