//! The process that is tested.

use std::io::{self, BufRead, Write};
use std::process::{Command, exit};
use std::thread::sleep;
use std::time::Duration;

use cosmos_ttl_explore::reference::Reference;
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

/// Misbehaves; whether that takes the place of the reply.
fn misbehave(way: &str, reply: &str) -> bool {
    let instead = |text: &str| {
        say(text);
        true
    };
    let q = || reply.split(',').next().unwrap().to_owned();
    match way {
        "exits" => exit(7),
        "hangs" | "hangs-on-close" => sleep(FOR_EVER),
        "writes-noise" => return instead(&format!("DEBUG item seen\n{reply}")),
        "writes-noise-before" => {
            say("DEBUG item seen\n");
            sleep(Duration::from_millis(50));
        }
        "half-a-line-and-hangs" => {
            say(reply.get(..9).unwrap());
            sleep(FOR_EVER);
        }
        "half-a-line-and-exits" => {
            say(reply.get(..9).unwrap());
            exit(0);
        }
        "a-very-long-line" => {
            let part = "x".repeat(1 << 20);
            (0..100).for_each(|_| say(&part));
        }
        "another-id" => return instead(&reply.replacen("\"q\":", "\"q\":1", 1)),
        "answers-twice" | "answers-twice-on-close" => return instead(&format!("{reply}{reply}")),
        "no-utf-8" => {
            io::stdout().write_all(b"{\"q\":\xff}\n").unwrap();
            return instead("");
        }
        "floods-stderr" => {
            let line = format!("{}\n", "all is lost ".repeat(80));
            (0..5_000).for_each(|_| eprint!("{line}"));
            eprintln!("these are the last words");
            exit(8);
        }
        "no-json" => return instead("Traceback (most recent call last):\n"),
        "a-list" => return instead("[1]\n"),
        "no-number" => return instead("{\"ok\":{}}\n"),
        "nothing-said" => return instead(&format!("{}}}\n", q())),
        "two-things-said" => return instead(&format!("{},\"ok\":{{}},\"broken\":\"it\"}}\n", q())),
        "ok-to-send" => return instead(&format!("{},\"ok\":{{}}}}\n", q())),
        "an-unknown-status" => return instead(&format!("{},\"answer\":{{\"status\":\"gone\"}}}}\n", q())),
        "no-status" => return instead(&format!("{},\"answer\":{{}}}}\n", q())),
        "a-status-that-is-no-code" => return instead(&format!("{},\"answer\":{{\"status\":7}}}}\n", q())),
        "two-bodies" => {
            return instead(&format!("{},\"answer\":{{\"status\":201,\"count\":1,\"ids\":[]}}}}\n", q()));
        }
        "an-item-without-id" => {
            return instead(&format!("{},\"answer\":{{\"status\":201,\"item\":{{}}}}}}\n", q()));
        }
        "a-key-twice" => {
            return instead(&format!(
                "{},\"answer\":{{\"status\":404}},\"answer\":{{\"status\":201}}}}\n",
                q()
            ));
        }
        "a-property-twice" => {
            return instead(&format!(
                "{},\"answer\":{{\"status\":201,\"item\":{{\"id\":\"a\",\"id\":\"trigger\"}}}}}}\n",
                q()
            ));
        }
        "a-list-for-an-object" => return instead(&format!("{},\"answer\":[\"created\"]}}\n", q())),
        "a-property-twice-below-an-item" => {
            return instead(&reply.replacen("\"item\":{", "\"item\":{\"x\":[{\"y\":1,\"\\u0079\":2}],", 1));
        }
        "says-it-broke" => return instead(&format!("{},\"broken\":\"the disk is full\"}}\n", q())),
        "does-not-know" => return instead(&format!("{},\"unknown\":\"the reply was lost\"}}\n", q())),
        "does-not-offer" => return instead(&format!("{},\"unsupported\":\"no such thing\"}}\n", q())),
        way => {
            if let Some(value) = nested(way) {
                return instead(&reply.replacen("\"item\":{", &format!("\"item\":{{\"x\":{value},"), 1));
            }
        }
    }
    false
}

/// Returns the value that makes a line with an item as deep as `lists-128-deep` or `objects-128-deep` says.
fn nested(way: &str) -> Option<String> {
    let (kind, depth) = way.strip_suffix("-deep")?.split_once('-')?;
    // The line, the answer and the item are open already.
    let depth = depth.parse::<usize>().ok()?.checked_sub(3)?;
    let (open, close) = if kind == "lists" { ("[", "]") } else { ("{\"x\":", "}") };
    Some(open.repeat(depth) + "1" + &close.repeat(depth))
}
