//! Values that are not valid, with every kind of write: each is refused, and everything stays as it was. And the ends of the
//! range of settings: the second before a deadline and the deadline itself.

use std::collections::BTreeSet;

use super::{VectorDraft, ask, opened, query};
use cosmos_ttl_harness::vector::DERIVED;
use cosmos_ttl_harness::vector::render::at;

/// A value that no property takes, its word in a name, and the clauses for an item and for a container.
type InvalidValue = (&'static str, &'static str, [&'static str; 2]);

const NO_INTEGER: [&str; 2] = ["item-not-an-integer-rejected", "container-not-an-integer-rejected"];

const INVALID: [InvalidValue; 8] = [
    ("0", "zero", ["item-zero-rejected", "container-zero-rejected"]),
    ("-2", "below-minus-one", ["item-below-minus-one-rejected", "container-below-minus-one-rejected"]),
    ("2147483648", "above-maximum", ["item-above-maximum-rejected", "container-above-maximum-rejected"]),
    ("1.5", "fraction", NO_INTEGER),
    ("\"1\"", "string", NO_INTEGER),
    ("true", "boolean", NO_INTEGER),
    ("[1]", "array", NO_INTEGER),
    ("{a: 1}", "object", NO_INTEGER),
];

/// As an item's `ttl`, refused since 2024; as a `defaultTtl`, open.
const NULL: InvalidValue = ("null", "null", ["item-null-rejected", "container-null-is-off"]);

pub(super) fn invalid_values() -> Vec<VectorDraft> {
    let null = [on_nothing(NULL), on_items(NULL)];
    let null = null.into_iter().map(|draft| VectorDraft { edition: Some("2024"), ..draft });
    let each = |value| [on_nothing(value), on_items(value), on_container(value), new_container(value)];
    INVALID.into_iter().flat_map(each).chain(null).collect()
}

fn draft(
    (text, word, _): InvalidValue,
    at: &str,
    title: &str,
    clauses: &[&'static str],
    steps: Vec<String>,
) -> VectorDraft {
    VectorDraft {
        section: "domain",
        id: format!("{DERIVED}refuse-{word}-{at}"),
        title: format!("{title}, `{text}` is refused and everything stays as it was"),
        clauses: clauses.iter().copied().collect(),
        edition: None,
        steps,
    }
}

fn on_nothing(value: InvalidValue) -> VectorDraft {
    let (text, _, [clause, _]) = value;
    let mut steps = opened("2");
    for name in ["create", "upsert"] {
        steps.push(ask(name, &format!("id: {name}, ttl: {text}"), "bad-request"));
        steps.push(ask("read", &format!("id: {name}"), "not-found"));
    }
    steps.push(query(&[]));
    let clauses = [clause, "item-rejected-stores-nothing"];
    draft(value, "on-nothing", "As the `ttl` of a new item", &clauses, steps)
}

/// Each write has an item of its own whose life it must not restart.
fn on_items(value: InvalidValue) -> VectorDraft {
    let (text, _, [clause, _]) = value;
    let names = ["create", "upsert", "replace", "patch"].map(String::from);
    let mut steps = opened("2");
    steps.extend(names.iter().map(|name| ask("create", &format!("id: {name}"), "created")));
    steps.push(at(1));
    let refused = |name: &String| {
        // The create is refused for its id as well.
        let conflicts = "{open: refusal-order, first: bad-request, later: conflict}";
        let expect = if name == "create" { conflicts } else { "bad-request" };
        ask(name, &format!("id: {name}, ttl: {text}"), expect)
    };
    steps.extend(names.iter().map(refused));
    steps.extend([query(&names), at(2), query(&[])]);
    let clauses = [clause, "item-rejected-stores-nothing", "failed-write-does-not-restart", "refusal-order"];
    draft(value, "on-living-items", "As the `ttl` of an item that lives", &clauses, steps)
}

fn on_container(value: InvalidValue) -> VectorDraft {
    let (text, _, [_, clause]) = value;
    let mut steps = opened("2");
    steps.extend([
        ask("create", "id: a", "created"),
        at(1),
        ask("replace-container", &format!("defaultTtl: {text}"), "bad-request"),
        query(&["a".into()]),
        at(2),
        query(&[]),
    ]);
    let clauses = [clause, "container-rejected-leaves-container"];
    draft(value, "on-a-container", "As the `defaultTtl` of a container with items", &clauses, steps)
}

fn new_container(value: InvalidValue) -> VectorDraft {
    let (text, _, [_, clause]) = value;
    let mut steps = vec![ask("create-container", &format!("defaultTtl: {text}"), "bad-request")];
    steps.extend(opened("1"));
    steps.extend([ask("create", "id: a", "created"), query(&["a".into()]), at(1), query(&[])]);
    draft(value, "on-no-container", "As the `defaultTtl` of a new container", &[clause], steps)
}

/// The greatest number of seconds that is a setting.
const GREATEST_S: u64 = 2_147_483_647;

pub(super) fn boundary_values() -> Vec<VectorDraft> {
    let lifetimes = [(1, "least"), (GREATEST_S - 1, "next-to-greatest"), (GREATEST_S, "greatest")];
    lifetimes.into_iter().flat_map(of_lifetime).collect()
}

fn of_lifetime((life_s, word): (u64, &str)) -> [VectorDraft; 3] {
    let draft = |id, title: String, shown: [&'static str; 2], default_ttl: &str, item: &str, again| {
        let mut clauses: BTreeSet<&str> = ["gone-at-deadline", "visible-before-deadline"].into();
        clauses.extend(shown);
        clauses.extend((life_s == GREATEST_S).then_some("deadline-does-not-overflow"));
        let mut steps = opened(default_ttl);
        steps.push(ask("create", item, "created"));
        let written_s = if again { life_s - 1 } else { 0 };
        steps.extend((written_s > 0).then(|| at(written_s)));
        steps.extend(again.then(|| ask("upsert", item, "ok")));
        steps.extend(watched(written_s, life_s));
        let id = format!("{DERIVED}{word}-{id}");
        VectorDraft { section: "clock", id, title, clauses, edition: None, steps }
    };
    let (item, default_ttl) = (format!("id: a, ttl: {life_s}"), life_s.to_string());
    let lives = "is there in its last second and gone in the next";
    let own = format!("An item with `ttl` {life_s} {lives}");
    let inherited = format!("An item that inherits `defaultTtl` {life_s} {lives}");
    let again =
        format!("An item with `ttl` {life_s} that is upserted in its last second lives as long again");
    let of_item = ["item-seconds-range", "item-seconds-override"];
    let of_default = ["container-seconds-range", "item-inherits-seconds"];
    let of_write = ["write-restarts-count", "counted-from-last-write"];
    [
        draft("ttl", own, of_item, "-1", &item, false),
        draft("default", inherited, of_default, &default_ttl, "id: a", false),
        draft("ttl-written-again-in-its-last-second", again, of_write, "-1", &item, true),
    ]
}

/// Looks at `a` now, a second before it ends, and when it ends.
fn watched(from_s: u64, life_s: u64) -> Vec<String> {
    let a = ["a".to_owned()];
    let last_s = from_s + life_s - 1;
    let mut steps = vec![query(&a)];
    if from_s < last_s {
        steps.extend([at(last_s), query(&a)]);
    }
    steps.extend([at(last_s + 1), query(&[]), ask("read", "id: a", "not-found")]);
    steps
}
