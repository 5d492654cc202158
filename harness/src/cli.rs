//! The command line `cosmos-ttl`.
//!
//! Every command makes its text whole and hands it back; only [`main`] writes, so that a closed pipe is met in one place.

mod args;
mod check;
mod derive;
mod diagnosis;
mod diff;
mod distinguish;
mod endpoint;
mod explain;
mod explore;
mod folder;
mod interrupt;
mod known;
mod list;
mod lock;
mod mutants;
mod pick;
mod process;
mod progress;
mod quick;
mod read_report;
mod report;
mod run;
mod serve;
mod smoke;
mod target;
mod trouble;
mod whole_file;
mod witness;

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

pub use args::Args;

use self::args::{Command, Profile, RunArgs, SchemaOf, VectorsArgs};
use self::trouble::Trouble;
use crate::known::known_schema_json;
use crate::report::style::Look;
use crate::vector::{self, Suite, embedded, embedded_with_derived};
use crate::{near, protocol};

/// What a command has to say, and what the process exits with.
#[derive(Debug)]
struct Output {
    text: String,
    code: u8,
}

impl From<String> for Output {
    fn from(text: String) -> Self {
        Self { text, code: 0 }
    }
}

/// Does what the command line says.
pub fn main() -> ExitCode {
    let args = Args::parse();
    let look = Look { width: width(), ..Look::default() };
    let done = no_empty_command(env::args_os().next_back())
        .and_then(|()| command(args.command.unwrap_or_else(|| Command::Run(RunArgs::default())), look));
    match done {
        Ok(Output { text, code }) => match write(&mut anstream::AutoStream::auto(io::stdout()), &text) {
            Ok(()) => ExitCode::from(code),
            Err(err) => {
                // A verdict that nobody can read is none.
                let trouble = Trouble::usage(format!("the results cannot be written: {err}"), "");
                tell(&trouble.render(look));
                ExitCode::from(trouble.code())
            }
        },
        Err(trouble) => {
            tell(&trouble.render(look));
            ExitCode::from(trouble.code())
        }
    }
}

fn command(command: Command, look: Look) -> Result<Output, Trouble> {
    match command {
        Command::Run(args) => run::run(&args, look),
        Command::Smoke(args) => smoke::smoke(&args, look),
        Command::Mutants(args) => mutants::mutants(&args, look),
        Command::Witness(args) => witness::witness(&args, look),
        Command::Serve(args) => serve::serve(&args),
        Command::Check(args) => check::check(&args, look),
        Command::List(args) => list::list(&args, look).map(Output::from),
        Command::Explain(args) => explain::explain(&args, look).map(Output::from),
        Command::Known(args) => known::known(&args, look),
        Command::Diff(args) => diff::diff(&args, look),
        Command::Distinguish(args) => distinguish::distinguish(&args),
        Command::Explore(args) => explore::explore(&args),
        Command::Schema { of } => Ok(schema_of(of).into()),
        Command::Report(args) => report::report(&args).map(Output::from),
        Command::Derive(args) => derive::derive_vectors(&args),
        Command::Quick(args) => quick::quick(&args),
        Command::Lock(args) => lock::lock(&args).map(Output::from),
        Command::Completions { shell } => Ok(completions(shell).into()),
    }
}

fn schema_of(of: SchemaOf) -> String {
    match of {
        SchemaOf::Vector => vector::schema_json(),
        SchemaOf::Report => crate::report::schema::schema_json(),
        SchemaOf::Known => known_schema_json(),
        SchemaOf::Protocol => protocol::schema_json(),
    }
}

fn completions(shell: clap_complete::Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "cosmos-ttl", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// The vectors of a directory, or those that came with this build.
fn suite(args: &VectorsArgs) -> Result<Suite, Trouble> {
    Ok(match (&args.directory, args.profile) {
        (Some(directory), Profile::Hand | Profile::Quick) => Suite::load(directory)?,
        (Some(directory), Profile::All) => Suite::load(directory)?.with_derived(),
        (None, Profile::Hand | Profile::Quick) => embedded()?,
        (None, Profile::All) => embedded_with_derived()?,
    })
}

/// A `--` with nothing after it is a variable that is not set, and never means the reference.
fn no_empty_command(last: Option<OsString>) -> Result<(), Trouble> {
    match last {
        Some(last) if last == "--" => Err(Trouble::usage(
            "no command stands after `--`",
            "name a program, as in `cosmos-ttl run -- python3 adapter.py`; is a variable empty?",
        )),
        _ => Ok(()),
    }
}

/// Writes to whoever may be listening; nobody is no error, as in `cosmos-ttl list | head`.
fn write(stream: &mut impl Write, text: &str) -> io::Result<()> {
    match stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
        Err(err) if err.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Says something beside the results, at once.
fn tell(text: &str) {
    // Where this cannot be said, nothing can.
    let _ = write(&mut anstream::AutoStream::auto(io::stderr()), text);
}

/// The width of the terminal that will show the results, within reason; 100 columns where there is none.
fn width() -> usize {
    terminal_size::terminal_size_of(io::stdout())
        .map_or(100, |(width, _)| usize::from(width.0).clamp(60, 120))
}
