//! The user's settings: a URL, a key, how long to wait.

use std::time::Duration;

use cosmos_ttl_harness::target::{Fault, Target as _};
use cosmos_ttl_targets::http::{AccountKey, HttpConfig, HttpTarget};

fn local() -> HttpConfig {
    HttpConfig::new("http://localhost", None).unwrap()
}

#[test]
fn the_port_is_the_schemes_where_none_is_given() {
    let named = |url| HttpTarget::new(HttpConfig::new(url, None).unwrap()).about().name;
    assert_eq!(named("http://localhost"), "localhost:80");
    assert_eq!(named("http://[::1]:8081/"), "[::1]:8081");
    assert_eq!(named(" HTTP://127.0.0.1:1 "), "127.0.0.1:1");
}

#[test]
fn only_loopback_has_the_emulators_key() {
    for url in ["http://localhost:1", "http://LOCALHOST:1", "http://127.0.0.9:1", "http://[::1]:1"] {
        assert!(HttpConfig::new(url, None).is_ok(), "{url}");
    }
    for url in ["http://localhost.example:1", "http://10.0.0.1:1", "http://127.0.0.1.example:1"] {
        let fault = HttpConfig::new(url, None).unwrap_err();
        assert!(matches!(&fault, Fault::Misuse(said) if said.contains("needs the key")), "{fault}");
        assert!(HttpConfig::new(url, Some(AccountKey::emulator().unwrap())).is_ok(), "{url}");
    }
}

#[test]
fn a_url_that_cannot_be_used_is_refused_without_being_repeated() {
    for url in [
        "",
        "localhost:8081",
        "ftp://localhost",
        "http://me:s3cret@localhost:1",
        "http://localhost:1/dbs/s3cret",
        "http://localhost:1/?key=s3cret",
        "http://localhost:1/#s3cret",
        "http://localhost:65536",
        "http://localhost:",
        "http://:80",
        "AccountEndpoint=https://localhost:8081/;AccountKey=s3cret==;",
        "http://a b",
    ] {
        let fault = HttpConfig::new(url, None).unwrap_err();
        let said = fault.to_string();
        assert!(matches!(fault, Fault::Misuse(_)), "{url}: {said}");
        assert!(said.contains("give http://HOST:PORT") && !said.contains("s3cret"), "{url}: {said}");
    }
}

#[test]
fn https_is_had_with_the_feature_tls() {
    let fault = HttpConfig::new("https://localhost:8081", None).err();
    if cfg!(feature = "tls") {
        assert_eq!(fault, None);
    } else {
        assert!(fault.unwrap().to_string().contains("--features tls"));
    }
}

#[test]
fn no_wait_is_longer_than_a_clock_can_count() {
    let waits = |wait| format!("{:?}", local().with_timeout(wait).with_patience(wait));
    let longest = waits(Duration::MAX);
    assert!(longest.contains("timeout: 86400s, patience: 86400s"), "{longest}");
    let shortest = waits(Duration::ZERO);
    assert!(shortest.contains("timeout: 1ms, patience: 0ns"), "{shortest}");
}

#[test]
fn a_key_is_never_shown() {
    assert_eq!(format!("{:?}", AccountKey::emulator().unwrap()), "Key(not shown)");
    for wrong in ["s3cret!", "", "  ", "czNjcmV0"] {
        if let Err(fault) = AccountKey::parse(wrong) {
            let said = fault.to_string();
            assert!(!said.contains("s3cret") && said.contains("must be base64"), "{said}");
        }
    }
}

#[test]
fn a_key_may_have_space_around_it() {
    assert!(AccountKey::parse(" czNjcmV0LXMzY3JldC1zM2NyZXQ=\n").is_ok());
}
