//! A page to look at: one report whole, or several side by side.
//!
//! The page is a single file without scripts, and it loads nothing. It is made of reports alone, and trusts none of
//! their texts: `maud` escapes their content, and [`safe`] cuts it short and writes out what could steer or reorder.

mod case;
mod drawing;
mod sections;

use std::collections::{BTreeMap, BTreeSet};

use anstyle::Style;
use maud::{DOCTYPE, Markup, PreEscaped, Render, html};

use crate::report::style::{BAD, DOUBT};
use crate::report::summary::{REMARKS, UNJUDGED, class, clause_sign, conclusion_sign, outcome_sign, present};
use crate::report::{Case, Counts, Outcome, Report, ReportedClause, ReportedSection};
use cosmos_ttl_harness::plain::cut;

const STYLE: &str = include_str!("html/style.css");

/// Nothing but the styles of the page itself: no script, no image, no font, no request, no form.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// No line is shown longer than this, and no text with more lines.
const MOST_CHARS: usize = 1000;
const MOST_LINES: usize = 200;

/// Returns the page of these reports: all there is of one report, the differences of several.
pub fn page(reports: &[Report]) -> String {
    let (title, main) = if let [report] = reports {
        let incomplete = if report.complete { "" } else { ", INCOMPLETE" };
        (format!("{}: {}{incomplete}", report.who(safe), safe(&report.conclusion)), one(report))
    } else {
        let names: Vec<_> = reports.iter().map(|report| report.who(safe)).collect();
        (format!("{} side by side", names.join(", ")), side_by_side(reports))
    };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (safe(&title)) " – time to live in Azure Cosmos DB" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#main" { "Skip to the result" }
                (main)
            }
        }
    };
    page.into_string()
}

fn one(report: &Report) -> Markup {
    let anchors = Anchors::of(report);
    html! {
        (sections::head(report))
        (sections::contents(report))
        main id="main" tabindex="-1" {
            (sections::causes(report, &anchors))
            (sections::rules(report))
            (sections::facts(report))
            (sections::warning("stale", "The list of known failures is not true any more", &report.stale))
            (sections::warning("remarks", REMARKS, &report.remarks))
            (sections::warning("unjudged", UNJUDGED, &report.unjudged_lines(20)))
            (sections::warning("mishaps", "The target broke between vectors", &report.mishaps))
            (sections::table(report))
            (sections::choices(report))
            (sections::sections(report, &anchors))
        }
        footer {
            p {
                "Made from a report of cosmos-ttl " (safe(&report.harness)) "; the report as JSON has all of this for programs. "
                "Not affiliated with Microsoft."
            }
        }
    }
}

fn scrolling(id: &str, title: &str, before: &Markup, table: &Markup) -> Markup {
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (title) }
            (before)
            div.scroll tabindex="0" role="region" aria-labelledby=(id) { (table) }
        }
    }
}

fn columns<T: Render>(names: impl IntoIterator<Item = T>) -> Markup {
    html! { thead { tr { @for name in names { th scope="col" { (name) } } } } }
}

fn notice((sign, style): (&str, Style), role: Option<&str>, more: &str, word: &str, why: &Markup) -> Markup {
    html! {
        div class={ "result " (class(style)) (more) } role=[role] {
            p.word { span.mark aria-hidden="true" { (sign) } " " (word) }
            p.why { (why) }
        }
    }
}

/// A sign that only adds to the words after it, in its colour.
fn mark((sign, style): (&str, Style)) -> Markup {
    html! { span class={ "mark " (class(style)) } aria-hidden="true" { (sign) } }
}

fn verdict(outcome: Outcome) -> Markup {
    let (sign, style) = outcome_sign(outcome);
    html! { span class={ "verdict " (class(style)) } { span.mark aria-hidden="true" { (sign) } " " (outcome) } }
}

/// How many of the failures of a clause may be another's, and how many vectors never came to their question.
fn doubts(clause: &ReportedClause) -> Markup {
    html! {
        @if clause.shared > 0 { " " span.chip.dim { (clause.shared) " against one of several clauses" } }
        @if clause.not_asked > 0 { " " span.chip.dim { (clause.not_asked) " not asked" } }
    }
}

/// How many there are of each outcome but pass.
fn rest(counts: &Counts) -> Markup {
    html! {
        @for (outcome, count) in present(counts).filter(|(outcome, _)| *outcome != Outcome::Pass) {
            @let (sign, style) = outcome_sign(outcome);
            " " span class={ "chip " (class(style)) } { span aria-hidden="true" { (sign) } " " (count) " " (outcome) }
        }
    }
}

/// Whether a vector with this outcome is one that a reader must look at.
fn is_wrong(outcome: Outcome) -> bool {
    outcome_sign(outcome).1 == BAD || outcome == Outcome::Differ
}

fn safe(text: &str) -> String {
    cut(text, MOST_CHARS)
}

/// A sentence in which text between backticks is code.
fn sentence(text: &str) -> Markup {
    let text = safe(text);
    let parts: Vec<_> = text.split('`').collect();
    // An odd backtick is only that.
    if parts.len().is_multiple_of(2) {
        return html! { (text) };
    }
    html! {
        @for (number, part) in parts.iter().enumerate() {
            @if number.is_multiple_of(2) { (part) } @else { code { (part) } }
        }
    }
}

fn lines(text: &str) -> String {
    let mut lines: Vec<_> = text.lines().take(MOST_LINES).map(safe).collect();
    if text.lines().nth(MOST_LINES).is_some() {
        lines.push("…".into());
    }
    lines.join("\n")
}

/// Names for the places of vectors and clauses, each used once, whatever the reports say.
struct Anchors<'a> {
    /// In the order of the vectors.
    vectors: Vec<String>,
    clauses: BTreeMap<&'a str, String>,
}

impl<'a> Anchors<'a> {
    fn of(report: &'a Report) -> Self {
        let mut taken = BTreeSet::new();
        let mut unique = |kind: &str, name: &str| {
            let wanted = format!("{kind}-{}", slug(name));
            let anchor = if taken.contains(&wanted) { format!("{wanted}.{}", taken.len()) } else { wanted };
            taken.insert(anchor.clone());
            anchor
        };
        let vectors = report.cases.iter().map(|case| unique("v", &case.name)).collect();
        let mut clauses = BTreeMap::new();
        for clause in report.clauses() {
            clauses.entry(clause.id.as_str()).or_insert_with(|| unique("c", &clause.id));
        }
        Self { vectors, clauses }
    }
}

fn section_anchor(number: usize, name: &str) -> String {
    format!("s{number}-{}", slug(name))
}

/// The characters of a text that need no escape in the name of a place.
fn slug(text: &str) -> String {
    let plain = |c: char| match c {
        '/' => '.',
        c if c.is_ascii_alphanumeric() => c,
        _ => '-',
    };
    text.chars().take(80).map(plain).collect()
}

/// A clause or vector: its section, its name, and what a report says of it.
type SideEntry<'a, T> = (&'a str, &'a str, &'a T);

/// The results of one clause or vector, column by column.
struct SideRow<'a, T> {
    name: &'a str,
    cells: Vec<Option<&'a T>>,
    /// Whether the reports that have it do not say the same.
    differs: bool,
}

impl<T> SideRow<'_, T> {
    /// The row as markup, with a mark if that is wanted.
    fn markup(&self, marked: bool, cell: impl Fn(&T) -> Markup) -> Markup {
        html! {
            tr.differs[marked] {
                th scope="row" { code { (safe(self.name)) } @if marked { " " span.dim { "≠ differs" } } }
                @for one in &self.cells {
                    td { @match one { Some(one) => (cell(one)), None => span.dim { "· not in this report" } } }
                }
            }
        }
    }
}

/// The rows of all reports, each once, under their sections, in the order in which they first appear.
fn rows<'a, T, K: PartialEq>(
    reports: &'a [Report],
    entries: fn(&'a Report) -> Vec<SideEntry<'a, T>>,
    key: impl Fn(&'a T) -> K,
) -> Vec<(&'a str, Vec<SideRow<'a, T>>)> {
    let columns: Vec<_> = reports.iter().map(entries).collect();
    let by_name = |all: &Vec<SideEntry<'a, T>>| all.iter().map(|(_, name, one)| (*name, *one)).collect();
    let maps: Vec<BTreeMap<&str, &T>> = columns.iter().map(by_name).collect();
    let mut sections: Vec<(&str, Vec<SideRow<'_, T>>)> = Vec::new();
    let mut seen = BTreeSet::new();
    for (section, name, _) in columns.iter().flatten().filter(|(_, name, _)| seen.insert(*name)) {
        let cells: Vec<_> = maps.iter().map(|map| map.get(name).copied()).collect();
        let mut keys = cells.iter().flatten().map(|one| key(one));
        let first = keys.next();
        let differs = keys.any(|other| Some(&other) != first.as_ref()) || cells.iter().any(Option::is_none);
        let row = SideRow { name, cells, differs };
        match sections.iter_mut().find(|(one, _)| one == section) {
            Some((_, rows)) => rows.push(row),
            None => sections.push((section, vec![row])),
        }
    }
    sections
}

fn clauses<'a>(report: &'a Report) -> Vec<SideEntry<'a, ReportedClause>> {
    let clauses = |section: &'a ReportedSection| section.clauses.iter().map(move |one| (section, one));
    let clauses = report.sections.iter().flat_map(clauses);
    clauses.map(|(section, one)| (section.name.as_str(), one.id.as_str(), one)).collect()
}

fn cases(report: &Report) -> Vec<SideEntry<'_, Case>> {
    let cases = report.cases.iter();
    cases.map(|case| (case.section().unwrap_or(&case.name), case.name.as_str(), case)).collect()
}

fn side_by_side(reports: &[Report]) -> Markup {
    let clauses = rows(reports, clauses, |clause| {
        (
            clause.counts,
            clause.not_asked,
            clause.choices.iter().map(|choice| choice.seen > 0).collect::<Vec<_>>(),
        )
    });
    let vectors = rows(reports, cases, |case| (case.verdict, case.why().unwrap_or("")));
    let differing: Vec<_> = vectors.iter().flat_map(|(_, rows)| rows).filter(|row| row.differs).collect();
    let differ =
        |of: fn(&Report) -> &str| reports.windows(2).any(|pair| matches!(pair, [a, b] if of(a) != of(b)));
    let vectors_differ =
        "The digests of the vectors differ, so a vector may mean something else from report to report.";
    let rules_differ =
        "The digests of the rules differ: these reports are of several versions of the harness.";
    let warnings = [
        (differ(|report| &report.digests.vectors), "Not the same vectors", vectors_differ),
        (differ(|report| &report.digests.model), "Not the same rules", rules_differ),
    ];
    let group = |section: &str| {
        html! { tr.group { th scope="rowgroup" colspan=(reports.len() + 1) { (safe(section)) } } }
    };
    html! {
        header {
            p.eyebrow { "Time to live in Azure Cosmos DB" }
            h1 { (reports.len()) " reports side by side" }
            @for (_, what, why) in warnings.iter().filter(|(differ, ..)| *differ) {
                (notice(("!", DOUBT), Some("note"), "", what, &html! { (why) }))
            }
        }
        nav aria-label="On this page" {
            ul {
                @for (id, name) in [("#clauses", "Clauses"), ("#reports", "Reports")] { li { a href=(id) { (name) } } }
                li { a href="#differing" { (differing.len()) " vectors that differ" } }
            }
        }
        main id="main" tabindex="-1" {
            (table("clauses", "Clauses", reports, &html! {
                @for (section, rows) in &clauses {
                    (group(section))
                    @for row in rows { (row.markup(row.differs, clause_cell)) }
                }
            }))
            (overview(reports))
            (table("differing", "Vectors of which the reports do not say the same", reports, &html! {
                @for row in &differing { (row.markup(false, |case| case_cell(case, true))) }
            }))
        }
    }
}

fn overview(reports: &[Report]) -> Markup {
    let names = ["Report", "Conclusion", "Vectors", "Pass", "Target", "Harness", "Vectors' digest"];
    let rows = html! {
        @for (number, report) in reports.iter().enumerate() {
            @let (sign, style) = conclusion_sign(&report.conclusion);
            tr {
                th scope="row" { (number + 1) ". " bdi { (report.who(safe)) } }
                td {
                    span class=(class(style)) { span aria-hidden="true" { (sign) } " " (safe(&report.conclusion)) }
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
    scrolling("reports", "Reports", &html! {}, &html! { table { (columns(names)) tbody { (rows) } } })
}

/// Returns a property of this report that not all reports of targets with the same name have.
fn told_apart(reports: &[Report], report: &Report) -> Option<String> {
    type Trait = fn(&Report) -> String;
    let traits: [Trait; 6] = [
        |report| report.target.asked.clone(),
        |report| format!("{} clock", report.target.clock),
        |report| report.vectors.profile.clone().unwrap_or_else(|| "no profile".into()),
        |report| format!("vectors {}", report.selected(safe)),
        |report| format!("harness {}", report.harness),
        |report| report.conclusion.clone(),
    ];
    let namesakes: Vec<_> = reports.iter().filter(|other| other.who(safe) == report.who(safe)).collect();
    let differs = |of: &&Trait| namesakes.iter().any(|other| of(other) != of(report));
    traits.iter().find(differs).map(|of| safe(&of(report)))
}

fn table(id: &str, title: &str, reports: &[Report], body: &Markup) -> Markup {
    let names = reports.iter().enumerate().map(|(number, report)| {
        html! {
            (number + 1) ". " bdi { (report.who(safe)) }
            @if let Some(apart) = told_apart(reports, report) { " " bdi.dim { (apart) } }
            @if !report.complete { " " strong.bad { "! INCOMPLETE" } }
        }
    });
    let names = [html! { span.hidden { "Name" } }].into_iter().chain(names);
    scrolling(id, title, &html! {}, &html! { table.side { (columns(names)) tbody { (body) } } })
}

fn clause_cell(clause: &ReportedClause) -> Markup {
    html! {
        (mark(clause_sign(clause))) " " (clause.counts.pass) " of " (clause.cited())
        (rest(&clause.counts)) (doubts(clause))
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
