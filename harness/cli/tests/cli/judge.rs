//! `cosmos-ttl judge LOG`, and the logs of runs.

use std::fs;
use std::time::Duration;

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_testing::endpoint::Endpoint;

use crate::program::{check_said, directory, program, say, words};

const CREATED: &str = r#"{"sent":0,"received":0.1,"container":"c","request":{"create-container":{"defaultTtl":5}},"answer":{"status":201}}
{"sent":1.0,"received":1.1,"container":"c","request":{"create":{"item":{"id":"a"}}},"answer":{"status":201,"item":{"id":"a","_ts":1000}}}
"#;
const LATE: &str = r#"{"sent":9.0,"received":9.1,"container":"c","request":{"read":{"id":"a"}},"answer":{"status":200,"item":{"id":"a","_ts":1000}}}
"#;

/// Judges a text from a file, and from standard input.
#[track_caller]
fn check(log: &str, options: &str, code: i32, contains: &[&str]) {
    let file = directory("judge").join(format!("{}.log", log.len()));
    fs::write(&file, log).unwrap();
    let line = format!("judge {} {options}", file.display());
    check_said(&line, &say(&words(&line)), code, contains);
    let mut child = program()
        .args(words(&format!("judge - {options}")))
        .stdin(fs::File::open(&file).unwrap())
        .output()
        .unwrap();
    child.stdout.truncate(1 << 20);
    check_said("standard input", &child.into(), code, contains);
}

#[test]
fn a_log_is_judged() {
    let all = format!("{CREATED}{LATE}");
    check(CREATED, "", 0, &["2 lines: 2 possible, 0 impossible"]);
    let wrong = "error: line 3: `read a` in container c answered found; possible: not-found";
    check(&all, "", 1, &[wrong, "gone-at-deadline", "the container's defaultTtl is 5"]);
    check(&all, "--sole-writer", 1, &[wrong, "line 2 wrote or showed it"]);
    check(&all, "--format json", 1, &["\"line\": 3", "\"level\": \"must\"", "\"exit-code\": 1"]);
    check(LATE, "", 3, &["undecided: nothing could be judged"]);
    check("", "", 3, &["undecided"]);
    check("{}\n\u{1b}[31m\n", "", 3, &["unreadable: line 1: missing field", "!ESC"]);
    check(CREATED, "--default-ttl 0", 2, &["accepted are off, -1 and 1 to 2147483647"]);
    check(&CREATED.replace("\"defaultTtl\":5", "\"defaultTtl\":0"), "", 1, &["container-zero-rejected"]);
    check_said("no log", &say(&words("judge /nowhere.log")), 2, &["LOGS.md"]);
}

#[test]
fn the_log_of_a_run_over_http_is_possible_and_a_wrong_answer_in_it_is_found() {
    let endpoint = Endpoint::new(Reference::default(), Duration::ZERO, |_| None);
    let file = directory("judge-run").join("run.log");
    let line = format!("run SUITE {} --log {}", endpoint.url(), file.display());
    check_said(&line, &say(&words(&line)), 0, &["conformant"]);
    let log = fs::read_to_string(&file).unwrap();
    check(&log, "--sole-writer", 0, &["0 impossible"]);
    let put_in = |line: &str| {
        let is_it = line.contains(r#"{"replace":{"item":{"id":"a","ttl":null}}}"#);
        if is_it { line.replace("\"bad-request\"", "\"ok\"") } else { line.to_owned() }
    };
    let wrong: Vec<_> = log.lines().map(put_in).collect();
    check(&wrong.join("\n"), "", 1, &["answered ok; possible: bad-request", "clauses: item-null-rejected"]);
    check_said("no file", &say(&words("run SUITE --log /nowhere/run.log")), 2, &["leave `--log` away"]);
}

const KEYS: &str = r#"{"sent":0,"received":0,"clock":"exact","container":"k","request":{"create-container":{"defaultTtl":60}},"answer":{"status":201}}
{"sent":0,"received":0,"clock":"exact","container":"k","request":{"create":{"item":{"id":"a"}}},"answer":{"status":201}}
{"sent":60,"received":60,"clock":"exact","container":"k","request":{"create":{"item":{"id":"a"}}},"answer":{"status":201}}
"#;

#[test]
fn a_log_tells_what_its_client_relies_on() {
    let file = directory("relies").join("keys.log");
    let fake = directory("relies").join("fake");
    let check = |log: &str, options: &str, code: i32, contains: &[&str]| {
        fs::write(&file, log).unwrap();
        let line = format!("relies {} {options}", file.display());
        check_said(&line, &say(&words(&line)), code, contains);
    };
    let seen =
        ["expired-id-is-free: line 3", "`create a` -> created; mutant:expired-id-is-taken -> conflict"];
    check(KEYS, "", 0, &[&seen[..], &["gone-at-deadline: line 3, one of 2", "3 lines replayed"]].concat());
    for (mutant, code, says) in [
        ("reference", 0, "that store fails none of them"),
        ("mutant:expired-id-is-taken", 1, "that store fails vectors of 1 of them"),
        ("mutant:patch-of-ts-is-ignored", 0, "that store fails none of them"),
    ] {
        say(&words(&format!("run {mutant} --report {}", fake.display())));
        check(KEYS, &format!("--against {}", fake.display()), code, &[says]);
    }
    // What was there before the log begins is known from what it shows.
    let middle = r#"{"sent":500,"received":500,"container":"k","request":{"read":{"id":"b"}},"answer":{"status":200,"item":{"id":"b","ttl":90,"_ts":1000}}}
{"sent":510,"received":510,"container":"k","request":{"upsert":{"item":{"id":"c"}}},"answer":{"status":201,"item":{"id":"c","_ts":1060}}}
{"sent":540,"received":540,"container":"k","request":{"read":{"id":"b"}},"answer":{"status":404}}
"#;
    check(middle, "--default-ttl -1", 0, &["gone-at-deadline: line 3", "`read b` -> not-found"]);
    check(
        middle,
        "",
        3,
        &[
            "left out: 3, line 1 first (the settings of its container are not known: state `--default-ttl`)",
            "undecided",
        ],
    );
    check(
        &KEYS.replace("\"defaultTtl\":60", ""),
        "",
        0,
        &["another status in 1 of them, in line 3 first", "relies on 0 of"],
    );
    check(
        "{}\n\u{1b}[31m\n",
        "",
        3,
        &["unreadable: line 1: missing field `sent`", "unreadable: line 2", "!ESC"],
    );
    // Whoever asks whether there is a container, and makes one, states no settings.
    let asked = r#"{"sent":0,"received":0,"clock":"exact","container":"k","request":{"read-container":{}},"answer":{"status":404}}"#;
    check(
        &format!("{asked}\n{KEYS}"),
        "--default-ttl off",
        0,
        &["expired-id-is-free: line 4", "!another status"],
    );
    // More than can be replayed is left out, and said so.
    let many = |number: usize| {
        format!(
            r#"{{"sent":1,"received":1,"clock":"exact","container":"k","request":{{"create":{{"item":{{"id":"m{number}"}}}}}},"answer":{{"status":201}}}}"#
        )
    };
    let many: Vec<_> = (0..1_000).map(many).collect();
    check(
        &format!("{}{}", KEYS.lines().next().unwrap(), ["", &many.join("\n")].join("\n")),
        "",
        0,
        &["(more than can be replayed in time: make a log for each test)", "of 1001 lines relies on"],
    );
    check_said("no log", &say(&words("relies /nowhere.log")), 2, &["LOGS.md"]);
}
