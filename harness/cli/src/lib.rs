//! The command line `cosmos-ttl`: is my store right?
//!
//! [`shell`] is what every command needs, and what the lab shares. Every other module is a command, or a way to a target.
//!
//! ```
//! use clap::Parser as _;
//!
//! assert!(cosmos_ttl::Args::try_parse_from(["cosmos-ttl", "run", "reference", "lifetime"]).is_ok());
//! assert!(cosmos_ttl::Args::try_parse_from(["cosmos-ttl", "run", "--budget", "0"]).is_err());
//! ```

pub mod shell;

mod args;
mod target;

mod interrupt;
mod progress;
mod replay;

mod diagnosis;
mod folder;
mod run;

mod distinguish;
mod explore;
mod serve;
mod smoke;

mod explain;
mod list;

mod diff;
mod known;
mod read_report;
mod report;

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};
use cosmos_ttl_report::style::RenderOptions;

pub use args::Args;

use self::args::{Command, RunArgs, SchemaOf};
use self::shell::{CommandError, Output};

/// Does what the command line says.
pub fn main() -> ExitCode {
    let look = shell::render_options();
    if let Some(trouble) = env::args_os().nth(1).and_then(|word| of_the_lab(&word)) {
        return shell::finish(Err(trouble), look);
    }
    let args = Args::parse();
    let done = no_empty_command(env::args_os().next_back())
        .and_then(|()| command(args.command.unwrap_or_else(|| Command::Run(RunArgs::default())), look));
    shell::finish(done, look)
}

fn command(command: Command, look: RenderOptions) -> Result<Output, CommandError> {
    match command {
        Command::Run(args) => run::run(&args, look),
        Command::Smoke(args) => smoke::smoke(&args, look),
        Command::Serve(args) => serve::serve(&args),
        Command::List(args) => list::list(&args, look).map(Output::from),
        Command::Explain(args) => explain::explain(&args, look).map(Output::from),
        Command::Known(args) => known::known(&args, look),
        Command::Diff(args) => diff::diff(&args, look),
        Command::Distinguish(args) => distinguish::distinguish(&args),
        Command::Explore(args) => explore::explore(&args),
        Command::Schema { of } => Ok(schema_of(of).to_owned().into()),
        Command::Report(args) => report::report(&args).map(Output::from),
        Command::Completions { shell } => Ok(completions(shell).into()),
    }
}

/// Returns the committed schema of a format; a test of its crate compares it with the types that read the format.
fn schema_of(of: SchemaOf) -> &'static str {
    match of {
        SchemaOf::Vector => cosmos_ttl_harness::vector::SCHEMA,
        SchemaOf::Report => cosmos_ttl_report::SCHEMA,
        SchemaOf::Known => cosmos_ttl_harness::known_failures::SCHEMA,
        SchemaOf::Protocol => cosmos_ttl_process::protocol::SCHEMA,
    }
}

fn completions(shell: clap_complete::Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "cosmos-ttl", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// The commands of the lab, most of which this program had before; `witness` was the name of `ablation`.
const LAB: [&str; 7] = ["check", "mutants", "ablation", "witness", "derive", "quick", "lock"];

fn of_the_lab(word: &OsString) -> Option<CommandError> {
    let word = LAB.into_iter().find(|command| word == command)?;
    let command = if word == "witness" { "ablation" } else { word };
    let what = format!("`{word}` is a command of the lab, the program that checks the suite itself");
    Some(CommandError::usage(what, format!("in a checkout of the project: `cargo lab {command}`")))
}

/// A `--` with nothing after it is a variable that is not set, and never means the reference.
fn no_empty_command(last: Option<OsString>) -> Result<(), CommandError> {
    match last {
        Some(last) if last == "--" => Err(CommandError::usage(
            "no command stands after `--`",
            "name a program, as in `cosmos-ttl run -- python3 adapter.py`; is a variable empty?",
        )),
        _ => Ok(()),
    }
}
