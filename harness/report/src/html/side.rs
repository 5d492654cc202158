//! Several reports side by side: rows are clauses and vectors, columns are reports.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::head::who;
use super::safe::{cut, said};
use super::{lists, marks};
use crate::{Case, Clause, Outcome, Report};

/// No reason is repeated longer than this.
const MOST_CHARS: usize = 200;

/// Names in the order in which they first stand in a report, under their sections.
type Rows<'a> = Vec<(&'a str, Vec<&'a str>)>;

/// What several reports say of one vector, column by column.
struct Row<'a> {
    name: &'a str,
    cells: Vec<Option<&'a Case>>,
}

impl Row<'_> {
    /// Whether the reports that have it do not say the same.
    fn differs(&self) -> bool {
        let mut said = self.cells.iter().flatten().map(|case| (case.verdict, lists::reason(case)));
        let first = said.next();
        said.any(|other| Some(other) != first)
    }
}

pub(super) fn side(reports: &[Report]) -> Markup {
    let rows = rows(reports);
    let differing: Vec<_> = rows.iter().flat_map(|(_, rows)| rows).filter(|row| row.differs()).collect();
    html! {
        header {
            p.eyebrow { "Time to live in Azure Cosmos DB, clause by clause" }
            h1 { (reports.len()) " reports side by side" }
            (warnings(reports))
        }
        nav aria-label="On this page" {
            ul {
                li { a href="#reports" { "Reports" } }
                li { a href="#differing" { (differing.len()) " vectors that differ" } }
                li { a href="#clauses" { "Clauses" } }
                li { a href="#vectors" { "Vectors" } }
            }
        }
        main id="main" tabindex="-1" {
            (overview(reports))
            (table("differing", "Vectors of which the reports do not say the same", reports, &html! {
                @for row in &differing { (self::row(row, true)) }
            }))
            (table("clauses", "Clauses", reports, &clauses(reports)))
            (table("vectors", "Vectors", reports, &html! {
                @for (section, rows) in &rows {
                    (group(section, reports.len()))
                    @for row in rows { (self::row(row, false)) }
                }
            }))
        }
    }
}

fn warnings(reports: &[Report]) -> Markup {
    let differ =
        |of: fn(&Report) -> &str| reports.windows(2).any(|pair| matches!(pair, [a, b] if of(a) != of(b)));
    let vectors = differ(|report| &report.digests.vectors);
    let model = differ(|report| &report.digests.model);
    html! {
        @if vectors {
            div.result.doubt role="note" {
                p.word { span.mark aria-hidden="true" { "!" } " Not the same vectors" }
                p.why { "The digests of the vectors differ, so a vector may mean something else from report to report." }
            }
        }
        @if model {
            div.result.doubt role="note" {
                p.word { span.mark aria-hidden="true" { "!" } " Not the same rules" }
                p.why { "The digests of the rules differ: these reports are of several versions of the harness." }
            }
        }
    }
}

fn overview(reports: &[Report]) -> Markup {
    html! {
        section aria-labelledby="reports" {
            h2 id="reports" { "Reports" }
            div.scroll tabindex="0" role="region" aria-labelledby="reports" {
                table {
                    thead {
                        tr {
                            th scope="col" { "Report" }
                            @for one in ["Conclusion", "Vectors", "Pass", "Target", "Harness", "Vectors' digest"] { th scope="col" { (one) } }
                        }
                    }
                    tbody { @for (number, report) in reports.iter().enumerate() { (overview_row(number, report)) } }
                }
            }
        }
    }
}

fn overview_row(number: usize, report: &Report) -> Markup {
    let (sign, class) = marks::conclusion(&report.conclusion);
    html! {
        tr {
            th scope="row" { (number.saturating_add(1)) ". " bdi { (who(report)) } }
            td {
                span class=(class) { span aria-hidden="true" { (sign) } " " (said(&report.conclusion)) }
                @if !report.complete { p { strong.bad { "! INCOMPLETE" } " " (said(report.incomplete.as_deref().unwrap_or(""))) } }
            }
            td.number { (report.counts.vectors) " of " (report.vectors.all) }
            td.number { (report.counts.pass) }
            td { (said(&report.target.asked)) }
            td { (said(&report.harness)) }
            td { code { (cut(&report.digests.vectors, 12)) } }
        }
    }
}

fn table(id: &str, title: &str, reports: &[Report], body: &Markup) -> Markup {
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (title) }
            div.scroll tabindex="0" role="region" aria-labelledby=(id) {
                table.side {
                    thead {
                        tr {
                            th scope="col" { span.hidden { "Name" } }
                            @for (number, report) in reports.iter().enumerate() {
                                th scope="col" {
                                    (number.saturating_add(1)) ". " bdi { (who(report)) }
                                    @if !report.complete { " " strong.bad { "! INCOMPLETE" } }
                                }
                            }
                        }
                    }
                    tbody { (body) }
                }
            }
        }
    }
}

fn group(section: &str, reports: usize) -> Markup {
    html! { tr.group { th scope="rowgroup" colspan=(reports.saturating_add(1)) { (said(section)) } } }
}

fn clauses(reports: &[Report]) -> Markup {
    let mut sections: Rows<'_> = Vec::new();
    let mut seen = BTreeSet::new();
    for section in reports.iter().flat_map(|report| &report.sections) {
        for clause in section.clauses.iter().filter(|clause| seen.insert(clause.id.as_str())) {
            add(&mut sections, &section.name, &clause.id);
        }
    }
    html! {
        @for (section, ids) in &sections {
            (group(section, reports.len()))
            @for id in ids {
                @let cells: Vec<_> = reports.iter().map(|report| report.clause(id)).collect();
                @let differs = differ(&cells);
                tr.differs[differs] {
                    th scope="row" { code { (said(id)) } @if differs { " " span.dim { "≠ differs" } } }
                    @for clause in &cells { td { (clause_cell(*clause)) } }
                }
            }
        }
    }
}

/// Whether the reports that have this clause do not say the same of it.
fn differ(clauses: &[Option<&Clause>]) -> bool {
    let chosen = |clause: &Clause| clause.choices.iter().map(|choice| 0 < choice.seen).collect::<Vec<_>>();
    let mut said = clauses.iter().flatten().map(|clause| (clause.counts, chosen(clause)));
    let first = said.next();
    said.any(|other| Some(&other) != first.as_ref())
}

fn clause_cell(clause: Option<&Clause>) -> Markup {
    html! {
        @match clause {
            None => span.dim { "· not in this report" },
            Some(clause) => {
                (marks::clause(clause)) " " (clause.counts.pass) " of " (clause.counts.vectors)
                (marks::rest(&clause.counts))
                @for choice in clause.choices.iter().filter(|choice| 0 < choice.seen) {
                    " " span.chip { (said(&choice.value)) " " (choice.seen) }
                }
            },
        }
    }
}

/// The vectors of all reports, each once, under their sections.
fn rows(reports: &[Report]) -> Vec<(&str, Vec<Row<'_>>)> {
    let maps: Vec<BTreeMap<&str, &Case>> = reports
        .iter()
        .map(|report| report.cases.iter().map(|case| (case.name.as_str(), case)).collect())
        .collect();
    let mut sections: Rows<'_> = Vec::new();
    let mut seen = BTreeSet::new();
    for case in reports.iter().flat_map(|report| &report.cases) {
        let section = case.name.split('/').next().unwrap_or("");
        if seen.insert(case.name.as_str()) {
            add(&mut sections, section, &case.name);
        }
    }
    let row = |name: &'_ str| maps.iter().map(|map| map.get(name).copied()).collect();
    sections
        .into_iter()
        .map(|(section, names)| {
            (section, names.into_iter().map(|name| Row { name, cells: row(name) }).collect())
        })
        .collect()
}

/// The names under this section, which is added where it is new.
fn add<'a>(sections: &mut Rows<'a>, section: &'a str, name: &'a str) {
    match sections.iter_mut().find(|(one, _)| *one == section) {
        Some((_, names)) => names.push(name),
        None => sections.push((section, vec![name])),
    }
}

/// A vector; where the table is only of what differs, with the reasons, and without a mark.
fn row(row: &Row<'_>, all_differ: bool) -> Markup {
    let marked = !all_differ && row.differs();
    html! {
        tr.differs[marked] {
            th scope="row" { code { (said(row.name)) } @if marked { " " span.dim { "≠ differs" } } }
            @for case in &row.cells { td { (cell(*case, all_differ)) } }
        }
    }
}

fn cell(case: Option<&Case>, reasons: bool) -> Markup {
    html! {
        @match case {
            None => span.dim { "· not in this report" },
            Some(case) => {
                (marks::verdict(case.verdict))
                @if reasons && case.verdict != Outcome::Pass { p.reason { (cut(lists::reason(case), MOST_CHARS)) } }
            },
        }
    }
}
