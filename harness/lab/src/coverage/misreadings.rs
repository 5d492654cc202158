//! Each kind of request with each way to read the settings or the table wrongly: a mutant, and the vectors that kill it.

use std::collections::BTreeMap;

use cosmos_ttl::shell::{CommandError, Output};
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_mutants::matrix::{KillMatrixRow, Matrix};
use cosmos_ttl_mutants::mutation::{Access, Mutation, Reading};
use cosmos_ttl_mutants::{Mutant, mutants};
use cosmos_ttl_report::style::Align::{Left, Right};
use cosmos_ttl_report::style::{RenderOptions, headed_table};

use crate::report_text;

const READINGS: [(Reading, &str); 8] = [
    (Reading::OffHonoursOwn, "off honours own"),
    (Reading::MinusOneIsOff, "-1 is off"),
    (Reading::MinusOneInherits, "-1 inherits"),
    (Reading::OnlyDefault, "only default"),
    (Reading::OnlyOwn, "only own"),
    (Reading::Shorter, "shorter"),
    (Reading::FirstSettings, "first settings"),
    (Reading::PreviousSettings, "previous settings"),
];

/// Returns the table, and the mutants that no hand-written vector kills.
///
/// A count may count expired items, so the two readings by which items live longer are no mistakes of a count.
pub(super) fn misreadings(suite: &Suite, look: RenderOptions) -> Result<Output, CommandError> {
    let misreads = |mutant: &&'static Mutant| matches!(mutant.mutation, Mutation::Misreads(..));
    let mut written = suite.clone();
    written.vectors.retain(|vector| !vector.is_derived());
    let all: Vec<_> = mutants().filter(misreads).collect();
    let matrix = Matrix::of(&written, &all)?;
    let mut kills: BTreeMap<String, BTreeMap<usize, usize>> = BTreeMap::new();
    for KillMatrixRow { mutant, failures } in &matrix.rows {
        let Mutation::Misreads(access, reading) = mutant.mutation else { continue };
        let Some(column) = READINGS.iter().position(|(one, _)| *one == reading) else { continue };
        kills.entry(words(access)).or_default().insert(column, failures.len());
    }
    let rows = kills.iter().map(|(access, kills)| {
        let cell = |column| kills.get(&column).map_or("·".into(), ToString::to_string);
        [access.clone()].into_iter().chain((0..READINGS.len()).map(cell)).collect()
    });
    let columns: Vec<_> =
        [("access", Left)].into_iter().chain(READINGS.iter().map(|(_, name)| (*name, Right))).collect();
    let mut lines = headed_table(&columns, rows.collect(), look.table_width);
    let missing: Vec<_> = matrix
        .survivors()
        .map(|row| format!("no hand-written vector fails {}: {}", row.mutant.name, row.mutant.says))
        .collect();
    let killed = matrix.killed().count();
    let all = format!(
        "{killed} of {} mutants that read one thing wrongly are killed by hand-written vectors",
        all.len()
    );
    lines.push(String::new());
    lines.extend(report_text::ending(&missing, &all, look));
    Ok(Output { text: lines.join("\n") + "\n", code: u8::from(!missing.is_empty()) })
}

/// `read in batch`
fn words(access: Access) -> String {
    let mut words = String::new();
    for letter in format!("{access:?}").chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}
