//! What depends on more than one request: connections, batches that a server never knows, containers, many vectors at once.

use std::sync::{Arc, Mutex};
use std::thread;

use cosmos_ttl_harness::target::{
    Body, Container, Fault, Operation, Patch, PatchOperation, Request, RequestOptions, Target as _,
};
use cosmos_ttl_targets::http::{AccountKey, HttpConfig, HttpTarget};
use cosmos_ttl_testing::mutated::{mutated, run};
use libtest_mimic::Trial;

use super::answers::told;
use super::server::{ITEM, Reply, Server, json, open, patient, with, within};
use super::{container, create, delete, document, read};

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        resets,
        reuse,
        batch_errors,
        patches,
        unmodified,
        settings,
        deletion,
        containers,
        together,
        about,
        no_endpoint,
        mutations
    ]
}

/// A pooled connection that is reset loses no read and repeats no write.
fn resets() {
    for request in [read("a"), Request::Query, Request::List] {
        let reply = if request == read("a") { json(200, ITEM) } else { json(200, r#"{"Documents":[]}"#) };
        let server = Server::items(Reply::ThenReset(Box::new(reply)));
        let target = server.target();
        let mut session = open(&target);
        for _ in 0..5 {
            assert!(session.send(&request).unwrap().status.is_success());
        }
        assert_eq!(server.about_items(), 5);
    }
    for request in [create("a"), delete("a")] {
        let made = Reply::ThenReset(Box::new(json(201, "{}")));
        let server = Server::new(move |seen| (!seen.line.contains("/docs")).then(|| made.clone()));
        let target = server.target();
        assert!(matches!(open(&target).send(&request), Err(Fault::Unknown(_))));
        assert_eq!(server.about_items(), 0, "{request:?}");
    }
}

/// A connection is used again.
fn reuse() {
    let server = Server::new(|_| None);
    let target = server.target();
    let mut session = open(&target);
    for _ in 0..50 {
        session.send(&create("a")).unwrap();
    }
    assert_eq!(server.connections(), 1);
}

/// A server that answers a batch with an error every time does not know it.
/// Each row: the batches that are sent, each in a session of its own, as the server's replies to them and what comes of each.
fn batch_errors() {
    let committed = r#"[{"statusCode":201},{"statusCode":200}]"#;
    let (create, read) = (Operation::Create(document("a", &[])), Operation::Read("a".to_owned()));
    let known = vec![create, read.clone()];
    let delete = |etag: Option<&str>| Operation::Delete("a".to_owned(), etag.map(str::to_owned));
    let unknown = vec![delete(None), read];
    let with_etag = |etag| vec![delete(Some(etag))];
    let rows = [
        vec![
            (500, "", &known, "unknown"),
            (502, "", &known, "unsupported"),
            (504, "", &known, "unsupported"),
        ],
        vec![(500, committed, &known, "unknown"), (500, committed, &known, "unsupported")],
        vec![
            (500, "", &unknown, "unknown"),
            (200, committed, &known, "ok"),
            (500, "", &unknown, "unsupported"),
        ],
        [(500, "", &known, "unknown"), (200, committed, &known, "ok")].repeat(5),
    ];
    for row in rows
        .into_iter()
        .map(|row| row.into_iter().map(|(code, body, of, says)| (code, body, of.clone(), says)).collect())
        .chain([
            // A batch with another etag is the same batch.
            vec![(500, "", with_etag("\"1\""), "unknown"), (500, "", with_etag("\"2\""), "unsupported")],
        ])
    {
        let row: Vec<(u16, &str, Vec<Operation>, &str)> = row;
        let replies: Vec<_> = row.iter().map(|(code, body, ..)| json(*code, body)).collect();
        let server = Server::in_turn(|seen| seen.line.contains("/docs"), replies);
        let target = server.target();
        for (code, _, batch, says) in row {
            let told = told(&open(&target).send(&Request::Batch(batch)));
            assert!(told.starts_with(says), "{code}: {told}");
        }
    }
}

/// A patch is refused by a server that knows its operations, else it is not supported; a server is tried once.
fn patches() {
    let incr = |path: &str, value| PatchOperation::Incr { path: path.into(), value };
    let from = PatchOperation::Move { from: "/ttl".into(), path: "/a/ttl".into() };
    let patch = |operations: &[_]| Patch { operations: operations.to_vec(), ..Patch::of("a") };
    for (operations, tried) in [
        (vec![incr("/ttl", -5)], vec![r#"{"op":"incr","path":"/number","value":1}"#]),
        (vec![incr("/a/ttl", 5)], vec![r#"{"op":"incr","path":"/object/number","value":1}"#]),
        (
            vec![from, incr("/a", 1), incr("/b", 2)],
            vec![
                r#"{"op":"move","from":"/number","path":"/object/moved"}"#,
                r#"{"op":"incr","path":"/number","value":1}"#,
            ],
        ),
    ] {
        for (code, says) in
            [(200, "bad-request says no"), (400, "unsupported"), (405, "unsupported"), (500, "unsupported")]
        {
            let server = Server::new(move |seen| {
                let is_trial = seen.line.contains("/docs/cosmos-ttl-trial");
                let reply = if is_trial { json(code, ITEM) } else { json(400, "no") };
                let is_batch = seen.header("x-ms-cosmos-is-batch-request").is_some();
                let reply = if is_batch { json(207, r#"[{"statusCode":400}]"#) } else { reply };
                (is_batch || seen.line.starts_with("PATCH")).then_some(reply)
            });
            let target = server.target();
            let single = Request::Item(Operation::Patch(patch(&operations), None));
            let batch = Request::Batch(vec![Operation::Patch(patch(&operations), None)]);
            for (request, says) in [(&single, says), (&single, says), (&batch, &says[..11])] {
                let told = told(&open(&target).send(request));
                assert!(told.starts_with(says), "{code}: {told}");
            }
            let trials: Vec<_> = server
                .seen()
                .into_iter()
                .filter(|seen| seen.line.contains("PATCH") && seen.line.contains("trial"))
                .collect();
            let bodies: Vec<_> = trials.iter().map(|seen| seen.body.clone()).collect();
            let tried = if code == 200 { &tried[..] } else { &tried[..1] };
            let expected: Vec<_> = tried.iter().map(|one| format!("{{\"operations\":[{one}]}}")).collect();
            assert_eq!(bodies, expected);
            assert_eq!(server.count("DELETE "), bodies.len(), "each item is deleted again");
        }
    }
    let refused = Server::new(|seen| seen.line.contains("/docs").then(|| json(400, "no")));
    let target = refused.target();
    let told = told(&open(&target).send(&Request::Item(Operation::Patch(patch(&[incr("/ttl", 1)]), None))));
    assert!(told.starts_with("unknown: no item to try a patch on"), "{told}");
}

/// An item that was not modified is an answer only to a request that asks for it.
fn unmodified() {
    let server = Server::items(json(304, ""));
    let target = server.target();
    for (etag, says) in [(Some("\"1\""), "not-modified"), (None, "broken: ")] {
        let if_none_match = etag.map(str::to_owned);
        let options = RequestOptions { if_none_match, ..RequestOptions::default() };
        let told = told(&open(&target).send_with(&read("a"), &options));
        assert!(told.starts_with(says), "{told}");
    }
}

/// A container's settings come with its creation, its replacement and when it is read.
fn settings() {
    let replace = || Request::ReplaceContainer(Container::default());
    for (code, body, says) in [
        (200, r#"{"id":"C","defaultTtl":10.0}"#, "ok defaultTtl 10.0"),
        (200, r#"{"defaultTtl":null}"#, "ok defaultTtl null"),
        (201, "{}", "created defaultTtl absent"),
        (200, "[]", "broken: "),
        (200, "", "broken: "),
        (200, "<html>", "broken: "),
        (404, "", "not-found"),
        (400, "{}", "bad-request says {}"),
        (405, "", "unsupported: "),
        (501, "", "unsupported: "),
    ] {
        for request in [container(), replace(), Request::ReadContainer] {
            let server = Server::new(move |seen| seen.line.contains("/colls").then(|| json(code, body)));
            let target = server.target();
            let told = told(&open(&target).send(&request));
            assert!(told.starts_with(says), "{request:?}: {told}");
        }
    }
}

/// A container that was deleted can be created again, and is deleted again at the end.
fn deletion() {
    let server = Server::new(|_| None);
    let target = server.target();
    let mut session = open(&target);
    for deleted in 1..=2 {
        session.send(&container()).unwrap();
        assert_eq!(told(&session.send(&Request::DeleteContainer)), "no-content");
        assert_eq!(server.count("DELETE "), deleted);
    }
    session.close().unwrap();
    assert_eq!(server.count("DELETE "), 2);
}

/// A container is made once and only where the answer is one.
fn containers() {
    for (reply, made, says) in [
        (json(201, "<html>hello"), true, "broken"),
        (json(400, "no"), false, "bad-request"),
        (Reply::Raw(vec![]), true, "unknown"),
        (with(json(503, ""), "x-ms-retry-after-ms", "1"), true, "unknown"),
    ] {
        let server = Server::new(move |seen| seen.line.ends_with("/colls").then(|| reply.clone()));
        let target = server.target();
        let mut session = open(&target);
        let told = told(&session.send(&container()));
        assert!(told.starts_with(says), "{told}");
        let asked = server.seen().iter().filter(|seen| seen.line.ends_with("/colls")).count();
        assert_eq!(asked, 1, "a container is never made twice");
        session.close().unwrap();
        drop(session);
        assert_eq!(server.count("DELETE "), usize::from(made), "{says}: what may have been made is deleted");
    }
}

/// A hundred vectors at the same time do not mix.
fn together() {
    let server = Server::new(|seen| {
        let item = seen.line.strip_prefix("GET ")?.rsplit('/').next()?.to_owned();
        Some(json(200, &ITEM.replace("\"id\":\"a\"", &format!("\"id\":\"{item}\""))))
    });
    let target = patient(&server);
    let vector = |number: usize| {
        let mut session = open(&target);
        session.send(&container()).unwrap();
        for turn in 0..3 {
            let id = format!("item-{number}-{turn}");
            let Body::Item(item) = session.send(&read(&id)).unwrap().body else { panic!("no item") };
            assert_eq!(item.document.id, id);
        }
        session.close().unwrap();
    };
    thread::scope(|scope| (0..100).for_each(|number| drop(scope.spawn(move || vector(number)))));
    assert_eq!(server.count("DELETE "), 100);
}

/// A target says who it is.
fn about() {
    for (header, value, version) in [
        ("server", "thing/1.0", "thing/1.0"),
        ("x-ms-serviceversion", "version=2.14.0.0", "version=2.14.0.0"),
        ("other", "1", "unknown"),
    ] {
        let server =
            Server::new(move |seen| (seen.line == "POST /dbs").then(|| with(json(201, "{}"), header, value)));
        let about = server.target().about();
        assert_eq!(format!("http://{}", about.name), server.url());
        assert_eq!(about.version, version);
    }
}

/// What is no endpoint breaks the run at once.
fn no_endpoint() {
    let breaks = |config: HttpConfig, says: &str| {
        let target = HttpTarget::new(config);
        within(std::time::Duration::from_secs(15), {
            let says = says.to_owned();
            move || {
                let fault = target.prepare().unwrap_err();
                assert!(matches!(&fault, Fault::Broken(said) if said.contains(&says)), "{fault}");
                assert!(
                    says.is_empty() || target.cleanup().is_ok(),
                    "nothing was made, so nothing is left behind"
                );
            }
        });
    };
    for (reply, says) in [
        (json(200, "<html>hello</html>"), ""),
        (json(404, "nothing here"), "404"),
        (json(500, ""), ""),
        (json(401, "no"), "check the key"),
        (json(403, "no"), "check the key"),
        (Reply::Hang, ""),
    ] {
        let server = Server::new(move |_| Some(reply.clone()));
        breaks(server.hasty(), says);
        assert!(says.is_empty() || server.seen().len() == 1, "nothing is deleted");
    }
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    breaks(HttpConfig::new(&format!("http://{address}"), None).unwrap(), "connection refused");
    let key = Some(AccountKey::emulator().unwrap());
    breaks(HttpConfig::new("http://no-such-host.invalid:1", key).unwrap(), "");
    if cfg!(feature = "tls") {
        let server = Server::new(|_| None);
        breaks(HttpConfig::new(&server.url().replace("http:", "https:"), None).unwrap(), "");
    }
}

/// No mutated answer panics the session.
/// A mutated body, and mutated bytes of a whole answer with its head: an answer or a fault, and no panic.
fn mutations() {
    const HEAD: &str =
        "HTTP/1.1 200 OK\r\nx-ms-continuation: 1\r\nx-ms-retry-after-ms: 1\r\ncontent-length: 2\r\n\r\n{}";
    const CHUNKS: &str = "HTTP/1.1 201 -\r\nlocation: http://127.0.0.1/\r\ntransfer-encoding: chunked\r\n\r\n3\r\n{\"i\r\n0\r\n\r\n";
    let reply = Arc::new(Mutex::new(json(200, "")));
    let answer = Arc::clone(&reply);
    let server = Server::new(move |seen| seen.line.contains("/docs").then(|| answer.lock().unwrap().clone()));
    let target = server.target();
    let ask = |text: &'static str, cases: u32, request: Request| {
        let session = Mutex::new(open(&target));
        run(cases, &mutated(text), |bytes| {
            let is_raw = text.starts_with("HTTP");
            *reply.lock().unwrap() =
                if is_raw { Reply::Raw(bytes.to_vec()) } else { Reply::Answer(200, vec![], bytes.to_vec()) };
            let result = session.lock().unwrap().send(&request);
            assert!(!matches!(result, Err(Fault::Misuse(_))), "{result:?}");
            Ok(())
        });
    };
    let feed = r#"{"_rid":"x","Documents":[{"id":"a"},{"id":"b"}],"_count":2}"#;
    for (text, request) in
        [(ITEM, read("a")), (ITEM, create("a")), (feed, Request::Query), (feed, Request::List)]
    {
        ask(text, 300, request);
    }
    ask(r#"{"_rid":"x","Documents":[1,2],"_count":2}"#, 300, Request::Count);
    let batch = Request::Batch(vec![Operation::Read("a".to_owned())]);
    ask(r#"[{"statusCode":201,"eTag":"x"},{"statusCode":424}]"#, 300, batch);
    for (text, request) in [(HEAD, Request::Query), (HEAD, create("a")), (CHUNKS, create("a"))] {
        ask(text, 30, request);
    }
}
