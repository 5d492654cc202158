//! Plain English in all that people read: the words that made readers stumble do not return.

use std::fs;

use super::floors::sources;

/// A phrase that pages, clauses, titles and help texts avoid, and what they say instead.
const AVOIDED: [(&str, &str); 22] = [
    ("came of", "name the result"),
    ("anybody", "no client, no user"),
    ("somebody", "a user, a person"),
    ("stands on", "is on"),
    ("all the same", "still, but"),
    ("comes of", "name the result"),
    ("is failed", "fails"),
    ("are failed", "fail"),
    ("is back", "reappears"),
    ("are back", "reappear"),
    ("so many", "the number, or its name"),
    ("whoever", "a noun"),
    ("nobody", "no client, no source, no test"),
    ("anew", "again"),
    ("beside", "next to, with, in addition to"),
    ("stands there", "is there"),
    ("stands in", "is in"),
    ("stands beside", "is next to"),
    ("for ever", "forever"),
    ("no setting", "not a valid value"),
    ("a container a vector", "one container for each vector"),
    ("babbles", "writes noise"),
];

/// Files that people read as a whole. In `.rs` files these are help texts.
const PAGES: [&str; 31] = [
    ".ci/run",
    "CHANGELOG.md",
    "Cargo.toml",
    "harness/cli/src/args/search.rs",
    "harness/cli/src/shell.rs",
    "harness/process/adapters/javascript/README.md",
    "harness/process/adapters/python/README.md",
    "harness/server/README.md",
    "harness/server/src/arguments.rs",
    "harness/targets/README.md",
    "vectors/identity.yaml",
    "README.md",
    "CONTRIBUTING.md",
    "harness/USAGE.md",
    "harness/TRUST.md",
    "harness/process/PROTOCOL.md",
    "harness/server/FIRST_HOUR.md",
    "harness/cli/src/args.rs",
    "harness/lab/src/args.rs",
    "vectors/README.md",
    "vectors/DOCUMENTS.md",
    "vectors/clauses.yaml",
    "vectors/evidence.yaml",
    "vectors/clock.yaml",
    "vectors/domain.yaml",
    "vectors/expired.yaml",
    "vectors/indexing.yaml",
    "vectors/lifetime.yaml",
    "vectors/purge.yaml",
    "vectors/settings.yaml",
    "vectors/writes.yaml",
];

/// Phrases that doc comments avoid, too.
const AVOIDED_IN_DOCS: [&str; 19] = [
    "comes of",
    "came of",
    "is failed",
    "are failed",
    "is back",
    "are back",
    "so many",
    "whoever",
    "nobody",
    "anybody",
    "somebody",
    "anew",
    "beside",
    "all the same",
    "for ever",
    "no setting",
    "a container a vector",
    "stands in",
    "stands on",
];
const DOCUMENTED: [&str; 3] = ["harness", "model", "vectors"];

/// Returns whether a line has the phrase, as words of their own. An id keeps its words.
fn has_phrase(line: &str, phrase: &str) -> bool {
    let line = line.to_lowercase();
    let continues = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    line.match_indices(phrase).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + phrase.len()..].chars().next();
        !before.is_some_and(continues) && !after.is_some_and(continues)
    })
}

/// Returns the avoided phrases of a text, with their lines.
fn avoided(name: &str, text: &str) -> Vec<String> {
    let lines = text.lines().zip(1..);
    let found = lines.flat_map(|(line, number)| {
        let found = AVOIDED.iter().filter(move |(phrase, _)| has_phrase(line, phrase));
        found.map(move |(phrase, instead)| format!("{name}:{number}: `{phrase}`; write: {instead}"))
    });
    found.collect()
}

#[test]
fn what_people_read_has_no_word_that_made_readers_stumble() {
    let root = cosmos_ttl_testing::project();
    let found: Vec<String> =
        PAGES.iter().flat_map(|name| avoided(name, &fs::read_to_string(root.join(name)).unwrap())).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn doc_comments_have_none_of_the_words_that_are_gone() {
    let is_doc = |line: &str| ["///", "//!"].iter().any(|start| line.trim_start().starts_with(start));
    let mut found = Vec::new();
    // Other crates are built in `target` directories of the fuzz targets.
    let files = sources(&DOCUMENTED).into_iter().filter(|(name, _)| !name.contains("/target/"));
    for (name, text) in files {
        for (line, number) in text.lines().zip(1..).filter(|(line, _)| is_doc(line)) {
            let phrases = AVOIDED_IN_DOCS.iter().filter(|phrase| has_phrase(line, phrase));
            found.extend(phrases.map(|phrase| format!("{name}:{number}: `{phrase}`")));
            let begins = ["/// What", "//! What"].iter().any(|start| line.trim_start().starts_with(start));
            found.extend(begins.then(|| {
                format!(
                    "{name}:{number}: a function's first word is a verb, a type's is an article or a noun"
                )
            }));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_phrase_is_found_as_words_and_not_within_an_id() {
    assert_eq!(avoided("a", "one\nNobody waits"), ["a:2: `nobody`; write: no client, no source, no test"]);
    assert_eq!(avoided("a", "created-anew-is-spared, besides"), [""; 0]);
}
