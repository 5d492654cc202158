//! Helpers of the lab's commands: filters, tables in groups, and missing results.

use cosmos_ttl::report::style::{Align, BAD, BOLD, GOOD, RenderOptions, headed_table, styled, wrapped};
use cosmos_ttl::shell::CommandError;
use cosmos_ttl::shell::filter::help;
use cosmos_ttl_harness::suggest;

/// Returns the error of a word that takes nothing; `known` is what it may mean.
pub(crate) fn takes_none<'n>(
    word: &str,
    [problem, accepted]: [&str; 2],
    known: impl Iterator<Item = &'n str>,
) -> CommandError {
    let misses = suggest::suggest(word.strip_prefix("mutant:").unwrap_or(word), known);
    CommandError::usage(format!("`{word}` {problem}"), help(&[&suggest::question(&misses), accepted]))
}

/// Returns a table in groups, whose rows begin with two spaces; groups without rows are left out.
pub(crate) fn grouped<'g>(
    columns: &[(&str, Align)],
    groups: impl Iterator<Item = (&'g str, Vec<Vec<String>>)>,
    look: RenderOptions,
) -> Vec<String> {
    let groups = groups.filter(|(_, rows)| !rows.is_empty());
    let rows = groups.flat_map(|(name, rows)| [vec![vec![name.to_owned()]], rows].concat());
    let mut lines = headed_table(columns, rows.collect(), look.table_width);
    for name in lines.iter_mut().skip(1).filter(|line| !line.starts_with(' ')) {
        *name = styled(BOLD, &*name);
    }
    lines
}

/// Returns what is missing, and the line that says it all.
pub(crate) fn ending(missing: &[String], all: &str, look: RenderOptions) -> Vec<String> {
    let missing_line = |one: &String| {
        let text = wrapped(one, look.width.saturating_sub(8), "        ");
        format!("{} {text}", styled(BAD, "missing"))
    };
    let style = if missing.is_empty() { GOOD } else { BAD };
    missing.iter().map(missing_line).chain([styled(style, all)]).collect()
}
