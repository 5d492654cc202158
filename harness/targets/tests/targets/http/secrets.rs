//! A server that repeats what it was sent, or writes what only it and the user know: none of it goes further.

use std::fmt::Debug;
use std::time::Duration;

use cosmos_ttl_harness::target::{Fault, Request, Target as _};
use cosmos_ttl_targets::http::{AccountKey, HttpConfig, HttpTarget};
use cosmos_ttl_testing::mutated::{mutated, run};

use super::server::{Reply, Seen, Server, date, json, open, with};
use super::{container, create, read};
use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        what_a_server_repeats_of_a_signature_or_a_key_is_hidden,
        no_signature_is_hidden_so_that_an_answer_cannot_be_read,
        a_signature_of_another_request_is_hidden_behind_its_name,
        headers_and_what_is_no_http_are_no_way_out_either,
        a_url_names_an_endpoint_or_is_refused_in_words,
        no_wait_is_longer_than_a_clock_can_count,
        a_key_is_never_shown,
        no_mutated_key_or_url_panics_or_is_repeated,
    ]
}

/// The key of these tests. Its base64 has every character that one or another encoding escapes.
const KEY: &str = "s3cret+KEY/0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJ+/4fg==";

/// The `authorization` header as a server may repeat it.
type Echo = fn(&str) -> String;

fn percent_decoded(text: &str) -> String {
    text.replace("%3D", "=").replace("%26", "&").replace("%2B", "+").replace("%2F", "/")
}

const ECHOES: [(&str, Echo); 15] = [
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
    ("in JSON in a string of JSON", |sent| {
        percent_decoded(sent).replace('/', "\\\\\\/").replace('+', "\\\\u002b").replace('=', "\\\\u003D")
    }),
    ("JSON in percent signs", |sent| percent_decoded(sent).replace('+', "%5Cu002B").replace('=', "%5cu003d")),
    ("HTML twice", |sent| percent_decoded(sent).replace('+', "&amp;plus;").replace('=', "&amp;#61;")),
    ("encoded three times", |sent| sent.replace('%', "%2525")),
    ("for URLs", |sent| percent_decoded(sent).replace('+', "-").replace('/', "_")),
    ("its second half", |sent| percent_decoded(sent).split("sig=").last().unwrap()[20..].to_owned()),
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

/// Each row: a URL without a key, and the name of its endpoint or what is said of it. No URL is repeated.
fn a_url_names_an_endpoint_or_is_refused_in_words() {
    let form = "give http://HOST:PORT";
    for (url, says) in [
        ("http://localhost", "localhost:80"),
        (" HTTP://127.0.0.1:1 ", "127.0.0.1:1"),
        ("http://[::1]:8081/", "[::1]:8081"),
        ("http://LOCALHOST:1", "LOCALHOST:1"),
        ("http://127.0.0.9:1", "127.0.0.9:1"),
        ("https://localhost:8081", if cfg!(feature = "tls") { "localhost:8081" } else { "--features tls" }),
        // Only loopback has the key of every emulator.
        ("http://localhost.example:1", "needs the key"),
        ("http://10.0.0.1:1", "needs the key"),
        ("http://127.0.0.1.example:1", "needs the key"),
        ("", form),
        ("localhost:8081", form),
        ("ftp://localhost", form),
        ("http://me:s3cret@localhost:1", form),
        ("http://localhost:1/dbs/s3cret", form),
        ("http://localhost:1/?key=s3cret", form),
        ("http://localhost:1/#s3cret", form),
        ("http://localhost:65536", form),
        ("http://localhost:", form),
        ("http://:80", form),
        ("AccountEndpoint=https://localhost:8081/;AccountKey=s3cret==;", form),
        ("http://a b", form),
        ("http://account;AccountKey=s3cret:80", form),
    ] {
        let said = match HttpConfig::new(url, None) {
            Ok(config) => HttpTarget::new(config).about().name,
            Err(Fault::Misuse(why)) => why,
            Err(fault) => panic!("{url}: {fault}"),
        };
        assert!(said.contains(says) && !said.contains("s3cret"), "{url}: {said}");
    }
}

fn no_wait_is_longer_than_a_clock_can_count() {
    let local = HttpConfig::new("http://localhost", None).unwrap();
    let waits = |wait| format!("{:?}", local.clone().with_timeout(wait).with_patience(wait));
    let longest = waits(Duration::MAX);
    assert!(longest.contains("timeout: 86400s, patience: 86400s"), "{longest}");
    let shortest = waits(Duration::ZERO);
    assert!(shortest.contains("timeout: 1ms, patience: 0ns"), "{shortest}");
}

fn a_key_is_never_shown() {
    assert_eq!(format!("{:?}", AccountKey::emulator().unwrap()), "Key(not shown)");
    assert!(AccountKey::parse(" czNjcmV0LXMzY3JldC1zM2NyZXQ=\n").is_ok());
    for wrong in ["s3cret!", "", "  ", "czNjcmV0"] {
        if let Err(fault) = AccountKey::parse(wrong) {
            let said = fault.to_string();
            assert!(!said.contains("s3cret") && said.contains("must be base64"), "{said}");
        }
    }
}

fn no_mutated_key_or_url_panics_or_is_repeated() {
    // Shorter texts may occur in any message.
    let repeats = |fault: &Fault, secret: &str| 24 <= secret.len() && fault.to_string().contains(secret);
    for text in [
        "http://localhost:8081\nC2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPM",
        "https://account.documents.azure.com:443/\nYWJj",
        "AccountEndpoint=https://a.documents.azure.com:443/;AccountKey=C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM==;",
    ] {
        run(2_000, &mutated(text), |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let (url, key) = text.split_once('\n').unwrap_or((&text, &text));
            let parsed = AccountKey::parse(key);
            assert!(!parsed.as_ref().is_err_and(|fault| repeats(fault, key)), "{parsed:?}");
            let config = HttpConfig::new(url, parsed.ok());
            assert!(!config.as_ref().is_err_and(|fault| repeats(fault, url)), "{config:?}");
            Ok(())
        });
    }
}
