//! How reports look on a terminal: a few colours, a width, and tables without lines.
//!
//! Every text is styled here, and the writer takes the styles away where they would not show, so that there is one text.

use std::borrow::Cow;
use std::fmt::Display;

use anstyle::{AnsiColor, Style};
use textwrap::core::display_width;

/// How wide a report may be, and how much of it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderOptions {
    /// The width of text in columns.
    pub width: usize,
    /// The width of tables in columns; without one each row is one line.
    pub table_width: Option<usize>,
    /// How many mistakes are shown in full, with one failure each.
    pub most: usize,
    /// Whether each failure of these is shown in full.
    pub all: bool,
    /// Whether the clauses are listed against which nothing speaks, too.
    pub all_clauses: bool,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self { width: 100, table_width: None, most: 10, all: false, all_clauses: false }
    }
}

/// The style of good results.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// The style of bad results.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// The style of doubtful results.
pub const DOUBT: Style = AnsiColor::Yellow.on_default().bold();
/// The style of secondary text.
pub const DIM: Style = Style::new().dimmed();
/// The style of headings.
pub const BOLD: Style = Style::new().bold();

/// Returns the text in this style.
pub fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Returns the text without its styles.
pub(crate) fn unstyled(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
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
#[expect(clippy::needless_pass_by_value, reason = "callers make the rows for this call")]
pub(crate) fn table(columns: &[Align], rows: Vec<Vec<String>>) -> Vec<String> {
    table_rows(columns, &rows, usize::MAX).concat()
}

/// Returns the lines of a table whose columns have these names.
///
/// Without a width, as in a pipe, each row is one line. Within a width the last column wraps. A table that is still too wide
/// shows the first cell of each row on a line of its own. No word is ever broken, so that an id can be copied and searched.
pub fn headed_table(columns: &[(&str, Align)], rows: Vec<Vec<String>>, width: Option<usize>) -> Vec<String> {
    let (names, columns): (Vec<_>, Vec<_>) =
        columns.iter().map(|(name, align)| ((*name).to_owned(), *align)).unzip();
    let mut rows = table_rows(&columns, &[vec![names], rows].concat(), width.unwrap_or(usize::MAX));
    rows.first_mut().into_iter().flatten().for_each(|line| *line = styled(BOLD, &*line));
    rows.concat()
}

/// Returns the lines of each row, no wider than this.
pub(crate) fn table_rows(columns: &[Align], rows: &[Vec<String>], width: usize) -> Vec<Vec<String>> {
    let cells = |number: usize| rows.iter().filter_map(move |row| row.get(number));
    let widest = |number: usize| cells(number).map(|cell| display_width(cell)).max().unwrap_or(0);
    let widths: Vec<_> = (0..columns.len()).map(widest).collect();
    let indent: usize = widths.iter().rev().skip(1).map(|width| width + 2).sum();
    let rest = width.saturating_sub(indent);
    let last = columns.len().saturating_sub(1);
    let longest_word = cells(last).flat_map(|cell| cell.split(' ')).map(display_width).max().unwrap_or(0);
    if let (true, [_, others @ ..]) = (rest < widest(last).min(longest_word.max(LEAST_LAST)), columns)
        && !others.is_empty()
    {
        return stacked(others, rows, width);
    }
    let line = |row: &Vec<String>| {
        let mut line = String::new();
        for (number, ((cell, align), width)) in row.iter().zip(columns).zip(&widths).enumerate() {
            let padding = " ".repeat(width - display_width(cell));
            match align {
                Align::Left if number == last => {
                    line += &filled(cell, rest.max(LEAST_LAST), indent);
                }
                Align::Left => line.extend([cell, padding.as_str(), "  "]),
                Align::Right => line.extend([padding.as_str(), cell, "  "]),
            }
        }
        line.lines().map(|line| line.trim_end().to_owned()).collect()
    };
    rows.iter().map(line).collect()
}

/// The least number of columns that a last column of words gets next to the others.
const LEAST_LAST: usize = 16;

/// Returns the first cell of each row on a line of its own, and the other cells as a table below.
fn stacked(others: &[Align], rows: &[Vec<String>], width: usize) -> Vec<Vec<String>> {
    let (first, rest): (Vec<_>, Vec<_>) = rows
        .iter()
        .map(|row| {
            row.split_first().map_or_else(Default::default, |(one, rest)| (one.clone(), rest.to_vec()))
        })
        .unzip();
    let below = table_rows(others, &rest, width.saturating_sub(4));
    let row = |(first, below): (String, Vec<String>)| {
        [first].into_iter().chain(below.into_iter().map(|line| format!("    {line}"))).collect()
    };
    first.into_iter().zip(below).map(row).collect()
}

/// A cell in lines of this width; a longer word has a line of its own.
fn filled(cell: &str, width: usize, indent: usize) -> String {
    wrap_words(cell, width).join(&format!("\n{}", " ".repeat(indent)))
}

/// Returns the text in lines of this width, and breaks no word.
fn wrap_words(text: &str, width: usize) -> Vec<String> {
    let options = textwrap::Options::new(width)
        .break_words(false)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit);
    textwrap::wrap(text, options).into_iter().map(Cow::into_owned).collect()
}
