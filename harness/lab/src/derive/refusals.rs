//! Every value that is no setting, at every kind of write: it is refused, and everything stays as it was, the remaining
//! life included.

use std::collections::BTreeSet;

use super::story::Story;
use cosmos_ttl_explore::draft::Line;
use cosmos_ttl_harness::vector::DERIVED;

/// A value that no property takes, its word in a name, and the clauses for an item and for a container.
struct Wrong {
    text: &'static str,
    word: &'static str,
    item: &'static str,
    container: &'static str,
}

const NOT_AN_INTEGER: (&str, &str) = ("item-not-an-integer-rejected", "container-not-an-integer-rejected");

const WRONG: [Wrong; 8] = [
    Wrong::new("0", "zero", ("item-zero-rejected", "container-zero-rejected")),
    Wrong::new(
        "-2",
        "below-minus-one",
        ("item-below-minus-one-rejected", "container-below-minus-one-rejected"),
    ),
    Wrong::new(
        "2147483648",
        "above-maximum",
        ("item-above-maximum-rejected", "container-above-maximum-rejected"),
    ),
    Wrong::new("1.5", "fraction", NOT_AN_INTEGER),
    Wrong::new("\"1\"", "string", NOT_AN_INTEGER),
    Wrong::new("true", "boolean", NOT_AN_INTEGER),
    Wrong::new("[1]", "array", NOT_AN_INTEGER),
    Wrong::new("{a: 1}", "object", NOT_AN_INTEGER),
];

/// As an item's `ttl`, refused since 2024; as a `defaultTtl`, open.
const NULL: Wrong = Wrong::new("null", "null", ("item-null-rejected", "container-null-is-off"));

impl Wrong {
    const fn new(text: &'static str, word: &'static str, clauses: (&'static str, &'static str)) -> Self {
        Self { text, word, item: clauses.0, container: clauses.1 }
    }
}

pub(super) fn refusals() -> Vec<Story> {
    let each = |wrong| [on_nothing(wrong), on_items(wrong), on_container(wrong), new_container(wrong)];
    let null = [on_nothing(&NULL), on_items(&NULL)];
    let null = null.into_iter().map(|story| Story { edition: Some("2024"), ..story });
    WRONG.iter().flat_map(each).chain(null).collect()
}

fn id(name: &str) -> String {
    format!("id: {name}")
}

fn ttl(wrong: &Wrong) -> String {
    format!("ttl: {}", wrong.text)
}

fn opened() -> Vec<Line> {
    vec![Line::ask("create-container", vec!["defaultTtl: 2".into()], "created"), Line::witness()]
}

fn story(wrong: &Wrong, at: &str, title: &str, clauses: &[&'static str], lines: Vec<Line>) -> Story {
    Story {
        section: "domain",
        id: format!("{DERIVED}refuse-{}-{at}", wrong.word),
        title: format!("{title}, `{}` is refused and everything stays as it was", wrong.text),
        clauses: clauses.iter().copied().collect::<BTreeSet<_>>(),
        edition: None,
        lines,
    }
}

fn on_nothing(wrong: &Wrong) -> Story {
    let mut lines = opened();
    for name in ["create", "upsert"] {
        lines.push(Line::ask(name, vec![id(name), ttl(wrong)], "bad-request"));
        lines.push(Line::ask("read", vec![id(name)], "not-found"));
    }
    lines.push(Line::query(&[]));
    let clauses = [wrong.item, "item-rejected-stores-nothing"];
    story(wrong, "on-nothing", "As the `ttl` of a new item", &clauses, lines)
}

/// Each write has an item of its own whose life it must not restart.
fn on_items(wrong: &Wrong) -> Story {
    let names = ["create", "upsert", "replace", "patch"];
    let mut lines = opened();
    lines.extend(names.map(|name| Line::ask("create", vec![id(name)], "created")));
    lines.push(Line::At(1));
    lines.extend(names.map(|name| Line::ask(name, vec![id(name), ttl(wrong)], "bad-request")));
    lines.push(Line::query(&names.map(String::from)));
    lines.extend([Line::At(2), Line::query(&[])]);
    let clauses = [wrong.item, "item-rejected-stores-nothing", "failed-write-does-not-restart"];
    story(wrong, "on-living-items", "As the `ttl` of an item that lives", &clauses, lines)
}

fn on_container(wrong: &Wrong) -> Story {
    let a = ["a".to_owned()];
    let mut lines = opened();
    lines.extend([
        Line::ask("create", vec![id("a")], "created"),
        Line::At(1),
        Line::ask("replace-container", vec![format!("defaultTtl: {}", wrong.text)], "bad-request"),
        Line::query(&a),
        Line::At(2),
        Line::query(&[]),
    ]);
    let clauses = [wrong.container, "container-rejected-leaves-container"];
    story(wrong, "on-a-container", "As the `defaultTtl` of a container with items", &clauses, lines)
}

fn new_container(wrong: &Wrong) -> Story {
    let lines = vec![
        Line::ask("create-container", vec![format!("defaultTtl: {}", wrong.text)], "bad-request"),
        Line::ask("create-container", vec!["defaultTtl: 1".into()], "created"),
        Line::witness(),
        Line::ask("create", vec![id("a")], "created"),
        Line::query(&["a".into()]),
        Line::At(1),
        Line::query(&[]),
    ];
    story(wrong, "on-no-container", "As the `defaultTtl` of a new container", &[wrong.container], lines)
}
