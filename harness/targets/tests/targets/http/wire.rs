//! The requests, byte by byte.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cosmos_ttl_harness::target::{
    Container, Fault, Indexing, Operation, Patch, PatchOperation, Request, RequestOptions, Select,
};
use hmac::{Hmac, KeyInit as _, Mac as _};
use libtest_mimic::Trial;
use sha2::Sha256;

use super::server::{ITEM, Seen, Server, json, open, with};
use super::{container, create, document, literal, patch, read};

pub(crate) fn trials() -> Vec<Trial> {
    trials![requests, shapes, conditions, other_containers, signatures, names, batch, unsent, session_token]
}

const EMULATOR: &str =
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

/// The signature, written down a second time.
fn signature(key: &str, verb: &str, kind: &str, link: &str, date: &str) -> String {
    let text = [verb, kind, link, date, "", ""].join("\n");
    let key = STANDARD.decode(key).unwrap();
    let mac = Hmac::<Sha256>::new_from_slice(&key).unwrap().chain_update(text).finalize().into_bytes();
    let signature = STANDARD.encode(mac).replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
    format!("type%3Dmaster%26ver%3D1.0%26sig%3D{signature}")
}

/// A signature is as documented.
/// The documented example, with which all others here are compared, and the request for a database.
fn signatures() {
    let documented =
        "dsZQi3KtZmCv1ljt3VNWNm7sQUF1y5rJfC6kv5JiwvW0EndXdDku/dkKBp8/ufDToSxLzR4y+O/0H/t4bQtVNw==";
    assert_eq!(
        signature(documented, "get", "dbs", "dbs/ToDoList", "thu, 27 apr 2017 00:51:12 gmt"),
        "type%3Dmaster%26ver%3D1.0%26sig%3Dc09PEVJrgp2uQRkr934kFbTqhByc7TVr3OHyqlu%2Bc%2Bc%3D"
    );
    let server = Server::new(|_| None);
    let target = server.target();
    let seen = server.last();
    assert_eq!(seen.line, "POST /dbs");
    assert_eq!(seen.body, format!("{{\"id\":\"{}\"}}", target.database()));
    let known = "type%3Dmaster%26ver%3D1.0%26sig%3DD4r5VwiEkkgEbhXvYlCJwnSVvx4fXhQcnEHFOLTo6Es%3D";
    assert_eq!(seen.header("authorization"), Some(known));
    assert_eq!(seen.header("content-type"), Some("application/json"));
}

/// Returns a request as it is on the wire; `D` and `C` are the names of database and container.
fn sent(request: &Request) -> Seen {
    sent_with(request, &RequestOptions::default())
}

fn sent_with(request: &Request, options: &RequestOptions) -> Seen {
    let server = Server::new(|_| None);
    let target = server.target();
    // What the server answers is no matter here.
    let _ = open(&target).send_with(request, options);
    let mut seen = server.seen().into_iter().find(|seen| seen.line != "POST /dbs").unwrap();
    let kind = if seen.line.contains("/docs") { "docs" } else { "colls" };
    let (verb, path) = seen.line.split_once(' ').unwrap();
    let link = path.strip_suffix("/docs").or(path.strip_suffix("/colls")).unwrap_or(path);
    let link = link.trim_start_matches('/').replace("%20", " ").replace("%C3%A9", "\u{e9}");
    let date = "thu, 01 jan 2026 00:00:00 gmt";
    let signature = signature(EMULATOR, &verb.to_lowercase(), kind, &link, date);
    assert_eq!(seen.header("authorization"), Some(&*signature));
    assert_eq!(seen.header("x-ms-date"), Some("Thu, 01 Jan 2026 00:00:00 GMT"));
    assert_eq!(seen.header("x-ms-version"), Some("2020-07-15"));
    assert_eq!(seen.header("transfer-encoding"), None);
    let is_across = matches!(request, Request::Select(Select { across: true, .. }));
    let partition = (kind == "docs" && !is_across).then_some("[\"p\"]");
    assert_eq!(seen.header("x-ms-documentdb-partitionkey"), partition);
    let shorten = |text: &str| text.replace(target.database(), "D").replace("vector-0", "C");
    seen.line = shorten(&seen.line);
    seen.body = shorten(&seen.body);
    seen
}

/// A request is sent as the table says.
/// Values go out as they were written, each id is one segment of the path, and a query says that it is one.
fn requests() {
    const UPSERT: &str = "x-ms-documentdb-is-upsert";
    const CROSS: &str = "x-ms-documentdb-query-enablecrosspartition";
    let item =
        document("a", &[("ttl", "10.0"), ("big", "1e400"), ("deep", "{\"x\": [1.50]}"), ("no", "null")]);
    let body = r#"{"id":"a","pk":"p","big":1e400,"deep":{"x": [1.50]},"no":null,"ttl":10.0}"#;
    let replace = Operation::Replace(item.clone(), Some("\"e 1\"".to_owned()));
    let delete = Operation::Delete("a".to_owned(), Some("e1".to_owned()));
    let patched = Operation::Patch(patch("a", &[("ttl", "5.0"), ("a/b~c", "1")], &["value"]), None);
    let operations = r#"{"operations":[{"op":"set","path":"/a~1b~0c","value":1},{"op":"set","path":"/ttl","value":5.0},{"op":"remove","path":"/value"}]}"#;
    let operated = {
        use PatchOperation as P;
        let path = |path: &str| path.to_owned();
        let operations = vec![
            P::Add { path: path("/a/b"), value: literal("10.0") },
            P::Replace { path: path("/ttl"), value: literal("null") },
            P::Set { path: path("/ttl"), value: literal("1e400") },
            P::Remove { path: path("/a~1b") },
            P::Incr { path: path("/ttl"), value: -5 },
            P::Move { from: path("/a/ttl"), path: path("/ttl") },
        ];
        Operation::Patch(Patch { operations, ..patch("a", &[("b", "1")], &[]) }, None)
    };
    let more = r#"{"operations":[{"op":"set","path":"/b","value":1},{"op":"add","path":"/a/b","value":10.0},{"op":"replace","path":"/ttl","value":null},{"op":"set","path":"/ttl","value":1e400},{"op":"remove","path":"/a~1b"},{"op":"incr","path":"/ttl","value":-5},{"op":"move","from":"/a/ttl","path":"/ttl"}]}"#;
    let query = |sql| format!("{{\"query\":\"{sql}\",\"parameters\":[]}}");
    let (all, count) = (query("SELECT * FROM c"), query("SELECT VALUE COUNT(1) FROM c"));
    let media = |kind| ("content-type", Some(kind));
    let asks_all =
        [media("application/query+json"), ("x-ms-documentdb-isquery", Some("True")), (CROSS, Some("True"))];
    let docs = "POST /dbs/D/colls/C/docs";
    for (request, line, headers, body) in [
        (Request::Item(Operation::Create(item.clone())), docs, &[(UPSERT, None)][..], body),
        (Request::Item(Operation::Upsert(item)), docs, &[(UPSERT, Some("true"))], body),
        (Request::Item(replace), "PUT /dbs/D/colls/C/docs/a", &[("if-match", Some("\"e 1\""))], body),
        (
            Request::Item(patched),
            "PATCH /dbs/D/colls/C/docs/a",
            &[media("application/json_patch+json"), ("if-match", None)],
            operations,
        ),
        (Request::Item(operated), "PATCH /dbs/D/colls/C/docs/a", &[], more),
        (Request::ReadContainer, "GET /dbs/D/colls/C", &[], ""),
        (Request::DeleteContainer, "DELETE /dbs/D/colls/C", &[], ""),
        (read("a"), "GET /dbs/D/colls/C/docs/a", &[(CROSS, Some("True"))], ""),
        (read("a b\u{e9}"), "GET /dbs/D/colls/C/docs/a%20b%C3%A9", &[], ""),
        (Request::Item(delete), "DELETE /dbs/D/colls/C/docs/a", &[("if-match", Some("e1"))], ""),
        (Request::Query, docs, &asks_all, &all),
        (Request::Count, docs, &asks_all, &count),
        (Request::List, "GET /dbs/D/colls/C/docs", &[("x-ms-documentdb-isquery", None)], ""),
    ] {
        let seen = sent(&request);
        assert_eq!((seen.line.as_str(), seen.body.as_str()), (line, body));
        for (name, value) in headers {
            assert_eq!(seen.header(name), *value, "{line}: {name}");
        }
    }
    let key = r#""partitionKey":{"kind":"Hash","paths":["/pk"],"version":2}"#;
    for (default_ttl, indexing, ttl, automatic, mode) in [
        (None, Indexing::Consistent, "", true, "consistent"),
        (Some("10.0"), Indexing::Lazy, r#""defaultTtl":10.0,"#, true, "lazy"),
        (Some("null"), Indexing::None, r#""defaultTtl":null,"#, false, "none"),
        (Some("1e400"), Indexing::Consistent, r#""defaultTtl":1e400,"#, true, "consistent"),
    ] {
        let settings = Container { default_ttl: default_ttl.map(literal), indexing };
        let policy = format!(r#""indexingPolicy":{{"automatic":{automatic},"indexingMode":"{mode}"}}"#);
        let body = format!("{{\"id\":\"C\",{key},{ttl}{policy}}}");
        let made = sent(&Request::CreateContainer(settings.clone()));
        assert_eq!((made.line.as_str(), &made.body), ("POST /dbs/D/colls", &body));
        let replaced = sent(&Request::ReplaceContainer(settings));
        assert_eq!((replaced.line.as_str(), &replaced.body), ("PUT /dbs/D/colls/C", &body));
    }
}

/// A query of another shape is SQL as clients write it, with its values as parameters.
fn shapes() {
    let select = Select::default;
    let name = |name: &str| Some(name.to_owned());
    let filter = document("a", &[("n", "10.0"), ("id", "\"x'\\\"\""), ("a\"b", "1e400")]).properties;
    let where_ = r#" WHERE c[\"a\\\"b\"] = @p0 AND c[\"id\"] = @p1 AND c[\"n\"] = @p2"#;
    let parameters =
        r#"{"name":"@p0","value":1e400},{"name":"@p1","value":"x'\""},{"name":"@p2","value":10.0}"#;
    let ids = vec!["a".to_owned(), "b\"".to_owned()];
    let ttl = r#"c[\"ttl\"]"#;
    for (request, sql, parameters) in [
        (Request::Select(Select { filter, ..select() }), format!("SELECT c.id FROM c{where_}"), parameters),
        (
            Request::Select(Select { order_by: name("ttl"), offset: Some(1), across: true, ..select() }),
            format!("SELECT c.id FROM c ORDER BY {ttl} OFFSET 1 LIMIT 2147483647"),
            "",
        ),
        (
            Request::Select(Select { limit: Some(2), ..select() }),
            "SELECT c.id FROM c OFFSET 0 LIMIT 2".into(),
            "",
        ),
        (
            Request::Select(Select { values: name("ttl"), distinct: true, ..select() }),
            format!("SELECT DISTINCT VALUE {ttl} FROM c"),
            "",
        ),
        (
            Request::Select(Select { count: true, across: true, ..select() }),
            "SELECT VALUE COUNT(1) FROM c".into(),
            "",
        ),
        (
            Request::ReadMany(ids),
            "SELECT * FROM c WHERE c.id IN (@p0, @p1)".into(),
            r#"{"name":"@p0","value":"a"},{"name":"@p1","value":"b\""}"#,
        ),
    ] {
        let seen = sent(&request);
        assert_eq!(seen.line, "POST /dbs/D/colls/C/docs");
        assert_eq!(seen.body, format!("{{\"query\":\"{sql}\",\"parameters\":[{parameters}]}}"));
        assert_eq!(seen.header("content-type"), Some("application/query+json"));
    }
}

/// The condition of an upsert, a read or a create is a header.
fn conditions() {
    let (etag, any) = (Some("\"1\"".to_owned()), Some("*".to_owned()));
    let none = RequestOptions::default;
    let upsert = Request::Item(Operation::Upsert(document("a", &[])));
    for (request, options, if_match, if_none_match) in [
        (upsert, RequestOptions { if_match: etag.clone(), ..none() }, Some("\"1\""), None),
        (read("a"), RequestOptions { if_none_match: etag, ..none() }, None, Some("\"1\"")),
        (create("a"), RequestOptions { if_none_match: any, ..none() }, None, Some("*")),
    ] {
        let seen = sent_with(&request, &options);
        assert_eq!((seen.header("if-match"), seen.header("if-none-match")), (if_match, if_none_match));
    }
}

/// A second container has a name of its own, and is deleted when the session ends.
fn other_containers() {
    let server = Server::new(|_| None);
    let target = server.target();
    let mut session = open(&target);
    let other = RequestOptions { container: Some("other".to_owned()), ..RequestOptions::default() };
    session.send(&container()).unwrap();
    session.send_with(&container(), &other).unwrap();
    session.send_with(&create("a"), &other).unwrap();
    assert!(server.last().line.ends_with("/colls/vector-1/docs"));
    session.send(&create("a")).unwrap();
    assert!(server.last().line.ends_with("/colls/vector-0/docs"));
    session.close().unwrap();
    assert_eq!(server.count("DELETE "), 2);
}

/// Two runs have two databases and two vectors two containers.
fn names() {
    let server = Server::new(|_| None);
    let (one, other) = (server.target(), server.target());
    assert!(one.database().starts_with("cosmos-ttl-1767225600-"), "{}", one.database());
    assert_ne!(one.database(), other.database());
    for _ in 0..2 {
        open(&one).send(&container()).unwrap();
    }
    let bodies: Vec<_> = server.seen().into_iter().filter(|seen| seen.line.ends_with("/colls")).collect();
    assert!(bodies[0].body.contains("\"id\":\"vector-0\"") && bodies[1].body.contains("\"id\":\"vector-1\""));
}

/// A batch is a list in one request.
fn batch() {
    let server = Server::new(|seen| {
        let batch = seen.header("x-ms-cosmos-is-batch-request").is_some();
        batch.then(|| json(200, "[{\"statusCode\":201}]"))
    });
    let target = server.target();
    let operations = vec![
        Operation::Create(document("a", &[("ttl", "10.0")])),
        Operation::Upsert(document("b", &[])),
        Operation::Replace(document("c", &[]), Some("e1".to_owned())),
        Operation::Patch(patch("d", &[("ttl", "-1")], &[]), Some("e2".to_owned())),
        Operation::Read("e".to_owned()),
        Operation::Delete("f".to_owned(), None),
    ];
    open(&target).send(&Request::Batch(operations)).unwrap_err();
    let seen = server.last();
    for (name, value) in [("atomic", "True"), ("ordered", "True"), ("continue-on-error", "False")] {
        assert_eq!(seen.header(&format!("x-ms-cosmos-batch-{name}")), Some(value));
    }
    assert_eq!(
        seen.body,
        [
            r#"[{"operationType":"Create","resourceBody":{"id":"a","pk":"p","ttl":10.0}}"#,
            r#"{"operationType":"Upsert","resourceBody":{"id":"b","pk":"p"}}"#,
            r#"{"operationType":"Replace","id":"c","ifMatch":"e1","resourceBody":{"id":"c","pk":"p"}}"#,
            r#"{"operationType":"Patch","id":"d","ifMatch":"e2","resourceBody":{"operations":[{"op":"set","path":"/ttl","value":-1}]}}"#,
            r#"{"operationType":"Read","id":"e"}"#,
            r#"{"operationType":"Delete","id":"f"}]"#,
        ]
        .join(",")
    );
}

/// What cannot be sent is a fault and is not sent.
fn unsent() {
    let server = Server::new(|_| None);
    let target = server.target();
    let mut session = open(&target);
    let evil = Operation::Delete("a".to_owned(), Some("e\r\nx-evil: 1".to_owned()));
    for (request, is_misuse) in [
        (read(""), true),
        (read(".."), true),
        (Request::Item(Operation::Create(document("a", &[("pk", "1")]))), true),
        (Request::Item(Operation::Create(document("a", &[("id", "1")]))), true),
        // An etag that is no header is the target's mistake.
        (Request::Item(evil), false),
    ] {
        let fault = session.send(&request).unwrap_err();
        assert!(matches!(fault, Fault::Misuse(_)) == is_misuse, "{fault}");
        assert!(is_misuse || matches!(fault, Fault::Broken(_)), "{fault}");
    }
    for id in ["a/b", "a\\b", "a?", "#"] {
        let create = Request::Item(Operation::Create(document(id, &[])));
        for request in [read(id), Request::Batch(create.operations().to_vec()), create] {
            assert!(matches!(session.send(&request), Err(Fault::Unsupported(_))), "{id}");
        }
    }
    assert!(matches!(session.pass(1), Err(Fault::Misuse(_))));
    assert_eq!(server.seen().len(), 1);
}

/// A vector reads what it wrote.
fn session_token() {
    let server = Server::new(|seen| {
        let written = seen.line.ends_with("/docs") && seen.body.contains("\"a\"");
        written.then(|| with(json(201, ITEM), "x-ms-session-token", "0:-1#7"))
    });
    let target = server.target();
    let mut session = open(&target);
    session.send(&container()).unwrap();
    session.send(&create("a")).unwrap();
    let settings = Request::ReplaceContainer(Container::default());
    for (request, token) in [(read("a"), Some("0:-1#7")), (Request::List, Some("0:-1#7")), (settings, None)] {
        session.send(&request).unwrap();
        assert_eq!(server.last().header("x-ms-session-token"), token);
    }
    open(&target).send(&read("a")).unwrap();
    assert_eq!(server.last().header("x-ms-session-token"), None, "another vector, another container");
}
