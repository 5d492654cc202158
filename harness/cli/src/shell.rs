//! What every command needs: how vectors are chosen, what went wrong, how results are written.
//!
//! Every command makes its text whole and hands it back; only [`finish`] writes, so that a closed pipe is met in one place.

pub mod pick;
mod trouble;
mod vectors;
pub mod whole_file;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::ValueEnum;
use clap::builder::styling::{AnsiColor, Styles};
use cosmos_ttl_harness::vector::{Suite, embedded, embedded_with_derived};
use cosmos_ttl_report::style::Look;

pub use self::trouble::Trouble;
pub use self::vectors::{Profile, VectorsArgs};

/// The colours of a command's help.
pub const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// What a command has to say, and what the process exits with.
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

/// Returns the vectors of a directory, or those that came with this build.
///
/// # Errors
///
/// [`Trouble`] where a file of the directory cannot be used.
pub fn suite(args: &VectorsArgs) -> Result<Suite, Trouble> {
    Ok(match (&args.directory, args.profile) {
        (Some(directory), Profile::Hand | Profile::Quick) => Suite::load(directory)?,
        (Some(directory), Profile::All) => Suite::load(directory)?.with_derived(),
        (None, Profile::Hand | Profile::Quick) => embedded()?,
        (None, Profile::All) => embedded_with_derived()?,
    })
}

/// Writes what a command has to say, or why it could not; the process ends with the code that is returned.
pub fn finish(done: Result<Output, Trouble>, look: Look) -> ExitCode {
    match done {
        Ok(Output { text, code }) => match write(&mut anstream::AutoStream::auto(io::stdout()), &text) {
            Ok(()) => ExitCode::from(code),
            Err(err) => {
                // Without the text the exit code of a verdict would mislead.
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

/// Returns how to show results on the terminal that will show them.
pub fn look() -> Look {
    Look { width: width(), ..Look::default() }
}

/// Writes a text. A closed pipe is no error, as in `cosmos-ttl list | head`.
fn write(stream: &mut impl Write, text: &str) -> io::Result<()> {
    match stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
        Err(err) if err.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes a message to standard error, at once.
pub fn tell(text: &str) {
    // There is no other place to report a failure.
    let _ = write(&mut anstream::AutoStream::auto(io::stderr()), text);
}

/// Returns the width of the terminal, from 60 to 120 columns; 100 columns without a terminal.
fn width() -> usize {
    terminal_size::terminal_size_of(io::stdout())
        .map_or(100, |(width, _)| usize::from(width.0).clamp(60, 120))
}
