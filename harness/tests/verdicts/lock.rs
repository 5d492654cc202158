//! The lock: what is no lock, and every way in which vectors can drift from it.

use std::sync::Arc;

use cosmos_ttl_harness::diagnostic::Source;
use cosmos_ttl_harness::vector::{Drift, Lock, Suite, Vector};
use cosmos_ttl_testing::{GOOD, scratch};

fn parse(text: &str) -> Result<Lock, String> {
    let source = Arc::new(Source::new("vectors.lock", text));
    Lock::parse(&source).map_err(|flaw| flaw.to_string())
}

#[track_caller]
fn check_refused(text: &str, words: &str) {
    assert_eq!(parse(text).unwrap_err(), words);
}

const DIGEST: &str = "0123456789abcdef0123456789abcdef";

#[test]
fn a_line_that_is_no_entry_is_refused_at_its_place() {
    let help = "(`NAME DIGEST` or `NAME retired WHY`)";
    check_refused("lifetime/a\n", &format!("vectors.lock:1:1: not an entry {help}"));
    check_refused("# fine\n\nlifetime/a 0123\n", &format!("vectors.lock:3:1: not an entry {help}"));
    check_refused("lifetime/a retired\n", &format!("vectors.lock:1:1: not an entry {help}"));
    check_refused(
        &format!("lifetime/a {DIGEST}\nlifetime/a retired twice over\n"),
        "vectors.lock:2:1: `lifetime/a` stands here twice",
    );
}

/// The good vector with a part of its text replaced.
fn vectors(name: &str, from: &str, to: &str) -> Vec<Vector> {
    let text = GOOD[1].1.replace(from, to);
    Suite::load(&scratch(&format!("lock-{name}"), &[("lifetime.yaml", text.as_bytes())])).unwrap().vectors
}

fn published() -> Lock {
    let mut lock = Lock::default();
    for vector in &vectors("published", "", "") {
        lock.publish(vector);
    }
    lock
}

#[test]
fn a_lock_reads_as_it_was_written() {
    let mut lock = published();
    lock.retire("lifetime/old", "said the same\nas another");
    let text = lock.render();
    assert!(text.contains("\nlifetime/old retired said the same as another\n"), "{text}");
    assert_eq!(parse(&text), Ok(lock));
}

#[test]
fn only_a_change_of_meaning_is_drift() {
    let drift = |name, from, to| published().drift(&vectors(name, from, to));
    let name = || vec![String::from("lifetime/own-ttl")];
    assert_eq!(drift("same", "", ""), Drift::default());
    assert_eq!(drift("title", "An item's own ttl wins", "It wins"), Drift::default());
    assert_eq!(drift("layout", "{id: a, ttl: 10, expect", "{ttl: 10,   id: a, expect"), Drift::default());
    assert_eq!(drift("number", "ttl: 10,", "ttl: 10.0,"), Drift { changed: name(), ..Drift::default() });
    assert_eq!(drift("edition", "  steps:", "  edition: \"2024\"\n  steps:").changed, name());
    let renamed = drift("renamed", "id: own-ttl", "id: own");
    assert_eq!(renamed, Drift { new: vec!["lifetime/own".into()], gone: name(), ..Drift::default() });
    let mut lock = published();
    lock.retire("lifetime/own-ttl", "wrong");
    assert_eq!(lock.drift(&vectors("reused", "", "")), Drift { reused: name(), ..Drift::default() });
    assert_eq!(lock.drift(&[]), Drift::default(), "what is retired is not missed");
}

#[test]
fn a_quick_look_names_only_vectors_that_there_are() {
    let second = GOOD[1].1.split("vectors:\n").nth(1).unwrap().replace("id: own-ttl", "id: second");
    let two = format!("{}{second}", GOOD[1].1);
    let quick = |name: &str| {
        let quick = format!("format: 1\nvectors:\n- lifetime/second\n- {name}\n");
        Suite::load(&scratch("quick", &[("lifetime.yaml", two.as_bytes()), ("quick.yaml", quick.as_bytes())]))
            .map(|suite| suite.quick.into_iter().collect::<Vec<_>>())
            .map_err(|flaw| flaw.to_string())
    };
    assert_eq!(quick("lifetime/own-ttl").unwrap(), ["lifetime/own-ttl", "lifetime/second"]);
    assert!(quick("lifetime/third").unwrap_err().contains("lifetime/third"));
}
