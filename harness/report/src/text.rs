//! What people read after a run: every clause, every section, what failed, and one line that adds up.

use super::diagnostic;
use super::style::{BAD, BOLD, DIM, RenderOptions, headed_list, styled, wrapped, wrapped_after};
use super::summary::{
    clause_sign, conclusion_sign, diagnosis_figures, diagnosis_head, diagnosis_tail, in_words,
};
use super::table::{self, Align};
use super::{Counts, MutantDiagnosis, Report, ReportedClause};
use cosmos_ttl_harness::clauses::{Binds, Observe};
use cosmos_ttl_harness::verdict::Outcome::{
    self, Broken, ChangedFailure, Differ, Fail, Flaky, Inconclusive, KnownFailure, NotApplicable, NotRun,
    UnexpectedPass, Unsupported,
};

/// Returns the report as text, with styles; see [`super::style`].
pub fn text(report: &Report, options: RenderOptions) -> String {
    let by_reason = |outcome| diagnostic::by_reason(report, outcome, options);
    let in_full = |outcome| in_full(report, outcome, options);
    let stale = format!("What {} says and is not so any more", report.list());
    let mishaps = "The target broke while no vector was being replayed";
    let mut parts = vec![headline(report, options), clauses(report), sections(report)];
    parts.extend([NotApplicable, Unsupported, NotRun, Inconclusive, Flaky, KnownFailure].map(by_reason));
    parts.extend([in_full(Differ), by_reason(Broken)]);
    parts.extend([UnexpectedPass, ChangedFailure, Fail].map(in_full));
    parts.extend([
        choices(report, options),
        report.diagnosis.as_ref().map(|one| diagnosis(one, options)).unwrap_or_default(),
        headed_list(BOLD, &stale, &report.stale, options.width),
        headed_list(BAD, mishaps, &report.mishaps, options.width),
        end(report, options),
    ]);
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
    let who = format!("target   {}, {clock}{removals}", report.who(str::to_owned));
    let profile = report.vectors.profile.as_ref().map(|profile| format!(", profile {profile}"));
    let which = format!(
        "vectors  {}{}, from {}",
        report.selected(str::to_owned),
        profile.unwrap_or_default(),
        report.vectors.origin
    );
    let head = styled(BOLD, "Time to live in Azure Cosmos DB, clause by clause");
    let [who, which] = [who, which].map(|line| wrapped(&line, options.width, &" ".repeat(9)));
    format!("{head}\n{who}\n{which}\n")
}

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
    let (sign, style) = clause_sign(clause);
    match line.strip_prefix(sign).filter(|_| style != DIM) {
        Some(rest) => styled(style, sign) + rest,
        None => styled(style, line),
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

fn sections(report: &Report) -> String {
    let shown = report.columns();
    let row = |name: &str, counts: &Counts| {
        let cells = shown.iter().map(|outcome| counts.get(*outcome).to_string());
        [name.to_owned(), counts.vectors.to_string()].into_iter().chain(cells).collect::<Vec<_>>()
    };
    let head = ["section", "vectors"].into_iter().chain(shown.iter().map(|outcome| outcome.word()));
    let columns: Vec<_> =
        [Align::Left, Align::Right].into_iter().chain(shown.iter().map(|_| Align::Right)).collect();
    let mut rows = vec![head.map(str::to_owned).collect()];
    rows.extend(report.sections.iter().map(|section| row(&section.name, &section.counts)));
    rows.push(row("total", &report.counts));
    let mut lines = table::lines(&columns, rows);
    if let [head, .., total] = lines.as_mut_slice() {
        for line in [head, total] {
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

fn choices(report: &Report, options: RenderOptions) -> String {
    let head = "Where the documents leave a choice, the target was seen to choose";
    let lines: Vec<_> = report.clauses().filter_map(choice).collect();
    match headed_list(BOLD, head, &lines, options.width) {
        list if list.is_empty() => list,
        // The fingerprint is not wrapped: one line, to be compared with that of another run.
        list => format!("{list}  fingerprint  {}\n", report.fingerprint),
    }
}

/// `reappearance: back 12, gone 24`
fn choice(clause: &ReportedClause) -> Option<String> {
    let values: Vec<_> = clause.seen().map(|choice| format!("{} {}", choice.value, choice.seen)).collect();
    let mixed = clause.binds == Some(Binds::Target) && values.len() > 1;
    let mixed = if mixed { "; one choice should hold for all its vectors" } else { "" };
    (!values.is_empty()).then(|| format!("{}: {}{mixed}", clause.id, values.join(", ")))
}

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
    let sentence = wrapped_after(conclusion_sign(word).1, word, &rest, options.width);
    let commands = report.next_commands().into_iter();
    let rows = commands.map(|(want, command)| vec![format!("{want}:"), command]).collect();
    let lines = table::lines(&[Align::Left, Align::Left], rows);
    format!("{}\n{sentence}\n\nnext: {}\n", report.sum(), lines.join("\n      "))
}
