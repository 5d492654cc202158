//! Tests of the tenth set: its faults show, its correct stores are correct, and its lists are as they should be.

use std::collections::BTreeMap;

use cosmos_ttl_faults::script::Demonstration;
use cosmos_ttl_faults::tenth::{KilnStore, all_correct};
use cosmos_ttl_harness::target::{Fault, Removal, Target};

/// Scripts with the answers that the clauses demand. Two dots stand for whatever a correct store may add.
const TABLE: &[(&str, &[&str])] = &[
    (
        "open 5; create a x=1; +4; read a; query; list; +1; read a; query; list; replace a; patch a x=2; delete a",
        &[
            "created",
            "created..",
            "found {\"x\": 1}",
            "ok a",
            "ok a",
            "not-found",
            "ok",
            "ok",
            "not-found",
            "not-found",
            "not-found",
        ],
    ),
    (
        "open -1; create a; create b ttl=2; create c ttl=-1; +1; query; +1; query; +2147483647; query; read b",
        &["created", "created..", "created..", "created..", "ok a b c", "ok a c", "ok a c", "not-found"],
    ),
    (
        "open 3; create a ttl=5; create b ttl=2; create c ttl=-1; create d; +2; query; +1; query; +2; query",
        &["created", "created..", "created..", "created..", "created..", "ok a c d", "ok a c", "ok c"],
    ),
    (
        "open off; create a ttl=2; create b; +9; query; set 3; query; read a; set -1; create c; +9; query",
        &["created", "created..", "created..", "ok a b", "ok", "ok", "not-found", "ok", "created..", ".."],
    ),
    (
        "open 5; set 0; set -2; set 2147483648; set 5 none; create a; +4; read a; +1; read a; set 2147483647",
        &[
            "created",
            "bad-request",
            "bad-request",
            "bad-request",
            "bad-request",
            "created..",
            "found {}",
            "not-found",
            "ok",
        ],
    ),
    (
        "open 5; create a ttl=0; create a ttl=-2; create a ttl=2147483648; read a; create a ttl=2147483647; +9; read a",
        &[
            "created",
            "bad-request",
            "bad-request",
            "bad-request",
            "not-found",
            "created..",
            "found {\"ttl\": 2147483647}",
        ],
    ),
    ("open 5; create a ttl=null; read a", &["created", "bad-request", "not-found"]),
    ("2020; open 5; create a ttl=null; +4; query; +1; query", &["created", "created..", "ok a", "ok"]),
    (
        "open 3; create a; create b; create c x=1; +2; replace a x=1; upsert b; upsert c x=1; +2; query; +1; query",
        &["created", "created..", "created..", "created..", "ok..", "ok..", "ok..", "ok a b c", "ok"],
    ),
    (
        "open 3; create a x=1; +2; create a; replace a ttl=0; batch [replace a x=2 | delete b]; read a; +1; read a",
        &[
            "created",
            "created..",
            "conflict",
            "bad-request",
            "not-found at 1",
            "found {\"x\": 1}",
            "not-found",
        ],
    ),
    (
        "open 3; create a ttl=6; replace a x=1; +2; replace a ttl=4; +3; read a; +1; read a",
        &["created", "created..", "ok..", "ok..", "found {\"ttl\": 4}", "not-found"],
    ),
    (
        "open 2; create a ttl=4; +4; create a; purge; read a; +1; read a; +1; read a; create a; read a",
        &["created", "created..", "created..", "found {}", "found {}", "not-found", "created..", "found {}"],
    ),
    (
        "open 9; create a; +3; set 4; read a; set 3; read a; query; create b; set 8; +7; read b; +1; read b",
        &[
            "created",
            "created..",
            "ok",
            "found {}",
            "ok",
            "not-found",
            "ok",
            "created..",
            "ok",
            "found {}",
            "not-found",
        ],
    ),
    (
        "open off none; set 5 none; set -1 none; set 5; create a; +5; read a",
        &["created", "bad-request", "bad-request", "ok", "created..", "not-found"],
    ),
    (
        "open 9; create a ttl=2; in q create a; in q create b ttl=1; query; in q query; +2; query; in q query; \
         purge; read a; in q read a; in q read b",
        &[
            "created",
            "created..",
            "created..",
            "created..",
            "ok a",
            "ok a b",
            "ok",
            "ok a",
            "not-found",
            "found {}",
            "not-found",
        ],
    ),
    (
        "open 9; create a; create b ttl=2; create c ttl=2; query by 1; +2; query rest; list by 5",
        &["created", "created..", "created..", "created..", "ok a", "..", "ok a"],
    ),
    (
        "open 9; batch [create a | create b ttl=2 | patch a x=1 | read a]; +2; batch [create b | read a]; read b; \
         batch [create b]; batch [replace b ttl=0]; read b",
        &[
            "created",
            "ok [Created, Created, Ok, Found]",
            "ok [Created, Found]",
            "found {}",
            "conflict at 0",
            "bad-request at 0",
            "found {}",
        ],
    ),
    (
        "open 2; create a; +2; purge; set off; read a; set -1; read a; create a; read a",
        &["created", "created..", "ok", "..", "ok", "..", "..", "found {}"],
    ),
    (
        "open 5; create a _ts=1 _ttl=1 TTL=1 x={\"ttl\":1}; +4; query; patch a -TTL -_ttl -x; +1; query; +4; query",
        &["created", "created..", "ok a", "ok..", "..", "ok"],
    ),
    (
        "open 2147483647; create a; create b ttl=2147483647; +2147483646; query; +1; query",
        &["created", "created..", "created..", "ok a b", "ok"],
    ),
    (
        "open off; create a ttl=4; read a; +1; patch a ttl=3; read a; patch a -ttl; set 9; +8; query; +1; query",
        &[
            "created",
            "created..",
            "found {\"ttl\": 4}",
            "ok..",
            "found {\"ttl\": 3}",
            "ok..",
            "ok",
            "..",
            "ok",
        ],
    ),
];

/// Lists every schedule that a target offers, or none to choose.
fn schedules(target: &dyn Target) -> Vec<Option<Removal>> {
    let offered = target.about().removals;
    if offered.is_empty() { vec![None] } else { offered.into_iter().map(Some).collect() }
}

/// Reads a script.
fn parsed(script: &str) -> Demonstration {
    Demonstration::parse(script).unwrap()
}

/// Returns whether an answer is the one that the table demands.
fn meets(answer: &str, demanded: &str) -> bool {
    let shown = answer.split(" _ts ").next().unwrap().trim_end();
    match demanded.strip_suffix("..") {
        Some(start) => shown.starts_with(start),
        None => shown == demanded,
    }
}

/// Asserts that a store answers the table under all of its schedules, and returns how many scripts it supports.
fn assert_table(name: &str, target: &dyn Target) -> usize {
    let mut supported = 0;
    for (script, demanded) in TABLE {
        for removal in schedules(target) {
            let answers = match parsed(script).play(target, removal) {
                Err(Fault::Unsupported(_)) => continue,
                answers => answers.unwrap(),
            };
            supported += 1;
            assert_eq!(answers.len(), demanded.len(), "{script}");
            for (answer, demanded) in answers.iter().zip(*demanded) {
                assert!(meets(answer, demanded), "{name} {removal:?} {script}\n{demanded}\n{answers:#?}");
            }
        }
    }
    supported
}

/// Plays the table against the store without a mistake.
#[test]
fn correct_answers_the_table() {
    let schedules = schedules(&KilnStore::CORRECT).len();
    assert_eq!(assert_table("CORRECT", &KilnStore::CORRECT), TABLE.len() * schedules);
}

/// Plays the table against every correct store, as far as it supports the scripts.
#[test]
fn every_correct_store_answers_the_table() {
    for correct in all_correct() {
        let store = correct.store();
        assert!(assert_table(correct.name, &store) * 2 > TABLE.len() || correct.name.ends_with("edition"));
    }
}

/// Tells every correct store from every other one.
#[test]
fn every_correct_store_differs_from_the_others() {
    let mut known = BTreeMap::new();
    let scripts = TABLE.iter().map(|(script, _)| *script).chain(FREEDOMS.iter().copied());
    let scripts: Vec<Demonstration> = scripts.map(parsed).collect();
    for correct in all_correct() {
        let store = correct.store();
        let answers: Vec<_> =
            scripts.iter().map(|script| format!("{:?}", script.play(&store, None))).collect();
        let other = known.insert(answers, correct.name);
        assert_eq!(other, None, "{}", correct.name);
    }
}

/// Scripts that tell freedoms apart.
const FREEDOMS: &[&str] = &[
    "open null; open 5; create a ttl=10.0; create b ttl=\"10\"; create c ttl=true; replace d ttl=0",
    "open off; create a ttl=0; set 2; +2; read a",
    "open 5; batch [delete a | create b ttl=0]",
    "open 3; create a; +2; patch a x=1; read a; patch a _ts=1; patch a -y",
    "open 3; create a; +3; count; upsert a; count",
    "open 3; create a; read a; +3; count",
    "open 3; create a; read a; +3; delete a if-match",
    "open 2; create a; +2; set 9; read a",
    "open 2 lazy; create a; set 3 lazy; query",
    "open 2; create a; create b; create c ttl=1; query by 2; query rest; query by 3; query rest",
    "open 9; create a ttl=1; create b; create c; query by 1; +1; query rest",
    "2020; open 9; create a ttl=null",
];
