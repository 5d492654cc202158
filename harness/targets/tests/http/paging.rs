//! Answers in several pages, and targets that are busy.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cosmos_ttl_harness::target::{Fault, Request, Response, Status};

use crate::server::{ITEM, Reply, Server, json, open, with, within};
use crate::{container, create, read};

/// Three pages, the middle one empty, whatever is asked.
fn pages(first: &'static str, last: &'static str) -> Server {
    Server::new(move |seen| {
        if !seen.line.ends_with("/docs") {
            return None;
        }
        Some(match seen.header("x-ms-continuation") {
            None => with(json(200, first), "x-ms-continuation", "{\"token\":\"+1\"}"),
            Some("{\"token\":\"+1\"}") => with(json(200, r#"{"Documents":[]}"#), "x-ms-continuation", "2"),
            Some("2") => json(200, last),
            Some(_) => json(400, "no such page"),
        })
    })
}

#[test]
fn all_pages_are_read() {
    let server = pages(r#"{"Documents":[{"id":"a"}]}"#, r#"{"Documents":[{"id":"b"},{"id":"c"}]}"#);
    let target = server.target();
    for request in [Request::Query, Request::List] {
        let all = Response::ids(vec!["a".into(), "b".into(), "c".into()]);
        assert_eq!(open(&target).send(&request).unwrap(), all);
    }
}

#[test]
fn partial_counts_are_summed() {
    let server = pages(r#"{"Documents":[2]}"#, r#"{"Documents":[3]}"#);
    let target = server.target();
    assert_eq!(open(&target).send(&Request::Count).unwrap(), Response::count(5));
}

#[test]
fn a_refusal_of_a_later_page_is_the_answer() {
    let server = pages(r#"{"Documents":[{"id":"a"}]}"#, "not json");
    let target = server.target();
    assert!(matches!(open(&target).send(&Request::Query), Err(Fault::Broken(_))));
    let server = Server::new(|seen| {
        seen.line.ends_with("/docs").then(|| match seen.header("x-ms-continuation") {
            None => with(json(200, r#"{"Documents":[]}"#), "x-ms-continuation", "1"),
            Some(_) => json(500, "{}"),
        })
    });
    let target = server.target();
    assert_eq!(open(&target).send(&Request::Query).unwrap().status, Status::Other(500));
}

#[test]
fn pages_that_do_not_end_break_the_target() {
    let page = r#"{"Documents":[{"id":"a"}]}"#;
    let same = Server::items(with(json(200, page), "x-ms-continuation", "again"));
    let counter = AtomicUsize::new(0);
    let new = Server::new(move |seen| {
        let next = counter.fetch_add(1, Ordering::SeqCst).to_string();
        seen.line.ends_with("/docs").then(|| with(json(200, page), "x-ms-continuation", &next))
    });
    for (server, most) in [(same, 2), (new, 100)] {
        let target = server.target();
        let fault = open(&target).send(&Request::Query).unwrap_err();
        assert!(matches!(&fault, Fault::Broken(said) if said.contains("do not end")), "{fault}");
        assert_eq!(server.count("POST /dbs/"), most);
    }
}

/// Busy this number of times, then as usual.
fn busy(times: usize, status: u16, wait: &'static str) -> Server {
    let counter = AtomicUsize::new(0);
    Server::new(move |seen| {
        let busy = seen.line.contains("/docs") && counter.fetch_add(1, Ordering::SeqCst) < times;
        busy.then(|| with(json(status, "{}"), "x-ms-retry-after-ms", wait))
    })
}

#[test]
fn a_busy_target_is_asked_again_as_it_says() {
    for (status, wait) in [(429, "5"), (449, "5"), (429, "1.5"), (429, "0")] {
        let server = busy(3, status, wait);
        let target = server.target();
        assert_eq!(open(&target).send(&create("a")).unwrap().status, Status::Created);
        assert_eq!(server.count("POST /dbs/"), 4);
    }
}

#[test]
fn a_target_that_stays_busy_cannot_be_known() {
    for (status, wait, attempts) in [(429, "0", 10), (449, "1", 10), (429, "150", 2), (429, "3600000", 1)] {
        let server = busy(usize::MAX, status, wait);
        let (target, request) = (server.target(), read("a"));
        let fault = within(Duration::from_secs(5), move || open(&target).send(&request).unwrap_err());
        assert!(matches!(&fault, Fault::Unknown(said) if said.contains("too busy")), "{fault}");
        assert_eq!(server.count("GET "), attempts, "{wait}");
    }
}

#[test]
fn a_wait_that_makes_no_sense_is_replaced_by_our_own() {
    for wait in ["-1", "soon", "99999999999999999999", ""] {
        let server = busy(1, 429, wait);
        let target = server.target();
        assert_eq!(open(&target).send(&read("a")).unwrap().status, Status::Found, "{wait}");
    }
}

#[test]
fn a_hundred_vectors_at_the_same_time_do_not_mix() {
    let server = Server::new(|seen| {
        let item = seen.line.strip_prefix("GET ")?.rsplit('/').next()?.to_owned();
        Some(json(200, &ITEM.replace("\"id\":\"a\"", &format!("\"id\":\"{item}\""))))
    });
    let target = crate::server::patient(&server);
    std::thread::scope(|scope| {
        for number in 0..100 {
            let target = &target;
            scope.spawn(move || {
                let mut session = open(target);
                session.send(&container()).unwrap();
                for turn in 0..3 {
                    let id = format!("item-{number}-{turn}");
                    let response = session.send(&read(&id)).unwrap();
                    let cosmos_ttl_harness::target::Body::Item(item) = response.body else {
                        panic!("no item")
                    };
                    assert_eq!(item.document.id, id);
                }
                session.close().unwrap();
            });
        }
    });
    assert_eq!(server.count("DELETE "), 100);
}

#[test]
fn a_reply_with_a_length_of_nothing_is_whole() {
    let server = Server::items(Reply::Raw(b"HTTP/1.1 404 -\r\ncontent-length: 0\r\n\r\n".to_vec()));
    let target = server.target();
    assert_eq!(open(&target).send(&read("a")).unwrap().status, Status::NotFound);
}
