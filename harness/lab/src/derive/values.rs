//! Values that are no setting, at every kind of write: each is refused, and everything stays as it was. And the ends of the
//! range of settings: the second before a deadline and the deadline itself.

use super::draft::{VectorDraft, ask, opened, query, witness};
use cosmos_ttl_harness::vector::DERIVED;
use cosmos_ttl_harness::vector::render::at;

/// A value that no property takes, its word in a name, and the clauses for an item and for a container.
struct InvalidValue {
    text: &'static str,
    word: &'static str,
    item: &'static str,
    container: &'static str,
}

const fn value(text: &'static str, word: &'static str, clauses: [&'static str; 2]) -> InvalidValue {
    let [item, container] = clauses;
    InvalidValue { text, word, item, container }
}

const NO_INTEGER: [&str; 2] = ["item-not-an-integer-rejected", "container-not-an-integer-rejected"];

const INVALID: [InvalidValue; 8] = [
    value("0", "zero", ["item-zero-rejected", "container-zero-rejected"]),
    value("-2", "below-minus-one", ["item-below-minus-one-rejected", "container-below-minus-one-rejected"]),
    value("2147483648", "above-maximum", ["item-above-maximum-rejected", "container-above-maximum-rejected"]),
    value("1.5", "fraction", NO_INTEGER),
    value("\"1\"", "string", NO_INTEGER),
    value("true", "boolean", NO_INTEGER),
    value("[1]", "array", NO_INTEGER),
    value("{a: 1}", "object", NO_INTEGER),
];

/// As an item's `ttl`, refused since 2024; as a `defaultTtl`, open.
const NULL: InvalidValue = value("null", "null", ["item-null-rejected", "container-null-is-off"]);

pub(super) fn invalid_values() -> Vec<VectorDraft> {
    let each = |value| [on_nothing(value), on_items(value), on_container(value), new_container(value)];
    let null = [on_nothing(&NULL), on_items(&NULL)];
    let null = null.into_iter().map(|draft| VectorDraft { edition: Some("2024"), ..draft });
    INVALID.iter().flat_map(each).chain(null).collect()
}

fn draft(
    value: &InvalidValue,
    at: &str,
    title: &str,
    clauses: &[&'static str],
    steps: Vec<String>,
) -> VectorDraft {
    VectorDraft {
        section: "domain",
        id: format!("{DERIVED}refuse-{}-{at}", value.word),
        title: format!("{title}, `{}` is refused and everything stays as it was", value.text),
        clauses: clauses.iter().copied().collect(),
        edition: None,
        steps,
    }
}

fn on_nothing(value: &InvalidValue) -> VectorDraft {
    let mut steps = opened("2");
    for name in ["create", "upsert"] {
        steps.push(ask(name, &format!("id: {name}, ttl: {}", value.text), "bad-request"));
        steps.push(ask("read", &format!("id: {name}"), "not-found"));
    }
    steps.push(query(&[]));
    let clauses = [value.item, "item-rejected-stores-nothing"];
    draft(value, "on-nothing", "As the `ttl` of a new item", &clauses, steps)
}

/// Each write has an item of its own whose life it must not restart.
fn on_items(value: &InvalidValue) -> VectorDraft {
    let names = ["create", "upsert", "replace", "patch"].map(String::from);
    let mut steps = opened("2");
    steps.extend(names.iter().map(|name| ask("create", &format!("id: {name}"), "created")));
    steps.push(at(1));
    let refused = |name: &String| ask(name, &format!("id: {name}, ttl: {}", value.text), "bad-request");
    steps.extend(names.iter().map(refused));
    steps.extend([query(&names), at(2), query(&[])]);
    let clauses = [value.item, "item-rejected-stores-nothing", "failed-write-does-not-restart"];
    draft(value, "on-living-items", "As the `ttl` of an item that lives", &clauses, steps)
}

fn on_container(value: &InvalidValue) -> VectorDraft {
    let mut steps = opened("2");
    steps.extend([
        ask("create", "id: a", "created"),
        at(1),
        ask("replace-container", &format!("defaultTtl: {}", value.text), "bad-request"),
        query(&["a".into()]),
        at(2),
        query(&[]),
    ]);
    let clauses = [value.container, "container-rejected-leaves-container"];
    draft(value, "on-a-container", "As the `defaultTtl` of a container with items", &clauses, steps)
}

fn new_container(value: &InvalidValue) -> VectorDraft {
    let steps = vec![
        ask("create-container", &format!("defaultTtl: {}", value.text), "bad-request"),
        ask("create-container", "defaultTtl: 1", "created"),
        witness(),
        ask("create", "id: a", "created"),
        query(&["a".into()]),
        at(1),
        query(&[]),
    ];
    draft(value, "on-no-container", "As the `defaultTtl` of a new container", &[value.container], steps)
}

/// The greatest number of seconds that is a setting.
const GREATEST_S: u64 = 2_147_483_647;

pub(super) fn boundary_values() -> Vec<VectorDraft> {
    let lifetimes = [(1, "least"), (GREATEST_S - 1, "next-to-greatest"), (GREATEST_S, "greatest")];
    lifetimes.into_iter().flat_map(of_lifetime).collect()
}

fn of_lifetime((life_s, word): (u64, &str)) -> [VectorDraft; 3] {
    let draft = |id: &str, title: String, cited: [&'static str; 2], steps: Vec<String>| {
        let mut clauses: Vec<&'static str> = vec!["gone-at-deadline", "visible-before-deadline"];
        clauses.extend(cited);
        clauses.extend((life_s == GREATEST_S).then_some("deadline-does-not-overflow"));
        let id = format!("{DERIVED}{word}-{id}");
        VectorDraft {
            section: "clock",
            id,
            title,
            clauses: clauses.into_iter().collect(),
            edition: None,
            steps,
        }
    };
    let with_ttl = format!("id: a, ttl: {life_s}");
    let created = ask("create", &with_ttl, "created");

    let mut own = opened("-1");
    own.push(created.clone());
    own.extend(watched(0, life_s));

    let mut inherited = opened(&life_s.to_string());
    inherited.push(ask("create", "id: a", "created"));
    inherited.extend(watched(0, life_s));

    let last_s = life_s - 1;
    let mut again = opened("-1");
    again.push(created);
    again.extend((last_s > 0).then(|| at(last_s)));
    again.push(ask("upsert", &with_ttl, "ok"));
    again.extend(watched(last_s, life_s));

    [
        draft(
            "ttl",
            format!("An item with `ttl` {life_s} is there in its last second and gone in the next"),
            ["item-seconds-range", "item-seconds-override"],
            own,
        ),
        draft(
            "default",
            format!(
                "An item that inherits `defaultTtl` {life_s} is there in its last second and gone in the next"
            ),
            ["container-seconds-range", "item-inherits-seconds"],
            inherited,
        ),
        draft(
            "ttl-written-again-in-its-last-second",
            format!("An item with `ttl` {life_s} that is upserted in its last second lives as long again"),
            ["write-restarts-count", "counted-from-last-write"],
            again,
        ),
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
