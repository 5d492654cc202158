//! The requests, byte by byte.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cosmos_ttl_harness::target::{Container, Fault, Indexing, Operation, Request};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::server::{ITEM, Seen, Server, json, open, with};
use super::{container, create, document, literal, patch, read};
use crate::trial;
use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial(
            "http_the_documented_example_is_signed_as_documented",
            the_documented_example_is_signed_as_documented,
        ),
        trial(
            "http_the_database_is_made_with_the_known_signature",
            the_database_is_made_with_the_known_signature,
        ),
        trial("http_two_runs_have_two_databases", two_runs_have_two_databases),
        trial("http_two_vectors_have_two_containers", two_vectors_have_two_containers),
        trial("http_a_containers_settings_go_out_as_written", a_containers_settings_go_out_as_written),
        trial("http_an_items_values_go_out_as_written", an_items_values_go_out_as_written),
        trial("http_a_patch_is_a_list_of_operations", a_patch_is_a_list_of_operations),
        trial(
            "http_a_point_read_crosses_partitions_and_a_delete_may_have_a_condition",
            a_point_read_crosses_partitions_and_a_delete_may_have_a_condition,
        ),
        trial(
            "http_an_id_is_one_segment_of_the_path_and_signed_as_it_is",
            an_id_is_one_segment_of_the_path_and_signed_as_it_is,
        ),
        trial(
            "http_a_query_and_a_count_say_that_they_are_queries",
            a_query_and_a_count_say_that_they_are_queries,
        ),
        trial("http_a_batch_is_a_list_in_one_request", a_batch_is_a_list_in_one_request),
        trial(
            "http_what_cannot_be_sent_is_a_misuse_and_is_not_sent",
            what_cannot_be_sent_is_a_misuse_and_is_not_sent,
        ),
        trial(
            "http_an_etag_that_is_no_header_breaks_the_target_and_not_us",
            an_etag_that_is_no_header_breaks_the_target_and_not_us,
        ),
        trial("http_a_vector_reads_what_it_wrote", a_vector_reads_what_it_wrote),
    ]
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

/// With this signature, all others here are compared.
fn the_documented_example_is_signed_as_documented() {
    let documented =
        "dsZQi3KtZmCv1ljt3VNWNm7sQUF1y5rJfC6kv5JiwvW0EndXdDku/dkKBp8/ufDToSxLzR4y+O/0H/t4bQtVNw==";
    assert_eq!(
        signature(documented, "get", "dbs", "dbs/ToDoList", "thu, 27 apr 2017 00:51:12 gmt"),
        "type%3Dmaster%26ver%3D1.0%26sig%3Dc09PEVJrgp2uQRkr934kFbTqhByc7TVr3OHyqlu%2Bc%2Bc%3D"
    );
}

/// Returns each of these requests as it is on the wire; `D` and `C` are the names of database and container.
fn sent(request: &Request) -> Seen {
    let server = Server::new(|_| None);
    let target = server.target();
    // What the server answers is no matter here.
    let _ = open(&target).send(request);
    let mut seen = server.seen().into_iter().find(|seen| seen.line != "POST /dbs").unwrap();
    let kind = if seen.line.contains("/docs") { "docs" } else { "colls" };
    let (verb, path) = seen.line.split_once(' ').unwrap();
    let link = match path.strip_suffix("/docs").or(path.strip_suffix("/colls")) {
        Some(parent) => parent,
        None => path,
    };
    let link =
        link.trim_start_matches('/').replace("%20", " ").replace("%2F", "/").replace("%C3%A9", "\u{e9}");
    let date = "thu, 01 jan 2026 00:00:00 gmt";
    let signature = signature(EMULATOR, &verb.to_lowercase(), kind, &link, date);
    assert_eq!(seen.header("authorization"), Some(&*signature));
    assert_eq!(seen.header("x-ms-date"), Some("Thu, 01 Jan 2026 00:00:00 GMT"));
    assert_eq!(seen.header("x-ms-version"), Some("2020-07-15"));
    assert_eq!(seen.header("transfer-encoding"), None);
    if kind == "docs" {
        assert_eq!(seen.header("x-ms-documentdb-partitionkey"), Some("[\"p\"]"));
    }
    let shorten = |text: &str| text.replace(target.database(), "D").replace("vector-0", "C");
    seen.line = shorten(&seen.line);
    seen.body = shorten(&seen.body);
    seen
}

fn the_database_is_made_with_the_known_signature() {
    let server = Server::new(|_| None);
    let target = server.target();
    let seen = server.last();
    assert_eq!(seen.line, "POST /dbs");
    assert_eq!(seen.body, format!("{{\"id\":\"{}\"}}", target.database()));
    assert_eq!(
        seen.header("authorization"),
        Some("type%3Dmaster%26ver%3D1.0%26sig%3DD4r5VwiEkkgEbhXvYlCJwnSVvx4fXhQcnEHFOLTo6Es%3D")
    );
    assert_eq!(seen.header("content-type"), Some("application/json"));
}

fn two_runs_have_two_databases() {
    let server = Server::new(|_| None);
    let (one, other) = (server.target(), server.target());
    assert!(one.database().starts_with("cosmos-ttl-1767225600-"), "{}", one.database());
    assert_ne!(one.database(), other.database());
}

fn two_vectors_have_two_containers() {
    let server = Server::new(|_| None);
    let target = server.target();
    for _ in 0..2 {
        open(&target).send(&container()).unwrap();
    }
    let bodies: Vec<_> = server.seen().into_iter().filter(|seen| seen.line.ends_with("/colls")).collect();
    assert!(bodies[0].body.contains("\"id\":\"vector-0\"") && bodies[1].body.contains("\"id\":\"vector-1\""));
}

fn a_containers_settings_go_out_as_written() {
    let key = r#""partitionKey":{"kind":"Hash","paths":["/pk"],"version":2}"#;
    for (ttl, indexing, rest) in [
        (None, Indexing::Consistent, r#""indexingPolicy":{"automatic":true,"indexingMode":"consistent"}"#),
        (
            Some("10.0"),
            Indexing::Lazy,
            r#""defaultTtl":10.0,"indexingPolicy":{"automatic":true,"indexingMode":"lazy"}"#,
        ),
        (
            Some("null"),
            Indexing::None,
            r#""defaultTtl":null,"indexingPolicy":{"automatic":false,"indexingMode":"none"}"#,
        ),
        (
            Some("1e400"),
            Indexing::Consistent,
            r#""defaultTtl":1e400,"indexingPolicy":{"automatic":true,"indexingMode":"consistent"}"#,
        ),
    ] {
        let settings = Container { default_ttl: ttl.map(literal), indexing };
        let body = format!("{{\"id\":\"C\",{key},{rest}}}");
        let made = sent(&Request::CreateContainer(settings.clone()));
        assert_eq!((made.line.as_str(), &made.body), ("POST /dbs/D/colls", &body));
        let replaced = sent(&Request::ReplaceContainer(settings));
        assert_eq!((replaced.line.as_str(), &replaced.body), ("PUT /dbs/D/colls/C", &body));
    }
}

fn an_items_values_go_out_as_written() {
    let item =
        document("a", &[("ttl", "10.0"), ("big", "1e400"), ("deep", "{\"x\": [1.50]}"), ("no", "null")]);
    let body = r#"{"id":"a","pk":"p","big":1e400,"deep":{"x": [1.50]},"no":null,"ttl":10.0}"#;
    let made = sent(&Request::Item(Operation::Create(item.clone())));
    assert_eq!((made.line.as_str(), made.body.as_str()), ("POST /dbs/D/colls/C/docs", body));
    assert_eq!(made.header("x-ms-documentdb-is-upsert"), None);
    let upserted = sent(&Request::Item(Operation::Upsert(item.clone())));
    assert_eq!((upserted.line.as_str(), upserted.body.as_str()), ("POST /dbs/D/colls/C/docs", body));
    assert_eq!(upserted.header("x-ms-documentdb-is-upsert"), Some("true"));
    let replaced = sent(&Request::Item(Operation::Replace(item, Some("\"e 1\"".to_owned()))));
    assert_eq!((replaced.line.as_str(), replaced.body.as_str()), ("PUT /dbs/D/colls/C/docs/a", body));
    assert_eq!(replaced.header("if-match"), Some("\"e 1\""));
}

fn a_patch_is_a_list_of_operations() {
    let patch = patch("a", &[("ttl", "5.0"), ("a/b~c", "1")], &["value"]);
    let seen = sent(&Request::Item(Operation::Patch(patch, None)));
    assert_eq!(seen.line, "PATCH /dbs/D/colls/C/docs/a");
    assert_eq!(seen.header("content-type"), Some("application/json_patch+json"));
    assert_eq!(seen.header("if-match"), None);
    assert_eq!(
        seen.body,
        r#"{"operations":[{"op":"set","path":"/a~1b~0c","value":1},{"op":"set","path":"/ttl","value":5.0},{"op":"remove","path":"/value"}]}"#
    );
}

fn a_point_read_crosses_partitions_and_a_delete_may_have_a_condition() {
    let seen = sent(&read("a"));
    assert_eq!((seen.line.as_str(), seen.body.as_str()), ("GET /dbs/D/colls/C/docs/a", ""));
    assert_eq!(seen.header("x-ms-documentdb-query-enablecrosspartition"), Some("True"));
    let seen = sent(&Request::Item(Operation::Delete("a".to_owned(), Some("e1".to_owned()))));
    assert_eq!(seen.line, "DELETE /dbs/D/colls/C/docs/a");
    assert_eq!(seen.header("if-match"), Some("e1"));
}

fn an_id_is_one_segment_of_the_path_and_signed_as_it_is() {
    assert_eq!(sent(&read("a b/\u{e9}")).line, "GET /dbs/D/colls/C/docs/a%20b%2F%C3%A9");
}

fn a_query_and_a_count_say_that_they_are_queries() {
    for (request, sql) in
        [(Request::Query, "SELECT * FROM c"), (Request::Count, "SELECT VALUE COUNT(1) FROM c")]
    {
        let seen = sent(&request);
        assert_eq!(seen.line, "POST /dbs/D/colls/C/docs");
        assert_eq!(seen.header("content-type"), Some("application/query+json"));
        assert_eq!(seen.header("x-ms-documentdb-isquery"), Some("True"));
        assert_eq!(seen.header("x-ms-documentdb-query-enablecrosspartition"), Some("True"));
        assert_eq!(seen.body, format!("{{\"parameters\":[],\"query\":\"{sql}\"}}"));
    }
    let seen = sent(&Request::List);
    assert_eq!((seen.line.as_str(), seen.body.as_str()), ("GET /dbs/D/colls/C/docs", ""));
}

fn a_batch_is_a_list_in_one_request() {
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
    assert_eq!(seen.header("x-ms-cosmos-batch-atomic"), Some("True"));
    assert_eq!(seen.header("x-ms-cosmos-batch-ordered"), Some("True"));
    assert_eq!(seen.header("x-ms-cosmos-batch-continue-on-error"), Some("False"));
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

fn what_cannot_be_sent_is_a_misuse_and_is_not_sent() {
    let server = Server::new(|_| None);
    let target = server.target();
    let mut session = open(&target);
    for request in [
        read(""),
        read(".."),
        Request::Item(Operation::Create(document("a", &[("pk", "1")]))),
        Request::Item(Operation::Create(document("a", &[("id", "1")]))),
    ] {
        let fault = session.send(&request).unwrap_err();
        assert!(matches!(fault, Fault::Misuse(_)), "{fault}");
    }
    assert!(matches!(session.pass(1), Err(Fault::Misuse(_))));
    assert_eq!(server.seen().len(), 1);
}

fn an_etag_that_is_no_header_breaks_the_target_and_not_us() {
    let server = Server::new(|_| None);
    let target = server.target();
    let delete = Request::Item(Operation::Delete("a".to_owned(), Some("e\r\nx-evil: 1".to_owned())));
    assert!(matches!(open(&target).send(&delete), Err(Fault::Broken(_))));
    assert_eq!(server.seen().len(), 1);
}

fn a_vector_reads_what_it_wrote() {
    let server = Server::new(|seen| {
        let written = seen.line.ends_with("/docs") && seen.body.contains("\"a\"");
        written.then(|| with(json(201, ITEM), "x-ms-session-token", "0:-1#7"))
    });
    let target = server.target();
    let mut session = open(&target);
    session.send(&container()).unwrap();
    session.send(&create("a")).unwrap();
    for request in [read("a"), Request::List] {
        session.send(&request).unwrap();
        assert_eq!(server.last().header("x-ms-session-token"), Some("0:-1#7"));
    }
    session.send(&Request::ReplaceContainer(Container::default())).unwrap();
    assert_eq!(server.last().header("x-ms-session-token"), None);
    open(&target).send(&read("a")).unwrap();
    assert_eq!(server.last().header("x-ms-session-token"), None, "another vector, another container");
}
