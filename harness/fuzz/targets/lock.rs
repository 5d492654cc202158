//! `vectors.lock`, which is written as it was read.

#![no_main]

use cosmos_ttl_fuzz::{SUITE, check_diagnostic, source};
use cosmos_ttl_harness::vector::Lock;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match Lock::parse(&source("vectors.lock", text)) {
        Ok(lock) => {
            let again = Lock::parse(&source("vectors.lock", &lock.render()));
            assert_eq!(again.as_ref(), Ok(&lock));
            lock.drift(&SUITE.vectors);
        }
        Err(flaw) => check_diagnostic(&flaw),
    }
});
