//! The adapters that others copy: what they put in front of the vectors passes, and what is broken in it is found.
//!
//! They need Python and Node. A machine without one says aloud that its adapter was not tested.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cosmos_ttl_testing::program::ProgramOutput;
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

const PYTHON: Adapter = Adapter {
    interpreter: "python3",
    language: "python",
    file: "adapter.py",
    store: "store.py",
    right: "item[\"_ts\"] + ttl <= now",
    wrong: "item[\"_ts\"] + ttl < now",
};

const NODE: Adapter = Adapter {
    interpreter: "node",
    language: "javascript",
    file: "adapter.mjs",
    store: "store.mjs",
    right: "item._ts + ttl <= now",
    wrong: "item._ts + ttl < now",
};

/// The number of times that undecided vectors are played again at most.
const MOST_REPEATS: u32 = 5;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("python_adapter_passes", PYTHON, passes),
        trial("node_adapter_passes", NODE, passes),
        trial("python_store_passes_on_a_clock_of_its_own", PYTHON, passes_on_a_clock_of_its_own),
        trial("python_transcript_is_what_is_said", PYTHON, says_what_the_readme_says),
        trial("node_store_with_a_fault_fails_vectors_and_suite", NODE, fails_with_a_fault),
    ]
}

fn trial(name: &str, adapter: Adapter, test: fn(Adapter)) -> Trial {
    Trial::ignorable_test(name, move || {
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

    /// A copy of the adapter and its store, in one of which these texts are replaced.
    fn copied(self, name: &str, file: &str, changes: &[(&str, &str)]) -> PathBuf {
        let copy = cosmos_ttl_testing::program::scratch(&format!("{}-{name}", self.language));
        for file in [self.file, self.store] {
            fs::copy(self.directory().join(file), copy.join(file)).unwrap();
        }
        let mut text = fs::read_to_string(copy.join(file)).unwrap();
        for (from, to) in changes {
            assert!(text.contains(from), "where is {from}?");
            text = text.replace(from, to);
        }
        fs::write(copy.join(file), text).unwrap();
        copy
    }

    /// Runs `cosmos-ttl` with these words and the adapter in this directory.
    fn say(self, directory: &Path, words: &[&str]) -> ProgramOutput {
        let mut command = super::program();
        command.args(words).args(["--", self.interpreter, self.file]);
        command.current_dir(directory).env("PYTHONDONTWRITEBYTECODE", "1").output().unwrap().into()
    }
}

/// The quick vectors kill every mutant; the transcript replays all of them.
fn passes(adapter: Adapter) {
    for (words, told) in [
        (&["smoke", "--strict-protocol"][..], "11 checks passed"),
        (
            &["run", "--profile", "quick", "--strict", "--strict-protocol"],
            "no failure in the quick profile: ",
        ),
    ] {
        let said = adapter.say(&adapter.directory(), words);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
        assert!(said.out.contains(told), "{}", said.out);
    }
}

/// Checks, with a copy of an adapter, the advice of its README for a store whose clock nothing moves.
fn passes_on_a_clock_of_its_own(adapter: Adapter) {
    let send = "case {\"send\": {\"session\": name, \"request\": asked, **options}}:\n";
    let clock = format!("{send}            sessions[name].now = int(time.time())\n");
    let copy = adapter.copied(
        "real",
        adapter.file,
        &[
            ("\"clock\": \"virtual\"", "\"clock\": \"real\""),
            ("import sys\n", "import sys\nimport time\n"),
            (send, &clock),
        ],
    );
    let run = ["run", "--budget", "8", "--report", "report"];
    let mut said = adapter.say(&copy, &[&run[..], &["lifetime", "clock", "writes"]].concat());
    assert!(said.out.contains("real clock") && said.out.contains("longer than"), "{}", said.out);
    // A machine that stalls leaves vectors undecided. They are played again, as the README says.
    for _ in 0..MOST_REPEATS {
        if said.code == 3 {
            said = adapter.say(&copy, &[&run[..], &["--failed", "report"]].concat());
        }
    }
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
}

/// The transcript of the page on usage: each command prints the lines below it; `…` stands for any lines.
fn says_what_the_readme_says(adapter: Adapter) {
    let readme = fs::read_to_string(cosmos_ttl_testing::project().join("harness/USAGE.md")).unwrap();
    let transcript = readme.split("```console\n").nth(1).unwrap().split("```").next().unwrap();
    let copy = adapter.copied("transcript", adapter.store, &[(adapter.right, adapter.wrong)]);
    for told in transcript.split("$ ").skip(1) {
        let (command, output) = told.split_once('\n').unwrap();
        let words: Vec<_> = command.split(' ').collect();
        if words[0] == "sed" {
            fs::copy(adapter.directory().join(adapter.store), copy.join(adapter.store)).unwrap();
            continue;
        }
        let end = words.iter().position(|word| *word == "--").unwrap();
        assert_eq!(words[end..], ["--", adapter.interpreter, adapter.file]);
        let said = adapter.say(&copy, &words[1..end]).out;
        let mut lines = said.lines();
        let mut any = false;
        for line in output.lines() {
            let is_gap = line.trim() == "…";
            let found =
                is_gap || if any { lines.any(|said| said == line) } else { lines.next() == Some(line) };
            assert!(found, "`{line}` is not what is said:\n{said}");
            any = is_gap;
        }
    }
}

fn fails_with_a_fault(adapter: Adapter) {
    let copy = adapter.copied("faulty", adapter.store, &[(adapter.right, adapter.wrong)]);
    let again = format!("-- {} {}", adapter.interpreter, adapter.file);
    for (words, told) in [
        (&["run", "gone-at-deadline"][..], "expected [witness], got [a, witness]"),
        (&["prove", "--depth", "0", "--longest-ttl", "1"], "error: "),
    ] {
        let said = adapter.say(&copy, words);
        assert_eq!(said.code, 1, "{}", said.out);
        assert!(said.out.contains(told) && said.out.contains(&again), "{}", said.out);
    }
}
