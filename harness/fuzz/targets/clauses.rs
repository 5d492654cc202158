//! `clauses.yaml`.

#![no_main]

use cosmos_ttl_fuzz::{check_diagnostic, check_second_reader, source};
use cosmos_ttl_harness::clauses::Catalogue;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let source = source("clauses.yaml", text);
    match Catalogue::read(&source) {
        Ok(_) => check_second_reader(&source),
        Err(flaw) => check_diagnostic(&flaw),
    }
});
