//! Logs: of right stores nothing is a contradiction, of wrong ones something is.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "tests"
)]

mod ask;
mod lines;
mod mutants;
mod right;

use cosmos_ttl_explore::judge::{JudgeOptions, Judgement, judge};
use cosmos_ttl_harness::request_log::{LogWriter, LoggedExchange, LoggedTarget, RequestLog};
use cosmos_ttl_harness::run_virtual;
use cosmos_ttl_harness::target::Target;
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_testing::shared_bytes::SharedBytes;

/// Replays vectors, and returns the log.
fn logged(target: &dyn Target, vectors: &[&Vector]) -> Vec<u8> {
    let bytes = SharedBytes::default();
    let writer = LogWriter::new(bytes.clone());
    run_virtual(&LoggedTarget::new(target, &writer), vectors).unwrap();
    bytes.bytes()
}

fn judged(log: &[u8], is_sole_writer: bool) -> Judgement {
    judge(&RequestLog::read(log).unwrap(), JudgeOptions { is_sole_writer, settings: None })
}

/// The lines of a log.
fn exchanges(log: &[u8]) -> Vec<LoggedExchange> {
    let log = RequestLog::read(log).unwrap();
    (0..log.len()).map(|line| LoggedExchange::parse(log.line(line)).unwrap()).collect()
}

/// No line is a contradiction.
#[track_caller]
fn check_right(what: &str, log: &[u8], is_sole_writer: bool) -> Judgement {
    let judgement = judged(log, is_sole_writer);
    if let Some(first) = judgement.impossible.first() {
        let container = |line: &str| {
            line.split("\"container\":").nth(1).map(|rest| rest.split(',').next().unwrap().to_owned())
        };
        let text = String::from_utf8_lossy(log);
        let wrong = text.lines().nth(first.line - 1).unwrap();
        let same = text.lines().zip(1..).filter(|(line, _)| container(line) == container(wrong));
        let all: Vec<_> = same.map(|(line, number)| format!("{number}: {line}")).collect();
        panic!("{what}: line {}: {} {:?}\n{}", first.line, first.says, first.clauses, all.join("\n"));
    }
    judgement
}
