//! No line is too long, too deep or too strange: it is read in time linear in its length, and on a small stack.

#![allow(clippy::arithmetic_side_effects, clippy::format_collect, reason = "tests")]

use std::io::{Read as _, repeat};
use std::thread;
use std::time::{Duration, Instant};

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_targets::process::protocol::{
    LineContent, MOST_BYTES, MOST_DEPTH, Message, ProtocolLine, Reply, parse,
};
use cosmos_ttl_targets::process::serve::serve;
use libtest_mimic::Trial;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::prop_assert_eq;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use super::program::read;
use crate::trial;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("a_line_is_128_deep_at_most", depth),
        trial("a_key_occurs_once_in_an_object_however_it_is_written", repeated_keys),
        trial("a_line_of_a_million_bytes_is_read_fast_and_on_a_small_stack", long_lines),
        trial("serve_replies_to_lines_that_are_too_long_and_goes_on", long_requests),
        trial("serve_goes_on_after_any_bytes", any_bytes),
    ]
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

/// Random bytes, and lines of the page with bytes changed, cut out, doubled and nested.
fn any_bytes() {
    let page = read("PROTOCOL.md");
    let lines: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("> ")).collect();
    let edit = (any::<Index>(), any::<Index>(), 0..5_u8, any::<u8>());
    let strategy = (vec((any::<Index>(), vec(edit, 0..4)), 1..6), vec(any::<u8>(), 0..40));
    let config =
        Config { cases: 3_000, failure_persistence: None, rng_seed: RngSeed::Fixed(10), ..Config::default() };
    let found = TestRunner::new(config).run(&strategy, |(chosen, noise)| {
        let mut input = noise;
        input.retain(|byte| *byte != b'\n');
        for (line, edits) in chosen {
            let mut bytes = lines.get(line.index(lines.len())).unwrap().as_bytes().to_vec();
            for (from, until, kind, byte) in edits {
                let (from, until) = (from.index(bytes.len() + 1), until.index(bytes.len() + 1));
                let range = from.min(until)..from.max(until);
                let part = bytes.get(range.clone()).unwrap().to_vec();
                let instead = match kind {
                    0 => Vec::new(),
                    1 => part.repeat(2),
                    2 => vec![byte],
                    3 => [b"[".repeat(usize::from(byte)), part, b"]".repeat(usize::from(byte))].concat(),
                    _ => b"{\"x\":".repeat(usize::from(byte)),
                };
                bytes.splice(range, instead);
            }
            bytes.retain(|byte| *byte != b'\n');
            input.extend([bytes.as_slice(), b"\n"].concat());
        }
        input.extend(b"{\"q\":99,\"bye\":{}}\n");
        let replies = served(input.as_slice());
        for reply in &replies {
            let line: ProtocolLine<Reply> = parse(reply, true).unwrap();
            let again = line.text();
            prop_assert_eq!(again.trim_end(), reply);
        }
        // One for each line, unless one before the last said `bye`.
        let lines = input.split(|byte| *byte == b'\n').count() - 1;
        assert!(replies.len() <= lines, "{} replies to {lines} lines", replies.len());
        let last = replies.last().unwrap();
        assert!(last.contains("\"ok\":{}"), "{last}");
        Ok(())
    });
    found.unwrap_or_else(|err| panic!("{err}"));
}
