//! A file of vectors as text.

use cosmos_ttl_explore::draft;

use super::story::Story;

const HEAD: &str = "\
# yaml-language-server: $schema=../schema.json
# Written by `cargo lab derive` from the graph that the checker walks; never edited. `certificate.yaml` says what it covers.
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
    let vector = draft::vector((&story.id, &story.title), &clauses, story.edition, &story.lines);
    [String::new()].into_iter().chain(vector).collect()
}
