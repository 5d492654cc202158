//! A vector that is being written: its steps as text, and the lines of the YAML.

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// The clock goes to this second.
    At(u64),
    /// A request: its name, its fields and what it must answer.
    Ask {
        /// Its name.
        name: &'static str,
        /// Its fields, each as `name: value`.
        fields: Vec<String>,
        /// What it must answer.
        expect: String,
    },
}

/// The item that lives on.
pub const WITNESS: &str = "witness";

impl Line {
    /// A request.
    pub fn ask(name: &'static str, fields: Vec<String>, expect: impl Into<String>) -> Self {
        Self::Ask { name, fields, expect: expect.into() }
    }

    /// A write that leaves the witness.
    pub fn witness() -> Self {
        Self::ask("create", vec![format!("id: {WITNESS}"), "ttl: -1".into()], "created")
    }

    /// A query that must list these and the witness.
    pub fn query(ids: &[String]) -> Self {
        Self::ask("query", Vec::new(), listed(ids))
    }
}

/// These ids and the witness's.
pub fn listed(ids: &[String]) -> String {
    let all: Vec<&str> = ids.iter().map(String::as_str).chain([WITNESS]).collect();
    format!("[{}]", all.join(", "))
}

/// One vector, line by line: its id and title, what it cites, and its steps.
pub fn vector(
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
