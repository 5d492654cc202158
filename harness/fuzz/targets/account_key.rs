//! The key and the URL of an account: neither is repeated in an error.

#![no_main]

use cosmos_ttl_http::{AccountKey, HttpConfig};
use libfuzzer_sys::fuzz_target;

/// Shorter texts occur in any message.
const LEAST_SECRET: usize = 24;

fuzz_target!(|text: &str| {
    let (url, key) = text.split_once('\n').unwrap_or((text, text));
    let key = AccountKey::parse(key).map_err(|fault| check(&fault.to_string(), key)).ok();
    if let Err(fault) = HttpConfig::new(url, key) {
        check(&fault.to_string(), url);
    }
});

fn check(message: &str, secret: &str) {
    assert!(secret.len() < LEAST_SECRET || !message.contains(secret), "the message repeats it: {message}");
}
