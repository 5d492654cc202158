//! Text from a file, a command line or a target never steers the terminal, never is a command to a log, and never floods it.

use std::fs;

use crate::program::{ProgramOutput, directory, program, say, suite};

/// C1 controls, among them the start of a sequence; delete; direction marks; what has no width.
const INVISIBLE: [char; 12] = [
    '\u{1b}', '\u{7f}', '\u{85}', '\u{9b}', '\u{9d}', '\u{ad}', '\u{200b}', '\u{200e}', '\u{202e}',
    '\u{2066}', '\u{2028}', '\u{feff}',
];

#[track_caller]
fn check_shown(said: &ProgramOutput, what: &str) {
    for text in [&said.out, &said.err] {
        let found = text.chars().find(|c| INVISIBLE.contains(c));
        assert!(found.is_none(), "{what}: {found:?} in {text:?}");
        assert!(text.len() < 10_000, "{what}: {} bytes", text.len());
        let command = text.lines().find(|line| line.trim_start().starts_with("::") || line.contains("##["));
        assert!(command.is_none(), "{what}: {command:?}");
    }
    assert!(!said.err.contains("panicked"), "{}", said.err);
}

/// Returns the output about the small suite with this in place of `from` in one of its files.
fn of_vectors(name: &str, from: &str, to: &str) -> ProgramOutput {
    let path = directory(name);
    for file in ["clauses.yaml", "evidence.yaml", "lifetime.yaml", "settings.yaml"] {
        fs::copy(suite().join(file), path.join(file)).unwrap();
    }
    let file = path.join("lifetime.yaml");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{from}");
    fs::write(&file, text.replacen(from, to, 1)).unwrap();
    say(&["run", "--vectors", path.to_str().unwrap(), "mutant:one-second-late"])
}

#[test]
fn no_invisible_character_of_a_file_reaches_the_terminal() {
    let vectors = suite();
    let vectors = ["--vectors", vectors.to_str().unwrap()];
    let path = directory("harmless-others");
    let (list, report) = (path.join("known.yaml"), path.join("report.json"));
    for c in INVISIBLE {
        let said = of_vectors("harmless-vectors", "expect: created}", &format!("expect: cre{c}ted}}"));
        check_shown(&said, &format!("{c:?}"));
        fs::write(&report, format!("{{\"{c}\": 1, \"format\": \"{c}\"}}")).unwrap();
        check_shown(&say(&["report", report.to_str().unwrap()]), "report");
    }
    // A control, a mark of direction, and what ends a line for some.
    for c in ['\u{1b}', '\u{202e}', '\u{2028}'] {
        for (from, to) in [
            ("  steps:\n", format!("  # {c}31m {c}\n  steps: [] # {c}\n")),
            ("  title: ", format!("  title: a{c}b ")),
            ("- id: ", format!("- {c}: 1\n  id: ")),
            ("expect: created}", format!("expect: created}} # {c}2J\n")),
            ("format: 1", format!("format: \"{c}\"")),
        ] {
            check_shown(&of_vectors("harmless-vectors", from, &to), &format!("{to:?}"));
        }
        fs::write(&list, format!("known:\n- id: a{c}b # {c}\n")).unwrap();
        check_shown(&say(&[&["run", "--known", list.to_str().unwrap()], &vectors[..]].concat()), "a list");
        fs::write(&report, format!("{{\"{c}\": 1, \"format\": \"{c}\"}}")).unwrap();
        check_shown(&say(&[&["run", "--report", path.to_str().unwrap()], &vectors[..]].concat()), "a report");
        check_shown(&say(&[&["run", &format!("life{c}time")], &vectors[..]].concat()), "a filter");
        check_shown(&say(&["report", &format!("no{c}where")]), "a path");
    }
}

#[test]
fn a_failing_vector_with_invisible_characters_in_its_file_is_shown_without_them() {
    for c in ['\u{200b}', '\u{202e}', '\u{2066}'] {
        let said = of_vectors("harmless-failing", "- at: 10", &format!("- at: 10 # {c}gone{c}"));
        check_shown(&said, &format!("{c:?}"));
        assert!([1, 2].contains(&said.code), "{}{}", said.out, said.err);
    }
}

#[test]
fn words_of_a_hundred_thousand_bytes_are_cut_short() {
    let long = "x".repeat(100_000);
    for (from, to) in [
        ("- id: ", format!("- {long}: 1\n  id: ")),
        ("  title: ", format!("  title: {long} ")),
        ("expect: created}", format!("expect: {long}}}")),
        ("format: 1", format!("format: {long}")),
        ("- id: ", format!("- id: {long} ")),
    ] {
        let start: String = to.chars().take(20).collect();
        check_shown(&of_vectors("harmless-long", from, &to), &start);
    }
    check_shown(&say(&["report", &long]), "report");
    for command in ["run", "explain", "explore"] {
        check_shown(&say(&[command, &long, "--vectors", "suite"]), command);
    }
}

#[cfg(unix)]
#[test]
fn nothing_that_a_target_says_is_a_command_to_the_log_of_a_pipeline() {
    let command = "::error file=a::gone %s";
    let long = "word ".repeat(12);
    let scripts = [
        format!("printf '{command}\\n##[error]gone\\n   {command}\\n' >&2; exit 1"),
        format!("echo '{long}{command} {long}{command}'"),
        format!(
            "while IFS= read -r line; do case $line in *'\"b\"'*) echo '{command}\n##[error]gone\n  {long}{command} \
             {long} {command}' >&2; exit 1;; esac; printf '%s\\n' \"$line\"; done | \"$0\" serve --stdio"
        ),
    ];
    for script in scripts {
        let vectors = suite();
        let vectors = ["--vectors", vectors.to_str().unwrap()];
        for words in [&["run"][..], &["run", "--format", "json"], &["smoke"]] {
            let mut command = program();
            command.args(words).args(&vectors[..if words[0] == "smoke" { 0 } else { 2 }]);
            let said: ProgramOutput = command
                .args(["--", "sh", "-c", &script, env!("CARGO_BIN_EXE_cosmos-ttl")])
                .output()
                .unwrap()
                .into();
            let is_json = words.contains(&"json");
            let said = ProgramOutput { out: if is_json { String::new() } else { said.out.clone() }, ..said };
            check_shown(&said, &format!("{words:?} {script}"));
        }
    }
}
