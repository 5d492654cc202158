//! An adapter whose answers are nested without end: no command ends with a signal or hangs, on a virtual and on a real clock.
#![cfg(unix)]

use std::fs;

use crate::program::{ProgramOutput, directory, program, suite};

const WHY: &str = "nested more than 128 deep";

/// An adapter that writes this value into each item, on a clock that stands still unless the harness moves it.
fn adapter(name: &str, value: &str, clock: &str) -> Vec<String> {
    let file = directory(&format!("deep-{name}-{clock}-{}", value.len())).join("edit.sed");
    let clock = format!("s/\"clock\":\"virtual\"/\"clock\":\"{clock}\"/");
    fs::write(&file, format!("{clock}\ns/\"item\":{{/\"item\":{{\"x\":{value},/\n")).unwrap();
    let script = "\"$0\" serve --stdio | sed -u -f \"$1\"";
    let words = ["--", "sh", "-c", script, env!("CARGO_BIN_EXE_cosmos-ttl"), file.to_str().unwrap()];
    words.map(str::to_owned).to_vec()
}

fn nested(open: &str, close: &str, depth: usize) -> String {
    open.repeat(depth) + "1" + &close.repeat(depth)
}

#[test]
fn no_command_is_ended_by_a_reply_that_is_nested_too_deep() {
    let vectors = suite();
    let vectors = vectors.to_str().unwrap();
    let lists = ("lists-10000", nested("[", "]", 10_000));
    let objects = ("objects-10000", nested("{\"y\":", "}", 10_000));
    let many = ("lists-400000", nested("[", "]", 400_000));
    let run: (&[&str], &str) = (&["run", "--vectors", vectors], "virtual");
    let commands: [(&[&str], &str); 3] = [
        (&["run", "--vectors", vectors, "--budget", "5"], "real"),
        (&["smoke"], "virtual"),
        (&["explore", "--steps", "200"], "virtual"),
    ];
    let of_lists = commands.map(|command| (&lists, command));
    for ((name, value), (words, clock)) in
        [(&lists, run), (&objects, run), (&many, run)].into_iter().chain(of_lists)
    {
        // A process that ended by a signal has no exit code, which fails.
        let said: ProgramOutput =
            program().args(words).args(adapter(name, value, clock)).output().unwrap().into();
        assert_eq!(said.code, 4, "{name} {words:?}: {}{}", said.out, said.err);
        let told = said.out + &said.err;
        assert!(told.contains(WHY), "{name} {words:?}: {told}");
    }
}

#[test]
fn a_reply_as_deep_as_allowed_is_judged() {
    let vectors = suite();
    let mut command = program();
    let words = ["run", "--vectors", vectors.to_str().unwrap()];
    let value = nested("[", "]", 125);
    let said: ProgramOutput =
        command.args(words).args(adapter("allowed", &value, "virtual")).output().unwrap().into();
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
}
