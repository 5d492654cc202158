//! The README and its pages say what is true.

use std::fs;

use cosmos_ttl_harness::vector::{Suite, embedded, embedded_with_derived};
use cosmos_ttl_harness::verdict::Verdict;
use cosmos_ttl_reference::Reference;

fn read(name: &str) -> String {
    fs::read_to_string(cosmos_ttl_testing::project().join(name)).unwrap()
}

/// The README and the pages that it refers to for details.
fn readme() -> String {
    ["README.md", "harness/USAGE.md", "harness/TRUST.md"].map(read).concat()
}

#[test]
fn the_readme_has_at_most_150_lines() {
    let lines = read("README.md").lines().count();
    assert!(lines <= 150, "{lines}");
}

#[test]
fn every_section_has_a_row_with_its_clauses_and_vectors() {
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
    let suite = embedded_with_derived().unwrap();
    let (derived, written): (Vec<_>, Vec<_>) =
        suite.vectors.iter().partition(|vector| vector.name.contains("/derived-"));
    let (derived, written) = (derived.len(), written.len());
    let row =
        format!("(`harness/mutants/tests/mutants/oracles.rs`) | {written} by hand, {derived} derived |");
    assert!(readme().contains(&row), "no `{row}`");
    let first = format!("all {written} written by hand and all {derived} derived ones");
    assert!(readme().contains(&first), "no `{first}`");
}

/// What stands in a file between these words; the file is written by a command and held against it by a test.
#[track_caller]
fn counted(file: &str, before: &str, after: &str) -> String {
    let text = read(file);
    let line = text.lines().rev().find(|line| line.starts_with(before) && line.contains(after));
    let line = line.unwrap_or_else(|| panic!("{file}: no line `{before}…{after}`"));
    let found = &line[before.len()..];
    if after.is_empty() { found.into() } else { found.split(after).next().unwrap().into() }
}

#[test]
fn the_first_screen_says_what_the_tests_count() {
    let matrix = "harness/lab/tests/lab/snapshots/lab__mutants__the_kill_matrix.snap";
    let witness = "harness/lab/tests/lab/snapshots/lab__ablation__every_clause_has_a_witness.snap";
    let explore = "harness/explore/tests/explore/snapshots/explore__mutants__\
                   exploration_finds_all_mutants_but_these_and_accuses_nobody.snap";
    let stated = |key: &str| counted("vectors/derived/certificate.yaml", &format!("  {key}: "), "");
    let killed = counted(matrix, "", " mutants killed");
    let found = counted(explore, "", " mutants found within 10,000 requests");
    let said = [
        format!("| {killed} single-fault mutants are killed"),
        format!("| {} clauses are needed", counted(witness, "", " clauses have a witness")),
        format!("{} of {} states", stated("states-covered"), stated("states")),
        format!("{} of {} transitions", stated("transitions-covered"), stated("transitions")),
        format!("{} of {} crossings", stated("crossings-covered"), stated("crossings")),
        format!("find {} mutants within 10,000", found.replace(" of ", " of the ")),
        format!(
            "replays {} vectors",
            counted("vectors/quick.yaml", "# ", " vectors").replace(" of ", " of the ")
        ),
    ];
    for said in said {
        assert!(readme().contains(&said), "no `{said}`");
    }
}

/// The first YAML of a page, as a file of vectors that the reference passes.
#[track_caller]
fn check_example(page: &str, head: &str) {
    let page = read(page);
    let (_, example) = page.split_once("```yaml\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let [clauses, evidence] = ["clauses", "evidence"].map(|name| read(&format!("vectors/{name}.yaml")));
    let files = [
        ("clauses.yaml", clauses),
        ("evidence.yaml", evidence),
        ("lifetime.yaml", format!("{head}{example}")),
    ];
    let files: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    let suite =
        Suite::load(&cosmos_ttl_testing::scratch("readme", &files)).unwrap_or_else(|flaw| panic!("{flaw}"));
    let run = cosmos_ttl_testing::run_all(&Reference::default(), &suite);
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
    let root = cosmos_ttl_testing::project();
    let named = readme.split('`').skip(1).step_by(2).filter(|text| !text.contains(' ') && text.contains('/'));
    let files: Vec<_> = named
        .filter(|text| ["model/", "harness/", "vectors/", ".ci/"].iter().any(|start| text.starts_with(start)))
        .collect();
    assert!(5 < files.len(), "{files:?}");
    for file in files {
        assert!(root.join(file).exists(), "{file}");
    }
}
