//! Nothing that a server answers, and no key or URL, makes the target panic.

use std::sync::{Arc, Mutex};

use cosmos_ttl_harness::target::{Fault, Request};
use cosmos_ttl_targets::http::{AccountKey, HttpConfig};
use cosmos_ttl_testing::mutated::{TestCaseError, mutated, run};

use crate::server::{ITEM, Reply, Server, open};
use crate::{container, create, read};

/// Shorter texts may occur in any message.
const LEAST_SECRET: usize = 24;

fn check_secret(fault: &Fault, secret: &str) -> Result<(), TestCaseError> {
    let message = fault.to_string();
    if secret.len() >= LEAST_SECRET && message.contains(secret) {
        return Err(TestCaseError::fail(format!("it repeats its text: {message}")));
    }
    Ok(())
}

#[test]
fn no_mutated_key_or_url_panics_or_is_repeated() {
    for text in [
        "http://localhost:8081\nC2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPM",
        "https://account.documents.azure.com:443/\nYWJj",
        "AccountEndpoint=https://a.documents.azure.com:443/;AccountKey=C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM==;",
    ] {
        run(2_000, &mutated(text), |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let (url, key) = text.split_once('\n').unwrap_or((&text, &text));
            let key = match AccountKey::parse(key) {
                Ok(key) => Some(key),
                Err(fault) => {
                    check_secret(&fault, key)?;
                    None
                }
            };
            HttpConfig::new(url, key).map(drop).or_else(|fault| check_secret(&fault, url))
        });
    }
}

#[test]
fn a_key_behind_the_host_is_not_repeated() {
    let fault = HttpConfig::new("http://account;AccountKey=c2VjcmV0:80", None).unwrap_err();
    assert!(!fault.to_string().contains("c2VjcmV0"), "{fault}");
}

#[test]
fn no_mutated_answer_panics_the_session() {
    let body = Arc::new(Mutex::new(Vec::new()));
    let answer = Arc::clone(&body);
    let server = Server::new(move |seen| {
        let is_item = seen.line.contains("/docs");
        is_item.then(|| Reply::Answer(200, Vec::new(), answer.lock().unwrap().clone()))
    });
    let target = server.target();
    let ask = |text: &'static str, request: Request| {
        let session = Mutex::new(open(&target));
        session.lock().unwrap().send(&container()).unwrap();
        run(300, &mutated(text), |bytes| {
            *body.lock().unwrap() = bytes.to_vec();
            // An answer or a fault, and no panic.
            let _ = session.lock().unwrap().send(&request);
            Ok(())
        });
    };
    ask(ITEM, read("a"));
    ask(ITEM, create("a"));
    ask(r#"{"_rid":"x","Documents":[{"id":"a"},{"id":"b"}],"_count":2}"#, Request::Query);
    ask(r#"{"_rid":"x","Documents":[{"id":"a"},{"id":"b"}],"_count":2}"#, Request::List);
    ask(r#"{"_rid":"x","Documents":[1,2],"_count":2}"#, Request::Count);
    let Request::Item(operation) = create("a") else { panic!("a create is about an item") };
    ask(r#"[{"statusCode":201,"eTag":"x"},{"statusCode":424}]"#, Request::Batch(vec![operation]));
}
