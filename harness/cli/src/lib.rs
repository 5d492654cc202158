//! The command line `cosmos-ttl`: is my store right?
//!
//! ```
//! use clap::{CommandFactory as _, Parser as _};
//!
//! assert!(cosmos_ttl::Args::try_parse_from(["cosmos-ttl", "run", "reference", "lifetime"]).is_ok());
//! assert!(cosmos_ttl::Args::try_parse_from(["cosmos-ttl", "run", "--budget", "0"]).is_err());
//! ```
//!
//! [`shell`] is what every command needs, and what the lab shares. Every other module is a command, or a way to a target.
//!
//! # The crates
//!
//! | crate | what it holds |
//! |---|---|
//! | [`cosmos_ttl_model`] | the rule on one page, one container under a clock, and the open choices |
//! | [`cosmos_ttl_harness`] | the traits of a store, the vectors, replay and verdicts; it does not depend on the model |
//! | [`cosmos_ttl_targets`] | stores behind a process or behind HTTP |
//! | [`cosmos_ttl_mutants`] | the independent store, and stores with one fault |
//! | [`cosmos_ttl_explore`] | the model as a judge: random requests, complete suites, logs |
//! | [`cosmos_ttl_checker`](../cosmos_ttl_checker/index.html) | the properties of the model, in every reachable state |
//! | [`cosmos_ttl_server`](../cosmos_ttl_server/index.html) | the model as an endpoint whose clock can be turned |
//! | [`cosmos_ttl_lab`](../cosmos_ttl_lab/index.html) | the program behind `cargo lab`: can the suite be trusted? |
//! | [`cosmos_ttl_vectors`](../cosmos_ttl_vectors/index.html) | clauses, evidence and vectors as texts |

#![allow(clippy::arithmetic_side_effects, reason = "counts of lines and vectors cannot overflow")]

pub mod shell;

mod args;
mod ask;
mod cleanup;
mod estimate;
mod explain;
mod explore;
mod init;
mod judge;
mod known;
mod process;
mod prove;
mod relies;
pub mod report;
mod report_files;
mod run;
mod target;
mod what_if;

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use crate::report::style::RenderOptions;
use clap::{CommandFactory as _, Parser as _};

pub use args::Args;

use self::args::{ColorWhen, Command, SchemaOf};
use self::shell::{CommandError, Output};

/// Does what the command line says.
pub fn main() -> ExitCode {
    let options = shell::render_options();
    let mut words: Vec<_> = env::args_os().collect();
    if words.len() < 2 {
        words.push("run".into());
    }
    let args = match Args::try_parse_from(&words) {
        Ok(args) => args,
        Err(err) => return refused_by_clap(&err, &words),
    };
    let color = match args.color {
        ColorWhen::Auto => anstream::ColorChoice::Auto,
        ColorWhen::Always => anstream::ColorChoice::Always,
        ColorWhen::Never => anstream::ColorChoice::Never,
    };
    color.write_global();
    let done = match (args.command, words.last()) {
        (Some(one), Some(last)) if last != "--" => command(one, options),
        // A `--` with nothing after it is a variable that is not set, and never means the reference.
        _ => Err(CommandError::usage(
            "no command stands after `--`",
            "name a program, as in `cosmos-ttl run -- python3 adapter.py`; is a variable empty?",
        )),
    };
    shell::finish(done, options)
}

/// Says what clap says, without the keys in the words that it repeats.
fn refused_by_clap(err: &clap::Error, words: &[OsString]) -> ExitCode {
    let is_secret = |word: &OsString| shell::secret::shown(&word.to_string_lossy()) != word.to_string_lossy();
    if words.iter().any(is_secret) {
        let text = err.to_string();
        let words = text.split_inclusive(char::is_whitespace).map(|word| {
            let text = word.trim_end();
            shell::secret::shown(text) + word.get(text.len()..).unwrap_or("")
        });
        shell::write_stderr(&words.collect::<String>());
    } else {
        // Help goes to the standard output, with its styles.
        let _ = err.print();
    }
    ExitCode::from(u8::try_from(err.exit_code()).unwrap_or(WRONG_USE))
}

const WRONG_USE: u8 = 2;

fn command(command: Command, options: RenderOptions) -> Result<Output, CommandError> {
    match command {
        Command::Run(args) => run::run(args, options),
        Command::Init(args) => init::init(&args),
        Command::Smoke(args) => process::smoke(&args, options),
        Command::Serve(args) => process::serve(&args),
        Command::List(args) => explain::list(&args, options).map(Output::from),
        Command::Explain(args) => explain::explain(&args, options).map(Output::from),
        Command::Known(args) => known::known(&args, options),
        Command::Diff(args) => report_files::diff(&args, options),
        Command::Explore(args) => explore::explore(&args),
        Command::Judge(args) => judge::judge(&args),
        Command::Relies(args) => relies::relies(&args, options),
        Command::Ask(args) => ask::ask(&args, options),
        Command::Prove(args) => prove::prove(&args),
        Command::Schema { of } => {
            let schema = match of {
                SchemaOf::Vector => cosmos_ttl_harness::vector::SCHEMA,
                SchemaOf::Report => report::SCHEMA,
                SchemaOf::Protocol => cosmos_ttl_targets::process::protocol::SCHEMA,
            };
            Ok(schema.to_owned().into())
        }
        Command::Report(args) => report_files::report(&args),
        Command::WhatIf(args) => what_if::what_if(&args, options),
        Command::Cleanup(args) => cleanup::cleanup(&args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Args::command(), "cosmos-ttl", &mut script);
            Ok(String::from_utf8_lossy(&script).into_owned().into())
        }
    }
}
