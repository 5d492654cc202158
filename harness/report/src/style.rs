//! How reports look on a terminal: a few colours, and a width.
//!
//! Every text is styled here, and the writer takes the styles away where nobody would see them, so that there is one text.

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

/// Returns the text in this style.
pub fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Returns the text in lines of this width; every line but the first starts with the indent.
pub fn wrapped(text: &str, width: usize, indent: &str) -> String {
    let options = textwrap::Options::new(width.max(40))
        .break_words(false)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .subsequent_indent(indent);
    textwrap::fill(text, options)
}

/// The same of a text that begins with this head, which alone is styled.
pub(crate) fn wrapped_after(style: Style, head: &str, rest: &str, width: usize) -> String {
    let text = wrapped(&format!("{head}{rest}"), width, "  ");
    text.strip_prefix(head).map_or(text.clone(), |rest| styled(style, head) + rest)
}

/// A head and a list under it; nothing where the list is empty.
pub(crate) fn headed_list(style: Style, head: &str, lines: &[String], width: usize) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let lines: Vec<_> = lines.iter().map(|line| wrapped(line, width, "    ")).collect();
    format!("{}\n  {}\n", styled(style, head), lines.join("\n  "))
}
