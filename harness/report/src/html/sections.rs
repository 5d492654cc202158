//! The parts of a page about one report: who was tested, what the run concludes, the vectors by outcome, the choices of a
//! target, and the sections with their clauses.

use std::ptr;

use maud::{Markup, html};

use super::case::case;
use super::{
    Anchors, columns, doubts, is_wrong, mark, notice, rest, safe, scrolling, section_anchor, sentence,
    verdict,
};
use crate::groups::FailureGroup;
use crate::style::BAD;
use crate::summary::{
    class, clause_sign, conclusion_sign, diagnosis_also, diagnosis_figures, diagnosis_head, diagnosis_tail,
    outcome_sign, present,
};
use crate::{Case, Counts, Report, ReportedClause};
use cosmos_ttl_harness::clauses::{Binds, Observe};
use cosmos_ttl_harness::plain::cut;
use cosmos_ttl_harness::verdict::Outcome::{
    self, Broken, ChangedFailure, Differ, Fail, Inconclusive, KnownFailure, NotApplicable, NotOffered,
    NotRun, Pass, UnexpectedPass, Unsupported,
};

/// The number of vectors that are open of those that a reader must look at; with more the page would be too long.
const MOST_OPEN: usize = 3;

/// No more causes of failures than these are listed.
const MOST_CAUSES: usize = 20;

/// The outcomes but a pass, in the order in which the page lists their vectors; `{}` is `vector` or `vectors`.
const LISTS: [(Outcome, &str); 11] = [
    (Fail, "failing {}"),
    (ChangedFailure, "{} failing otherwise than is known"),
    (UnexpectedPass, "{} on the list of known failures that pass"),
    (Broken, "{} at which the target broke"),
    (Differ, "{} not answered as a should asks"),
    (Inconclusive, "{} of which nothing can be said"),
    (NotRun, "{} not run"),
    (KnownFailure, "known to fail: {}"),
    (Unsupported, "{} that the target does not support"),
    (NotApplicable, "{} that do not apply"),
    (NotOffered, "{} that need what is declared missing"),
];

pub(super) fn head(report: &Report) -> Markup {
    let why = html! { (safe(&report.sentence())) "." span.code { " Exit code " (report.exit_code) "." } };
    let incomplete = report.incomplete.as_deref().unwrap_or("the report does not say why");
    html! {
        header {
            p.eyebrow { "Time to live in Azure Cosmos DB: passing vectors, clause by clause" }
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

pub(super) fn diagnosis(report: &Report) -> Markup {
    html! {
        @if let Some(diagnosis) = &report.diagnosis {
            section aria-labelledby="diagnosis" {
                h2 id="diagnosis" { (diagnosis_head(diagnosis)) }
                ul {
                    @for (like, figures) in diagnosis.like.iter().map(|like| (like, diagnosis_figures(diagnosis, like))) {
                        li {
                            code { "mutant:" (safe(&like.mutant)) } ": " (sentence(&like.says)) " It " (figures)
                            @if let Some(also) = diagnosis_also(like) { "; " (safe(&also)) } "."
                        }
                    }
                    @for tail in diagnosis_tail(diagnosis) { li { (tail) } }
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
    html! {
        @if !groups.is_empty() {
            section aria-labelledby="causes" {
                h2 id="causes" { "Failures by cause" }
                ul {
                    @for group in groups.iter().take(MOST_CAUSES) {
                        li {
                            (group.cases.len()) " × " (safe(&group.cause())) " Shortest: "
                            @if let Some(first) = group.first() { (verdict(first.verdict)) " " (link(first)) }
                        }
                    }
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
                @for (outcome, count) in present(&report.counts).filter(|(outcome, _)| *outcome != Pass) {
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
    html! {
        @for (outcome, heading) in LISTS.into_iter().filter(|(outcome, _)| report.counts.get(*outcome) > 0) {
            details.list id=(list_anchor(outcome)) open[is_wrong(outcome)] {
                @let count = report.counts.get(outcome);
                @let heading = heading.replace("{}", if count == 1 { "vector" } else { "vectors" });
                summary { h2 { (mark(outcome_sign(outcome))) " " (count) " " (heading) } }
                ol {
                    @for (case, anchor) in report.cases.iter().zip(&anchors.vectors).filter(|(case, _)| case.verdict == outcome) {
                        li {
                            a href={ "#" (anchor) } { (safe(&case.name)) }
                            " " span.reason { (cut(case.why().unwrap_or(""), 160)) }
                        }
                    }
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
                        td { (kept(clause)) }
                    }
                }
            }
        }
    };
    html! { @if !open.is_empty() { (scrolling("choices", "Where the documents leave a choice", &before, &table)) } }
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
    // One for each cause, then the others in their order.
    let groups = report.failure_groups();
    let wrong = report.cases.iter().filter(|case| is_wrong(case.verdict));
    let open: Vec<_> = groups.iter().filter_map(FailureGroup::first).chain(wrong).take(MOST_OPEN).collect();
    let own = |is_own: &dyn Fn(Option<&str>) -> bool| {
        let cases = report.cases.iter().zip(&anchors.vectors);
        cases.filter(|(case, _)| is_own(case.section())).collect::<Vec<_>>()
    };
    let vectors = |own: &[(&Case, &String)]| {
        html! {
            @for (one, anchor) in own {
                (case(report, anchors, anchor, one, open.iter().any(|open| ptr::eq(*open, *one))))
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
