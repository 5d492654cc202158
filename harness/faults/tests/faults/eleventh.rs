//! Every fault of the eleventh store shows, and every correct store is correct.

use std::collections::BTreeSet;

use cosmos_ttl_faults::eleventh::{HarborStore, all_correct, all_faults};
use cosmos_ttl_faults::script::Demonstration;
use cosmos_ttl_harness::target::{Fault, Removal};

/// The schedules under which every script is played; `None` is the one that it names.
const REMOVALS: [Option<Removal>; 4] =
    [None, Some(Removal::Never), Some(Removal::Eager), Some(Removal::Alternate)];

/// Scripts, and the answers that follow from the clauses; of an item, its properties may be left out.
const ANSWERS: [(&str, &[&str]); 23] = [
    ("open off; create a ttl=2; +100; read a; list", &["created", "created", "found {\"ttl\": 2}", "ok a"]),
    ("open 5; create a; +4; read a; +1; read a", &["created", "created", "found {}", "not-found"]),
    (
        "open -1; create a ttl=2; create b; +2; read a; read b; query",
        &["created", "created", "created", "not-found", "found {}", "ok b"],
    ),
    (
        "open 5; create a ttl=-1; create b ttl=9; +8; query; +1; query; list",
        &["created", "created", "created", "ok a b", "ok a", "ok a"],
    ),
    ("open 0; open -2; open 2147483648; open 5 none", &["bad-request"; 4]),
    (
        "open 5; create a; set 0; set -7; set 2147483648; set 9 none; +4; read a; +1; read a",
        &[
            "created",
            "created",
            "bad-request",
            "bad-request",
            "bad-request",
            "bad-request",
            "found {}",
            "not-found",
        ],
    ),
    (
        "open 5; create a ttl=0; create a ttl=-2; create a ttl=2147483648; create a ttl=null; read a",
        &["created", "bad-request", "bad-request", "bad-request", "bad-request", "not-found"],
    ),
    (
        "2020; open 3; create a ttl=null; +2; read a; +1; read a",
        &["created", "created", "found {\"ttl\": null}", "not-found"],
    ),
    (
        "open 5; create a x=1; +3; replace a x=1; +3; upsert a; +4; read a; +1; read a",
        &["created", "created", "ok", "ok", "found {}", "not-found"],
    ),
    (
        "open 5; create a x=1; +3; replace a x=2 ttl=0; create a; read a; +2; read a; create a; read a",
        &[
            "created",
            "created",
            "bad-request",
            "conflict",
            "found {\"x\": 1}",
            "not-found",
            "created",
            "found {}",
        ],
    ),
    (
        "open 2; create a; +2; replace a; patch a x=1; delete a; read a; query; list",
        &["created", "created", "not-found", "not-found", "not-found", "not-found", "ok ", "ok "],
    ),
    (
        "never; open 20; create a ttl=2; +2; create a; purge; +19; read a; +1; read a",
        &["created", "created", "created", "found {}", "not-found"],
    ),
    (
        "open 5; create a; set 20; +10; read a; set 10; read a; list",
        &["created", "created", "ok", "found {}", "ok", "not-found", "ok "],
    ),
    (
        "open 5; create a; create b ttl=3; set off; +50; list; set 60; list; +10; list",
        &["created", "created", "created", "ok", "ok a b", "ok", "ok a", "ok "],
    ),
    (
        "open off none; create a; set 5 none; +3; read a; set 5; read a; +2; read a",
        &["created", "created", "bad-request", "found {}", "ok", "found {}", "not-found"],
    ),
    (
        "open 9; in q create a ttl=2; create a; +2; in q read a; read a; in q query; query",
        &["created", "created", "created", "not-found", "found {}", "ok ", "ok a"],
    ),
    (
        "open 5; create a; +3; batch [replace a x=1 | create b]; +4; batch [read a | delete b]; +1; query",
        &["created", "created", "ok [Ok, Created]", "ok [Found, NoContent]", "ok "],
    ),
    (
        "open 5; create a; +3; batch [create b | replace a x=1 | create a]; +1; read a; read b; +1; read a",
        &["created", "created", "conflict at 2", "found {}", "not-found", "not-found"],
    ),
    (
        "open 2147483647; create a; create b ttl=2147483647; +2147483646; query; +1; query",
        &["created", "created", "created", "ok a b", "ok "],
    ),
    (
        "open 9; create a _ts=1 TTL=1 _ttl=1 timeToLive=1 n={\"ttl\":1}; +8; query; +1; query",
        &["created", "created", "ok a", "ok "],
    ),
    (
        "open 9; create a x=1; read a; replace a x=2; read a; replace a x=3 if-stale; patch a y=1 if-match",
        &["created", "created", "found {\"x\": 1}", "ok", "found {\"x\": 2}", "precondition-failed", "ok"],
    ),
    (
        "open 9; create a ttl=2; replace a; create b; patch b ttl=-1; +8; query; +1; query; count",
        &["created", "created", "ok", "created", "ok", "ok a b", "ok b", ""],
    ),
    (
        "open 3; create a; +2; read a; query; batch [read a]; +1; read a; +50; read a; upsert a; read a",
        &["created", "created", "found {}", "ok a", "ok [Found]", "not-found", "not-found", "", "found {}"],
    ),
];

/// Returns whether an answer is the one in the table; of an item, the rest may follow.
fn agrees(answer: &str, expected: &str) -> bool {
    let rest = answer.strip_prefix(expected);
    rest.is_some_and(|rest| {
        rest.is_empty() || expected.is_empty() || rest.starts_with(" {") || rest.starts_with(" _ts")
    })
}

#[test]
fn every_correct_store_answers_by_the_clauses() {
    let correct = all_correct().map(|correct| (correct.name, correct.store()));
    for (name, store) in correct.chain([("correct", HarborStore::CORRECT)]) {
        let mut answered = 0_usize;
        for (script, expected) in ANSWERS {
            let plays = under_both_editions(script).into_iter();
            for (script, removal) in
                plays.flat_map(|script| REMOVALS.map(|removal| (script.clone(), removal)))
            {
                let answers = match play(&script, &store, removal) {
                    Ok(answers) => answers,
                    Err(Fault::Unsupported(_)) => continue,
                    Err(fault) => panic!("{name}: {script}: {fault}"),
                };
                let is_same = answers.len() == expected.len()
                    && answers.iter().zip(expected).all(|(answer, expected)| agrees(answer, expected));
                assert!(is_same, "{name} {removal:?}: {script}: {answers:#?}");
                answered = answered.saturating_add(1);
            }
        }
        assert!(answered >= 80, "{name} answered {answered} only");
    }
}

/// Plays a script, which must be readable.
fn play(script: &str, store: &HarborStore, removal: Option<Removal>) -> Result<Vec<String>, Fault> {
    Demonstration::parse(script).map_err(Fault::Misuse)?.play(store, removal)
}

/// Returns a script as it is, and under the edition of 2020 if that makes no difference to it.
fn under_both_editions(script: &str) -> Vec<String> {
    let mut scripts = vec![script.to_owned()];
    if !script.contains("null") {
        scripts.push(format!("2020; {script}"));
    }
    scripts
}

#[test]
fn pages_hold_living_items_once() {
    let script = "open 20; create a ttl=9; create b; \
                  create c; create d; create e ttl=3; +3; query by 2; +6; query rest";
    for correct in all_correct() {
        for removal in REMOVALS {
            let Ok(answers) = play(script, &correct.store(), removal) else { continue };
            let [.., first, rest] = answers.as_slice() else { panic!("{}: {answers:?}", correct.name) };
            let ids: Vec<&str> = first.split(' ').chain(rest.split(' ')).collect();
            for id in ["b", "c", "d"] {
                assert_eq!(ids.iter().filter(|found| **found == id).count(), 1, "{}: {ids:?}", correct.name);
            }
            assert!(!ids.contains(&"e") && !rest.contains(" a"), "{}: {ids:?}", correct.name);
        }
    }
}

#[test]
fn every_fault_shows_in_what_correct_and_faulty_stores_both_tell() {
    // Statuses, ids and content alone, so that no fault shows by a number of an etag that others also count.
    let mut silent = BTreeSet::new();
    for fault in all_faults() {
        let plain = |answers: Vec<String>| {
            let cut = |answer: &String| answer.split(" _etag").next().unwrap_or_default().to_owned();
            answers.iter().map(cut).collect::<Vec<_>>()
        };
        let answers = plain(play(fault.shown_by, &fault.store(), None).expect(fault.name));
        let right = plain(play(fault.shown_by, &HarborStore::CORRECT, None).expect(fault.name));
        if answers == right {
            silent.insert(fault.name);
        }
    }
    let by_etag = ["eleventh-etag-counts-per-item", "eleventh-settings-renumber-items"];
    assert_eq!(silent, BTreeSet::from(by_etag));
}
