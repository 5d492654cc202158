//! The README says what is true.

#![allow(clippy::panic, clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod common;

use std::fs;
use std::path::Path;

use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::targets::reference::Reference;
use cosmos_ttl_harness::vector::{Suite, embedded};
use cosmos_ttl_harness::verdict::Verdict;

fn read(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)).unwrap()
}

fn readme() -> String {
    read("README.md")
}

#[test]
fn every_section_stands_with_its_clauses_and_vectors() {
    let readme = readme();
    let suite = embedded().unwrap();
    for section in &suite.catalogue.sections {
        let start = format!("| `{}` |", section.name);
        let row = readme.lines().find(|line| line.starts_with(&start)).unwrap();
        let vectors = suite.vectors.iter().filter(|vector| vector.section == section.name).count();
        let end = format!("| {} | {vectors} |", section.clauses.len());
        assert!(row.ends_with(&end), "`{row}` should end in `{end}`");
    }
}

#[test]
fn the_number_of_vectors_is_theirs() {
    let row = format!("(`harness/tests/oracles.rs`) | {} |", embedded().unwrap().vectors.len());
    assert!(readme().contains(&row), "no `{row}`");
}

/// The first YAML of a page, as a file of vectors that the reference passes.
#[track_caller]
fn check_example(page: &str, head: &str) {
    let page = read(page);
    let (_, example) = page.split_once("```yaml\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let (clauses, vectors) = (read("vectors/clauses.yaml"), format!("{head}{example}"));
    let files = [("clauses.yaml", clauses.as_bytes()), ("lifetime.yaml", vectors.as_bytes())];
    let suite = Suite::load(&common::scratch("readme", &files)).unwrap_or_else(|flaw| panic!("{flaw}"));
    let run = run_virtual(&Reference::default(), &suite.vectors.iter().collect::<Vec<_>>()).unwrap();
    assert_eq!(run.results.len(), 1);
    assert_eq!(run.results[0].verdict, Verdict::Pass);
}

#[test]
fn the_examples_are_vectors_that_pass() {
    check_example("README.md", "format: 1\nsection: lifetime\nvectors:\n");
    check_example("vectors/README.md", "");
}

#[test]
fn every_file_that_it_names_is_there() {
    let readme = readme();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let named = readme.split('`').skip(1).step_by(2).filter(|text| !text.contains(' ') && text.contains('/'));
    let files: Vec<_> = named
        .filter(|text| ["model/", "harness/", "vectors/", ".ci/"].iter().any(|start| text.starts_with(start)))
        .collect();
    assert!(5 < files.len(), "{files:?}");
    for file in files {
        assert!(root.join(file).exists(), "{file}");
    }
}
