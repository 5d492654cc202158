//! No command repeats a key or a signature in a word of its command line.

use crate::program::say;

const KEY: &str = "C2y6yDjf5R0ob0N8A7Cgv30VRDJIWEHLM4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIwJw";

#[track_caller]
fn check(words: &[&str]) {
    let said = say(words);
    assert_ne!(said.code, 0, "{words:?}");
    for text in [&said.out, &said.err] {
        assert!(!text.contains("C2y6yDjf5R0") && !text.contains("67XIwJw"), "{words:?}: {text}");
    }
}

#[test]
fn no_command_repeats_the_key_of_a_connection_string_that_stands_where_a_target_may() {
    let connection = format!("AccountEndpoint=https://a.example:443/;AccountKey={KEY}==;");
    let part = format!("AccountKey={KEY}==");
    let signed = format!("https://a.example/?sig={KEY}");
    let mutant = format!("mutant:{connection}");
    for word in [&connection, &part, &signed, &mutant, &KEY.to_owned()] {
        check(&["run", word, "--vectors", "suite"]);
    }
    let word = connection.as_str();
    for words in [
        &["run", "reference", word, "--vectors", "suite"][..],
        &["run", word, "lifetime", "--vectors", "suite"],
        &["run", "--dry-run", word, "--vectors", "suite"],
        &["explore", word, "--vectors", "suite"],
        &["explore", "reference", word],
        &["serve", "--stdio", "--target", word],
        &["list", word, "--vectors", "suite"],
        &["list", "--clauses", word, "--vectors", "suite"],
        &["explain", word, "--vectors", "suite"],
        &["cleanup", word],
        &["explore", "--steps", word],
        &["explore", &format!("--steps={word}")],
        &["known", "update", "known.yaml", "--reason", "r", word, "--vectors", "suite"],
        // Where a file is expected.
        &["run", "reference", "--vectors", word],
        &["run", "reference", "--known", word],
        &["run", "reference", "--failed", word],
        &["report", word],
        &["diff", word, word],
        &["known", "update", word, "--reason", "r"],
    ] {
        check(words);
    }
}

#[test]
fn the_password_of_a_url_is_not_repeated() {
    let url = &format!("http://me:{KEY}@localhost:1/x");
    for words in
        [&["run", url][..], &["run", "reference", "--vectors", url], &["report", url], &["list", url]]
    {
        check(words);
    }
}

#[test]
fn a_report_and_its_commands_do_not_repeat_a_key_among_the_words_of_a_process() {
    let part = format!("--connection=AccountEndpoint=x;AccountKey={KEY};Database=d");
    check(&["run", "--format", "json", "--vectors", "suite", "--", "no-such-program", &part]);
    check(&["run", "--vectors", "suite", "--", "false", &part]);
    check(&["explore", "--vectors", "suite", "--", "false", &part]);
    check(&["smoke", "--", "false", &part]);
}
