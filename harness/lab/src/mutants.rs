//! `cargo lab mutants`: the kill matrix, for people and for programs.

use serde::Serialize;
use wildmatch::WildMatch;

use crate::args::MutantsArgs;
use crate::controls::judge_controls;
use crate::report_text::{self, grouped, takes_none};
use cosmos_ttl::report::style::Align::{Left, Right};
use cosmos_ttl::report::style::RenderOptions;
use cosmos_ttl::shell::filter::{self, filter_profile};
use cosmos_ttl::shell::{CommandError, Format, Output, json, suite};
use cosmos_ttl_harness::vector::{Suite, Vector};
use cosmos_ttl_mutants::matrix::{KillMatrixRow, Matrix};
use cosmos_ttl_mutants::{self as mutants, Control, Mutant};

const ACCEPTED: &str = "\
a filter is a mutant, a clause or a section; `*` stands for any characters
`cargo lab mutants` lists the mutants by the clauses that they break";

pub(crate) fn mutants(args: &MutantsArgs, look: RenderOptions) -> Result<Output, CommandError> {
    let mut suite = suite(&args.vectors)?;
    let vectors = filter_profile(&suite, args.vectors.profile, suite.vectors.iter().collect())?;
    suite.vectors = vectors.into_iter().cloned().collect();
    if args.controls {
        return judge_controls(&suite, args.steps, args.format, look);
    }
    let picked = pick(&suite, &args.filters)?;
    let matrix = Matrix::of(&suite, &picked)?;
    let missing = matrix.missing();
    let text = match args.format {
        Format::Json => json(&KillMatrixPage::of(&matrix, &missing)),
        Format::Text => by_clause(&matrix, &missing, look),
    };
    Ok(Output { text, code: u8::from(!missing.is_empty()) })
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

#[derive(Serialize)]
struct KillMatrixPage<'a> {
    format: u32,
    mutants: Vec<MutantEntry<'a>>,
    controls: Vec<ControlEntry<'a>>,
    unwitnessed: Vec<&'a str>,
    idle: Vec<&'a str>,
    missing: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct MutantEntry<'a> {
    #[serde(flatten)]
    mutant: &'a Mutant,
    killed_by: usize,
    shortest: Option<ShortestKiller<'a>>,
    vectors: Vec<&'a str>,
}

#[derive(Serialize)]
struct ShortestKiller<'a> {
    vector: &'a str,
    steps: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct ControlEntry<'a> {
    #[serde(flatten)]
    control: &'a Control,
    failed_by: Vec<&'a str>,
}

impl<'a> KillMatrixPage<'a> {
    fn of(matrix: &'a Matrix<'_>, missing: &'a [String]) -> Self {
        let name = |vector: &'a Vector| vector.name.as_str();
        let mutants = matrix.rows.iter().map(|row| MutantEntry {
            mutant: row.mutant,
            killed_by: row.failures.len(),
            shortest: row.shortest().map(|one| ShortestKiller { vector: &one.name, steps: one.steps.len() }),
            vectors: row.killers().map(name).collect(),
        });
        let controls = matrix.controls.iter().map(|(control, killers)| ControlEntry {
            control,
            failed_by: killers.iter().copied().map(name).collect(),
        });
        // Of a part of the mutants neither says anything.
        let (unwitnessed, idle) =
            if matrix.whole { (matrix.unwitnessed(), matrix.idle()) } else { Default::default() };
        let (mutants, controls) = (mutants.collect(), controls.collect());
        Self { format: 3, mutants, controls, unwitnessed, idle, missing }
    }
}

/// Clause by clause: who breaks it, and which vector notices with the fewest steps.
fn by_clause(matrix: &Matrix<'_>, missing: &[String], look: RenderOptions) -> String {
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
        (clause, own.map(cells_by_clause).collect())
    });
    let columns = [
        ("mutant", Left),
        ("vectors", Right),
        ("steps", Right),
        ("first, and the shortest that fails it", Left),
    ];
    page(grouped(&columns, groups, look), matrix, missing, look)
}

fn cells_by_clause(row: &KillMatrixRow<'_>) -> Vec<String> {
    let first = row.killers().next().map_or("", |vector| &vector.name);
    let both = match shortest(row) {
        name if name == first || first.is_empty() => name,
        name => format!("{first}, {name}"),
    };
    vec![format!("  {}", row.mutant.name), row.failures.len().to_string(), steps(row), both]
}

fn steps(row: &KillMatrixRow<'_>) -> String {
    row.shortest().map_or("–".into(), |vector| vector.steps.len().to_string())
}

fn shortest(row: &KillMatrixRow<'_>) -> String {
    row.shortest().map_or("NONE".into(), |vector| vector.name.clone())
}

fn page(mut lines: Vec<String>, matrix: &Matrix<'_>, missing: &[String], look: RenderOptions) -> String {
    lines.push(String::new());
    lines.extend(ending(matrix, missing, look));
    lines.join("\n") + "\n"
}

/// Returns what is missing, and the line that says it all:
/// `97 of 97 mutants killed · 14 of 14 controls alive · …`
fn ending(matrix: &Matrix<'_>, missing: &[String], look: RenderOptions) -> Vec<String> {
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
    report_text::ending(missing, &parts.join(" · "), look)
}
