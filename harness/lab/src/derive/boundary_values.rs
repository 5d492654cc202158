//! The ends of the range of settings: the second before a deadline and the deadline itself, up to the greatest lifetime.

use super::draft::{VectorDraft, ask, opened, query};
use cosmos_ttl_harness::vector::DERIVED;
use cosmos_ttl_harness::vector::render::at;

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
