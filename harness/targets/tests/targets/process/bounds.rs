//! No line is too long, too deep or too strange: it is read in time linear in its length, and on a small stack.

#![allow(clippy::arithmetic_side_effects, clippy::format_collect, reason = "tests")]

use std::io::{Read as _, repeat};
use std::thread;
use std::time::{Duration, Instant};

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_targets::process::protocol::{LineContent, MOST_BYTES, MOST_DEPTH, Message, Reply, parse};
use cosmos_ttl_targets::process::serve::serve;
use cosmos_ttl_testing::mutated::{mutated, run};
use libtest_mimic::Trial;

use super::program::read;

pub(crate) fn trials() -> Vec<Trial> {
    trials![depth, repeated_keys, long_lines, long_requests, mutated_lines]
}

/// Runs this where recursion over the input would end the process.
fn on_a_small_stack<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    thread::Builder::new().stack_size(512 << 10).spawn(run).unwrap().join().unwrap()
}

fn why<T: LineContent + std::fmt::Debug>(line: &str) -> String {
    parse::<T>(line, false).unwrap_err().why
}

fn nested(open: &str, close: &str, depth: usize) -> String {
    open.repeat(depth) + "1" + &close.repeat(depth)
}

/// A line is 128 deep at most.
fn depth() {
    for (open, close) in [("[", "]"), ("{\"x\":", "}"), (" [ ", " ] "), ("[0,{\"\\\"\":", "}]")] {
        let width = open.matches(['[', '{']).count();
        for depth in [1, 100, MOST_DEPTH, MOST_DEPTH + 1, 10_000, 100_000] {
            let (open, close) = (open.to_owned(), close.to_owned());
            on_a_small_stack(move || {
                // The line itself is the first level.
                let value = nested(&open, &close, (depth - 1) / width);
                let depth = 1 + (depth - 1) / width * width;
                let line = format!("{{\"more\":{value},\"q\":1,\"ok\":{{}}}}");
                let read = parse::<Reply>(&line, false);
                assert_eq!(read.is_ok(), depth <= MOST_DEPTH, "{open} {depth}: {read:?}");
            });
        }
    }
    assert_eq!(why::<Reply>(&"[".repeat(200)), "its objects and lists are nested more than 128 deep");
    // A bracket in a string opens nothing.
    let text = "[{\\\"".repeat(1000);
    assert!(parse::<Reply>(&format!("{{\"q\":1,\"broken\":\"{text}\"}}"), true).is_ok());
}

/// A key occurs once in an object however it is written.
fn repeated_keys() {
    let answer = |item: &str| {
        format!("{{\"q\":1,\"answer\":{{\"status\":\"found\",\"item\":{{\"id\":\"a\",{item}}}}}}}")
    };
    for (item, key) in [
        (r#""x":{"y":1,"y":2}"#, "y"),
        (r#""x":[[{"y":1,"z":{},"y":2}]]"#, "y"),
        (r#""x":{"y":1, "\u0079" :2}"#, "y"),
        (r#""x":{"":1,"":2}"#, ""),
        (r#""x":{"\"":1,"\u0022":2}"#, "\""),
        (r#""x":{"\u009b":1,"\u009b":2}"#, "\\u{9b}"),
    ] {
        let wanted = format!("an object holds the key `{key}` twice");
        assert_eq!(why::<Reply>(&answer(item)), wanted, "{item}");
    }
    for item in [
        r#""x":{"y":1},"y":2"#,
        r#""x":[{"y":1},{"y":1}]"#,
        r#""x":["y","y","y:","{\"y\":1,\"y\":2}"]"#,
        r#""x":{"y":{"y":"y"}}"#,
    ] {
        assert!(parse::<Reply>(&answer(item), true).is_ok(), "{item}");
    }
}

/// A line of a million bytes is read fast and on a small stack.
fn long_lines() {
    let filled = |unit: &str| unit.repeat((MOST_BYTES - 100) / unit.len());
    let keys: String = (0..60_000).map(|number| format!("\"key {number}\":{number},")).collect();
    let levels: String = (0..120).map(|_| format!("[{}", "1,".repeat(4_000))).collect();
    let values = [
        filled("["),
        filled("{\"x\":"),
        filled("\\"),
        filled("\""),
        format!("\"{}\"", filled("\\u0061")),
        filled("9"),
        format!("1e{}", filled("9")),
        format!("[{}1]", filled("{},")),
        format!("{{{keys}\"last\":1}}"),
        format!("{levels}1{}", "]".repeat(120)),
        filled(":"),
        filled("\u{9b}"),
    ];
    for value in values {
        on_a_small_stack(move || {
            let start: String = value.chars().take(40).collect();
            let began = Instant::now();
            let lines = [
                format!(
                    "{{\"q\":1,\"answer\":{{\"status\":\"found\",\"item\":{{\"id\":\"a\",\"x\":{value}}}}}}}"
                ),
                format!("{{\"q\":1,\"answer\":{value}}}"),
                format!("{{\"q\":{value},\"ok\":{{}}}}"),
                format!("{{{value}:1}}"),
                value,
            ];
            for line in lines {
                let whys = [
                    parse::<Reply>(&line, true).err().map(|error| error.why),
                    parse::<Message>(&line, false).err().map(|error| error.why),
                ];
                assert!(whys.iter().flatten().all(|why| why.len() < 3_000), "{whys:?}");
            }
            // A thousand times what an idle machine takes, and far less than anything quadratic.
            assert!(began.elapsed() < Duration::from_secs(20), "{start}: {:?}", began.elapsed());
        });
    }
}

/// Returns the replies to this input, line by line.
fn served(input: impl std::io::BufRead) -> Vec<String> {
    let mut output = Vec::new();
    serve(&Reference::default(), input, &mut output).unwrap();
    String::from_utf8(output).unwrap().lines().map(str::to_owned).collect()
}

/// Serve replies to lines that are too long and goes on.
fn long_requests() {
    let good = "{\"q\":7,\"open\":{\"session\":\"1\"}}";
    let endless = std::io::BufReader::new(repeat(b'x').take(50 << 20));
    let replies = served(endless.chain(format!("\n{good}\n").as_bytes()));
    let [first, second] = replies.as_slice() else { panic!("{replies:?}") };
    assert!(
        first.contains("\"broken\":\"a line is not understood: it is longer than 1048576 bytes\""),
        "{first}"
    );
    assert_eq!(second, "{\"q\":7,\"ok\":{}}");
    // As long as a line may be, and one byte longer.
    let padded = |length: usize| format!("{good}{}\n", " ".repeat(length - good.len()));
    assert_eq!(served(padded(MOST_BYTES).as_bytes()), ["{\"q\":7,\"ok\":{}}"]);
    assert!(served(padded(MOST_BYTES + 1).as_bytes()).concat().contains("it is longer than"));
    let deep = format!("{{\"q\":1,\"open\":{}\n{good}\n", "[".repeat(500_000));
    let replies = on_a_small_stack(move || served(deep.as_bytes()));
    assert!(replies.first().unwrap().contains("nested more than 128 deep"), "{replies:?}");
    assert_eq!(replies.last().unwrap(), "{\"q\":7,\"ok\":{}}");
}

/// No mutated line makes the reader panic, and whatever is understood can be said again.
fn mutated_lines() {
    let page = read("PROTOCOL.md");
    let exchange = page.split("```text\n").nth(1).unwrap().split("```").next().unwrap().to_owned();
    run(2_000, &mutated(exchange), |bytes| {
        for line in String::from_utf8_lossy(bytes).lines().filter_map(|line| line.get(2..)) {
            if let Ok(line) = parse::<Message>(line, false) {
                assert_eq!(parse::<Message>(&line.text(), true), Ok(line));
            }
            if let Ok(line) = parse::<Reply>(line, true) {
                assert_eq!(parse::<Reply>(&line.text(), true), Ok(line));
            }
        }
        Ok(())
    });
}
