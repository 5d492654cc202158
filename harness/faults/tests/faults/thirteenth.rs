//! The faults and the correct stores of `thirteenth`, checked against one another and against the clauses.

use cosmos_ttl_faults::script::Demonstration;
use cosmos_ttl_faults::thirteenth::{LanternStore, all_correct};
use cosmos_ttl_harness::target::{Fault, Removal};

/// Scripts with their answers by hand: the status, and what follows it but the etag; `*` leaves an answer open.
const TABLE: &[(&str, &[&str])] = &[
    ("open 5; create a; +4; read a; +1; read a", &["created", "created*", "found*", "not-found"]),
    (
        "open off; create a ttl=1; +100; read a; query; count",
        &["created", "created*", "found*", "ok a", "ok 1"],
    ),
    ("open 0; open -2; open 2147483648; open 1", &["bad-request", "bad-request", "bad-request", "created"]),
    ("open 5 none; open off none; set 5 none; set -1", &["bad-request", "created", "bad-request", "ok"]),
    (
        "open 9; create a ttl=0; create a ttl=-2; create a ttl=2147483648; create a ttl=2147483647; read a",
        &["created", "bad-request", "bad-request", "bad-request", "created*", "found {\"ttl\": 2147483647}*"],
    ),
    (
        "open 3; create a ttl=-1; create b; +3; query; list",
        &["created", "created*", "created*", "ok a", "ok a"],
    ),
    (
        "open -1; create a; create b ttl=2; +2; query; read b; replace b; patch b x=1; delete b; create b; read b",
        &[
            "created",
            "created*",
            "created*",
            "ok a",
            "not-found",
            "not-found",
            "not-found",
            "not-found",
            "created*",
            "found {}*",
        ],
    ),
    (
        "open 5; create a; +3; replace a x=1; +4; read a; +1; read a",
        &["created", "created*", "ok*", "found {\"x\": 1}*", "not-found"],
    ),
    (
        "open 5; create a x=1; +3; upsert a ttl=0; create a; read a; +2; read a",
        &["created", "created*", "bad-request", "conflict", "found {\"x\": 1}*", "not-found"],
    ),
    (
        "open off; create a ttl=5; +4; set -1; read a; +1; read a",
        &["created", "created*", "ok", "found {\"ttl\": 5}*", "not-found"],
    ),
    (
        "open 5; create a; +4; set 9; +4; read a; +1; read a",
        &["created", "created*", "ok", "found*", "not-found"],
    ),
    ("open 9; create a; +4; set 4; read a; query", &["created", "created*", "ok", "not-found", "ok "]),
    (
        "open 5; batch [create a | create b ttl=0]; read a; batch [create a | read a | delete a]; read a",
        &["created", "bad-request at 1", "not-found", "ok [Created, Found, NoContent]", "not-found"],
    ),
    (
        "2020; open 5; create a ttl=null; +4; read a; +1; read a",
        &["created", "created*", "found*", "not-found"],
    ),
    ("open 5; create a ttl=null; read a", &["created", "bad-request", "not-found"]),
    (
        "open -1; create a ttl=2; in q create a; +2; read a; in q read a; in q query",
        &["created", "created*", "created*", "not-found", "found*", "ok a"],
    ),
    (
        "open -1; create a; create b ttl=2; create c; query by 1; +2; query rest; list",
        &["created", "created*", "created*", "created*", "ok*", "*", "ok a c"],
    ),
    (
        "never; open 2; create a; create b ttl=9; +2; purge; query; create a; +1; purge; query",
        &["created", "created*", "created*", "ok b", "created*", "ok a b"],
    ),
];

/// Returns the script that a text states.
#[expect(clippy::unwrap_used, reason = "a test helper")]
fn parsed(script: &str) -> Demonstration {
    Demonstration::parse(script).unwrap()
}

/// Returns whether an answer is as it is written in the table.
fn agrees(answer: &str, expected: &str) -> bool {
    expected.strip_suffix('*').map_or(answer == expected, |start| answer.starts_with(start))
}

/// Checks the answers of all correct stores by the table.
#[test]
fn correct_stores_answer_by_the_clauses() {
    let stores = all_correct().map(|store| (store.name, store.store()));
    for (name, store) in stores.chain([("CORRECT", LanternStore::CORRECT)]) {
        for (script, expected) in TABLE {
            for removal in [None, Some(Removal::Never), Some(Removal::Eager), Some(Removal::Alternate)] {
                let answers = match parsed(script).play(&store, removal) {
                    Err(Fault::Unsupported(_)) if name.starts_with("thirteenth-year-") => continue,
                    answers => answers.unwrap(),
                };
                let silent = name == "thirteenth-silent-writes";
                let agree = |(answer, expected): (&String, &&str)| {
                    agrees(answer, expected) || silent && expected.starts_with(answer.as_str())
                };
                assert_eq!(answers.len(), expected.len(), "{script}");
                let all = answers.iter().zip(*expected).all(agree);
                assert!(all, "{name}, {removal:?}: {script}\n{answers:#?}");
            }
        }
    }
}
