//! Everything that is no answer. None of it may ever be a verdict, a panic or a wait without end.

use std::net::TcpListener;
use std::time::Duration;

use cosmos_ttl_harness::target::{Fault, Request, Response, Status};
use cosmos_ttl_targets::http::{AccountKey, HttpConfig, HttpTarget};

use crate::server::{ITEM, Reply, Server, date, json, open, with, within};
use crate::{container, create, read};

const SOON: Duration = Duration::from_secs(5);

fn whole(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n{headers}\r\n{body}", body.len()).into_bytes()
}

/// Returns the results of a read and of a write with this reply; checks that the next vector is judged as if there were
/// no fault.
fn both(reply: &Reply) -> [Result<Response, Fault>; 2] {
    [read("bad"), create("bad")].map(|request| {
        let reply = reply.clone();
        within(SOON, move || {
            let server = Server::new(move |seen| {
                let bad = seen.line.ends_with("/docs/bad") || seen.body.contains("\"bad\"");
                bad.then(|| reply.clone())
            });
            let target = HttpTarget::connect(server.hasty()).unwrap();
            let mut session = open(&target);
            session.send(&container()).unwrap();
            let response = session.send(&request);
            assert_eq!(open(&target).send(&read("good")).unwrap().status, Status::Found);
            response
        })
    })
}

#[track_caller]
fn breaks(reply: &Reply, says: &str) {
    for (result, writes) in both(reply).into_iter().zip([false, true]) {
        match result {
            Err(Fault::Broken(said)) => {
                assert!(said.contains(says), "{said}");
                if !said.contains("redirect") && says != "key" {
                    assert_eq!(said.contains("the write may have happened"), writes, "{said}");
                }
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_hang_breaks_the_target() {
    breaks(&Reply::Hang, "no whole answer within 800ms");
}

#[test]
fn half_an_answer_breaks_the_target() {
    let whole = whole("200 OK", "", ITEM);
    let half = whole[..whole.len().checked_sub(20).unwrap()].to_vec();
    breaks(&Reply::Raw(half), "half an answer");
    breaks(
        &Reply::Raw(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{\"id".to_vec()),
        "half an answer",
    );
    breaks(
        &Reply::Endless(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{".to_vec(), vec![], SOON),
        "no whole answer",
    );
}

#[test]
fn an_answer_that_never_began_leaves_a_write_unknown() {
    for reply in [
        Reply::Raw(vec![]),
        Reply::Raw(b"HTTP/1.1 20".to_vec()),
        Reply::Raw(b"HTTP/1.1 200 OK\r\na: b\r\n".to_vec()),
    ] {
        let [read, write] = both(&reply);
        assert!(matches!(&read, Err(Fault::Broken(said)) if said.contains("ended before")), "{read:?}");
        assert!(matches!(&write, Err(Fault::Unknown(said)) if said.contains("ended before")), "{write:?}");
    }
}

#[test]
fn what_is_no_http_breaks_the_target() {
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
        for result in both(&Reply::Raw(noise.to_vec())) {
            assert!(matches!(result, Err(Fault::Broken(_))), "{result:?} {}", String::from_utf8_lossy(noise));
        }
    }
}

#[test]
fn too_large_an_answer_is_not_read_to_its_end() {
    let block = vec![b'x'; 1024 * 1024];
    for head in [
        "HTTP/1.1 200 OK\r\ncontent-length: 104857600\r\n\r\n",
        "HTTP/1.1 404 Not Found\r\ncontent-length: 104857600\r\n\r\n",
        "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n",
    ] {
        breaks(&Reply::Endless(head.into(), block.clone(), Duration::ZERO), "more than 4194304 bytes");
    }
}

#[test]
fn headers_gone_mad_break_the_target() {
    let mad = [
        Reply::Endless(b"HTTP/1.1 200 OK\r\nx: ".to_vec(), vec![b'x'; 65536], Duration::ZERO),
        Reply::Endless(b"HTTP/1.1 200 OK\r\n".to_vec(), b"x: y\r\n".repeat(1000), Duration::ZERO),
        Reply::Endless(vec![], b"HTTP/1.1 100 Continue\r\n\r\n".repeat(1000), Duration::ZERO),
    ];
    for reply in mad {
        for result in both(&reply) {
            assert!(matches!(result, Err(Fault::Broken(_))), "{result:?}");
        }
    }
}

#[test]
fn an_answer_in_drops_is_late() {
    let drops = |head: &[u8]| Reply::Endless(head.to_vec(), b"x".to_vec(), Duration::from_millis(50));
    breaks(&drops(b""), "");
    breaks(&drops(b"HTTP/1.1 200 OK\r\nx: "), "no whole answer");
    breaks(&drops(b"HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n"), "no whole answer");
}

#[test]
fn a_body_that_is_no_text_breaks_the_target() {
    let mut body = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{\"id\":\"".to_vec();
    body.extend(b"\xff\xfe\"}");
    for result in both(&Reply::Raw(body)) {
        // A create is answered with 201; this 200 is looked at in the same way.
        assert!(
            matches!(&result, Err(Fault::Broken(said)) if said.contains("without an item")),
            "{result:?}"
        );
    }
}

#[test]
fn a_redirect_is_not_followed() {
    for status in [301, 302, 303, 307, 308] {
        let elsewhere = Server::new(|_| None);
        let reply = with(json(status, "{}"), "location", &format!("{}/stolen\u{202e}", elsewhere.url()));
        breaks(&reply, "redirect");
        breaks(&reply, "/stolen\\u{202e}");
        assert!(elsewhere.seen().is_empty());
    }
    breaks(&json(304, ""), "redirect");
}

#[test]
fn a_wrong_key_breaks_the_target_and_is_never_a_verdict() {
    for status in [401, 403] {
        breaks(
            &json(status, "{\"message\":\"The input authorization token can't serve the request.\"}"),
            "key",
        );
        let server = Server::new(move |_| Some(json(status, "no")));
        let fault = HttpTarget::connect(server.config()).unwrap_err();
        assert!(matches!(&fault, Fault::Broken(said) if said.contains("check the key")), "{fault}");
        assert_eq!(server.seen().len(), 1, "nothing was made, so nothing is deleted");
    }
}

#[test]
fn a_refused_connection_breaks_the_target_even_for_a_write() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let config = HttpConfig::new(&format!("http://{address}"), None).unwrap();
    let target = HttpTarget::new(config);
    let fault = target.prepare().unwrap_err();
    assert!(matches!(&fault, Fault::Broken(said) if said.contains("connection refused")), "{fault}");
    assert_eq!(target.cleanup(), Ok(()), "nothing was made, so nothing is left behind");
}

#[test]
fn an_unknown_host_breaks_the_target() {
    let config =
        HttpConfig::new("http://no-such-host.invalid:1", Some(AccountKey::emulator().unwrap())).unwrap();
    let fault = within(Duration::from_secs(15), || HttpTarget::connect(config).unwrap_err());
    assert!(matches!(fault, Fault::Broken(_)), "{fault}");
}

#[test]
fn what_is_no_cosmos_endpoint_is_noticed_at_once() {
    for reply in [json(200, "<html>hello</html>"), json(404, "nothing here"), json(500, ""), Reply::Hang] {
        let server = Server::new(move |_| Some(reply.clone()));
        let config = server.hasty();
        let fault = within(SOON, || HttpTarget::connect(config).unwrap_err());
        assert!(matches!(fault, Fault::Broken(_)), "{fault}");
    }
}

#[cfg(feature = "tls")]
#[test]
fn https_where_http_is_spoken_breaks_the_target() {
    let server = Server::new(|_| None);
    let config = HttpConfig::new(&server.url().replace("http:", "https:"), None).unwrap();
    let fault = within(SOON, || HttpTarget::connect(config).unwrap_err());
    assert!(matches!(fault, Fault::Broken(_)), "{fault}");
}

#[test]
fn the_key_is_shown_nowhere() {
    let secret = "czNjcmV0LXMzY3JldC1zM2NyZXQ=";
    let server = Server::new(|seen| seen.line.contains("/docs").then(|| json(401, "no")));
    let config =
        HttpConfig::new(&server.url(), Some(AccountKey::parse(secret).unwrap())).unwrap().with_date(date);
    let target = HttpTarget::connect(config.clone()).unwrap();
    let fault = open(&target).send(&read("a")).unwrap_err();
    for shown in [format!("{config:?}"), format!("{target:?}"), format!("{fault:?} {fault}")] {
        assert!(
            !shown.contains("s3cret") && !shown.contains("czNj") && !shown.contains("115, 51, 99"),
            "{shown}"
        );
    }
    for seen in server.seen() {
        assert!(!format!("{seen:?}").contains("czNj"));
    }
}

/// Pseudo-random, the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap().checked_rem(limit).unwrap()
    }
}

#[test]
fn no_bytes_from_the_network_make_it_panic() {
    let bases = [
        whole("200 OK", "x-ms-continuation: 1\r\nx-ms-retry-after-ms: 1\r\n", ITEM),
        whole("200 OK", "", r#"{"Documents":[{"id":"a"},3],"_count":2}"#),
        whole("207 Multi-Status", "", r#"[{"statusCode":424},{"statusCode":409}]"#),
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\n{\"i\r\n6\r\nd\":\"a\"\r\n1\r\n}\r\n0\r\n\r\n".to_vec(),
        b"HTTP/1.1 429 -\r\nx-ms-retry-after-ms: 1\r\ncontent-length: 0\r\n\r\n".to_vec(),
        b"HTTP/1.1 302 -\r\nlocation: http://127.0.0.1/\r\ncontent-length: 0\r\n\r\n".to_vec(),
    ];
    within(Duration::from_secs(60), move || {
        let mut dice = Dice(7);
        let noise = move |base: &[u8]| {
            let mut bytes = base.to_vec();
            for _ in 0..=dice.below(3) {
                let at = dice.below(bytes.len());
                match dice.below(4) {
                    0 => bytes[at] = u8::try_from(dice.below(256)).unwrap(),
                    1 => bytes.truncate(at.max(1)),
                    2 => bytes.insert(at, b"0{}[]\":,\r\n -\xff"[dice.below(13)]),
                    _ => drop(bytes.remove(at)),
                }
                if bytes.is_empty() {
                    bytes.push(b'H');
                }
            }
            bytes
        };
        let state = std::sync::Mutex::new((noise, 0_usize));
        let server = Server::new(move |seen| {
            let mut state = state.lock().unwrap();
            let (noise, turn) = &mut *state;
            *turn = turn.wrapping_add(1);
            seen.line
                .contains("/docs")
                .then(|| Reply::Raw(noise(&bases[turn.checked_rem(bases.len()).unwrap()])))
        });
        let target = server.target();
        let mut session = open(&target);
        for turn in 0..100 {
            for request in [read("a"), create("a"), Request::Query, Request::Count] {
                if let Err(Fault::Misuse(said)) = session.send(&request) {
                    panic!("{turn}: {said}");
                }
            }
        }
    });
}
