//! A server that repeats what it was sent, or writes what only it and the user know: none of it goes further.

use std::fmt::Debug;

use cosmos_ttl_harness::target::{Request, Target as _};
use cosmos_ttl_targets::http::{AccountKey, HttpConfig, HttpTarget};

use crate::server::{Reply, Seen, Server, date, json, open, with};
use crate::{container, create, read};

/// The key of these tests. Its base64 has every character that one or another encoding escapes.
const KEY: &str = "s3cret+KEY/0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJ+/4fg==";

/// The `authorization` header as a server may repeat it.
type Echo = fn(&str) -> String;

fn percent_decoded(text: &str) -> String {
    text.replace("%3D", "=").replace("%26", "&").replace("%2B", "+").replace("%2F", "/")
}

const ECHOES: [(&str, Echo); 9] = [
    ("as it was sent", str::to_owned),
    ("in lower case", str::to_lowercase),
    ("decoded", percent_decoded),
    ("encoded twice", |sent| sent.replace('%', "%25")),
    ("escaped for JSON", |sent| {
        percent_decoded(sent).replace('/', "\\/").replace('+', "\\u002B").replace('=', "\\u003d")
    }),
    ("escaped for HTML", |sent| {
        percent_decoded(sent).replace('&', "&amp;").replace('+', "&#43;").replace('=', "&#x3D;")
    }),
    ("the signature alone", |sent| percent_decoded(sent).split("sig=").last().unwrap().to_owned()),
    ("its first half", |sent| {
        let signature = percent_decoded(sent).split("sig=").last().unwrap().to_owned();
        signature[..24].to_owned()
    }),
    ("the key", |_| KEY.to_owned()),
];

/// Fails where the text has twelve characters in a row of the signature or of the key.
#[track_caller]
fn check(what: &str, said: &str, server: &Server) {
    let sent = server.seen().into_iter().filter_map(|seen| seen.header("authorization").map(str::to_owned));
    let signatures = sent.map(|sent| percent_decoded(&sent).split("sig=").last().unwrap().to_owned());
    let plain = percent_decoded(&said.replace("%25", "%")).to_lowercase();
    for secret in signatures.chain([KEY.to_owned()]) {
        for part in secret.to_lowercase().as_bytes().windows(12) {
            let part = String::from_utf8_lossy(part);
            assert!(!plain.contains(&*part), "{what}: {part} of {secret} is in {said}");
        }
    }
}

fn config(server: &Server) -> HttpConfig {
    HttpConfig::new(&server.url(), Some(AccountKey::parse(KEY).unwrap())).unwrap().with_date(date)
}

fn shown(outcome: &impl Debug) -> String {
    // `Debug` escapes a backslash and a quote, and nothing of a signature.
    format!("{outcome:?}")
}

#[test]
fn what_a_server_repeats_of_a_signature_or_a_key_is_hidden() {
    for (name, echo) in ECHOES {
        for code in [200, 400, 401, 403, 404, 500] {
            let server = Server::new(move |seen| {
                let echoed = echo(seen.header("authorization").unwrap());
                let item = format!(r#"{{"id":"a","said":"{echoed}","_etag":"{echoed}","_ts":1}}"#);
                let feed = format!(r#"{{"Documents":[{{"id":"{echoed}"}}]}}"#);
                let is_feed = seen.header("x-ms-documentdb-isquery").is_some();
                seen.line.contains("/docs").then(|| json(code, if is_feed { &feed } else { &item }))
            });
            let target = HttpTarget::connect(config(&server)).unwrap();
            let mut session = open(&target);
            for request in [read("a"), create("a"), Request::Query, Request::Count] {
                check(name, &shown(&session.send(&request)), &server);
            }
        }
    }
}

#[test]
fn no_signature_is_hidden_so_that_an_answer_cannot_be_read() {
    let echo = |seen: &Seen| format!(r#"{{"id":"a","x":"{}","y":7}}"#, seen.header("authorization").unwrap());
    let server = Server::new(move |seen| seen.line.contains("/docs").then(|| json(200, &echo(seen))));
    let target = HttpTarget::connect(config(&server)).unwrap();
    let answer = shown(&open(&target).send(&read("a")).unwrap());
    assert!(
        answer.contains("type%3Dmaster%26ver%3D1.0%26sig%3D(hidden)\"") && answer.contains("\"y\": 7"),
        "{answer}"
    );
}

#[test]
fn a_signature_of_another_request_is_hidden_behind_its_name() {
    let other = "type%3dmaster%26ver%3d1.0%26sig%3daGVsbG8gd29ybGQsIHdobyBpcyB0aGVyZT8%3d";
    let server = Server::items(json(404, other));
    let target = HttpTarget::connect(config(&server)).unwrap();
    let answer = shown(&open(&target).send(&read("a")));
    assert!(answer.contains("sig%3d(hidden)") && !answer.contains("aGVsbG8"), "{answer}");
    // A word behind `sig=` is none.
    let server = Server::items(json(404, "sig=none"));
    let target = HttpTarget::connect(config(&server)).unwrap();
    assert!(shown(&open(&target).send(&read("a"))).contains("sig=none"));
}

#[test]
fn headers_and_what_is_no_http_are_no_way_out_either() {
    for (name, echo) in ECHOES {
        let server = Server::new(move |seen| {
            let echoed = echo(seen.header("authorization").unwrap());
            Some(match seen.line.as_str() {
                "POST /dbs" => with(json(201, "{}"), "server", &echoed),
                line if line.ends_with("/colls") => with(json(307, "{}"), "location", &echoed),
                line if line.starts_with("GET") => {
                    Reply::Raw(format!("HTTP/1.1 {echoed}\r\n\r\n").into_bytes())
                }
                _ => json(500, &echoed),
            })
        });
        let target = HttpTarget::connect(config(&server)).unwrap();
        let mut session = open(&target);
        let made = shown(&session.send(&container()));
        let read = shown(&session.send(&read("a")));
        let left = shown(&target.cleanup());
        check(name, &format!("{:?} {made} {read} {left} {target:?}", target.about()), &server);
    }
}
