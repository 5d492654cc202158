//! `cargo lab mutants`

mod shortest;

use std::collections::BTreeMap;

use serde::Serialize;
use wildmatch::WildMatch;

use crate::args::MutantsArgs;
use crate::kill_matrix_report as text;
use crate::report_text;
use cosmos_ttl::shell::filter::filter_profile;
use cosmos_ttl::shell::{CommandError, Format, Output, suite};
use cosmos_ttl_explore::mutants::{MutantSummary, summaries};
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_mutants::matrix::{KillMatrixRow, Matrix};
use cosmos_ttl_mutants::{self as mutants, Control, Mutant};
use cosmos_ttl_report::style::RenderOptions;

/// What is accepted where a filter is.
const ACCEPTED: &str = "\
a filter is a mutant, a clause or a section; `*` stands for any characters
`cargo lab mutants` lists the mutants by the clauses that they break";

pub(super) fn mutants(args: &MutantsArgs, look: RenderOptions) -> Result<Output, CommandError> {
    let mut suite = suite(&args.vectors)?;
    let vectors = filter_profile(&suite, args.vectors.profile, suite.vectors.iter().collect())?;
    suite.vectors = vectors.into_iter().cloned().collect();
    let picked = pick(&suite, &args.filters)?;
    let matrix = Matrix::of(&suite, &picked)?;
    let missing = matrix.missing();
    let told = if args.shortest { Some(summaries(&picked, &suite.vectors)?) } else { None };
    let text = match (args.format, &told) {
        (Format::Json, _) => json(&matrix, told.as_deref(), &missing),
        (Format::Text, Some(told)) => shortest::shortest(&matrix, told, &missing, look),
        (Format::Text, _) if args.survivors => text::survivors(&matrix, &missing, look),
        (Format::Text, _) if args.matrix => text::whole(&suite, &matrix, &missing),
        (Format::Text, _) => text::by_clause(&suite, &matrix, &missing, look),
    };
    Ok(Output { text, code: u8::from(!missing.is_empty()) })
}

/// The mutants that one of the filters takes; all without a filter.
fn pick(suite: &Suite, words: &[String]) -> Result<Vec<&'static Mutant>, CommandError> {
    let takes = |word: &str, mutant: &'static Mutant| {
        // A mutant may also be named as a target.
        let glob = WildMatch::new(word.strip_prefix("mutant:").unwrap_or(word));
        let in_section = |clause: &str| {
            let mut sections = suite.catalogue.sections.iter();
            sections.any(|section| {
                glob.matches(&section.name) && section.clauses.iter().any(|one| one.id == clause)
            })
        };
        let breaks = |clause: &&str| glob.matches(clause) || in_section(clause);
        glob.matches(mutant.name) || mutant.clauses.iter().any(breaks)
    };
    let known = || {
        let sections = suite.catalogue.sections.iter().map(|section| section.name.as_str());
        let clauses = suite.catalogue.clauses().map(|clause| clause.id.as_str());
        mutants::mutants().map(|mutant| mutant.name).chain(clauses).chain(sections)
    };
    let all: Vec<_> = mutants::mutants().collect();
    report_text::pick(&all, words, takes, ["matches no mutant", ACCEPTED], known)
}

/// The kill matrix for programs.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct KillMatrixPage<'a> {
    /// The version of the form.
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
    sections: BTreeMap<&'a str, usize>,
    shortest: Option<ShortestKiller<'a>>,
    /// On which it and a right store differ; only where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    storyboard: Option<MutantSummary>,
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

fn json(matrix: &Matrix<'_>, told: Option<&[Option<MutantSummary>]>, missing: &[String]) -> String {
    let controls = matrix.controls.iter().map(|(control, killers)| ControlEntry {
        control,
        failed_by: killers.iter().map(|vector| vector.name.as_str()).collect(),
    });
    let told = |number| told.and_then(|told: &[Option<MutantSummary>]| *told.get(number)?);
    let rows = matrix.rows.iter().enumerate();
    report_text::json(&KillMatrixPage {
        format: 2,
        mutants: rows.map(|(number, row)| entry(row, told(number))).collect(),
        controls: controls.collect(),
        // Of a part of the mutants neither says anything.
        unwitnessed: if matrix.whole { matrix.unwitnessed() } else { Vec::new() },
        idle: if matrix.whole { matrix.idle() } else { Vec::new() },
        missing,
    })
}

fn entry<'a>(row: &'a KillMatrixRow<'a>, told: Option<MutantSummary>) -> MutantEntry<'a> {
    let shortest = row.shortest();
    MutantEntry {
        mutant: row.mutant,
        killed_by: row.failures.len(),
        sections: row.by_section(),
        shortest: shortest.map(|vector| ShortestKiller { vector: &vector.name, steps: vector.steps.len() }),
        storyboard: told,
        vectors: row.killers().map(|vector| vector.name.as_str()).collect(),
    }
}
