//! `cosmos-ttl run --report DIR`: what is in the directory, whatever ends the run.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use cosmos_ttl::report::{Outcome, Report};

use crate::program::{self, directory, program, refuses, succeeds};

const NAMES: [&str; 4] = ["index.html", "junit.xml", "report.json", "report.md"];

const REPORT: &str = "report.json";

fn names(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = entries.collect();
    names.sort();
    names
}

fn read(path: &Path) -> Report {
    serde_json::from_str(&fs::read_to_string(path.join("report.json")).unwrap()).unwrap()
}

fn run<'a>(path: &'a Path, words: &[&'a str]) -> Vec<&'a str> {
    let own = ["run", "--vectors", "suite", "--report", path.to_str().unwrap()];
    own.into_iter().chain(words.iter().copied()).collect()
}

#[test]
fn a_run_leaves_its_report_in_every_form_and_nothing_else() {
    let path = directory("report-new").join("made/where/it/is/missing");
    let text = succeeds(&run(&path, &[]));
    assert_eq!(text, succeeds(&["run", "--vectors", "suite"]));
    assert_eq!(names(&path), NAMES);
    let json = succeeds(&["run", "--vectors", "suite", "--format", "json"]);
    assert_eq!(fs::read_to_string(path.join("report.json")).unwrap(), json);
    let report = read(&path);
    assert!(report.complete && report.incomplete.is_none());
    let made = |name: &str| fs::read_to_string(path.join(name)).unwrap();
    assert_eq!(made("junit.xml"), cosmos_ttl::report::junit(&report));
    assert_eq!(made("index.html"), cosmos_ttl::report::page(std::slice::from_ref(&report)));
    assert_eq!(made("report.md"), cosmos_ttl::report::markdown::markdown(&report));
}

#[test]
fn a_report_of_ours_is_written_over_and_everything_else_stays() {
    let path = directory("report-over");
    fs::write(path.join("notes.txt"), "mine").unwrap();
    succeeds(&run(&path, &["lifetime"]));
    succeeds(&run(&path, &["settings"]));
    assert_eq!(read(&path).vectors.filters, ["settings"]);
    assert_eq!(fs::read_to_string(path.join("notes.txt")).unwrap(), "mine");
    assert_eq!(names(&path).len(), NAMES.len() + 1);
}

#[test]
fn a_file_of_somebody_else_is_never_written_over() {
    for name in NAMES {
        let path = directory(&format!("report-others-{name}"));
        for text in ["mine", "{}", "{\"format\": 1}", ""] {
            fs::write(path.join(name), text).unwrap();
            let err = refuses(&run(&path, &[]));
            assert!(err.contains(&format!("{name} is there already")), "{err}");
            assert_eq!(fs::read_to_string(path.join(name)).unwrap(), text);
            assert_eq!(names(&path), [name]);
        }
    }
}

#[test]
fn a_directory_that_cannot_be_written_to_is_refused_before_the_run() {
    let path = directory("report-unwritable");
    fs::write(path.join("file"), "mine").unwrap();
    for there in ["file", "file/below"] {
        let err = refuses(&run(&path.join(there), &[]));
        assert!(err.contains("cannot make") && err.contains("unwritable/file"), "{err}");
    }
    // Below this, nobody makes anything.
    if Path::new("/proc/self").exists() {
        let err = refuses(&run(Path::new("/proc/self"), &[]));
        assert!(err.contains("cannot write /proc/self/report.json: "), "{err}");
    }
}

#[test]
fn wrong_use_leaves_no_key_anywhere_and_no_report_of_an_earlier_run() {
    let path = directory("report-wrong");
    succeeds(&run(&path, &[]));
    for url in ["http://user:c2VjcmV0@localhost:8081", "http://c2VjcmV0@localhost:8081/?a@b"] {
        refuses(&run(&path, &[url]));
        let report = read(&path);
        assert_eq!((report.complete, report.exit_code), (false, 2));
        assert!(report.incomplete.unwrap().starts_with("5 of 5 vectors were not run: "));
        for name in NAMES {
            assert!(!fs::read_to_string(path.join(name)).unwrap().contains("c2VjcmV0"), "{name}");
        }
    }
}

#[test]
fn a_filter_that_selects_nothing_touches_no_report() {
    let path = directory("report-filter");
    refuses(&run(&path, &["lifetme"]));
    assert_eq!(names(&path), [""; 0]);
}

#[test]
fn a_target_that_is_not_there_leaves_a_report_that_says_so() {
    let path = directory("report-nobody");
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let said = program::say(&run(&path, &[&format!("http://127.0.0.1:{port}")]));
    assert_eq!((said.code, said.out.as_str()), (4, ""));
    let report = read(&path);
    assert_eq!((report.complete, report.exit_code, report.conclusion.as_str()), (false, 4, "broke"));
    assert_eq!(report.counts.not_run, 5);
    let why = report.incomplete.unwrap();
    assert!(why.starts_with("5 of 5 vectors were not run: ") && why.contains(&port.to_string()), "{why}");
    assert_eq!(names(&path), NAMES);
}

/// A run against a server that takes every connection and never answers, once its first report is there.
struct Endless {
    child: Child,
    path: PathBuf,
    _server: Option<TcpListener>,
}

impl Endless {
    fn start(name: &str) -> Self {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", server.local_addr().unwrap());
        Self { _server: Some(server), ..Self::with(name, &[&url, "--timeout", "2"]) }
    }

    fn with(name: &str, words: &[&str]) -> Self {
        let path = directory(name);
        // What an earlier run left must not pass for what this one says.
        succeeds(&run(&path, &[]));
        let words = run(&path, words).into_iter().map(str::to_owned).collect::<Vec<_>>();
        let mut program = program();
        let child = program.args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let begun = Self { child, path, _server: None };
        begun.wait();
        begun
    }

    /// Until it is known what is tested: from then on a thread watches for signals.
    fn wait(&self) {
        for _ in 0..600 {
            let report = read(&self.path);
            let begun = !report.complete && report.target.name != report.target.asked;
            // Of an incomplete report `report.json` is written first.
            if begun && NAMES.iter().all(|name| self.written(REPORT) <= self.written(name)) {
                return wait();
            }
            wait();
        }
        panic!("the first report was never written");
    }

    fn written(&self, name: &str) -> std::time::SystemTime {
        fs::metadata(self.path.join(name)).unwrap().modified().unwrap()
    }

    #[cfg(unix)]
    fn interrupt(&self) {
        let id = self.child.id().to_string();
        let kill = std::process::Command::new("kill").args(["-INT", &id]).status();
        assert!(kill.unwrap().success());
    }
}

#[expect(clippy::disallowed_methods, reason = "another process is waited for")]
fn wait() {
    std::thread::sleep(Duration::from_millis(50));
}

#[test]
fn a_run_that_was_killed_leaves_a_report_that_says_it_is_incomplete() {
    let mut endless = Endless::start("report-killed");
    endless.child.kill().unwrap();
    endless.child.wait().unwrap();
    let report = read(&endless.path);
    assert_eq!((report.complete, report.exit_code), (false, 3));
    let why = "5 of 5 vectors were not run: the run did not come to its end";
    assert_eq!(report.incomplete.as_deref(), Some(why));
    assert_eq!(report.cases(Outcome::NotRun).count(), 5);
    let made = |name: &str| fs::read_to_string(endless.path.join(name)).unwrap();
    assert!(made("junit.xml").contains(r#"<testcase name="complete" classname="run">"#));
    assert!(made("report.md").contains("**The run is incomplete:** 5 of 5 vectors were not run"));
}

#[cfg(unix)]
#[test]
fn a_run_that_was_interrupted_ends_in_good_order() {
    let mut endless = Endless::start("report-interrupted");
    endless.interrupt();
    endless.child.wait().unwrap();
    let report = read(&endless.path);
    let said: program::ProgramOutput = endless.child.wait_with_output().unwrap().into();
    assert_eq!((said.code, report.exit_code, report.complete), (3, 3, false), "{}", said.err);
    let why = report.incomplete.unwrap();
    assert!(why.ends_with("the run was interrupted before"), "{why}");
    assert!(said.out.contains("5 vectors = 5 not run\nundecided: "), "{}", said.out);
    assert!(said.err.starts_with("interrupted: "), "{}", said.err);
}

#[cfg(unix)]
#[test]
fn a_run_on_a_clock_that_the_harness_moves_is_interrupted_between_two_vectors() {
    // Each line of the adapter takes its time, or the run would be over before anybody could press a key.
    let slow = "\"$0\" serve --stdio | while read -r line; do sleep 0.05; echo \"$line\"; done";
    let words = ["--", "sh", "-c", slow, env!("CARGO_BIN_EXE_cosmos-ttl")];
    let endless = Endless::with("report-process", &words);
    endless.interrupt();
    let path = endless.path.clone();
    let said: program::ProgramOutput = endless.child.wait_with_output().unwrap().into();
    let report = read(&path);
    assert_eq!((said.code, report.exit_code, report.complete), (3, 3, false), "{}", said.err);
    assert_eq!(report.counts.vectors, report.counts.pass + report.counts.not_run);
    assert!(0 < report.counts.not_run, "{}", said.out);
    assert!(report.incomplete.unwrap().ends_with("the run was interrupted before"));
}

#[cfg(unix)]
#[test]
fn a_report_that_cannot_be_written_in_the_end_is_no_success_and_the_result_is_told() {
    let mut endless = Endless::start("report-gone");
    fs::remove_dir_all(&endless.path).unwrap();
    endless.interrupt();
    endless.child.wait().unwrap();
    let said: program::ProgramOutput = endless.child.wait_with_output().unwrap().into();
    assert_eq!(said.code, 2, "{}", said.err);
    assert!(
        said.err.contains("cannot write") && said.err.contains("report-gone/report.json"),
        "{}",
        said.err
    );
    assert!(said.out.contains("5 vectors = 5 not run"), "{}", said.out);
}
