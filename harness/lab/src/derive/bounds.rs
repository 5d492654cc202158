//! The ends of the range of settings: the second before a deadline and the deadline itself, up to the greatest lifetime.

use std::collections::BTreeSet;

use super::story::Story;
use cosmos_ttl_explore::draft::Line;
use cosmos_ttl_harness::vector::DERIVED;

/// The greatest number of seconds that is a setting.
const GREATEST_S: u64 = 2_147_483_647;

pub(super) fn bounds() -> Vec<Story> {
    let lifetimes = [1, GREATEST_S.saturating_sub(1), GREATEST_S];
    lifetimes.into_iter().flat_map(|life_s| [own(life_s), inherited(life_s), again(life_s)]).collect()
}

fn word(life_s: u64) -> String {
    match life_s {
        1 => "least".into(),
        GREATEST_S => "greatest".into(),
        _ => "next-to-greatest".into(),
    }
}

fn story(id: &str, title: String, life_s: u64, clauses: &[&'static str], lines: Vec<Line>) -> Story {
    let mut clauses: BTreeSet<&'static str> = clauses.iter().copied().collect();
    clauses.extend(["gone-at-deadline", "visible-before-deadline"]);
    if life_s == GREATEST_S {
        clauses.insert("deadline-does-not-overflow");
    }
    Story { section: "clock", id: format!("{DERIVED}{id}"), title, clauses, edition: None, lines }
}

/// Looks at `a` a second before it ends, and when it ends.
fn watched(from_s: u64, life_s: u64) -> Vec<Line> {
    let a = ["a".to_owned()];
    let end_s = from_s.saturating_add(life_s);
    let last_s = end_s.saturating_sub(1);
    let mut lines = vec![Line::query(&a)];
    if from_s < last_s {
        lines.extend([Line::At(last_s), Line::query(&a)]);
    }
    lines.extend([Line::At(end_s), Line::query(&[]), Line::ask("read", vec!["id: a".into()], "not-found")]);
    lines
}

fn opened(default_s: &str) -> Vec<Line> {
    vec![Line::ask("create-container", vec![format!("defaultTtl: {default_s}")], "created"), Line::witness()]
}

fn own(life_s: u64) -> Story {
    let mut lines = opened("-1");
    lines.push(Line::ask("create", vec!["id: a".into(), format!("ttl: {life_s}")], "created"));
    lines.extend(watched(0, life_s));
    let title = format!("An item with `ttl` {life_s} is there in its last second and gone in the next");
    let clauses = ["item-seconds-range", "item-seconds-override"];
    story(&format!("{}-ttl", word(life_s)), title, life_s, &clauses, lines)
}

fn inherited(life_s: u64) -> Story {
    let mut lines = opened(&life_s.to_string());
    lines.push(Line::ask("create", vec!["id: a".into()], "created"));
    lines.extend(watched(0, life_s));
    let title = format!(
        "An item that inherits `defaultTtl` {life_s} is there in its last second and gone in the next"
    );
    let clauses = ["container-seconds-range", "item-inherits-seconds"];
    story(&format!("{}-default", word(life_s)), title, life_s, &clauses, lines)
}

fn again(life_s: u64) -> Story {
    let last_s = life_s.saturating_sub(1);
    let ttl = format!("ttl: {life_s}");
    let mut lines = opened("-1");
    lines.push(Line::ask("create", vec!["id: a".into(), ttl.clone()], "created"));
    if 0 < last_s {
        lines.push(Line::At(last_s));
    }
    lines.push(Line::ask("upsert", vec!["id: a".into(), ttl], "ok"));
    lines.extend(watched(last_s, life_s));
    let title =
        format!("An item with `ttl` {life_s} that is upserted in its last second lives as long again");
    let clauses = ["write-restarts-count", "counted-from-last-write"];
    story(&format!("{}-ttl-written-again-in-its-last-second", word(life_s)), title, life_s, &clauses, lines)
}
