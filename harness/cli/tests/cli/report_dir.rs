//! `cosmos-ttl run --report DIR`: what is in the directory, whatever ends the run.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use cosmos_ttl::report::Report;

use crate::program::{ProgramOutput, check_said, directory, program, refuses, say, succeeds, this, wait};

const NAMES: [&str; 4] = ["index.html", "junit.xml", "report.json", "report.md"];

fn names(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = entries.collect();
    names.sort();
    names
}

fn text(path: &Path, name: &str) -> String {
    fs::read_to_string(path.join(name)).unwrap()
}

fn read(path: &Path) -> Report {
    serde_json::from_str(&text(path, "report.json")).unwrap()
}

fn run<'a>(path: &'a Path, words: &[&'a str]) -> Vec<&'a str> {
    [&["run", "--vectors", "suite", "--report", path.to_str().unwrap()], words].concat()
}

#[test]
fn a_run_leaves_its_report_in_every_form_and_nothing_else() {
    let path = directory("report-new").join("made/where/it/is/missing");
    assert_eq!(succeeds(&run(&path, &[])), succeeds(&["run", "--vectors", "suite"]));
    assert_eq!(names(&path), NAMES);
    let report = read(&path);
    assert!(report.complete && report.incomplete.is_none());
    assert_eq!(text(&path, "report.json"), succeeds(&["run", "--vectors", "suite", "--format", "json"]));
    assert_eq!(text(&path, "junit.xml"), cosmos_ttl::report::junit(&report));
    assert_eq!(text(&path, "index.html"), cosmos_ttl::report::page(std::slice::from_ref(&report)));
    assert_eq!(text(&path, "report.md"), cosmos_ttl::report::markdown::markdown(&report));
    fs::write(path.join("notes.txt"), "mine").unwrap();
    succeeds(&run(&path, &["settings"]));
    assert_eq!(read(&path).vectors.filters, ["settings"], "it is written over");
    assert_eq!(text(&path, "notes.txt"), "mine");
    refuses(&run(&path, &["lifetme"]));
    assert_eq!(read(&path).vectors.filters, ["settings"], "wrong use touches nothing");
}

#[test]
fn a_file_of_somebody_else_is_never_written_over() {
    for name in NAMES {
        let path = directory(&format!("report-others-{name}"));
        for mine in ["mine", "{}", "{\"format\": 1}", ""] {
            fs::write(path.join(name), mine).unwrap();
            let err = refuses(&run(&path, &[]));
            assert!(err.contains(&format!("{name} is there already")), "{err}");
            assert_eq!((text(&path, name).as_str(), names(&path)), (mine, vec![name.to_owned()]));
        }
        let err = refuses(&run(&path.join(name), &[]));
        assert!(err.contains("cannot make"), "{err}");
    }
}

#[test]
fn a_run_that_never_began_leaves_no_earlier_report_and_no_key() {
    let path = directory("report-wrong");
    succeeds(&run(&path, &[]));
    for (url, code, conclusion) in [
        ("http://user:c2VjcmV0@localhost:8081", 2, ""),
        ("http://c2VjcmV0@localhost:8081/?a@b", 2, ""),
        ("http://127.0.0.1:9", 4, "broke"),
    ] {
        let said = say(&run(&path, &[url]));
        assert_eq!((said.code, said.out.as_str()), (i32::from(code), ""));
        let report = read(&path);
        assert_eq!((report.complete, report.exit_code, report.counts.not_run), (false, code, 5));
        assert!(report.conclusion.contains(conclusion), "{}", report.conclusion);
        assert!(report.incomplete.unwrap().starts_with("5 of 5 vectors were not run: "));
        assert!(NAMES.iter().all(|name| !text(&path, name).contains("c2VjcmV0")), "{url}");
    }
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
        let mut program = program();
        program.args(run(&path, words)).stdout(Stdio::piped()).stderr(Stdio::piped());
        let begun = Self { child: program.spawn().unwrap(), path, _server: None };
        for _ in 0..600 {
            wait();
            // Once it is known what is tested, a thread watches for signals. Of an incomplete report the JSON is first.
            let report = read(&begun.path);
            let is_begun = !report.complete && report.target.name != report.target.asked;
            if is_begun && NAMES.iter().all(|name| begun.written("report.json") <= begun.written(name)) {
                wait();
                return begun;
            }
        }
        panic!("the first report was never written");
    }

    fn written(&self, name: &str) -> std::time::SystemTime {
        fs::metadata(self.path.join(name)).unwrap().modified().unwrap()
    }
}

#[test]
fn a_run_that_was_killed_leaves_a_report_that_says_it_is_incomplete() {
    let mut endless = Endless::start("report-killed");
    endless.child.kill().unwrap();
    endless.child.wait().unwrap();
    let report = read(&endless.path);
    assert_eq!((report.complete, report.exit_code, report.counts.not_run), (false, 3, 5));
    let why = "5 of 5 vectors were not run: the run did not come to its end";
    assert_eq!(report.incomplete.as_deref(), Some(why));
    assert!(text(&endless.path, "junit.xml").contains(r#"<testcase name="complete" classname="run">"#));
    assert!(text(&endless.path, "report.md").contains("**The run is incomplete.**"));
}

#[cfg(unix)]
#[test]
fn a_run_that_was_interrupted_ends_in_good_order() {
    // Each line of the adapter takes its time, or the run would be over before anybody could press a key.
    let slow = "\"$0\" serve --stdio | while read -r line; do sleep 0.05; echo \"$line\"; done";
    check_interrupted(Endless::start("report-interrupted"));
    check_interrupted(Endless::with("report-process", &["--", "sh", "-c", slow, this()]));
}

#[cfg(unix)]
#[track_caller]
fn check_interrupted(endless: Endless) {
    crate::program::interrupt(endless.child.id());
    let said = ProgramOutput::from(endless.child.wait_with_output().unwrap());
    check_said("interrupted", &said, 3, &["5 vectors = ", " not run\n", "undecided: ", "interrupted: "]);
    let report = read(&endless.path);
    assert_eq!((report.exit_code, report.complete), (3, false));
    assert_eq!(report.counts.pass.saturating_add(report.counts.not_run), report.counts.vectors);
    assert!(report.incomplete.unwrap().ends_with("the run was interrupted before"));
}

#[cfg(unix)]
#[test]
fn a_report_that_cannot_be_written_in_the_end_is_no_success_and_the_result_is_told() {
    let endless = Endless::start("report-gone");
    fs::remove_dir_all(&endless.path).unwrap();
    crate::program::interrupt(endless.child.id());
    let said = ProgramOutput::from(endless.child.wait_with_output().unwrap());
    assert_eq!(said.code, 2, "{}", said.err);
    assert!(
        said.err.contains("cannot write") && said.err.contains("report-gone/report.json"),
        "{}",
        said.err
    );
    assert!(said.out.contains("5 vectors = 5 not run"), "{}", said.out);
}
