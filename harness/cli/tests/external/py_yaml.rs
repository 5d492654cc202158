//! Vectors, clauses and lists mean the same to a reader of YAML 1.1 in another language.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use cosmos_ttl_harness::diagnostic::Source;
use cosmos_ttl_harness::yaml;
use cosmos_ttl_testing::project;
use libtest_mimic::{Completion, Failed, Trial};
use serde_json::{Map, Value};

/// The directories with files of the format, and how many files at least.
const DIRECTORIES: [(&str, usize); 5] = [
    ("vectors", 9),
    ("harness/implementations/cosmosdb-server", 1),
    ("harness/testing/suite", 3),
    ("harness/tests/verdicts/runner/must-pass", 10),
    ("harness/tests/verdicts/runner/must-fail", 10),
];

/// Prints what `PyYAML` reads in the files that are named. A date or a set has no JSON, and is an error. The garbage
/// collector would take half of the time, and the program frees nothing before it ends.
const READER: &str = "\
import gc, json, sys, yaml
gc.disable()
loader = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
print(json.dumps({path: yaml.load(open(path, encoding='utf-8'), loader) for path in sys.argv[1:]}))";

pub(crate) fn trials() -> Vec<Trial> {
    let trial = Trial::ignorable_test("py_yaml::every_file_means_the_same_to_py_yaml", || {
        if !python(&["-c", "import yaml"]).is_ok_and(|output| output.status.success()) {
            let why = "python3 or its package `yaml` is not installed (pip install pyyaml)";
            return Ok(Completion::ignored_with(why));
        }
        every_file_means_the_same().map(|()| Completion::Completed)
    });
    vec![trial]
}

fn python(arguments: &[&str]) -> std::io::Result<std::process::Output> {
    Command::new("python3").args(arguments).output()
}

fn every_file_means_the_same() -> Result<(), Failed> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for (directory, least) in DIRECTORIES {
        let entries = fs::read_dir(project().join(directory))?.map(|entry| entry.unwrap().path());
        let files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|it| it == "yaml")).collect();
        assert!(files.len() >= least, "{directory}: {} files", files.len());
        paths.extend(files);
    }
    let names: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
    let output =
        python(&[&["-c", READER], &names.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat())?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let theirs: Map<String, Value> = serde_json::from_slice(&output.stdout)?;
    for (path, name) in paths.iter().zip(&names) {
        let source = Arc::new(Source::new(name.clone(), fs::read_to_string(path)?));
        let tree = yaml::parse(&source).unwrap_or_else(|flaw| panic!("{flaw}"));
        let ours = serde_json::to_value(&tree)?;
        assert!(theirs[name] == ours, "{name}: PyYAML reads\n{}\ninstead of\n{ours}", theirs[name]);
    }
    Ok(())
}
