//! The vectors of this project, as files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cosmos_ttl_harness::clauses::Observe;
use cosmos_ttl_harness::target::Operation;
use cosmos_ttl_harness::vector::{SCHEMA, Suite, Vector, citations, embedded};
use cosmos_ttl_testing::json_schema::Schema;
use cosmos_ttl_testing::suite;

fn directory() -> PathBuf {
    cosmos_ttl_testing::project().join("vectors")
}

#[test]
fn every_clause_that_a_client_can_see_has_vectors() {
    let suite = suite();
    let cited = citations(&suite.vectors);
    let visible = suite.catalogue.clauses().filter(|clause| clause.observe == Observe::Client);
    let uncited: Vec<_> =
        visible.map(|clause| &clause.id).filter(|id| !cited.contains_key(id.as_str())).collect();
    assert!(uncited.is_empty(), "no vector cites {uncited:?}");
}

#[test]
fn the_vectors_built_in_are_those_of_the_directory() {
    let built_in = embedded().unwrap();
    let read = Suite::load(&directory()).unwrap();
    let quick: Vec<_> = read
        .vectors
        .iter()
        .map(|vector| vector.name.as_str())
        .filter(|name| read.quick.contains(*name))
        .collect();
    let json = read.to_json(&directory(), &quick).unwrap();
    assert!(cosmos_ttl_vectors::JSON == json, "vectors.json is stale; `cargo lab update` writes it");
    assert_eq!(built_in.quick, read.quick);
    assert_eq!(built_in.vectors.len(), read.vectors.len());
    for (one, other) in built_in.vectors.iter().zip(&read.vectors) {
        let place = |vector: &Vector| {
            let lines: Vec<_> = vector.steps.iter().map(|step| step.line).collect();
            let file = vector.source.name.rsplit('/').next().unwrap().to_owned();
            (vector.name.clone(), vector.digest().to_owned(), file, vector.line, lines)
        };
        assert_eq!(place(one), place(other));
    }
}

#[test]
fn vectors_stand_in_the_order_of_the_clauses_sections() {
    let suite = suite();
    let place = |name: &str| suite.catalogue.sections.iter().position(|section| section.name == name);
    let places: Vec<_> = suite.vectors.iter().map(|vector| place(&vector.section)).collect();
    assert!(places.is_sorted(), "{places:?}");
    assert!(places.first() < places.last());
}

#[test]
fn the_margin_is_the_least_distance_to_a_write_and_a_lifetime() {
    for vector in &suite().vectors {
        let mut distances_s = BTreeSet::new();
        for (number, step) in vector.steps.iter().enumerate() {
            let writes = vector.steps[..number]
                .iter()
                .filter(|step| step.request.operations().iter().any(Operation::is_write));
            distances_s.extend(writes.flat_map(|write| {
                vector.lifetimes_s.iter().map(|lifetime_s| (write.at_s + lifetime_s).abs_diff(step.at_s))
            }));
        }
        assert_eq!(vector.margin_s, distances_s.first().copied(), "{}", vector.name);
    }
}

#[test]
fn the_digest_of_all_vectors_changes_with_each_of_them() {
    let whole = suite();
    let mut fewer = whole.clone();
    fewer.vectors.pop();
    assert_eq!(whole.digest().len(), 32);
    assert_eq!(whole.digest(), embedded().unwrap().digest());
    assert_ne!(whole.digest(), fewer.digest());
}

/// Returns what editors say of a file of vectors.
fn schema_refuses(schema: &Schema, path: &Path) -> Option<String> {
    schema.refuses(&serde_yaml::from_str(&fs::read_to_string(path).unwrap()).unwrap())
}

#[test]
fn editors_take_every_file_of_vectors() {
    let schema = Schema::committed(SCHEMA);
    let sections = suite().catalogue.sections.iter().map(|section| format!("{}.yaml", section.name));
    let files: Vec<_> = sections.map(|file| directory().join(file)).filter(|path| path.exists()).collect();
    assert!(files.len() > 9);
    let refused: Vec<_> = files.iter().filter_map(|path| schema_refuses(&schema, path)).collect();
    assert_eq!(refused, [""; 0]);
}

#[test]
fn editors_refuse_what_is_misspelt_or_missing() {
    let schema = Schema::committed(SCHEMA);
    let cases = "answer-as-a-number answer-misspelt answers-two-at-once batch-with-a-query clock-below-zero detail-misspelt \
                 document-unknown expect-missing expect-misspelt file-with-an-unknown-field if-match-on-create indexing-unknown \
                 page-of-nothing read-of-no-item read-with-a-ttl step-unknown step-with-two-keys title-missing \
                 vector-with-an-unknown-field vectors-empty";
    for case in cases.split_whitespace() {
        let path = format!("{}/tests/verdicts/runner/must-not-load/{case}.yaml", env!("CARGO_MANIFEST_DIR"));
        assert!(schema_refuses(&schema, Path::new(&path)).is_some(), "{case}");
    }
}

#[test]
fn every_file_names_its_schema() {
    for vector in &suite().vectors {
        let first = vector.source.text.lines().next();
        assert_eq!(first, Some("# yaml-language-server: $schema=schema.json"), "{}", vector.source.name);
    }
}

#[test]
fn every_file_of_the_directory_is_embedded() {
    let entries = fs::read_dir(directory()).unwrap().map(|entry| entry.unwrap().path());
    let stored: BTreeMap<_, _> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .map(|path| (path.file_name().unwrap().to_owned(), fs::read_to_string(&path).unwrap()))
        .collect();
    let embedded = cosmos_ttl_vectors::FILES.iter().map(|(name, text)| (name.into(), (*text).to_owned()));
    assert!(embedded.collect::<BTreeMap<_, _>>() == stored, "list each file in vectors/lib.rs");
}
