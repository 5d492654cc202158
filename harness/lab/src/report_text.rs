//! What the lab's commands share: words that pick, tables with heads, findings, and JSON.

use cosmos_ttl::shell::CommandError;
use cosmos_ttl::shell::filter::help;
use cosmos_ttl_harness::suggest;
use cosmos_ttl_report::style::{BAD, BOLD, RenderOptions, styled, wrapped};
use cosmos_ttl_report::table::{self, Align};
use serde::Serialize;

/// Returns those that one of the words takes, all without a word; `known` names what a word that takes none may mean.
pub(crate) fn pick<'n, T: Copy, N: Iterator<Item = &'n str>>(
    all: &[T],
    words: &[String],
    takes: impl Fn(&str, T) -> bool,
    [problem, accepted]: [&str; 2],
    known: impl Fn() -> N,
) -> Result<Vec<T>, CommandError> {
    if let Some(word) = words.iter().find(|word| !all.iter().any(|one| takes(word, *one))) {
        let misses = suggest::suggest(word.strip_prefix("mutant:").unwrap_or(word), known());
        let help = help(&[&suggest::question(&misses), accepted]);
        return Err(CommandError::usage(format!("`{word}` {problem}"), help));
    }
    let picked = |one: &T| words.is_empty() || words.iter().any(|word| takes(word, *one));
    Ok(all.iter().copied().filter(picked).collect())
}

/// Returns a table whose first row is its head; groups without rows are left out.
pub(crate) fn grouped<'g>(
    columns: &[Align],
    head: &[&str],
    groups: impl IntoIterator<Item = (&'g str, Vec<Vec<String>>)>,
) -> Vec<String> {
    let mut rows = vec![cells(head)];
    let mut heads = vec![0];
    for (name, group) in groups.into_iter().filter(|(_, group)| !group.is_empty()) {
        heads.push(rows.len());
        rows.push([vec![name.to_owned()], vec![String::new(); head.len() - 1]].concat());
        rows.extend(group);
    }
    let mut lines = table::lines(columns, rows);
    for head in heads {
        if let Some(line) = lines.get_mut(head) {
            *line = styled(BOLD, &*line);
        }
    }
    lines
}

/// Returns a row of these cells.
pub(crate) fn cells(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

/// Makes the head of a table bold.
pub(crate) fn headed(mut lines: Vec<String>) -> Vec<String> {
    if let Some(first) = lines.first_mut() {
        *first = styled(BOLD, &*first);
    }
    lines
}

/// Returns each sentence about what is missing as lines.
pub(crate) fn missing_lines(missing: &[String], look: RenderOptions) -> Vec<String> {
    let lines = missing.iter().map(|one| {
        let text = wrapped(one, look.width.saturating_sub(8), "        ");
        format!("{} {text}", styled(BAD, "missing"))
    });
    lines.collect()
}

/// Returns a page as JSON.
pub(crate) fn json(page: &impl Serialize) -> String {
    // Strings, numbers, lists and structs: nothing that JSON could refuse.
    serde_json::to_string_pretty(page).unwrap_or_default() + "\n"
}
