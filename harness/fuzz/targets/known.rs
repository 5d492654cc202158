//! A list of known failures.

#![no_main]

use cosmos_ttl_fuzz::{SUITE, check_diagnostic, check_second_reader, source};
use cosmos_ttl_harness::known_failures::KnownFailures;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let source = source("known.yaml", text);
    match KnownFailures::parse(&source, &SUITE) {
        Ok(_) => check_second_reader(&source),
        Err(flaw) => check_diagnostic(&flaw),
    }
});
