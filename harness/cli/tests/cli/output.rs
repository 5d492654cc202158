//! What a run says: first things last, and the rules as a store answered them.

use std::fs;

use crate::program::{check, directory, program, says};

#[test]
fn only_what_is_broken_is_listed_unless_everything_is_asked_for() {
    check(
        "
        0 | run | clauses | pass | were not judged (--all-clauses lists them) | !gone-at-deadline | nothing is known
        0 | run --all-clauses | gone-at-deadline | !lists them | total
        1 | run mutant:expired-id-is-taken | expired-id-is-free must | !hidden-immediately must | share failures with others
        1 | run mutant:expired-id-is-taken | 1 cause: an expired item blocks a create | (expired-id-is-free) | breaks 1 clause seen at the service
        1 | run mutant:nothing-expires --fail-fast | 1 fail | !not run: | !let the run finish
        ",
    );
}

#[test]
fn a_run_ends_with_its_failures_its_counts_and_its_conclusion() {
    let said = program().args(["run", "mutant:one-second-late"]).output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    let place = |text: &str| said.find(text).unwrap_or_else(|| panic!("no {text}: {said}"));
    let order = ["other clauses:", "Choices of", "\nerror: ", " vectors = ", "\nnonconformant: ", "\nnext: "];
    assert!(order.iter().map(|text| place(text)).is_sorted(), "{said}");
    assert!(said.contains("note: a: written at 0 s, default 2 s: expired since 2 s"), "{said}");
    assert_eq!(said.matches("\nerror: ").count(), 1, "one cause");
}

/// The rules as this store answered, and the page of its run.
fn rules_of(target: &str) -> (String, String) {
    let path = directory(&format!("rules-{}", target.replace(':', "-")));
    let [rules, report] = ["rules.md", "report"].map(|name| path.join(name));
    let words = ["run", target, "--rules", rules.to_str().unwrap(), "--report", report.to_str().unwrap()];
    program().args(words).output().unwrap();
    (fs::read_to_string(rules).unwrap(), fs::read_to_string(report.join("index.html")).unwrap())
}

#[test]
fn the_rules_of_the_reference_are_those_of_the_model_and_another_stores_are_marked() {
    let spec = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../model/SPEC.md")).unwrap();
    let (rules, page) = rules_of("reference");
    let matrix: Vec<_> = spec.lines().filter(|line| line.starts_with('|')).take(5).collect();
    assert!(rules.contains(&matrix.join("\n")), "{rules}");
    assert!(!rules.contains("| ✗") && page.contains("The rules, as this store answered"), "{rules}");

    let (rules, page) = rules_of("mutant:nothing-expires");
    assert!(page.len() < 1_000_000, "{}", page.len());
    for row in [
        "| absent (off) | forever | forever | forever |",
        "| n | n s ✗ `at 3 s, read a: found` | forever | m s ✗ `at 2 s, query: [a, plain, witness]` |",
        // The vectors go on to show that nothing was stored, and fail there.
        "| 0 | 400 | 400 |",
        "| read | not found ✗ `at 2 s, read a: found` |",
        "| replace | restarts ? `at 3 s, query: [a, b, c, witness], by another mistake` |",
    ] {
        assert!(rules.lines().any(|line| line == row), "{row} is not in {rules}");
    }
    check("2 | run lifetime --rules no/such/directory/rules.md | cannot be written");
}

#[test]
fn the_readme_shows_what_the_program_prints() {
    let readme = fs::read_to_string(cosmos_ttl_testing::project().join("README.md")).unwrap();
    let shown = readme.split("```console\n$ cosmos-ttl ").nth(1).unwrap().split("```").next().unwrap();
    let (command, output) = shown.split_once('\n').unwrap();
    let said = says(&directory("readme"), command);
    let mut lines = said.out.lines();
    for line in output.lines().filter(|line| line.trim() != "…") {
        assert!(lines.any(|said| said == line), "`{line}` is not what is said:\n{}", said.out);
    }
}
