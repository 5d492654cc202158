//! What people read after a run: every clause, every section, what failed, and one line that adds up.

use std::collections::BTreeMap;

use super::diagnostic::{self, vectors};
use super::style::{BAD, BOLD, DIM, DOUBT, GOOD, Look, styled, wrapped};
use super::table::{self, Align};
use super::{Case, Clause, Counts, Report, Said, Section};
use crate::clauses::{Binds, Observe};

/// The report as text, with styles; see [`super::style`].
pub fn text(report: &Report, look: Look) -> String {
    let parts = [
        headline(report, look),
        clauses(report),
        sections(report),
        differences(report, look),
        failures(report, look),
        others(report, look),
        choices(report, look),
        end(report, look),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn headline(report: &Report, look: Look) -> String {
    let target = &report.target;
    let clock = match target.clock.as_str() {
        "virtual" => "a clock that the harness moves",
        _ => "a clock that runs by itself",
    };
    let removals = match target.removals.as_slice() {
        [] => String::new(),
        removals => format!("; removal {}", removals.join(", ")),
    };
    let who = format!("target   {} {}, {clock}{removals}", target.name, target.version);
    let which = format!("vectors  {}, from {}", of_all(report), report.vectors.origin);
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

fn mark(clause: &Clause) -> &'static str {
    let counts = &clause.counts;
    match () {
        () if 0 < counts.fail => "✗",
        () if 0 < counts.broken => "!",
        () if 0 < counts.differ => "~",
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
        return "checked by `cosmos-ttl check`".into();
    }
    if clause.counts.vectors == 0 {
        return "no vector cites it".into();
    }
    in_words(&clause.counts, ", ", &Said::ALL[1..])
}

/// `1 fail, 2 unsupported`
fn in_words(counts: &Counts, between: &str, words: &[Said]) -> String {
    let words = words.iter().filter(|said| 0 < counts.get(**said));
    words.map(|said| format!("{} {said}", counts.get(*said))).collect::<Vec<_>>().join(between)
}

/// One row a section, and a total.
fn sections(report: &Report) -> String {
    let shown = |said: &Said| matches!(said, Said::Pass | Said::Fail) || 0 < report.counts.get(*said);
    let words: Vec<Said> = Said::ALL.into_iter().filter(shown).collect();
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

fn differences(report: &Report, look: Look) -> String {
    in_full(report, Said::Differ, look)
}

fn failures(report: &Report, look: Look) -> String {
    in_full(report, Said::Fail, look)
}

/// The first failures in full, the rest by name.
fn in_full(report: &Report, said: Said, look: Look) -> String {
    let cases: Vec<_> = report.cases(said).collect();
    let shown = cases.iter().take(look.most);
    let mut parts: Vec<_> = shown
        .filter_map(|case| {
            case.failure.as_ref().map(|failure| diagnostic::failed(report, case, failure, look))
        })
        .collect();
    let rest = cases.get(look.most..).unwrap_or(&[]);
    if !rest.is_empty() {
        let names: Vec<_> = rest.iter().map(|case| case.name.as_str()).collect();
        let text = format!("{} more {said}: {} (--show N shows more in full)", rest.len(), names.join(", "));
        parts.push(wrapped(&text, look.width, "  ") + "\n");
    }
    parts.join("\n")
}

/// What neither passed nor failed, by its reason.
fn others(report: &Report, look: Look) -> String {
    let said = [Said::NotApplicable, Said::Unsupported, Said::NotRun, Said::Inconclusive, Said::Broken];
    let parts = said.into_iter().flat_map(|said| {
        let mut by_reason: BTreeMap<&str, Vec<&Case>> = BTreeMap::new();
        for case in report.cases(said) {
            by_reason.entry(case.reason.as_deref().unwrap_or_default()).or_default().push(case);
        }
        let count = by_reason.len();
        let mut parts: Vec<_> = by_reason
            .into_iter()
            .take(look.most)
            .map(|(reason, cases)| diagnostic::shared(said, reason, &cases, look))
            .collect();
        if look.most < count {
            let more = count.saturating_sub(look.most);
            parts.push(format!("{said}: {more} more reasons (--show N shows more)\n"));
        }
        parts
    });
    parts.collect::<Vec<_>>().join("\n")
}

/// What the target chose where it may.
fn choices(report: &Report, look: Look) -> String {
    let lines: Vec<_> =
        report.clauses().filter_map(choice).map(|line| wrapped(&line, look.width, "    ")).collect();
    if lines.is_empty() {
        return String::new();
    }
    let head = styled(BOLD, "Where the documents leave a choice, the target was seen to choose");
    format!("{head}\n  {}\n", lines.join("\n  "))
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

/// The line that adds up, and the conclusion.
fn end(report: &Report, look: Look) -> String {
    let counts = &report.counts;
    let selected = if counts.vectors < report.vectors.all {
        format!(" (of {})", report.vectors.all)
    } else {
        String::new()
    };
    let sum = match in_words(counts, " + ", &Said::ALL) {
        words if words.is_empty() => "nothing".into(),
        words => words,
    };
    let (conclusion, next) = conclusion(report);
    let word = report.conclusion.as_str();
    let style = match word {
        "conformant" => GOOD,
        "undecided" => DOUBT,
        _ => BAD,
    };
    let said = wrapped(&format!("{word}: {conclusion}"), look.width, "  ");
    let said = said.strip_prefix(word).map_or(said.clone(), |rest| styled(style, word) + rest);
    format!(
        "{}{selected} = {sum}\n{said}\n{}\n",
        vectors(counts.vectors),
        wrapped(&format!("next: {next}"), look.width, "  ")
    )
}

/// What the run says, and what to do next.
fn conclusion(report: &Report) -> (String, String) {
    let counts = &report.counts;
    let first = |said: Said| report.cases(said).next().map_or("", |case| case.again.as_str());
    match report.conclusion.as_str() {
        "conformant" => (conformant(report), "`cosmos-ttl check` checks the rules themselves in every reachable state; \
            `cosmos-ttl run URL` replays the vectors against your endpoint; `cosmos-ttl explain CLAUSE` tells where a rule \
            is from".into()),
        "nonconformant" => {
            let said = if 0 < counts.fail { Said::Fail } else { Said::Differ };
            let what = format!("{} of {} answered otherwise than it must; cited: {}",
                counts.get(said), vectors(counts.judged()), cited(report, said));
            (what, format!("`{}` repeats the first; `cosmos-ttl explain CLAUSE` tells where a rule is from", first(said)))
        }
        "broke" => (
            format!("{} could not be judged, since the target, or the way to it, broke; nothing is said about time to live in them", vectors(counts.broken)),
            format!("`{}` repeats the first", first(Said::Broken)),
        ),
        _ => (
            format!("nothing failed, but {} could not be judged", vectors(counts.vectors.saturating_sub(counts.judged()))),
            "the reasons stand above; what is inconclusive or not run may be decided by another run".into(),
        ),
    }
}

fn conformant(report: &Report) -> String {
    let counts = &report.counts;
    let text = if counts.vectors == report.vectors.all && counts.judged() == counts.vectors {
        "every vector is answered as it must be".to_owned()
    } else {
        let all = vectors(report.vectors.all);
        format!("as far as can be said from {} of {all}", counts.judged())
    };
    if counts.differ == 0 {
        return text;
    }
    format!("{text}; {} from a `should`, which --strict would not let pass", differ(counts.differ))
}

fn differ(count: usize) -> String {
    if count == 1 { "1 vector differs".into() } else { format!("{count} vectors differ") }
}

/// The clauses that the vectors with this verdict cite, each once.
fn cited(report: &Report, said: Said) -> String {
    let cites = |clause: &&Clause| 0 < clause.counts.get(said);
    report.clauses().filter(cites).map(|clause| clause.id.as_str()).collect::<Vec<_>>().join(", ")
}
