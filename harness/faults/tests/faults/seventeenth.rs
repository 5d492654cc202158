//! Scripts with the answers that the clauses allow, played against every correct store of the set.

use std::collections::BTreeSet;

use cosmos_ttl_faults::script::Demonstration;
use cosmos_ttl_faults::{CorrectEntry, FaultSet};
use cosmos_ttl_harness::target::{Fault, Removal};

/// Scripts, and what each answer may begin with: alternatives stand between bars. After `=` stands a whole answer, `.` is
/// any one, and `…@3` has a `_ts` three seconds after the first that was shown, or none.
const LEGAL: &[(&str, &[&str])] = &[
    // Settings.
    ("open off; create a ttl=1; +9; read a", &["created", "created", "found {\"ttl\": 1}"]),
    ("open -1; create a; create b ttl=1; +1; query", &["created", "created", "created", "=ok a"]),
    ("open 0; open -2; open 2147483648; open 2147483647", &["bad", "bad", "bad", "created"]),
    ("open 5; create a; set 0; set 9 none; +5; read a", &["created", "created", "bad", "bad", "not-found"]),
    ("open null; create a ttl=1; +1; read a", &["created|bad", ".", "found|not-found"]),
    ("open 5 lazy; create a; set 9 lazy; query; read a", &[".", ".", "ok", "=ok a|=ok ", "found"]),
    ("open 5 lazy; create a; set 9 lazy; query; +1; query", &[".", ".", "ok", ".", "=ok a"]),
    ("open 5 lazy; create a; set 9 lazy; set 8; query", &[".", ".", "ok", "ok", "=ok a"]),
    ("open off none; set 5; set off none; set -1 none", &["created", "ok", "ok", "bad"]),
    ("open 5.0; create a", &["created|bad", "created|not-found"]),
    // Items.
    ("open 5; create a ttl=0; upsert a ttl=-2; read a", &[".", "bad", "bad", "not-found"]),
    ("open 5; create a ttl=2147483648; create a ttl=null; read a", &[".", "bad", "bad", "not-found"]),
    ("open 5; create a ttl=1e1; +5; read a; +5; read a", &[".", ".", "found|not-found", "not-found"]),
    ("open 5; in q create a ttl=2.0; +2; in q read a", &[".", "created|bad", "not-found"]),
    ("open 5; create a ttl=\"9\"; +5; read a", &[".", "created|bad", "not-found"]),
    ("open off; create a ttl=0; read a", &[".", "created|bad", "found {\"ttl\": 0}|not-found"]),
    ("2020; open 5; create a ttl=null; +4; read a; +1; read a", &[".", ".", "found {\"ttl\": null}", "not"]),
    (
        "2020; open 9; create a ttl=2; patch a ttl=null; +8; read a; +1; read a",
        &[".", ".", "ok", "found", "not"],
    ),
    ("open 5; create a TTL=1 _ttl=1 x={\"ttl\":1}; +4; query; +1; query", &[".", ".", "=ok a", "=ok "]),
    // Lifetimes.
    (
        "open 5; create a; create b ttl=9; create c ttl=-1; +5; list; +4; list",
        &[".", ".", ".", ".", "=ok b c", "=ok c"],
    ),
    ("open 2147483647; create a; +2147483646; read a; +1; read a", &[".", ".", "found", "not-found"]),
    ("open -1; create a ttl=2147483647; +2147483646; query; +1; query", &[".", ".", "=ok a", "=ok "]),
    ("open -1; create a ttl=16777217; +16777216; read a; +1; read a", &[".", ".", "found", "not-found"]),
    // Writes.
    (
        "open 5; create a; read a; +3; replace a; read a; +4; read a; +1; read a",
        &[".", ".", "found {}@0", "ok", "found {}@3", "found {}@3", "not-found"],
    ),
    (
        "open 9; create a ttl=2; read a; +1; patch a x=1; +1; read a; +1; read a",
        &[".", ".", "found {\"ttl\": 2}@0", "ok", "found {\"ttl\": 2, \"x\": 1}@1|not-found", "not-found"],
    ),
    (
        "open 9; create a ttl=2; +1; patch a ttl=4; +3; read a; +1; read a",
        &[".", ".", "ok", "found", "not-found"],
    ),
    (
        "open 9; create a ttl=2; +1; patch a -ttl; +8; read a; +1; read a",
        &[".", ".", "ok", "found {}", "not-found"],
    ),
    ("open 9; create a; patch a -x; read a", &[".", ".", "ok|bad", "found {}"]),
    (
        "open 9; create a; patch a _ts=1; read a; +8; read a; +1; query",
        &[".", ".", "ok|bad", "found {}@0", "found {}", "=ok "],
    ),
    (
        "open 9; create a x=1; read a; +3; batch [replace a ttl=2 | delete a | create b | create b]; read a; +5; read a",
        &[".", ".", ".", "conflict at 3", "found {\"x\": 1}@0", "found {\"x\": 1}@0"],
    ),
    (
        "open 9; create a; batch [create a | create b ttl=0]; read b",
        &[".", ".", "conflict at 0|bad-request at 1", "not"],
    ),
    (
        "open 9; create a; create a ttl=0; replace b ttl=0; read b",
        &[".", ".", "conflict|bad", "not-found|bad", "not"],
    ),
    (
        "open 5; create a; read a; +3; read a; query; batch [read a]; +2; read a",
        &[".", ".", ".", "found {}@0", "=ok a", ".", "not"],
    ),
    (
        "open 9; create a; read a; replace a x=1; read a; replace a x=2 if-stale; delete a if-match; read a",
        &[".", ".", ".", "ok", "found", "precondition-failed", "no-content", "not-found"],
    ),
    // Expired items.
    (
        "open 5; create a; +5; replace a; patch a x=1; delete a; read a; query",
        &[".", ".", "not", "not", "not", "not", "=ok "],
    ),
    (
        "open 5; create a; read a; +5; replace a if-match; patch a x=1 if-match; delete a if-match; read a",
        &[".", ".", ".", "not|precondition", "not|precondition", "not|precondition", "not"],
    ),
    (
        "open 9; create a ttl=2 x=1; read a; +2; create a; read a; +8; read a; +1; read a",
        &[".", ".", ".", "created", "found {}@2", "found {}@2", "not"],
    ),
    (
        "open 9; create a ttl=2; read a; +2; create a; replace a x=1 if-stale; read a",
        &[".", ".", ".", "created", "precond", "found {}"],
    ),
    ("open 9; create a ttl=2; +2; upsert a; +2; read a", &[".", ".", "created|ok", "found {}"]),
    ("open 5; create a; create b ttl=-1; +5; count; query", &[".", ".", ".", "=ok 1|=ok 2", "=ok b"]),
    ("open 5; create a; create b ttl=-1; +5; purge; count", &[".", ".", ".", "=ok 1|=ok 2"]),
    (
        "open 9; create a ttl=2; create b; +2; purge; create a; +2; purge; query",
        &[".", ".", ".", "created", "=ok a b"],
    ),
    // Changes of the settings.
    (
        "open 9; create a; read a; +4; set 3; read a; create b; +2; read b",
        &[".", ".", ".", "ok", "not", "created", "found"],
    ),
    (
        "open 5; create a; read a; +3; set 9; read a; +5; read a; +1; read a",
        &[".", ".", ".", "ok", "found {}@0", "found", "not"],
    ),
    (
        "open off; create a; create b ttl=7; +5; set 5; query; +2; query",
        &[".", ".", ".", "ok", "=ok b", "=ok "],
    ),
    (
        "open 5; create a; +5; read a; set off; read a; set 5; read a",
        &[".", ".", "not", "ok", "found {}|not", "ok", "not"],
    ),
    (
        "open 5; create a; +5; purge; set 9; read a; set off; read a",
        &[".", ".", "ok", "found|not", "ok", "found|not"],
    ),
    (
        "open -1; create a ttl=2; +2; set off; read a; set -1; read a; query",
        &[".", ".", "ok", "found|not", "ok", "not", "=ok "],
    ),
    (
        "open 5; create a; read a; set 9; replace a x=1 if-match; read a",
        &[".", ".", ".", "ok", "ok", "found {\"x\": 1}"],
    ),
    // Partitions.
    (
        "open -1; create a ttl=2; in q create a; in q create b; in q query; +2; purge; in q list; query",
        &[".", ".", "created", "created", "=ok a b", "=ok a b", "=ok "],
    ),
    (
        "open 5; in q batch [create a]; +5; in q read a; in q create a; read a",
        &[".", ".", "not", "created", "not"],
    ),
];

/// Scripts that end with a first page and all others, with the items that are on exactly one of them.
const PAGES: &[(&str, &[&str])] = &[
    ("open 9; 5 create a; list by 2; list rest", &["a0", "a1", "a2", "a3", "a4"]),
    ("open 9; create a ttl=1; create b; create c ttl=1; create d; +1; query by 1; query rest", &["b", "d"]),
    ("open 9; create z; in q create b; in q create c; in q list by 1; in q list rest", &["b", "c"]),
];

/// Returns whether an answer is one of the alternatives.
fn is_legal(answer: &str, alternatives: &str) -> bool {
    alternatives.split('|').any(|one| match (one.strip_prefix('='), one.split_once('@')) {
        (Some(whole), _) => answer == whole,
        (None, Some((item, ts))) => {
            let rest = answer.strip_prefix(item).unwrap_or_default();
            rest.starts_with(&format!(" _ts Some({ts}) ")) || rest.starts_with(" _ts None ")
        }
        (None, None) => one == "." || answer.starts_with(one),
    })
}

/// Calls `check` with the answers of each correct store under each schedule that it offers.
fn for_each_correct(text: &str, mut check: impl FnMut(&CorrectEntry, &[String])) {
    let script = Demonstration::parse(text).unwrap();
    for one in FaultSet::Seventeenth.correct() {
        for removal in [Removal::Never, Removal::Eager, Removal::Alternate] {
            match script.play(one.store.target(), Some(removal)) {
                Ok(answers) => check(&one, &answers),
                Err(Fault::Unsupported(_)) => assert_ne!(one.name, "seventeenth-correct-usual", "{text}"),
                Err(other) => panic!("{}: {text}: {other}", one.name),
            }
        }
    }
}

#[test]
fn seventeenth_correct_stores_give_legal_answers() {
    for (text, legal) in LEGAL {
        for_each_correct(text, |one, answers| {
            assert_eq!(answers.len(), legal.len(), "{text}");
            for (answer, alternatives) in answers.iter().zip(*legal) {
                assert!(is_legal(answer, alternatives), "{}: {text}: {answers:#?}", one.name);
            }
        });
    }
}

#[test]
fn seventeenth_pages_hold_each_item_once() {
    for (text, expected) in PAGES {
        for_each_correct(text, |one, answers| {
            let [.., first, rest] = answers else { panic!("{text}: {answers:?}") };
            let pages = [first, rest].map(|page| page.strip_prefix("ok ").unwrap_or_default());
            let mut ids: Vec<&str> = pages.iter().flat_map(|page| page.split_whitespace()).collect();
            ids.sort_unstable();
            assert_eq!(ids, *expected, "{}: {text}", one.name);
        });
    }
}

#[test]
fn seventeenth_correct_stores_differ_from_the_usual_one_on_a_script() {
    let usual = FaultSet::Seventeenth.usual_store();
    let mut same: BTreeSet<&str> = FaultSet::Seventeenth.correct().iter().map(|one| one.name).collect();
    let more = [
        "open 9; create a; create b ttl=2; create c; query by 1; +2; query rest",
        "open 9; create a ttl=2; in q create a ttl=2; +2; count; in q count; in q list by 5",
        "open 9; in q create a ttl=2; in q create b; in q list by 1; +2; in q list rest; in q count",
        "open 9; in q create a ttl=2; +2; set off; in q read a",
        "open 9; create a; create b; patch a; batch [patch a x=1 | patch b x=1]; read a; read b",
        "open 5; create a; +5; set 9; read a",
        "open 5; create a; query by 1; query rest",
        "open 5; create b; query by 1; create a; create c; query rest",
        "open 5; create b; create c; query by 1; create a; create d; query rest",
        "open 5; create a; create b; create c; query by 2; query rest",
        "open 5; create a ttl=2; create b; +2; query by 1; query rest",
        "open off; create a ttl=0; set 5; patch a x=1",
        "open 5; create a ttl=2; +2; query; set off; read a",
        "open 5; create a ttl=1e1; read a",
        "open 5; create a; replace a; read a",
        "open 5; create a; patch a b=1 c=1 d=1 e=1 f=1 g=1 h=1 i=1 j=1 k=1 l=1",
        "open off; create a ttl=0; set 5; +5; read a",
    ];
    for text in LEGAL.iter().map(|(text, _)| *text).chain(more) {
        let script = Demonstration::parse(text).unwrap();
        let expected = script.play(usual.target(), None).unwrap();
        for one in FaultSet::Seventeenth.correct() {
            if script.play(one.store.target(), None).as_ref() != Ok(&expected) {
                same.remove(one.name);
            }
        }
    }
    // What these do differently does not show in the answers to a script.
    let unseen = [
        "seventeenth-correct-clock-across-31-bits",
        "seventeenth-correct-clock-across-32-bits",
        "seventeenth-correct-clock-from-epoch",
        "seventeenth-correct-details",
        "seventeenth-correct-empty-batch-refused",
        "seventeenth-correct-long-batch-refused",
        "seventeenth-correct-never-alone",
        "seventeenth-correct-odd-continuations",
        "seventeenth-correct-odd-etags",
        "seventeenth-correct-usual",
    ];
    assert_eq!(same.into_iter().collect::<Vec<_>>(), unseen);
}

#[test]
fn seventeenth_set_is_as_large_as_it_says() {
    let set = FaultSet::Seventeenth;
    assert_eq!(set.faults().len(), 183);
    assert_eq!(set.correct().len(), 58);
    let mut names = set.faults().into_iter().map(|fault| fault.name);
    assert!(names.all(|name| name.starts_with("seventeenth-")));
}
