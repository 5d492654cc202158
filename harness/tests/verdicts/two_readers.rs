//! A second YAML reader, of another author, finds the same values in the project's files as the harness does.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cosmos_ttl_harness::diagnostic::Source;
use cosmos_ttl_harness::yaml;
use serde_json::Value;

fn yaml_files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    // The harness does not read the certificate, and would refuse a digest without quotes.
    let read = |path: &PathBuf| !path.ends_with("certificate.yaml");
    entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .filter(read)
        .collect()
}

/// Returns how many files were compared.
fn check(directory: &str) -> usize {
    let files = yaml_files(&cosmos_ttl_testing::project().join(directory));
    for path in &files {
        let text = fs::read_to_string(path).unwrap();
        let second: Value =
            serde_yaml::from_str(&text).unwrap_or_else(|err| panic!("{}: {err}", path.display()));
        let source = Arc::new(Source { name: path.display().to_string(), text });
        let first = yaml::parse(&source).and_then(|tree| yaml::shape::<Value>(&source, &tree, ""));
        let first = first.unwrap_or_else(|flaw| panic!("{flaw}"));
        assert_eq!(first, second, "{}", path.display());
    }
    files.len()
}

#[test]
fn two_readers_find_the_same_values_in_every_file_of_vectors() {
    assert!(check("vectors") > 9);
    assert!(check("vectors/derived") > 4);
    assert_eq!(check(".ci/cosmosdb-server"), 1);
}
