//! Boundaries that Cargo cannot keep: what the code of some directories must not name.

use std::fs;
use std::path::Path;

fn collect(path: &Path, files: &mut Vec<(String, String)>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            collect(&entry.unwrap().path(), files);
        }
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        files.push((path.display().to_string(), fs::read_to_string(path).unwrap()));
    }
}

/// No line of code under this path, comments aside, names any of the words.
#[track_caller]
fn check_absent(under: &str, words: &[&str]) {
    let mut files = Vec::new();
    collect(&cosmos_ttl_testing::project().join(under), &mut files);
    assert!(!files.is_empty(), "no Rust files under {under}");
    for (name, text) in files {
        let code = text.split("#[cfg(test)]").next().unwrap().lines().enumerate();
        for (number, line) in code.map(|(number, line)| (number + 1, line.split("//").next().unwrap())) {
            let named = words.iter().find(|word| line.contains(**word));
            assert_eq!(named, None, "{name}:{number}");
        }
    }
}

#[test]
fn the_rule_names_no_other_module_and_the_model_reads_no_clock() {
    check_absent("model/src/rule.rs", &["crate::", "super::", "mod ", "extern"]);
    check_absent("model/src", &["std::", "extern crate std", "println!", "eprintln!"]);
}

/// Cargo keeps the store from the model. It also parses numbers by itself.
#[test]
fn the_independent_store_reads_no_number_as_the_harness_does() {
    check_absent("harness/mutants/src", &["literal::LiteralKind", "{LiteralKind", ".kind()", "same_value"]);
}

#[test]
fn only_the_http_target_the_server_and_the_explorer_open_a_socket() {
    let sockets = ["std::net", "TcpStream", "TcpListener", "UdpSocket", "UnixStream", "ureq"];
    for under in ["model/src", "harness/src", "harness/explore/src", "harness/mutants/src", "harness/cli/src"]
    {
        check_absent(under, &sockets);
    }
}

#[test]
fn no_dependency_demands_a_newer_rust() {
    fn version(text: &str) -> (u32, u32) {
        let mut parts = text.split('.').map(|part| part.parse().unwrap());
        (parts.next().unwrap(), parts.next().unwrap_or(0))
    }
    let mut cargo = std::process::Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version=1", "--all-features", "--locked"]);
    let said = cargo.current_dir(cosmos_ttl_testing::project()).output().unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let own = packages.iter().find(|package| package["name"] == "cosmos-ttl").unwrap();
    let own = version(own["rust_version"].as_str().unwrap());
    let newer = packages
        .iter()
        .filter(|package| package["rust_version"].as_str().is_some_and(|demanded| own < version(demanded)));
    let newer: Vec<_> = newer.map(|package| &package["name"]).collect();
    assert!(newer.is_empty(), "{own:?} is older than these demand: {newer:?}");
}
