//! The faults of the eighth author show, break clauses, and are told from every correct variant.

use std::collections::BTreeSet;

use cosmos_ttl_faults::eighth::{QuarryStore, all_correct, all_faults};
use cosmos_ttl_faults::script::Demonstration;
use cosmos_ttl_harness::target::{Fault, Removal};

fn play(script: &str, store: &QuarryStore) -> Result<Vec<String>, Fault> {
    Demonstration::parse(script).map_err(Fault::Misuse)?.play(store, None)
}

/// Etags are texts without a meaning: a fault that is not about them differs without them.
#[test]
fn every_fault_differs_from_every_variant_in_more_than_etags() {
    let quiet: BTreeSet<&str> = ["eighth-etags-restart-with-item"].into();
    for fault in all_faults().filter(|fault| !quiet.contains(fault.name)) {
        let faulty = without_etags(play(fault.shown_by, &fault.store()).unwrap());
        for correct in all_correct() {
            if let Ok(answers) = play(fault.shown_by, &correct.store()) {
                assert_ne!(without_etags(answers), faulty, "{} and {}", correct.name, fault.name);
            }
        }
    }
}

fn without_etags(answers: Vec<String>) -> Vec<String> {
    let cut = |answer: String| answer.split(" _etag").next().unwrap_or_default().to_owned();
    answers.into_iter().map(cut).collect()
}

/// Scripts with the right answers, written by hand from the clauses; an answer is compared as far as its line goes.
const TABLE: [(&str, &[&str]); 12] = [
    (
        "open off; create a ttl=2; +3; read a; set -1; read a",
        &["created", "created", "found", "ok", "not-found"],
    ),
    (
        "open 3; create a; +2; read a; +1; read a; query; count",
        &["created", "created", "found", "not-found", "ok ", "ok 0"],
    ),
    ("open 0", &["bad-request"]),
    (
        "open 5; set -2; set 2147483648; set 2147483647; set 5 none",
        &["created", "bad-request", "bad-request", "ok", "bad-request"],
    ),
    (
        "open 3; create a ttl=-1; create b ttl=9; create c; +3; list; +6; list",
        &["created", "created", "created", "created", "ok a b", "ok a"],
    ),
    (
        "open 5; create a ttl=0; create a ttl=null; create a ttl=-2; read a",
        &["created", "bad-request", "bad-request", "bad-request", "not-found"],
    ),
    (
        "2020; open 3; create a ttl=null; +2; read a; +1; read a",
        &["created", "created", "found", "not-found"],
    ),
    (
        "open 3; create a x=1; +3; replace a; patch a x=2; delete a; create a; read a",
        &["created", "created", "not-found", "not-found", "not-found", "created", "found {} _ts Some(3)"],
    ),
    (
        "open 9; create a; batch [create b | replace c]; read b; batch [create b | delete a | read b]; query",
        &["created", "created", "not-found at 1", "not-found", "ok [Created, NoContent, Found]", "ok b"],
    ),
    (
        "open 9; create a; replace a x=1; replace a if-stale x=2; replace a if-match x=3; read a",
        &["created", "created", "ok", "precondition-failed", "ok", "found {\"x\": 3}"],
    ),
    (
        "open 5; create a; create b; create c ttl=2; list by 2; +2; list rest; in q create a; in q query; query",
        &["created", "created", "created", "created", "ok a b", "ok ", "created", "ok a", "ok a b"],
    ),
    (
        "open -1; create a ttl=2 _ts=5; +2; purge; set off; read a; query; create a; set 9; read a",
        &["created", "created", "ok", "not-found", "ok ", "created", "ok", "found"],
    ),
];

#[test]
fn the_correct_store_answers_as_the_clauses_say() {
    for (script, right) in TABLE {
        let answers = play(script, &QuarryStore::CORRECT).unwrap();
        assert_eq!(answers.len(), right.len(), "{script}");
        for (answer, right) in answers.iter().zip(right) {
            let is_right = if right.starts_with("ok") {
                answer == right || answer.starts_with("ok {")
            } else {
                answer.starts_with(right)
            };
            assert!(is_right, "{script}: {answer}, not {right}");
        }
    }
}

#[test]
fn the_schedule_of_removal_does_not_show() {
    let scripts = all_faults().map(|fault| fault.shown_by).filter(|script| !script.contains("set off"));
    for script in scripts.chain(TABLE.iter().map(|(script, _)| *script).filter(|s| !s.contains("set off"))) {
        let script = Demonstration::parse(script).unwrap();
        for correct in all_correct().filter(|correct| correct.name == "eighth-correct-plain") {
            let never = script.play(&correct.store(), Some(Removal::Never));
            for removal in [Removal::Eager, Removal::Alternate] {
                assert_eq!(script.play(&correct.store(), Some(removal)), never, "{script:?}");
            }
        }
    }
}
