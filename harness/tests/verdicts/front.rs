//! The front end for `cargo test`: what it names, ignores and refuses, and with which exit code it ends.

mod process_per_test;

#[path = "../../examples/my_store/store.rs"]
#[allow(unreachable_pub, clippy::arithmetic_side_effects, reason = "it is somebody else's")]
mod store;
#[path = "../../examples/my_store/target.rs"]
#[allow(unreachable_pub, clippy::arithmetic_side_effects, reason = "it is somebody else's")]
mod target;

use std::fs;
use std::process::{Command, ExitCode};

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::cargo_test::{Arguments, CargoTest};
use cosmos_ttl_harness::target::{Fault, Part, Target};
use cosmos_ttl_harness::vector::{Vector, embedded};
use cosmos_ttl_mutants::{IndependentStore, named};
use cosmos_ttl_testing::scratch;
use cosmos_ttl_testing::wrong::{BreaksAt, Moment, OnTheWall, Says, Stopped};
use target::my_store;

/// Runs a test program with these arguments; its exit code and what it prints.
fn run<T: Target + Send + 'static>(name: &str, program: CargoTest<T>, args: &[&str]) -> (ExitCode, String) {
    let log = cosmos_ttl_testing::temporary().join(format!("front-{name}.log"));
    let log_text = log.display().to_string();
    let all = ["program", "--logfile", &log_text, "--color", "never"].into_iter().chain(args.iter().copied());
    let code = program.run(&Arguments::from_iter(all));
    (code, fs::read_to_string(log).unwrap_or_default())
}

const FAILED: u8 = 101;
const WRONG_USE: u8 = 2;

#[test]
fn the_example_passes_whatever_it_supports_and_says_what_it_does_not() {
    let (code, text) = run("example", CargoTest::new(my_store()), &[]);
    assert_eq!(code, ExitCode::SUCCESS, "{text}");
    assert!(text.contains("without batch"), "{text}");
    let total = embedded().unwrap().vectors.len();
    assert!(text.contains(&format!("running {total} tests")), "{text}");
    let ignored = text.matches("... ignored").count();
    // It takes no batches and patches, and announces nothing: a vector is ignored for these reasons alone.
    let suite = embedded().unwrap();
    let missing = &Part::optional() | &[Part::Batch, Part::Patch].into();
    let lacks = |vector: &&Vector| !vector.parts().is_disjoint(&missing);
    assert_eq!(ignored, suite.vectors.iter().filter(lacks).count(), "of {total}");
}

#[test]
fn the_example_with_a_clock_that_stands_still_fails() {
    let (code, text) = run("stopped", CargoTest::new(Stopped(my_store())), &[]);
    assert_eq!(code, ExitCode::from(FAILED));
    assert!(text.contains("expected not-found, got found"), "{text}");
    let failed = text.matches("... FAILED").count();
    assert!(embedded().unwrap().vectors.len() < 3 * failed, "{failed} failed");
}

#[test]
fn a_failure_shows_its_storyboard_and_its_clauses() {
    let directory = scratch("storyboard", &[]);
    let program = CargoTest::new(Stopped(IndependentStore::default())).vectors(&directory);
    let (code, text) = run("storyboard", program, &["own-ttl"]);
    assert_eq!(code, ExitCode::from(FAILED));
    let text = text.replace(&directory.display().to_string(), "vectors");
    let (_, story) = text.split_once("---- ").unwrap();
    insta::assert_snapshot!(story.split_once("\n\nfailures:").unwrap().0);
}

#[test]
fn failures_with_one_cause_are_told_once() {
    let (_, text) = run("causes", CargoTest::new(Stopped(IndependentStore::default())), &[]);
    let (_, failures) = text.split_once("\nfailures:\n").unwrap();
    let (told, names) = failures.split_once("\nfailures:\n").unwrap();
    let failed = names.lines().filter(|line| line.starts_with("    ")).count();
    let in_full = told.matches(" ----\nat second ").count();
    let others = told.matches(" ----\nas ").count();
    assert!(in_full < 30 && in_full + others == failed, "{in_full} + {others} of {failed}");
    assert!(told.contains(" more for this cause: "), "{told}");
    let longest = told.lines().map(|line| line.chars().count()).max();
    assert!(longest <= Some(120), "{longest:?}");
    assert!(told.lines().count() < 5 * failed, "{} lines of {failed} failures", told.lines().count());
}

#[test]
fn filters_list_and_exact_names_work_as_everywhere() {
    let suite = embedded().unwrap();
    let first = &suite.vectors[0].name;
    let (code, text) = run("filter", CargoTest::new(my_store()), &["settings/"]);
    assert_eq!(code, ExitCode::SUCCESS);
    assert!(text.contains("settings/deleted-never-returns") && !text.contains("lifetime/"), "{text}");
    let (code, text) = run("exact", CargoTest::new(my_store()), &["--exact", first]);
    assert_eq!(code, ExitCode::SUCCESS);
    assert!(text.contains("running 1 test\n"), "{text}");
    let (code, text) = run("list", CargoTest::new(my_store()), &["--list"]);
    assert_eq!(code, ExitCode::SUCCESS);
    assert!(text.contains(&format!("{first}: test")), "{text}");
    assert_eq!(text.lines().count(), suite.vectors.len());
}

#[test]
fn the_quick_vectors_are_run_where_somebody_asks_for_them() {
    let suite = embedded().unwrap();
    let (code, text) = run("quick", CargoTest::new(my_store()).quick(), &[]);
    assert_eq!(code, ExitCode::SUCCESS, "{text}");
    assert!(text.contains(&format!("running {} tests", suite.quick.len())), "{text}");
    let clock = suite.quick.iter().filter(|name| name.starts_with("clock/")).count();
    let (code, text) = run("quick-clock", CargoTest::new(my_store()).quick().only("clock/"), &[]);
    assert_eq!(code, ExitCode::SUCCESS, "{text}");
    assert!(0 < clock && text.contains(&format!("running {clock} tests")), "{text}");
    let slow = suite.vectors.iter().find(|vector| !suite.quick.contains(&vector.name)).unwrap();
    let (code, _) = run("quick-none", CargoTest::new(my_store()).quick().only(&slow.name), &[]);
    assert_eq!(code, ExitCode::from(WRONG_USE));
    let without = CargoTest::new(my_store()).quick().vectors(scratch("quick-none", &[]));
    assert_eq!(run("quick-nowhere", without, &[]).0, ExitCode::from(WRONG_USE));
}

/// `cargo test NAME` gives the name to every test program of a package, and stops at the first one that fails.
#[test]
fn a_filter_that_selects_nothing_fails_unless_it_may_be_the_name_of_another_test() {
    let other = "the_name_of_another_test";
    let vectors = ["settings/misspelt", "lifetime/own ttl"];
    let clause = "gone-at-deadline";
    let clock = CargoTest::new(my_store()).only("clock/").test("other", |_, _| Err("it was run".into()));
    for args in
        [&[vectors[0]][..], &[vectors[1]], &["--exact", "settings/"], &["--exact", clause], &["--skip", "/"]]
    {
        let (code, text) = run("nothing", CargoTest::new(my_store()), args);
        assert_eq!(code, ExitCode::from(FAILED), "{args:?} {text}");
    }
    let (code, text) = run("nothing", clock, &["item-zero-rejected"]);
    assert_eq!((code, text.contains("running 0 tests")), (ExitCode::from(FAILED), true), "{text}");
    for args in [&[other][..], &["--exact", other], &["--ignored"], &["--bench"], &["--list", other]] {
        let (code, text) = run("nothing", CargoTest::new(my_store()), args);
        assert_eq!(code, ExitCode::SUCCESS, "{args:?} {text}");
    }
    let alone = || CargoTest::new(my_store()).process_per_test();
    assert_eq!(run("nothing", alone(), &["--exact", other]).0, ExitCode::from(FAILED));
    assert_eq!(run("nothing", alone(), &["--list", other]).0, ExitCode::SUCCESS);
}

/// A program with the arguments that the environment gives, in a process that another test starts.
#[test]
#[ignore = "another test starts it"]
fn a_program_that_is_started() {
    let args = std::env::var(ARGUMENTS).unwrap();
    let args: Vec<_> = args.split_whitespace().collect();
    let (code, _) = match args.as_slice() {
        ["quick", args @ ..] => run("started", CargoTest::new(my_store()).quick(), args),
        ["differs", args @ ..] => {
            run("started", CargoTest::new(named("patch-does-not-restart").unwrap()), args)
        }
        args => run("started", CargoTest::new(my_store()), args),
    };
    assert_eq!(code, ExitCode::SUCCESS);
}

const SELECTED: &str = "no failure among the selected vectors; this says nothing about conformance";

const ARGUMENTS: &str = "COSMOS_TTL_TEST_ARGUMENTS";

#[test]
fn the_last_line_says_what_follows() {
    let started = |args: &str| {
        let mut program = Command::new(std::env::current_exe().unwrap());
        program.args(["--exact", "front::a_program_that_is_started", "--ignored", "--nocapture"]);
        let done = program.env(ARGUMENTS, args).output().unwrap();
        let said = String::from_utf8(done.stderr).unwrap();
        (done.status.success(), said.lines().next().unwrap_or_default().to_owned())
    };
    for (args, passes, said) in [
        (
            "another_test",
            true,
            "warning: no vector was run: none has `another_test` in its name or cites a clause `another_test`",
        ),
        ("", true, "conformant without patch, batch"),
        ("quick", true, "no failure in the quick profile without patch, batch"),
        ("lifetime/", true, SELECTED),
        ("quick lifetime/", true, SELECTED),
        (
            "differs writes/patch-restarts",
            true,
            "advice: patch: expected ok with the `_ts` of second 2, got ok with `_ts` -2 s from that: writes/patch-restarts differs",
        ),
        ("--exact another_test", true, "warning: no vector was run: none is called `another_test`"),
        (
            "--exact clock/hidden-from-reads",
            false,
            "error: no vector was run: none is called `clock/hidden-from-reads`; did you mean \
             clock/hidden-from-reads-at-once or clock/hidden-from-queries-at-once? `--list` shows the names",
        ),
    ] {
        assert_eq!(started(args), (passes, said.to_owned()));
    }
}

#[test]
fn the_id_of_a_clause_selects_the_vectors_that_cite_it() {
    let cites = |vector: &&Vector| vector.clauses.iter().any(|clause| clause == "gone-at-deadline");
    let count = embedded().unwrap().vectors.iter().filter(cites).count();
    let (code, text) = run("clause", CargoTest::new(my_store()), &["gone-at-deadline"]);
    assert_eq!(code, ExitCode::SUCCESS, "{text}");
    assert!(0 < count && text.contains(&format!("running {count} tests")), "{text}");
}

#[test]
fn whatever_is_no_verdict_fails_and_says_that_it_is_none() {
    let none = "This is no verdict on time to live.";
    for (fault, from, args, told) in [
        (Fault::Unsupported("nothing at all".into()), 1, &[][..], "ignored (unsupported: nothing at all)"),
        (
            Fault::Unsupported("nothing at all".into()),
            1,
            &["clock/"],
            "ignored (unsupported: nothing at all)",
        ),
        (Fault::Unknown("the reply was lost".into()), 3, &["clock/"], none),
        (Fault::Broken("the line went dead".into()), 3, &["clock/"], none),
        (
            Fault::Misuse("asked in the wrong order".into()),
            1,
            &["clock/"],
            "wrong use: asked in the wrong order",
        ),
    ] {
        let (code, text) = run("no-verdict", CargoTest::new(Says { fault, from }), args);
        assert_eq!(code, ExitCode::from(FAILED), "{text}");
        assert!(text.contains(told) && text.contains(" 0 passed"), "{text}");
    }
}

#[test]
fn a_difference_from_a_should_fails_only_under_strict() {
    let program = || CargoTest::new(named("patch-does-not-restart").unwrap()).only("writes/patch-restarts");
    let (code, text) = run("should", program(), &[]);
    assert_eq!(code, ExitCode::SUCCESS, "{text}");
    assert!(text.contains("[should] writes/patch-restarts ... ok"), "{text}");
    assert_eq!(run("strict", program().strict(), &[]).0, ExitCode::from(FAILED));
}

#[test]
fn what_cannot_be_run_is_wrong_use() {
    let nowhere = CargoTest::new(my_store()).vectors("no/such/directory");
    assert_eq!(run("nowhere", nowhere, &[]).0, ExitCode::from(WRONG_USE));
    assert_eq!(run("prefix", CargoTest::new(my_store()).only("liftime/"), &[]).0, ExitCode::from(WRONG_USE));
}

#[test]
fn a_clock_that_runs_by_itself_is_waited_for() {
    let suite = embedded().unwrap();
    let short = |vector: &&Vector| vector.span_s == 2 && vector.margin_s.is_some();
    let vector = suite.vectors.iter().find(short).unwrap();
    let (code, text) = run("real", CargoTest::new(OnTheWall), &["--exact", &vector.name]);
    assert_eq!(code, ExitCode::SUCCESS, "{text}");
    assert!(text.contains("1 passed"), "{text}");
    let nothing = CargoTest::new(OnTheWall).only(&vector.name).budget_s(1);
    let (code, text) = run("budget", nothing, &[]);
    assert_eq!(code, ExitCode::from(FAILED), "{text}");
    assert!(text.contains("ignored (not applicable: "), "{text}");
}

#[test]
fn a_target_that_panics_fails_its_test_alone() {
    let panics = BreaksAt {
        moment: Moment::Panic,
        fault: Fault::Broken(String::new()),
        inner: IndependentStore::default(),
    };
    let (code, text) = run("panics", CargoTest::new(panics), &["clock/"]);
    assert_eq!(code, ExitCode::from(FAILED));
    assert!(text.contains("broken: at second 0: it panicked: the store fell over"), "{text}");
}

#[test]
fn the_reference_passes_in_parallel_too() {
    let (code, text) = run("parallel", CargoTest::new(Reference::default()), &["--test-threads", "4"]);
    assert_eq!(code, ExitCode::SUCCESS, "{text}");
}

/// Two vectors, the second of which needs no clock, and a list of known failures.
fn with_list<T: Target + Send + 'static>(target: T, name: &str, list: &str) -> CargoTest<T> {
    let second = "\n- id: second\n  title: An item is there\n  clauses: [own]\n  steps:\n  - create-container: {expect: created}\n  \
                  - create: {id: a, expect: created}\n  - at: 1\n  - read: {id: a, expect: found}\n";
    let vectors = cosmos_ttl_testing::GOOD[1].1.to_owned() + second;
    let directory = scratch(name, &[(cosmos_ttl_testing::GOOD[1].0, vectors.as_bytes())]);
    let path = directory.parent().unwrap().join(format!("{name}.known.yaml"));
    fs::write(&path, format!("known:\n{list}")).unwrap();
    CargoTest::new(target).vectors(directory).known(path)
}

const GONE: &str = "at second 10, expected not-found, got found";

fn known(at_s: u64) -> String {
    format!(
        "- {{name: lifetime/own-ttl, reason: it never ends, second: {at_s}, expected: not-found, got: found}}\n"
    )
}

#[test]
fn a_known_failure_is_ignored_while_it_fails_as_the_list_says() {
    let stopped = with_list(Stopped(IndependentStore::default()), "known", &known(10));
    let (code, text) = run("known", stopped, &[]);
    assert_eq!(code, ExitCode::SUCCESS, "{text}");
    assert!(text.contains("lifetime/own-ttl ... ignored (known failure: it never ends)"), "{text}");
    assert!(text.contains("known/list       ... ok"), "{text}");
}

#[test]
fn a_known_failure_that_passes_or_changed_fails() {
    let passes = with_list(IndependentStore::default(), "unexpected", &known(10));
    let (code, text) = run("unexpected", passes, &[]);
    assert_eq!(code, ExitCode::from(FAILED), "{text}");
    let told = format!("listed as a known failure: it never ends\n  {GONE}\nbut now: ");
    assert!(text.contains(&(told + "it passes")), "{text}");
    let changed = with_list(Stopped(IndependentStore::default()), "changed", &known(11));
    let (code, text) = run("changed", changed, &[]);
    assert_eq!(code, ExitCode::from(FAILED), "{text}");
    assert!(text.contains("at second 11, expected not-found, got found\nbut now: at second 10: expected not-found, got found"), "{text}");
}

#[test]
fn a_list_that_is_not_true_as_a_whole_fails_a_test_of_its_own() {
    let list = "- {match: 'lifetime/*', failing: 2, reason: it never ends}\n";
    let stopped = || with_list(Stopped(IndependentStore::default()), "stale", list);
    let (code, text) = run("stale", stopped(), &[]);
    assert_eq!(code, ExitCode::from(FAILED), "{text}");
    assert!(text.contains("known/list       ... FAILED") && text.contains("1 failed"), "{text}");
    assert!(text.contains("lists 2 failing, and now it is 1"), "{text}");
    // Who asks for one vector learns nothing of the others.
    assert_eq!(run("stale", stopped(), &["own-ttl"]).0, ExitCode::SUCCESS);
    let (code, text) = run("stale", stopped(), &["known/list"]);
    assert_eq!(code, ExitCode::SUCCESS);
    assert!(text.contains("ignored (no vector was asked for)"), "{text}");
}

#[test]
fn a_list_that_cannot_be_read_is_wrong_use() {
    let missing = CargoTest::new(my_store()).known("no/such/list.yaml");
    assert_eq!(run("no-list", missing, &[]).0, ExitCode::from(WRONG_USE));
    let bad = with_list(my_store(), "bad-list", "- {name: lifetime/own-ttl, reason: ' '}\n");
    assert_eq!(run("bad-list", bad, &[]).0, ExitCode::from(WRONG_USE));
}
