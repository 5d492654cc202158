//! A page to look at: one report whole, or several side by side.
//!
//! The page is a single file without scripts, and it loads nothing. It is made of reports alone, and trusts none of
//! their texts: `maud` escapes whatever stands in it, and [`safe`] cuts it short and writes out what could steer or reorder.

mod case;
mod drawing;
mod sections;
mod side;

use std::collections::{BTreeMap, BTreeSet};

use maud::{DOCTYPE, Markup, PreEscaped, Render, html};

use super::Report;
use super::summary::{Tone, outcome_sign, present};
use super::{Counts, Outcome};
use cosmos_ttl_harness::plain::{cut, visible};

const STYLE: &str = include_str!("html/style.css");

/// Nothing but the styles of the page itself: no script, no image, no font, no request, no form.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// No text is shown longer than this.
const MOST_CHARS: usize = 1000;

/// No text of several lines is shown longer than this.
const MOST_LINES: usize = 200;

/// Returns the page of these reports: all there is of one report, the differences of several.
pub fn page(reports: &[Report]) -> String {
    match reports {
        [report] => {
            let incomplete = if report.complete { "" } else { ", INCOMPLETE" };
            let title = format!("{}: {}{incomplete}", sections::who(report), safe(&report.conclusion));
            whole(&title, &one(report))
        }
        reports => {
            let names: Vec<_> = reports.iter().map(sections::who).collect();
            whole(&format!("{} side by side", names.join(", ")), &side::side(reports))
        }
    }
}

fn whole(title: &str, main: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (safe(title)) " – time to live in Azure Cosmos DB" }
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
            (sections::facts(report))
            (sections::diagnosis(report))
            (sections::warning("stale", "The list of known failures is not true any more", &report.stale))
            (sections::warning("mishaps", "The target broke while no vector was being replayed", &report.mishaps))
            (sections::table(report))
            (sections::lists(report, &anchors))
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

/// A part of the page with a heading, and a table that scrolls if it must.
fn scrolling(id: &str, title: &str, before: &Markup, table: &Markup) -> Markup {
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (title) }
            (before)
            div.scroll tabindex="0" role="region" aria-labelledby=(id) { (table) }
        }
    }
}

/// The head of a table.
fn columns<T: Render>(names: impl IntoIterator<Item = T>) -> Markup {
    html! { thead { tr { @for name in names { th scope="col" { (name) } } } } }
}

/// A coloured note with a sign, a few words and a sentence.
fn notice((sign, tone): (&str, Tone), role: Option<&str>, more: &str, word: &str, why: &Markup) -> Markup {
    html! {
        div class={ "result " (tone.class) (more) } role=[role] {
            p.word { span.mark aria-hidden="true" { (sign) } " " (word) }
            p.why { (why) }
        }
    }
}

/// A sign that only adds to the words after it, in its colour.
fn mark((sign, tone): (&str, Tone)) -> Markup {
    html! { span class={ "mark " (tone.class) } aria-hidden="true" { (sign) } }
}

/// An outcome with its sign.
fn verdict(outcome: Outcome) -> Markup {
    let (sign, tone) = outcome_sign(outcome);
    html! { span class={ "verdict " (tone.class) } { span.mark aria-hidden="true" { (sign) } " " (outcome) } }
}

/// How many there are of each outcome but pass.
fn rest(counts: &Counts) -> Markup {
    html! {
        @for (outcome, count) in present(counts).filter(|(outcome, _)| *outcome != Outcome::Pass) {
            @let (sign, tone) = outcome_sign(outcome);
            " " span class={ "chip " (tone.class) } { span aria-hidden="true" { (sign) } " " (count) " " (outcome) }
        }
    }
}

/// Whether a vector with this outcome is one that a reader must look at.
fn is_wrong(outcome: Outcome) -> bool {
    outcome_sign(outcome).1 == Tone::BAD || outcome == Outcome::Differ
}

/// One line of text.
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

/// Text whose lines stay lines.
fn lines(text: &str) -> String {
    let mut lines: Vec<_> = text.lines().take(MOST_LINES).map(safe).collect();
    if text.lines().nth(MOST_LINES).is_some() {
        lines.push("…".into());
    }
    lines.join("\n")
}

/// The text, if it is an address that may be followed from here.
fn link(text: &str) -> Option<&str> {
    let known = ["http://", "https://"].iter().any(|scheme| text.starts_with(scheme));
    let plain = text.len() <= MOST_CHARS && visible(text) == text && !text.contains(char::is_whitespace);
    (known && plain).then_some(text)
}

/// Names for the places of vectors and clauses, each used once, whatever the reports say.
struct Anchors<'a> {
    vectors: Vec<String>,
    clauses: BTreeMap<&'a str, String>,
}

impl<'a> Anchors<'a> {
    fn of(report: &'a Report) -> Self {
        let mut taken = BTreeSet::new();
        let vectors = report.cases.iter().map(|case| unique("v", &case.name, &mut taken)).collect();
        let mut clauses = BTreeMap::new();
        for clause in report.clauses() {
            clauses.entry(clause.id.as_str()).or_insert_with(|| unique("c", &clause.id, &mut taken));
        }
        Self { vectors, clauses }
    }

    /// The place of the vector with this number.
    fn vector(&self, number: usize) -> &str {
        self.vectors.get(number).map_or("main", String::as_str)
    }

    /// The place of a clause; `None` of one that the report does not have.
    fn clause(&self, id: &str) -> Option<&str> {
        self.clauses.get(id).map(String::as_str)
    }
}

/// The place of the section with this number, which the name makes readable.
fn section_anchor(number: usize, name: &str) -> String {
    format!("s{number}-{}", slug(name))
}

fn unique(kind: &str, name: &str, taken: &mut BTreeSet<String>) -> String {
    let wanted = format!("{kind}-{}", slug(name));
    let anchor = if taken.contains(&wanted) { format!("{wanted}.{}", taken.len()) } else { wanted };
    taken.insert(anchor.clone());
    anchor
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
