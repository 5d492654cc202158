//! The forbidden dependencies: each module sees only the modules below it, and no code reads a clock except through
//! `Time`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A source file: its path from the root of the workspace, with `/` between, and its text.
pub(crate) type File = (String, String);

fn root() -> PathBuf {
    cosmos_ttl_testing::project().canonicalize().unwrap()
}

/// Every Rust file under these directories. None at all is a failure: the test would look at nothing.
#[track_caller]
pub(crate) fn sources(under: &[&str]) -> Vec<File> {
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
            // Other workspaces build into directories of their own, in which Cargo leaves this file.
            if !path.join("CACHEDIR.TAG").exists() {
                collect(&path, files);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
            files.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
}

/// The lines without comments; text in a string still counts.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(number, line)| (number.saturating_add(1), line));
    lines.map(|(number, line)| (number, line.split("//").next().unwrap_or("")))
}

/// None of the words is in the code of any file, save those whose path starts as allowed.
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

/// The directory of each crate's sources.
fn crates() -> Vec<String> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let members = manifest.split_once("\nmembers = [").unwrap().1.split(']').next().unwrap();
    let members: Vec<String> =
        members.split('"').skip(1).step_by(2).map(|name| format!("{name}/src")).collect();
    members.into_iter().filter(|source| root().join(source).is_dir()).collect()
}

/// Every Rust file of the workspace: sources, tests, benches, examples.
fn everything() -> Vec<File> {
    sources(&["model", "harness", "vectors"])
}

fn check_absent_everywhere(words: &[&str], allowed: &[&str]) {
    let crates = crates();
    check_absent(&crates.iter().map(String::as_str).collect::<Vec<_>>(), words, allowed);
}

/// `major.minor` of a version of Rust.
fn rust_version(version: &str) -> (u32, u32) {
    let mut parts = version.split('.').map(|part| part.parse().unwrap());
    (parts.next().unwrap(), parts.next().unwrap_or(0))
}

#[test]
fn no_dependency_demands_a_newer_rust() {
    let mut cargo = std::process::Command::new(env!("CARGO"));
    // On a fresh machine it downloads the packages of other platforms, which no build has needed.
    cargo.args(["metadata", "--format-version=1", "--all-features", "--locked"]);
    let said = cargo.current_dir(root()).output().unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let own = packages.iter().find(|package| package["name"] == "cosmos-ttl").unwrap();
    let own = rust_version(own["rust_version"].as_str().unwrap());
    let newer = packages.iter().filter(|package| {
        package["rust_version"].as_str().is_some_and(|demanded| own < rust_version(demanded))
    });
    let newer: Vec<_> = newer.map(|package| &package["name"]).collect();
    assert!(newer.is_empty(), "{own:?} is older than these demand: {newer:?}");
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
fn nothing_in_the_model_reads_a_clock_or_does_io() {
    check_absent(&["model/src"], &["std::", "extern crate std", "println!", "eprintln!"], &[]);
}

/// Cargo keeps the store from the model; that it parses numbers by itself is kept here.
#[test]
fn the_independent_store_reads_no_number_as_the_harness_does() {
    let words = ["literal::LiteralKind", "{LiteralKind", ".kind()", "same_value"];
    for (name, text) in sources(&["harness/mutants/src"]) {
        for (number, line) in code(&text) {
            assert_eq!(words.iter().find(|word| line.contains(**word)), None, "{name}:{number}");
        }
    }
}

#[test]
fn only_the_reader_and_its_second_opinion_name_a_yaml_crate() {
    let readers = ["harness/src/yaml.rs", "harness/src/yaml/second_reader.rs"];
    check_absent_everywhere(&["serde_yaml", "saphyr"], &readers);
}

#[test]
fn only_the_http_target_the_server_and_the_explorer_open_a_socket() {
    let sockets = ["std::net", "TcpStream", "TcpListener", "UdpSocket", "UnixStream", "ureq"];
    // The Explorer of the checker is a page on loopback; the address comes from the command line.
    let explorer = ["model/checker/src/lib.rs", "harness/lab/src/check.rs", "harness/lab/src/args.rs"];
    // Servers for tests, on loopback.
    let servers = ["harness/testing/src/endpoint.rs", "harness/testing/src/slow_proxy.rs"];
    check_absent_everywhere(
        &sockets,
        &[&explorer[..], &servers, &["harness/http/src", "harness/server/src"]].concat(),
    );
}

/// No file imports, along its way, a file that imports it. A folder's own file and the files in the folder count as one.
#[test]
fn no_modules_import_each_other_in_a_circle() {
    let mut edges = 0;
    for source in crates() {
        let graph = imports(&source);
        edges += graph.values().map(BTreeSet::len).sum::<usize>();
        if let Some(circle) = circle(&graph) {
            panic!("{source}: {}", circle.join(" -> "));
        }
    }
    assert!(100 < edges, "only {edges} imports: are the files read at all?");
}

/// The top-level modules of a crate, each with those that it names.
fn imports(source: &str) -> BTreeMap<String, BTreeSet<String>> {
    let files = sources(&[source]);
    let module = |name: &str| {
        let inside = name.strip_prefix(source).unwrap().trim_start_matches('/');
        inside.split('/').next().unwrap().trim_end_matches(".rs").to_owned()
    };
    let names: BTreeSet<String> = files.iter().map(|(name, _)| module(name)).collect();
    let exported = exported(&files);
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, text) in &files {
        let (of, depth) = (module(name), name.matches('/').count() - source.matches('/').count());
        if ["lib", "main"].contains(&of.as_str()) {
            continue;
        }
        // `super` is the root in a file next to `lib.rs`; `super::super` is the root in a file of a folder.
        let roots: &[&str] = match depth {
            1 => &["crate::", "super::"],
            2 => &["crate::", "super::super::"],
            _ => &["crate::"],
        };
        let text = joined(text);
        for named in roots.iter().flat_map(|root| text.split(*root).skip(1)).flat_map(first_names) {
            let module = exported.get(&named).unwrap_or(&named);
            if names.contains(module) && *module != of {
                graph.entry(of.clone()).or_default().insert(module.clone());
            }
        }
    }
    graph
}

/// The code of a file on one line, without the tests at its end.
fn joined(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap();
    code(text).map(|(_, line)| line.trim()).collect()
}

/// The first name behind `crate::`, or each first name where several stand in braces.
fn first_names(path: &str) -> Vec<String> {
    let word = |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_owned();
    match path.strip_prefix('{') {
        Some(several) => {
            several.split(['}', ';']).next().unwrap().split(',').map(|one| word(one.trim())).collect()
        }
        None => vec![word(path)],
    }
}

/// Returns the names that the root of a crate exports, each with its module.
fn exported(files: &[File]) -> BTreeMap<String, String> {
    let root = files.iter().find(|(name, _)| name.ends_with("src/lib.rs"));
    let text = root.map_or_else(String::new, |(_, text)| joined(text));
    let mut all = BTreeMap::new();
    for export in text.split("pub use ").skip(1) {
        let export = export.split(';').next().unwrap().trim_start_matches("self::");
        let Some((module, names)) = export.split_once("::") else { continue };
        for name in names.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| !name.is_empty()) {
            all.insert(name.to_owned(), module.to_owned());
        }
    }
    all
}

/// A circle of the graph, if there is one.
fn circle(graph: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    fn walk(
        graph: &BTreeMap<String, BTreeSet<String>>,
        way: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> bool {
        let here = way.last().unwrap().clone();
        for next in graph.get(&here).into_iter().flatten() {
            let met = way.contains(next);
            way.push(next.clone());
            if met || (!done.contains(next) && walk(graph, way, done)) {
                return true;
            }
            way.pop();
        }
        done.insert(here);
        false
    }
    let mut done = BTreeSet::new();
    graph.keys().find_map(|start| {
        let mut way = vec![start.clone()];
        walk(graph, &mut way, &mut done).then_some(way)
    })
}

/// The types that a file defines, with private ones; associated types of traits are indented and do not count.
fn defined_types(text: &str) -> Vec<String> {
    let keyword = |line: &str| {
        let line = line.trim_start();
        let line = line.strip_prefix("pub").unwrap_or(line).trim_start();
        let line =
            if line.starts_with('(') { line.split_once(") ").map_or("", |(_, rest)| rest) } else { line };
        let (keyword, rest) = line.split_once(' ')?;
        let name = rest.split(|c: char| !c.is_alphanumeric()).next()?;
        let defines = ["struct", "enum", "trait", "union", "type"].contains(&keyword);
        (defines && name.starts_with(char::is_uppercase)).then(|| name.to_owned())
    };
    let associated = |line: &str| line.starts_with(' ') && line.trim_start().starts_with("type ");
    code(text).filter(|(_, line)| !associated(line)).filter_map(|(_, line)| keyword(line)).collect()
}

/// A search for the name of a type finds its one meaning. The ten names that two crates may share are those of requests and
/// responses, which the model and the harness define each for itself, because neither sees the other.
#[test]
fn a_type_name_means_one_thing() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut repeated = Vec::new();
    for source in crates() {
        let mut own = BTreeSet::new();
        for (name, text) in sources(&[&source]) {
            for defined in defined_types(&text) {
                if !own.insert(defined.clone()) {
                    repeated
                        .push(format!("{name} defines `{defined}`, and so does another file of the crate"));
                }
                places.entry(defined).or_default().push(name.clone());
            }
        }
    }
    assert!(places.len() > 300, "only {} types: are the files read at all?", places.len());
    assert!(repeated.is_empty(), "{}", repeated.join("\n"));
    let shared: Vec<_> = places.iter().filter(|(_, files)| files.len() > 1).collect();
    assert!(shared.len() <= 10, "{} type names have two meanings: {shared:#?}", shared.len());
}

/// A crate that embeds a file from outside its folder could not be packed.
#[test]
fn every_embedded_file_lies_in_its_own_crate() {
    let mut embedded = 0;
    for source in crates() {
        let folder = root().join(source.strip_suffix("/src").unwrap());
        for (name, text) in sources(&[&source]) {
            for path in text.split("include_str!(\"").skip(1) {
                let path = path.split('"').next().unwrap();
                let file = root().join(&name).parent().unwrap().join(path).canonicalize().unwrap();
                assert!(file.starts_with(&folder), "{name}: {path}");
                embedded += 1;
            }
        }
    }
    assert!(5 < embedded, "only {embedded} embedded files: are they looked for at all?");
}

#[test]
fn every_file_says_what_it_is_and_is_short_enough_to_read() {
    const MOST: usize = 500;
    let mut wrong = Vec::new();
    for (name, text) in everything() {
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
    let sources = everything();
    let yaml = sources.iter().find(|(name, _)| name == "harness/src/yaml.rs").unwrap();
    assert!(code(&yaml.1).any(|(_, line)| line.contains("saphyr")));
    let edge = |from: &str, to: &str| (from.to_owned(), BTreeSet::from([to.to_owned()]));
    let ring = BTreeMap::from([edge("a", "b"), edge("b", "c"), edge("c", "a")]);
    assert_eq!(circle(&ring).unwrap(), ["a", "b", "c", "a"]);
    assert_eq!(circle(&BTreeMap::from([edge("a", "b"), edge("b", "c")])), None);
}
