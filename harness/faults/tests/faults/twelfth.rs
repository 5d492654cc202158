//! The faults of the twelfth set show, and its correct stores are correct.

use cosmos_ttl_faults::script::Demonstration;
use cosmos_ttl_faults::twelfth::{OrchardCorrectStore, OrchardStore, all_correct};
use cosmos_ttl_harness::target::{Fault, Removal, Target};

/// Scripts with the answers that the clauses demand of every store.
///
/// An answer without `{` leaves open whether an item follows it; `_ts` and `_etag` are never compared.
const TABLE: &[(&str, &[&str])] = &[
    (
        "open 5; create a x=1; +4; read a; +1; read a; query; list",
        &["created", "created", r#"found {"x": 1}"#, "not-found", "ok ", "ok "],
    ),
    (
        "open 5; create a ttl=2; create b ttl=9; create c ttl=-1; +2; list; +3; list; +4; query",
        &["created", "created", "created", "created", "ok b c", "ok b c", "ok c"],
    ),
    (
        "open -1; create a; create b ttl=3; +3; query; create b; +9; read b",
        &["created", "created", "created", "ok a", "created", "found {}"],
    ),
    (
        "open 3; create a; +2; replace a; +2; read a; upsert a; +2; read a; +1; read a",
        &["created", "created", "ok", "found {}", "ok", "found {}", "not-found"],
    ),
    (
        "open 2; create a; +2; replace a; patch a x=1; delete a; batch [read a]; create a; read a",
        &[
            "created",
            "created",
            "not-found",
            "not-found",
            "not-found",
            "not-found at 0",
            "created",
            "found {}",
        ],
    ),
    (
        "open 5; create a ttl=0; create a ttl=-2; create a ttl=2147483648; query; create a ttl=2147483647; list",
        &["created", "bad-request", "bad-request", "bad-request", "ok ", "created", "ok a"],
    ),
    (
        "open 5; create a; set 0; set -2; set 2147483648; set 5 none; +4; read a; +1; read a",
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
        "open off; create a ttl=3; create b; +9; list; set 10; list; read b; +1; query",
        &["created", "created", "created", "ok a b", "ok", "ok b", "found {}", "ok "],
    ),
    (
        "open 3; create a; set 10; +5; read a; set 4; read a; query",
        &["created", "created", "ok", "found {}", "ok", "not-found", "ok "],
    ),
    (
        "open 3; create a; set off; +5; read a; count; set -1; read a",
        &["created", "created", "ok", "found {}", "ok 1", "ok", "found {}"],
    ),
    (
        "open 9; create a x=1; batch [create b | replace a x=2 | delete c]; query; list; count; read a",
        &["created", "created", "not-found at 2", "ok a", "ok a", "ok 1", r#"found {"x": 1}"#],
    ),
    (
        "open 5; batch [create a ttl=2 | create b | delete b | upsert c]; +2; query; list",
        &["created", "ok [Created, Created, NoContent, Created]", "ok c", "ok c"],
    ),
    (
        "open 5; create a ttl=2; in q create a; +2; read a; in q read a; in q list; delete a; in q count",
        &["created", "created", "created", "not-found", "found {}", "ok a", "not-found", "ok 1"],
    ),
    (
        "open 9; create a ttl=2; patch a ttl=5; +2; read a; patch a -ttl ttl2=1; +9; read a",
        &["created", "created", "ok", r#"found {"ttl": 5}"#, "ok", "not-found"],
    ),
    (
        r#"open 9; create a TTL=1 _ttl=1 m={"ttl":1}; +8; read a; +1; read a"#,
        &["created", "created", r#"found {"TTL": 1, "_ttl": 1, "m": {"ttl":1}}"#, "not-found"],
    ),
    ("open 5; create a ttl=null; query", &["created", "bad-request", "ok "]),
    (
        "2020; open 2; create a ttl=null; read a; +2; read a",
        &["created", "created", r#"found {"ttl": null}"#, "not-found"],
    ),
    ("open off none; set 5 none; set -1 none; set 5", &["created", "bad-request", "bad-request", "ok"]),
    (
        "open -1; create a ttl=2147483647; +2147483646; read a; +1; read a",
        &["created", "created", r#"found {"ttl": 2147483647}"#, "not-found"],
    ),
    (
        "open 9; create a ttl=2; 3 create b; +2; create a _ts=5; +8; read a; +1; query",
        &["created", "created", "created", "created", "created", "created", "found {}", "ok "],
    ),
];

/// Every schedule of removal.
const REMOVALS: [Removal; 3] = [Removal::Never, Removal::Eager, Removal::Alternate];

/// Returns the correct stores, the one without freedoms among them.
fn correct_stores() -> Vec<OrchardStore> {
    std::iter::once(OrchardStore::CORRECT).chain(all_correct().map(OrchardCorrectStore::store)).collect()
}

/// Returns a store's answers; `None` if it does not offer what the script needs.
fn answers(script: &str, store: OrchardStore, removal: Option<Removal>) -> Option<Vec<String>> {
    let script = Demonstration::parse(script).unwrap();
    if !store.about().editions.contains(&script.edition) {
        return None;
    }
    match script.play(&store, removal) {
        Ok(answers) => Some(answers),
        Err(Fault::Unsupported(_)) => None,
        Err(fault) => panic!("{}: {fault}", store.about().name),
    }
}

/// Returns whether an answer is the expected one.
fn is_expected(expected: &str, answer: &str) -> bool {
    let shown = answer.split(" _ts ").next().unwrap_or_default();
    let status = shown.split(" {").next().unwrap_or_default();
    shown == expected || (!expected.contains('{') && status == expected)
}

#[test]
fn every_correct_store_answers_as_the_table_says() {
    for (script, expected) in TABLE {
        for store in correct_stores() {
            for removal in REMOVALS.map(Some).into_iter().chain([None]) {
                let Some(answers) = answers(script, store, removal) else { continue };
                let name = store.about().name;
                assert_eq!(answers.len(), expected.len(), "{name}: {script}");
                for (expected, answer) in expected.iter().zip(&answers) {
                    assert!(is_expected(expected, answer), "{name}, {removal:?}: {script}: {answers:#?}");
                }
            }
        }
    }
}

#[test]
fn every_correct_store_can_play_most_of_the_table() {
    for store in correct_stores() {
        let played = TABLE.iter().filter(|(script, _)| answers(script, store, None).is_some());
        let needed = if store.about().editions.len() == 2 { TABLE.len() } else { 1 };
        assert!(played.count() >= needed, "{}", store.about().name);
    }
}
