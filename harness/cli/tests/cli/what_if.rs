//! What `what-if` says of a change is what two stores list then, at every second that matters; what is no item is refused.

#![allow(clippy::arithmetic_side_effects, reason = "a test counts few seconds")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Body, Container, Document, Item, Operation, Request, Session, Target as _};
use cosmos_ttl_model::choices::{OpenChoice, Preferences};
use cosmos_ttl_mutants::{Choices, IndependentStore, Pick};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use serde_json::Value;

use crate::program::{check_in, directory, says};

/// The second of the change, on the clock of a store.
const AT: i64 = 110 * HOUR_S;
const HOUR_S: i64 = 3_600;

#[test]
fn it_says_what_stores_list() {
    let path = directory("what-if-stores");
    let time = || prop_oneof![1..AT, (1..110_i64).prop_map(|hours| hours * HOUR_S)];
    let seconds = || time().prop_map(|seconds| seconds.to_string());
    let default = || prop_oneof![Just("off".to_owned()), Just("-1".to_owned()), seconds()];
    let words =
        ["", "-1", "null", "0", "-2", "1.5", "\"9\"", "60.0", "1e5", "[]", "2147483647", "2147483648"];
    let ttl = prop_oneof![
        Just(String::new()),
        prop::sample::select(words.to_vec()).prop_map(str::to_owned),
        seconds()
    ];
    let items = prop::collection::vec((time(), ttl), 1..=9);
    let given = (items, default(), default(), any::<[bool; 3]>());
    let config =
        Config { cases: 100, rng_seed: RngSeed::Fixed(41), failure_persistence: None, ..Config::default() };
    let agreed = TestRunner::new(config).run(&given, |(mut items, from, to, [taken, forever, gone])| {
        items.sort();
        let change = [from.as_str(), to.as_str()];
        let preferences = [
            (OpenChoice::WrongTtlIsStored, true),
            (OpenChoice::FractionIsAccepted, taken),
            (OpenChoice::WrongTtlIsForever, forever),
        ];
        let with = |all: Preferences, (choice, yes)| all.with(choice, yes);
        let model = Reference { preferences: preferences.into_iter().fold(Preferences::default(), with) };
        agree(&path, &items, change, false, &mut *model.open().unwrap());
        let pick = |other| if other { Pick::Other } else { Pick::Usual };
        let choices = Choices {
            anything_kept_while_off: Pick::Other,
            fractions_taken: pick(taken),
            kept_is_never: forever,
            latched: pick(gone),
            ..Choices::default()
        };
        let store = IndependentStore { choices, ..IndependentStore::default() };
        agree(&path, &items, change, gone, &mut store.session());
        Ok(())
    });
    agreed.unwrap_or_else(|err| panic!("{err}"));
}

fn agree(path: &Path, items: &[(i64, String)], change: [&str; 2], gone: bool, store: &mut dyn Session) {
    let [from, to] =
        change.map(|default| Container { default_ttl: Literal::parse(default).ok(), ..Container::default() });
    store.send(&Request::CreateContainer(Container::default())).unwrap();
    let (mut now, mut start, mut lines) = (0, 0, Vec::new());
    let mut go = |store: &mut dyn Session, second: i64| {
        store.pass(u64::try_from(second - now).unwrap()).unwrap();
        now = second;
    };
    for (number, (second, ttl)) in items.iter().enumerate() {
        go(store, *second);
        let ttl = Literal::parse(ttl).ok().map(|ttl| ("ttl".to_owned(), ttl));
        let document = Document { id: number.to_string(), properties: ttl.into_iter().collect() };
        let line = document.properties.get("ttl").map_or(String::new(), |ttl| format!(r#", "ttl": {ttl}"#));
        let stored = store.send(&Request::Item(Operation::Create(document))).unwrap().body;
        let Body::Item(Item { ts: Some(ts), .. }) = stored else { panic!("{stored:?}") };
        start = ts - second;
        lines.push(format!("{{\"id\": \"{number}\", \"_ts\": {ts}{line}}}\n"));
    }
    let lines = lines.concat();
    fs::write(path.join("items"), &lines).unwrap();
    let line =
        format!("what-if --from {} --to {} --at {} --format json items", change[0], change[1], start + AT);
    let said: Value = serde_json::from_str(&says(path, &line).out).unwrap();
    let ids = |groups: &[&str]| -> BTreeSet<String> {
        let items = groups.iter().flat_map(|group| said[group]["first"].as_array().unwrap());
        items.map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    };
    let list = |store: &mut dyn Session| match store.send(&Request::Query).unwrap().body {
        Body::Ids(ids) => BTreeSet::from_iter(ids),
        other => panic!("{other:?}"),
    };
    let (all, refused, returning) = (line + "\n" + &lines, ids(&["refused"]), ids(&["may_return"]));
    go(store, AT);
    store.send(&Request::ReplaceContainer(from.clone())).unwrap();
    let before = list(store);
    assert_eq!(&before - &refused, ids(&["at_once", "later", "never"]), "{all}");
    store.send(&Request::ReplaceContainer(to.clone())).unwrap();
    let after = list(store);
    let most = usize::try_from(said["refused_at_once_at_most"].as_u64().unwrap()).unwrap();
    assert!((&(&before - &after) & &refused).len() <= most, "{all}");
    assert_eq!(
        &(&after - &before) - &refused,
        if gone { BTreeSet::new() } else { returning.clone() },
        "{all}"
    );
    store.send(&Request::ReplaceContainer(from)).unwrap();
    let again = if gone { &before - &ids(&["at_once"]) } else { before };
    assert_eq!(&list(store) - &refused, &again - &refused, "taken back: {all}");
    store.send(&Request::ReplaceContainer(to)).unwrap();
    let later = said["later"]["first"].as_array().unwrap().iter();
    let later: Vec<_> = later
        .map(|item| (item["id"].as_str().unwrap(), item["expires_at"].as_i64().unwrap() - start))
        .collect();
    let near = later.iter().flat_map(|(_, end)| [end - 1, *end, end + 1]).filter(|second| *second >= AT);
    let hours = (0..=48).map(|hour| AT + HOUR_S * hour);
    for second in near.chain(hours).collect::<BTreeSet<_>>() {
        go(store, second);
        let living = later.iter().filter(|(_, end)| *end > second).map(|(id, _)| (*id).to_owned());
        let living: BTreeSet<_> = living.chain(ids(&["never"])).collect();
        assert_eq!(&(&list(store) - &refused) - &returning, living, "{second} s: {all}");
        let in_hours = said["hours"].as_object().unwrap().iter();
        let in_hours = in_hours.filter(|(hour, _)| AT + HOUR_S * hour.parse::<i64>().unwrap() <= second);
        let gone = in_hours.map(|(_, count)| count.as_u64().unwrap()).sum::<u64>();
        let lived = ids(&["later", "never"]).len() - living.len();
        let is_hour = (second - AT) % HOUR_S == 0 && second <= AT + 48 * HOUR_S;
        assert!(!is_hour || gone == lived as u64, "{second} s: {all}");
    }
}

#[test]
fn what_is_read_and_refused() {
    let path = directory("what-if");
    let write = |name: &str, text: &str| fs::write(path.join(name), text).unwrap();
    let bad = [
        (r#"{"id": 5, "_ts": 1}"#, "bad: line 2, item 2: `id` is 5 | `_ts`, whole seconds | --skip-bad"),
        (r#"{"id": "b"}"#, "line 2, item 2: `_ts` is missing"),
        (r#"{"id": "b", "_ts": 1.5}"#, "line 2, item 2: `_ts` is 1.5"),
        (r#"{"id": "b", "_ts": 1"#, "line 2, item 2: EOF"),
        (r#"{"id": "b", "id": "b", "_ts": 1}"#, "duplicate field `id`"),
        (r#"{"documents": [], "id": "b", "_ts": 1}"#, "line 2, item 2: no object: ,"),
        (r#"["b", 5]"#, "no object"),
        ("\u{1b}[31mred", r"no object: \u{1b}[31mred | !ESC"),
        (&format!(r#"{{"x": "{}"}}"#, "x".repeat(9 << 20)), "line 2, item 2: no object"),
    ];
    for (text, why) in bad {
        write("bad", &format!("{{\"id\": \"a\", \"_ts\": 1}}\n{text}\n{{\"id\": \"c\", \"_ts\": 1}}"));
        check_in(&path, &format!("2 | what-if --from off --to 60 bad | {why}"));
        let skipped =
            "0 | what-if --from off --to 60 --skip-bad bad | items read: 2, | Nothing is said of them.";
        check_in(&path, skipped);
    }
    write("cut", "[{\"id\": \"b\", \"_ts\": 1},\n");
    write("none", "\n[]\n{\"Documents\": [], \"_count\": 0}");
    // A change of the index set the default to 1, and every item was gone.
    write("index", "{\"id\": \"jan\", \"_ts\": 1000}\n{\"id\": \"feb\\u001b\", \"_ts\": 2000}\n");
    // A default of two hours hid old rows; it was taken back, and they were there again. Here they are as pages and arrays.
    let page = r#"{"_rid": "x", "Documents": [{"id": "old", "_ts": 1000, "x": ["]}"]}, {"id": "new", "_ts": 99000}], "_count": 2}"#;
    let array = r#"[{"id": "kept", "_ts": 1, "ttl": -1}, {"id": "odd", "_ts": 1, "ttl": null}]"#;
    let lines =
        "{\n\"id\": \"own\", \"_ts\": 95000, \"ttl\": 400000\n}\n{\"id\": \"ms\", \"_ts\": 1700000000000}";
    write(
        "rows",
        &format!("\u{feff}{}\n{array}\n{lines}", page.replace(", ", ",\n").replacen('{', "{\n", 1)),
    );
    check_in(
        &path,
        r"
        0 | what-if --from off --to 1 --at 3000 index | items read: 2, | 2 vanish at once jan, feb\u{1b} | 0 never | !ESC
        0 | what-if --from off --to 7200 --at 100000 rows | 1 vanish at once old | 1 never expire kept | 4-5 days 1 █
        0 | what-if --from off --to 7200 --at 100000 rows | 3 expire later new in 103 min, own in 4 days, ms in
        0 | what-if --from off --to 7200 --at 100000 rows | is refused odd null | at most 1 vanish | after this time: 1.
        0 | what-if --from 7200 --to off --at 100000 rows | 1 expired before, and may come back old | `reappearance` is open
        0 | what-if --from -1 --to -1 rows | 0 vanish at once
        3 | what-if --from off --to 60 none | nothing is known of the change
        3 | what-if --from off --to 60 --format json - | !ESC
        2 | what-if --from off --to 60 --skip-bad cut | line 2, item 2: the text ends within an array
        2 | what-if --from off --to 60 nothing | nothing: 
        2 | what-if --from off --to 0 none | `off`, -1, or seconds from 1 to 2147483647
        2 | what-if --from null --to 60 none | `off`, -1, or seconds from 1 to 2147483647
        2 | what-if --from off --to 60 --at 1e9 none | --at
        ",
    );
}
