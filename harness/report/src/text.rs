//! What people read after a run: every clause, every section, what failed, and one line that adds up.

use std::cmp::Reverse;

use super::diagnostic;
use super::style::{BAD, BOLD, RenderOptions, headed_list, styled, wrapped, wrapped_after};
use super::summary::{
    Tone, clause_sign, conclusion_sign, diagnosis_figures, diagnosis_head, diagnosis_tail, in_words,
};
use super::table::{self, Align};
use super::{Case, Counts, MutantDiagnosis, Outcome, Report, ReportedClause};
use cosmos_ttl_harness::clauses::{Binds, Observe};

/// Returns the report as text, with styles; see [`super::style`].
pub fn text(report: &Report, options: RenderOptions) -> String {
    let by_reason = |outcome| by_reason(report, outcome, options);
    let in_full = |outcome| in_full(report, outcome, options);
    let stale = format!("What {} says and is not so any more", report.list());
    let mishaps = "The target broke while no vector was being replayed";
    let parts = [
        headline(report, options),
        clauses(report),
        sections(report),
        by_reason(Outcome::NotApplicable),
        by_reason(Outcome::Unsupported),
        by_reason(Outcome::NotRun),
        by_reason(Outcome::Inconclusive),
        by_reason(Outcome::Flaky),
        by_reason(Outcome::KnownFailure),
        in_full(Outcome::Differ),
        by_reason(Outcome::Broken),
        in_full(Outcome::UnexpectedPass),
        in_full(Outcome::ChangedFailure),
        in_full(Outcome::Fail),
        choices(report, options),
        report.diagnosis.as_ref().map(|one| diagnosis(one, options)).unwrap_or_default(),
        headed_list(BOLD, &stale, &report.stale, options.width),
        headed_list(BAD, mishaps, &report.mishaps, options.width),
        end(report, options),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn headline(report: &Report, options: RenderOptions) -> String {
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
    let all = report.vectors.all;
    let which = match report.vectors.filters.as_slice() {
        [] => format!("all {all}"),
        filters => format!("{} of {all} ({})", report.counts.vectors, filters.join(", ")),
    };
    let profile = report.vectors.profile.as_ref().map(|profile| format!(", profile {profile}"));
    let which = format!("vectors  {which}{}, from {}", profile.unwrap_or_default(), report.vectors.origin);
    let head = styled(BOLD, "Time to live in Azure Cosmos DB, clause by clause");
    let [who, which] = [who, which].map(|line| wrapped(&line, options.width, &" ".repeat(9)));
    format!("{head}\n{who}\n{which}\n")
}

/// Every clause, under its section.
fn clauses(report: &Report) -> String {
    use Align::{Left, Right};
    let rows = report.clauses().map(|clause| {
        let Counts { vectors, pass, .. } = clause.counts;
        let passed = if vectors == 0 { "–".into() } else { format!("{pass}/{vectors}") };
        vec![
            clause_sign(clause).0.to_owned(),
            clause.id.clone(),
            clause.level.to_string(),
            passed,
            rest(clause),
        ]
    });
    let mut lines = table::lines(&[Left, Left, Left, Right, Left], rows.collect()).into_iter();
    let sections = report.sections.iter().map(|section| {
        let clauses = section.clauses.iter().zip(lines.by_ref());
        let lines = clauses.map(|(clause, line)| format!("  {}\n", painted(clause, &line)));
        format!("{}\n{}", styled(BOLD, &section.name), lines.collect::<String>())
    });
    sections.collect::<Vec<_>>().join("\n")
}

fn painted(clause: &ReportedClause, line: &str) -> String {
    let (sign, tone) = clause_sign(clause);
    match line.strip_prefix(sign).filter(|_| tone != Tone::DIM) {
        Some(rest) => styled(tone.style, sign) + rest,
        None => styled(tone.style, line),
    }
}

/// What is not a pass, in words.
fn rest(clause: &ReportedClause) -> String {
    if clause.observe == Observe::Model {
        return "checked by `cargo lab check`".into();
    }
    if clause.counts.vectors == 0 {
        return "no vector cites it".into();
    }
    in_words(&clause.counts, ", ", &Outcome::ALL[1..])
}

/// One row a section, and a total.
fn sections(report: &Report) -> String {
    let shown = report.columns();
    let row = |name: &str, counts: &Counts| {
        let cells = shown.iter().map(|outcome| counts.get(*outcome).to_string());
        [name.to_owned(), counts.vectors.to_string()].into_iter().chain(cells).collect::<Vec<_>>()
    };
    let words = shown.iter().map(ToString::to_string);
    let head: Vec<_> = ["section".to_owned(), "vectors".to_owned()].into_iter().chain(words).collect();
    let mut columns = vec![Align::Left];
    columns.resize(head.len(), Align::Right);
    let mut rows = vec![head];
    rows.extend(report.sections.iter().map(|section| row(&section.name, &section.counts)));
    rows.push(row("total", &report.counts));
    let mut lines = table::lines(&columns, rows);
    for line in [0, lines.len() - 1] {
        if let Some(line) = lines.get_mut(line) {
            *line = styled(BOLD, &*line);
        }
    }
    lines.join("\n") + "\n"
}

/// The first failures in full, the rest by name.
fn in_full(report: &Report, outcome: Outcome, options: RenderOptions) -> String {
    let cases: Vec<_> = report.cases(outcome).collect();
    let shown = cases.iter().take(options.most);
    let mut parts: Vec<_> = shown.filter_map(|case| diagnostic::case(report, case, options)).collect();
    let rest = cases.get(options.most..).unwrap_or(&[]);
    if !rest.is_empty() {
        let own = |name: &str| rest.iter().filter(|case| case.section() == Some(name)).count();
        let sections = report.sections.iter().map(|section| (own(&section.name), &section.name));
        let which = sections.filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}"));
        let which = which.collect::<Vec<_>>().join(", ");
        let text = format!("{} more {outcome}: {which} (--show N shows more in full)", rest.len());
        parts.push(wrapped(&text, options.width, "  ") + "\n");
    }
    parts.join("\n")
}

/// The vectors with an outcome that says nothing of their answers, or nothing new, by the reason for it, most first.
fn by_reason(report: &Report, outcome: Outcome, options: RenderOptions) -> String {
    let reason = |case: &Case| {
        let known = case.known.as_ref().filter(|_| matches!(outcome, Outcome::KnownFailure | Outcome::Flaky));
        let reason = known.map(|known| known.reason.as_str()).or(case.reason.as_deref());
        without_second(reason.unwrap_or_default()).to_owned()
    };
    let mut groups = report.grouped(outcome, reason);
    groups.sort_by_key(|(_, cases)| Reverse(cases.len()));
    if groups.is_empty() { String::new() } else { diagnostic::by_reason(outcome, &groups, options) }
}

/// A reason without the second of its vector, which differs from vector to vector.
fn without_second(reason: &str) -> &str {
    match reason.strip_prefix("at second ").and_then(|rest| rest.split_once(": ")) {
        Some((second, why)) if second.chars().all(|c| c.is_ascii_digit()) => why,
        _ => reason,
    }
}

/// What the target chose where it may.
fn choices(report: &Report, options: RenderOptions) -> String {
    let head = "Where the documents leave a choice, the target was seen to choose";
    let lines: Vec<_> = report.clauses().filter_map(choice).collect();
    if lines.is_empty() {
        return String::new();
    }
    // The fingerprint is not wrapped: one line, to be compared with that of another run.
    let list = headed_list(BOLD, head, &lines, options.width);
    format!("{list}  fingerprint  {}\n", report.fingerprint)
}

/// `reappearance: back 12, gone 24`
fn choice(clause: &ReportedClause) -> Option<String> {
    let values: Vec<_> = clause.seen().map(|choice| format!("{} {}", choice.value, choice.seen)).collect();
    let mixed = clause.binds == Some(Binds::Target) && values.len() > 1;
    let mixed = if mixed { "; one choice should hold for all its vectors" } else { "" };
    (!values.is_empty()).then(|| format!("{}: {}{mixed}", clause.id, values.join(", ")))
}

/// Which mistake the target seems to make.
fn diagnosis(diagnosis: &MutantDiagnosis, options: RenderOptions) -> String {
    let mut lines = vec![styled(BOLD, diagnosis_head(diagnosis))];
    for like in &diagnosis.like {
        let name = format!("mutant:{}", like.mutant);
        let text = wrapped(&format!("  {name}: {}", like.says), options.width, "    ");
        lines.push(text.replacen(&name, &styled(BOLD, &name), 1));
        lines.push(wrapped(&format!("    it {}", diagnosis_figures(diagnosis, like)), options.width, "    "));
    }
    lines.extend(diagnosis_tail(diagnosis).map(|tail| format!("  {tail}")));
    lines.join("\n") + "\n"
}

/// One line that adds up, what follows from it, and what to do next, one command a line.
fn end(report: &Report, options: RenderOptions) -> String {
    let (word, rest) = (report.conclusion.as_str(), format!(": {}", report.sentence()));
    let sentence = wrapped_after(conclusion_sign(word).1.style, word, &rest, options.width);
    let commands = report.next_commands().into_iter();
    let rows = commands.map(|(want, command)| vec![format!("{want}:"), command]).collect();
    let lines = table::lines(&[Align::Left, Align::Left], rows);
    format!("{}\n{sentence}\n\nnext: {}\n", report.sum(), lines.join("\n      "))
}
