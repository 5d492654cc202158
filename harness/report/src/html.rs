//! A page to look at: one report whole, or several side by side.
//!
//! The page is a single file without scripts, and it loads nothing. It is made of reports alone, and trusts none of
//! their texts: `maud` escapes whatever stands in it, and `safe` cuts it short and writes out what could steer or reorder.

mod case;
mod drawing;
mod safe;
mod sections;
mod side;

use maud::{DOCTYPE, Markup, PreEscaped, Render, html};

use self::safe::{Anchors, safe};
use super::Report;
use super::summary::{Tone, outcome_sign, present};
use super::{Counts, Outcome};

const STYLE: &str = include_str!("html/style.css");

/// Nothing but the styles of the page itself: no script, no image, no font, no request, no form.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

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
