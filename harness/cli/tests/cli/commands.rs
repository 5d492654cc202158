//! Every command, as the program.

use std::process::Stdio;
use std::sync::LazyLock;

use clap::Parser as _;
use cosmos_ttl::Args;
use cosmos_ttl::report::{Counts, Outcome, Report};
use cosmos_ttl::shell::filter::filter_vectors;
use serde_json::Value;

use crate::program::{VECTORS, directory, program, refuses, say, succeeds};

const SUITE: [&str; 2] = ["--vectors", "suite"];

fn with_suite<'a>(words: &[&'a str]) -> Vec<&'a str> {
    words.iter().copied().chain(SUITE).collect()
}

/// The output of the program without a command.
static PLAIN: LazyLock<String> = LazyLock::new(|| succeeds(&[]));

#[test]
fn without_a_command_every_vector_is_replayed_against_the_reference() {
    let text = &*PLAIN;
    assert_eq!(*text, succeeds(&["run", "reference"]));
    assert!(text.contains("conformant: every vector passes"), "{text}");
    for clause in VECTORS.catalogue.clauses() {
        assert!(text.contains(&format!("  {} ", clause.id)), "{} is not in it", clause.id);
    }
}

#[test]
fn one_line_of_a_run_adds_up() {
    let text = &*PLAIN;
    let sums: Vec<_> = text.lines().filter(|line| line.contains(" = ")).collect();
    let [sum] = sums.as_slice() else { panic!("{sums:?}") };
    let (all, parts) = sum.split_once(" = ").unwrap();
    let number = |text: &str| text.split(' ').next().unwrap().parse::<usize>().unwrap();
    assert_eq!(number(all), parts.split(" + ").map(number).sum::<usize>(), "{sum}");
}

#[test]
fn a_run_says_clause_by_clause_what_came_of_it() {
    insta::assert_snapshot!(succeeds(&with_suite(&["run"])));
}

#[test]
fn a_run_of_some_vectors_says_of_how_many() {
    insta::assert_snapshot!(succeeds(&with_suite(&["run", "lifetime/*null*", "reappearance"])));
}

#[test]
fn json_is_the_same_run_for_programs() {
    let report: Report = serde_json::from_str(&succeeds(&with_suite(&["run", "--format", "json"]))).unwrap();
    assert_eq!((report.format, report.conclusion.as_str(), report.exit_code), (1, "conformant", 0));
    let counts: Counts = report.cases.iter().map(|case| case.verdict).collect();
    assert_eq!(counts, report.counts);
    let sum: usize = Outcome::ALL.into_iter().map(|said| counts.get(said)).sum();
    assert_eq!(sum, counts.vectors);
    assert_eq!(counts.vectors, report.vectors.all);
    assert_eq!(report.sections.iter().map(|section| section.counts.vectors).sum::<usize>(), counts.vectors);
    for case in &report.cases {
        assert_eq!(case.again, format!("cosmos-ttl run --vectors suite reference {}", case.name));
    }
}

#[test]
fn a_filter_selects_a_section_a_vector_or_a_clause() {
    let names = |filter: &[&str]| {
        let words: Vec<&str> = ["list", "--format", "json"].iter().chain(filter).copied().collect();
        let list: Value = serde_json::from_str(&succeeds(&with_suite(&words))).unwrap();
        let names = list["vectors"].as_array().unwrap().iter();
        names.map(|vector| vector["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(&["settings"]), "settings/expired-then-off settings/refused-batch");
    assert_eq!(names(&["settings/refused-batch"]), "settings/refused-batch");
    assert_eq!(names(&["*/*null*"]), "lifetime/null-is-refused");
    assert_eq!(names(&["item-seconds-override"]), "lifetime/item-shorter-than-default lifetime/patched-item");
    assert_eq!(names(&["clause:item-*"]).split(' ').count(), 4);
    assert_eq!(names(&["settings/refused-batch", "reappearance"]).split(' ').count(), 2);
}

#[test]
fn a_filter_that_selects_nothing_is_refused() {
    insta::assert_snapshot!(refuses(&with_suite(&["run", "lifetme"])));
    insta::assert_snapshot!(refuses(&with_suite(&["run", "reference", "null-is-refused"])));
    insta::assert_snapshot!(refuses(&with_suite(&["run", "localhost:8081"])));
    insta::assert_snapshot!(refuses(&with_suite(&["run", "python3", "adapter.py"])));
    insta::assert_snapshot!(refuses(&with_suite(&["run", "lifetime", "purge-uses-leftover"])));
    // One that selects something does not make up for one that selects nothing.
    refuses(&with_suite(&["list", "lifetime", "nothing/*"]));
}

#[test]
fn a_target_that_cannot_be_reached_is_refused() {
    insta::assert_snapshot!(refuses(&with_suite(&["run", "ftp://localhost"])));
    insta::assert_snapshot!(refuses(&with_suite(&["run", "lifetime", "http://localhost:8081"])));
}

#[test]
fn a_target_that_is_not_there_is_no_verdict() {
    // Of a port that was just given up, somebody knows that nobody listens.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let said = say(&with_suite(&["run", &format!("http://127.0.0.1:{port}")]));
    assert_eq!((said.code, said.out.as_str()), (4, ""));
    insta::assert_snapshot!(said.err.replace(&port.to_string(), "PORT"));
}

#[test]
fn a_url_that_cannot_be_used_is_refused() {
    refuses(&with_suite(&["run", "http://user:c2VjcmV0@localhost:8081"]));
    refuses(&with_suite(&["run", "http://localhost:8081", "--key", "not base64"]));
    refuses(&with_suite(&["run", "https://account.example.com/dbs"]));
    insta::assert_snapshot!(refuses(&with_suite(&["run", "http://account.example.com", "--yes"])));
}

#[test]
fn a_word_that_nobody_knows_is_wrong_use() {
    for words in [&["frobnicate"][..], &["run", "--frobnicate"], &["completions", "tcsh"], &["explain"]] {
        assert_eq!(say(words).code, 2, "{words:?}");
    }
}

#[test]
fn vectors_are_listed() {
    insta::assert_snapshot!(succeeds(&with_suite(&["list"])));
}

#[test]
fn a_list_in_a_pipe_has_one_line_for_each_vector_and_breaks_no_id() {
    let clause = "container-absent-is-off".to_owned();
    let citing = VECTORS.vectors.iter().filter(|vector| vector.clauses.contains(&clause)).count();
    let found = succeeds(&["list"]).lines().filter(|line| line.contains("container-absent-is-off")).count();
    assert!(4 <= citing && found == citing, "{found} lines of {citing}");
}

#[test]
fn clauses_are_listed() {
    insta::assert_snapshot!(succeeds(&with_suite(&["list", "--clauses"])));
    let list: Value =
        serde_json::from_str(&succeeds(&with_suite(&["list", "--clauses", "cost", "--format", "json"])))
            .unwrap();
    assert_eq!(list["clauses"][0]["id"], "purge-uses-leftover");
    assert_eq!(list["clauses"][0]["vectors"], 0);
}

#[test]
fn a_clause_is_explained() {
    insta::assert_snapshot!(succeeds(&with_suite(&["explain", "item-seconds-override"])));
}

#[test]
fn an_open_clause_is_explained() {
    insta::assert_snapshot!(succeeds(&with_suite(&["explain", "reappearance"])));
}

#[test]
fn a_clause_that_no_client_can_see_is_explained() {
    insta::assert_snapshot!(succeeds(&with_suite(&["explain", "purge-uses-leftover"])));
}

#[test]
fn a_vector_is_explained() {
    insta::assert_snapshot!(succeeds(&with_suite(&["explain", "lifetime/patched-item"])));
    insta::assert_snapshot!(succeeds(&with_suite(&["explain", "settings/expired-then-off"])));
    insta::assert_snapshot!(succeeds(&with_suite(&["explain", "settings/refused-batch"])));
}

#[test]
fn a_mutant_and_a_control_are_explained() {
    let mutant = succeeds(&with_suite(&["explain", "patch-does-not-restart"]));
    assert_eq!(mutant, succeeds(&with_suite(&["explain", "mutant:patch-does-not-restart"])));
    insta::assert_snapshot!(mutant);
    assert!(succeeds(&with_suite(&["explain", "removal-eager"])).contains("a control: a correct store"));
}

#[test]
fn the_table_of_lifetimes_is_computed_by_the_model() {
    insta::assert_snapshot!(succeeds(&with_suite(&["explain", "matrix"])));
}

#[test]
fn the_life_of_an_item_is_computed_by_the_model() {
    insta::assert_snapshot!(succeeds(&with_suite(&["explain", "life"])));
}

/// A file in JSON is a file in YAML, so the export is loaded as vectors again.
#[test]
fn whole_vectors_are_exported_for_languages_without_a_reader_of_yaml() {
    let directory = directory("exported");
    for file in ["clauses.yaml", "evidence.yaml"] {
        std::fs::copy(cosmos_ttl_testing::directory().join("suite").join(file), directory.join(file))
            .unwrap();
    }
    for section in ["settings", "lifetime"] {
        let exported = succeeds(&with_suite(&["list", section, "--format", "json", "--steps"]));
        let (_, file) = exported.split_once("\"files\": [").unwrap();
        let file = file.trim_end().trim_end_matches('}').trim_end().trim_end_matches(']');
        std::fs::write(directory.join(format!("{section}.yaml")), file).unwrap();
    }
    let replayed = |vectors: &str| -> Vec<_> {
        let report = succeeds(&["run", "--format", "json", "--vectors", vectors]);
        let report: Report = serde_json::from_str(&report).unwrap();
        report.cases.into_iter().map(|case| (case.name, case.verdict, case.steps)).collect()
    };
    assert_eq!(replayed(directory.to_str().unwrap()), replayed("suite"));
    assert_eq!(succeeds(&["schema", "vectors"]), succeeds(&["schema", "vector"]));
    assert!(refuses(&["list", "--steps"]).contains("add `--format json`"));
}

#[test]
fn colours_are_used_where_they_are_asked_for() {
    assert!(succeeds(&with_suite(&["list", "--color", "always"])).contains("\u{1b}["));
    assert!(!succeeds(&with_suite(&["list", "--color", "never"])).contains("\u{1b}["));
}

#[test]
fn a_run_ends_at_the_first_failure_and_repeats_what_failed() {
    let report = directory("failed");
    let report = report.to_str().unwrap();
    let run = |words: &[&str]| -> Value {
        let own = ["run", "mutant:one-second-late", "lifetime", "settings", "--format", "json"];
        let said = say(&with_suite(&[&own[..], words].concat()));
        assert_eq!(said.code, 1, "{}", said.err);
        serde_json::from_str(&said.out).unwrap()
    };
    let first = run(&["--fail-fast"]);
    assert_eq!((&first["counts"]["fail"], &first["complete"]), (&Value::from(1), &Value::from(false)));
    let all = run(&["--report", report]);
    let failed = run(&["--failed", report]);
    assert!(all["counts"]["pass"].as_u64().unwrap() > 0);
    assert_eq!(failed["counts"]["vectors"], all["counts"]["fail"]);
    assert_eq!(failed["counts"]["fail"], all["counts"]["fail"]);
    let none = refuses(&with_suite(&["run", "lifetime/patched-item", "--failed", report]));
    assert!(none.contains("no vector of this run is left to repeat"), "{none}");
}

#[test]
fn a_section_is_explained() {
    insta::assert_snapshot!(succeeds(&with_suite(&["explain", "settings"])));
}

#[test]
fn a_document_a_finding_and_a_word_are_found() {
    for (word, line) in [
        ("S-57", "S-57 ("),
        ("d2017", "D2017 (https://"),
        ("C-2", "held here   "),
        ("patch", "  patch-restarts-count  "),
        ("RESTARTS", "clauses with `restarts`: "),
        ("refused-batch", "  settings/refused-batch  "),
    ] {
        let page = succeeds(&with_suite(&["explain", word]));
        assert!(page.lines().any(|it| it.contains(line)), "{word}: no {line:?} in\n{page}");
    }
}

#[test]
fn what_cannot_be_explained_is_refused() {
    insta::assert_snapshot!(refuses(&with_suite(&["explain", "xyzzy"])));
    insta::assert_snapshot!(refuses(&with_suite(&["explain", "one-second-lat"])));
}

#[test]
fn the_schema_is_that_of_the_library() {
    let schema = cosmos_ttl_harness::vector::SCHEMA;
    assert!(succeeds(&["schema"]) == schema && succeeds(&["schema", "vector"]) == schema);
    assert_eq!(succeeds(&["schema", "protocol"]), cosmos_ttl_targets::process::protocol::schema_json());
    assert_eq!(succeeds(&["schema", "report"]), cosmos_ttl::report::schema_json());
}

/// `explained` asks bash what it completes.
#[test]
fn zsh_can_complete() {
    assert!(succeeds(&["completions", "zsh"]).contains("lifetime/off-item-absent"));
}

#[test]
fn help_says_what_is_accepted() {
    insta::assert_snapshot!(succeeds(&["--help"]));
    insta::assert_snapshot!(succeeds(&["run", "--help"]));
}

#[test]
fn every_filter_in_the_help_selects_something() {
    let help = succeeds(&["list", "--help"]);
    let start = help.find("What a FILTER means:\n").unwrap();
    let examples: Vec<_> = help[start..].lines().skip(1).take_while(|line| line.starts_with("  ")).collect();
    assert_eq!(examples.len(), 4, "{help}");
    for line in examples {
        let filter = line.split_whitespace().next().unwrap().trim_matches('\'');
        assert!(filter_vectors(&VECTORS, &[filter.to_owned()]).is_ok(), "{filter}");
    }
}

#[test]
fn a_key_is_never_shown() {
    let said = program().args(["run", "--help"]).env("COSMOS_TTL_KEY", "c2VjcmV0").output().unwrap();
    assert!(!String::from_utf8(said.stdout).unwrap().contains("c2VjcmV0"));
}

#[test]
fn without_a_terminal_there_are_no_colours() {
    for words in [&["run"][..], &["list"], &["explain", "reappearance"], &["run", "lifetme"]] {
        let said = say(&with_suite(words));
        assert!(!said.out.contains('\u{1b}') && !said.err.contains('\u{1b}'), "{words:?}");
    }
}

#[test]
fn colours_add_nothing_but_colours() {
    for words in [&["run"][..], &["explain", "reappearance"], &["run", "lifetme"]] {
        let words = with_suite(words);
        let coloured = program().args(&words).env("CLICOLOR_FORCE", "1").output().unwrap();
        let text = String::from_utf8([coloured.stdout, coloured.stderr].concat()).unwrap();
        assert!(text.contains("\u{1b}["), "{words:?}");
        let plain = say(&words);
        assert_eq!(anstream::adapter::strip_str(&text).to_string(), plain.out + &plain.err, "{words:?}");
    }
}

#[test]
fn no_color_is_heeded() {
    let said = program()
        .args(with_suite(&["run"]))
        .env("CLICOLOR_FORCE", "0")
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    assert!(!said.stdout.contains(&0x1b));
}

#[test]
fn nobody_who_listens_is_no_error() {
    for words in [with_suite(&["list", "--format", "json"]), with_suite(&["run"]), vec!["schema"]] {
        let mut child = program().args(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{words:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{words:?}");
    }
}

#[test]
fn no_flag_takes_more_seconds_than_a_clock_can_count() {
    let run = |flag: &str, seconds: &str| {
        Args::try_parse_from(["cosmos-ttl", "run", "http://127.0.0.1:9", flag, seconds])
    };
    for (flag, most) in [("--timeout", "86400"), ("--budget", "31536000")] {
        assert!(run(flag, "1").is_ok() && run(flag, most).is_ok(), "{flag}");
        for wrong in ["0", "-1", "31536001", "18446744073709551615", "18446744073709551616"] {
            assert!(run(flag, wrong).is_err(), "{flag} {wrong}");
        }
    }
}

#[test]
fn a_key_that_was_given_is_in_no_trace_of_the_arguments() {
    for key in ["s3cret!", "czNjcmV0LXMzY3JldA==", "", "s3cret\u{0}"] {
        let args = Args::try_parse_from(["cosmos-ttl", "run", "http://127.0.0.1:9", "--key", key]).unwrap();
        let shown = format!("{args:?} {args:#?}");
        assert!(!shown.contains("s3cret") && !shown.contains("czNj"), "{shown}");
        assert!(!shown.contains("115, 51, 99"), "{shown}");
        assert_eq!(shown.contains("key: Some(Ok("), key.starts_with("czNj"), "{shown}");
    }
}
