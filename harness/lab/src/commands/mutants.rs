//! `cargo lab mutants`

mod json;
mod shortest;

use wildmatch::WildMatch;

use crate::args::MutantsArgs;
use crate::kill_matrix_report as text;
use cosmos_ttl::shell::filter::{filter_profile, help};
use cosmos_ttl::shell::{CommandError, Format, Output, suite};
use cosmos_ttl_explore::told::{LITTLE, told};
use cosmos_ttl_harness::suggest;
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_mutants::matrix::Matrix;
use cosmos_ttl_mutants::{self as mutants, Mutant};
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
    let told = if args.shortest { Some(told(&picked, &suite.vectors, LITTLE)?) } else { None };
    let text = match (args.format, &told) {
        (Format::Json, _) => json::json(&matrix, told.as_deref(), &missing),
        (Format::Text, Some(told)) => shortest::shortest(&matrix, told, &missing, look),
        (Format::Text, _) if args.survivors => text::survivors(&matrix, &missing, look),
        (Format::Text, _) if args.matrix => text::whole(&suite, &matrix, &missing),
        (Format::Text, _) => text::by_clause(&suite, &matrix, &missing, look),
    };
    Ok(Output { text, code: u8::from(!missing.is_empty()) })
}

/// The mutants that one of the filters takes; all without a filter.
fn pick(suite: &Suite, words: &[String]) -> Result<Vec<&'static Mutant>, CommandError> {
    let takes = |word: &str, mutant: &Mutant| {
        let glob = WildMatch::new(name_in(word));
        let in_section = |clause: &str| {
            let mut sections = suite.catalogue.sections.iter();
            sections.any(|section| {
                glob.matches(&section.name) && section.clauses.iter().any(|one| one.id == clause)
            })
        };
        let breaks = |clause: &&str| glob.matches(clause) || in_section(clause);
        glob.matches(mutant.name) || mutant.clauses.iter().any(breaks)
    };
    for word in words {
        if !mutants::mutants().any(|mutant| takes(word, mutant)) {
            return Err(nothing(suite, word));
        }
    }
    let picked = |mutant: &&Mutant| words.is_empty() || words.iter().any(|word| takes(word, mutant));
    Ok(mutants::mutants().filter(picked).collect())
}

/// A mutant may also be named as a target.
fn name_in(word: &str) -> &str {
    word.strip_prefix("mutant:").unwrap_or(word)
}

fn nothing(suite: &Suite, word: &str) -> CommandError {
    let names = mutants::mutants().map(|mutant| mutant.name);
    let sections = suite.catalogue.sections.iter().map(|section| section.name.as_str());
    let clauses = suite.catalogue.clauses().map(|clause| clause.id.as_str());
    let misses = suggest::suggest(name_in(word), names.chain(clauses).chain(sections));
    CommandError::usage(format!("`{word}` matches no mutant"), help(&[&suggest::question(&misses), ACCEPTED]))
}
