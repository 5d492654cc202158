//! How the time of `serve` grows with the items of a container: ten times the items may take about ten times as long.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::env;
use std::time::{Duration, Instant};

use cosmos_ttl_process::serve::Server;
use cosmos_ttl_reference::Reference;

const ROUNDS: u32 = 5;

fn main() {
    if !env::args().any(|argument| argument == "--bench") {
        return println!("not measured: that is for `cargo bench`");
    }
    let [few, many] = [1_000, 10_000].map(|items| {
        let time = (0..ROUNDS).map(|_| served(items)).min().unwrap_or_default();
        println!("{items:>6} items    {:>9.2} ms, best of {ROUNDS}", time.as_secs_f64() * 1e3);
        time
    });
    println!("ratio           {:>9.1}", many.as_secs_f64() / few.as_secs_f64());
}

/// How long it takes to write this many items, to let a second pass after each, and to read it.
fn served(items: usize) -> Duration {
    let reference = Reference::default();
    let mut server = Server::new(&reference);
    let started = Instant::now();
    server.reply(r#"{"q":1,"open":{"session":"s","edition":"2024"}}"#);
    server.reply(r#"{"q":2,"send":{"session":"s","request":{"create-container":{"defaultTtl":-1}}}}"#);
    for item in 0..items {
        for content in [
            format!(
                r#""send":{{"session":"s","request":{{"create":{{"item":{{"id":"i{item}","n":{item}}}}}}}}}"#
            ),
            r#""pass":{"session":"s","seconds":1}"#.to_owned(),
            format!(r#""send":{{"session":"s","request":{{"read":{{"id":"i{item}"}}}}}}"#),
        ] {
            server.reply(&format!(r#"{{"q":3,{content}}}"#));
        }
    }
    started.elapsed()
}
