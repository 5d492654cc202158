//! What people read after a run: every clause, every section, what failed, and one line that adds up.

mod diagnosis;
pub(super) mod end;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::diagnostic;
use super::style::{BAD, BOLD, DIM, DOUBT, GOOD, RenderOptions, styled, wrapped};
use super::table::{self, Align};
use super::{Case, Clause, Counts, Outcome, Report, Section};
use cosmos_ttl_harness::clauses::{Binds, Observe};

/// The report as text, with styles; see [`super::style`].
pub fn text(report: &Report, look: RenderOptions) -> String {
    let parts = [
        headline(report, look),
        clauses(report),
        sections(report),
        shared(report, Outcome::NotApplicable, look),
        shared(report, Outcome::Unsupported, look),
        shared(report, Outcome::NotRun, look),
        shared(report, Outcome::Inconclusive, look),
        shared(report, Outcome::Flaky, look),
        shared(report, Outcome::KnownFailure, look),
        in_full(report, Outcome::Differ, look),
        shared(report, Outcome::Broken, look),
        in_full(report, Outcome::UnexpectedPass, look),
        in_full(report, Outcome::ChangedFailure, look),
        in_full(report, Outcome::Fail, look),
        choices(report, look),
        diagnosis::diagnosis(report, look),
        end::stale(report, look),
        end::mishaps(report, look),
        end::end(report, look),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn headline(report: &Report, look: RenderOptions) -> String {
    let target = &report.target;
    let clock = match target.clock.as_str() {
        "virtual" => "a clock that the harness moves",
        _ => "a clock that runs by itself",
    };
    let removals = match target.removals.as_slice() {
        [] => String::new(),
        removals => format!("; removal {}", removals.join(", ")),
    };
    let version = match target.version.as_str() {
        "" | "unknown" => String::new(),
        version => format!(" {version}"),
    };
    let who = format!("target   {}{version}, {clock}{removals}", target.name);
    let profile = report.vectors.profile.as_ref().map(|profile| format!(", profile {profile}"));
    let profile = profile.unwrap_or_default();
    let which = format!("vectors  {}{profile}, from {}", of_all(report), report.vectors.origin);
    let head = styled(BOLD, "Time to live in Azure Cosmos DB, clause by clause");
    let indent = " ".repeat(9);
    format!("{head}\n{}\n{}\n", wrapped(&who, look.width, &indent), wrapped(&which, look.width, &indent))
}

/// `all 227`, or `12 of 227 (lifetime)`
fn of_all(report: &Report) -> String {
    let all = report.vectors.all;
    match report.vectors.filters.as_slice() {
        [] => format!("all {all}"),
        filters => format!("{} of {all} ({})", report.counts.vectors, filters.join(", ")),
    }
}

/// Every clause, under its section.
fn clauses(report: &Report) -> String {
    use Align::{Left, Right};
    let rows = report.clauses().map(|clause| {
        vec![
            mark(clause).to_owned(),
            clause.id.clone(),
            clause.level.to_string(),
            passed(clause),
            rest(clause),
        ]
    });
    let mut lines = table::lines(&[Left, Left, Left, Right, Left], rows.collect()).into_iter();
    let mut text = String::new();
    for (number, section) in report.sections.iter().enumerate() {
        if 0 < number {
            text.push('\n');
        }
        text.push_str(&styled(BOLD, &section.name));
        text.push('\n');
        for (clause, line) in section.clauses.iter().zip(lines.by_ref()) {
            text.push_str("  ");
            text.push_str(&painted(clause, &line));
            text.push('\n');
        }
    }
    text
}

pub(super) fn mark(clause: &Clause) -> &'static str {
    let counts = &clause.counts;
    match () {
        () if 0 < counts.fail || 0 < counts.unexpected_pass || 0 < counts.changed_failure => "✗",
        () if 0 < counts.broken => "!",
        () if 0 < counts.differ => "~",
        () if 0 < counts.known_failure || 0 < counts.flaky => "k",
        () if 0 < counts.inconclusive || 0 < counts.not_run => "?",
        () if counts.judged() == 0 => "·",
        () => "✓",
    }
}

fn painted(clause: &Clause, line: &str) -> String {
    let mark = mark(clause);
    let style = match mark {
        "✓" => GOOD,
        "✗" | "!" => BAD,
        "·" => DIM,
        _ => DOUBT,
    };
    match line.strip_prefix(mark) {
        Some(rest) if mark == "·" => styled(DIM, format!("{mark}{rest}")),
        Some(rest) => styled(style, mark) + rest,
        None => line.to_owned(),
    }
}

fn passed(clause: &Clause) -> String {
    let Counts { vectors, pass, .. } = clause.counts;
    if vectors == 0 { "–".into() } else { format!("{pass}/{vectors}") }
}

/// What is not a pass, in words.
fn rest(clause: &Clause) -> String {
    if clause.observe == Observe::Model {
        return "checked by `cargo lab check`".into();
    }
    if clause.counts.vectors == 0 {
        return "no vector cites it".into();
    }
    in_words(&clause.counts, ", ", &Outcome::ALL[1..])
}

/// `1 fail, 2 unsupported`
fn in_words(counts: &Counts, between: &str, words: &[Outcome]) -> String {
    let words = words.iter().filter(|said| 0 < counts.get(**said));
    words.map(|said| format!("{} {said}", counts.get(*said))).collect::<Vec<_>>().join(between)
}

/// One row a section, and a total.
fn sections(report: &Report) -> String {
    let shown =
        |said: &Outcome| matches!(said, Outcome::Pass | Outcome::Fail) || 0 < report.counts.get(*said);
    let words: Vec<Outcome> = Outcome::ALL.into_iter().filter(shown).collect();
    let row = |name: &str, counts: &Counts| {
        let mut cells = vec![name.to_owned(), counts.vectors.to_string()];
        cells.extend(words.iter().map(|said| counts.get(*said).to_string()));
        cells
    };
    let mut head = vec!["section".to_owned(), "vectors".to_owned()];
    head.extend(words.iter().map(ToString::to_string));
    let mut columns = vec![Align::Left];
    columns.resize(head.len(), Align::Right);
    let mut rows = vec![head];
    rows.extend(report.sections.iter().map(|Section { name, counts, .. }| row(name, counts)));
    rows.push(row("total", &report.counts));
    let mut lines = table::lines(&columns, rows);
    for line in [0, lines.len().saturating_sub(1)] {
        if let Some(line) = lines.get_mut(line) {
            *line = styled(BOLD, &*line);
        }
    }
    lines.join("\n") + "\n"
}

/// The first failures in full, the rest by name.
fn in_full(report: &Report, said: Outcome, look: RenderOptions) -> String {
    let cases: Vec<_> = report.cases(said).collect();
    let shown = cases.iter().take(look.most);
    let mut parts: Vec<_> = shown
        .filter_map(|case| match &case.failure {
            Some(failure) => Some(diagnostic::failed(report, case, failure, look)),
            None => case.known.as_ref().map(|known| diagnostic::passes(case, known, look)),
        })
        .collect();
    let rest = cases.get(look.most..).unwrap_or(&[]);
    if !rest.is_empty() {
        let which = by_section(report, rest);
        let text = format!("{} more {said}: {which} (--show N shows more in full)", rest.len());
        parts.push(wrapped(&text, look.width, "  ") + "\n");
    }
    parts.join("\n")
}

/// How many of these vectors stand in each section.
fn by_section(report: &Report, cases: &[&Case]) -> String {
    let own = |section: &Section| {
        let is_own = |case: &&&Case| case.name.split('/').next() == Some(section.name.as_str());
        (section.name.clone(), cases.iter().filter(is_own).count())
    };
    let counts = report.sections.iter().map(own).filter(|(_, count)| 0 < *count);
    counts.map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
}

/// The vectors with a verdict that says nothing of their answers, or nothing new, by the reason for it, most first.
fn shared(report: &Report, said: Outcome, look: RenderOptions) -> String {
    let mut by_reason: BTreeMap<&str, Vec<&Case>> = BTreeMap::new();
    for case in report.cases(said) {
        let known = case.known.as_ref().filter(|_| matches!(said, Outcome::KnownFailure | Outcome::Flaky));
        let reason = known.map(|known| known.reason.as_str()).or(case.reason.as_deref());
        by_reason.entry(timeless(reason.unwrap_or_default())).or_default().push(case);
    }
    let mut groups: Vec<_> = by_reason.into_iter().collect();
    groups.sort_by_key(|(_, cases)| Reverse(cases.len()));
    if groups.is_empty() { String::new() } else { diagnostic::shared(said, &groups, look) }
}

/// A reason without the second at which it came about, which differs from vector to vector.
fn timeless(reason: &str) -> &str {
    match reason.strip_prefix("at second ").and_then(|rest| rest.split_once(": ")) {
        Some((second, why)) if second.chars().all(|c| c.is_ascii_digit()) => why,
        _ => reason,
    }
}

/// What the target chose where it may.
fn choices(report: &Report, look: RenderOptions) -> String {
    let lines: Vec<_> =
        report.clauses().filter_map(choice).map(|line| wrapped(&line, look.width, "    ")).collect();
    if lines.is_empty() {
        return String::new();
    }
    let head = styled(BOLD, "Where the documents leave a choice, the target was seen to choose");
    // Not wrapped: one line, to be compared with that of another run.
    let fingerprint = format!("fingerprint  {}", report.fingerprint);
    format!("{head}\n  {}\n  {fingerprint}\n", lines.join("\n  "))
}

/// `reappearance: back 12, gone 24`
fn choice(clause: &Clause) -> Option<String> {
    let seen: Vec<_> = clause.choices.iter().filter(|choice| 0 < choice.seen).collect();
    if seen.is_empty() {
        return None;
    }
    let values: Vec<_> = seen.iter().map(|choice| format!("{} {}", choice.value, choice.seen)).collect();
    let mixed = clause.binds == Some(Binds::Target) && 1 < seen.len();
    let mixed = if mixed { "; one choice should hold for all its vectors" } else { "" };
    Some(format!("{}: {}{mixed}", clause.id, values.join(", ")))
}
