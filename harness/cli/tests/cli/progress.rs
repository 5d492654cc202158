//! Progress.

use std::thread;
use std::time::Duration;

use cosmos_ttl::shell::progress::{ProgressLine, counted_line, show_lines};
use cosmos_ttl_testing::shared_bytes::SharedBytes;

#[test]
fn a_terminal_shows_one_line_and_a_log_a_line_every_ten_seconds() {
    for (is_terminal, text) in
        [(true, "\r9 of 20\u{1b}[K\r10 of 20\u{1b}[K\r\u{1b}[K"), (false, "10 of 20\n")]
    {
        let shown = SharedBytes::default();
        let mut line = ProgressLine::new(shown.clone(), is_terminal);
        line.show_or_log("9 of 20", 9);
        line.show_or_log("10 of 20", 10);
        line.clear();
        assert_eq!(shown.text(), text);
    }
}

#[test]
fn work_shows_its_seconds_from_the_first_tick_and_leaves_no_line() {
    let shown = SharedBytes::default();
    let open = || ProgressLine::new(shown.clone(), true);
    let line = |elapsed_s| format!("working: {elapsed_s} s");
    show_lines(line, Duration::from_secs(60), open, || ());
    assert_eq!(shown.text(), "", "it ended before the first tick");
    show_lines(line, Duration::from_millis(1), open, || {
        while !shown.text().contains("\rworking: 2 s\u{1b}[K") {
            thread::yield_now();
        }
    });
    assert!(shown.text().starts_with("\rworking: 1 s\u{1b}[K") && shown.text().ends_with("\r\u{1b}[K"));
}

#[test]
fn counted_work_estimates_the_rest_once_something_is_done() {
    assert_eq!(counted_line("replaying vectors", 0, 663, 1), "replaying vectors: 0 of 663");
    assert_eq!(
        counted_line("replaying vectors", 221, 663, 4),
        "replaying vectors: 221 of 663, about 8 s more"
    );
}
