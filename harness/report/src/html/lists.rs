//! Ways into the page: its contents, the vectors by verdict, and what a target chose where it may.

use maud::{Markup, html};

use super::anchor::{self, Anchors};
use super::marks;
use super::safe::{cut, said};
use crate::{Case, Clause, Outcome, Report};
use cosmos_ttl_harness::clauses::Binds;

/// No reason is repeated in a list longer than this.
const MOST_CHARS: usize = 160;

pub(super) fn contents(report: &Report) -> Markup {
    let there = |one: &Outcome| *one != Outcome::Pass && 0 < report.counts.get(*one);
    html! {
        nav aria-label="On this page" {
            ul {
                li { a href="#sections" { "All sections" } }
                @for one in Outcome::ALL.into_iter().filter(there) {
                    @let (sign, class) = marks::sign(one);
                    li {
                        a href={ "#" (list_anchor(one)) } {
                            span class={ "mark " (class) } aria-hidden="true" { (sign) } " " (report.counts.get(one)) " " (one)
                        }
                    }
                }
                @for (number, section) in report.sections.iter().enumerate() {
                    li { a href={ "#" (anchor::section(number, &section.name)) } { (said(&section.name)) } }
                }
            }
        }
    }
}

/// What the list of known failures says and is not so any more.
pub(super) fn stale(report: &Report) -> Markup {
    html! {
        @if !report.stale.is_empty() {
            section.stale aria-labelledby="stale" {
                h2 id="stale" { span.mark.bad aria-hidden="true" { "!" } " The list of known failures is not true any more" }
                ul { @for line in &report.stale { li { (said(line)) } } }
            }
        }
    }
}

/// What the target did wrong while no vector was being replayed.
pub(super) fn mishaps(report: &Report) -> Markup {
    html! {
        @if !report.mishaps.is_empty() {
            section.stale aria-labelledby="mishaps" {
                h2 id="mishaps" { span.mark.bad aria-hidden="true" { "!" } " The target broke while no vector was being replayed" }
                ul { @for line in &report.mishaps { li { (said(line)) } } }
            }
        }
    }
}

fn list_anchor(one: Outcome) -> String {
    format!("all-{}", one.word().replace(' ', "-"))
}

/// Every vector that did not just pass, by verdict; those that somebody must look at stand open.
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
    html! {
        @for one in order.into_iter().filter(|one| 0 < report.counts.get(*one)) {
            (list(report, anchors, one))
        }
    }
}

fn list(report: &Report, anchors: &Anchors<'_>, one: Outcome) -> Markup {
    let cases = report.cases.iter().enumerate().filter(|(_, case)| case.verdict == one);
    let (sign, class) = marks::sign(one);
    html! {
        details.list id=(list_anchor(one)) open[marks::is_wrong(one)] {
            summary {
                h2 {
                    span class={ "mark " (class) } aria-hidden="true" { (sign) } " "
                    (report.counts.get(one)) " " (heading(one, report.counts.get(one)))
                }
            }
            ol {
                @for (number, case) in cases {
                    li {
                        a href={ "#" (anchors.vector(number)) } { (said(&case.name)) }
                        " " span.reason { (cut(reason(case), MOST_CHARS)) }
                    }
                }
            }
        }
    }
}

fn heading(one: Outcome, count: usize) -> String {
    let vectors = if count == 1 { "vector" } else { "vectors" };
    match one {
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

/// Why, in a line.
pub(super) fn reason(case: &Case) -> &str {
    let reason = case.failure.as_ref().map(|failure| failure.signature.as_str());
    reason.or(case.reason.as_deref()).unwrap_or("")
}

/// What the target chose where it may.
pub(super) fn choices(report: &Report) -> Markup {
    let open: Vec<_> = report.clauses().filter(|clause| !clause.choices.is_empty()).collect();
    html! {
        @if !open.is_empty() {
            section aria-labelledby="choices" {
                h2 id="choices" { "Where the documents leave a choice" }
                p { "Each listed answer is allowed; how often this target was seen to choose each is what tells it apart." }
                div.scroll tabindex="0" role="region" aria-labelledby="choices" {
                    table {
                        thead {
                            tr { th scope="col" { "Clause" } th scope="col" { "Chosen, and how often" } th scope="col" { "Must be kept" } }
                        }
                        tbody { @for clause in open { (choice(clause)) } }
                    }
                }
            }
        }
    }
}

fn choice(clause: &Clause) -> Markup {
    let binds = match clause.binds {
        Some(Binds::Target) => "in all vectors",
        Some(Binds::Item) => "by one item",
        Some(Binds::Nothing) | None => "no",
    };
    let seen = clause.choices.iter().any(|choice| 0 < choice.seen);
    html! {
        tr {
            th scope="row" { code { (said(&clause.id)) } }
            td {
                @for choice in clause.choices.iter().filter(|choice| 0 < choice.seen) {
                    span.chip { strong { (said(&choice.value)) } " " (choice.seen) } " "
                }
                @if !seen { span.dim { "not seen" } }
            }
            td { (binds) }
        }
    }
}
