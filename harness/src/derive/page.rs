//! A file of vectors as text.

use super::story::{Line, Story};

const HEAD: &str = "\
# yaml-language-server: $schema=../schema.json
# Written by `cosmos-ttl derive` from the graph that the checker walks; never edited. `certificate.yaml` says what it covers.
format: 1
";

/// The whole file.
pub(super) fn page(section: &str, stories: &[Story]) -> String {
    let mut lines = vec![format!("{HEAD}section: {section}"), "vectors:".into()];
    lines.extend(stories.iter().flat_map(told));
    lines.push(String::new());
    lines.join("\n")
}

fn told(story: &Story) -> Vec<String> {
    let clauses: Vec<&str> = story.clauses.iter().copied().collect();
    let vector = vector((&story.id, &story.title), &clauses, story.edition, &story.lines);
    [String::new()].into_iter().chain(vector).collect()
}

/// One vector, line by line: its id and title, what it cites, and its steps.
pub(crate) fn vector(
    (id, title): (&str, &str),
    clauses: &[&str],
    edition: Option<&str>,
    steps: &[Line],
) -> Vec<String> {
    let mut lines = vec![
        format!("- id: {id}"),
        format!("  title: {}", quoted(title)),
        format!("  clauses: [{}]", clauses.join(", ")),
    ];
    lines.extend(edition.map(|edition| format!("  edition: \"{edition}\"")));
    lines.push("  steps:".into());
    lines.extend(steps.iter().map(line));
    lines
}

fn line(line: &Line) -> String {
    match line {
        Line::At(second) => format!("  - at: {second}"),
        Line::Ask { name, fields, expect } => {
            let expect = format!("expect: {expect}");
            let fields: Vec<&str> = fields.iter().map(String::as_str).chain([expect.as_str()]).collect();
            format!("  - {name}: {{{}}}", fields.join(", "))
        }
    }
}

/// A title that holds what YAML would read otherwise stands in quotes.
fn quoted(title: &str) -> String {
    if title.contains(": ") || title.contains(" #") || title.contains('"') {
        format!("'{}'", title.replace('\'', "''"))
    } else {
        title.into()
    }
}
