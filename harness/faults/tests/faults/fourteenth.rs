//! Scripts with answers written by hand from the clauses, played against every correct store under every schedule.

use cosmos_ttl_faults::FaultSet;
use cosmos_ttl_faults::script::Demonstration;
use cosmos_ttl_harness::target::{Fault, Removal};

/// Each script and its answers, one for each request, separated by `;`. Alternatives are separated by `/`. A word alone is
/// the status; a text that ends with `*` is a beginning; anything else is the whole answer.
const TABLE: &[(&str, &str)] = &[
    // domain: the container
    ("open off; create a ttl=1; +9; read a", "created; created; found"),
    ("open null; create a ttl=1; +1; read a", "created/bad-request; created/not-found; found/not-found"),
    ("open -1; create a; create b ttl=1; +1; read a; read b", "created; created; created; found; not-found"),
    ("open 1; create a; read a; +1; read a", "created; created; found; not-found"),
    ("open 2147483647; create a; +1000000; read a", "created; created; found"),
    ("open 0; open -2; open 2147483648; open 5", "bad-request; bad-request; bad-request; created"),
    (
        r#"open 1.5; open "5"; open true; open [5]; open {}"#,
        "bad-request; bad-request; bad-request; bad-request; bad-request",
    ),
    (
        "open 5; create a; set 0; set -2; set 2147483648; +4; read a; +1; read a",
        "created; created; bad-request; bad-request; bad-request; found; not-found",
    ),
    (
        "open 5; create a; set 2 none; +4; read a; +1; read a",
        "created; created; bad-request; found; not-found",
    ),
    // domain: items
    (
        "open 5; create a ttl=1; create b ttl=-1; create c ttl=2147483647",
        "created; created; created; created",
    ),
    (
        "open 5; create a ttl=0; upsert a ttl=-2; create a ttl=2147483648; read a",
        "created; bad-request; bad-request; bad-request; not-found",
    ),
    ("open 5; create a ttl=null; create a x=null; read a", "created; bad-request; created; found"),
    ("2020; open 5; create a ttl=null; +4; read a; +1; read a", "created; created; found; not-found"),
    ("2020; open -1; create a ttl=3; patch a ttl=null; +3; read a", "created; created; ok; found"),
    ("2020; open 5; create a ttl=0; create a ttl=-2", "created; bad-request; bad-request"),
    (
        r#"open 5; create a ttl="5"; create a ttl=1.5; create a ttl=true; create a ttl={}; read a"#,
        "created; bad-request; bad-request; bad-request; bad-request; not-found",
    ),
    (
        "open 9; create a ttl=2.0; read a; +2; read a",
        "created; created/bad-request; found/not-found; not-found",
    ),
    (
        "open 5; create a ttl=0.0; create a ttl=1e10; create a ttl=1e400; create a ttl=-1e400",
        "created; bad-request; bad-request; bad-request; bad-request",
    ),
    (
        "open off; create a ttl=-1; create b ttl=0; create c ttl=null; set 5; +4; read a",
        "created; created; created/bad-request; created/bad-request; ok; found",
    ),
    (
        "open 5; create a x=1; replace a x=2 ttl=0; patch a x=2 ttl=0; upsert a x=2 ttl=0; read a",
        "created; created; bad-request; bad-request; bad-request; found {\"x\": 1} *",
    ),
    ("open 5; create a; +3; replace a ttl=0; +2; read a", "created; created; bad-request; not-found"),
    ("open -1; create a TTL=1 _ttl=1 timeToLive=1 x={\"ttl\":0}; +1; read a", "created; created; found"),
    // lifetime
    (
        "open 5; create a; create b ttl=8; create c ttl=2; create d ttl=-1; +2; query; +3; query; +3; query; +900; query",
        "created; created; created; created; created; ok a b d; ok b d; ok d; ok d",
    ),
    (
        "open -1; create a; create b ttl=2; create d ttl=-1; +2; list",
        "created; created; created; created; ok a d",
    ),
    (
        "open 5; create a; read a; upsert a ttl=3; read a",
        "created; created; found {} *; ok; found {\"ttl\": 3} *",
    ),
    ("open off; create a ttl=3; read a", "created; created; found {\"ttl\": 3} *"),
    ("open -1; create a ttl=-1; +5000000000; read a", "created; created; found"),
    // clock
    ("open 3; create a; +2; read a; +1; read a; +1; read a", "created; created; found; not-found; not-found"),
    (
        "open -1; create a ttl=2147483647; +2147483646; read a; +1; read a",
        "created; created; found; not-found",
    ),
    (
        "open 5; create a _ts=1; +4; read a; replace a _ts=9999999999; +5; read a",
        "created; created; found {} *; ok; not-found",
    ),
    ("open 5; create a; patch a _ts=1; read a", "created; created; ok/bad-request; found {} *"),
    // writes
    (
        "open 5; create a; +3; replace a; +3; upsert a; +3; patch a x=1; +4; read a; +1; read a",
        "created; created; ok; ok; ok; found; not-found",
    ),
    ("open 5; create a x=1; +3; replace a x=1; +4; read a", "created; created; ok; found"),
    (
        "open 5; create a; +3; read a; query; list; +2; read a",
        "created; created; found; ok a; ok a; not-found",
    ),
    (
        "open 5; create a; +3; create a; patch b x=1; batch [replace a | read b]; +2; read a",
        "created; created; conflict; not-found; not-found at 1; not-found",
    ),
    ("open 9; create a; +3; patch a ttl=2; +1; read a; +1; read a", "created; created; ok; found; not-found"),
    ("open 4; create a ttl=9; +1; replace a; +4; read a", "created; created; ok; not-found"),
    (
        "open 4; create a ttl=2; patch a -ttl; +2; read a; +2; read a",
        "created; created; ok; found {} *; not-found",
    ),
    (
        "open 4; create a; replace a x=1; replace a x=2 if-stale; patch a x=3 if-match; read a",
        "created; created; ok; precondition-failed; ok; found {\"x\": 3} *",
    ),
    (
        "open 9; batch [create a ttl=2 | upsert b | patch b ttl=3 | read a]; +2; query; +1; query",
        "created; ok [Created, Created, Ok, Found]; ok b; ok ",
    ),
    (
        "open 9; create a x=1; batch [replace a x=2 | delete a | create a x=3 | create b | read c]; read a; query",
        "created; created; not-found at 4; found {\"x\": 1} *; ok a",
    ),
    ("open 9; batch [create a | create b ttl=0]; query", "created; bad-request at 1; ok "),
    // expired
    (
        "open 2; create a; +2; read a; replace a; patch a x=1; delete a; query; list; query by 3",
        "created; created; not-found; not-found; not-found; not-found; ok ; ok ; ok ",
    ),
    ("open 2; create a; +2; count", "created; created; ok 0/ok 1"),
    ("open 2; create a; +1; count; batch [read a]", "created; created; ok 1; ok [Found]"),
    (
        "open 2; create a; +2; batch [read a]; batch [patch a x=1]; batch [create a]; read a",
        "created; created; not-found at 0; not-found at 0; ok [Created]; found",
    ),
    (
        "open 9; create a ttl=2 x=1; +2; create a y=1; +8; read a; +1; read a",
        "created; created; created; found {\"y\": 1} *; not-found",
    ),
    (
        "open 2; create a x=1; +3; upsert a y=1; +1; read a; +1; read a",
        "created; created; created/ok; found {\"y\": 1} *; not-found",
    ),
    (
        "open 2; create a; +2; replace a if-match; delete a if-match; read a",
        "created; created; not-found/precondition-failed; not-found/precondition-failed; not-found",
    ),
    // purge
    (
        "open 2; create a; +2; create a ttl=9; purge; +8; read a; +1; read a",
        "created; created; created; found; not-found",
    ),
    (
        "open 3; create a; delete a; create a ttl=9; +3; purge; read a",
        "created; created; no-content; created; found",
    ),
    // settings
    ("open 5; create a; create b ttl=3; set off; +9; query", "created; created; created; ok; ok a b"),
    (
        "open off; create a ttl=3; create b; +2; set -1; read a; +1; query",
        "created; created; created; ok; found; ok b",
    ),
    ("open off; create a; +3; set 2; read a", "created; created; ok; not-found"),
    ("open 9; create a; +3; set 3; read a", "created; created; ok; not-found"),
    ("open 5; create a; +3; set 9; +5; read a; +1; read a", "created; created; ok; found; not-found"),
    (
        "open 5; create a; +3; set 9; set 5; +1; read a; +1; read a",
        "created; created; ok; ok; found; not-found",
    ),
    ("open 5; create a; delete a; set off; read a", "created; created; no-content; ok; not-found"),
    ("open 2; create a ttl=1; +2; set -1; read a", "created; created; ok; not-found"),
    // indexing
    (
        "open 5 none; open -1 none; open off none; set 5 none; set -1 none; set 5; set off none; set off",
        "bad-request; bad-request; created; bad-request; bad-request; ok; ok; ok",
    ),
    ("open 5 lazy; create a; set off lazy; set -1 lazy; read a", "created; created; ok; ok; found"),
    // identity
    (
        "open 5; create a; in q create a ttl=2; in q create b; +2; in q read a; read a; in q query; query",
        "created; created; created; created; not-found; found; ok b; ok a",
    ),
    (
        "open 5; in q batch [create a | create A]; read a; in q delete a; in q list",
        "created; ok [Created, Created]; not-found; no-content; ok A",
    ),
    // paging
    (
        "open 5; 4 create a; list by 9; list rest",
        "created; created; created; created; created; ok *; ok */no page follows",
    ),
    (
        "open 5; 3 create a; query by 2; +5; query rest",
        "created; created; created; created; ok *; ok /no page follows",
    ),
];

/// Whether an answer is the one that is written.
fn is_as_written(answer: &str, written: &str) -> bool {
    match written.strip_suffix('*') {
        Some(beginning) => answer.starts_with(beginning),
        None if written.contains(' ') => answer.trim_end() == written.trim_end(),
        None => answer.split(' ').next() == Some(written),
    }
}

#[test]
fn every_correct_store_answers_as_written() {
    let schedules = [None, Some(Removal::Never), Some(Removal::Eager), Some(Removal::Alternate)];
    for one in FaultSet::Fourteenth.correct() {
        for (text, written) in TABLE {
            let script = Demonstration::parse(text).unwrap();
            let written: Vec<_> = written.split(';').map(str::trim_start).collect();
            for removal in schedules {
                let answers = match script.play(one.store.target(), removal) {
                    Ok(answers) => answers,
                    Err(Fault::Unsupported(_)) => continue,
                    Err(other) => panic!("{}: {text}: {other}", one.name),
                };
                let fits = answers.len() == written.len()
                    && answers.iter().zip(&written).all(|(answer, written)| {
                        let is_item = written.contains('{') && !answer.contains('{');
                        // A store may answer a write without the item.
                        is_item && answer.split(' ').next() == written.split(' ').next()
                            || written.split('/').any(|written| is_as_written(answer, written))
                    });
                assert!(fits, "{} under {removal:?}: {text}\n{answers:#?}\n{written:#?}", one.name);
            }
        }
    }
}

#[test]
fn pages_hold_each_living_item_once() {
    let text = "open 9; create c ttl=2; create a; create e ttl=2; create b; create d; query by 2; +2; replace a; query rest";
    for one in FaultSet::Fourteenth.correct() {
        let script = Demonstration::parse(text).unwrap();
        let answers = match script.play(one.store.target(), None) {
            Ok(answers) => answers,
            Err(Fault::Unsupported(_)) => continue,
            Err(other) => panic!("{}: {other}", one.name),
        };
        let pages = format!("{} {}", answers[6], answers[8]);
        for id in ["a", "b", "d"] {
            assert_eq!(pages.split(' ').filter(|word| *word == id).count(), 1, "{}: {pages}", one.name);
        }
    }
}

#[test]
fn there_are_exactly_one_hundred_faults() {
    let set = FaultSet::Fourteenth;
    assert_eq!(set.faults().len(), 100);
    assert!(set.correct().len() >= 30);
    assert!(set.faults().iter().all(|fault| fault.name.starts_with("fourteenth-")));
}
