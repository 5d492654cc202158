//! A file of vectors.

#![no_main]

use cosmos_ttl_fuzz::{SUITE, check_diagnostic, check_second_reader, source};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let section = text.lines().find_map(|line| line.strip_prefix("section: ")).unwrap_or("lifetime");
    let name = format!("{section}.yaml");
    match SUITE.read_file(&name, text.into()) {
        Ok(_) => check_second_reader(&source(&name, text)),
        Err(flaw) => check_diagnostic(&flaw),
    }
});
