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
    let mut lines = vec![
        String::new(),
        format!("- id: {}", story.id),
        format!("  title: {}", quoted(&story.title)),
        format!("  clauses: [{}]", clauses.join(", ")),
    ];
    lines.extend(story.edition.map(|edition| format!("  edition: \"{edition}\"")));
    lines.push("  steps:".into());
    lines.extend(story.lines.iter().map(line));
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
    if title.contains(": ") || title.contains('"') {
        format!("'{}'", title.replace('\'', "''"))
    } else {
        title.into()
    }
}
