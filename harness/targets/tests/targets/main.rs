//! Processes and endpoints as targets: good ones, and every way in which one can misbehave.
//!
//! This very program is the process that is tested: with `--act WAY` it speaks the protocol with the reference behind it,
//! and misbehaves in that way once an item named `trigger` is mentioned.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

/// Tests that fail where they panic, by the names of their functions.
macro_rules! trials {
    ($($test:ident),* $(,)?) => {
        vec![$($crate::trial(concat!(module_path!(), "::", stringify!($test)), $test)),*]
    };
}

mod http;
mod process;

use std::env;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let words: Vec<String> = env::args().collect();
    if let [_, flag, way, ..] = words.as_slice()
        && flag == "--act"
    {
        process::act::act(way);
        return ExitCode::SUCCESS;
    }
    let trials = [http::trials(), process::trials()].into_iter().flatten().collect();
    let mut arguments = Arguments::from_args();
    // Most of them wait for what is late.
    arguments.test_threads.get_or_insert(4);
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A test that fails where it panics.
fn trial(name: &str, test: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(name, move || {
        test();
        Ok::<(), Failed>(())
    })
}
