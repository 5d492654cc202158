//! Helpers of every command: selecting vectors, errors, output.
//!
//! A command returns its whole text. Only [`finish`] writes it, so that a closed pipe is handled in one place.

pub mod filter;
mod output_file;
pub mod progress;
pub mod secret;

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::report::style::{RenderOptions, wrapped};
use crate::report::text::{render_diagnostic, render_message};
use clap::ValueEnum;
use clap::builder::styling::{AnsiColor, Styles};
use cosmos_ttl_explore::complete::model_vectors;
use cosmos_ttl_harness::diagnostic::Diagnostic;
use cosmos_ttl_harness::plain::plain;
use cosmos_ttl_harness::target::Fault;
use cosmos_ttl_harness::vector::{Suite, embedded};
use serde::Serialize;

pub use self::output_file::{Written, atomic_write, unwritable};

/// The colours of a command's help.
pub const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// The text of a command, and the exit code of the process.
#[derive(Debug)]
pub struct Output {
    /// The text.
    pub text: String,
    /// The exit code.
    pub code: u8,
}

impl From<String> for Output {
    fn from(text: String) -> Self {
        Self { text, code: 0 }
    }
}

/// How a command writes its results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "they are the words of the command line")]
pub enum Format {
    #[default]
    Text,
    Json,
}

/// Which vectors a command works on.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct VectorsArgs {
    /// Directory of vectors. Default: the vectors in this program
    #[arg(long = "vectors", value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// Which vectors
    #[arg(long, value_enum, default_value_t)]
    pub profile: Profile,
    /// With `--profile soak`: how often the store removes expired items. The vectors look 10 s later or more
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=650))]
    pub sweep: Option<u64>,
}

/// A named part of all vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Profile {
    /// All vectors, which people write by hand
    #[default]
    Hand,
    /// The few vectors that still kill every mutant, for slow targets
    Quick,
    /// Vectors of up to 11 min, for stores that remove expired items late
    Soak,
    /// One vector for each core transition of the model of one item, made when it is asked for
    Model,
}

impl VectorsArgs {
    /// Returns the options that another command needs to use the same vectors.
    pub fn options(&self) -> Vec<String> {
        let directory = self.directory.iter();
        let mut all: Vec<String> =
            directory.flat_map(|directory| ["--vectors".into(), directory.display().to_string()]).collect();
        if let Some(value) = self.profile.to_possible_value().filter(|_| self.profile != Profile::Hand) {
            all.extend(["--profile".into(), value.get_name().into()]);
        }
        all.extend(self.sweep.iter().flat_map(|seconds| ["--sweep".into(), seconds.to_string()]));
        all
    }
}

/// Returns the vectors of a directory, or those that came with this build.
///
/// # Errors
///
/// [`CommandError`] where a file of the directory cannot be used.
pub fn suite(args: &VectorsArgs) -> Result<Suite, CommandError> {
    let mut suite = match &args.directory {
        Some(directory) => Suite::load(directory)?,
        None => embedded()?,
    };
    if args.profile == Profile::Model {
        suite.vectors = model_vectors(&suite);
    }
    Ok(suite)
}

/// Returns a number with a comma after every third digit.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(",")
}

/// Why a command ended before there was a verdict.
#[derive(Debug)]
pub enum CommandError {
    /// A file cannot be used.
    Diagnostic(Diagnostic),
    /// A word on the command line cannot be used.
    Usage {
        /// The error.
        what: String,
        /// The accepted values.
        help: String,
    },
    /// A filter selects no vector.
    NoVector {
        /// The filter.
        word: String,
        /// The accepted values.
        help: String,
    },
    /// The target could not be reached, or the harness was used wrongly.
    Fault(Fault),
}

impl CommandError {
    /// Returns the error of a word that cannot be used: what is wrong with it, and what is accepted.
    pub fn usage(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Usage { what: what.into(), help: help.into() }
    }

    /// Returns the exit code of the process.
    pub fn code(&self) -> u8 {
        match self {
            Self::Fault(Fault::Broken(_) | Fault::Unknown(_)) => 4,
            Self::Diagnostic(_)
            | Self::Usage { .. }
            | Self::NoVector { .. }
            | Self::Fault(Fault::Misuse(_) | Fault::Unsupported(_)) => 2,
        }
    }

    /// Returns the error as one sentence.
    pub fn why(&self) -> String {
        match self {
            Self::Diagnostic(diagnostic) => diagnostic.to_string(),
            Self::Usage { what, .. } => what.clone(),
            Self::NoVector { word, .. } => format!("`{}` matches no vector", secret::shown(word)),
            Self::Fault(fault) => fault.to_string(),
        }
    }

    /// Renders the error for people, with styles.
    pub fn render(&self, options: RenderOptions) -> String {
        match self {
            Self::Diagnostic(diagnostic) => render_diagnostic(diagnostic, options),
            Self::Usage { help, .. } | Self::NoVector { help, .. } => {
                render_message(&self.why(), help, options)
            }
            Self::Fault(fault) => {
                let accepted = "`cosmos-ttl run --help` says what is accepted, and where a key goes";
                let help = if matches!(fault, Fault::Misuse(_)) { accepted } else { "" };
                render_message(&plain(&fault.to_string()), help, options)
            }
        }
    }
}

impl From<Diagnostic> for CommandError {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Diagnostic(diagnostic)
    }
}

impl From<Fault> for CommandError {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// Writes the text of a command or its error, and returns the exit code.
pub fn finish(done: Result<Output, CommandError>, options: RenderOptions) -> ExitCode {
    let written = done.and_then(|Output { text, code }| {
        // Without the text the exit code of a verdict would mislead.
        let unwritten = |err| CommandError::usage(format!("the results cannot be written: {err}"), "");
        write(&mut anstream::AutoStream::auto(io::stdout()), &text).map(|()| code).map_err(unwritten)
    });
    ExitCode::from(written.unwrap_or_else(|error| {
        let lines = error.render(options);
        write_stderr(&lines.split_inclusive('\n').map(secret::without_keys).collect::<String>());
        error.code()
    }))
}

/// Returns a page as JSON.
pub fn json(page: &impl Serialize) -> String {
    // Strings, numbers, lists and structs: nothing that JSON could refuse.
    serde_json::to_string_pretty(page).unwrap_or_default() + "\n"
}

/// Returns how to show results on the terminal: from 60 to 120 columns wide. Without a terminal text has 100
/// columns, and each row of a table is one line.
pub fn render_options() -> RenderOptions {
    let size = terminal_size::terminal_size_of(io::stdout());
    let width = size.map(|(width, _)| usize::from(width.0).clamp(60, 120));
    RenderOptions { width: width.unwrap_or(100), table_width: width, ..RenderOptions::default() }
}

/// Returns the end of a command's help in lines that clap does not wrap again.
///
/// Each line of the text is a paragraph, or an entry of a list: `  0  conformant`. The second column of an entry stays one.
pub fn help_text(text: &str) -> String {
    let width = terminal_size::terminal_size_of(io::stdout()).map_or(HELP_WIDTH, |(width, _)| width.0.into());
    let line = |line: &str| {
        let entry = line.trim_start();
        let term = entry.split_once("  ").filter(|_| entry.len() < line.len());
        let hang = term.map_or(0, |(_, says)| line.len().saturating_sub(says.trim_start().len()));
        wrapped(line, width.min(HELP_WIDTH), &" ".repeat(hang.min(HELP_WIDTH / 2)))
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The greatest width of help in columns.
pub const HELP_WIDTH: usize = 100;

/// Writes a text without commands. A closed pipe is no error, as in `cosmos-ttl list | head`.
fn write(stream: &mut impl Write, text: &str) -> io::Result<()> {
    match stream.write_all(without_commands(text).as_bytes()).and_then(|()| stream.flush()) {
        Err(err) if err.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Returns the text with escapes where GitHub Actions would take it for a command: `::` at the start of a line, and `##[`.
///
/// A line may begin with what a target said. An escape changes no JSON, where a line never begins with `::`.
pub fn without_commands(text: &str) -> Cow<'_, str> {
    if !text.contains("::") && !text.contains("##[") {
        return Cow::Borrowed(text);
    }
    let line = |line: &str| {
        let plain = anstream::adapter::strip_str(line).to_string();
        let begins = plain.trim_start().starts_with("::");
        if begins { line.replacen("::", "\\u003a:", 1) } else { line.to_owned() }
    };
    Cow::Owned(text.split_inclusive('\n').map(line).collect::<String>().replace("##[", "\\u0023#["))
}

/// Writes a message to standard error, at once.
pub fn write_stderr(text: &str) {
    // There is no other place to report a failure.
    let _ = write(&mut anstream::AutoStream::auto(io::stderr()), text);
}
