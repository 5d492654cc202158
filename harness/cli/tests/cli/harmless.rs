//! Text from a file, a command line or a target never steers the terminal, never is a command to a log, and never floods it;
//! an answer that is nested without end ends no command.

use std::fs;

use crate::program::{ProgramOutput, check_script, copied, directory, of_script, say};

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

/// Checks what is said about the small suite with this in place of `from` in one of its files.
#[track_caller]
fn check_vectors(name: &str, from: &str, to: &str) {
    let vectors = copied(name).join("vectors");
    let file = vectors.join("lifetime.yaml");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{from}");
    fs::write(&file, text.replacen(from, to, 1)).unwrap();
    let said = say(&["run", "--vectors", vectors.to_str().unwrap(), "mutant:one-second-late"]);
    check_shown(&said, &to.chars().take(40).collect::<String>());
}

#[test]
fn no_invisible_character_of_a_file_or_a_word_reaches_the_terminal() {
    let path = directory("harmless-others");
    let (list, report) = (path.join("known.yaml"), path.join("report.json"));
    for c in INVISIBLE {
        fs::write(&list, format!("known:\n- id: a{c}b # {c}\n")).unwrap();
        fs::write(&report, format!("{{\"{c}\": 1, \"format\": \"{c}\"}}")).unwrap();
        for words in [
            &["run", "--known", list.to_str().unwrap()][..],
            &["run", "--report", path.to_str().unwrap()],
            &["run", &format!("life{c}time")],
            &["explain", &format!("life{c}time")],
        ] {
            check_shown(&say(&[words, &["--vectors", "suite"]].concat()), &format!("{c:?} {words:?}"));
        }
        check_shown(&say(&["report", report.to_str().unwrap()]), "a report");
        check_shown(&say(&["report", &format!("no{c}where")]), "a path");
        check_vectors("harmless-invisible", "expect: created}", &format!("expect: cre{c}ted}}"));
    }
    // A control, a mark of direction, and what ends a line for some.
    for c in ['\u{1b}', '\u{202e}', '\u{2028}'] {
        for (from, to) in [
            ("  steps:\n", format!("  # {c}31m {c}\n  steps: [] # {c}\n")),
            ("  title: ", format!("  title: a{c}b ")),
            ("- id: ", format!("- {c}: 1\n  id: ")),
            ("- at: 10", format!("- at: 10 # {c}gone{c}")),
            ("format: 1", format!("format: \"{c}\"")),
        ] {
            check_vectors("harmless-invisible", from, &to);
        }
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
        check_vectors("harmless-long", from, &to);
    }
    for words in [&["report", &long][..], &["run", &long], &["explain", &long], &["explore", &long]] {
        check_shown(&say(words), words[0]);
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
        check_shown(&of_script("run SUITE", &script), &script);
        check_shown(&of_script("smoke", &script), &script);
        let json = of_script("run SUITE --format json", &script);
        check_shown(&ProgramOutput { out: String::new(), ..json }, &script);
    }
}

#[cfg(unix)]
#[test]
fn no_command_is_ended_by_a_reply_that_is_nested_too_deep() {
    for (depth, rows) in [
        (400_000, "4 | run SUITE | nested more than 128 deep"),
        (
            10_000,
            "4 | explore --steps 200 | nested more than 128 deep\n4 | smoke | nested more than 128 deep",
        ),
        (125, "0 | run SUITE | conformant"),
    ] {
        let file = directory(&format!("deep-{depth}")).join("edit.sed");
        let value = "[".repeat(depth) + "1" + &"]".repeat(depth);
        fs::write(&file, format!("s/\"item\":{{/\"item\":{{\"x\":{value},/\n")).unwrap();
        check_script(&format!("\"$0\" serve --stdio | sed -u -f '{}'", file.display()), rows);
    }
}
