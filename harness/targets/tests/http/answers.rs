//! The meaning of answers.

use cosmos_ttl_harness::target::{Body, Fault, Operation, Request, Response, Status, Target as _};

use crate::server::{ITEM, Reply, Server, json, open, with};
use crate::{container, create, document, literal, read};

fn answer(status: u16, body: &str, request: &Request) -> Result<Response, Fault> {
    let server = Server::items(json(status, body));
    let target = server.target();
    open(&target).send(request)
}

fn delete() -> Request {
    Request::Item(Operation::Delete("a".to_owned(), None))
}

fn replace() -> Request {
    Request::Item(Operation::Replace(document("a", &[]), None))
}

#[test]
fn an_item_comes_back_exactly_and_without_what_the_server_added() {
    let response = answer(200, ITEM, &read("a")).unwrap();
    let Body::Item(item) = response.body else { panic!("{:?}", response.body) };
    assert_eq!(response.status, Status::Found);
    assert_eq!(
        item.document,
        document("a", &[("ttl", "10.0"), ("value", "1"), ("more", "{\"x\": [1e400]}")])
    );
    assert_eq!((item.ts, item.etag.as_deref()), (Some(1_767_225_600), Some("\"e1\"")));
}

#[test]
fn an_item_may_come_without_ts_and_etag() {
    for body in [r#"{"id":"a"}"#, r#"{"id":"a","_ts":null,"_etag":null}"#] {
        let Body::Item(item) = answer(200, body, &read("a")).unwrap().body else { panic!("no item") };
        assert_eq!((item.ts, item.etag), (None, None));
    }
}

#[test]
fn a_status_is_a_word() {
    for (code, request, status) in [
        (200, read("a"), Status::Found),
        (200, replace(), Status::Ok),
        (201, create("a"), Status::Created),
        (204, delete(), Status::NoContent),
        (200, delete(), Status::Ok),
        (400, create("a"), Status::BadRequest),
        (404, read("a"), Status::NotFound),
        (409, create("a"), Status::Conflict),
        (412, replace(), Status::PreconditionFailed),
        (202, create("a"), Status::Other(202)),
        (413, create("a"), Status::Other(413)),
        (500, read("a"), Status::Other(500)),
        (500, create("a"), Status::Other(500)),
    ] {
        let body = if code == 204 { "" } else { ITEM };
        assert_eq!(answer(code, body, &request).unwrap().status, status, "{code}");
    }
}

#[test]
fn a_refusal_is_judged_by_its_status_alone_and_quoted_without_its_tricks() {
    let response = answer(404, "<html>\x1b[2Jgone\n", &read("a")).unwrap();
    assert_eq!(response.status, Status::NotFound);
    assert_eq!(response.detail.as_deref(), Some("<html>\\u{1b}[2Jgone"));
    let response = answer(400, &"x".repeat(100_000), &create("a")).unwrap();
    assert!(response.detail.unwrap().len() <= 400);
    assert_eq!(answer(404, "", &read("a")).unwrap(), Response::new(Status::NotFound));
}

/// Returns the quotation from a refusal with this body.
fn quoted(body: &[u8]) -> String {
    let server = Server::items(Reply::Answer(404, Vec::new(), body.to_vec()));
    let target = server.target();
    open(&target).send(&read("a")).unwrap().detail.unwrap()
}

#[test]
fn what_a_terminal_would_obey_is_escaped() {
    assert_eq!(quoted(b"a\x1b[31mb\nc"), "a\\u{1b}[31mb\\nc");
    assert_eq!(quoted("a\u{202e}b".as_bytes()), "a\\u{202e}b");
    assert_eq!(quoted("a\u{200b}\u{ad}\u{e0041}b".as_bytes()), "a\\u{200b}\\u{ad}\\u{e0041}b");
    assert_eq!(quoted(b"\xff{"), "\u{fffd}{");
}

#[test]
fn an_excerpt_is_short() {
    assert_eq!(quoted("\u{10348}".repeat(100_000).as_bytes()).chars().count(), 303);
    assert_eq!(quoted("x".repeat(300).as_bytes()).len(), 300);
}

#[test]
fn a_method_that_is_not_there_is_not_supported() {
    for code in [405, 501] {
        let patch = Request::Item(Operation::Patch(crate::patch("a", &[("ttl", "1")], &[]), None));
        assert!(matches!(answer(code, "", &patch), Err(Fault::Unsupported(_))), "{code}");
    }
}

#[test]
fn a_success_must_carry_what_it_is_about() {
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
        for request in [read("a"), create("a"), replace()] {
            let code = if matches!(request, Request::Item(Operation::Create(_))) { 201 } else { 200 };
            let fault = answer(code, body, &request).unwrap_err();
            assert!(
                matches!(&fault, Fault::Broken(said) if said.contains("without an item")),
                "{body}: {fault}"
            );
        }
    }
    for body in
        ["", "[]", "{}", r#"{"Documents":null}"#, r#"{"Documents":[1]}"#, r#"{"Documents":[{"id":1}]}"#]
    {
        for request in [Request::Query, Request::List] {
            assert!(matches!(answer(200, body, &request), Err(Fault::Broken(_))), "{body}");
        }
    }
    for body in [
        "{}",
        r#"{"Documents":[]}"#,
        r#"{"Documents":["1"]}"#,
        r#"{"Documents":[-1]}"#,
        r#"{"Documents":[1.5]}"#,
    ] {
        assert!(matches!(answer(200, body, &Request::Count), Err(Fault::Broken(_))), "{body}");
    }
}

#[test]
fn a_container_is_made_only_where_the_answer_is_one() {
    let server = Server::new(|seen| seen.line.ends_with("/colls").then(|| json(201, "<html>hello")));
    let target = server.target();
    assert!(matches!(open(&target).send(&container()), Err(Fault::Broken(_))));
    let server = Server::new(|seen| seen.line.ends_with("/colls").then(|| json(400, "no")));
    let target = server.target();
    assert_eq!(open(&target).send(&container()).unwrap().status, Status::BadRequest);
}

#[test]
fn feeds_and_counts_are_read() {
    let items = r#"{"Documents":[{"id":"b","ttl":1e400},{"id":"a"}],"_count":2}"#;
    for request in [Request::Query, Request::List] {
        assert_eq!(answer(200, items, &request).unwrap(), Response::ids(vec!["b".into(), "a".into()]));
        assert_eq!(answer(404, "", &request).unwrap().status, Status::NotFound);
    }
    for (body, count) in
        [(r#"{"Documents":[3]}"#, 3), (r#"{"Documents":[1.0,2]}"#, 3), (r#"{"Documents":[0]}"#, 0)]
    {
        assert_eq!(answer(200, body, &Request::Count).unwrap(), Response::count(count));
    }
}

fn batch() -> Request {
    Request::Batch(vec![Operation::Create(document("a", &[])), Operation::Read("a".to_owned())])
}

#[test]
fn a_batch_is_committed_or_aborted_at_one_operation() {
    let committed =
        answer(200, r#"[{"statusCode":201},{"statusCode":200,"resourceBody":{}}]"#, &batch()).unwrap();
    assert_eq!(committed.status, Status::Ok);
    assert_eq!(committed.body, Body::Committed(vec![Status::Created, Status::Found]));
    // Some servers say 200 though nothing was done.
    for code in [207, 200] {
        let aborted = answer(code, r#"[{"statusCode":424},{"statusCode":404}]"#, &batch()).unwrap();
        assert_eq!((aborted.status, aborted.body), (Status::NotFound, Body::Aborted { at: 1 }));
    }
    let refused = answer(400, "no", &batch()).unwrap();
    assert_eq!((refused.status, refused.body), (Status::BadRequest, Body::Nothing));
}

#[test]
fn a_batch_that_was_not_answered_as_one_is_no_verdict() {
    for (code, body) in [
        (201, ITEM),
        (200, "hello"),
        (200, ""),
        (200, r#"[{"statusCode":201},{"statusCode":70000}]"#),
        (204, ""),
        (207, "{}"),
        (405, ""),
        (415, "what?"),
        (501, ""),
    ] {
        let Err(Fault::Unsupported(said)) = answer(code, body, &batch()) else { panic!("{code} {body}") };
        assert!(said.starts_with("batch: ") && said.contains(&code.to_string()), "{said}");
        assert!(said.len() < 600 && !said.contains('\x1b'), "{said}");
    }
    for (code, body) in [
        (200, "[]"),
        (207, r#"[{"statusCode":424},{"statusCode":424}]"#),
        (207, r#"[{"statusCode":401},{"statusCode":424}]"#),
        (200, r#"[{"statusCode":201}]"#),
    ] {
        assert!(matches!(answer(code, body, &batch()), Err(Fault::Broken(_))), "{code} {body}");
    }
    for (code, status) in [
        (400, Status::BadRequest),
        (404, Status::NotFound),
        (409, Status::Conflict),
        (412, Status::PreconditionFailed),
        (413, Status::Other(413)),
    ] {
        assert_eq!(answer(code, "{}", &batch()).unwrap().status, status);
    }
    for code in [408, 410, 429, 449, 503] {
        let body = format!(r#"[{{"statusCode":{code}}},{{"statusCode":424}}]"#);
        assert!(matches!(answer(207, &body, &batch()), Err(Fault::Unknown(_))), "{code}");
    }
}

#[test]
fn a_server_that_answers_a_batch_with_an_error_every_time_does_not_know_it() {
    let long = "x".repeat(100_000);
    let committed = r#"[{"statusCode":201},{"statusCode":200}]"#;
    for (code, body) in [(500, "Internal\x1b[2J"), (500, &long), (500, committed), (502, ""), (504, "")] {
        let server = Server::items(json(code, body));
        let target = server.target();
        let Err(Fault::Unknown(said)) = open(&target).send(&batch()) else { panic!("{code} {body}") };
        assert!(said.contains(&code.to_string()) && said.len() < 600 && !said.contains('\x1b'), "{said}");
        for _ in 0..2 {
            let Err(Fault::Unsupported(said)) = open(&target).send(&batch()) else { panic!("{code} {body}") };
            assert!(said.starts_with("batch: ") && said.contains(&code.to_string()), "{said}");
            assert!(said.len() < 600 && !said.contains('\x1b'), "{said}");
        }
    }
}

#[test]
fn a_server_may_know_one_batch_and_not_another() {
    let server = Server::new(|seen| {
        let known = json(200, r#"[{"statusCode":201},{"statusCode":200}]"#);
        let reply = if seen.body.contains("Delete") { json(500, "") } else { known };
        seen.line.contains("/docs").then_some(reply)
    });
    let target = server.target();
    let unknown =
        || Request::Batch(vec![Operation::Delete("a".to_owned(), None), Operation::Read("a".to_owned())]);
    assert!(matches!(open(&target).send(&unknown()), Err(Fault::Unknown(_))));
    assert_eq!(open(&target).send(&batch()).unwrap().status, Status::Ok);
    assert!(matches!(open(&target).send(&unknown()), Err(Fault::Unsupported(_))));
}

#[test]
fn a_batch_with_another_etag_is_the_same_batch() {
    let server = Server::items(json(500, ""));
    let target = server.target();
    let conditional =
        |etag: &str| Request::Batch(vec![Operation::Delete("a".to_owned(), Some(etag.to_owned()))]);
    assert!(matches!(open(&target).send(&conditional("\"1\"")), Err(Fault::Unknown(_))));
    assert!(matches!(open(&target).send(&conditional("\"2\"")), Err(Fault::Unsupported(_))));
}

#[test]
fn a_server_that_knows_batches_knows_them_after_an_error() {
    let turn = std::sync::atomic::AtomicUsize::new(0);
    let server = Server::new(move |seen| {
        let items = usize::from(seen.line.contains("/docs"));
        let even = turn.fetch_add(items, std::sync::atomic::Ordering::SeqCst).is_multiple_of(2);
        let reply =
            if even { json(500, "") } else { json(200, r#"[{"statusCode":201},{"statusCode":200}]"#) };
        seen.line.contains("/docs").then_some(reply)
    });
    let target = server.target();
    for _ in 0..10 {
        assert!(matches!(open(&target).send(&batch()), Err(Fault::Unknown(_))));
        assert_eq!(open(&target).send(&batch()).unwrap().status, Status::Ok);
    }
}

#[test]
fn a_whole_batch_with_a_patch_is_not_refused_but_not_supported() {
    let patch = || Operation::Patch(crate::patch("a", &[("ttl", "1")], &[]), None);
    let with_patch = || Request::Batch(vec![Operation::Create(document("a", &[])), patch()]);
    for body in ["unknown variant `Patch`", "", r#"{"code":"BadRequest"}"#] {
        let fault = answer(400, body, &with_patch()).unwrap_err();
        assert!(matches!(&fault, Fault::Unsupported(said) if said.contains("400")), "{fault}");
        assert_eq!(answer(400, body, &batch()).unwrap().status, Status::BadRequest);
    }
    let aborted = answer(207, r#"[{"statusCode":424},{"statusCode":400}]"#, &with_patch()).unwrap();
    assert_eq!((aborted.status, aborted.body), (Status::BadRequest, Body::Aborted { at: 1 }));
}

#[test]
fn a_target_says_who_it_is() {
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

#[test]
fn numbers_survive_the_way_back() {
    let Body::Item(item) =
        answer(200, r#"{"id":"a","ttl":-0,"x":18446744073709551616}"#, &read("a")).unwrap().body
    else {
        panic!("no item");
    };
    assert_eq!(item.document.ttl(), Some(&literal("-0")));
    assert_eq!(item.document.properties["x"].as_str(), "18446744073709551616");
}

#[test]
fn an_answer_of_some_megabytes_is_read() {
    let id = "a".repeat(10_000);
    let many = vec![format!(r#"{{"id":"{id}"}}"#); 300].join(",");
    let response = answer(200, &format!("{{\"Documents\":[{many}]}}"), &Request::Query).unwrap();
    assert_eq!(response, Response::ids(vec![id; 300]));
}
