//! What `init` writes, with a right store in place of the one that is left open, passes; and what is broken in it is found.
//!
//! They need Python, Node, Java and Go. A machine without one says aloud that its adapter was not tested. The adapter in Rust needs
//! the packed crates: `.ci/user-crate` tests it.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use cosmos_ttl_testing::program::{ProgramOutput, scratch};
use libtest_mimic::{Completion, Failed, Trial};

/// An adapter that `init` writes.
#[derive(Clone, Copy)]
struct Adapter {
    language: &'static str,
    /// What there must be to run it.
    needs: &'static [&'static str],
    file: &'static str,
    store: &'static str,
    /// What its language makes of `10.0`.
    ten: &'static str,
    /// A line of the right store, and the same with a fault: items live a second too long.
    right: &'static str,
    wrong: &'static str,
}

const PYTHON: Adapter = Adapter {
    language: "python",
    needs: &["python3", "--version"],
    file: "adapter.py",
    store: "store.py",
    ten: "10.0",
    right: "item[\"_ts\"] + ttl <= now",
    wrong: "item[\"_ts\"] + ttl < now",
};

const NODE: Adapter = Adapter {
    language: "javascript",
    needs: &["node", "--version"],
    file: "adapter.mjs",
    store: "store.mjs",
    ten: "10", // JSON.parse has read it before any program sees it
    right: "item._ts + ttl <= now",
    wrong: "item._ts + ttl < now",
};

const JAVA: Adapter = Adapter {
    language: "java",
    needs: &["javac", "--version"],
    file: "Adapter.java",
    store: "Store.java",
    ten: "10.0",
    right: "now < (Long) item.get(\"_ts\") + ttl",
    wrong: "now <= (Long) item.get(\"_ts\") + ttl",
};

const GO: Adapter = Adapter {
    language: "go",
    needs: &["go", "version"],
    file: "adapter.go",
    store: "store.go",
    ten: "10.0",
    right: "+ttl <= s.now",
    wrong: "+ttl < s.now",
};

/// The number of times that undecided vectors are played again at most.
const MOST_REPEATS: u32 = 5;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("python_adapter_passes", PYTHON, passes),
        trial("node_adapter_passes", NODE, passes),
        trial("java_adapter_passes", JAVA, passes),
        trial("go_adapter_passes", GO, passes),
        trial("python_store_passes_on_a_clock_of_its_own", PYTHON, passes_on_a_clock_of_its_own),
        trial("python_transcript_is_what_is_said", PYTHON, says_what_the_readme_says),
        trial("node_store_with_a_fault_fails_the_complete_suite", NODE, fails_the_complete_suite),
    ]
}

fn trial(name: &str, adapter: Adapter, test: fn(Adapter)) -> Trial {
    Trial::ignorable_test(name, move || {
        let [program, word] = adapter.needs else { panic!("a program and a word") };
        let there = Command::new(program).arg(word).stdout(Stdio::null()).status();
        if there.is_err() {
            return Ok(Completion::ignored_with(format!("{program} is not installed")));
        }
        test(adapter);
        Ok::<_, Failed>(Completion::Completed)
    })
}

/// An adapter in a directory, and the commands that `init` prints for it.
struct Written {
    directory: PathBuf,
    build: Option<String>,
    start: Vec<String>,
}

impl Written {
    fn build(&self) {
        if let Some(line) = &self.build {
            let built = Command::new("sh").args(["-c", line]).current_dir(&self.directory).status();
            assert!(built.unwrap().success(), "{line}");
        }
    }

    /// Runs `cosmos-ttl` with these words and the adapter.
    fn say(&self, words: &[&str]) -> ProgramOutput {
        let mut command = super::program();
        command.args(words).arg("--").args(&self.start);
        command.current_dir(&self.directory).env("PYTHONDONTWRITEBYTECODE", "1").output().unwrap().into()
    }

    /// What the adapter itself answers to these lines.
    fn answers(&self, lines: &str) -> String {
        let mut command = Command::new(&self.start[0]);
        command.args(&self.start[1..]).current_dir(&self.directory);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    }
}

impl Adapter {
    /// Has `init` write the adapter.
    fn written(self, name: &str) -> Written {
        let directory = scratch(&format!("{}-{name}", self.language));
        let said: ProgramOutput =
            super::program().args(["init", self.language]).current_dir(&directory).output().unwrap().into();
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
        let mut lines = said.out.lines().filter_map(|line| line.strip_prefix("  ")).skip(1).peekable();
        let build = lines.next_if(|line| !line.starts_with("cosmos-ttl")).map(str::to_owned);
        let start = lines.next().and_then(|line| line.strip_prefix("cosmos-ttl smoke -- ")).unwrap();
        Written { directory, build, start: start.split(' ').map(str::to_owned).collect() }
    }

    fn store(self) -> String {
        let stores = cosmos_ttl_testing::project().join("harness/cli/tests/external/stores");
        fs::read_to_string(stores.join(self.store)).unwrap()
    }

    /// The same with the right store; in one file these texts are replaced.
    fn filled(self, name: &str, file: &str, changes: &[(&str, &str)]) -> Written {
        let written = self.written(name);
        fs::write(written.directory.join(self.store), self.store()).unwrap();
        let mut text = fs::read_to_string(written.directory.join(file)).unwrap();
        for (from, to) in changes {
            assert!(text.contains(from), "where is {from}?");
            text = text.replace(from, to);
        }
        fs::write(written.directory.join(file), text).unwrap();
        written.build();
        written
    }
}

/// Every file is short, and a store that is left open offers nothing. The quick vectors kill every mutant.
fn passes(adapter: Adapter) {
    let open = adapter.written("open");
    open.build();
    let said = open.say(&["smoke", "--strict-protocol"]);
    assert!(said.code == 4 && said.out.contains("echo         not offered: create"), "{}", said.out);
    for file in fs::read_dir(&open.directory).unwrap().map(|entry| entry.unwrap().path()) {
        let lines = fs::read_to_string(&file).map_or(0, |text| text.lines().count());
        assert!(lines < 100 || file.ends_with("PROTOCOL.md"), "{} has {lines} lines", file.display());
    }
    let filled = adapter.filled("filled", adapter.store, &[]);
    for (words, told) in [
        (&["smoke", "--strict-protocol"][..], "11 checks passed"),
        (
            &["run", "--profile", "quick", "--strict", "--strict-protocol"],
            "no failure in the quick profile: ",
        ),
    ] {
        let said = filled.say(words);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
        assert!(said.out.contains(told), "{}", said.out);
    }
    let said = filled.answers(
        "{\"q\":1,\"open\":{\"session\":\"s\"}}
        {\"q\":2,\"send\":{\"session\":\"s\",\"request\":{\"create-container\":{\"indexing\":\"none\"}}}}
        {\"q\":3,\"send\":{\"session\":\"s\",\"request\":{\"create\":{\"item\":{\"id\":\"a\",\"b\":null,\"c\":10.0}}}}}
        {\"q\":4,\"send\":{\"session\":\"s\",\"request\":{\"replace-container\":{\"indexing\":\"none\"}}}}
        {\"q\":5,\"send\":{\"session\":\"s\",\"request\":{\"replace-container\":{\"defaultTtl\":null,\"indexing\":\"consistent\"}}}}\n",
    );
    let said = said.replace(' ', "");
    assert!(said.contains("\"b\":null") && said.contains(&format!("\"c\":{}", adapter.ten)), "{said}");
    let statuses: Vec<_> =
        said.lines().map(|line| ["\"ok\"", "bad-request"].map(|it| line.contains(it))).collect();
    assert_eq!(statuses[3..], [[true, false], [false, true]], "a null is not an absent one: {said}");
    let faulty = adapter.filled("faulty", adapter.store, &[(adapter.right, adapter.wrong)]);
    let said = faulty.say(&["run", "gone-at-deadline"]);
    assert!(said.code == 1 && said.out.contains("expected [witness], got [a, witness]"), "{}", said.out);
}

/// Checks, with a copy of an adapter, the advice of its README for a store whose clock nothing moves.
fn passes_on_a_clock_of_its_own(adapter: Adapter) {
    let send = "case {\"send\": {\"session\": name, \"request\": asked, **options}}:\n";
    let clock = format!("{send}            sessions[name].now = int(time.time())\n");
    let changes = [
        ("\"protocol\": 1, **ABOUT", "\"protocol\": 1, **ABOUT, \"clock\": \"real\""),
        ("import sys\n", "import sys\nimport time\n"),
        (send, &clock),
    ];
    let real = adapter.filled("real", adapter.file, &changes);
    let run = ["run", "--budget", "8", "--report", "report"];
    let mut said = real.say(&[&run[..], &["lifetime", "clock", "writes"]].concat());
    assert!(said.out.contains("real clock") && said.out.contains("longer than"), "{}", said.out);
    // A machine that stalls leaves vectors undecided. They are played again, as the README says.
    for _ in 0..MOST_REPEATS {
        if said.code == 3 {
            said = real.say(&[&run[..], &["--failed", "report"]].concat());
        }
    }
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
}

/// The transcript of the page on usage: each command prints the lines below it; `…` stands for any lines.
fn says_what_the_readme_says(adapter: Adapter) {
    let readme = fs::read_to_string(cosmos_ttl_testing::project().join("harness/USAGE.md")).unwrap();
    let transcript = readme.split("```console\n").nth(1).unwrap().split("```").next().unwrap();
    let written = adapter.filled("transcript", adapter.store, &[(adapter.right, adapter.wrong)]);
    for told in transcript.split("$ ").skip(1) {
        let (command, output) = told.split_once('\n').unwrap();
        let words: Vec<_> = command.split(' ').collect();
        if words[0] == "sed" {
            fs::write(written.directory.join(adapter.store), adapter.store()).unwrap();
            continue;
        }
        let end = words.iter().position(|word| *word == "--").unwrap();
        assert_eq!(words[end + 1..], written.start);
        let said = written.say(&words[1..end]).out;
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

fn fails_the_complete_suite(adapter: Adapter) {
    let faulty = adapter.filled("suite", adapter.store, &[(adapter.right, adapter.wrong)]);
    let said = faulty.say(&["prove", "--depth", "0", "--longest-ttl", "1"]);
    let again = format!("-- {}", faulty.start.join(" "));
    assert!(said.code == 1 && said.out.contains("error: ") && said.out.contains(&again), "{}", said.out);
}
