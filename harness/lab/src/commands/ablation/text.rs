//! Witnesses for people.

use crate::ablation::{Laws, Witnesses};
use cosmos_ttl_harness::vector::{Suite, Vector};
use cosmos_ttl_report::style::{BAD, BOLD, DIM, GOOD, RenderOptions, styled, wrapped};
use cosmos_ttl_report::table::{self, Align};

/// Clause by clause, a few sentences each.
pub(super) fn at_length(found: &[Witnesses<'_>], look: RenderOptions) -> String {
    let parts = found.iter().map(|one| entry(one, look)).chain([ending(found, look)]);
    parts.collect::<Vec<_>>().join("\n")
}

/// One line a clause.
pub(super) fn table(suite: &Suite, found: &[Witnesses<'_>], look: RenderOptions) -> String {
    let mut rows =
        vec![cells(&["without", "citing", "others", "derived", "laws", "the shortest that cites it"])];
    let mut heads = vec![0];
    for section in &suite.catalogue.sections {
        let own = |one: &&Witnesses<'_>| section.clauses.iter().any(|clause| clause.id == one.clause.id);
        let mut own = found.iter().filter(own).peekable();
        if own.peek().is_some() {
            heads.push(rows.len());
            rows.push(cells(&[&section.name, "", "", "", "", ""]));
        }
        rows.extend(own.map(row));
    }
    let columns = [Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Left];
    let mut lines = table::lines(&columns, rows);
    for head in heads {
        if let Some(line) = lines.get_mut(head) {
            *line = styled(BOLD, &*line);
        }
    }
    format!("{}\n\n{}", lines.join("\n"), ending(found, look))
}

fn row(one: &Witnesses<'_>) -> Vec<String> {
    let laws = one.own_laws.len().saturating_add(one.other_laws.len());
    let shortest = match (one.shortest(), one.is_enough()) {
        (Some(vector), _) => with_steps(vector),
        (None, true) => "– (a law states it)".into(),
        (None, false) => "NONE".into(),
    };
    let counts = [one.citing.len(), one.others.len(), one.derived.len(), laws].map(|count| count.to_string());
    [format!("  {}", one.clause.id)].into_iter().chain(counts).chain([shortest]).collect()
}

fn entry(one: &Witnesses<'_>, look: RenderOptions) -> String {
    let line = |text: String| wrapped(&format!("  {text}"), look.width, "    ");
    let mut lines = vec![styled(BOLD, &one.clause.id), line(one.clause.says.clone())];
    if let Some(instead) = &one.instead {
        lines.push(line(format!("without it: {instead}")));
    }
    lines.push(line(format!("vectors that cite it and fail: {}", some(&one.citing, one.shortest()))));
    lines.push(line(format!("others that fail: {}", some(&one.others, None))));
    lines.push(line(format!("derived vectors that fail: {}", one.derived.len())));
    lines.push(line(format!("laws that state it and break: {}", one.own_laws.len())));
    lines.extend(one.own_laws.keys().map(|law| line(format!("  {law}"))));
    lines.push(line(format!("other laws that break: {}", first_laws(&one.other_laws))));
    lines.join("\n") + "\n"
}

/// How many there are, the shortest, and some names.
fn some(vectors: &[&Vector], shortest: Option<&Vector>) -> String {
    const MOST: usize = 5;
    if vectors.is_empty() {
        return "none".into();
    }
    let shortest =
        shortest.map_or_else(String::new, |vector| format!(", the shortest {}", with_steps(vector)));
    let names: Vec<_> = vectors.iter().take(MOST).map(|vector| vector.name.as_str()).collect();
    let more = vectors.len().saturating_sub(names.len());
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{shortest}: {}{more}", vectors.len(), names.join(", "))
}

fn first_laws(laws: &Laws) -> String {
    match laws.keys().next() {
        None => "none".into(),
        Some(first) => format!("{}, as: {first}", laws.len()),
    }
}

fn with_steps(vector: &Vector) -> String {
    format!("{} ({} requests)", vector.name, vector.steps.len())
}

/// What is missing, and the line that says it all.
fn ending(found: &[Witnesses<'_>], look: RenderOptions) -> String {
    let mut lines: Vec<String> = Vec::new();
    for missing in found.iter().filter_map(Witnesses::missing) {
        let missing = wrapped(&missing, look.width.saturating_sub(8), "        ");
        lines.push(format!("{} {missing}", styled(BAD, "missing")));
    }
    let have = found.iter().filter(|one| one.is_enough()).count();
    let all = found.len();
    let style = if have == all { GOOD } else { BAD };
    lines.push(styled(style, format!("{have} of {all} clauses have a witness")));
    if have == all && 1 < all {
        let why = "a vector that cites them and fails without them, or a law where no client can see them";
        lines.push(styled(DIM, wrapped(why, look.width, "")));
    }
    lines.join("\n") + "\n"
}

fn cells(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}
