//! What surprises people, as shortest stories.

use crate::{CheckScope, Semantics, check_with};

/// What surprises, and the *sometimes* that shows it. A second one adds the last line of its story.
const ANOMALIES: [(&str, &[&str]); 9] = [
    (
        "A count beside a list: COUNT may show an expired item that no list has",
        &["a count may show an expired item that a list leaves out", LIST],
    ),
    (
        "An item is back after switching off",
        &["an expired item that was not removed is listed again under other settings", LIST],
    ),
    (
        "An item is gone for good, under settings that would show it",
        &["an item is looked for in vain under settings that would show it"],
    ),
    (
        "A sweeper that does not look again takes a living item",
        &["the sweeper takes a visible item all the same"],
    ),
    ("An upsert over an expired item may say ok", &["an upsert over an expired item answers ok"]),
    (
        "404 or 412: a conditional write of an expired item is refused for either",
        &[
            "a conditional write of an expired item is not found",
            "a conditional write of an expired item fails its condition",
        ],
    ),
    ("A patch restarts the count", &["an item is found that would be gone without its patch"]),
    ("A read does not", &["an item is gone that was read a second before"]),
    (
        "While a lazy index is rebuilt, a list may hold anything",
        &["a query lists any items while the index is rebuilt"],
    ),
];

/// In the place of a second one: what a query lists in the end.
const LIST: &str = "";

/// Returns what surprises people, each with a shortest story that the checker finds in the shipped model.
pub fn anomalies() -> Vec<(&'static str, Vec<String>)> {
    let systems = ["one item", "indexing", "memory", "sweeper without a guard"];
    let report = check_with(Semantics::SHIPPED, CheckScope::Small, |name| systems.contains(&name));
    let story = |(title, sentences): &(&'static str, &[&str])| {
        let (first, others) = sentences.split_first()?;
        let trace = report.story(first)?;
        let mut lines = trace.lines();
        for other in others {
            lines.extend(if *other == LIST {
                Some(trace.list())
            } else {
                report.story(other)?.lines().pop()
            });
        }
        Some((*title, lines))
    };
    ANOMALIES.iter().filter_map(story).collect()
}
