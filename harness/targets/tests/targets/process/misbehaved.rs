//! Every way in which a process can misbehave: the message, its vector, and that the rest is still judged.

use std::process::{Command, Stdio};

use cosmos_ttl_harness::target::{Container, Fault, Operation, Request, Target};
use cosmos_ttl_harness::verdict::Outcome::{self, Broken, Pass};
use cosmos_ttl_targets::process::target::{ProcessConfig, ProcessTarget};
use libtest_mimic::Trial;

use super::act::INSTEAD;
use super::program::{command, config, start, verdicts};
use crate::trial;

pub(crate) fn trials() -> Vec<Trial> {
    let others = [
        ("exits", "the process ended with exit status: 7"),
        ("hangs", "no reply to `send` within 0.4 s"),
        ("hangs-on-close", "no reply to `close` within 0.4 s"),
        ("writes-noise-before", "its reply to `send` is not understood, no JSON object"),
        ("half-a-line-and-hangs", "within 0.4 s, only half a line: {\"q\":"),
        ("half-a-line-and-exits", "the process ended with exit status: 0 in the middle of a line: {\"q\":"),
        ("a-very-long-line", "it wrote a line longer than 1048576 bytes, which begins: xxxx"),
        ("no-utf-8", "it wrote a line that is no UTF-8: {\"q\":"),
        ("floods-stderr", "the process ended with exit status: 8"),
    ];
    let rows = INSTEAD.into_iter().map(|(way, _, kind, why)| (way, kind, why));
    let mut trials: Vec<Trial> = rows
        .chain(others.map(|(way, why)| (way, Broken, why)))
        .map(|(way, kind, why)| {
            trial(&format!("{way}_touches_one_vector_alone"), move || check(way, kind, why))
        })
        .collect();
    trials.extend([
        trial("what_does_not_start_breaks_the_run", || {
            let config = ProcessConfig::new(["/no/such/program"]);
            check_broken(ProcessTarget::start(config), "`/no/such/program` does not start: ");
        }),
        trial("what_exits_at_once_breaks_the_run_and_its_last_words_are_shown", || {
            let why = "no reply to `hello`: the process ended with exit status: 3; its standard error ends: no store";
            check_broken(start("exits-at-once"), why);
        }),
        trial("another_version_breaks_the_run", || {
            let why = "it speaks version 2 of the protocol, and this harness speaks version 1";
            check_broken(start("another-version"), why);
        }),
        trial("a_clock_that_is_ignored_breaks_the_run", || {
            let why = "it says that its clock is virtual, but while 10 s were to pass, `_ts` moved by 0 s";
            check_broken(start("ignores-the-clock"), why);
        }),
        trial("what_floods_standard_error_is_shown_by_its_last_words", last_words),
        trial("restarts_are_bounded", restarts_are_bounded),
        trial("whatever_is_open_when_it_breaks_is_broken_and_nothing_else", open_beside),
        trial("copies_of_a_process_share_nothing", copies_share_nothing),
        trial("what_exits_between_two_vectors_touches_neither", exits_between),
        trial("what_does_not_end_when_it_said_so_is_ended", hangs_on_bye),
        trial("unknown_fields_break_it_where_it_is_taken_strictly", strictly),
    ]);
    #[cfg(unix)]
    trials.extend([
        trial("what_ignores_the_signal_to_end_is_killed", ignores_sigterm),
        trial("what_a_process_leaves_behind_is_ended_with_it", leaves_a_child),
        trial("nothing_starts_after_all_processes_were_killed", kill_all),
    ]);
    #[cfg(target_os = "linux")]
    trials.push(trial("what_left_the_session_of_its_process_is_ended_with_it", leaves_a_session));
    trials
}

/// The vector in the middle comes to this, and each of the others passes.
#[track_caller]
fn check(way: &str, kind: Outcome, why: &str) {
    let target = start(way).unwrap();
    let said = verdicts(&target);
    let kinds: Vec<_> = said.iter().map(|(kind, ..)| *kind).collect();
    assert_eq!(kinds, [Pass, Pass, kind, Pass, Pass], "{said:#?}");
    let (_, reason, _) = said.get(2).unwrap();
    assert!(reason.contains(why), "{reason}");
    assert!(reason.chars().count() < 600, "{reason}");
    assert_eq!(target.mishaps(), Vec::<String>::new());
    target.bye().unwrap();
}

#[track_caller]
fn check_broken<T>(result: Result<T, Fault>, why: &str) {
    match result {
        Err(Fault::Broken(reason)) => assert!(reason.contains(why), "{reason}"),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it is not broken"),
    }
}

fn last_words() {
    let target = start("floods-stderr").unwrap();
    let said = verdicts(&target);
    let logs: Vec<_> = said.iter().map(|(.., log)| log.clone()).collect();
    let log = logs.get(2).unwrap().clone().unwrap();
    assert!(log.ends_with("these are the last words"), "{log}");
    assert!(log.len() < 20_000, "{} bytes", log.len());
    assert_eq!(logs.iter().flatten().count(), 1, "nobody else's log");
}

fn restarts_are_bounded() {
    let config = ProcessConfig { restarts: 2, ..config("exits-on-every-read") };
    let said = verdicts(&ProcessTarget::start(config).unwrap());
    let limit = "the process was restarted 2 times, which is the limit; the last reason: no reply to `send`";
    let whys = ["the process ended with exit status: 9", limit, limit, limit, limit];
    for ((kind, reason, _), why) in said.iter().zip(whys) {
        assert!(*kind == Broken && reason.contains(why), "{reason}");
    }
}

fn read(id: &str) -> Request {
    Request::Item(Operation::Read(id.into()))
}

fn open_beside() {
    let target = start("exits").unwrap();
    let mut beside = target.open().unwrap();
    let mut own = target.open().unwrap();
    beside.send(&Request::CreateContainer(Container::default())).unwrap();
    assert!(matches!(own.send(&read("trigger")), Err(Fault::Broken(_))));
    let mut later = target.open().unwrap();
    check_broken(beside.send(&read("a")), "had to be ended while this was open: no reply to `send`");
    later.send(&Request::CreateContainer(Container::default())).unwrap();
    later.close().unwrap();
}

/// With two copies, the other one goes on, and every verdict is as with one.
fn copies_share_nothing() {
    let target = ProcessTarget::start(ProcessConfig { jobs: 2, ..config("exits") }).unwrap();
    let mut beside = target.open().unwrap();
    let mut own = target.open().unwrap();
    assert!(matches!(own.send(&read("trigger")), Err(Fault::Broken(_))));
    beside.send(&Request::CreateContainer(Container::default())).unwrap();
    drop((beside, own));
    let kinds: Vec<_> = verdicts(&target).into_iter().map(|(kind, ..)| kind).collect();
    assert_eq!(kinds, [Pass, Pass, Broken, Pass, Pass]);
    target.bye().unwrap();
    // A copy that is another program is none.
    let target = ProcessTarget::start(ProcessConfig { jobs: 2, ..config("says-its-id") }).unwrap();
    let _first = target.open().unwrap();
    check_broken(target.open(), "its `hello` differs from the first one");
}

fn exits_between() {
    let target = start("exits-between").unwrap();
    let said = verdicts(&target);
    assert!(said.iter().all(|(kind, ..)| *kind == Pass), "{said:#?}");
    // Once under each schedule of removal.
    let mishaps = target.mishaps();
    assert_eq!(mishaps.len(), 3, "{mishaps:?}");
    assert!(mishaps.iter().all(|why| why.ends_with("the process ended with exit status: 5")), "{mishaps:?}");
}

fn hangs_on_bye() {
    let target = start("hangs-on-bye").unwrap();
    check_broken(target.bye(), "the process said that it ends and did not");
}

fn strictly() {
    for (way, why) in [
        ("more-fields", "a field `more` that the schema does not know"),
        ("more-fields-inside", "`answer`: a field `more` that the schema does not know"),
    ] {
        let said = verdicts(&start(way).unwrap());
        assert!(said.iter().all(|(kind, ..)| *kind == Pass), "{said:#?}");
        let strict = ProcessConfig { strict: true, restarts: 0, ..config(way) };
        check_broken(ProcessTarget::start(strict), why);
    }
}

#[cfg(unix)]
fn ignores_sigterm() {
    let shell = "trap '' TERM; exec \"$0\" \"$@\"".to_owned();
    let command = ["sh".to_owned(), "-c".to_owned(), shell].into_iter().chain(command("says-its-id"));
    let target = ProcessTarget::start(ProcessConfig::new(command)).unwrap();
    let id = id(&target);
    assert!(is_alive(&id));
    drop(target);
    assert!(!is_alive(&id), "{id} is still there");
}

#[cfg(unix)]
fn leaves_a_child() {
    let target = start("leaves-a-child").unwrap();
    let said = verdicts(&target);
    assert!(said.iter().all(|(kind, ..)| *kind == Pass), "{said:#?}");
    target.bye().unwrap();
}

#[cfg(unix)]
fn kill_all() {
    let config = config("says-its-id");
    let target = ProcessTarget::start(config.clone()).unwrap();
    drop(config.running.kill());
    let id = id(&target);
    // It is a zombie until its end was noticed.
    drop(target);
    assert!(!is_alive(&id), "{id} is still there");
    check_broken(ProcessTarget::start(config), "does not start: the program is about to exit");
}

#[cfg(target_os = "linux")]
fn leaves_a_session() {
    if Command::new("setsid").arg("true").status().is_err() {
        return println!("not run: there is no setsid");
    }
    for says_bye in [true, false] {
        let target = start("leaves-a-session").unwrap();
        let seconds = format!("3600.{}", id(&target));
        let sleeps = || {
            let processes = std::fs::read_dir("/proc").unwrap().flatten();
            let of =
                |path: std::path::PathBuf| std::fs::read_to_string(path.join("cmdline")).unwrap_or_default();
            processes.filter(|process| of(process.path()) == format!("sleep\0{seconds}\0")).count()
        };
        // The shell does not wait until its child is in a session of its own.
        while sleeps() == 0 {
            std::thread::yield_now();
        }
        if says_bye {
            target.bye().unwrap();
        }
        drop(target);
        for _ in 0..200 {
            if sleeps() == 0 {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert_eq!(sleeps(), 0, "after bye: {says_bye}");
    }
}

/// The number of a process that says it.
fn id(target: &ProcessTarget) -> String {
    target.about().version.split(' ').next().unwrap().to_owned()
}

#[cfg(unix)]
fn is_alive(id: &str) -> bool {
    Command::new("kill").args(["-0", id]).stderr(Stdio::null()).status().unwrap().success()
}
