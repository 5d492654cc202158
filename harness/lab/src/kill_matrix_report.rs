//! The kill matrix for people.

use crate::report_text::{cells, grouped, headed, missing_lines};
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_mutants::matrix::{KillMatrixRow, Matrix};
use cosmos_ttl_report::style::{BAD, BOLD, GOOD, RenderOptions, styled, wrapped};
use cosmos_ttl_report::table::{self, Align};

/// Clause by clause: who breaks it, and which vector notices with the fewest steps.
pub fn by_clause(suite: &Suite, matrix: &Matrix<'_>, missing: &[String], look: RenderOptions) -> String {
    let own = |clause| {
        // A mutant is listed under the first clause that it breaks.
        let own = matrix.rows.iter().filter(move |row| row.mutant.clauses.first() == Some(&clause));
        (clause, own.map(mutant).collect())
    };
    let head = ["mutant", "vectors", "steps", "first, and the shortest that fails it"];
    let columns = [Align::Left, Align::Right, Align::Right, Align::Left];
    let mut lines = grouped(&columns, &head, first_clauses(suite, matrix).into_iter().map(own));
    lines.push(String::new());
    lines.extend(ending(matrix, missing, look));
    lines.join("\n") + "\n"
}

/// Mutant by mutant: how many vectors of each section fail it.
pub fn whole(suite: &Suite, matrix: &Matrix<'_>, missing: &[String]) -> String {
    let with_vectors = |name: &&str| suite.vectors.iter().any(|vector| vector.section == *name);
    let sections = suite.catalogue.sections.iter().map(|section| section.name.as_str());
    let sections: Vec<&str> = sections.filter(with_vectors).collect();
    let head = ["mutant"].into_iter().chain(sections.iter().copied()).chain(["all", "steps", "shortest"]);
    let mut rows = vec![cells(&head.collect::<Vec<_>>())];
    for row in &matrix.rows {
        let counts = row.by_section();
        let mut line = vec![row.mutant.name.to_owned()];
        line.extend(sections.iter().map(|name| counts.get(name).map_or("·".into(), ToString::to_string)));
        line.extend([row.failures.len().to_string(), steps(row), shortest(row)]);
        rows.push(line);
    }
    let mut columns = vec![Align::Left];
    columns.extend(sections.iter().map(|_| Align::Right));
    columns.extend([Align::Right, Align::Right, Align::Left]);
    let mut lines = headed(table::lines(&columns, rows));
    lines.push(String::new());
    lines.extend(ending(matrix, missing, RenderOptions::default()));
    lines.join("\n") + "\n"
}

/// Only what no vector fails.
pub fn survivors(matrix: &Matrix<'_>, missing: &[String], look: RenderOptions) -> String {
    let mut lines = Vec::new();
    for row in matrix.survivors() {
        lines.push(styled(BOLD, row.mutant.name));
        lines.push(indented(row.mutant.says, look));
        lines.extend(row.mutant.equivalent.map(|why| indented(&format!("nobody can tell: {why}"), look)));
    }
    if !lines.is_empty() {
        lines.push(String::new());
    }
    lines.extend(ending(matrix, missing, look));
    lines.join("\n") + "\n"
}

/// The clauses of the suite, and those that mutants name and the suite does not know.
fn first_clauses<'s>(suite: &'s Suite, matrix: &Matrix<'_>) -> Vec<&'s str> {
    let mut clauses: Vec<&str> = suite.catalogue.clauses().map(|clause| clause.id.as_str()).collect();
    for row in &matrix.rows {
        if let Some(first) = row.mutant.clauses.first().copied().filter(|first| !clauses.contains(first)) {
            clauses.push(first);
        }
    }
    clauses
}

fn mutant(row: &KillMatrixRow<'_>) -> Vec<String> {
    let first = row.killers().next().map_or("", |vector| &vector.name);
    let both = match shortest(row) {
        name if name == first || first.is_empty() => name,
        name => format!("{first}, {name}"),
    };
    vec![format!("  {}", row.mutant.name), row.failures.len().to_string(), steps(row), both]
}

pub(crate) fn steps(row: &KillMatrixRow<'_>) -> String {
    row.shortest().map_or("–".into(), |vector| vector.steps.len().to_string())
}

pub(crate) fn shortest(row: &KillMatrixRow<'_>) -> String {
    match (row.shortest(), row.mutant.equivalent) {
        (Some(vector), _) => vector.name.clone(),
        (None, Some(_)) => "equivalent".into(),
        (None, None) => "NONE".into(),
    }
}

fn indented(text: &str, look: RenderOptions) -> String {
    format!("    {}", wrapped(text, look.width.saturating_sub(4), "    "))
}

/// What is missing, and the line that says it all.
pub fn ending(matrix: &Matrix<'_>, missing: &[String], look: RenderOptions) -> Vec<String> {
    let mut lines = missing_lines(missing, look);
    let style = if missing.is_empty() { GOOD } else { BAD };
    lines.push(styled(style, verdict(matrix)));
    lines
}

/// `97 of 97 mutants killed (of 99, 2 equivalent) · 14 of 14 controls alive · …`
fn verdict(matrix: &Matrix<'_>) -> String {
    let all = matrix.rows.len();
    let equivalent = matrix.rows.iter().filter(|row| row.mutant.equivalent.is_some()).count();
    let killable = all - equivalent;
    let of_all =
        if equivalent == 0 { String::new() } else { format!(" (of {all}, {equivalent} equivalent)") };
    let mut parts = vec![
        format!("{} of {killable} mutants killed{of_all}", matrix.killed().count()),
        format!("{} of {} controls alive", matrix.alive(), matrix.controls.len()),
    ];
    if matrix.whole {
        parts.push(match matrix.unwitnessed().len() {
            0 => "every clause has a mutant killed by a vector citing it".into(),
            count => format!("{count} clauses without a mutant killed by a vector citing them"),
        });
        parts.push(match matrix.idle().len() {
            0 => "every vector kills one".into(),
            count => format!("{count} vectors kill none"),
        });
    }
    parts.join(" · ")
}
