//! How reports look on a terminal: a few colours, a width, and tables without lines.
//!
//! Every text is styled here, and the writer takes the styles away where nobody would see them, so that there is one text.

use std::fmt::Display;
use std::mem;

use anstyle::{AnsiColor, Style};
use textwrap::core::display_width;

/// How wide a report may be, and how much of it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderOptions {
    /// In columns.
    pub width: usize,
    /// How many mistakes are shown in full, with one failure each.
    pub most: usize,
    /// Whether each failure of these is shown in full.
    pub all: bool,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self { width: 100, most: 10, all: false }
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

/// The alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Returns the rows as lines, one a row, as wide as they are.
pub(crate) fn table(columns: &[Align], rows: Vec<Vec<String>>) -> Vec<String> {
    wrapped_table(columns, rows, usize::MAX)
}

/// Returns the lines of a table whose columns have these names; the last column wraps at this width.
pub fn headed_table(columns: &[(&str, Align)], rows: Vec<Vec<String>>, width: usize) -> Vec<String> {
    let (names, columns): (Vec<_>, Vec<_>) =
        columns.iter().map(|(name, align)| ((*name).to_owned(), *align)).unzip();
    let mut lines = wrapped_table(&columns, [vec![names], rows].concat(), width);
    lines.first_mut().into_iter().for_each(|head| *head = styled(BOLD, &*head));
    lines
}

/// Returns the rows as lines no wider than this: the last column wraps.
#[expect(clippy::needless_pass_by_value, reason = "callers make the rows for this call")]
fn wrapped_table(columns: &[Align], rows: Vec<Vec<String>>, width: usize) -> Vec<String> {
    let cells = |number: usize| rows.iter().filter_map(move |row| row.get(number));
    let widest = |number: usize| cells(number).map(|cell| display_width(cell)).max().unwrap_or(0);
    let widths: Vec<_> = (0..columns.len()).map(widest).collect();
    let indent: usize = widths.iter().rev().skip(1).map(|width| width + 2).sum();
    // As wide as is left, without the two spaces after it.
    let rest = width.saturating_sub(indent).max(24) - 2;
    let mut lines = Vec::new();
    for row in &rows {
        let mut line = String::new();
        for ((cell, align), width) in row.iter().zip(columns).zip(&widths) {
            let padding = " ".repeat(width - display_width(cell));
            match align {
                Align::Left if display_width(&line) == indent => line += &filled(cell, rest, indent),
                Align::Left => line.extend([cell, padding.as_str(), "  "]),
                Align::Right => line.extend([padding.as_str(), cell, "  "]),
            }
        }
        lines.extend(line.lines().map(|line| line.trim_end().to_owned()));
    }
    lines
}

/// A cell in lines of this width. A word that is longer than a line begins where there is room for three characters.
fn filled(cell: &str, width: usize, indent: usize) -> String {
    let (mut text, mut line) = (String::new(), String::new());
    for word in cell.split(' ') {
        let mut word = word.to_owned();
        loop {
            let gap = if line.is_empty() { "" } else { " " };
            let room = width.saturating_sub(display_width(&line) + gap.len());
            if display_width(&word) <= room {
                line.extend([gap, word.as_str()]);
                break;
            }
            if display_width(&word) > width && room > 2 {
                let rest = word.chars().skip(room).collect();
                line.extend([gap.to_owned(), word.chars().take(room).collect()]);
                word = rest;
            }
            text.extend([mem::take(&mut line), "\n".into(), " ".repeat(indent)]);
        }
    }
    text + &line
}
