//! The adapters that others copy: what they put in front of the vectors passes, and what is broken in it is found.
//!
//! They need Python and Node. A machine without one says aloud that its adapter was not tested.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use libtest_mimic::{Completion, Failed, Trial};

/// An adapter: its interpreter, its directory, and the files in it.
#[derive(Clone, Copy)]
struct Adapter {
    interpreter: &'static str,
    language: &'static str,
    file: &'static str,
    store: &'static str,
    /// A line of the store, and the same with a fault: items live a second too long.
    right: &'static str,
    wrong: &'static str,
}

const ADAPTERS: [Adapter; 2] = [
    Adapter {
        interpreter: "python3",
        language: "python",
        file: "adapter.py",
        store: "store.py",
        right: "item[\"_ts\"] + ttl <= self.now",
        wrong: "item[\"_ts\"] + ttl < self.now",
    },
    Adapter {
        interpreter: "node",
        language: "javascript",
        file: "adapter.mjs",
        store: "store.mjs",
        right: "item._ts + ttl <= this.now",
        wrong: "item._ts + ttl < this.now",
    },
];

/// The exit code of a run in which nothing failed, but not every vector was judged.
const UNDECIDED: i32 = 3;

/// The number of times that undecided vectors are played again at most.
const MOST_REPEATS: u32 = 5;

pub(crate) fn trials() -> Vec<Trial> {
    let trials = ADAPTERS.iter().flat_map(|adapter| {
        [
            trial("adapter_does_what_an_adapter_must", *adapter, does_what_it_must),
            trial("store_passes_the_quick_vectors", *adapter, passes),
        ]
    });
    let [python, node] = ADAPTERS;
    let others = [
        trial("store_passes_on_a_clock_of_its_own", python, passes_on_a_clock_of_its_own),
        trial("transcript_is_what_is_said", python, says_what_the_readme_says),
        trial("store_with_a_fault_fails_the_vectors_and_the_complete_suite", node, fails_with_a_fault),
    ];
    trials.chain(others).collect()
}

/// Checks, with a copy of an adapter, the advice of its README for a store whose clock nothing moves.
fn passes_on_a_clock_of_its_own(adapter: Adapter) {
    let copy = copied(adapter, "real");
    let text = fs::read_to_string(copy.join(adapter.file)).unwrap();
    let send = "case {\"send\": {\"session\": name, \"request\": asked}}:\n";
    let clock = "            sessions[name].now = int(time.time())\n";
    let changes = [
        ("\"clock\": \"virtual\"", "\"clock\": \"real\"".to_owned()),
        ("import sys\n", "import sys\nimport time\n".to_owned()),
        (send, format!("{send}{clock}")),
    ];
    let text = changes.iter().fold(text, |text, (from, to)| {
        assert!(text.contains(from), "where is {from}?");
        text.replace(from, to)
    });
    fs::write(copy.join(adapter.file), text).unwrap();
    let run = ["run", "--budget", "8", "--report", "report"];
    let (mut code, mut out, mut err) =
        say(adapter, &copy, &[&run[..], &["lifetime", "clock", "writes"]].concat());
    assert!(out.contains("real clock"), "{out}");
    assert!(out.contains("longer than"), "what is left out says why: {out}");
    // A machine that stalls leaves vectors undecided. They are played again, as the README says.
    for _ in 0..MOST_REPEATS {
        if code == Some(UNDECIDED) {
            (code, out, err) = say(adapter, &copy, &[&run[..], &["--failed", "report"]].concat());
        }
    }
    assert_eq!(code, Some(0), "{out}{err}");
}

fn trial(name: &str, adapter: Adapter, test: fn(Adapter)) -> Trial {
    Trial::ignorable_test(format!("{}_{name}", adapter.language), move || {
        let there = Command::new(adapter.interpreter).arg("--version").stdout(Stdio::null()).status();
        if there.is_err() {
            return Ok(Completion::ignored_with(format!("{} is not installed", adapter.interpreter)));
        }
        test(adapter);
        Ok::<_, Failed>(Completion::Completed)
    })
}

impl Adapter {
    fn directory(self) -> PathBuf {
        cosmos_ttl_testing::project().join("harness/targets/adapters").join(self.language)
    }
}

/// Runs `cosmos-ttl` with these words and the adapter in this directory: exit code, standard output and error.
fn say(adapter: Adapter, directory: &Path, words: &[&str]) -> (Option<i32>, String, String) {
    let mut command = super::program();
    command.args(words).args(["--", adapter.interpreter, adapter.file]);
    let output = command.current_dir(directory).env("PYTHONDONTWRITEBYTECODE", "1").output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn does_what_it_must(adapter: Adapter) {
    let (code, out, err) = say(adapter, &adapter.directory(), &["smoke", "--strict-protocol"]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(out.contains("11 checks passed"), "{out}");
}

/// The quick vectors kill every mutant; the transcript replays all of them.
fn passes(adapter: Adapter) {
    let words = ["run", "--profile", "quick", "--strict", "--strict-protocol"];
    let (code, out, err) = say(adapter, &adapter.directory(), &words);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(out.contains("no failure in the quick profile: "), "{out}");
}

/// The transcript of the page on usage: each command prints the lines below it; `…` stands for any lines.
fn says_what_the_readme_says(adapter: Adapter) {
    let readme = cosmos_ttl_testing::project().join("harness/USAGE.md");
    let readme = fs::read_to_string(readme).unwrap();
    let transcript = readme.split("```console\n").nth(1).unwrap().split("```").next().unwrap();
    let copy = copied(adapter, "transcript");
    let right = fs::read_to_string(copy.join(adapter.store)).unwrap();
    fs::write(copy.join(adapter.store), right.replace(adapter.right, adapter.wrong)).unwrap();
    for told in transcript.split("$ ").skip(1) {
        let (command, output) = told.split_once('\n').unwrap();
        let words: Vec<_> = command.split(' ').collect();
        if words[0] == "sed" {
            fs::write(copy.join(adapter.store), &right).unwrap();
            continue;
        }
        let end = words.iter().position(|word| *word == "--").unwrap();
        assert_eq!(words[end..], ["--", adapter.interpreter, adapter.file]);
        let (_, out, _) = say(adapter, &copy, &words[1..end]);
        check_told(output, &out);
    }
}

#[track_caller]
fn check_told(told: &str, said: &str) {
    let mut lines = said.lines();
    let mut any = false;
    for line in told.lines() {
        if line.trim() == "…" {
            any = true;
            continue;
        }
        let found = if any { lines.any(|said| said == line) } else { lines.next() == Some(line) };
        assert!(found, "`{line}` is not what is said:\n{said}");
        any = false;
    }
}

/// A copy of an adapter and its store, to be changed.
fn copied(adapter: Adapter, name: &str) -> PathBuf {
    let copy = cosmos_ttl_testing::temporary().join("adapters").join(adapter.language).join(name);
    let _ = fs::remove_dir_all(&copy);
    fs::create_dir_all(&copy).unwrap();
    for file in [adapter.file, adapter.store] {
        fs::copy(adapter.directory().join(file), copy.join(file)).unwrap();
    }
    copy
}

fn fails_with_a_fault(adapter: Adapter) {
    let copy = copied(adapter, "faulty");
    let store = fs::read_to_string(copy.join(adapter.store)).unwrap();
    assert!(store.contains(adapter.right), "where is the rule?");
    fs::write(copy.join(adapter.store), store.replace(adapter.right, adapter.wrong)).unwrap();
    let again = format!("-- {} {}", adapter.interpreter, adapter.file);
    let (code, out, _) = say(adapter, &copy, &["run", "gone-at-deadline"]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("expected [witness], got [a, witness]"), "{out}");
    assert!(out.contains(&again), "how to repeat it: {out}");
    let complete = ["prove", "--depth", "0", "--longest-ttl", "1"];
    let (code, out, _) = say(adapter, &copy, &complete);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.starts_with("error: ") && out.contains(&again), "{out}");
}
