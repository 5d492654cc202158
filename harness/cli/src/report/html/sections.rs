//! The parts of a page about one report: who was tested, what the run concludes, the vectors by outcome, the choices of a
//! target, and the sections with their clauses.

use std::ptr;

use maud::{Markup, html};

use super::case::{brief, case};
use super::{
    Anchors, columns, doubts, is_wrong, mark, notice, rest, safe, scrolling, section_anchor, sentence,
    verdict,
};
use crate::report::groups::FailureGroup;
use crate::report::rules::{self, Answer};
use crate::report::style::BAD;
use crate::report::summary::{
    class, clause_sign, conclusion_sign, diagnosis_also, diagnosis_figures, diagnosis_head, diagnosis_tail,
    outcome_sign, present,
};
use crate::report::{Case, Counts, MutantLikeness, Report, ReportedClause};
use cosmos_ttl_harness::clauses::{Binds, Observe};
use cosmos_ttl_harness::verdict::Outcome::Pass;

/// The number of vectors that are open of those that a reader must look at; with more the page would be too long.
const MOST_OPEN: usize = 3;

/// The number of vectors that are shown with their requests: of more, the page would have megabytes.
const MOST_FULL: usize = 30;

/// No more causes of failures than these are listed.
const MOST_CAUSES: usize = 20;

pub(super) fn head(report: &Report) -> Markup {
    let why = html! { (safe(&report.sentence())) "." span.code { " Exit code " (report.exit_code) "." } };
    let incomplete = report.incomplete.as_deref().unwrap_or("the report does not say why");
    html! {
        header {
            p.eyebrow { "Time to live in Azure Cosmos DB" }
            h1 { bdi { (report.who(safe)) } }
            (notice(conclusion_sign(&report.conclusion), None, "", &safe(&report.conclusion), &why))
            @if !report.complete {
                @let why = html! { (safe(incomplete)) ". What is not in this report may be wrong." };
                (notice(("!", BAD), Some("note"), " incomplete", "INCOMPLETE", &why))
            }
            p.sum { (safe(&report.sum())) }
            (bar(report))
        }
    }
}

fn bar(report: &Report) -> Markup {
    let mut end = 0_usize;
    let parts: Vec<_> = present(&report.counts)
        .map(|(outcome, count)| {
            let start = end;
            end = end.saturating_add(count);
            (start, count, class(outcome_sign(outcome).1))
        })
        .collect();
    html! {
        @if end > 0 {
            svg.bar viewBox={ "0 0 " (end) " 1" } preserveAspectRatio="none" aria-hidden="true" focusable="false" {
                @for (at, count, class) in &parts { rect class=(class) x=(at) y="0" width=(count) height="1" {} }
            }
        }
    }
}

pub(super) fn facts(report: &Report) -> Markup {
    let (target, vectors) = (&report.target, &report.vectors);
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
        ("Removal", safe(&target.removals.join(", "))),
        ("Vectors", format!("{}, from {}", report.selected(safe), safe(&vectors.origin))),
        ("Profile", vectors.profile.as_deref().map(safe).unwrap_or_default()),
        ("Requests answered", report.requests.to_string()),
        ("A should that differs", if report.strict { "fails the run" } else { "is reported" }.into()),
        ("Known failures", report.known.as_deref().map(safe).unwrap_or_default()),
        ("Harness", safe(&report.harness)),
        ("Digest of the vectors", safe(&report.digests.vectors)),
        ("Digest of the rules", safe(&report.digests.model)),
    ];
    html! {
        details.fold {
            summary { h2 { "Target, vectors and versions" } }
            dl.facts {
                @for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
                    div { dt { (name) } dd { bdi { (value) } } }
                }
            }
        }
    }
}

/// The failures by cause, each with the vector that represents it.
pub(super) fn causes(report: &Report, anchors: &Anchors<'_>) -> Markup {
    let groups = report.failure_groups();
    let link = |case: &Case| {
        let number = report.cases.iter().position(|one| ptr::eq(one, case));
        let anchor = number.and_then(|number| anchors.vectors.get(number));
        html! { @if let Some(anchor) = anchor { a href={ "#" (anchor) } { code { (safe(&case.name)) } } } }
    };
    let figures = |like: &MutantLikeness| {
        let figures = report.diagnosis.as_ref().map(|one| format!("it {}", diagnosis_figures(one, like)));
        figures.into_iter().chain(diagnosis_also(like)).collect::<Vec<_>>()
    };
    html! {
        @if !groups.is_empty() {
            section aria-labelledby="causes" {
                h2 id="causes" { "Failures by cause" }
                ul {
                    @for group in groups.iter().take(MOST_CAUSES) {
                        li {
                            (group.cases.len()) " × "
                            @if let Some(like) = group.mutant { "as " code { "mutant:" (safe(&like.mutant)) } ": " }
                            (sentence(&group.told())) ". Shortest: "
                            @if let Some(first) = group.first() { (verdict(first.verdict)) " " (link(first)) }
                            @for more in group.mutant.into_iter().flat_map(figures) { "; " (safe(&more)) }
                            "."
                        }
                    }
                    @if let Some(none) = report.diagnosis.as_ref().filter(|one| one.like.is_empty()) { li { (diagnosis_head(none)) } }
                    @for tail in report.diagnosis.iter().flat_map(diagnosis_tail) { li { (tail) } }
                    @if groups.len() > MOST_CAUSES { li { "and " (groups.len() - MOST_CAUSES) " more causes" } }
                }
            }
        }
    }
}

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
                @for (number, section) in report.sections.iter().enumerate() {
                    li { a href={ "#" (section_anchor(number, &section.name)) } { (safe(&section.name)) } }
                }
            }
        }
    }
}

pub(super) fn choices(report: &Report) -> Markup {
    let open: Vec<_> = report.clauses().filter(|clause| !clause.choices.is_empty()).collect();
    let kept = |clause: &ReportedClause| match clause.binds {
        Some(Binds::Target) => "in all vectors",
        Some(Binds::Item) => "by one item",
        Some(Binds::Nothing) | None => "no",
    };
    let before = html! {
        p { "Each listed answer is allowed. The number says how often this target gave it." }
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
                        td { (kept(clause)) }
                    }
                }
            }
        }
    };
    html! { @if !open.is_empty() { (scrolling("choices", "Where the documents leave a choice", &before, &table)) } }
}

/// The rules as the target answered, as far as they were asked.
pub(super) fn rules(report: &Report) -> Markup {
    let tables = rules::rules(report);
    let differs =
        tables.iter().flat_map(|table| &table.rows).any(|(_, cells)| cells.iter().any(Answer::differs));
    html! {
        @if !tables.is_empty() { details.fold open[differs] {
            summary { h2 id="rules" { "The rules, as this store answered" } }
            p { "✗ marks what differs from the rule, and ? what this run did not show." }
            @for table in &tables {
                h3 { (table.title) }
                div.scroll tabindex="0" role="region" aria-label=(table.title) {
                    table {
                        thead { tr { @for name in table.columns { th scope="col" { (sentence(name)) } } } }
                        tbody {
                            @for (label, answers) in &table.rows {
                                tr {
                                    th scope="row" { (label) }
                                    @for answer in answers {
                                        td {
                                            (sentence(answer.says))
                                            @if let Some(seen) = &answer.seen {
                                                " " span class=(class(answer.style())) { (answer.sign()) " " (safe(seen)) }
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        } }
    }
}

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
                        @let (sign, style) = outcome_sign(*outcome);
                        th.number scope="col" { span class=(class(style)) aria-hidden="true" { (sign) } " " (outcome) }
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

pub(super) fn sections(report: &Report, anchors: &Anchors<'_>) -> Markup {
    // One for each cause, then what is wrong, then the others, each in their order.
    let groups = report.failure_groups();
    let wrong = report.cases.iter().filter(|case| is_wrong(case.verdict));
    let mut full: Vec<&Case> = Vec::new();
    for case in groups.iter().filter_map(FailureGroup::first).chain(wrong).chain(&report.cases) {
        if full.len() < MOST_FULL && !full.iter().any(|one| ptr::eq(*one, case)) {
            full.push(case);
        }
    }
    let is_among = |cases: &[&Case], case: &Case| cases.iter().any(|one| ptr::eq(*one, case));
    let open = full.iter().copied().filter(|case| is_wrong(case.verdict)).take(MOST_OPEN).collect::<Vec<_>>();
    let own = |is_own: &dyn Fn(Option<&str>) -> bool| {
        let cases = report.cases.iter().zip(&anchors.vectors);
        let mut own: Vec<_> = cases.filter(|(case, _)| is_own(case.section())).collect();
        own.sort_by_key(|(case, _)| !is_wrong(case.verdict));
        own
    };
    let vectors = |own: &[(&Case, &String)]| {
        html! {
            @for (one, anchor) in own {
                @if is_among(&full, one) { (case(report, anchors, anchor, one, is_among(&open, one))) }
                @else { (brief(anchor, one)) }
            }
        }
    };
    let stray = own(&|name| !report.sections.iter().any(|section| name == Some(&section.name)));
    html! {
        @for (number, section) in report.sections.iter().enumerate() {
            @let own = own(&|name| name == Some(&section.name));
            @let open = own.iter().any(|(case, _)| case.verdict != Pass);
            details.section id=(section_anchor(number, &section.name)) open[open] {
                summary {
                    h2 { (safe(&section.name)) }
                    span.passed { (section.counts.pass) " of " (section.counts.vectors) " pass" }
                    (rest(&section.counts))
                }
                h3 { "Clauses" }
                ul.clauses { @for one in &section.clauses { (clause(report, anchors, one)) } }
                @if !own.is_empty() { h3 { "Vectors" } (vectors(&own)) }
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
    let anchor = anchors.clauses.get(clause.id.as_str()).filter(|_| first);
    let counts = &clause.counts;
    html! {
        li id=[anchor] {
            p.name {
                (mark(clause_sign(clause))) " " code { (safe(&clause.id)) }
                span.kind { " " (clause.level) ", " (clause.evidence) }
            }
            p.says { (sentence(&clause.says)) }
            p.passed {
                @if clause.cited() > 0 { (counts.pass) " of " (clause.cited()) " pass" }
                @else { (if clause.observe == Observe::Model { "no client can see it" } else { "no vector was asked" }) }
                (rest(counts)) (doubts(clause))
            }
        }
    }
}
