//! The pages of `explain --format json`, and the names that a shell completes.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

use crate::program::{directory, say, succeeds};

fn explained(word: &str) -> Value {
    serde_json::from_str(&succeeds(&["explain", "--format", "json", word])).unwrap()
}

#[track_caller]
fn check_fields(page: &Value, kind: &str, fields: &[&str]) {
    assert_eq!((&page["format"], &page["kind"]), (&1.into(), &kind.into()), "{page}");
    for field in fields {
        assert!(page.get(field).is_some(), "{field}: {page}");
    }
}

#[test]
fn a_clause_is_explained_to_programs_with_its_findings_places_and_vectors() {
    let page = explained("gone-at-deadline");
    check_fields(&page, "clause", &["id", "level", "evidence", "observe", "sources", "says"]);
    assert_eq!(page["id"], "gone-at-deadline");
    assert!(page["places"][0]["address"].as_str().unwrap().starts_with("https://"), "{page}");
    assert!(page["findings"].is_array() && page["vectors"].as_array().unwrap().len() > 3, "{page}");
}

#[test]
fn a_vector_is_explained_to_programs_with_its_steps() {
    let page = explained("lifetime/off-item-absent");
    check_fields(
        &page,
        "vector",
        &["name", "title", "level", "clauses", "margin-s", "span-s", "file", "line"],
    );
    let listed = succeeds(&["list", "--format", "json", "--steps", "lifetime/off-item-absent"]);
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(page["vector"], listed["files"][0]["vectors"][0], "the whole vector, as it is exported");
}

#[test]
fn a_mutant_and_a_section_are_explained_to_programs() {
    let page = succeeds(&["explain", "--format", "json", "one-second-late", "--vectors", "suite"]);
    let page: Value = serde_json::from_str(&page).unwrap();
    check_fields(&page, "mutant", &["name", "says", "clauses"]);
    let killers = page["killed-by"].as_array().unwrap();
    assert!(killers.contains(&page["shortest"]), "{page}");
    check_fields(&explained("lifetime"), "section", &["name", "clauses", "vectors"]);
}

#[test]
fn the_table_of_lifetimes_has_no_page_for_programs() {
    assert_eq!(say(&["explain", "--format", "json", "matrix", "--vectors", "suite"]).code, 2);
}

/// Returns what bash offers for the last of these words.
fn offered(words: &[&str]) -> Vec<String> {
    static SCRIPT: LazyLock<PathBuf> = LazyLock::new(|| {
        let path = directory("completions").join("script");
        fs::write(&path, succeeds(&["completions", "bash"])).unwrap();
        path
    });
    let script = "source \"$0\"; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($#-1)); \
                  _cosmos__ttl cosmos-ttl \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"; \
                  printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut bash = Command::new("bash");
    let output = bash.args(["-c", script]).arg(&*SCRIPT).arg("cosmos-ttl").args(words).output().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn bash_completes_clauses_vectors_and_mutants() {
    assert_eq!(offered(&["explain", "gone-at-dead"]), ["gone-at-deadline"]);
    assert_eq!(offered(&["explain", "one-second-l"]), ["one-second-late"]);
    assert_eq!(offered(&["run", "lifetime/off-item-abs"]), ["lifetime/off-item-absent"]);
    assert_eq!(offered(&["list", "gone-at-dead"]), ["gone-at-deadline"]);
}
