//! One table: what a server sends to a request about items, and what the target makes of it.

use std::time::Duration;

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Body, Fault, Operation, Request, Response, Select};
use cosmos_ttl_targets::http::HttpTarget;
use libtest_mimic::Trial;

use super::server::{ITEM, Reply, Seen, Server, json, open, with, within};
use super::{create, delete, document, patch, read};
use crate::trial;

/// What is sent to each request about items in turn, the last for ever; who asks; what comes of it, with `…` for any text; and
/// how often it is asked for, 0 for any number.
struct Row(Vec<Reply>, Vec<Request>, String, usize);

fn replace() -> Request {
    Request::Item(Operation::Replace(document("a", &[]), None))
}

fn upsert() -> Request {
    Request::Item(Operation::Upsert(document("a", &[])))
}

fn patched() -> Operation {
    Operation::Patch(patch("a", &[("ttl", "1")], &[]), None)
}

fn batch() -> Request {
    Request::Batch(vec![Operation::Create(document("a", &[])), Operation::Read("a".to_owned())])
}

fn batch_with_patch() -> Request {
    Request::Batch(vec![Operation::Create(document("a", &[])), patched()])
}

fn reads() -> Vec<Request> {
    vec![read("a"), Request::Query, Request::List, Request::Count]
}

/// A batch has rules of its own: a server that knows none answers with an error, too.
fn single_writes() -> Vec<Request> {
    vec![create("a"), upsert(), replace(), Request::Item(patched()), delete("a")]
}

fn writes() -> Vec<Request> {
    [single_writes(), vec![batch()]].concat()
}

fn is_write(request: &Request) -> bool {
    let is_read = |operation: &Operation| matches!(operation, Operation::Read(_));
    matches!(request, Request::Batch(_)) || !request.operations().iter().all(is_read)
}

/// A healthy server's reply to a request that reads.
fn good(request: &Request) -> Reply {
    let body = match request {
        Request::Item(_) => ITEM,
        Request::Count => r#"{"Documents":[0]}"#,
        _ => r#"{"Documents":[]}"#,
    };
    json(200, body)
}

fn raw(bytes: impl AsRef<[u8]>) -> Reply {
    Reply::Raw(bytes.as_ref().to_vec())
}

fn endless(head: &str, more: impl Into<Vec<u8>>, pause_ms: u64) -> Reply {
    Reply::Endless(head.into(), more.into(), Duration::from_millis(pause_ms))
}

/// An answer that is asked for again at once.
fn excuse(status: u16, substatus: &str) -> Reply {
    let reply = with(json(status, "not now"), "x-ms-retry-after-ms", "1");
    if substatus.is_empty() { reply } else { with(reply, "x-ms-substatus", substatus) }
}

fn paged(body: &str, next: &str) -> Reply {
    with(json(200, body), "x-ms-continuation", next)
}

/// Writes down what comes of a request.
pub(super) fn told(result: &Result<Response, Fault>) -> String {
    let response = match result {
        Ok(response) => response,
        Err(Fault::Broken(why)) => return format!("broken: {why}"),
        Err(Fault::Unknown(why)) => return format!("unknown: {why}"),
        Err(Fault::Unsupported(why)) => return format!("unsupported: {why}"),
        Err(Fault::Misuse(why)) => return format!("misuse: {why}"),
    };
    let words = |all: &[_]| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let body = match &response.body {
        Body::Nothing => String::new(),
        Body::Item(item) => format!(" {}", serde_json::to_string(item).unwrap()),
        Body::Ids(ids) => format!(" {ids:?}"),
        Body::Count(count) => format!(" {count}"),
        Body::Values(values) => format!(" {}", serde_json::to_string(values).unwrap()),
        Body::Container { default_ttl } => {
            format!(" defaultTtl {}", default_ttl.as_ref().map_or("absent", Literal::as_str))
        }
        Body::Committed(statuses) => format!(" committed {}", words(statuses)),
        Body::Aborted { at } => format!(" aborted at {at}"),
    };
    let detail = response.detail.as_ref().map_or_else(String::new, |detail| format!(" says {detail}"));
    format!("{}{body}{detail}", response.status)
}

/// Whether these parts occur in this order, the first at the start.
fn fits(told: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('…').map(str::trim);
    let Some(mut rest) = told.strip_prefix(parts.next().unwrap()) else { return false };
    for part in parts {
        let Some((_, behind)) = rest.split_once(part) else { return false };
        rest = behind;
    }
    true
}

fn check(Row(replies, asks, says, sent): Row) {
    let late = replies.iter().any(|reply| matches!(reply, Reply::Hang | Reply::Endless(..)));
    for request in asks {
        // The next vector is judged as if there had been no fault.
        let is_meant = |seen: &Seen| seen.line.contains("/docs") && !seen.line.ends_with("/docs/good");
        let server = Server::in_turn(is_meant, replies.clone());
        let config = if late { server.hasty() } else { server.config() };
        let (asked, writes) = (request.clone(), is_write(&request));
        let told = within(Duration::from_secs(10), move || {
            let target = HttpTarget::connect(config).unwrap();
            let told = told(&open(&target).send(&asked));
            assert!(open(&target).send(&read("good")).unwrap().status.is_success());
            told
        });
        let head = told.chars().take(700).collect::<String>();
        assert!(
            fits(&told, &says),
            "{request:?}: `{head}` for `{says}` after {:.300}",
            format!("{replies:?}")
        );
        assert!(told.starts_with("ok [") || head == told, "{} bytes are told", told.len());
        assert!(!told.contains(['\u{1b}', '\u{202e}']), "{head:?}");
        assert!(writes || !told.contains("may have happened"), "a read: {head}");
        let asked = server.about_items() - 1;
        assert!(sent == 0 || asked == sent, "{request:?}: sent {asked} times for {sent}: {head}");
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    let groups = [answers(), refusals(), feeds(), batches(), excuses(), faults(), lost_connections()];
    let rows = groups.into_iter().flatten().enumerate();
    let of = |(number, row): (usize, Row)| {
        let says: String = row.2.chars().filter(|c| c.is_alphanumeric() || *c == ' ').take(40).collect();
        let name = format!("http_answer_{number:03}_{}_{}", row.1[0].word(), says.trim().replace(' ', "_"));
        trial(&name, move || check(row))
    };
    rows.map(of).collect()
}

fn row(reply: Reply, asks: &[Request], says: impl Into<String>, sent: usize) -> Row {
    Row(vec![reply], asks.to_vec(), says.into(), sent)
}

/// Answers about an item: values come back exactly, without what the server added; a success carries an item.
fn answers() -> Vec<Row> {
    let item = r#"{"_etag":"\"e1\"","_ts":1767225600,"id":"a","more":{"x": [1e400]},"ttl":10.0,"value":1}"#;
    let mut rows = vec![
        row(json(200, ITEM), &[read("a")], format!("found {item}"), 1),
        row(json(200, ITEM), &[replace(), upsert()], format!("ok {item}"), 1),
        row(json(201, ITEM), &[create("a")], format!("created {item}"), 1),
        row(json(204, ""), &[delete("a")], "no-content", 1),
        row(json(200, ITEM), &[delete("a")], "ok", 1),
        row(json(200, r#"{"id":"a","_ts":null,"_etag":null}"#), &[read("a")], r#"found {"id":"a"}"#, 1),
        row(
            json(200, r#"{"id":"a","ttl":-0,"x":18446744073709551616}"#),
            &[read("a")],
            r#"found {"id":"a","ttl":-0,"x":18446744073709551616}"#,
            1,
        ),
    ];
    for body in [
        "",
        "<html>welcome</html>",
        "[]",
        "null",
        "{}",
        r#"{"id":7}"#,
        r#"{"id":"a","_ts":"now"}"#,
        r#"{"id":"a","_ts":1.5}"#,
        r#"{"id":"a","_etag":1}"#,
        r#"{"id":"a""#,
        r#"{"id":"a"} and more"#,
    ] {
        rows.push(row(json(200, body), &[read("a"), create("a"), replace()], "broken: …without an item", 1));
    }
    let not_text = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{\"id\":\"".as_bytes();
    rows.push(row(
        raw([not_text, b"\xff\xfe\"}"].concat()),
        &[read("a"), create("a")],
        "broken: …without an item",
        1,
    ));
    let properties: Vec<_> = (0..100_000).map(|number| format!("\"p{number}\":1")).collect();
    let large = [
        format!("{{\"id\":\"a\",{}}}", properties.join(",")),
        format!("{{\"id\":\"a\",\"_etag\":\"{}\"}}", "e".repeat(1 << 20)),
        format!("{{\"id\":\"a\",\"x\":\"{}\"}}", "x".repeat(1 << 20)),
    ];
    rows.extend(
        large.map(|body| row(json(200, &body), &[read("a"), create("a")], "broken: an answer with …", 1)),
    );
    rows
}

/// A refusal is judged by its status alone, and quoted without its tricks.
fn refusals() -> Vec<Row> {
    let long = format!("not-found says {}...", "\u{10348}".repeat(300));
    let mut rows = vec![
        row(json(404, "<html>\x1b[2Jgone\n"), &[read("a")], r"not-found says <html>\u{1b}[2Jgone", 1),
        row(
            json(404, "a\u{202e}\u{200b}\u{e0041}b\nc"),
            &[read("a")],
            r"not-found says a\u{202e}\u{200b}\u{e0041}b\nc",
            1,
        ),
        row(Reply::Answer(404, vec![], b"\xff{".to_vec()), &[read("a")], "not-found says \u{fffd}{", 1),
        row(json(404, &"\u{10348}".repeat(100_000)), &[read("a")], long, 1),
        row(raw("HTTP/1.1 404 -\r\ncontent-length: 0\r\n\r\n"), &[read("a")], "not-found", 1),
        row(json(400, ITEM), &[create("a")], "bad-request says", 1),
        row(json(409, ITEM), &[create("a")], "conflict says", 1),
        row(json(412, ITEM), &[replace()], "precondition-failed says", 1),
        row(json(202, ITEM), &[create("a")], "status 202 says", 1),
        row(json(413, ITEM), &[create("a")], "status 413 says", 1),
        row(json(405, ""), &[Request::Item(patched()), read("a")], "unsupported: …answered 405", 1),
        row(json(501, ""), &[Request::Item(patched()), read("a")], "unsupported: …answered 501", 1),
        row(excuse(500, "1002"), &[read("a")], "status 500", 2),
    ];
    // An error of the server is an answer, to a write at once.
    for code in [500, 502, 504] {
        rows.push(row(json(code, "oops"), &single_writes(), format!("status {code} says oops"), 1));
        rows.push(row(json(code, "oops"), &reads(), format!("status {code} says oops"), 2));
    }
    for substatus in ["", "0", "1003", "many", "99999999999"] {
        rows.push(row(excuse(404, substatus), &[read("a")], "not-found says not now", 1));
    }
    rows
}

/// Queries, lists and counts, with one page or several.
fn feeds() -> Vec<Row> {
    let some = || Request::Select(Select { limit: Some(2), ..Select::default() });
    let lists = [Request::Query, Request::List, some(), Request::ReadMany(vec!["a".into()])];
    let counts = [Request::Count, Request::Select(Select { count: true, ..Select::default() })];
    let values = [Request::Select(Select { values: Some("ttl".into()), ..Select::default() })];
    let feed = |replies: Vec<Reply>, asks: &[Request], says: &str| {
        let sent = replies.len();
        Row(replies, asks.to_vec(), says.into(), sent)
    };
    let empty = paged(r#"{"Documents":[]}"#, "2");
    let page = r#"{"Documents":[{"id":"a"}]}"#;
    let more = "x".repeat(10_000);
    let megabytes = vec![format!(r#"{{"id":"a","more":"{more}"}}"#); 300].join(",");
    let many: Vec<_> = (0..100_000).map(|number| format!(r#"{{"id":"{number}"}}"#)).collect();
    let mut rows = vec![
        feed(
            vec![json(200, r#"{"Documents":[{"id":"b","ttl":1e400},{"id":"a"}],"_count":2}"#)],
            &lists,
            r#"ok ["b", "a"]"#,
        ),
        feed(vec![json(200, &format!("{{\"Documents\":[{megabytes}]}}"))], &lists, r#"ok ["a", "a", "a","#),
        feed(
            vec![json(200, &format!("{{\"Documents\":[{}]}}", many.join(",")))],
            &lists,
            "broken: an answer with 100000",
        ),
        feed(vec![json(404, "")], &lists, "not-found"),
        feed(
            vec![
                paged(page, "{\"token\":\"+1\"}"),
                empty.clone(),
                json(200, r#"{"Documents":[{"id":"b"},{"id":"c"}]}"#),
            ],
            &lists,
            r#"ok ["a", "b", "c"]"#,
        ),
        feed(
            vec![paged(r#"{"Documents":[2]}"#, "1"), empty, json(200, r#"{"Documents":[3]}"#)],
            &counts,
            "ok 5",
        ),
        feed(
            vec![paged(r#"{"Documents":[10.0,1e400]}"#, "1"), json(200, r#"{"Documents":[null,{"a":[]}]}"#)],
            &values,
            r#"ok [10.0,1e400,null,{"a":[]}]"#,
        ),
        feed(
            vec![json(200, r#"{"Documents":{}}"#)],
            &values,
            "broken: …without `Documents`, a list of values",
        ),
        // No clause expects that a query is refused: it is one that the server does not know.
        feed(
            vec![json(400, "no\x1b")],
            &[some()],
            r"unsupported: the query: answered 400; it says: no\u{1b}",
        ),
        feed(vec![json(400, "")], &lists[3..], "unsupported: the query"),
        feed(vec![json(400, "")], &values, "unsupported: the query"),
        feed(vec![json(400, "")], &counts[1..], "unsupported: the query"),
        feed(vec![json(400, "")], &lists[..2], "bad-request"),
        feed(
            vec![paged(page, "1"), json(200, "not json")],
            &lists,
            "broken: …without `Documents`, a list of items",
        ),
        feed(vec![paged(page, "1"), json(404, "")], &lists, "not-found"),
        Row(
            vec![paged(page, "again")],
            lists.to_vec(),
            "broken: …its pages do not end; 2 were read".into(),
            2,
        ),
        Row(
            (0..=100).map(|next| paged(page, &next.to_string())).collect(),
            lists.to_vec(),
            "broken: …its pages do not end; 100 were".into(),
            100,
        ),
    ];
    for body in
        ["", "[]", "{}", r#"{"Documents":null}"#, r#"{"Documents":[1]}"#, r#"{"Documents":[{"id":1}]}"#]
    {
        rows.push(feed(vec![json(200, body)], &lists, "broken: …without `Documents`, a list of items"));
    }
    for (body, says) in [
        (r#"{"Documents":[3]}"#, "ok 3"),
        (r#"{"Documents":[1.0,2]}"#, "ok 3"),
        (r#"{"Documents":[0]}"#, "ok 0"),
        ("{}", "broken: …without `Documents`, a list of counts"),
        (r#"{"Documents":[]}"#, "broken: …has no number in it"),
        (r#"{"Documents":["1"]}"#, "broken: …a list of counts"),
        (r#"{"Documents":[-1]}"#, "broken: …a list of counts"),
        (r#"{"Documents":[1.5]}"#, "broken: …a list of counts"),
    ] {
        rows.push(feed(vec![json(200, body)], &counts, says));
    }
    rows
}

/// A batch is committed, aborted at one operation, or not known.
fn batches() -> Vec<Row> {
    let of = |code: u16, body: &str, says: &str| row(json(code, body), &[batch()], says, 1);
    let mut rows = vec![
        of(200, r#"[{"statusCode":201},{"statusCode":200,"resourceBody":{}}]"#, "ok committed created found"),
        // Some servers say 200 though nothing was done.
        of(207, r#"[{"statusCode":424},{"statusCode":404}]"#, "not-found aborted at 1"),
        of(200, r#"[{"statusCode":424},{"statusCode":404}]"#, "not-found aborted at 1"),
        of(400, "no", "bad-request says no"),
        of(404, "{}", "not-found says {}"),
        of(409, "{}", "conflict"),
        of(412, "{}", "precondition-failed"),
        of(413, "{}", "status 413"),
        of(200, "[]", "broken: …without a status for each of 2 operations"),
        of(200, r#"[{"statusCode":201}]"#, "broken: …without a status for each of 2 operations"),
        of(
            207,
            r#"[{"statusCode":424},{"statusCode":424}]"#,
            "broken: …without the operation because of which",
        ),
        of(
            207,
            r#"[{"statusCode":401},{"statusCode":424}]"#,
            "broken: …operation 0 was answered with 401, which is about the key",
        ),
        of(501, "", "unsupported: batch: answered 501"),
        row(
            json(207, r#"[{"statusCode":424},{"statusCode":400}]"#),
            &[batch_with_patch()],
            "bad-request aborted at 1",
            1,
        ),
    ];
    for (code, body) in [
        (201, ITEM),
        (200, "hello"),
        (200, ""),
        (200, r#"[{"statusCode":201},{"statusCode":70000}]"#),
        (204, ""),
        (207, "{}"),
        (405, ""),
        (415, "what\x1b?"),
    ] {
        rows.push(of(
            code,
            body,
            &format!("unsupported: batch: answered {code}, not with a status for each"),
        ));
    }
    for code in [408, 410, 429, 449, 503] {
        let body = format!(r#"[{{"statusCode":{code}}},{{"statusCode":424}}]"#);
        rows.push(of(207, &body, "unknown: …operation 0 found the target too busy or not available"));
    }
    for body in ["unknown variant `Patch`", "", r#"{"code":"BadRequest"}"#] {
        rows.push(row(json(400, body), &[batch_with_patch()], "unsupported: …400", 1));
    }
    // The first error says nothing yet; see `batches_over_time`.
    for body in ["Internal\x1b[2J", &"x".repeat(100_000), r#"[{"statusCode":201},{"statusCode":200}]"#] {
        rows.push(of(500, body, "unknown: …answered a batch with 500"));
    }
    rows
}

/// What says nothing about what was asked: asked again while patience lasts, and never a verdict.
fn excuses() -> Vec<Row> {
    let mut rows = Vec::new();
    for (status, substatus) in
        [(429, ""), (449, ""), (404, "1002"), (404, " 1013 "), (410, ""), (410, "1008")]
    {
        let twice = vec![excuse(status, substatus); 2];
        let then = |reply| [twice.clone(), vec![reply]].concat();
        rows.push(Row(then(json(200, ITEM)), vec![read("a")], "found".into(), 3));
        rows.push(Row(then(json(201, ITEM)), vec![create("a")], "created".into(), 3));
        rows.push(row(excuse(status, substatus), &[reads(), writes()].concat(), "unknown: …still", 0));
    }
    for (status, substatus) in [(408, ""), (503, ""), (503, "20006")] {
        let excuse = excuse(status, substatus);
        rows.push(Row(
            vec![excuse.clone(), excuse.clone(), json(200, ITEM)],
            vec![read("a")],
            "found".into(),
            3,
        ));
        rows.push(row(excuse.clone(), &writes(), "unknown: …the write may have happened", 1));
        rows.push(row(excuse, &reads(), "unknown: …still not available", 0));
    }
    let busy = |status, wait: &str| with(json(status, "{}"), "x-ms-retry-after-ms", wait);
    for (status, wait) in [(429, "5"), (449, "5"), (429, "1.5"), (429, "0")] {
        let replies = [vec![busy(status, wait); 3], vec![json(201, ITEM)]].concat();
        rows.push(Row(replies, vec![create("a")], "created".into(), 4));
    }
    for (status, wait, attempts) in [(429, "0", 10), (449, "1", 10), (429, "150", 2), (429, "3600000", 1)] {
        rows.push(row(busy(status, wait), &[read("a")], "unknown: …still too busy", attempts));
    }
    // A wait that makes no sense is replaced by our own.
    for wait in ["-1", "soon", "99999999999999999999", ""] {
        rows.push(Row(vec![busy(429, wait), json(200, ITEM)], vec![read("a")], "found".into(), 2));
    }
    rows
}

/// What is no answer: never a verdict, a panic or a wait without end.
fn faults() -> Vec<Row> {
    let both = [read("a"), create("a")];
    let broken = |reply, says: &str| row(reply, &both, format!("broken: {says}"), 0);
    let whole = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{ITEM}", ITEM.len());
    let ok = "HTTP/1.1 200 OK\r\n";
    let block = vec![b'x'; 1 << 20];
    let continues = b"HTTP/1.1 100 Continue\r\n\r\n";
    let mut rows = vec![
        broken(Reply::Hang, "…no whole answer within 800ms"),
        row(
            Reply::Hang,
            &[create("a")],
            "broken: …no whole answer within 800ms; the write may have happened",
            1,
        ),
        broken(raw(&whole[..whole.len() - 20]), "…only half an answer"),
        broken(raw(format!("{ok}transfer-encoding: chunked\r\n\r\n5\r\n{{\"id")), "…only half an answer"),
        broken(endless(&format!("{ok}content-length: 9\r\n\r\n{{"), "", 5000), "…no whole answer"),
        // In drops.
        broken(endless("", "x", 50), ""),
        broken(endless(&format!("{ok}x: "), "x", 50), "…no whole answer"),
        broken(endless(&format!("{ok}content-length: 5000\r\n\r\n"), "x", 50), "…no whole answer"),
        broken(endless("", continues.to_vec(), 1), "…no whole answer within 800ms"),
        // Without end.
        broken(endless("", continues.repeat(1000), 0), ""),
        broken(endless(&format!("{ok}x: "), block.clone(), 0), ""),
        broken(endless(ok, b"x: y\r\n".repeat(1000), 0), ""),
        broken(
            endless(&format!("{ok}content-length: 104857600\r\n\r\n"), block.clone(), 0),
            "…more than 4194304 bytes",
        ),
        broken(
            endless("HTTP/1.1 404 -\r\ncontent-length: 104857600\r\n\r\n", block.clone(), 0),
            "…more than 4194304",
        ),
        broken(endless(&format!("{ok}connection: close\r\n\r\n"), block, 0), "…more than 4194304 bytes"),
        broken(json(304, ""), "…a redirect"),
        broken(
            json(401, "{\"message\":\"The input authorization token can't serve the request.\"}"),
            "…401…key",
        ),
        broken(json(403, "no"), "…403…check the key"),
    ];
    for noise in [
        &b"\x00\x01\x02\x03\r\n\r\n"[..],
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/9.9 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nbad header\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    ] {
        rows.push(broken(raw(noise), ""));
    }
    for status in [301, 302, 303, 307, 308] {
        // Nothing listens there, and nobody asks.
        let reply = with(json(status, "{}"), "location", "http://127.0.0.1:9/stolen\u{202e}");
        rows.push(broken(reply, r"…a redirect to …/stolen\u{202e}; none is followed"));
    }
    rows
}

/// What reads is sent once more, and a write never.
fn lost_connections() -> Vec<Row> {
    let mut rows = Vec::new();
    for start in ["", "HTTP/1.1 20", "HTTP/1.1 200 OK\r\na: b\r\n"] {
        rows.push(row(raw(start), &reads(), "broken: …the connection ended before the answer began", 2));
        rows.push(row(raw(start), &writes(), "unknown: …the connection ended before the answer began", 1));
    }
    let half = raw("HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n{\"id\"");
    let lost = [raw(""), raw("HTTP/1.1 20"), half, json(500, "oops"), json(502, "oops"), json(504, "oops")];
    for (reply, request) in
        lost.iter().flat_map(|reply| reads().into_iter().map(move |request| (reply, request)))
    {
        let says = if matches!(request, Request::Item(_)) { "found" } else { "ok" };
        rows.push(Row(vec![reply.clone(), good(&request)], vec![request], says.into(), 2));
    }
    rows
}
