//! `cosmos-ttl run --trace FILE`.

use std::fs;
use std::time::Duration;

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::exchange_log::ExchangeLog;
use cosmos_ttl_harness::realtime::Monotonic;
use cosmos_ttl_testing::endpoint::Endpoint;

use crate::program::{ProgramOutput, directory, program, refuses, say};

/// A vector of the small suite that does not wait.
const VECTOR: [&str; 3] = ["settings/refused-batch", "--vectors", "suite"];

/// Returns the lines without their times.
fn signed_lines(trace: &str) -> Vec<String> {
    let without_time = |line: &str| match line.trim_start() {
        command if command.starts_with("curl ") => command.to_owned(),
        line => line.split_once(' ').unwrap().1.to_owned(),
    };
    trace.lines().map(without_time).collect()
}

/// Asserts that each of these lines has a time, and that none is before the one above it.
fn assert_in_order<'a>(lines: impl IntoIterator<Item = &'a str>) {
    let at_s = |line: &str| line.split_whitespace().next().unwrap().parse::<f64>().unwrap();
    let times: Vec<_> = lines.into_iter().map(at_s).collect();
    assert!(times.is_sorted(), "{times:?}");
}

fn of_script(script: &str, file: &str) -> ProgramOutput {
    let this = env!("CARGO_BIN_EXE_cosmos-ttl");
    program()
        .args(["run", "--trace", file])
        .args(VECTOR)
        .args(["--", "sh", "-c", script, this])
        .output()
        .unwrap()
        .into()
}

#[test]
fn a_trace_has_each_line_to_and_from_a_process_with_its_time() {
    let file = directory("trace-process").join("trace.txt");
    let said = of_script("exec \"$0\" serve --stdio", file.to_str().unwrap());
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
    let trace = fs::read_to_string(file).unwrap();
    assert_in_order(trace.lines());
    let lines = signed_lines(&trace);
    assert!(lines[0].starts_with(r#"> {"q":1,"hello":{"#), "{}", lines[0]);
    assert!(lines[1].starts_with(r#"< {"q":1,"hello":{"#), "{}", lines[1]);
    let signs: Vec<_> = lines.iter().map(|line| &line[..1]).collect();
    assert!(signs.chunks(2).all(|pair| pair == [">", "<"]), "{signs:?}");
    assert!(lines.iter().any(|line| line.starts_with("> ") && line.contains(r#""bye""#)), "{lines:?}");
}

#[test]
fn a_trace_is_written_when_the_run_ends_with_an_error_and_a_terminal_obeys_nothing_in_it() {
    let file = directory("trace-hostile").join("trace.txt");
    let script = "printf '\\033[31mAccountKey=c2VjcmV0;\\342\\200\\256 noise\\n'";
    let said = of_script(script, file.to_str().unwrap());
    assert_eq!(said.code, 4, "{}", said.err);
    let lines = signed_lines(&fs::read_to_string(file).unwrap());
    assert_eq!(lines[1], r"< \u{1b}[31mAccountKey=…;\u{202e} noise");
}

#[test]
fn a_trace_has_each_exchange_over_http_and_a_command_that_repeats_it() {
    let endpoint = Endpoint::new(Reference::default(), Duration::ZERO, |_| None);
    let file = directory("trace-http").join("trace.txt");
    let url = endpoint.url();
    let said = say(&[&["run", &url, "--trace", file.to_str().unwrap()], &VECTOR[..]].concat());
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    let trace = fs::read_to_string(file).unwrap();
    let lines = signed_lines(&trace);
    assert_eq!(lines.len(), 3 * endpoint.asked().len(), "{trace}");
    let host = url.strip_prefix("http://").unwrap();
    for exchange in trace.lines().collect::<Vec<_>>().chunks(3) {
        assert_in_order(exchange[..2].iter().copied());
    }
    for exchange in lines.chunks(3) {
        let [sent, received, again] = exchange else { panic!("{exchange:?}") };
        assert!(sent.starts_with("> ") && sent.contains(host), "{sent}");
        assert!(received.starts_with("< ") && received[2..5].parse::<u16>().is_ok(), "{received}");
        assert!(again.starts_with("curl -i -X ") && again.contains(&format!(" '{url}/")), "{again}");
        assert!(again.contains(r#"-H "authorization: $AUTHORIZATION""#), "{again}");
        assert!(!again.contains("sig%3D") && !again.contains("sig="), "{again}");
    }
    assert!(lines.iter().any(|line| line.contains("POST") && line.contains("--data-raw '{")), "{trace}");
}

#[test]
fn a_trace_is_refused_before_the_run_where_it_cannot_be() {
    let folder = directory("trace-refused");
    let file = folder.join("trace.txt");
    let err = refuses(&[&["run", "--trace", file.to_str().unwrap(), "reference"], &VECTOR[..]].concat());
    assert!(err.contains("this target is in the program") && !file.exists(), "{err}");
    let missing = folder.join("missing/trace.txt");
    let err = refuses(
        &[&["run", "http://127.0.0.1:9", "--trace", missing.to_str().unwrap()], &VECTOR[..]].concat(),
    );
    assert!(err.contains("cannot be written"), "{err}");
}

#[test]
fn a_log_is_bounded_and_says_so() {
    let log = ExchangeLog::new(Monotonic::start()).with_most_bytes(20_000);
    for _ in 0..10 {
        log.received(&"x".repeat(100_000));
    }
    let text = log.text();
    assert!(text.len() < 20_100, "{}", text.len());
    assert!(text.lines().next().unwrap().ends_with("x…"));
    assert_eq!(text.lines().last(), Some("the log is full; what follows is not in it"));
}
