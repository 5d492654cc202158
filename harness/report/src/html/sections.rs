//! The parts of a page about one report: who was tested, what the run concludes, the vectors by outcome, the choices of a
//! target, and the sections with their clauses.

use std::ptr;

use maud::{Markup, html};

use super::case::case;
use super::{Anchors, columns, is_wrong, mark, notice, rest, safe, scrolling, section_anchor, sentence};
use crate::summary::{
    Tone, clause_sign, conclusion_sign, diagnosis_figures, diagnosis_head, diagnosis_tail, outcome_sign,
    present,
};
use crate::{Case, Counts, Outcome, Report, ReportedClause, ReportedSection};
use cosmos_ttl_harness::clauses::{Binds, Observe};
use cosmos_ttl_harness::plain::cut;

/// So many vectors that a reader must look at are open; beyond that the page would only be long.
const MOST_OPEN: usize = 30;

/// The target in a few words.
pub(super) fn who(report: &Report) -> String {
    let target = &report.target;
    match target.version.as_str() {
        "" | "unknown" => safe(&target.name),
        version => format!("{} {}", safe(&target.name), safe(version)),
    }
}

pub(super) fn head(report: &Report) -> Markup {
    let why = html! { (safe(&report.sentence())) "." span.code { " Exit code " (report.exit_code) "." } };
    let incomplete = report.incomplete.as_deref().unwrap_or("the report does not say why");
    html! {
        header {
            p.eyebrow { "Time to live in Azure Cosmos DB, clause by clause" }
            h1 { bdi { (who(report)) } }
            (notice(conclusion_sign(&report.conclusion), None, "", &safe(&report.conclusion), &why))
            @if !report.complete {
                @let why = html! { (safe(incomplete)) ". What is not in this report may be wrong." };
                (notice(("!", Tone::BAD), Some("note"), " incomplete", "INCOMPLETE", &why))
            }
            p.sum { (safe(&report.sum())) }
            (bar(report))
        }
    }
}

/// The denominators, which add up, as a bar.
fn bar(report: &Report) -> Markup {
    let mut end = 0_usize;
    let parts = present(&report.counts).map(|(outcome, count)| {
        let start = end;
        end = end.saturating_add(count);
        (start, count, outcome_sign(outcome).1.class)
    });
    let parts: Vec<_> = parts.collect();
    html! {
        @if end > 0 {
            svg.bar viewBox={ "0 0 " (end) " 1" } preserveAspectRatio="none" aria-hidden="true" focusable="false" {
                @for (at, count, class) in &parts { rect class=(class) x=(at) y="0" width=(count) height="1" {} }
            }
        }
    }
}

/// Everything that says what exactly was tested, and with what.
pub(super) fn facts(report: &Report) -> Markup {
    let (target, vectors) = (&report.target, &report.vectors);
    let selected = match vectors.filters.as_slice() {
        [] => format!("all {}", vectors.all),
        filters => format!("{} of {} ({})", report.counts.vectors, vectors.all, safe(&filters.join(", "))),
    };
    let clock = match (target.clock.as_str(), target.clock_width_us) {
        ("virtual", _) => "moved by the harness, so every second is exact".into(),
        (_, None) => "runs by itself".into(),
        (_, Some(width_us)) => {
            let (s, ms) = (width_us / 1_000_000, width_us % 1_000_000 / 1_000);
            format!("runs by itself; known in the end to within {s}.{ms:03} s")
        }
    };
    let facts = [
        ("Target", safe(&target.asked)),
        ("Clock", clock),
        ("Editions", safe(&target.editions.join(", "))),
        ("Removal", safe(&target.removals.join(", "))),
        ("Vectors", format!("{selected}, from {}", safe(&vectors.origin))),
        ("Profile", vectors.profile.as_deref().map(safe).unwrap_or_default()),
        ("Requests answered", report.requests.to_string()),
        ("A should that differs", if report.strict { "fails the run" } else { "is reported" }.into()),
        ("Known failures", report.known.as_deref().map(safe).unwrap_or_default()),
        ("Harness", safe(&report.harness)),
        ("Digest of the vectors", safe(&report.digests.vectors)),
        ("Digest of the rules", safe(&report.digests.model)),
    ];
    html! {
        dl.facts {
            @for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
                div { dt { (name) } dd { bdi { (value) } } }
            }
        }
    }
}

/// Which mistake the target seems to make.
pub(super) fn diagnosis(report: &Report) -> Markup {
    html! {
        @if let Some(diagnosis) = &report.diagnosis {
            section aria-labelledby="diagnosis" {
                h2 id="diagnosis" { (diagnosis_head(diagnosis)) }
                ul {
                    @for like in &diagnosis.like {
                        li {
                            code { "mutant:" (safe(&like.mutant)) } ": " (sentence(&like.says))
                            " It " (diagnosis_figures(diagnosis, like)) "."
                        }
                    }
                    @if let Some(tail) = diagnosis_tail(diagnosis) { li { (tail) } }
                }
            }
        }
    }
}

/// Sentences that a reader must not miss.
pub(super) fn warning(id: &str, title: &str, lines: &[String]) -> Markup {
    html! {
        @if !lines.is_empty() {
            section.stale aria-labelledby=(id) {
                h2 id=(id) { span.mark.bad aria-hidden="true" { "!" } " " (title) }
                ul { @for line in lines { li { (safe(line)) } } }
            }
        }
    }
}

pub(super) fn contents(report: &Report) -> Markup {
    html! {
        nav aria-label="On this page" {
            ul {
                li { a href="#sections" { "All sections" } }
                @for (outcome, count) in present(&report.counts).filter(|(outcome, _)| *outcome != Outcome::Pass) {
                    li { a href={ "#" (list_anchor(outcome)) } { (mark(outcome_sign(outcome))) " " (count) " " (outcome) } }
                }
                @for (number, section) in report.sections.iter().enumerate() {
                    li { a href={ "#" (section_anchor(number, &section.name)) } { (safe(&section.name)) } }
                }
            }
        }
    }
}

fn list_anchor(outcome: Outcome) -> String {
    format!("all-{}", outcome.word().replace(' ', "-"))
}

/// Every vector that did not just pass, by outcome; those that a reader must look at are open.
pub(super) fn lists(report: &Report, anchors: &Anchors<'_>) -> Markup {
    let order = [
        Outcome::Fail,
        Outcome::ChangedFailure,
        Outcome::UnexpectedPass,
        Outcome::Broken,
        Outcome::Differ,
        Outcome::Inconclusive,
        Outcome::NotRun,
        Outcome::KnownFailure,
        Outcome::Flaky,
        Outcome::Unsupported,
        Outcome::NotApplicable,
    ];
    let counted = order.into_iter().map(|outcome| (outcome, report.counts.get(outcome)));
    html! {
        @for (outcome, count) in counted.filter(|(_, count)| *count > 0) {
            details.list id=(list_anchor(outcome)) open[is_wrong(outcome)] {
                summary { h2 { (mark(outcome_sign(outcome))) " " (count) " " (heading(outcome, count)) } }
                ol {
                    @for (number, case) in report.cases.iter().enumerate().filter(|(_, case)| case.verdict == outcome) {
                        li {
                            a href={ "#" (anchors.vector(number)) } { (safe(&case.name)) }
                            " " span.reason { (cut(case.why().unwrap_or(""), 160)) }
                        }
                    }
                }
            }
        }
    }
}

fn heading(outcome: Outcome, count: usize) -> String {
    let vectors = if count == 1 { "vector" } else { "vectors" };
    match outcome {
        Outcome::Pass => format!("passing {vectors}"),
        Outcome::Fail => format!("failing {vectors}"),
        Outcome::Differ => format!("{vectors} not answered as a should asks"),
        Outcome::KnownFailure => format!("known to fail: {vectors}"),
        Outcome::UnexpectedPass => format!("{vectors} on the list of known failures that pass"),
        Outcome::ChangedFailure => format!("{vectors} failing otherwise than is known"),
        Outcome::Flaky => format!("flaky {vectors}"),
        Outcome::Unsupported => format!("{vectors} that the target does not support"),
        Outcome::Inconclusive => format!("{vectors} of which nothing can be said"),
        Outcome::Broken => format!("{vectors} at which the target broke"),
        Outcome::NotApplicable => format!("{vectors} that do not apply"),
        Outcome::NotRun => format!("{vectors} not run"),
    }
}

/// What the target chose where it may.
pub(super) fn choices(report: &Report) -> Markup {
    let open: Vec<_> = report.clauses().filter(|clause| !clause.choices.is_empty()).collect();
    let before = html! {
        p { "Each listed answer is allowed; how often this target was seen to choose each is what tells it apart." }
    };
    let table = html! {
        table {
            (columns(["Clause", "Chosen, and how often", "Must be kept"]))
            tbody {
                @for clause in &open {
                    tr {
                        th scope="row" { code { (safe(&clause.id)) } }
                        td {
                            @for choice in clause.seen() { span.chip { strong { (safe(&choice.value)) } " " (choice.seen) } " " }
                            @if clause.seen().next().is_none() { span.dim { "not seen" } }
                        }
                        td {
                            @match clause.binds {
                                Some(Binds::Target) => "in all vectors",
                                Some(Binds::Item) => "by one item",
                                Some(Binds::Nothing) | None => "no",
                            }
                        }
                    }
                }
            }
        }
    };
    html! { @if !open.is_empty() { (scrolling("choices", "Where the documents leave a choice", &before, &table)) } }
}

/// One row a section, and a total.
pub(super) fn table(report: &Report) -> Markup {
    let shown: Vec<_> = present(&report.counts).map(|(outcome, _)| outcome).collect();
    let cells = |counts: &Counts| {
        html! {
            td.number { (counts.vectors) }
            @for count in shown.iter().map(|outcome| counts.get(*outcome)) { td.number.dim[count == 0] { (count) } }
        }
    };
    let table = html! {
        table.counts {
            thead {
                tr {
                    th scope="col" { "Section" }
                    th.number scope="col" { "Vectors" }
                    @for outcome in &shown {
                        @let (sign, tone) = outcome_sign(*outcome);
                        th.number scope="col" { span class=(tone.class) aria-hidden="true" { (sign) } " " (outcome) }
                    }
                }
            }
            tbody {
                @for (number, section) in report.sections.iter().enumerate() {
                    tr {
                        th scope="row" { a href={ "#" (section_anchor(number, &section.name)) } { (safe(&section.name)) } }
                        (cells(&section.counts))
                    }
                }
            }
            tfoot { tr { th scope="row" { "All" } (cells(&report.counts)) } }
        }
    };
    scrolling("sections", "Sections", &html! {}, &table)
}

/// Each section with its clauses and its vectors.
pub(super) fn sections(report: &Report, anchors: &Anchors<'_>) -> Markup {
    // The first vector that is closed although a reader must look at it.
    let wrong = report.cases.iter().enumerate().filter(|(_, case)| is_wrong(case.verdict));
    let closed = wrong.map(|(number, _)| number).nth(MOST_OPEN).unwrap_or(usize::MAX);
    let of = |section: Option<&ReportedSection>| {
        let is_own = |case: &Case| match section {
            Some(section) => case.section() == Some(&section.name),
            None => !report.sections.iter().any(|section| case.section() == Some(&section.name)),
        };
        report.cases.iter().enumerate().filter(move |(_, case)| is_own(case)).collect::<Vec<_>>()
    };
    let vectors = |own: &[(usize, &Case)]| {
        html! {
            @for (number, one) in own {
                (case(report, anchors, *number, one, is_wrong(one.verdict) && *number < closed))
            }
        }
    };
    let stray = of(None);
    html! {
        @for (number, section) in report.sections.iter().enumerate() {
            @let own = of(Some(section));
            @let open = own.iter().any(|(_, case)| case.verdict != Outcome::Pass);
            details.section id=(section_anchor(number, &section.name)) open[open] {
                summary {
                    h2 { (safe(&section.name)) }
                    span.passed { (section.counts.pass) " of " (section.counts.vectors) " pass" }
                    (rest(&section.counts))
                }
                h3 { "Clauses" }
                ul.clauses { @for one in &section.clauses { (clause(report, anchors, one)) } }
                @if !own.is_empty() {
                    h3 { "Vectors" }
                    (vectors(&own))
                }
            }
        }
        @if !stray.is_empty() {
            section aria-labelledby="stray" {
                h2 id="stray" { "Vectors of no section of this report" }
                (vectors(&stray))
            }
        }
    }
}

fn clause(report: &Report, anchors: &Anchors<'_>, clause: &ReportedClause) -> Markup {
    // A report that was edited may name a clause twice; links lead to the first.
    let first = report.clause(&clause.id).is_some_and(|first| ptr::eq(first, clause));
    let anchor = anchors.clause(&clause.id).filter(|_| first);
    let counts = &clause.counts;
    html! {
        li id=[anchor] {
            p.name {
                (mark(clause_sign(clause))) " " code { (safe(&clause.id)) }
                span.kind { " " (clause.level) ", " (clause.evidence) }
            }
            p.says { (sentence(&clause.says)) }
            p.passed {
                @if counts.vectors > 0 {
                    (counts.pass) " of " (counts.vectors) " pass"
                } @else if clause.observe == Observe::Model {
                    "no client can see it"
                } @else {
                    "no vector was asked"
                }
                (rest(counts))
            }
        }
    }
}
