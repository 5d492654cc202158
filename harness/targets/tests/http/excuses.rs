//! Answers that say nothing about what was asked: asked again while patience lasts, and never a verdict.

use std::sync::atomic::{AtomicUsize, Ordering};

use cosmos_ttl_harness::target::{Fault, Operation, Request, Status};

use crate::server::{Reply, Server, json, open, with};
use crate::{container, create, document, patch, read};

/// An answer that is asked for again at once.
fn excuse(status: u16, substatus: &str) -> Reply {
    let reply = with(json(status, "not now"), "x-ms-retry-after-ms", "1");
    if substatus.is_empty() { reply } else { with(reply, "x-ms-substatus", substatus) }
}

/// Errors after which the server did nothing.
const WITHOUT_EFFECT: [(u16, &str); 6] =
    [(429, ""), (449, ""), (404, "1002"), (404, " 1013 "), (410, ""), (410, "1008")];
const WITH_DOUBT: [(u16, &str); 3] = [(408, ""), (503, ""), (503, "20006")];

pub(crate) fn writes() -> [Request; 6] {
    [
        create("a"),
        Request::Item(Operation::Upsert(document("a", &[]))),
        Request::Item(Operation::Replace(document("a", &[]), None)),
        Request::Item(Operation::Patch(patch("a", &[("ttl", "1")], &[]), None)),
        Request::Item(Operation::Delete("a".to_owned(), None)),
        Request::Batch(vec![Operation::Create(document("a", &[]))]),
    ]
}

pub(crate) fn reads() -> [Request; 4] {
    [read("a"), Request::Query, Request::List, Request::Count]
}

/// A server that has the excuse for the first two requests about items.
fn twice(reply: Reply) -> Server {
    let turn = AtomicUsize::new(0);
    Server::new(move |seen| {
        (seen.line.contains("/docs") && turn.fetch_add(1, Ordering::SeqCst) < 2).then(|| reply.clone())
    })
}

pub(crate) fn asked(server: &Server) -> usize {
    server.seen().iter().filter(|seen| seen.line.contains("/docs")).count()
}

#[test]
fn a_read_is_asked_again() {
    for (status, substatus) in [&WITHOUT_EFFECT[..], &WITH_DOUBT].concat() {
        let server = twice(excuse(status, substatus));
        let target = server.target();
        assert_eq!(open(&target).send(&read("a")).unwrap().status, Status::Found, "{status}/{substatus}");
        assert_eq!(asked(&server), 3, "{status}/{substatus}");
    }
}

#[test]
fn a_write_is_asked_again_where_nothing_was_done() {
    for (status, substatus) in WITHOUT_EFFECT {
        let server = twice(excuse(status, substatus));
        let target = server.target();
        assert_eq!(open(&target).send(&create("a")).unwrap().status, Status::Created, "{status}/{substatus}");
        assert_eq!(asked(&server), 3, "{status}/{substatus}");
    }
}

#[test]
fn a_write_that_may_have_happened_is_not_repeated() {
    for (status, substatus) in WITH_DOUBT {
        for request in writes() {
            let server = Server::items(excuse(status, substatus));
            let target = server.target();
            let fault = open(&target).send(&request).unwrap_err();
            assert!(
                matches!(&fault, Fault::Unknown(said) if said.contains("may have happened")),
                "{status}/{substatus}: {fault}"
            );
            assert_eq!(asked(&server), 1, "{status}/{substatus}: {request:?}");
        }
    }
}

#[test]
fn what_is_never_answered_is_unknown() {
    for (status, substatus) in [&WITHOUT_EFFECT[..], &WITH_DOUBT].concat() {
        let requests = reads().into_iter().chain(writes());
        let server = Server::items(excuse(status, substatus));
        let target = server.target();
        for request in requests {
            let result = open(&target).send(&request);
            assert!(matches!(result, Err(Fault::Unknown(_))), "{status}/{substatus}: {result:?}");
        }
    }
}

#[test]
fn a_container_that_may_have_been_made_is_unknown_and_deleted() {
    let server = Server::new(|seen| seen.line.ends_with("/colls").then(|| excuse(503, "")));
    let target = server.target();
    let mut session = open(&target);
    assert!(matches!(session.send(&container()), Err(Fault::Unknown(_))));
    drop(session);
    assert_eq!(server.count("DELETE "), 1);
}

#[test]
fn a_database_is_deleted_again_after_doubt() {
    let turn = AtomicUsize::new(0);
    let server = Server::new(move |seen| {
        let first = seen.line.starts_with("DELETE ") && turn.fetch_add(1, Ordering::SeqCst) == 0;
        first.then(|| excuse(503, ""))
    });
    server.target().cleanup().unwrap();
    assert_eq!(server.count("DELETE "), 2);
}

#[test]
fn other_substatuses_and_500_stay_answers() {
    for substatus in ["", "0", "1003", "many", "99999999999"] {
        let server = Server::items(excuse(404, substatus));
        let target = server.target();
        assert_eq!(open(&target).send(&read("a")).unwrap().status, Status::NotFound, "{substatus}");
        assert_eq!(asked(&server), 1);
    }
    let server = Server::items(excuse(500, "1002"));
    let target = server.target();
    assert_eq!(open(&target).send(&read("a")).unwrap().status, Status::Other(500));
}
