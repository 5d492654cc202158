//! The same tests under a runner that gives each test a process of its own, as nextest does.

use std::fmt::Write as _;
use std::process::ExitCode;

use cosmos_ttl_harness::cargo_test::CargoTest;
use cosmos_ttl_harness::target::{Fault, Target};
use cosmos_ttl_mutants::{IndependentStore, named};
use cosmos_ttl_testing::wrong::{Says, Stopped};

use super::target::my_store;
use super::{known, run, with_list};
use crate::allowed::NoItemsOnWrites;

/// Runs a test program as nextest does: it lists the tests, then those that are ignored, then it starts a process for each
/// other test.
fn transcript<T: Target + Send + 'static>(name: &str, program: impl Fn() -> CargoTest<T>) -> String {
    let ask = |args: &[&str]| run(&format!("alone-{name}"), program().process_per_test(), args);
    let names = |args: &[&str]| {
        let (code, text) = ask(args);
        assert_eq!(code, ExitCode::SUCCESS, "{text}");
        let names = text.lines().filter_map(|line| line.strip_suffix(": test"));
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    let all = names(&["--list", "--format", "terse"]);
    let ignored = names(&["--list", "--format", "terse", "--ignored"]);
    let mut text = String::new();
    for name in all {
        let word = if ignored.contains(&name) {
            "SKIP"
        } else if ask(&["--exact", &name, "--nocapture"]).0 == ExitCode::SUCCESS {
            "PASS"
        } else {
            "FAIL"
        };
        writeln!(text, "{word} {name}").unwrap();
    }
    text
}

fn nothing() -> Says {
    Says { fault: Fault::Unsupported("nothing at all".into()), from: 1 }
}

#[test]
fn a_store_that_supports_nothing_passes_no_test() {
    let text = transcript("nothing", || CargoTest::new(nothing()).only("clock/"));
    assert!(!text.contains("PASS"), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn a_store_without_items_on_writes_fails_no_test() {
    let text = transcript("no-items", || {
        CargoTest::new(NoItemsOnWrites(IndependentStore::default().into())).only("writes/")
    });
    assert!(text.contains("PASS writes/") && !text.contains("FAIL"), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn what_is_listed_as_ignored_fails_where_it_is_run_all_the_same() {
    for ignored in [&["--ignored"][..], &[]] {
        let name = "clock/ts-is-the-clock-in-seconds";
        let all = super::embedded().unwrap();
        let name =
            all.vectors.iter().find(|one| one.name.starts_with("clock/")).map_or(name, |one| &one.name);
        let args = [&["--exact", name][..], ignored].concat();
        let (code, text) = run("alone-forced", CargoTest::new(nothing()).process_per_test(), &args);
        assert_eq!(code, ExitCode::from(super::FAILED), "{text}");
        assert!(text.contains("unsupported: nothing at all"), "{text}");
        assert!(text.contains("cannot be skipped any more"), "{text}");
    }
}

#[test]
fn a_difference_from_a_should_passes_and_fails_under_strict() {
    let program = || CargoTest::new(named("patch-does-not-restart").unwrap()).only("writes/patch-restarts");
    let text = transcript("should", program);
    assert!(text.contains("PASS [should] writes/patch-restarts"), "{text}");
    let text = transcript("strict", || program().strict());
    assert!(text.contains("FAIL [should] writes/patch-restarts"), "{text}");
}

#[test]
fn a_known_failure_is_skipped_and_a_stale_list_fails() {
    let text =
        transcript("known", || with_list(Stopped(IndependentStore::default()), "alone-known", &known(10)));
    assert!(text.contains("SKIP lifetime/own-ttl\n") && text.contains("PASS known/list\n"), "{text}");
    let list = "- {match: 'lifetime/*', failing: 2, reason: it never ends}\n";
    let text = transcript("stale", || with_list(Stopped(IndependentStore::default()), "alone-stale", list));
    assert!(text.contains("FAIL known/list\n"), "{text}");
}

#[test]
fn the_example_has_tests_that_pass_and_tests_that_are_skipped() {
    let text = transcript("example", || CargoTest::new(my_store()).quick().only("writes/"));
    assert!(text.contains("PASS suite/judged") && text.contains("SKIP ") && !text.contains("FAIL"), "{text}");
}
