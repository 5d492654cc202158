//! Exploration as a test of a library user's own.

use std::fs;
use std::process::ExitCode;

use cosmos_ttl_explore::ExploreTest as _;
use cosmos_ttl_harness::cargo_test::{Arguments, CargoTest};
use cosmos_ttl_harness::target::{Fault, Target};
use cosmos_ttl_mutants::{IndependentStore, named};
use cosmos_ttl_testing::wrong::Says;

fn explored<T: Target + Send + 'static>(name: &str, target: T) -> (ExitCode, String) {
    let log = cosmos_ttl_testing::temporary().join(format!("explore-test-{name}.log"));
    let log_text = log.display().to_string();
    let args = ["program", "--logfile", &log_text, "--color", "never", "--exact", "explore/seed-7"];
    let code = CargoTest::new(target).explore(7, 3_000).run(&Arguments::from_iter(args));
    (code, fs::read_to_string(log).unwrap())
}

#[test]
fn a_correct_store_passes() {
    let (code, text) = explored("correct", IndependentStore::default());
    assert_eq!(code, ExitCode::SUCCESS, "{text}");
    assert!(text.contains("1 passed"), "{text}");
}

#[test]
fn a_faulty_store_fails_and_the_message_has_the_shrunk_vector() {
    let (code, text) = explored("faulty", named("one-second-late").unwrap());
    assert_eq!(code, ExitCode::from(101));
    for line in [
        "the target answers what the model never does (seed ",
        "\nas a vector, to be added to vectors/",
        "\n- id: ",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
fn a_store_that_supports_nothing_fails_and_no_verdict_is_given() {
    let nothing = Says { fault: Fault::Unsupported("nothing at all".into()), from: 1 };
    let (code, text) = explored("nothing", nothing);
    assert_eq!(code, ExitCode::from(101), "{text}");
    assert!(text.contains("This is no verdict on time to live."), "{text}");
}
