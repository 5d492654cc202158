//! Progress.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use cosmos_ttl::shell::progress::{ProgressLine, counted_line, show_lines};

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Shared {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

#[test]
fn a_terminal_shows_one_line_which_is_written_over_and_cleared() {
    let shown = Shared::default();
    let mut line = ProgressLine::new(shown.clone(), true);
    line.show_or_log("9 of 20", 9);
    line.show_or_log("10 of 20", 10);
    line.clear();
    assert_eq!(shown.text(), "\r9 of 20\u{1b}[K\r10 of 20\u{1b}[K\r\u{1b}[K");
}

#[test]
fn a_log_gets_a_line_every_ten_seconds_and_no_control_character() {
    let shown = Shared::default();
    let mut line = ProgressLine::new(shown.clone(), false);
    for elapsed_s in 1..=20 {
        line.show_or_log(&format!("second {elapsed_s}"), elapsed_s);
    }
    line.show("nothing");
    line.clear();
    assert_eq!(shown.text(), "second 10\nsecond 20\n");
}

#[test]
fn work_shows_its_seconds_from_the_first_tick_and_leaves_no_line() {
    let shown = Shared::default();
    let open = || ProgressLine::new(shown.clone(), true);
    let seen = || shown.text().contains("\rworking: 2 s\u{1b}[K");
    let result = show_lines(
        |elapsed_s| format!("working: {elapsed_s} s"),
        Duration::from_millis(1),
        open,
        || {
            while !seen() {
                thread::yield_now();
            }
            7
        },
    );
    assert_eq!(result, 7);
    assert!(shown.text().starts_with("\rworking: 1 s\u{1b}[K"));
    assert!(shown.text().ends_with("\r\u{1b}[K"));
}

#[test]
fn work_that_ends_before_the_first_tick_shows_nothing() {
    let shown = Shared::default();
    let open = || ProgressLine::new(shown.clone(), true);
    show_lines(|elapsed_s| format!("working: {elapsed_s} s"), Duration::from_secs(60), open, || ());
    assert_eq!(shown.text(), "");
}

#[test]
fn counted_work_estimates_the_rest_once_something_is_done() {
    assert_eq!(counted_line("replaying vectors", 0, 663, 1), "replaying vectors: 0 of 663");
    assert_eq!(
        counted_line("replaying vectors", 221, 663, 4),
        "replaying vectors: 221 of 663, about 8 s more"
    );
}
