//! A short script of each mutant beside the shortest vector that fails it, for people.

use std::collections::BTreeMap;

use cosmos_ttl_explore::mutants::MutantSummary;
use cosmos_ttl_mutants::matrix::{KillMatrixRow, Matrix};
use cosmos_ttl_report::style::{BOLD, RenderOptions, styled};
use cosmos_ttl_report::table::{self, Align};

const LEGEND: &str = "\
requests  of a script on which it and a right store differ, the container's creation among them; shrunk, until no single
          simplification keeps a difference
       o  the two differ in what is open: no vector may fail it for that
   steps  of the shortest vector that fails it";

/// Mutant by mutant, then how many of each length.
pub(super) fn shortest(
    matrix: &Matrix<'_>,
    told: &[Option<MutantSummary>],
    missing: &[String],
    look: RenderOptions,
) -> String {
    let mut rows = vec![["mutant", "requests", "steps", "shortest vector"].map(str::to_owned).into()];
    rows.extend(matrix.rows.iter().zip(told).map(|(row, told)| line(row, *told)));
    let columns = [Align::Left, Align::Right, Align::Right, Align::Left];
    let mut lines = headed(table::lines(&columns, rows));
    lines.extend([String::new(), LEGEND.into(), String::new()]);
    lines.extend(lengths(matrix, told));
    lines.extend([String::new(), as_short(matrix, told)]);
    lines.extend(crate::kill_matrix_report::ending(matrix, missing, look));
    lines.join("\n") + "\n"
}

fn line(row: &KillMatrixRow<'_>, told: Option<MutantSummary>) -> Vec<String> {
    let requests = told.map_or("–".into(), |told| {
        let mark = if told.wrong { "  " } else { " o" };
        format!("{}{mark}", told.requests)
    });
    vec![
        row.mutant.name.into(),
        requests,
        crate::kill_matrix_report::steps(row),
        crate::kill_matrix_report::shortest(row),
    ]
}

/// How many scripts and vectors there are of each length.
fn lengths(matrix: &Matrix<'_>, told: &[Option<MutantSummary>]) -> Vec<String> {
    let mut counts: BTreeMap<usize, [usize; 2]> = BTreeMap::new();
    let mut count = |length: usize, column: usize| {
        if let Some(one) = counts.entry(length).or_default().get_mut(column) {
            *one += 1;
        }
    };
    for told in told.iter().flatten().filter(|told| told.wrong) {
        count(told.requests, 0);
    }
    for vector in matrix.rows.iter().filter_map(KillMatrixRow::shortest) {
        count(vector.steps.len(), 1);
    }
    let mut rows = vec![["length", "scripts", "vectors"].map(str::to_owned).into()];
    for (length, counts) in counts {
        let counts = counts.map(|count| if count == 0 { "·".into() } else { count.to_string() });
        rows.push([vec![length.to_string()], counts.into()].concat());
    }
    headed(table::lines(&[Align::Right; 3], rows))
}

fn headed(mut lines: Vec<String>) -> Vec<String> {
    if let Some(first) = lines.first_mut() {
        *first = styled(BOLD, &*first);
    }
    lines
}

/// `9 of 280 mutants are failed by a vector as short as their script, 157 by one of at most 3 steps more · …`
fn as_short(matrix: &Matrix<'_>, told: &[Option<MutantSummary>]) -> String {
    const LITTLE_MORE: usize = 3;
    let killed: Vec<_> =
        matrix.rows.iter().zip(told).filter_map(|(row, told)| Some((row.shortest()?, (*told)?))).collect();
    let wrong = killed.iter().filter(|(_, told)| told.wrong);
    let more: Vec<usize> =
        wrong.map(|(vector, told)| vector.steps.len().saturating_sub(told.requests)).collect();
    let within = |most: usize| more.iter().filter(|more| **more <= most).count();
    format!(
        "{} of {} mutants are failed by a vector as short as their script, {} by one of at most {LITTLE_MORE} \
         steps more · {} more differ first in what is open",
        within(0),
        more.len(),
        within(LITTLE_MORE),
        killed.len().saturating_sub(more.len()),
    )
}
