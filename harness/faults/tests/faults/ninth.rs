//! Whether each fault of the meadow shows, and whether the correct stores answer as the clauses say.

use cosmos_ttl_faults::ninth::{MeadowStore, all_correct};
use cosmos_ttl_faults::script::Demonstration;
use cosmos_ttl_harness::target::{Fault, Removal};

fn play(store: &MeadowStore, script: &str, removal: Option<Removal>) -> Result<Vec<String>, Fault> {
    Demonstration::parse(script).map_err(Fault::Misuse)?.play(store, removal)
}

#[test]
fn many_freedoms_show() {
    let script =
        "open 5; create a ttl=10.0; create b x=1; read b; patch b x=2; query by 1; query rest; count";
    let plain = play(&MeadowStore::CORRECT, script, None);
    let others = all_correct().filter(|correct| play(&correct.store(), script, None) != plain).count();
    assert!(others >= 10, "{others}");
}

/// Scripts and their answers, by hand from the clauses: the statuses, and the numbers and ids of feeds.
const TABLE: [(&str, &[&str]); 12] = [
    ("open off; create a ttl=2; +9; read a", &["created", "created", "found"]),
    (
        "open -1; create a; create b ttl=2; +2; read a; read b",
        &["created", "created", "created", "found", "not-found"],
    ),
    ("open 0", &["bad-request"]),
    ("open 2147483648", &["bad-request"]),
    ("open 5 none", &["bad-request"]),
    ("open 5; create a ttl=null", &["created", "bad-request"]),
    (
        "2020; open 5; create a ttl=null; +4; read a; +1; read a",
        &["created", "created", "found", "not-found"],
    ),
    (
        "open 3; create a; +2; replace a; +2; read a; +1; read a",
        &["created", "created", "ok", "found", "not-found"],
    ),
    ("open 9; create a; set 2; +2; query; set off; query", &["created", "created", "ok", "ok", "ok", "ok a"]),
    (
        "open 2; create a; +2; delete a; replace a; create a",
        &["created", "created", "not-found", "not-found", "created"],
    ),
    (
        "open 9; create a; batch [delete a | create b ttl=-2]; list",
        &["created", "created", "bad-request at 1", "ok a"],
    ),
    (
        "open 9; in q create a; create a; delete a; in q count; count",
        &["created", "created", "created", "no-content", "ok 1", "ok 0"],
    ),
];

#[test]
fn right_answers_are_those_of_the_clauses() {
    for (script, expected) in TABLE {
        let answers = play(&MeadowStore::CORRECT, script, None).unwrap();
        let short = answers.iter().map(|answer| answer.split(" {").next().unwrap_or_default().trim_end());
        assert_eq!(short.collect::<Vec<_>>(), expected, "{script}");
    }
}

#[test]
fn every_correct_store_gives_the_right_answers() {
    for (script, expected) in TABLE.iter().filter(|(script, _)| !script.contains("set off")) {
        for correct in all_correct() {
            let Ok(answers) = play(&correct.store(), script, None) else { continue };
            let short = answers.iter().map(|answer| answer.split(" {").next().unwrap_or_default().trim_end());
            assert_eq!(short.collect::<Vec<_>>(), *expected, "{} on {script}", correct.name);
        }
    }
}
