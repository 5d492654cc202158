//! A vector that expects an item gone expects another one to be there: what counts as gone, and as a witness.

use std::cell::Cell;
use std::collections::BTreeSet;

use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_testing::{GOOD, scratch};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::subsequence;
use proptest::test_runner::{Config, RngSeed, TestRunner};

/// Why a vector with these steps at its end is refused, where `a`, `b` and `w` were written: the item that it means.
fn unwitnessed(steps: &[&str]) -> Option<String> {
    let mut text = GOOD[1].1.split("  steps:").next().unwrap().to_owned();
    text = text.replace("[own, maybe]", "[own, maybe, either]");
    text.push_str("  steps:\n  - create-container: {defaultTtl: 10, expect: created}\n");
    let writes = ["a", "b", "w"].map(|id| format!("create: {{id: {id}, ttl: 20, expect: created}}"));
    for step in writes.iter().map(String::as_str).chain(["at: 20"]).chain(steps.iter().copied()) {
        text.extend(["  - ", step, "\n"]);
    }
    let clauses = format!(
        "{}  - {{id: either, level: open, values: [one, two, three], binds: nothing, evidence: observed, observe: client, sources: [D1],\n     says: \"One of three.\"}}\n",
        GOOD[0].1.split("- section: clock").next().unwrap()
    );
    let evidence = GOOD[2].1.split("- {id: D2").next().unwrap();
    let files = [
        ("lifetime.yaml", text.as_bytes()),
        ("clauses.yaml", clauses.as_bytes()),
        ("evidence.yaml", evidence.as_bytes()),
    ];
    let flaw = Suite::load(&scratch("witnesses", &files)).err()?.to_string();
    let (_, words) = flaw.split_once(": `").unwrap_or_else(|| panic!("{flaw}"));
    let (id, rest) = words.split_once('`').unwrap();
    assert!(rest.starts_with(" is expected gone, and nothing is expected to be there"), "{flaw}");
    Some(id.into())
}

#[track_caller]
fn check_refused(steps: &[&str]) {
    assert_eq!(unwitnessed(steps).as_deref(), Some("a"), "{steps:?}");
}

#[track_caller]
fn check_taken(steps: &[&str]) {
    assert_eq!(unwitnessed(steps), None, "{steps:?}");
}

const GONE: &str = "read: {id: a, expect: not-found}";

#[test]
fn whatever_only_a_gone_item_is_answered_needs_a_witness() {
    for gone in [
        GONE,
        "delete: {id: a, expect: not-found}",
        "create: {id: a, expect: created}",
        "upsert: {id: a, expect: created}",
        "query: {expect: []}",
        "batch: {operations: [{create: {id: x}}, {delete: {id: a}}], expect: {aborted: {at: 1, with: not-found}}}",
    ] {
        check_refused(&[gone]);
        check_taken(&[gone, "read: {id: b, expect: found}", "read: {id: w, expect: found}"]);
    }
}

#[test]
fn an_item_that_answers_as_if_it_were_there_is_a_witness() {
    for there in [
        "read: {id: w, expect: found}",
        "create: {id: w, expect: conflict}",
        "upsert: {id: w, expect: ok}",
        "replace: {id: w, expect: ok}",
        "patch: {id: w, value: 1, expect: ok}",
        "delete: {id: w, expect: no-content}",
        "query: {expect: [w]}",
        "list: {expect: [b, w]}",
        "count: {expect: 1}",
    ] {
        check_taken(&[GONE, there]);
    }
    check_taken(&[
        "upsert: {id: w, expect: ok}",
        GONE,
        "delete: {id: w, if-match: stale, expect: precondition-failed}",
    ]);
}

#[test]
fn what_may_be_answered_of_an_empty_store_is_no_witness() {
    for none in [
        "create: {id: w, expect: created}",
        "upsert: {id: w, expect: created}",
        "delete: {id: w, expect: not-found}",
        "read: {id: a, expect: found}",
        "create: {id: x, expect: created}",
        "query: {expect: [x]}",
        "query: {expect: [a]}",
        "count: {expect: 0}",
        "batch: {operations: [{create: {id: x}}], expect: {committed: [created]}}",
    ] {
        check_refused(&[GONE, none]);
    }
}

#[test]
fn a_witness_from_before_the_last_change_or_an_earlier_second_is_none() {
    let there = "read: {id: w, expect: found}";
    check_refused(&[there, "replace-container: {expect: ok}", GONE]);
    check_taken(&["replace-container: {expect: ok}", there, GONE]);
    check_refused(&[there, "at: 21", GONE]);
    check_taken(&[GONE, "at: 21", there]);
}

#[test]
fn every_choice_of_an_open_clause_needs_its_own_witness() {
    let there = "{found: {value: 1}}";
    let three = |one: &str, two: &str, three: &str| {
        format!("read: {{id: w, expect: {{open: either, one: {one}, two: {two}, three: {three}}}}}")
    };
    check_taken(&[GONE, &three(there, "found", "found")]);
    for [one, two, last] in
        [["not-found", "found", "found"], ["found", "not-found", "found"], ["found", "found", "not-found"]]
    {
        check_refused(&[GONE, &three(one, two, last)]);
    }
    // A choice between values of one clause leaves what is said under another as it is.
    let other = "read: {id: b, expect: {open: maybe, back: found, gone: not-found}}";
    check_taken(&[GONE, &three("found", "found", "found"), other]);
    check_taken(&[
        "read: {id: a, expect: {open: maybe, back: found, gone: not-found}}",
        &three("found", "found", "found"),
    ]);
}

/// A step of a small vector.
#[derive(Clone, Debug)]
enum Small {
    Wait,
    ReplaceContainer,
    /// Whether the item was not there before.
    Upsert(usize, bool),
    /// Whether it is there.
    Read(usize, bool),
    Query(Vec<usize>),
    Count(u64),
}

const IDS: [&str; 3] = ["a", "b", "c"];

fn small() -> impl Strategy<Value = Vec<Small>> {
    let id = 0..IDS.len();
    let step = prop_oneof![
        Just(Small::Wait),
        Just(Small::ReplaceContainer),
        (id.clone(), any::<bool>()).prop_map(|(id, new)| Small::Upsert(id, new)),
        (id.clone(), any::<bool>()).prop_map(|(id, there)| Small::Read(id, there)),
        subsequence(id.collect::<Vec<_>>(), 0..=IDS.len()).prop_map(Small::Query),
        (0..2_u64).prop_map(Small::Count),
    ];
    vec(step, 0..10)
}

fn yaml(steps: &[Small]) -> String {
    let mut text = "format: 1\nsection: lifetime\nvectors:\n- id: own-ttl\n  title: It holds\n  clauses: [own]\n  steps:\n  \
                    - create-container: {expect: created}\n"
        .to_owned();
    let mut second = 0;
    for step in steps {
        let line = match step {
            Small::Wait => {
                second += 1;
                format!("at: {second}")
            }
            Small::ReplaceContainer => "replace-container: {expect: ok}".to_owned(),
            Small::Upsert(id, new) => {
                format!("upsert: {{id: {}, expect: {}}}", IDS[*id], if *new { "created" } else { "ok" })
            }
            Small::Read(id, there) => {
                format!("read: {{id: {}, expect: {}}}", IDS[*id], if *there { "found" } else { "not-found" })
            }
            Small::Query(ids) => {
                let ids: Vec<_> = ids.iter().map(|id| IDS[*id]).collect();
                format!("query: {{expect: [{}]}}", ids.join(", "))
            }
            Small::Count(count) => format!("count: {{expect: {count}}}"),
        };
        text.extend(["  - ", &line, "\n"]);
    }
    text + "  - read: {id: z, expect: not-found}\n"
}

/// The definition, item by item and step by step.
fn every_gone_item_has_a_witness(steps: &[Small]) -> bool {
    let seconds: Vec<usize> = (0..steps.len())
        .map(|number| steps[..number].iter().filter(|step| matches!(step, Small::Wait)).count())
        .collect();
    let (mut made, mut since) = (BTreeSet::new(), 0);
    for (number, step) in steps.iter().enumerate() {
        let shows_another = |other: &usize, id: usize, made: &BTreeSet<usize>| match &steps[*other] {
            Small::Upsert(there, false) | Small::Read(there, true) => *there != id && made.contains(there),
            Small::Query(ids) => ids.iter().any(|there| *there != id && made.contains(there)),
            Small::Count(count) => *count > 0,
            _ => false,
        };
        if matches!(step, Small::ReplaceContainer) {
            since = number;
        }
        for id in &made {
            let gone = match step {
                Small::Upsert(one, true) | Small::Read(one, false) => one == id,
                Small::Query(ids) => !ids.contains(id),
                _ => false,
            };
            let mut later = (since..steps.len()).filter(|other| seconds[number] <= seconds[*other]);
            if gone && !later.any(|other| shows_another(&other, *id, &made)) {
                return false;
            }
        }
        if let Small::Upsert(id, _) = step {
            made.insert(*id);
        }
    }
    true
}

#[test]
fn a_vector_loads_exactly_if_every_gone_item_has_a_witness() {
    let suite = Suite::load(&scratch("witnesses-small", &[])).unwrap();
    let refused = Cell::new(0);
    let config =
        Config { cases: 3_000, rng_seed: RngSeed::Fixed(10), failure_persistence: None, ..Config::default() };
    let found = TestRunner::new(config).run(&small(), |steps| {
        let text = yaml(&steps);
        let loaded = suite.read_file("lifetime.yaml", text.clone());
        let has_witnesses = match &loaded {
            Ok(_) => true,
            Err(flaw) if flaw.what.contains("nothing is expected to be there") => false,
            Err(flaw) => panic!("{flaw}\n{text}"),
        };
        refused.set(refused.get() + u32::from(!has_witnesses));
        assert_eq!(has_witnesses, every_gone_item_has_a_witness(&steps), "{text}");
        Ok(())
    });
    found.unwrap_or_else(|err| panic!("{err}"));
    assert!((300..2_700).contains(&refused.get()), "{} are refused", refused.get());
}
