//! `cosmos-ttl report`

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use cosmos_ttl::report::{Report, RunCommand};
use cosmos_ttl_testing::twisted::{Wrong, careless};
use cosmos_ttl_testing::{run_all, small_suite};

/// The report of a target that fails.
fn failing() -> Report {
    let suite = small_suite();
    let run = run_all(&Wrong(careless), &suite);
    Report::of(&suite, &run, &RunCommand { target: "reference".into(), ..RunCommand::default() })
}

fn directory(name: &str) -> PathBuf {
    let path = cosmos_ttl_testing::temporary().join("html").join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn report(directory: &Path, words: &[&str]) -> Output {
    let mut command = crate::program::program();
    command.current_dir(directory).arg("report").args(words).output().unwrap()
}

#[track_caller]
fn check_refused(output: &Output, said: &[&str]) {
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]), "{err}");
    assert!(said.iter().all(|words| err.contains(words)) && !err.contains("panicked"), "{err}");
}

#[test]
fn a_page_is_made_of_a_file_and_of_a_directory_and_goes_where_it_is_told() {
    let directory = directory("made");
    fs::write(directory.join("report.json"), failing().json()).unwrap();
    let shown = report(&directory, &["report.json"]);
    assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
    let page = String::from_utf8(shown.stdout.clone()).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</body></html>"), "{page}");
    let written = report(&directory, &[".", "--to", "html", "-o", "page.html"]);
    assert_eq!(String::from_utf8_lossy(&written.stdout), "page.html: written\n");
    assert_eq!(fs::read(directory.join("page.html")).unwrap(), shown.stdout);
    let two = report(&directory, &[".", "report.json"]);
    assert!(String::from_utf8_lossy(&two.stdout).contains("2 reports side by side"));
}

#[test]
fn what_is_no_report_is_refused_with_file_line_and_what_to_do() {
    let directory = directory("refused");
    let json = failing().json();
    fs::write(directory.join("new.json"), json.replacen("\"format\": 1", "\"format\": 99", 1)).unwrap();
    fs::write(directory.join("cut.json"), &json[..json.len() / 2]).unwrap();
    fs::write(directory.join("good.json"), &json).unwrap();
    check_refused(&report(&directory, &["new.json"]), &["new.json:2", "99", "run again"]);
    check_refused(
        &report(&directory, &["good.json", "cut.json"]),
        &["cut.json:", "no report", "--report DIR"],
    );
    check_refused(&report(&directory, &["nowhere"]), &["nowhere", "cannot be read"]);
    check_refused(&report(&directory, &["."]), &["report.json", "cannot be read"]);
    check_refused(
        &report(&directory, &["good.json", "-o", "nowhere/page.html"]),
        &["nowhere/page.html", "cannot be written"],
    );
    check_refused(&report(&directory, &[]), &["REPORT"]);
}

#[test]
fn a_report_is_read_in_bounds_and_refused_at_its_line() {
    let directory = directory("lines");
    let refused = |text: &[u8], said: &[&str]| {
        fs::write(directory.join("report.json"), text).unwrap();
        check_refused(&report(&directory, &["."]), &[said, &["report.json"]].concat());
    };
    refused(b" \n", &["is empty", "cosmos-ttl run --report DIR"]);
    refused(b"{\n  \"format\": 1,\n", &["report.json:3:0", "EOF while parsing"]);
    refused(b"{\"a\": 1}", &["report.json:1:8", "missing field `format`"]);
    refused(b"{\n\n\xff}", &["report.json:3", "UTF-8"]);
    refused("[".repeat(10_000).as_bytes(), &["report.json:1:", "is no report"]);
    let mut wrong = failing();
    wrong.counts.pass += 1;
    refused(wrong.json().as_bytes(), &["`counts` are not those of `cases`"]);
    let mut wrong = failing();
    wrong.cases[1].name = wrong.cases[0].name.clone();
    wrong.counts = wrong.cases.iter().map(|case| case.verdict).collect();
    refused(wrong.json().as_bytes(), &["stands in it twice"]);
    let long = format!("\"verdict\": \"\\u001b[31m{}\"", "x".repeat(100_000));
    fs::write(directory.join("report.json"), failing().json().replacen("\"verdict\": \"pass\"", &long, 1))
        .unwrap();
    let output = report(&directory, &["."]);
    check_refused(&output, &["unknown variant"]);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.len() < 5_000 && !err.contains("\u{1b}[31mx"), "{err}");
    if Path::new("/dev/zero").exists() {
        check_refused(&report(&directory, &["/dev/zero"]), &["a character device, and not a regular file"]);
    }
}
