//! The sections: as a table, and each with its clauses and its vectors.

use maud::{Markup, html};

use super::anchor::{self, Anchors};
use super::case::{self, Shown};
use super::marks;
use super::safe::{said, sentence};
use crate::{Case, Clause, Outcome, Report, Section};
use cosmos_ttl_harness::clauses::Observe;

/// So many vectors that somebody must look at stand open; beyond that the page would only be long.
const MOST_OPEN: usize = 30;

pub(super) fn table(report: &Report) -> Markup {
    let shown: Vec<_> = Outcome::ALL.into_iter().filter(|one| 0 < report.counts.get(*one)).collect();
    html! {
        section aria-labelledby="sections" {
            h2 id="sections" { "Sections" }
            div.scroll tabindex="0" role="region" aria-labelledby="sections" {
                table.counts {
                    thead {
                        tr {
                            th scope="col" { "Section" }
                            th.number scope="col" { "Vectors" }
                            @for one in &shown {
                                @let (sign, class) = marks::sign(*one);
                                th.number scope="col" { span class=(class) aria-hidden="true" { (sign) } " " (one) }
                            }
                        }
                    }
                    tbody {
                        @for (number, section) in report.sections.iter().enumerate() {
                            tr {
                                th scope="row" { a href={ "#" (anchor::section(number, &section.name)) } { (said(&section.name)) } }
                                (cells(&shown, &section.counts))
                            }
                        }
                    }
                    tfoot { tr { th scope="row" { "All" } (cells(&shown, &report.counts)) } }
                }
            }
        }
    }
}

fn cells(shown: &[Outcome], counts: &crate::Counts) -> Markup {
    html! {
        td.number { (counts.vectors) }
        @for one in shown {
            @let count = counts.get(*one);
            td.number.dim[count == 0] { (count) }
        }
    }
}

pub(super) fn sections(report: &Report, anchors: &Anchors<'_>) -> Markup {
    let mut wrong = (0..report.cases.len()).filter(|number| is_wrong(report, *number));
    // The first number that stands closed again.
    let closed = wrong.nth(MOST_OPEN).unwrap_or(usize::MAX);
    let known = |case: &Case| report.sections.iter().any(|section| is_of(case, section));
    let stray: Vec<_> = report.cases.iter().enumerate().filter(|(_, case)| !known(case)).collect();
    html! {
        @for (number, section) in report.sections.iter().enumerate() {
            (self::section(report, anchors, number, section, closed))
        }
        @if !stray.is_empty() {
            section aria-labelledby="stray" {
                h2 id="stray" { "Vectors of no section of this report" }
                (vectors(report, anchors, &stray, closed))
            }
        }
    }
}

fn is_wrong(report: &Report, number: usize) -> bool {
    report.cases.get(number).is_some_and(|case| marks::is_wrong(case.verdict))
}

fn is_of(case: &Case, section: &Section) -> bool {
    case.name.split_once('/').is_some_and(|(name, _)| name == section.name)
}

fn section(
    report: &Report,
    anchors: &Anchors<'_>,
    number: usize,
    section: &Section,
    closed: usize,
) -> Markup {
    let own: Vec<_> = report.cases.iter().enumerate().filter(|(_, case)| is_of(case, section)).collect();
    let open = own.iter().any(|(_, case)| case.verdict != Outcome::Pass);
    html! {
        details.section id=(anchor::section(number, &section.name)) open[open] {
            summary {
                h2 { (said(&section.name)) }
                span.passed { (section.counts.pass) " of " (section.counts.vectors) " pass" }
                (marks::rest(&section.counts))
            }
            h3 { "Clauses" }
            ul.clauses { @for one in &section.clauses { (clause(report, anchors, one)) } }
            @if !own.is_empty() {
                h3 { "Vectors" }
                (vectors(report, anchors, &own, closed))
            }
        }
    }
}

fn vectors(report: &Report, anchors: &Anchors<'_>, own: &[(usize, &Case)], closed: usize) -> Markup {
    html! {
        @for (number, one) in own {
            @let open = marks::is_wrong(one.verdict) && *number < closed;
            (case::case(&Shown { report, anchors, number: *number, case: one, open }))
        }
    }
}

fn clause(report: &Report, anchors: &Anchors<'_>, clause: &Clause) -> Markup {
    // A report that was edited may name a clause twice; the ways to it lead to the first.
    let first = report.clause(&clause.id).is_some_and(|first| std::ptr::eq(first, clause));
    let anchor = anchors.clause(&clause.id).filter(|_| first);
    let counts = &clause.counts;
    html! {
        li id=[anchor] {
            p.name {
                (marks::clause(clause)) " " code { (said(&clause.id)) }
                span.kind { " " (clause.level) ", " (clause.evidence) }
            }
            p.says { (sentence(&clause.says)) }
            p.passed {
                @if 0 < counts.vectors {
                    (counts.pass) " of " (counts.vectors) " pass"
                } @else if clause.observe == Observe::Model {
                    "no client can see it"
                } @else {
                    "no vector was asked"
                }
                (marks::rest(counts))
            }
        }
    }
}
