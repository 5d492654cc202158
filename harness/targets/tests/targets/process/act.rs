//! The process that is tested.

use std::io::{self, BufRead, Write};
use std::process::{Command, exit};
use std::thread::sleep;
use std::time::Duration;

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::verdict::Outcome::{self, Broken, Inconclusive, Pass, Unsupported};
use cosmos_ttl_targets::process::serve::Server;

const FOR_EVER: Duration = Duration::from_secs(3600);

/// Answers as the reference does, except in this way.
pub(crate) fn act(way: &str) {
    let reference = Reference::default();
    let mut server = Server::new(&reference);
    let mut place = String::new();
    if way == "exits-at-once" {
        eprintln!("no store to be found");
        exit(3);
    }
    if way == "leaves-a-child" {
        // It inherits the output, and so keeps it open.
        #[expect(clippy::zombie_processes, reason = "that is how one misbehaves")]
        Command::new("sleep").arg("3600").spawn().unwrap();
    }
    if way == "leaves-a-session" {
        // A daemon: its parent is gone, and it has a session and a group of its own.
        let seconds = format!("3600.{}", std::process::id());
        let script = "setsid sleep \"$0\" </dev/null >/dev/null 2>&1 &";
        assert!(Command::new("sh").args(["-c", script, &seconds]).status().unwrap().success());
    }
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        if way == "ignores-the-clock" && line.contains("\"pass\"") {
            say(&ok(&line));
            continue;
        }
        let (reply, over) = server.reply(&line);
        let reply = reply.text();
        if line.contains("\"trigger\"") && place.is_empty() {
            place = session(&line);
        }
        let closes = line.contains("\"close\"") && !place.is_empty() && session(&line) == place;
        let now = if way.ends_with("on-close") { closes } else { line.contains("\"trigger\"") };
        if let Some(other) = always(way, &line, &reply) {
            say(&other);
        } else if !now || !misbehave(way, &reply) {
            say(&reply);
        }
        if way == "exits-between" && closes {
            exit(5);
        }
        if over {
            if way == "hangs-on-bye" {
                sleep(FOR_EVER);
            }
            return;
        }
    }
}

fn session(line: &str) -> String {
    line.split("\"session\":\"").nth(1).unwrap().split('"').next().unwrap().into()
}

fn say(text: &str) {
    let mut stdout = io::stdout().lock();
    // Whoever asks may have had enough.
    if stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).is_err() {
        exit(0);
    }
}

/// Returns the replies of the ways that misbehave from the first line on.
fn always(way: &str, line: &str, reply: &str) -> Option<String> {
    let hello = line.contains("\"hello\"");
    match way {
        "another-version" if hello => Some(reply.replace("\"protocol\":1", "\"protocol\":2")),
        "says-its-id" | "leaves-a-session" if hello => {
            Some(reply.replace("\"version\":\"", &format!("\"version\":\"{} ", std::process::id())))
        }
        "exits-on-every-read" if line.contains("\"read\"") => exit(9),
        "more-fields" => Some(reply.replacen('{', "{\"more\":1,", 1)),
        "more-fields-inside" => Some(reply.replace("\"status\":", "\"more\":1,\"status\":")),
        "carriage-returns" => Some(reply.replace('\n', "\r\n")),
        _ => None,
    }
}

fn ok(line: &str) -> String {
    let q = line.split("\"q\":").nth(1).unwrap().split(',').next().unwrap();
    format!("{{\"q\":{q},\"ok\":{{}}}}\n")
}

/// What is written instead of the reply, what comes of the vector, and why. `{q}` is the number of the message with its key, and
/// `{reply}` the reply.
#[rustfmt::skip]
pub(crate) const INSTEAD: [(&str, &str, Outcome, &str); 31] = [
    ("writes-noise", "DEBUG item seen\n{reply}", Broken, "it wrote more than one line to one message; this line is no message: "),
    ("another-id", "{\"q\":1{reply-from-q}", Broken, "it replied to message 1"),
    ("answers-twice", "{reply}{reply}", Broken, "it wrote more than one line to one message"),
    ("answers-twice-on-close", "{reply}{reply}", Broken, "it wrote more than one line to one message"),
    ("no-json", "Traceback (most recent call last):\n", Broken, "not understood, no JSON object: expected value at line 1 column 1: Traceback (most"),
    ("a-list", "[1]\n", Broken, "not understood, no JSON object"),
    ("no-number", "{\"ok\":{}}\n", Broken, "not understood, no `q`, the number of the message"),
    ("nothing-said", "{q}}\n", Broken, "it says 0 of `hello`, `ok`, `answer`, `unsupported`, `unknown`, `broken`, and must"),
    ("two-things-said", "{q},\"ok\":{},\"broken\":\"it\"}\n", Broken, "it says 2 of "),
    ("ok-to-send", "{q},\"ok\":{}}\n", Broken, "it replied `ok` to `send`, which means nothing"),
    ("an-unknown-status", "{q},\"answer\":{\"status\":\"gone\"}}\n", Broken, "unknown variant `gone`, expected one of `created`, `ok`"),
    ("no-status", "{q},\"answer\":{}}\n", Broken, "missing field `status`"),
    ("a-status-that-is-no-code", "{q},\"answer\":{\"status\":7}}\n", Broken, "expected a status: one of the words, or an HTTP status code from 100"),
    ("two-bodies", "{q},\"answer\":{\"status\":201,\"count\":1,\"ids\":[]}}\n", Broken, "more than one of `item`, `ids`, `count`, `values`, `container`, `committed`, `aborted`"),
    ("an-item-without-id", "{q},\"answer\":{\"status\":201,\"item\":{}}}\n", Broken, "an `item` that is none: `id` must be a string"),
    ("a-key-twice", "{q},\"answer\":{\"status\":404},\"answer\":{\"status\":201}}\n", Broken, "`answer` stands in it twice"),
    ("a-property-twice", "{q},\"answer\":{\"status\":201,\"item\":{\"id\":\"a\",\"id\":\"trigger\"}}}\n", Broken, "an object holds the key `id` twice"),
    ("a-property-twice-below-an-item", "{reply-with:[{\"y\":1,\"\\u0079\":2}]}", Broken, "an object holds the key `y` twice"),
    ("a-list-for-an-object", "{q},\"answer\":[\"created\"]}\n", Broken, "`answer` is a list, and must be an object"),
    ("a-list-for-an-item", "{q},\"answer\":{\"status\":201,\"item\":[]}}\n", Broken, "item"),
    ("says-it-broke", "{q},\"broken\":\"the disk is full\"}\n", Broken, "the disk is full"),
    ("does-not-know", "{q},\"unknown\":\"the reply was lost\"}\n", Inconclusive, "the reply was lost"),
    ("does-not-offer", "{q},\"unsupported\":\"no such thing\"}\n", Unsupported, "no such thing"),
    ("60000-properties", "{reply-with-properties:60000}", Broken, "an answer with 6000"),
    ("900-properties", "{reply-with-properties:900}", Pass, ""),
    ("70000-ids", "{q},\"answer\":{\"status\":200,\"ids\":[{numbers:70000}]}}\n", Broken, "an answer with 70000"),
    ("70000-statuses", "{q},\"answer\":{\"status\":200,\"committed\":[{statuses:70000}]}}\n", Broken, "an answer with 70000"),
    ("a-large-etag", "{q},\"answer\":{\"status\":201,\"item\":{\"id\":\"trigger\",\"_etag\":\"{x:1000000}\"}}}\n", Broken, "of 1000000 bytes together"),
    ("lists-128-deep", "{reply-nested:125}", Pass, ""),
    ("lists-too-deep", "{reply-nested:400000}", Broken, "its objects and lists are nested more than 128 deep"),
    ("a-large-property", "{reply-with:\"{x:1000000}\"}", Broken, "bytes together"),
];

/// Fills in a text of the table.
fn filled(text: &str, reply: &str) -> String {
    let with = |value: &str| reply.replacen("\"item\":{", &format!("\"item\":{{\"x\":{value},"), 1);
    let list =
        |count: usize, one: &dyn Fn(usize) -> String| (0..count).map(one).collect::<Vec<_>>().join(",");
    if let Some(count) = text.strip_prefix("{reply-with-properties:") {
        let count = count.trim_end_matches('}').parse().unwrap();
        let more = list(count, &|number| format!("\"p{number}\":1"));
        return reply.replacen("\"item\":{", &format!("\"item\":{{{more},"), 1);
    }
    if let Some(depth) = text.strip_prefix("{reply-nested:") {
        // The line, the answer and the item are open already.
        let depth = depth.trim_end_matches('}').parse().unwrap();
        return with(&("[".repeat(depth) + "1" + &"]".repeat(depth)));
    }
    let text = text.replace("{x:1000000}", &"x".repeat(1_000_000));
    if let Some(value) = text.strip_prefix("{reply-with:").and_then(|text| text.strip_suffix('}')) {
        return with(value);
    }
    let q = reply.split(',').next().unwrap();
    text.replace("{reply}", reply)
        .replace("{reply-from-q}", &reply["{\"q\":".len()..])
        .replace("{q}", q)
        .replace("{numbers:70000}", &list(70_000, &|number| format!("\"{number}\"")))
        .replace("{statuses:70000}", &list(70_000, &|_| "201".into()))
}

/// Misbehaves; whether that takes the place of the reply.
fn misbehave(way: &str, reply: &str) -> bool {
    let half = reply.get(..9).unwrap();
    let instead = INSTEAD.iter().find(|(name, ..)| *name == way).map(|(_, text, ..)| filled(text, reply));
    match way {
        "exits" => exit(7),
        "hangs" | "hangs-on-close" => sleep(FOR_EVER),
        "writes-noise-before" => {
            say("DEBUG item seen\n");
            sleep(Duration::from_millis(50));
        }
        "half-a-line-and-hangs" => {
            say(half);
            sleep(FOR_EVER);
        }
        "half-a-line-and-exits" => {
            say(half);
            exit(0);
        }
        "a-very-long-line" => {
            let part = "x".repeat(1 << 20);
            (0..100).for_each(|_| say(&part));
        }
        "no-utf-8" => io::stdout().write_all(b"{\"q\":\xff}\n").unwrap(),
        "floods-stderr" => {
            let line = format!("{}\n", "all is lost ".repeat(80));
            (0..5_000).for_each(|_| eprint!("{line}"));
            eprintln!("these are the last words");
            exit(8);
        }
        _ => {}
    }
    if let Some(text) = &instead {
        say(text);
    }
    instead.is_some() || way == "no-utf-8"
}
