//! Several reports side by side: rows are clauses and vectors, columns are reports.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::sections::who;
use super::{columns, mark, notice, rest, safe, scrolling, verdict};
use crate::summary::{Tone, clause_sign, conclusion_sign};
use crate::{Case, Counts, Outcome, Report, ReportedClause};
use cosmos_ttl_harness::plain::cut;

/// What the reports say of one clause or vector, column by column.
struct SideRow<'a, T> {
    name: &'a str,
    cells: Vec<Option<&'a T>>,
}

impl<'a, T> SideRow<'a, T> {
    /// Whether the reports that have it do not say the same.
    fn differs<S: PartialEq>(&self, said: impl Fn(&'a T) -> S) -> bool {
        let mut said = self.cells.iter().flatten().copied().map(said);
        let first = said.next();
        said.any(|other| Some(&other) != first.as_ref())
    }

    /// The row as markup; a mark says where the reports differ.
    fn markup(&self, differs: bool, cell: impl Fn(&T) -> Markup) -> Markup {
        html! {
            tr.differs[differs] {
                th scope="row" { code { (safe(self.name)) } @if differs { " " span.dim { "≠ differs" } } }
                @for one in &self.cells {
                    td { @match one { Some(one) => (cell(one)), None => span.dim { "· not in this report" } } }
                }
            }
        }
    }
}

/// The rows of all reports, each once, under their sections, in the order in which they first appear.
fn rows<'a, T, I>(reports: &'a [Report], all: impl Fn(&'a Report) -> I) -> Vec<(&'a str, Vec<SideRow<'a, T>>)>
where
    I: Iterator<Item = (&'a str, &'a str, &'a T)>,
{
    let by_name = |report| all(report).map(|(_, name, one)| (name, one)).collect();
    let maps: Vec<BTreeMap<&str, &T>> = reports.iter().map(by_name).collect();
    let mut sections: Vec<(&str, Vec<SideRow<'_, T>>)> = Vec::new();
    let mut seen = BTreeSet::new();
    for (section, name, _) in reports.iter().flat_map(&all).filter(|(_, name, _)| seen.insert(*name)) {
        let row = SideRow { name, cells: maps.iter().map(|map| map.get(name).copied()).collect() };
        match sections.iter_mut().find(|(one, _)| *one == section) {
            Some((_, rows)) => rows.push(row),
            None => sections.push((section, vec![row])),
        }
    }
    sections
}

/// The clauses of a report, each with its section.
fn clauses(report: &Report) -> impl Iterator<Item = (&str, &str, &ReportedClause)> {
    let clauses =
        report.sections.iter().flat_map(|section| section.clauses.iter().map(move |one| (section, one)));
    clauses.map(|(section, clause)| (section.name.as_str(), clause.id.as_str(), clause))
}

/// The vectors of a report, each with its section.
fn cases(report: &Report) -> impl Iterator<Item = (&str, &str, &Case)> {
    report.cases.iter().map(|case| (case.section().unwrap_or(&case.name), case.name.as_str(), case))
}

fn outcome(case: &Case) -> (Outcome, &str) {
    (case.verdict, case.why().unwrap_or(""))
}

fn counts_and_choices(clause: &ReportedClause) -> (Counts, Vec<bool>) {
    (clause.counts, clause.choices.iter().map(|choice| choice.seen > 0).collect())
}

pub(super) fn side(reports: &[Report]) -> Markup {
    let (clauses, vectors) = (rows(reports, clauses), rows(reports, cases));
    let differing = vectors.iter().flat_map(|(_, rows)| rows).filter(|row| row.differs(outcome));
    let differing: Vec<_> = differing.collect();
    let group = |section: &str| {
        html! { tr.group { th scope="rowgroup" colspan=(reports.len() + 1) { (safe(section)) } } }
    };
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
                @for row in &differing { (row.markup(false, |case| case_cell(case, true))) }
            }))
            (table("clauses", "Clauses", reports, &html! {
                @for (section, rows) in &clauses {
                    (group(section))
                    @for row in rows { (row.markup(row.differs(counts_and_choices), clause_cell)) }
                }
            }))
            (table("vectors", "Vectors", reports, &html! {
                @for (section, rows) in &vectors {
                    (group(section))
                    @for row in rows { (row.markup(row.differs(outcome), |case| case_cell(case, false))) }
                }
            }))
        }
    }
}

fn warnings(reports: &[Report]) -> Markup {
    let differ =
        |of: fn(&Report) -> &str| reports.windows(2).any(|pair| matches!(pair, [a, b] if of(a) != of(b)));
    let warning = |what, why| notice(("!", Tone::DOUBT), Some("note"), "", what, &html! { (why) });
    html! {
        @if differ(|report| &report.digests.vectors) {
            (warning("Not the same vectors", "The digests of the vectors differ, so a vector may mean something else from report to report."))
        }
        @if differ(|report| &report.digests.model) {
            (warning("Not the same rules", "The digests of the rules differ: these reports are of several versions of the harness."))
        }
    }
}

fn overview(reports: &[Report]) -> Markup {
    let names = ["Report", "Conclusion", "Vectors", "Pass", "Target", "Harness", "Vectors' digest"];
    let row = |(number, report): (usize, &Report)| {
        let (sign, tone) = conclusion_sign(&report.conclusion);
        html! {
            tr {
                th scope="row" { (number + 1) ". " bdi { (who(report)) } }
                td {
                    span class=(tone.class) { span aria-hidden="true" { (sign) } " " (safe(&report.conclusion)) }
                    @if !report.complete { p { strong.bad { "! INCOMPLETE" } " " (safe(report.incomplete.as_deref().unwrap_or(""))) } }
                }
                td.number { (report.counts.vectors) " of " (report.vectors.all) }
                td.number { (report.counts.pass) }
                td { (safe(&report.target.asked)) }
                td { (safe(&report.harness)) }
                td { code { (cut(&report.digests.vectors, 12)) } }
            }
        }
    };
    let rows = html! { tbody { @for row in reports.iter().enumerate().map(row) { (row) } } };
    scrolling("reports", "Reports", &html! {}, &html! { table { (columns(names)) (rows) } })
}

fn table(id: &str, title: &str, reports: &[Report], body: &Markup) -> Markup {
    let names = reports.iter().enumerate().map(|(number, report)| {
        html! {
            (number + 1) ". " bdi { (who(report)) }
            @if !report.complete { " " strong.bad { "! INCOMPLETE" } }
        }
    });
    let names = [html! { span.hidden { "Name" } }].into_iter().chain(names);
    scrolling(id, title, &html! {}, &html! { table.side { (columns(names)) tbody { (body) } } })
}

fn clause_cell(clause: &ReportedClause) -> Markup {
    html! {
        (mark(clause_sign(clause))) " " (clause.counts.pass) " of " (clause.counts.vectors)
        (rest(&clause.counts))
        @for choice in clause.seen() { " " span.chip { (safe(&choice.value)) " " (choice.seen) } }
    }
}

/// A vector; with the reason where only what differs is shown.
fn case_cell(case: &Case, reasons: bool) -> Markup {
    html! {
        (verdict(case.verdict))
        @if reasons && case.verdict != Outcome::Pass { p.reason { (cut(case.why().unwrap_or(""), 200)) } }
    }
}
