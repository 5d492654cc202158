//! What surprises people, as shortest stories.

use crate::{Semantics, check_with};

/// What surprises, and the *sometimes* that shows it. A second one adds the last line of its story.
const ANOMALIES: [(&str, &str, Option<&str>); 9] = [
    (
        "A count beside a list: COUNT may show an expired item that no list has",
        "a count may show an expired item that a list leaves out",
        Some("a query leaves out an expired item that is still stored"),
    ),
    ("An item is back after switching off", "an item that was expired is shown again", None),
    (
        "An item is gone for good, under settings that would show it",
        "an item is looked for in vain under settings that would show it",
        None,
    ),
    (
        "A sweeper that does not look again takes a living item",
        "a sweeper that does not look again takes a visible item",
        None,
    ),
    ("An upsert over an expired item may say ok", "an upsert over an expired item answers ok", None),
    (
        "404 or 412: a conditional write of an expired item is refused for either",
        "a conditional write of an expired item is not found",
        Some("a conditional write of an expired item fails its condition"),
    ),
    ("A patch restarts the count", "an item is found that would be gone without its patch", None),
    ("A read does not", "an item is gone that was read a second before", None),
    (
        "While a lazy index is rebuilt, a list may hold anything",
        "a query lists any items while the index is rebuilt",
        None,
    ),
];

/// Returns what surprises people, each with a shortest story that the checker finds in the shipped model.
pub fn anomalies() -> Vec<(&'static str, Vec<String>)> {
    let systems = ["one item", "indexing", "memory", "sweeper"];
    let report = check_with(Semantics::SHIPPED, |name| systems.contains(&name));
    let story = |&(title, first, second): &(_, &str, Option<&str>)| {
        let mut lines = report.story(first)?.lines.clone();
        lines.extend(second.and_then(|second| report.story(second)?.lines.last().cloned()));
        Some((title, lines))
    };
    ANOMALIES.iter().filter_map(story).collect()
}
