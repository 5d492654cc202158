//! What must not be there: each module sees only what lies below it, and nothing reads a clock behind one's back.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};

/// A source file: its path from the root of the workspace, with `/` between, and its text.
type File = (String, String);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// Every Rust file under these directories. None at all is a failure: the test would look at nothing.
#[track_caller]
fn sources(under: &[&str]) -> Vec<File> {
    let mut files = Vec::new();
    for directory in under {
        let before = files.len();
        collect(&root().join(directory), &mut files);
        assert!(before < files.len(), "no Rust files under {directory}");
    }
    files
}

fn collect(directory: &Path, files: &mut Vec<File>) {
    let mut entries: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
            files.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
}

/// The lines without comments; what stands in a string still counts.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(number, line)| (number.saturating_add(1), line));
    lines.map(|(number, line)| (number, line.split("//").next().unwrap_or("")))
}

/// None of the words stands in the code of any file, save those whose path starts as allowed.
#[track_caller]
fn check_absent(under: &[&str], words: &[&str], allowed: &[&str]) {
    let mut found = Vec::new();
    for (name, text) in sources(under) {
        if allowed.iter().any(|start| name.starts_with(start)) {
            continue;
        }
        for (number, line) in code(&text) {
            if let Some(word) = words.iter().find(|word| line.contains(**word)) {
                found.push(format!("{name}:{number}: `{word}`"));
            }
        }
    }
    assert!(found.is_empty(), "must not stand here:\n{}", found.join("\n"));
}

const ALL: [&str; 5] = ["model/src", "model/tests", "harness/src", "harness/tests", "harness/examples"];

fn existing(under: &[&'static str]) -> Vec<&'static str> {
    under.iter().copied().filter(|directory| root().join(directory).is_dir()).collect()
}

#[test]
fn the_rule_names_no_other_module_of_ours() {
    let rule = sources(&["model/src"]).into_iter().filter(|(name, _)| name.starts_with("model/src/rule"));
    let rule: Vec<_> = rule.collect();
    assert!(!rule.is_empty(), "where is the rule?");
    for (name, text) in rule {
        let text = text.split("#[cfg(test)]").next().unwrap();
        for (number, line) in code(text) {
            let named = ["crate::", "super::", "mod ", "extern"].iter().find(|word| line.contains(**word));
            assert_eq!(named, None, "{name}:{number}");
        }
    }
}

#[test]
fn nothing_in_the_model_reads_a_clock_does_io_or_depends_on_anything() {
    let clocks = ["SystemTime", "Instant", "std::time", "std::thread::", "sleep("];
    check_absent(&["model/src"], &clocks, &[]);
    let io = ["std::fs", "std::io", "std::net", "std::env", "std::process", "println!", "eprintln!"];
    check_absent(&["model/src"], &io, &["model/src/checker"]);
    check_absent(&["model/src"], &["std::", "extern crate std"], &["model/src/checker", "model/src/lib.rs"]);
    let manifest = fs::read_to_string(root().join("model/Cargo.toml")).unwrap();
    let dependencies = manifest.split_once("[dependencies]").map_or("", |(_, rest)| rest);
    let dependencies = dependencies.split("\n[").next().unwrap_or("");
    let lines = dependencies.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    for line in lines {
        assert!(line.contains("optional = true"), "the model depends on {line}");
    }
}

#[test]
fn vectors_replay_and_verdicts_name_no_type_of_the_model() {
    let allowed = [
        "harness/src/targets/reference.rs",
        "harness/src/cli",
        "harness/src/report/checked.rs",
        // Draws for people how long an item lives by the rules; no verdict comes of it.
        "harness/src/report/timeline.rs",
        "harness/src/bin",
        "harness/src/main.rs",
        "harness/src/derive",
        "harness/src/explore",
        "harness/src/smoke",
        "harness/src/witness",
    ];
    check_absent(&["harness/src"], &["cosmos_ttl_model"], &allowed);
    check_absent(&["harness/src"], &["targets::"], &[&allowed[..], &["harness/src/targets"]].concat());
}

#[test]
fn the_second_store_shares_nothing_with_the_model_nor_reads_numbers_as_the_harness_does() {
    let mutants = sources(&["harness/src/targets"]);
    let mutants: Vec<_> = mutants.iter().filter(|(name, _)| name.contains("targets/mutants")).collect();
    assert!(10 < mutants.len(), "where are they?");
    for (name, text) in mutants {
        for (number, line) in code(text) {
            let words = ["cosmos_ttl_model", "reference", "Kind", ".kind()", "same_value"];
            // `VerdictKind` says what came of a vector, and nothing of numbers.
            let line = line.replace("VerdictKind", "").replace("verdict.kind()", "");
            let found = words.iter().find(|word| line.contains(**word));
            assert_eq!(found, None, "{name}:{number}");
        }
    }
}

#[test]
fn only_one_file_names_a_yaml_crate() {
    check_absent(&["model/src", "harness/src"], &["serde_yaml", "saphyr"], &["harness/src/yaml.rs"]);
}

#[test]
fn only_the_http_target_and_the_explorer_open_a_socket() {
    let sockets = ["std::net", "TcpStream", "TcpListener", "UdpSocket", "UnixStream", "ureq"];
    // The Explorer of the checker is a page on loopback; the address comes from the command line.
    let explorer = ["model/src/checker.rs", "harness/src/cli/check.rs", "harness/src/cli/args.rs"];
    let allowed = [&explorer[..], &["harness/src/targets/http"]].concat();
    check_absent(&["model/src", "harness/src"], &sockets, &allowed);
}

#[test]
fn only_what_waits_in_real_time_reads_a_clock() {
    let clocks = ["SystemTime", "Instant", "thread::sleep"];
    // The last says how long the checker took.
    let allowed = [
        "harness/src/realtime",
        "harness/src/targets/http",
        "harness/src/targets/process",
        "harness/src/cli/check.rs",
    ];
    check_absent(&["harness/src"], &clocks, &allowed);
}

#[test]
fn nothing_is_unsafe_and_nothing_is_left_undone() {
    // Put together here so that this file does not find itself.
    let words = ["un\u{73}afe ", "tod\u{6f}!(", "unimplemented!(", "db\u{67}!("];
    check_absent(&existing(&ALL), &words, &["harness/tests/floors.rs"]);
}

#[test]
fn every_file_says_what_it_is_and_is_short_enough_to_read() {
    const MOST: usize = 500;
    let mut wrong = Vec::new();
    for (name, text) in sources(&existing(&ALL)) {
        if !text.starts_with("//! ") {
            wrong.push(format!("{name} does not start with `//! `"));
        }
        let lines = text.lines().count();
        if MOST < lines {
            wrong.push(format!("{name} has {lines} lines, more than {MOST}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_checks_themselves_find_what_they_look_for() {
    let text = "//! use std::net::TcpStream\nfn f() {\n    let a = SystemTime::now(); // Instant\n}\n";
    let lines: Vec<_> = code(text).filter(|(_, line)| line.contains("SystemTime")).collect();
    assert_eq!(lines.len(), 1);
    assert!(code(text).all(|(_, line)| !line.contains("Instant") && !line.contains("TcpStream")));
    let reference =
        sources(&["harness/src"]).into_iter().find(|(name, _)| name.ends_with("targets/reference.rs"));
    assert!(code(&reference.unwrap().1).any(|(_, line)| line.contains("cosmos_ttl_model")));
}
