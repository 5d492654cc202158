//! The requests that are sent once more, and those that never are.

use std::sync::atomic::{AtomicUsize, Ordering};

use cosmos_ttl_harness::target::{Fault, Request, Status};

use crate::excuses::{asked, reads, writes};
use crate::server::{ITEM, Reply, Server, json, open};
use crate::{container, read};

/// Returns a healthy server's reply to this request about items.
fn good(request: &Request) -> Reply {
    match request {
        Request::Item(_) => json(200, ITEM),
        Request::Count => json(200, r#"{"Documents":[0]}"#),
        _ => json(200, r#"{"Documents":[]}"#),
    }
}

/// Has this reply for the first request about items, and a good one for all others.
fn once(reply: Reply, request: &Request) -> Server {
    let (turn, good) = (AtomicUsize::new(0), good(request));
    Server::new(move |seen| {
        let items = seen.line.contains("/docs");
        let first = items && turn.fetch_add(1, Ordering::SeqCst) == 0;
        if first { Some(reply.clone()) } else { items.then(|| good.clone()) }
    })
}

#[test]
fn what_reads_is_sent_once_more_after_a_lost_connection_or_an_error_of_the_server() {
    let half = b"HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n{\"id\"".to_vec();
    let mut replies = vec![Reply::Raw(vec![]), Reply::Raw(b"HTTP/1.1 20".to_vec()), Reply::Raw(half)];
    replies.extend([500, 502, 504].map(|code| json(code, "oops")));
    for reply in replies {
        for request in reads() {
            let server = once(reply.clone(), &request);
            let target = server.target();
            let answer = open(&target).send(&request);
            assert!(answer.as_ref().is_ok_and(|answer| answer.status.is_success()), "{reply:?} {answer:?}");
            assert_eq!(asked(&server), 2, "{reply:?} {request:?}");
        }
    }
}

#[test]
fn a_pooled_connection_that_the_server_resets_loses_no_read() {
    for request in reads() {
        let good = good(&request);
        let server = Server::new(move |seen| {
            seen.line.contains("/docs").then(|| Reply::ThenReset(Box::new(good.clone())))
        });
        let target = server.target();
        let mut session = open(&target);
        for _ in 0..5 {
            assert!(session.send(&request).unwrap().status.is_success());
        }
        assert_eq!(asked(&server), 5);
    }
}

#[test]
fn a_write_is_never_sent_again_after_a_lost_connection() {
    for request in writes() {
        let server = Server::items(Reply::Raw(vec![]));
        let target = server.target();
        let fault = open(&target).send(&request).unwrap_err();
        assert!(matches!(fault, Fault::Unknown(_)), "{fault}");
        assert_eq!(asked(&server), 1, "{request:?}");
        // The same over a connection that was good for one answer.
        let server = Server::new(|seen| {
            (!seen.line.contains("/docs")).then(|| Reply::ThenReset(Box::new(json(201, "{}"))))
        });
        let target = server.target();
        let mut session = open(&target);
        let fault = session.send(&request).unwrap_err();
        assert!(matches!(fault, Fault::Unknown(_)), "{fault}");
        assert_eq!(asked(&server), 0, "{request:?}");
    }
}

#[test]
fn an_error_of_the_server_to_a_write_is_an_answer_at_once() {
    for code in [500, 502, 504] {
        // A batch has a rule of its own: a server that knows none answers with an error, too.
        for request in writes().into_iter().filter(|request| !matches!(request, Request::Batch(_))) {
            let server = Server::items(json(code, "oops"));
            let target = server.target();
            assert_eq!(open(&target).send(&request).unwrap().status, Status::Other(code));
            assert_eq!(asked(&server), 1, "{request:?}");
        }
    }
}

#[test]
fn an_error_of_the_server_that_stays_is_an_answer() {
    for code in [500, 502, 504] {
        let server = Server::items(json(code, "oops"));
        let target = server.target();
        assert_eq!(open(&target).send(&read("a")).unwrap().status, Status::Other(code));
        assert_eq!(asked(&server), 2, "no more than once again");
    }
}

#[test]
fn a_connection_that_always_ends_breaks_the_target_after_the_second_try() {
    let server = Server::items(Reply::Raw(vec![]));
    let target = server.target();
    assert!(matches!(open(&target).send(&read("a")), Err(Fault::Broken(_))));
    assert_eq!(asked(&server), 2);
}

#[test]
fn a_container_is_never_made_twice() {
    let server = Server::new(|seen| seen.line.ends_with("/colls").then(|| Reply::Raw(vec![])));
    let target = server.target();
    assert!(matches!(open(&target).send(&container()), Err(Fault::Unknown(_))));
    assert_eq!(server.seen().iter().filter(|seen| seen.line.ends_with("/colls")).count(), 1);
}
