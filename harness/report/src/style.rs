//! How reports look: a few colours, and a width.
//!
//! Everything is styled here and the writer takes the styles away where nobody would see them, so that there is one text.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

/// How wide a report may be, and how much of it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderOptions {
    /// In columns.
    pub width: usize,
    /// How many failures are shown in full.
    pub most: usize,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self { width: 100, most: 10 }
    }
}

/// What is as it should be.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// What is not.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// What is worth a look.
pub const DOUBT: Style = AnsiColor::Yellow.on_default().bold();
/// What stands back.
pub const DIM: Style = Style::new().dimmed();
/// What leads.
pub const BOLD: Style = Style::new().bold();

/// The text in this style.
pub fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// The text in lines of this width; every line but the first starts with the indent.
pub fn wrapped(text: &str, width: usize, indent: &str) -> String {
    let options = textwrap::Options::new(width.max(40))
        .break_words(false)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .subsequent_indent(indent);
    textwrap::fill(text, options)
}
