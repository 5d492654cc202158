//! `cargo lab mutants`: which vectors fail which mutant, and that they fail no correct store.

use wildmatch::WildMatch;

use crate::args::MutantsArgs;
use crate::report_text::{ending, grouped, takes_none};
use cosmos_ttl::report::style::Align::{Left, Right};
use cosmos_ttl::report::style::RenderOptions;
use cosmos_ttl::shell::filter::{self, filter_profile};
use cosmos_ttl::shell::{CommandError, Output, suite};
use cosmos_ttl_harness::vector::{Suite, Vector};
use cosmos_ttl_mutants::matrix::{KillMatrixRow, Matrix};
use cosmos_ttl_mutants::{self as mutants, Mutant};

const ACCEPTED: &str = "\
a filter is a mutant, a clause or a section; `*` stands for any characters
`cargo lab mutants` lists the mutants by the clauses that they break";

pub(crate) fn mutants(args: &MutantsArgs, look: RenderOptions) -> Result<Output, CommandError> {
    let mut suite = suite(&args.vectors)?;
    let vectors = filter_profile(&suite, &args.vectors, suite.vectors.iter().collect())?;
    suite.vectors = vectors.into_iter().cloned().collect();
    let matrix = Matrix::of(&suite, &pick(&suite, &args.filters)?)?;
    let missing = matrix.missing();
    let mut lines = by_clause(&matrix, look);
    lines.push(String::new());
    lines.extend(ending(&missing, &summary(&matrix), look));
    Ok(Output { text: lines.join("\n") + "\n", code: u8::from(!missing.is_empty()) })
}

fn pick(suite: &Suite, words: &[String]) -> Result<Vec<&'static Mutant>, CommandError> {
    let sections = || suite.catalogue.sections.iter();
    let takes = |word: &str, mutant: &'static Mutant| {
        // A mutant may also be named as a target.
        let glob = WildMatch::new(word.strip_prefix("mutant:").unwrap_or(word));
        let in_section = |clause: &str| {
            sections().any(|section| {
                glob.matches(&section.name) && section.clauses.iter().any(|one| one.id == clause)
            })
        };
        let breaks = |clause: &&str| glob.matches(clause) || in_section(clause);
        glob.matches(mutant.name) || mutant.clauses.iter().any(breaks)
    };
    let clauses = suite.catalogue.clauses().map(|clause| clause.id.as_str());
    let names = mutants::mutants().map(|mutant| mutant.name).chain(clauses);
    let known = names.chain(sections().map(|section| section.name.as_str()));
    let all: Vec<_> = mutants::mutants().collect();
    filter::pick(&all, words, takes, |word| takes_none(word, ["matches no mutant", ACCEPTED], known))
}

/// Clause by clause: who breaks it, and which vector notices with the fewest steps.
fn by_clause(matrix: &Matrix<'_>, look: RenderOptions) -> Vec<String> {
    let first = |row: &KillMatrixRow<'_>| row.mutant.clauses.first().copied();
    let known = matrix.suite.catalogue.clauses().map(|clause| clause.id.as_str());
    let mut clauses: Vec<&str> = Vec::new();
    for clause in known.chain(matrix.rows.iter().filter_map(first)) {
        if !clauses.contains(&clause) {
            clauses.push(clause);
        }
    }
    // A mutant is listed under the first clause that it breaks.
    let groups = clauses.into_iter().map(|clause| {
        let own = matrix.rows.iter().filter(|row| first(row) == Some(clause));
        (clause, own.map(cells).collect())
    });
    let columns = [
        ("mutant", Left),
        ("vectors", Right),
        ("steps", Right),
        ("first, and the shortest that fails it", Left),
    ];
    grouped(&columns, groups, look)
}

fn cells(row: &KillMatrixRow<'_>) -> Vec<String> {
    let name = |vector: &Vector| vector.name.clone();
    let killers: Vec<_> = [row.killers().next(), row.shortest()].into_iter().flatten().map(name).collect();
    let (steps, killers) = match (row.shortest(), killers.as_slice()) {
        (Some(shortest), [first, other]) if first == other => {
            (shortest.steps.len().to_string(), first.clone())
        }
        (Some(shortest), both) => (shortest.steps.len().to_string(), both.join(", ")),
        (None, _) => ("–".into(), "NONE".into()),
    };
    vec![format!("  {}", row.mutant.name), row.failures.len().to_string(), steps, killers]
}

/// `97 of 97 mutants killed · 14 of 14 controls alive · …`
fn summary(matrix: &Matrix<'_>) -> String {
    let mut parts = vec![
        format!("{} of {} mutants killed", matrix.killed().count(), matrix.rows.len()),
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
