//! The seventh set: every fault shows, and no correct store answers as a fault does.

use cosmos_ttl_faults::script::Demonstration;
use cosmos_ttl_faults::seventh::{LedgerStore, all_correct};
use cosmos_ttl_harness::target::Fault;

/// Returns the answers of the usual correct store.
fn right(script: &Demonstration) -> Result<Vec<String>, Fault> {
    script.play(&LedgerStore::CORRECT, None)
}

/// Answers that follow from the clauses alone, one by one.
#[test]
fn correct_store_answers_by_the_clauses() {
    let table: &[(&str, &[&str])] = &[
        // visible-before-deadline, gone-at-deadline, read-does-not-restart
        (
            "open 5; create a; +4; read a; +1; read a",
            &["created", "created {} 0 0", "found {} 0 0", "not-found"],
        ),
        // write-restarts-count
        (
            "open 5; create a; +4; replace a; +4; read a; +1; query",
            &["created", "created {} 0 0", "ok {} 4 1", "found {} 4 1", "ok "],
        ),
        // item-minus-one-overrides, item-seconds-override, off-never-expires
        (
            "open 5; create a ttl=-1; create b ttl=9; create c; +5; query; +4; query; set off; list",
            &[
                "created",
                "created {\"ttl\": -1} 0 0",
                "created {\"ttl\": 9} 0 1",
                "created {} 0 2",
                "ok a b",
                "ok a",
                "ok",
                "ok a b c",
            ],
        ),
        // expired-id-is-free
        (
            "open 5; create a ttl=3 x=1; +3; create a; +3; read a; +2; read a",
            &["created", "created {\"ttl\": 3, \"x\": 1} 0 0", "created {} 3 1", "found {} 3 1", "not-found"],
        ),
        // expired-replace-not-found, expired-patch-not-found, expired-delete-not-found
        (
            "open 5; create a; +5; replace a; patch a x=1; delete a; batch [create a | read a]; read a",
            &[
                "created",
                "created {} 0 0",
                "not-found",
                "not-found",
                "not-found",
                "ok [Created, Found]",
                "found {} 5 1",
            ],
        ),
        // item-rejected-stores-nothing, removed-ttl-inherits
        (
            "open 5; create a ttl=9; +3; upsert a ttl=0; patch a -ttl; +4; read a; +1; read a",
            &["created", "created {\"ttl\": 9} 0 0", "bad-request", "ok {} 3 1", "found {} 3 1", "not-found"],
        ),
        // identity-is-partition-and-id
        (
            "open -1; create a ttl=2; in q create a; +2; purge; in q read a; read a; in q query",
            &["created", "created {\"ttl\": 2} 0 0", "created {} 0 1", "found {} 0 1", "not-found", "ok a"],
        ),
        // dormant-ttl-wakes, purge-only-expired
        (
            "open off; create a ttl=5; +5; purge; read a; set -1; read a",
            &["created", "created {\"ttl\": 5} 0 0", "found {\"ttl\": 5} 0 0", "ok", "not-found"],
        ),
        // item-null-inherits
        (
            "2020; open 5; create a ttl=null; +4; read a; +1; read a",
            &["created", "created {\"ttl\": null} 0 0", "found {\"ttl\": null} 0 0", "not-found"],
        ),
        // deadline-does-not-overflow
        (
            "open 2147483647; create a; +2147483646; read a; +1; read a",
            &["created", "created {} 0 0", "found {} 0 0", "not-found"],
        ),
    ];
    for (script, answers) in table {
        let short = |answer: String| {
            answer.replace(" _ts Some(", " ").replace(" _etag Some(", " ").replace(") ", " ").replace(')', "")
        };
        let played: Vec<String> =
            right(&Demonstration::parse(script).unwrap()).unwrap().into_iter().map(short).collect();
        assert_eq!(played, *answers, "{script}");
    }
}

/// Freedoms that no demonstration of a fault meets, and the last answer of the store that takes them.
#[test]
fn freedoms_show() {
    let table = [
        ("null-default-refused", "open 5; set null", "bad-request"),
        ("wrong-stored-while-off", "open off; create a ttl=0; set 5; +4; list", "ok a"),
        ("wrong-stored-while-off", "open off; create a ttl=0; set 5; +5; list", "ok "),
        ("whole-fraction-refused", "open 5; create a ttl=10.0", "bad-request"),
        ("item-first", "open 5; replace a ttl=0", "not-found"),
        ("all-values-first", "open 5; batch [read a | create b ttl=0]", "bad-request at 1"),
        ("counts-stored", "open 5; create a; +5; count", "ok 1"),
        ("lazy-is-empty", "open off lazy; create a; set 5 lazy; query", "ok "),
        ("lazy-is-empty", "open off lazy; create a; set 5 lazy; list", "ok a"),
        ("lazy-is-empty", "open off lazy; create a; set 5 lazy; +1; query", "ok a"),
        ("pages-with-gaps", "open -1; create a; create b ttl=5; create c; +5; query by 2", "ok a"),
        ("feed-by-creation", "open -1; create b; create a; query by 1", "ok b"),
        (
            "back-with-own-ttl",
            "open 9; create a ttl=5; create b ttl=6; create c; +9; set off; query",
            "ok a b",
        ),
    ];
    for (name, script, last) in table {
        let name = format!("seventh-{name}");
        let store = all_correct().find(|one| one.name == name).unwrap().store();
        let answers = Demonstration::parse(script).unwrap().play(&store, None).unwrap();
        assert_eq!(answers.last().unwrap(), last, "{name}: {script}");
    }
}
