//! A page to look at: one report whole, or several side by side.
//!
//! The page is a single file without scripts, and it loads nothing. It is made of reports alone, and trusts none of
//! their texts: `maud` escapes whatever stands in it, and one module (`safe`) cuts it short and writes out what could
//! steer or reorder.

mod anchor;
mod case;
mod diagnosis;
mod drawing;
mod head;
mod lists;
mod marks;
mod safe;
mod sections;
mod side;
mod source;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use self::anchor::Anchors;
use self::safe::said;
use super::Report;

const STYLE: &str = include_str!("html/style.css");

/// Nothing but the styles of the page itself: no script, no image, no font, no request, no form.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The page of these reports: of one all there is, of several what tells them apart.
pub fn page(reports: &[Report]) -> String {
    match reports {
        [report] => whole(&format!("{}: {}", head::who(report), head::verdict(report)), &one(report)),
        reports => {
            let names: Vec<_> = reports.iter().map(head::who).collect();
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
                title { (said(title)) " – time to live in Azure Cosmos DB" }
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
        (head::head(report))
        (lists::contents(report))
        main id="main" tabindex="-1" {
            (head::facts(report))
            (diagnosis::diagnosis(report))
            (lists::stale(report))
            (lists::mishaps(report))
            (sections::table(report))
            (lists::lists(report, &anchors))
            (lists::choices(report))
            (sections::sections(report, &anchors))
        }
        footer {
            p {
                "Made from a report of cosmos-ttl " (said(&report.harness)) "; the report as JSON has all of this for programs. "
                "Not affiliated with Microsoft."
            }
        }
    }
}
