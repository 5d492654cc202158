//! `cosmos-ttl run --trace FILE`.

use std::fs;
use std::time::Duration;

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::exchange_log::ExchangeLog;
use cosmos_ttl_harness::realtime::Monotonic;
use cosmos_ttl_testing::endpoint::Endpoint;

use crate::program::{check, check_said, directory, of_script, say, words};

/// How a line names its vector.
const NAME: &str = "settings/refused-batch: ";

/// Returns the lines without their times, which must not go back.
fn lines(trace: &str) -> Vec<String> {
    let mut last_s = 0.0;
    let line = |line: &str| match line.trim_start() {
        command if command.starts_with("curl ") => command.to_owned(),
        line => {
            let (time, rest) = line.split_once(' ').unwrap();
            let at_s: f64 = time.parse().unwrap();
            assert!(last_s <= at_s || rest.starts_with("> "), "{line}");
            last_s = at_s;
            rest.to_owned()
        }
    };
    trace.lines().map(line).collect()
}

/// Returns the trace of a vector that does not wait.
fn of_process(script: &str, code: i32) -> Vec<String> {
    let file = directory("trace").join("trace.txt");
    let line = format!("run SUITE settings/refused-batch --trace {}", file.display());
    check_said(script, &of_script(&line, script), code, &[]);
    lines(&fs::read_to_string(file).unwrap())
}

#[cfg(unix)]
#[test]
fn a_trace_has_each_line_to_and_from_a_process() {
    let lines = of_process("exec \"$0\" serve --stdio", 0);
    assert!(lines[0].starts_with(r#"> {"q":1,"hello":{"#), "{}", lines[0]);
    let signs: Vec<_> = lines.iter().map(|line| &line[..1]).collect();
    assert!(lines.iter().any(|line| line.starts_with(&format!("> {NAME}{{"))), "{lines:?}");
    assert!(signs.chunks(2).all(|pair| pair == [">", "<"]), "{signs:?}");
    assert!(lines.iter().any(|line| line.starts_with("> ") && line.contains(r#""bye""#)), "{lines:?}");
    // It is written when the run ends with an error, and a terminal obeys nothing in it.
    let lines = of_process("printf '\\033[31mAccountKey=c2VjcmV0;\\342\\200\\256 noise\\n'", 4);
    assert_eq!(lines[1], r"< \u{1b}[31mAccountKey=…;\u{202e} noise");
}

#[test]
fn a_trace_has_each_exchange_over_http_and_a_command_that_repeats_it() {
    let endpoint = Endpoint::new(Reference::default(), Duration::ZERO, |_| None);
    let file = directory("trace-http").join("trace.txt");
    let url = endpoint.url();
    let line = format!("run SUITE {url} settings/refused-batch --trace {}", file.display());
    check_said(&line, &say(&words(&line)), 0, &[]);
    let lines = lines(&fs::read_to_string(file).unwrap());
    assert_eq!(lines.len(), 3 * endpoint.asked().len(), "{lines:?}");
    for exchange in lines.chunks(3) {
        let [sent, received, again] = exchange else { panic!("{exchange:?}") };
        assert!(sent.starts_with("> ") && sent.contains(url.strip_prefix("http://").unwrap()), "{sent}");
        let status = received.strip_prefix("< ").unwrap().replace(NAME, "");
        assert!(status[..3].parse::<u16>().is_ok(), "{received}");
        assert!(again.starts_with("curl -i -X ") && again.contains(&format!(" '{url}/")), "{again}");
        // What the emulators' public key signs is no secret: the line works as it stands.
        assert!(again.contains("-H \"authorization: type%3Dmaster") && !again.contains("$DATE"), "{again}");
    }
    assert!(lines.iter().any(|line| line.starts_with(&format!("> {NAME}POST"))), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("POST") && line.contains("--data-raw '{")), "{lines:?}");
}

#[test]
fn a_trace_is_refused_before_the_run_where_it_cannot_be_and_bounded() {
    check(
        r"
        2 | run SUITE reference --trace missing/trace.txt | this target is in the program
        2 | run SUITE http://127.0.0.1:9 --trace missing/trace.txt | cannot be written
        ",
    );
    let log = ExchangeLog::new(Monotonic::start()).with_most_bytes(20_000);
    for _ in 0..10 {
        log.received(&"x".repeat(100_000));
    }
    let text = log.text();
    assert!(text.len() < 20_100 && text.lines().next().unwrap().ends_with("x…"), "{}", text.len());
    assert_eq!(text.lines().last(), Some("the log is full; what follows is not in it"));
}
