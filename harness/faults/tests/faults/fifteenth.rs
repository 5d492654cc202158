//! Scripts whose answers were written by hand from the clauses, played against every correct store of the set.

use cosmos_ttl_faults::FaultSet;
use cosmos_ttl_faults::script::Demonstration;
use cosmos_ttl_harness::target::{Fault, Removal};

const SCHEDULES: [Option<Removal>; 4] =
    [None, Some(Removal::Never), Some(Removal::Eager), Some(Removal::Alternate)];

/// Scripts and their answers. An answer is a status, or a whole line; `*` is any; ` / ` stands between alternatives.
/// `{…} @3` is an item with these properties, written three seconds after the first one that was shown.
const TABLE: &[(&str, &str)] = &[
    // Which settings are settings.
    ("open off; create a ttl=1; +9; read a", "created; created; found {\"ttl\": 1}"),
    (
        "open null; create a ttl=1; +9; read a",
        "created / bad-request; created / not-found; found {\"ttl\": 1} / not-found",
    ),
    (
        "open -1; create a; create b ttl=1; +1; read a; read b",
        "created; created; created; found {}; not-found",
    ),
    ("open 1; create a; +1; read a", "created; created; not-found"),
    ("open 2147483647; create a; +2147483646; read a; +1; read a", "created; created; found {}; not-found"),
    ("open 0; open -2; open 2147483648; open 5", "bad-request; bad-request; bad-request; created"),
    (
        "open 5; set 0; set -2; set 2147483648; create a; +5; read a",
        "*; bad-request; bad-request; bad-request; *; not-found",
    ),
    ("open 5 none; open -1 none; open off none; set 5", "bad-request; bad-request; created; ok"),
    (
        "open 5; set 5 none; set -1 none; create a; +5; read a",
        "*; bad-request; bad-request; created; not-found",
    ),
    ("open 5 lazy; set -1 lazy; create a ttl=1; +1; read a", "created; ok; created; not-found"),
    // Which values an item may carry.
    (
        "open 5; create a ttl=0; create a ttl=-2; create a ttl=2147483648; read a",
        "*; bad-request; bad-request; bad-request; not-found",
    ),
    ("open 5; create a ttl=null; upsert a ttl=null; read a", "*; bad-request; bad-request; not-found"),
    (
        "open 5; create a ttl=99999999999999999999; create a ttl=3e9; create a ttl=0.0; read a",
        "*; bad-request; bad-request; bad-request; not-found",
    ),
    (
        "open 5; create a ttl=1.5; create a ttl=\"9\"; create a ttl=true; create a ttl=[9]; read a",
        "*; bad-request; bad-request; bad-request; bad-request; not-found",
    ),
    (
        "2020; open 5; create a ttl=null; +4; read a; +1; read a",
        "*; created; found {\"ttl\": null}; not-found",
    ),
    (
        "2020; open 9; create a ttl=2; patch a ttl=null; +8; read a; +1; read a",
        "*; created; ok; found {\"ttl\": null}; not-found",
    ),
    (
        "open 5; create a ttl=2147483647; +2147483646; read a; +1; read a",
        "*; created; found {\"ttl\": 2147483647}; not-found",
    ),
    ("open 9; create a ttl=1e1; +9; read a", "*; created / bad-request; found {\"ttl\": 1e1} / not-found"),
    ("open off; create a ttl=0; read a", "*; created / bad-request; found {\"ttl\": 0} / not-found"),
    ("open -1; create a TTL=1 _ttl=1 timeToLive=1 meta={\"ttl\":1}; +9; count", "*; created; ok 1"),
    // How long an item lives.
    (
        "open 5; create a ttl=9; create b ttl=2; create c ttl=-1; +2; query; +3; query; +4; list",
        "*; *; *; *; ok a c; ok a c; ok c",
    ),
    (
        "open 5; create a; +4; read a; query; list; +1; read a; query; list",
        "*; created; found {}; ok a; ok a; not-found; ok ; ok ",
    ),
    ("open 5; create a x={\"ttl\":1} y=1; +4; read a", "*; created; found {\"x\": {\"ttl\":1}, \"y\": 1}"),
    ("open 61; create a; +60; read a; +1; read a", "*; created; found {}; not-found"),
    (
        "open -1; create a ttl=16777217; +16777216; read a; +1; read a",
        "*; created; found {\"ttl\": 16777217}; not-found",
    ),
    // What restarts the count.
    (
        "open 5; create a; read a; +3; replace a x=1; read a; +4; read a; +1; read a",
        "*; created; found {} @0; ok; found {\"x\": 1} @3; found {\"x\": 1} @3; not-found",
    ),
    (
        "open 5; create a x=1; read a; +3; upsert a x=1; read a; +4; read a; +1; query",
        "*; *; found {\"x\": 1} @0; ok; found {\"x\": 1} @3; found {\"x\": 1} @3; ok ",
    ),
    (
        "open 5; create a; read a; +3; batch [replace a x=1 | create b]; read a; read b",
        "*; *; *; ok [Ok, Created]; found {\"x\": 1} @3; found {} @3",
    ),
    (
        "open 5; create a; +3; read a; query; list; count; batch [read a]; +2; read a",
        "*; *; found {}; ok a; ok a; ok 1; ok [Ok] / ok [Found]; not-found",
    ),
    (
        "open 5; create a; read a; +3; create a x=1; replace a ttl=0; patch a ttl=0; upsert a ttl=-9; read a; +2; read a",
        "*; *; *; conflict; bad-request; bad-request; bad-request; found {} @0; not-found",
    ),
    (
        "open 5; create a; read a; replace a x=1; read a; +3; replace a x=2 if-stale; delete a if-stale; read a; +2; read a",
        "*; *; *; ok; *; precondition-failed; precondition-failed; found {\"x\": 1} @0; not-found",
    ),
    (
        "open -1; create a ttl=9; +3; patch a ttl=4; +3; read a; +1; read a",
        "*; *; ok; found {\"ttl\": 4}; not-found",
    ),
    (
        "open 9; create a ttl=3; create b ttl=3; create c ttl=3; replace a; upsert b; patch c -ttl; +8; query; +1; query",
        "*; *; *; *; ok; ok; ok; ok a b c; ok ",
    ),
    (
        "open 9; create a; read a; +1; upsert a _ts=5 _etag=5; read a; patch a _ts=5",
        "*; *; *; ok; found {} @1; ok / bad-request",
    ),
    ("open off; create a; read a; +3; upsert a x=1; read a", "*; *; *; ok; found {\"x\": 1} @3"),
    // What is refused as a whole.
    (
        "open 9; create b; batch [create a | create b]; read a; batch [delete b | create c ttl=0]; read b",
        "*; *; conflict at 1; not-found; bad-request at 1; found {}",
    ),
    // Expired items.
    (
        "open 5; create a; +5; read a; replace a; patch a x=1; delete a; read a",
        "*; *; not-found; not-found; not-found; not-found; not-found",
    ),
    (
        "open 5; create a; read a; +5; replace a if-match; patch a x=1 if-match; delete a if-match; read a",
        "*; *; *; not-found / precondition-failed; not-found / precondition-failed; not-found / precondition-failed; not-found",
    ),
    (
        "open 5; create a; +5; batch [read a]; batch [replace a]; batch [delete a]; batch [create a x=1]; read a",
        "*; *; not-found at 0; not-found at 0; not-found at 0; ok [Created]; found {\"x\": 1}",
    ),
    ("open -1; create a ttl=5 x=1; +5; create a; +5; read a", "*; *; created; found {}"),
    (
        "open 5; create a ttl=2 x=1; read a; +2; upsert a; read a; replace a y=1 if-stale; +4; read a; +1; read a",
        "*; *; *; created / ok; found {} @2; precondition-failed; found {}; not-found",
    ),
    ("open 5; create a; +5; count; query", "*; *; ok 0 / ok 1; ok "),
    (
        "open 9; create a ttl=2; delete a; create a; +8; read a; +1; read a",
        "*; *; no-content; created; found {}; not-found",
    ),
    // Removal.
    (
        "open 5; create a; create b ttl=-1; create c ttl=9; +5; purge; query; create a; +3; purge; query; read b",
        "*; *; *; *; ok b c; created; ok a b c; found {\"ttl\": -1}",
    ),
    (
        "open -1; create a ttl=2; replace a ttl=9; +8; purge; read a; +1; purge; read a",
        "*; *; ok; found {\"ttl\": 9}; not-found",
    ),
    (
        "open 5; create a; set 9; +5; purge; read a; set off; +9; purge; read a",
        "*; *; ok; found {}; ok; found {}",
    ),
    ("open 5; create a; +5; purge; read a; set off; read a", "*; *; not-found; ok; found {} / not-found"),
    // Changes of the settings.
    (
        "open 9; create a; read a; +4; set 3; read a; query; create b; +2; read b",
        "*; *; *; ok; not-found; ok ; created; found {}",
    ),
    (
        "open 5; create a; read a; +3; set 9; read a; replace a x=1 if-match; +8; read a; +1; read a",
        "*; *; found {} @0; ok; found {} @0; ok; found {\"x\": 1} @3; not-found",
    ),
    (
        "open off; create a; create b ttl=7; +5; set 5; read a; read b; query; +2; read b",
        "*; *; *; ok; not-found; found {\"ttl\": 7}; ok b; not-found",
    ),
    (
        "open 5; create a ttl=5; set off; +9; read a; set -1; read a",
        "*; *; ok; found {\"ttl\": 5}; ok; not-found",
    ),
    ("open 5; set -1; create a; +9; read a; set off; set 9; read a", "*; ok; *; found {}; ok; ok; not-found"),
    ("open 9; create a; delete a; set off; read a; set -1; read a", "*; *; *; ok; not-found; ok; not-found"),
    ("open 5; create a; set 9; query; list; count", "*; *; ok; ok a; ok a; ok 1"),
    // Lazy indexing: a query may miss items, a read may not.
    ("open 5 lazy; create a; set 9 lazy; read a; query; query", "*; *; ok; found {}; ok a / ok ; ok a"),
    ("open 5 lazy; create a; set 9 lazy; set 9; query; +9; query", "*; *; ok; ok; ok a; ok "),
    // Partitions and pages.
    (
        "open -1; create a ttl=2; in q create a; in q create b; in q query; +2; purge; in q read a; read a; in q count",
        "*; *; created; created; ok a b; found {}; not-found; ok 2",
    ),
    (
        "open 5; in q batch [create a | create c]; read a; in q list; +5; in q list; in q query; in q read a",
        "*; ok [Created, Created]; not-found; ok a c; ok ; ok ; not-found",
    ),
    (
        "open 5; in q create a; in r create a x=1; in q delete a; in r read a",
        "*; created; created; no-content; found {\"x\": 1}",
    ),
];

/// Scripts of which the last two answers are the first page and all others; together they hold these items.
const PAGES: &[(&str, &str)] = &[
    ("open 9; create a; create b; create c; query by 2; query rest", "a b c"),
    ("open 9; 5 create a; list by 1; list rest", "a0 a1 a2 a3 a4"),
    ("open 9; create a ttl=2; create b; create c ttl=2; +2; query by 1; query rest", "b"),
    ("open 9; create z; in q create b; in q create c; in q query by 1; in q query rest", "b c"),
];

/// Plays a script against every correct store under every schedule, and checks the answers.
#[track_caller]
fn check_correct(text: &str, check: impl Fn(&[String]) -> bool) {
    let script = Demonstration::parse(text).unwrap();
    for one in FaultSet::Fifteenth.correct() {
        for removal in SCHEDULES {
            match script.play(one.store.target(), removal) {
                Ok(answers) => {
                    assert!(check(&answers), "{}, {removal:?}: {text}\n{answers:#?}", one.name);
                }
                Err(Fault::Unsupported(_)) => {
                    assert_ne!(one.name, "fifteenth-correct-usual", "{text}");
                }
                Err(other) => panic!("{}: {text}: {other}", one.name),
            }
        }
    }
}

/// Returns whether an answer is one of these alternatives.
fn fits(answer: &str, expected: &str) -> bool {
    expected.split(" / ").any(|expected| match expected.split_once(" @") {
        _ if expected.trim() == "*" => true,
        Some((item, ts)) => {
            let [shown, hidden] = [format!("{item} _ts Some({ts}) "), format!("{item} _ts None ")];
            answer.starts_with(&shown) || answer.starts_with(&hidden)
        }
        None if expected.contains('{') => answer.starts_with(&format!("{expected} _ts ")),
        None if expected.contains(' ') => answer == expected,
        None => answer.split(' ').next() == Some(expected),
    })
}

#[test]
fn correct_stores_answer_as_the_clauses_say() {
    for (text, expected) in TABLE {
        let expected: Vec<&str> = expected.split("; ").collect();
        check_correct(text, |answers| {
            let all = answers.iter().zip(&expected).all(|(answer, expected)| fits(answer, expected));
            all && answers.len() == expected.len()
        });
    }
}

#[test]
fn pages_hold_each_item_once() {
    for (text, expected) in PAGES {
        check_correct(text, |answers| {
            let pages = answers.iter().rev().take(2).filter_map(|page| page.strip_prefix("ok "));
            let mut ids: Vec<&str> = pages.flat_map(|page| page.split_whitespace()).collect();
            ids.sort_unstable();
            ids == expected.split(' ').collect::<Vec<_>>()
        });
    }
}

#[test]
fn an_item_that_expires_between_two_pages_takes_no_other_with_it() {
    let text = "open 9; create a ttl=2; create b; create c; create d ttl=2; query by 2; +2; query rest";
    check_correct(text, |answers| {
        let [.., first, rest] = answers else { return false };
        let has = |page: &String, id| page.split(' ').skip(1).any(|one| one == id);
        ["b", "c"].into_iter().all(|id| has(first, id) != has(rest, id)) && !has(rest, "a") && !has(rest, "d")
    });
}

#[test]
fn the_set_has_a_hundred_faults_and_enough_correct_stores() {
    let set = FaultSet::Fifteenth;
    assert_eq!(set.faults().len(), 100);
    assert!(set.correct().len() >= 30);
    let mut names = set.faults().into_iter().map(|fault| fault.name);
    assert!(names.all(|name| name.starts_with("fifteenth-")));
}
