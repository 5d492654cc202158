//! Draws a [`Timeline`] as text: a line for the container and for each item, a column for each request.

use cosmos_ttl_harness::vector::Vector;

use crate::report::timeline::{Does, Life, Span, Timeline};

/// The signs, and what they mean.
const SIGNS: [(char, &str); 8] = [
    ('◆', "sets the container"),
    ('●', "writes"),
    ('✕', "deletes"),
    ('○', "looks"),
    ('·', "is refused"),
    ('?', "open"),
    ('━', "is there"),
    ('┄', "may be there"),
];

/// Returns the drawing in lines of at most this width; it ends early if the vector has more requests than fit.
pub fn lifeline(vector: &Vector, timeline: &Timeline, width: usize) -> Vec<String> {
    let names = timeline.lives.iter().map(|life| life.item.chars().count());
    let name_width = names.chain(["container".len()]).max().unwrap_or(0) + 2;
    let mut columns: Vec<DrawnStep> = Vec::new();
    let mut used = name_width;
    for (number, step) in vector.steps.iter().enumerate() {
        let before = number.checked_sub(1).and_then(|before| vector.steps.get(before));
        let is_new = before.is_none_or(|before| before.at_s != step.at_s);
        let label = if is_new { step.at_s.to_string() } else { String::new() };
        let column = DrawnStep { at_s: step.at_s, width: label.len().saturating_add(1).max(3), label };
        used += column.width;
        if width < used {
            break;
        }
        columns.push(column);
    }
    let cut = columns.len() < vector.steps.len();
    let line = |name: &str, cells: String| format!("{name:<name_width$}{cells}").trim_end().to_owned();
    let seconds: Vec<_> =
        columns.iter().map(|DrawnStep { label, width, .. }| format!("{label:<width$}")).collect();
    let settings = columns.iter().enumerate().map(|(number, column)| {
        let is_set = timeline.settings.iter().any(|setting| setting.step == number);
        cell(is_set.then_some('◆'), ' ', column.width)
    });
    let mut lines = vec![line("second", seconds.concat()), line("container", settings.collect())];
    lines.extend(timeline.lives.iter().map(|life| line(&life.item, cells(life, &columns))));
    let drawn = lines.iter().skip(1).cloned().collect::<String>();
    let signs = SIGNS.iter().filter(|(sign, _)| drawn.contains(*sign));
    lines.push(signs.map(|(sign, says)| format!("{sign} {says}")).collect::<Vec<_>>().join("   "));
    lines.extend(cut.then(|| format!("the first {} of {} requests", columns.len(), vector.steps.len())));
    lines
}

struct DrawnStep {
    at_s: u64,
    label: String,
    width: usize,
}

fn cells(life: &Life, columns: &[DrawnStep]) -> String {
    let cell_of = |(number, column): (usize, &DrawnStep)| {
        let touch = life.touches.iter().find(|touch| touch.step == number).map(|touch| sign(touch.does));
        let span = life.spans.iter().rev().find(|span| is_there(span, number, column.at_s));
        cell(touch, span.map_or(' ', |span| if span.open { '┄' } else { '━' }), column.width)
    };
    columns.iter().enumerate().map(cell_of).collect()
}

fn is_there(span: &Span, step: usize, at_s: u64) -> bool {
    span.from_step <= step
        && span.until_step.is_none_or(|until| step < until)
        && span.deadline_s.is_none_or(|deadline_s| at_s < deadline_s)
}

fn sign(does: Does) -> char {
    match does {
        Does::Writes => '●',
        Does::Deletes => '✕',
        Does::Looks => '○',
        Does::Nothing => '·',
        Does::Open => '?',
    }
}

fn cell(sign: Option<char>, fill: char, width: usize) -> String {
    let rest = width.saturating_sub(1);
    [sign.unwrap_or(fill)].into_iter().chain(std::iter::repeat_n(fill, rest)).collect()
}
