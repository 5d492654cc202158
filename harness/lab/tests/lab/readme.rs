//! The README and its pages say what is true.

use std::fs;

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_harness::verdict::Verdict;

fn read(name: &str) -> String {
    fs::read_to_string(cosmos_ttl_testing::project().join(name)).unwrap()
}

/// The README and the pages that it refers to for details.
fn readme() -> String {
    ["README.md", "harness/USAGE.md", "harness/TRUST.md"].map(read).concat()
}

#[test]
fn the_example_of_the_format_is_a_vector_that_passes() {
    let page = read("vectors/README.md");
    let (_, example) = page.split_once("```yaml\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let [clauses, evidence] = ["clauses", "evidence"].map(|name| read(&format!("vectors/{name}.yaml")));
    let files = [("clauses.yaml", &*clauses), ("evidence.yaml", &evidence), ("lifetime.yaml", example)];
    let files = files.map(|(name, text)| (name, text.as_bytes()));
    let suite =
        Suite::load(&cosmos_ttl_testing::scratch("readme", &files)).unwrap_or_else(|flaw| panic!("{flaw}"));
    let run = cosmos_ttl_testing::run_all(&Reference::default(), &suite);
    assert_eq!(run.results.len(), 1);
    assert_eq!(run.results[0].verdict, Verdict::Pass);
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
