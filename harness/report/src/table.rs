//! Tables without lines: columns with two spaces between them.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width};

/// How a column stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// The rows as lines, one a row, as wide as they are.
pub fn lines(columns: &[Align], rows: Vec<Vec<String>>) -> Vec<String> {
    let mut table = Table::new();
    table.set_content_arrangement(ContentArrangement::Disabled);
    finish(table, columns, rows)
}

/// The rows as lines no wider than this: the last column wraps.
pub fn wrapped(columns: &[Align], rows: Vec<Vec<String>>, width: usize) -> Vec<String> {
    let last = columns.len().saturating_sub(1);
    let widest = |number: usize| {
        rows.iter().filter_map(|row| row.get(number)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let others = (0..last).fold(0_usize, |sum, number| sum.saturating_add(widest(number)).saturating_add(2));
    let rest = width.saturating_sub(others).max(24);
    let mut table = Table::new();
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(others.saturating_add(rest).saturating_add(2)).unwrap_or(u16::MAX));
    let mut table = filled(table, columns, rows);
    for (number, column) in table.column_iter_mut().enumerate() {
        column.set_constraint(if number == last {
            ColumnConstraint::UpperBoundary(Width::Fixed(u16::try_from(rest).unwrap_or(u16::MAX)))
        } else {
            ColumnConstraint::ContentWidth
        });
    }
    text(&table)
}

fn finish(table: Table, columns: &[Align], rows: Vec<Vec<String>>) -> Vec<String> {
    text(&filled(table, columns, rows))
}

fn filled(mut table: Table, columns: &[Align], rows: Vec<Vec<String>>) -> Table {
    table.load_style(NOTHING);
    table.add_rows(rows);
    for (align, column) in columns.iter().zip(table.column_iter_mut()) {
        column.set_padding((0, 2));
        column.set_cell_alignment(match align {
            Align::Left => CellAlignment::Left,
            Align::Right => CellAlignment::Right,
        });
    }
    table
}

fn text(table: &Table) -> Vec<String> {
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}
