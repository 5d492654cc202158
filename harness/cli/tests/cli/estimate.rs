//! The estimate of a run before it sends anything, and the runs that need `--yes`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_testing::endpoint::{Answer, Asked, Endpoint};
use serde_json::Value;

use crate::program::{directory, say, succeeds};

/// A host that nothing can reach, and that is not on loopback.
const REMOTE: &str = "http://account.invalid:443";

fn endpoint() -> (Endpoint, Arc<AtomicU64>) {
    let asked = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&asked);
    let count = move |_: &Asked| -> Option<Answer> {
        counter.fetch_add(1, Ordering::Relaxed);
        None
    };
    (Endpoint::new(Reference::default(), Duration::ZERO, count), asked)
}

fn estimate(words: &[&str]) -> Value {
    let text = succeeds(&[&["run", "--dry-run", "--format", "json"], words].concat());
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_dry_run_ends_well_without_a_connection() {
    let (endpoint, asked) = endpoint();
    let local = succeeds(&["run", "--dry-run", &endpoint.url(), "--vectors", "suite"]);
    assert_eq!(asked.load(Ordering::Relaxed), 0, "{local}");
    assert!(local.contains("cost           none, as the endpoint is on loopback"), "{local}");
    let remote = succeeds(&["run", "--dry-run", REMOTE, "--throughput", "400"]);
    for said in [
        "dry run: nothing was sent",
        "10 of them used again",
        "request units  about",
        "list prices",
        "0.03 USD = 400 RU/s of the database / 100 x 1 h x 0.008 USD",
    ] {
        assert!(remote.contains(said), "{said}: {remote}");
    }
}

#[test]
fn an_estimate_follows_from_the_vectors_the_budget_and_the_pool() {
    let all = estimate(&[REMOTE]);
    let number = |estimate: &Value, name: &str| estimate[name].as_u64().unwrap();
    let short = estimate(&[REMOTE, "--budget", "3"]);
    assert!(number(&short, "vectors") < number(&all, "vectors"));
    assert_eq!(
        number(&short, "vectors") + number(&short, "left-out"),
        number(&all, "vectors") + number(&all, "left-out")
    );
    let alone = estimate(&[REMOTE, "--containers", "0"]);
    assert_eq!(number(&alone, "containers"), number(&alone, "vectors") + 1);
    // Vectors that share their settings share a container.
    assert!(6 * number(&all, "containers") < number(&all, "vectors"), "{all}");
    assert_eq!(number(&all, "reused"), 10);
    assert!(number(&alone, "seconds") < number(&all, "seconds"));
}

#[test]
fn an_estimate_is_close_to_what_a_run_asks() {
    let (endpoint, asked) = endpoint();
    let words = [&endpoint.url(), "lifetime", "--budget", "9"];
    let expected = estimate(&words)["requests"].as_u64().unwrap();
    let run = say(&[&["run"], &words[..]].concat());
    assert!(run.out.contains("lifetime"), "{}", run.err);
    let asked = asked.load(Ordering::Relaxed);
    assert!(expected / 2 <= asked && asked <= expected * 2, "{asked} requests, {expected} expected");
}

#[test]
fn a_run_that_may_cost_much_asks_for_yes_and_changes_nothing_without_it() {
    let reports = directory("estimate-reports").join("report");
    let report = reports.display().to_string();
    let words = ["run", REMOTE, "settings", "--containers", "0", "--report", &report];
    let said = say(&words);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    assert!(said.err.contains("this run creates") && said.err.contains("`--yes`"), "{}", said.err);
    let report = std::fs::read_to_string(reports.join("report.json")).unwrap();
    assert!(report.contains("were not run") && report.contains("this run creates"), "{report}");
    // What is looked at next is the key: the run was allowed.
    let key = ["--key", "not base64"];
    for words in [&["run", REMOTE, "--containers", "0", "--yes"][..], &["run", REMOTE, "--vectors", "suite"]]
    {
        let said = say(&[words, &key].concat());
        assert!(said.err.contains("the key is not base64"), "{}", said.err);
    }
    let known = say(&["known", "update", "known.yaml", "--containers", "0", "--reason", "r", REMOTE]);
    assert!(known.err.contains("--yes") || known.err.contains("CI"), "{}", known.err);
}
