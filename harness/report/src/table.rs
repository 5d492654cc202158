//! Tables without lines: columns with two spaces between them.

use std::mem;

use textwrap::core::display_width;

/// The alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Returns the rows as lines, one a row, as wide as they are.
pub fn lines(columns: &[Align], rows: Vec<Vec<String>>) -> Vec<String> {
    wrapped(columns, rows, usize::MAX)
}

/// Returns the rows as lines no wider than this: the last column wraps.
#[expect(clippy::needless_pass_by_value, reason = "callers make the rows for this call")]
pub fn wrapped(columns: &[Align], rows: Vec<Vec<String>>, width: usize) -> Vec<String> {
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
