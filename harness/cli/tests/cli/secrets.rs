//! No command repeats a key, a signature or a password in a word of its command line.

use crate::program::say;

const KEY: &str = "C2y6yDjf5R0ob0N8A7Cgv30VRDJIWEHLM4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIwJw";

/// Checks command lines in which `WORD` stands for the secret.
fn check(word: &str, lines: &[&str]) {
    for line in lines {
        let words: Vec<_> = line.split(' ').map(|one| one.replace("WORD", word)).collect();
        let said = say(&words.iter().map(String::as_str).collect::<Vec<_>>());
        assert_ne!(said.code, 0, "{line}");
        for text in [&said.out, &said.err] {
            assert!(!text.contains("C2y6yDjf5R0") && !text.contains("67XIwJw"), "{line}: {text}");
        }
    }
}

#[test]
fn no_command_repeats_a_key_that_stands_where_another_word_may() {
    let connection = format!("AccountEndpoint=https://a.example:443/;AccountKey={KEY}==;");
    let part = format!("AccountKey={KEY}==");
    let signed = format!("https://a.example/?sig={KEY}");
    for word in [&part, &signed, &format!("mutant:{connection}"), &KEY.to_owned()] {
        check(word, &["run WORD --vectors suite"]);
    }
    check(
        &connection,
        &[
            "run reference WORD --vectors suite",
            "run WORD lifetime --vectors suite",
            "run --dry-run WORD --vectors suite",
            "explore WORD --vectors suite",
            "explore reference WORD",
            "explore --steps WORD",
            "explore --steps=WORD",
            "serve --stdio --target WORD",
            "list WORD --vectors suite",
            "list --clauses WORD --vectors suite",
            "explain WORD --vectors suite",
            "cleanup WORD",
            "known update known.yaml --reason r WORD --vectors suite",
            // Where a file is expected.
            "run reference --vectors WORD",
            "run reference --known WORD",
            "run reference --failed WORD",
            "report WORD",
            "diff WORD WORD",
            "known update WORD --reason r",
        ],
    );
    let url = format!("http://me:{KEY}@localhost:1/x");
    check(&url, &["run WORD", "run reference --vectors WORD", "report WORD", "list WORD"]);
    check(
        &format!("--connection=AccountEndpoint=x;{part};Database=d"),
        &[
            "run --format json --vectors suite -- no-such-program WORD",
            "run --vectors suite -- false WORD",
            "explore --vectors suite -- false WORD",
            "smoke -- false WORD",
        ],
    );
}
