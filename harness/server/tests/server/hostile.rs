//! Clients that mean no good, or are broken: each gets a clear refusal, and nothing panics.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use cosmos_ttl_model::choices::Preferences;
use cosmos_ttl_server::listener::Limits;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

use crate::running::{RunningServer, model};
use crate::signed::{DATE, Shop, authorization, check_refused, request};

fn limits() -> Limits {
    Limits { head: Duration::from_millis(200), body: Duration::from_millis(200), ..Limits::default() }
}

fn server(limits: Limits) -> RunningServer {
    RunningServer::start(model(Preferences::default()), limits)
}

/// Sends this text, and returns everything that comes back until the connection ends.
fn exchange(server: &RunningServer, text: &str) -> String {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[track_caller]
fn check_said(answer: &str, status: &str, says: &str) {
    assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{answer}");
    assert!(answer.contains(says), "{answer}");
}

/// The head of a signed request, without its last line. The machine's own date counts here.
fn head(verb: &str, path: &str, more: &str) -> String {
    let date = httpdate::fmt_http_date(cosmos_ttl_server::machine_clock());
    let parts: Vec<_> = path.trim_matches('/').split('/').collect();
    let kind = parts.iter().step_by(2).next_back().unwrap();
    let link = parts[..parts.len() / 2 * 2].join("/");
    let authorization = authorization(verb, kind, &link, &date);
    format!(
        "{verb} {path} HTTP/1.1\r\nhost: a\r\nx-ms-date: {date}\r\nauthorization: {authorization}\r\n{more}"
    )
}

#[test]
fn a_key_that_is_not_the_servers_is_refused() {
    let shop = Shop::open(model(Preferences::default()), "");
    let ask = |headers: &[(&str, &str)]| shop.ask("GET", "/dbs", headers, "");
    check_refused(
        &ask(&[("authorization", "type%3Dmaster%26ver%3D1.0%26sig%3DAAAA")]),
        401,
        "does not match",
    );
    check_refused(&ask(&[("authorization", "%ff%")]), 401, "type=master");
    check_refused(&ask(&[("authorization", "type%3Daad%26ver%3D1.0%26sig%3Dx")]), 401, "type=master");
    let mut unsigned = request("GET", "/dbs", &[], "");
    unsigned.headers.remove("authorization");
    check_refused(&shop.0.ask(&unsigned), 401, "is missing");
}

#[test]
fn a_date_far_from_the_machines_is_refused_with_the_distance() {
    let shop = Shop::open(model(Preferences::default()), "");
    let ask = |date: &str| {
        let authorization = authorization("GET", "dbs", "", date);
        shop.ask("GET", "/dbs", &[("x-ms-date", date), ("authorization", &authorization)], "")
    };
    assert_eq!(ask(DATE).status, 200);
    assert_eq!(ask("Thu, 01 Jan 2026 00:15:00 GMT").status, 200);
    check_refused(&ask("Thu, 01 Jan 2026 00:15:01 GMT"), 403, "901 s");
    check_refused(&ask("Wed, 31 Dec 2025 23:44:59 GMT"), 403, "901 s");
    check_refused(&ask("yesterday"), 401, "no date");
}

#[test]
fn malformed_json_is_refused() {
    let shop = Shop::open(model(Preferences::default()), "");
    let deep = format!("{{\"id\":\"a\",\"pk\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    for body in ["", "{", "[]", "null", "{\"id\":1}", "{\"id\":\"a\",\"id\":\"b\"}", "{\"pk\":\"p\"}", &deep]
    {
        assert_eq!(shop.items("POST", "", &[], body).status, 400, "{}", &body[..body.len().min(40)]);
    }
    for id in ["", "a/b", "a?b", "a#b", "a\\\\b", "a ", "..", &"x".repeat(2000)] {
        check_refused(&shop.items("POST", "", &[], &format!(r#"{{"id":"{id}","pk":"p"}}"#)), 400, "`id`");
    }
}

#[test]
fn binary_json_is_refused_with_the_way_to_switch_it_off() {
    let shop = Shop::open(model(Preferences::default()), "");
    let mut asked =
        request("POST", "/dbs/d/colls/c/docs", &[("x-ms-documentdb-partitionkey", "[\"p\"]")], "");
    asked.body = vec![0x80, 0xea, 0x82, b'i', b'd'];
    check_refused(&shop.0.ask(&asked), 501, "AZURE_COSMOS_BINARY_ENCODING_ENABLED=false");
    asked.body = vec![0xff];
    check_refused(&shop.0.ask(&asked), 400, "not UTF-8");
}

#[test]
fn a_body_beyond_the_limit_is_refused() {
    let server = server(limits());
    let said = exchange(&server, &head("POST", "/dbs", "content-length: 99999999\r\n\r\n"));
    check_said(&said, "413", "bytes, which is the limit");
    let chunk = format!("100000\r\n{}\r\n", "x".repeat(0x10_0000));
    let said =
        exchange(&server, &(head("POST", "/dbs", "transfer-encoding: chunked\r\n\r\n") + &chunk.repeat(3)));
    check_said(&said, "413", "bytes, which is the limit");
}

#[test]
fn a_client_that_writes_its_whole_body_before_it_reads_sees_the_refusal() {
    let server = server(Limits::default());
    let body = "x".repeat(20_000_000);
    let more = format!("content-length: {}\r\n\r\n", body.len());
    check_said(&exchange(&server, &(head("POST", "/dbs", &more) + &body)), "413", "which is the limit");
    let unsigned = format!("POST /dbs HTTP/1.1\r\nhost: a\r\nconnection: close\r\n{more}{body}");
    check_said(&exchange(&server, &unsigned), "401", "is missing");
}

#[test]
fn a_client_that_waits_to_be_asked_for_its_body_is_refused_without_it() {
    let server = server(Limits::default());
    let waiting = head("POST", "/dbs", "expect: 100-continue\r\ncontent-length: 20000000\r\n\r\n");
    check_said(&exchange(&server, &waiting), "413", "which is the limit");
}

#[test]
fn a_slow_client_is_told_so() {
    let server = server(limits());
    check_said(&exchange(&server, "GET /dbs HTTP/1.1\r\nhost:"), "408", "the head of the request");
    let slow = head("POST", "/dbs", "content-length: 10\r\n\r\n{");
    check_said(&exchange(&server, &slow), "408", "the body took longer");
}

#[test]
fn a_connection_that_says_nothing_is_closed() {
    assert_eq!(exchange(&server(limits()), ""), "");
}

#[test]
fn a_connection_beyond_the_limit_is_told_so() {
    let server = server(Limits { connections: 1, ..Limits::default() });
    let first = TcpStream::connect(server.address).unwrap();
    std::thread::yield_now();
    check_said(&exchange(&server, ""), "503", "--connections");
    drop(first);
}

#[test]
fn however_many_connections_are_beyond_the_limit_each_is_told_so() {
    let server = server(Limits { connections: 1, ..Limits::default() });
    let _open: Vec<_> = (0..100).map(|_| TcpStream::connect(server.address).unwrap()).collect();
    for _ in 0..20 {
        check_said(&exchange(&server, ""), "503", "--connections");
    }
}

#[test]
fn a_request_on_a_connection_beyond_the_limit_is_told_so() {
    let server = server(Limits { connections: 1, ..Limits::default() });
    let _first = TcpStream::connect(server.address).unwrap();
    let asked = head("POST", "/dbs", "content-length: 40000\r\n\r\n") + &"x".repeat(40_000);
    check_said(&exchange(&server, &asked), "503", "--connections");
}

/// Asks until the answer has this status, and at most a thousand times.
#[expect(clippy::disallowed_methods, reason = "the server takes its time")]
fn asked_until(status: &str, ask: impl Fn() -> String) -> String {
    let mut said = ask();
    for _ in 0..1_000 {
        if said.starts_with(&format!("HTTP/1.1 {status}")) {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
        said = ask();
    }
    said
}

#[test]
fn a_request_is_refused_while_others_take_every_place() {
    let body = Duration::from_millis(200);
    let server = server(Limits { requests: 1, body, ..Limits::default() });
    // The first of two requests takes the place, and which one is first is not known: each attempt has two.
    let refused = || {
        let mut first = TcpStream::connect(server.address).unwrap();
        first.write_all(head("POST", "/dbs", "content-length: 4000\r\n\r\n{").as_bytes()).unwrap();
        exchange(&server, &head("GET", "/dbs", "connection: close\r\n\r\n"))
    };
    check_said(&asked_until("503", refused), "503", "bodies that do not come");
}

/// Starts a server with items of 12 MB in all, and returns it with a request for all of them, many times.
fn server_with_items(limits: Limits) -> (RunningServer, String) {
    let server = server(limits);
    let partition = "x-ms-documentdb-partitionkey: [\"p\"]\r\n";
    let text = "x".repeat(1_000_000);
    let mut bodies = vec![
        ("/dbs", r#"{"id":"d"}"#.to_owned()),
        ("/dbs/d/colls", r#"{"id":"c","partitionKey":{"paths":["/pk"]}}"#.to_owned()),
    ];
    bodies.extend(
        (0..12).map(|number| {
            ("/dbs/d/colls/c/docs", format!(r#"{{"id":"{number}","pk":"p","text":"{text}"}}"#))
        }),
    );
    for (path, body) in bodies {
        let more = format!("connection: close\r\n{partition}content-length: {}\r\n\r\n", body.len());
        check_said(&exchange(&server, &(head("POST", path, &more) + &body)), "201", "");
    }
    let page = head("GET", "/dbs/d/colls/c/docs", "\r\n");
    (server, page.repeat(40))
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a client that takes its time")]
fn a_client_that_does_not_read_its_answers_or_reads_them_slowly_is_disconnected() {
    let limits = Limits { answer: Duration::from_millis(200), ..Limits::default() };
    let (server, asked) = server_with_items(limits);
    // One pause of a second, and many small ones.
    for (pauses, pause) in [(1, Duration::from_secs(1)), (40, Duration::from_millis(50))] {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream.write_all(asked.as_bytes()).unwrap();
        let (mut answer, mut part) = (Vec::new(), vec![0; 50_000]);
        for _ in 0..pauses {
            std::thread::sleep(pause);
            let read = stream.read(&mut part).unwrap_or(0);
            answer.extend_from_slice(&part[..read]);
        }
        let _ = stream.read_to_end(&mut answer);
        assert!(answer.len() < 39_000_000, "{} bytes came", answer.len());
    }
}

#[test]
fn a_request_is_refused_while_unread_answers_take_every_place() {
    let limits = Limits { requests: 1, body: Duration::from_millis(200), ..Limits::default() };
    let (server, asked) = server_with_items(limits);
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.write_all(asked.as_bytes()).unwrap();
    let other = || exchange(&server, &head("GET", "/dbs", "connection: close\r\n\r\n"));
    // Until the sockets are full, there is room between two answers.
    check_said(&asked_until("503", other), "503", "do not read");
    drop(stream);
    check_said(&asked_until("200", other), "200", "Databases");
}

#[test]
fn what_is_no_http_is_refused() {
    check_said(&exchange(&server(limits()), "\u{0}\u{1} nothing\r\n\r\n"), "400", "");
}

/// Sends the first bytes of `azure_data_cosmos`. It asks again with HTTP/1.1 if the first bytes of the answer are no
/// frame.
#[test]
fn a_client_that_begins_with_http_2_is_answered_in_http_1_1() {
    let said = exchange(&server(limits()), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0");
    check_said(&said, "505", "only HTTP/1.1 is offered");
}

#[test]
fn the_server_ends_after_the_requests_that_are_on_their_way() {
    let mut server = server(Limits { body: Duration::from_secs(5), ..Limits::default() });
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let body = r#"{"id":"d"}"#;
    let asked =
        head("POST", "/dbs", &format!("content-length: {}\r\nexpect: 100-continue\r\n\r\n", body.len()));
    stream.write_all(asked.as_bytes()).unwrap();
    // This interim answer shows that the server has read the head, and waits for the body.
    let mut interim = [0; "HTTP/1.1 100 Continue\r\n\r\n".len()];
    stream.read_exact(&mut interim).unwrap();
    assert_eq!(&interim, b"HTTP/1.1 100 Continue\r\n\r\n");
    let rest = std::thread::spawn(move || {
        stream.write_all(body.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    });
    server.end();
    check_said(&rest.join().unwrap(), "201", "");
    assert!(TcpStream::connect(server.address).is_err());
}

const VERBS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "X"];
const PATHS: [&str; 12] = [
    "/",
    "/dbs",
    "/dbs/d",
    "/dbs/d/colls",
    "/dbs/d/colls/c",
    "/dbs/d/colls/c/docs",
    "/dbs/d/colls/c/docs/a",
    "/dbs/d/colls/c/pkranges",
    "/dbs/%ff",
    "/dbs//colls/",
    "/_ttl/advance",
    "/_ttl/expired",
];
const HEADERS: [(&str, &str); 15] = [
    ("x-ms-documentdb-partitionkey", "[\"p\"]"),
    ("x-ms-documentdb-partitionkey", "[]"),
    ("x-ms-documentdb-partitionkey", "[{}]"),
    ("x-ms-documentdb-partitionkey", "[1e999]"),
    ("x-ms-documentdb-isquery", "True"),
    ("x-ms-cosmos-is-query-plan-request", "True"),
    ("x-ms-documentdb-is-upsert", "true"),
    ("x-ms-cosmos-is-batch-request", "True"),
    ("x-ms-cosmos-batch-atomic", "True"),
    ("x-ms-max-item-count", "-1"),
    ("x-ms-max-item-count", "99999999999999999999"),
    ("x-ms-continuation", "W10="),
    ("if-match", "\"4294967296\""),
    ("x-cosmos-ttl-removal", "alternate"),
    ("a-im", "x"),
];
const BODIES: [&str; 16] = [
    r#"{"id":"d"}"#,
    r#"{"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":10}"#,
    r#"{"id":"c","partitionKey":{"paths":["/"]},"defaultTtl":1e400}"#,
    r#"{"id":"c","partitionKey":{"paths":["/pk","/a/b","/c"]},"indexingPolicy":{"indexingMode":"none"}}"#,
    r#"{"id":"a","pk":"p","ttl":1}"#,
    r#"{"id":"a","pk":"p","ttl":-9223372036854775809}"#,
    r#"{"id":"a","pk":[],"ttl":{}}"#,
    r#"{"query":"SELECT * FROM c WHERE c.a.b['x'] = -1e5 AND true = c.id"}"#,
    r#"{"query":"SELECT VALUE COUNT(1) FROM c"}"#,
    r#"{"query":"SELECT é'ü \" FROM"}"#,
    r#"{"query":"SELECT TOP 1 c.a FROM c ORDER BY c.n DESC"}"#,
    r#"[{"op":"incr","path":"/n/-/~1","value":1e308},{"op":"move","from":"/a","path":"/ttl"}]"#,
    r#"{"operations":[{"op":"set","path":"/ttl","value":null},{"op":"remove","path":"/~1"}]}"#,
    r#"[{"operationType":"Create","resourceBody":{"id":"a","pk":"p"}},{"operationType":"Delete","id":"a"}]"#,
    r#"[{"operationType":"Patch","id":"a","resourceBody":[{"op":"add","path":"/n","value":1}]}]"#,
    "\u{feff}{",
];

#[rustfmt::skip]
const WORDS: [&str; 42] = [
    "*", "VALUE", "DISTINCT", "TOP", "COUNT(1)", "c", "c.n", "c.id", "c[\"n\"]", "c.n[0]", "AS", "x", ",",
    "FROM c", "FROM c", "FROM c", "WHERE", "WHERE c.n", "=", "<", "!=", "AND", "OR", "NOT", "(", ")", "IN (1, null)", "BETWEEN", "1",
    "-1e308", "'a'", "true", "null", "undefined", "IS_DEFINED(c.n)", "CONTAINS(c.id, 'a', true)", "ORDER BY c.n", "DESC", "OFFSET 1",
    "LIMIT 1", ";", "@p",
];

/// Returns whether a text is JSON. A number that no double holds is JSON, too: a client gets back what it sent.
fn is_json(text: &str) -> bool {
    serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok()
}

#[test]
fn a_number_that_no_double_holds_comes_back_as_it_was_sent() {
    let shop = Shop::open(model(Preferences::default()), "");
    let body = r#"{"id":"a","pk":"p","n":1e400}"#;
    let partition = [("x-ms-documentdb-partitionkey", "[\"p\"]")];
    let answer = shop.0.ask(&request("POST", "/dbs/d/colls/c/docs", &partition, body));
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert!(answer.body.contains(r#""n":1e400"#) && is_json(&answer.body), "{}", answer.body);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        rng_seed: RngSeed::Fixed(14),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Every answer is one that a client can read, whatever was asked before.
    #[test]
    fn no_sequence_of_requests_panics(
        asked in vec((select(&VERBS[..]), select(&PATHS[..]), vec(select(&HEADERS[..]), 0..4), select(&BODIES[..]), 0_usize..200), 1..60)
    ) {
        let shop = Shop::open(model(Preferences::default()), r#","defaultTtl":1"#);
        for (verb, path, headers, body, cut) in asked {
            let end = if cut < 20 { body.floor_char_boundary(cut) } else { body.len() };
            let mut request = request(verb, path, &headers, &body[..end]);
            request.query = format!("seconds={cut}");
            let answer = shop.0.ask(&request);
            prop_assert!((200..500).contains(&answer.status) || answer.status == 501, "{verb} {path}: {} {}", answer.status, answer.body);
            prop_assert!(answer.body.is_empty() || is_json(&answer.body), "{}", answer.body);
        }
    }

    /// Any words of the language in any order are a query or none, and the page behind any row is one.
    #[test]
    fn no_words_of_a_query_panic(words in vec(select(&WORDS[..]), 0..30), before in 0..9_i32) {
        let shop = Shop::open(model(Preferences::default()), "");
        for n in ["1", "\"1\"", "null", "[1e308]", "{\"n\":-0.0}"] {
            let body = format!(r#"{{"id":{:?},"pk":"p","n":{n}}}"#, n.replace(['"', '{', '}', '[', ']'], "_"));
            prop_assert_eq!(shop.items("POST", "", &[], &body).status, 201);
        }
        let sql = format!("SELECT {}", words.join(" "));
        let token = format!(r#"{{"order":[[{before}]],"key":["[\"p\"]","1"],"rows":{before}}}"#);
        let token = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, token);
        for headers in [&[][..], &[("x-ms-continuation", &*token)], &[("x-ms-max-item-count", "1")]] {
            let answer = shop.query(&sql, headers);
            prop_assert!(matches!(answer.status, 200 | 400 | 501), "{sql}: {}", answer.body);
            prop_assert!(is_json(&answer.body), "{sql}: {}", answer.body);
        }
    }

    /// Any bytes as a path, a header or a body are answered, and never with an error of the server.
    #[test]
    fn no_bytes_panic(path in "\\PC{0,60}", header in "\\PC{0,60}", body in vec(any::<u8>(), 0..200)) {
        let shop = Shop::open(model(Preferences::default()), "");
        let mut request = request("POST", "/dbs/d/colls/c/docs", &[("x-ms-documentdb-partitionkey", &header)], "");
        request.body = body;
        prop_assert!(matches!(shop.0.ask(&request).status, 400..=499 | 501));
        request.path = format!("/{path}");
        prop_assert!(matches!(shop.0.ask(&request).status, 400..=499 | 501));
    }
}
