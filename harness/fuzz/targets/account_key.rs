//! The key and the URL of an account: no error repeats a key, even from the URL.

#![no_main]

use cosmos_ttl_targets::http::{AccountKey, HttpConfig};
use libfuzzer_sys::fuzz_target;

/// A part of each key that occurs in no message.
const SECRET: &str = "c2VjcmV0";

fuzz_target!(|text: &str| {
    let (url, key) = text.split_once('\n').unwrap_or((text, text));
    let key = AccountKey::parse(&format!("{SECRET}{key}")).map_err(|fault| check(&fault.to_string())).ok();
    // A connection string that stands in the place of the URL.
    if let Err(fault) = HttpConfig::new(&format!("{url};AccountKey={SECRET}"), key) {
        check(&fault.to_string());
    }
});

fn check(message: &str) {
    assert!(!message.contains(SECRET), "the message repeats the key: {message}");
}
