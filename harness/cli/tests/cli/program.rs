//! Runs the program itself.

use std::path::Path;

pub(crate) use cosmos_ttl_testing::program::{ProgramOutput, copied, scratch as directory};

cosmos_ttl_testing::commands!(env!("CARGO_BIN_EXE_cosmos-ttl"));

/// Checks rows of exit code, command line, and what the output contains or, with `!` in front, does not.
///
/// `SUITE` is the small suite, which takes less time to read than the built-in one; `THIS` is the program.
pub(crate) fn check(rows: &str) {
    check_in(&cosmos_ttl_testing::directory(), rows);
}

/// Checks rows of commands in this directory.
pub(crate) fn check_in(directory: &Path, rows: &str) {
    check_rows(rows, |line| says(directory, line));
}

/// Checks rows of commands about a shell script in front of the reference.
pub(crate) fn check_script(script: &str, rows: &str) {
    check_rows(rows, |line| of_script(line, script));
}

fn check_rows(rows: &str, says: impl Fn(&str) -> ProgramOutput) {
    let rows = rows.lines().map(str::trim).filter(|row| !row.is_empty() && !row.starts_with('#'));
    for row in rows {
        let mut cells = row.split(" | ").map(str::trim);
        let (code, line) = (cells.next().unwrap().parse().unwrap(), cells.next().unwrap());
        check_said(line, &says(line), code, &cells.collect::<Vec<_>>());
    }
}

/// The output of a command in this directory.
pub(crate) fn says(directory: &Path, line: &str) -> ProgramOutput {
    program().current_dir(directory).args(words(line)).output().unwrap().into()
}

pub(crate) fn words(line: &str) -> Vec<&str> {
    let word = |word| match word {
        "SUITE" => vec!["--vectors", "suite"],
        "THIS" => vec![this()],
        word => vec![word],
    };
    line.split_whitespace().flat_map(word).collect()
}

pub(crate) fn check_said(what: &str, said: &ProgramOutput, code: i32, contains: &[&str]) {
    let told = said.out.clone() + &said.err;
    assert_eq!(said.code, code, "{what}: {told}");
    assert!(code != 2 || said.out.is_empty(), "{what}: wrong use comes to a result: {told}");
    // A line of a message may have been broken.
    let flat = told.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in contains.iter().chain(&["!panicked"]) {
        let text = &text.replace("ESC", "\u{1b}");
        let (text, is_wanted) = text.strip_prefix('!').map_or((text.as_str(), true), |text| (text, false));
        assert_eq!(told.contains(text) || flat.contains(text), is_wanted, "{what}: `{text}` in {told}");
    }
}

pub(crate) fn this() -> &'static str {
    env!("CARGO_BIN_EXE_cosmos-ttl")
}

/// Returns the output of the program about a shell script in front of the reference.
pub(crate) fn of_script(line: &str, script: &str) -> ProgramOutput {
    let vectors = suite().display().to_string();
    let words = words(line).into_iter().map(|word| if word == "suite" { vectors.as_str() } else { word });
    program().args(words).args(["--", "sh", "-c", script, this()]).output().unwrap().into()
}

/// Waits a moment for another process.
#[expect(clippy::disallowed_methods, reason = "another process is waited for")]
pub(crate) fn wait() {
    std::thread::sleep(std::time::Duration::from_millis(50));
}

#[cfg(unix)]
pub(crate) fn interrupt(process: u32) {
    let kill = std::process::Command::new("kill").args(["-INT", &process.to_string()]).status();
    assert!(kill.unwrap().success());
}
