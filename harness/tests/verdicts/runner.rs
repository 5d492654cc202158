//! The runner's own tests, as files: those that must not load, vectors that must pass, and vectors that must load and
//! fail, each against a right store and four that are no store at all. The head of each file names the verdict.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::target::{Status, Target};
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_harness::verdict::{Outcome, Verdict};
use cosmos_ttl_mutants::{IndependentStore, named};
use cosmos_ttl_testing::wrong::{AlwaysNo, AlwaysYes, ExpiresAtOnce};
use cosmos_ttl_testing::{GOOD, names_of, run_all, scratch, suite};

const DIRECTORIES: [&str; 3] = ["must-fail", "must-not-load", "must-pass"];

/// A file: its name without the ending, what its head says, and its whole text.
struct Case {
    name: String,
    head: Vec<(String, String)>,
    text: String,
}

fn entries(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verdicts/runner")
}

/// Every file of a directory, in the order of names.
#[track_caller]
fn cases(directory: &str) -> Vec<Case> {
    assert!(DIRECTORIES.contains(&directory));
    let cases: Vec<_> = entries(&here().join(directory)).iter().map(|file| case(directory, file)).collect();
    assert!(10 < cases.len(), "{directory} holds only {} files", cases.len());
    cases
}

#[track_caller]
fn case(directory: &str, file: &str) -> Case {
    let stem = file.strip_suffix(".yaml");
    let name = stem.unwrap_or_else(|| panic!("{directory}/{file}: an unexpected file")).to_owned();
    let text = fs::read_to_string(here().join(directory).join(file)).unwrap();
    let lines = text.lines().map_while(|line| line.strip_prefix("# "));
    let said = lines.map(|line| line.split_once(": ").map(|(key, value)| (key.to_owned(), value.to_owned())));
    let head: Option<Vec<_>> = said.collect();
    Case {
        head: head.unwrap_or_else(|| panic!("{directory}/{file}: a head of lines `# key: value`")),
        name,
        text,
    }
}

#[test]
fn nothing_else_stands_beside_them() {
    assert_eq!(entries(&here()), DIRECTORIES);
}

/// Returns the error about the file, without its directory.
fn complaint(text: &str) -> Result<(), String> {
    let directory = scratch("must-not-load", &[(GOOD[1].0, text.as_bytes())]);
    let file = format!("{}:", directory.join(GOOD[1].0).display());
    Suite::load(&directory).map(drop).map_err(|flaw| flaw.to_string().replacen(&file, "", 1))
}

fn misloaded(case: &Case) -> Option<String> {
    let [(place, words)] = case.head.as_slice() else {
        return Some(format!("{}: one line says where and what", case.name));
    };
    match complaint(&case.text) {
        Ok(()) => Some(format!("{}: it loads", case.name)),
        Err(said) if said == format!("{place}: {words}") => None,
        Err(said) => Some(format!("{}: not `{place}: {words}` but `{said}`", case.name)),
    }
}

#[test]
fn every_file_that_must_not_load_is_refused_at_its_place_and_in_its_words() {
    let cases = cases("must-not-load");
    let wrong: Vec<_> = cases.iter().filter_map(misloaded).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The targets by what the heads call them. Two are right.
fn targets() -> Vec<(&'static str, Box<dyn Target>)> {
    vec![
        ("right", Box::new(Reference::default())),
        ("right", Box::new(IndependentStore::default())),
        ("always yes", Box::new(AlwaysYes)),
        ("always no", Box::new(AlwaysNo(Status::BadRequest))),
        ("never expires", Box::new(named("nothing-expires").unwrap())),
        ("expires at once", Box::new(ExpiresAtOnce)),
    ]
}

/// `pass`, or `fail` and the words.
fn said(verdict: &Verdict) -> String {
    match verdict.reason() {
        Some(reason) => format!("{} {reason}", verdict.outcome().word()),
        None => verdict.outcome().word().into(),
    }
}

/// Returns where a target differs from what the head says.
fn wrong(case: &Case) -> Vec<String> {
    let directory = scratch("runner", &[("lifetime.yaml", case.text.as_bytes())]);
    let suite = Suite::load(&directory).unwrap_or_else(|flaw| panic!("{}: {flaw}", case.name));
    let names: Vec<_> = suite.vectors.iter().map(|vector| vector.name.as_str()).collect();
    assert_eq!(names, [format!("lifetime/{}", case.name)], "one vector a file, called as the file");
    let mut wrong = Vec::new();
    for (name, target) in targets() {
        let run = run_virtual(target.as_ref(), &[&suite.vectors[0]]).unwrap();
        let verdict = said(&run.results[0].verdict);
        let expected: Vec<_> = case.head.iter().filter(|(key, _)| key == name).collect();
        if !matches!(expected[..], [(_, said)] if *said == verdict) {
            wrong.push(format!("{}, {name}: {verdict}", case.name));
        }
    }
    let known: BTreeSet<_> = targets().into_iter().map(|(name, _)| name).collect();
    let strange = case.head.iter().filter(|(key, _)| !known.contains(key.as_str()));
    wrong.extend(strange.map(|(key, _)| format!("{}: there is no target `{key}`", case.name)));
    wrong
}

/// Returns the lines of the heads about this target.
fn heads<'a>(cases: &'a [Case], target: &'a str) -> impl Iterator<Item = &'a str> {
    let heads = cases.iter().flat_map(|case| &case.head);
    heads.filter(move |(key, _)| key == target).map(|(_, verdict)| verdict.as_str())
}

#[track_caller]
fn check(directory: &str, right: fn(&str) -> bool) {
    let cases = cases(directory);
    let wrong: Vec<_> = cases.iter().flat_map(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(heads(&cases, "right").all(right));
}

#[test]
fn vectors_that_must_pass_pass_where_all_is_right() {
    check("must-pass", |verdict| verdict == "pass");
}

#[test]
fn vectors_that_must_fail_load_and_fail_where_all_is_right() {
    check("must-fail", |verdict| verdict.starts_with("fail at second "));
}

#[test]
fn no_vector_that_must_pass_passes_whoever_is_asked() {
    for case in cases("must-pass") {
        let fails = case.head.iter().any(|(_, verdict)| verdict.starts_with("fail "));
        assert!(fails, "{} shows nothing", case.name);
    }
}

#[test]
fn the_runner_does_not_fail_a_target_for_its_name() {
    let cases: Vec<_> = ["must-pass", "must-fail"].into_iter().flat_map(cases).collect();
    for target in ["right", "always yes", "never expires"] {
        assert!(heads(&cases, target).any(|verdict| verdict == "pass"), "{target} passes nothing");
    }
    for (target, _) in targets() {
        assert!(heads(&cases, target).any(|verdict| verdict != "pass"), "{target} fails nothing");
    }
}

/// Each target, with the least number of vectors that it fails.
const FLOORS: [(&str, usize); 4] =
    [("always yes", 338), ("always no", 406), ("never expires", 323), ("expires at once", 408)];

#[test]
fn targets_that_are_no_store_fail_at_least_as_many_vectors_as_ever() {
    let suite = suite();
    let mut passed_by_all: BTreeSet<&str> = suite.vectors.iter().map(|vector| vector.name.as_str()).collect();
    for (target, floor) in FLOORS {
        let target = targets().into_iter().find(|(name, _)| *name == target).unwrap();
        let run = run_all(target.1.as_ref(), suite);
        let failed = names_of(&run, Outcome::Fail).len();
        println!("{}: {failed} of {} fail", target.0, suite.vectors.len());
        assert!(floor <= failed, "{}: {failed} fail, and {floor} did", target.0);
        let passed: BTreeSet<_> = names_of(&run, Outcome::Pass).into_iter().collect();
        passed_by_all.retain(|name| passed.contains(name));
    }
    assert_eq!(passed_by_all, BTreeSet::new(), "passed by everything, so they show nothing");
}
