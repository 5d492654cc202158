//! What the lab's commands share: words that pick, tables in groups, and what is missing.

use cosmos_ttl::shell::filter::help;
use cosmos_ttl::shell::{CommandError, headed_table};
use cosmos_ttl_harness::suggest;
use cosmos_ttl_report::style::{BAD, BOLD, GOOD, RenderOptions, styled, wrapped};
use cosmos_ttl_report::table::Align;

/// Returns those that one of the words takes, all without a word; `known` is what a word that takes none may mean.
pub(crate) fn pick<'n, T: Copy>(
    all: &[T],
    words: &[String],
    takes: impl Fn(&str, T) -> bool,
    [problem, accepted]: [&str; 2],
    known: impl Iterator<Item = &'n str>,
) -> Result<Vec<T>, CommandError> {
    if let Some(word) = words.iter().find(|word| !all.iter().any(|one| takes(word, *one))) {
        let misses = suggest::suggest(word.strip_prefix("mutant:").unwrap_or(word), known);
        let help = help(&[&suggest::question(&misses), accepted]);
        return Err(CommandError::usage(format!("`{word}` {problem}"), help));
    }
    let picked = |one: &T| words.is_empty() || words.iter().any(|word| takes(word, *one));
    Ok(all.iter().copied().filter(picked).collect())
}

/// Returns a table in groups, whose rows begin with two spaces; groups without rows are left out.
pub(crate) fn grouped<'g>(
    columns: &[(&str, Align)],
    groups: impl Iterator<Item = (&'g str, Vec<Vec<String>>)>,
) -> Vec<String> {
    let groups = groups.filter(|(_, rows)| !rows.is_empty());
    let rows = groups.flat_map(|(name, rows)| [vec![vec![name.to_owned()]], rows].concat());
    let mut lines = headed_table(columns, rows.collect(), usize::MAX);
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
