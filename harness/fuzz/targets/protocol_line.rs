//! A line of a process, in both directions.

#![no_main]

use cosmos_ttl_targets::process::protocol::{LineContent, Message, Reply, parse};
use libfuzzer_sys::fuzz_target;

fn check<T: LineContent>(line: &str, strict: bool) {
    if let Err(error) = parse::<T>(line, strict) {
        assert!(!error.why.is_empty() && !error.why.contains('\n'), "{error:?}");
    }
}

fuzz_target!(|line: &str| {
    for strict in [false, true] {
        check::<Message>(line, strict);
        check::<Reply>(line, strict);
    }
});
