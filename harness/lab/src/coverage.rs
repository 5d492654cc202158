//! `cargo lab coverage`: which vectors are in which cell of the dimensions clause, path, container, item and edition.
//!
//! The states are those of the model while it replays a vector; nothing is declared. A cell without a vector is an error
//! unless `coverage.yaml` gives a reason, and a reason for a cell with a vector is an error too.

mod cells;
mod misreadings;
mod reasons;
mod states;
mod watch;

use cosmos_ttl::shell::{CommandError, Output};
use cosmos_ttl_harness::vector::{Suite, embedded_with_derived};
use cosmos_ttl_report::style::Align::{Left, Right};
use cosmos_ttl_report::style::{RenderOptions, headed_table, wrapped};

use self::cells::{Cells, DimensionValue};
use self::reasons::Reason;
use crate::args::{CoverageArgs, Dimension};
use crate::report_text;

/// The content of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CellContent {
    /// Vectors that people wrote, and perhaps derived ones.
    Written(usize),
    /// Derived vectors only.
    Derived(usize),
    /// None, for a reason.
    Explained,
    /// None.
    Nothing,
}

/// The cells of two dimensions.
struct DimensionPair {
    rows: Dimension,
    columns: Dimension,
    contents: Vec<(DimensionValue, DimensionValue, CellContent)>,
}

impl DimensionPair {
    fn of(cells: &Cells, reasons: &[Reason], [rows, columns]: [Dimension; 2]) -> Self {
        let content = |one: &DimensionValue, other: &DimensionValue| {
            let count = cells.count(one.clone(), other.clone());
            let is_explained = || reasons.iter().any(|reason| reason.is_about(one, other));
            match (count.written, count.derived) {
                (0, 0) if is_explained() => CellContent::Explained,
                (0, 0) => CellContent::Nothing,
                (0, derived) => CellContent::Derived(derived),
                (written, _) => CellContent::Written(written),
            }
        };
        let mut contents = Vec::new();
        for row in cells.values(rows) {
            for column in cells.values(columns) {
                let (one, other) = ((rows, row.clone()), (columns, column.clone()));
                let content = content(&one, &other);
                contents.push((one, other, content));
            }
        }
        Self { rows, columns, contents }
    }

    /// Returns the empty cells of each row without a reason, as `missing` lines.
    fn missing(&self, cells: &Cells) -> Vec<String> {
        let in_row = |row: &String| {
            let empty = self
                .contents
                .iter()
                .filter(|(one, _, content)| one.1 == *row && *content == CellContent::Nothing);
            let columns: Vec<_> = empty.map(|(_, other, _)| format!("`{}`", other.1)).collect();
            let line =
                format!("no vector in {} `{row}` with {} {}", self.rows, self.columns, columns.join(", "));
            (!columns.is_empty()).then_some(line)
        };
        cells.values(self.rows).iter().filter_map(in_row).collect()
    }

    fn count(&self, is_counted: impl Fn(CellContent) -> bool) -> String {
        self.contents.iter().filter(|(_, _, content)| is_counted(*content)).count().to_string()
    }
}

pub(crate) fn coverage(args: &CoverageArgs, look: RenderOptions) -> Result<Output, CommandError> {
    let suite = match &args.directory {
        Some(directory) => Suite::load(directory)?.with_derived(),
        None => embedded_with_derived()?,
    };
    if args.misreadings {
        return misreadings::misreadings(&suite, look);
    }
    let cells = Cells::of(&suite)?;
    let reasons = match &args.reasons {
        Some(path) => reasons::load(path, &cells)?,
        None => reasons::built_in(&cells)?,
    };
    if let [rows, columns] = args.pairs[..] {
        let pair = DimensionPair::of(&cells, &reasons, [rows, columns]);
        let missing = pair.missing(&cells);
        let mut lines = table(&pair, &cells);
        lines.extend(report_text::ending(&missing, &counted([&pair]), look));
        return Ok(Output { text: lines.join("\n") + "\n", code: u8::from(!missing.is_empty()) });
    }
    let pairs: Vec<_> =
        Dimension::pairs().into_iter().map(|pair| DimensionPair::of(&cells, &reasons, pair)).collect();
    let mut missing: Vec<_> = pairs.iter().flat_map(|pair| pair.missing(&cells)).collect();
    missing.extend(wrong_reasons(&cells, &reasons));
    let mut lines = summary(&pairs, look);
    lines.extend(report_text::ending(&missing, &counted(&pairs), look));
    Ok(Output { text: lines.join("\n") + "\n", code: u8::from(!missing.is_empty()) })
}

/// Returns a line for each reason that is about a cell with a hand-written vector, and for each value that no dimension has.
fn wrong_reasons(cells: &Cells, reasons: &[Reason]) -> Vec<String> {
    let mut wrong: Vec<_> = cells
        .unknown()
        .into_iter()
        .map(|(dimension, value)| format!("vectors reach {dimension} `{value}`, which is not in the table"))
        .collect();
    wrong.extend(cells.written().filter_map(|(one, other)| {
        let reason = reasons.iter().find(|reason| reason.is_about(one, other))?;
        Some(format!(
            "a vector is in {} `{}` with {} `{}`, so this is not a reason: {}",
            one.0, one.1, other.0, other.1, reason.why
        ))
    }));
    wrong
}

/// `4300 cells: 2500 by hand, 120 by derived vectors only, 1680 with a reason, 0 empty`
fn counted<'p>(pairs: impl IntoIterator<Item = &'p DimensionPair>) -> String {
    let mut counts = [0_usize; 4];
    for (.., content) in pairs.into_iter().flat_map(|pair| &pair.contents) {
        let number = match content {
            CellContent::Written(_) => 0,
            CellContent::Derived(_) => 1,
            CellContent::Explained => 2,
            CellContent::Nothing => 3,
        };
        counts.get_mut(number).into_iter().for_each(|count| *count += 1);
    }
    let [written, derived, explained, empty] = counts;
    format!(
        "{} cells: {written} by hand, {derived} by derived vectors only, {explained} with a reason, {empty} empty",
        counts.iter().sum::<usize>()
    )
}

fn summary(pairs: &[DimensionPair], look: RenderOptions) -> Vec<String> {
    let rows = pairs.iter().map(|pair| {
        vec![
            format!("{} and {}", pair.rows, pair.columns),
            pair.contents.len().to_string(),
            pair.count(|content| matches!(content, CellContent::Written(_))),
            pair.count(|content| matches!(content, CellContent::Derived(_))),
            pair.count(|content| content == CellContent::Explained),
            pair.count(|content| content == CellContent::Nothing),
        ]
    });
    let columns = [
        ("dimensions", Left),
        ("cells", Right),
        ("by hand", Right),
        ("derived only", Right),
        ("with a reason", Right),
        ("empty", Right),
    ];
    headed_table(&columns, rows.collect(), look.table_width)
}

/// Returns one row for each value of the first dimension; the columns have numbers, which are explained at the end.
fn table(pair: &DimensionPair, cells: &Cells) -> Vec<String> {
    let cell = |content: CellContent| match content {
        CellContent::Written(count) => count.to_string(),
        CellContent::Derived(count) => format!("+{count}"),
        CellContent::Explained => "·".into(),
        CellContent::Nothing => "–".into(),
    };
    let columns = cells.values(pair.columns);
    let rows = pair.contents.chunks(columns.len().max(1)).map(|row| {
        let name = row.first().map(|(one, ..)| one.1.clone());
        name.into_iter().chain(row.iter().map(|(.., content)| cell(*content))).collect()
    });
    let numbers: Vec<_> = (1..=columns.len()).map(|number| number.to_string()).collect();
    let name = pair.rows.to_string();
    let heads: Vec<_> = [(name.as_str(), Left)]
        .into_iter()
        .chain(numbers.iter().map(|number| (number.as_str(), Right)))
        .collect();
    let mut lines = headed_table(&heads, rows.collect(), None);
    let legend = columns.iter().enumerate().map(|(number, value)| format!("{} {value}", number + 1));
    let legend = format!("{}: {}", pair.columns, legend.collect::<Vec<_>>().join("; "));
    lines.extend([String::new(), wrapped(&legend, 120, "  ")]);
    lines
}
