//! Each text that the harness accepts means the same for a YAML reader of another author, if that accepts it, too.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cosmos_ttl_harness::diagnostic::{Diagnostic, Source};
use cosmos_ttl_harness::yaml;
use cosmos_ttl_testing::mutated::mutated;
use proptest::sample::select;
use proptest::strategy::Strategy as _;
use serde_json::Value;

use crate::mutated::{excerpts, run};

fn yaml_files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|extension| extension == "yaml")).collect()
}

/// Reads a text; returns whether a second reader accepts it, too. Panics if that finds other values.
fn check_text(name: &str, text: &str) -> Result<bool, Diagnostic> {
    let source = Arc::new(Source::new(name, text));
    let first = serde_json::to_value(yaml::parse(&source)?).unwrap();
    let Ok(second) = serde_yaml::from_str::<Value>(text) else { return Ok(false) };
    assert_eq!(first, second, "{name}\n{text}");
    Ok(true)
}

/// Returns how many files were compared.
fn check(directory: &str) -> usize {
    let files = yaml_files(&cosmos_ttl_testing::project().join(directory));
    for path in &files {
        let text = fs::read_to_string(path).unwrap();
        let accepted = check_text(&path.display().to_string(), &text).unwrap_or_else(|flaw| panic!("{flaw}"));
        assert!(accepted, "{}", path.display());
    }
    files.len()
}

#[test]
fn two_readers_find_the_same_values_in_every_file_of_vectors() {
    assert!(check("vectors") > 9);
    assert_eq!(check("harness/implementations/cosmosdb-server"), 1);
}

/// `PROPTEST_CASES=100000 cargo test --test verdicts two_readers` tries more.
#[test]
fn two_readers_find_the_same_values_in_every_mutated_text_that_both_accept() {
    let (tried, accepted) = (Cell::new(0_u32), Cell::new(0_u32));
    let texts = select(excerpts()).prop_flat_map(mutated);
    run(4_000, &texts, |bytes| {
        tried.set(tried.get() + 1);
        let text = String::from_utf8_lossy(bytes);
        accepted.set(accepted.get() + u32::from(check_text("f.yaml", &text)?));
        Ok(())
    });
    println!("{} texts tried, {} accepted", tried.get(), accepted.get());
    assert!(accepted.get() * 10 > tried.get(), "most texts are refused: {} are not", accepted.get());
}
