//! The fifth set: each fault shows itself, and each entry is well formed.

use std::collections::BTreeMap;

use cosmos_ttl_faults::fifth::{DepotStore, all_correct};
use cosmos_ttl_faults::script::Demonstration;
use cosmos_ttl_harness::target::{Fault, Removal, Target};

fn played(store: &dyn Target, script: &str, removal: Option<Removal>) -> Result<Vec<String>, Fault> {
    Demonstration::parse(script).map_err(Fault::Misuse)?.play(store, removal)
}

/// The demands of the clauses, request by request.
#[test]
fn the_correct_store_obeys() {
    let table: &[(&str, &str)] = &[
        ("open 5; create a; +4; read a; +1; read a", "created,created,found,not-found"),
        ("open off; create a ttl=5; +9; read a; set -1; read a", "created,created,found,ok,not-found"),
        ("open -1; create a ttl=2; create b; +2; query; count", "created,created,created,ok b,ok 1"),
        ("open 0; open -2; open 2147483648; open 2147483647", "bad-request,bad-request,bad-request,created"),
        ("open 5 none; open off none; set 5 none; set 5", "bad-request,created,bad-request,ok"),
        (
            "open 5; create a ttl=0; create a ttl=null; create a ttl=-1",
            "created,bad-request,bad-request,created",
        ),
        ("2020; open 5; create a ttl=null; +5; read a", "created,created,not-found"),
        (
            "open 5; create a; +5; replace a; patch a x=1; delete a; create a",
            "created,created,not-found,not-found,not-found,created",
        ),
        (
            "open 5; create a; +3; replace a; +3; upsert a; +3; patch a x=1; +4; read a; +1; read a",
            "created,created,ok,ok,ok,found,not-found",
        ),
        (
            "open 5; create a; +3; create a; read a; query; list; +2; read a",
            "created,created,conflict,found,ok a,ok a,not-found",
        ),
        (
            "open 5; create a; set 0; set 10; +9; read a; set 5; read a",
            "created,created,bad-request,ok,found,ok,not-found",
        ),
        (
            "open 100; create a ttl=5; replace a; +5; read a; patch a ttl=5; patch a -ttl; +5; read a",
            "created,created,ok,found,ok,ok,found",
        ),
        (
            "open 5; create a; +5; batch [create b | replace a]; read b; batch [create a | read a]",
            "created,created,not-found at 1,not-found,ok [Created, Found]",
        ),
        (
            "open -1; create a ttl=5; in q create a; +5; purge; in q read a; read a",
            "created,created,created,found,not-found",
        ),
        (
            "open -1; create a; create b ttl=5; create c; query by 1; +5; query rest",
            "created,created,created,created,ok a,ok c",
        ),
        (
            "open 5; create a; replace a; delete a if-stale; delete a if-match",
            "created,created,ok,precondition-failed,no-content",
        ),
        ("open 5 lazy; create a; +5; read a; query", "created,created,not-found,ok "),
        (
            "open -1; create a ttl=2147483647; +2147483646; read a; +1; read a",
            "created,created,found,not-found",
        ),
    ];
    for (script, expected) in table {
        let answers = played(&DepotStore::CORRECT, script, None).unwrap();
        let short: Vec<&str> =
            answers.iter().map(|answer| answer.split(" {").next().unwrap_or_default()).collect();
        assert_eq!(short.join(","), *expected, "{script}");
    }
}

/// A choice changes answers of some demonstrations, and never the visibility of a living item in a plain read.
#[test]
fn correct_stores_expire_alike() {
    let script = "open 5; create a; create b ttl=9; create c ttl=-1; +4; read a; +1; read a; read b; +4; read b; read c";
    let expected = played(&DepotStore::CORRECT, script, None).unwrap();
    let statuses = |answers: &[String]| -> Vec<String> {
        answers.iter().map(|answer| answer.split(' ').next().unwrap_or_default().into()).collect()
    };
    for one in all_correct() {
        let answers = played(&one.store(), script, None).unwrap();
        assert_eq!(statuses(&answers), statuses(&expected), "{}", one.name);
    }
}

/// Draws one of several words.
fn drawn<'w>(state: &mut u64, words: &[&'w str]) -> &'w str {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let number = usize::try_from(*state >> 33).unwrap_or(0).checked_rem(words.len()).unwrap_or(0);
    words.get(number).copied().unwrap_or_default()
}

/// Draws an operation as text.
fn operation(state: &mut u64) -> String {
    let kinds = ["create", "create", "upsert", "upsert", "replace", "patch", "read", "read", "delete"];
    let kind = drawn(state, &kinds);
    let id = drawn(state, &["a", "b", "c"]);
    let ttl = drawn(state, &["", "ttl=1", "ttl=2", "ttl=4", "ttl=-1", "ttl=0", "x=1"]);
    let ttl = if matches!(kind, "read" | "delete") { "" } else { ttl };
    format!("{kind} {id} {ttl}").trim_end().into()
}

/// Draws a script; either with batches, or with changes of settings.
fn script(state: &mut u64, has_batches: bool) -> String {
    let mut text = drawn(state, &["open 3", "open -1", "open off"]).to_owned();
    for _ in 0..30 {
        let partition = drawn(state, &["in q ", "", ""]);
        let statement = match drawn(state, &["+", "+", "query", "special", "", "", "", ""]) {
            "+" => drawn(state, &["+1", "+2", "+3"]).to_owned(),
            "query" => format!("{partition}query"),
            "special" if has_batches => {
                format!("{partition}batch [{} | {}]", operation(state), operation(state))
            }
            "special" => drawn(state, &["set off", "set -1", "set 2", "set 5", "set 0"]).to_owned(),
            _ => format!("{partition}{}", operation(state)),
        };
        text = format!("{text}; {statement}");
    }
    text
}

/// No schedule of removal shows in drawn scripts.
#[test]
fn removal_does_not_show_in_drawn_scripts() {
    let mut state = 4;
    for _ in 0..2_000 {
        let script = script(&mut state, true);
        let never = played(&DepotStore::CORRECT, &script, Some(Removal::Never)).unwrap();
        for removal in [Removal::Eager, Removal::Alternate] {
            let answers = played(&DepotStore::CORRECT, &script, Some(removal)).unwrap();
            assert_eq!(answers, never, "{script}");
        }
        for one in all_correct().filter(|one| one.name.starts_with("own-") || one.name.contains("newest")) {
            let answers = played(&one.store(), &script, None);
            let has_traces = one.name.contains("counts") || one.name.contains("conditions");
            assert!(has_traces || answers.as_ref() == Ok(&never), "{} {script} {answers:?}", one.name);
        }
    }
}

/// The demands of the clauses for drawn scripts without batches, from nothing but the last write of each item.
///
/// An item is its second and its `ttl`, where 0 is none. Items that expired come back with other settings.
fn plainly(script: &str) -> Vec<String> {
    let mut items: BTreeMap<(String, String), (i64, i64)> = BTreeMap::new();
    let mut answers = Vec::new();
    let (mut now, mut default) = (0_i64, None::<i64>);
    for statement in script.split(';').map(str::trim) {
        let (partition, statement) =
            statement.strip_prefix("in q ").map_or(("p", statement), |rest| ("q", rest));
        let words: Vec<&str> = statement.split(' ').collect();
        let is_living = |(ts, ttl): &(i64, i64)| {
            default.is_none_or(|default| {
                let life = if *ttl == 0 { default } else { *ttl };
                life == -1 || ts.saturating_add(life) > now
            })
        };
        let (kind, id) = match *words.as_slice() {
            [pass] if pass.starts_with('+') => {
                now = now.saturating_add(pass.parse().unwrap_or(0));
                continue;
            }
            ["query"] => {
                let own = items.iter().filter(|((owner, _), item)| owner == partition && is_living(item));
                let ids: Vec<&str> = own.map(|((_, id), _)| id.as_str()).collect();
                answers.push(format!("ok {}", ids.join(" ")));
                continue;
            }
            ["set", "0"] => {
                answers.push("bad-request".into());
                continue;
            }
            ["open" | "set", value] => {
                default = value.parse().ok();
                answers.push(if words.first() == Some(&"open") { "created" } else { "ok" }.into());
                continue;
            }
            [kind, id, ..] => (kind, id),
            _ => continue,
        };
        let sent = words.get(2).and_then(|word| word.strip_prefix("ttl="));
        let sent: Option<i64> = sent.and_then(|ttl| ttl.parse().ok());
        let key = (partition.to_owned(), id.to_owned());
        let old = items.get(&key).filter(|item| is_living(item)).copied();
        // While the container is off, a wrong value is stored as data.
        let answer = match (kind, old) {
            ("create" | "upsert" | "replace" | "patch", _) if sent == Some(0) && default.is_some() => {
                "bad-request"
            }
            ("create", Some(_)) => "conflict",
            ("replace" | "patch" | "read" | "delete", None) => "not-found",
            ("read", Some(_)) => "found",
            ("delete", Some(_)) => {
                items.remove(&key);
                "no-content"
            }
            (kind, old) => {
                let kept = old.filter(|_| kind == "patch").map_or(0, |(_, ttl)| ttl);
                items.insert(key, (now, sent.unwrap_or(kept)));
                if old.is_some() { "ok" } else { "created" }
            }
        };
        answers.push(answer.into());
    }
    answers
}

#[test]
fn the_correct_store_obeys_in_drawn_scripts() {
    let mut state = 7;
    for _ in 0..5_000 {
        let script = script(&mut state, false);
        let answers = played(&DepotStore::CORRECT, &script, Some(Removal::Never)).unwrap();
        let short: Vec<&str> =
            answers.iter().map(|answer| answer.split(" {").next().unwrap_or_default()).collect();
        assert_eq!(short, plainly(&script), "{script}");
    }
}
