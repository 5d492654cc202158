//! One vector: what is said of it, what happened, and the command that repeats it.

use maud::{Markup, html};

use super::anchor::Anchors;
use super::safe::{lines, link, said, sentence};
use super::{drawing, lists, marks, source};
use crate::{Case, Failure, Known, Report, Step};
use cosmos_ttl_harness::known_failures::FailureKind;

/// No vector is shown with more requests than this.
const MOST_STEPS: usize = 200;

/// A vector, and where it is shown.
pub(super) struct Shown<'a> {
    pub(super) report: &'a Report,
    pub(super) anchors: &'a Anchors<'a>,
    pub(super) number: usize,
    pub(super) case: &'a Case,
    /// Whether it stands open.
    pub(super) open: bool,
}

pub(super) fn case(shown: &Shown<'_>) -> Markup {
    let case = shown.case;
    let anchor = shown.anchors.vector(shown.number);
    html! {
        details.vector.wrong[marks::is_wrong(case.verdict)] open[shown.open] {
            summary {
                h4 { (marks::verdict(case.verdict)) " " code { (said(&case.name)) } }
                span.title { (sentence(&case.title)) }
            }
            // A browser that is sent to this place opens what it stands in.
            div.body id=(anchor) { (body(shown, anchor)) }
        }
    }
}

fn body(shown: &Shown<'_>, anchor: &str) -> Markup {
    let case = shown.case;
    html! {
        (cites(shown))
        @if let Some(failure) = &case.failure {
            (differs(failure))
            (drawing::drawing(case, failure, anchor))
        } @else if !lists::reason(case).is_empty() {
            p.because { (said(lists::reason(case))) }
        }
        @if let Some(known) = &case.known { (self::known(known)) }
        (steps(case))
        (choices(case))
        @if let Some(failure) = &case.failure { (source::excerpt(&failure.source)) }
        @if let Some(log) = &case.log {
            h5 { "What the target wrote meanwhile" }
            pre tabindex="0" { code { (lines(log)) } }
        }
        h5 { "Repeat it" }
        pre.command tabindex="0" { code { (lines(&case.again)) } }
        p.digest { "Lasts " (case.span_s) " s. Digest " code { (said(&case.digest)) } }
    }
}

fn cites(shown: &Shown<'_>) -> Markup {
    html! {
        p.cites {
            (shown.case.level) ": "
            @for (number, id) in shown.case.clauses.iter().enumerate() {
                @if 0 < number { ", " }
                @match shown.anchors.clause(id) {
                    Some(anchor) => a href={ "#" (anchor) } { (said(id)) },
                    None => (said(id)),
                }
            }
        }
        @for clause in shown.case.failure.iter().flat_map(|_| &shown.case.clauses).filter_map(|id| shown.report.clause(id)) {
            blockquote { (sentence(&clause.says)) }
        }
    }
}

fn differs(failure: &Failure) -> Markup {
    html! {
        dl.differs {
            div { dt { "Request" } dd { (failure.step.saturating_add(1)) ", at " (failure.at_s) " s" } }
            div { dt { "Expected" } dd { code { (said(&failure.expected)) } } }
            div.bad { dt { span aria-hidden="true" { "✗ " } "Answered" } dd { code { (said(&failure.got)) } } }
            @if let Some(removal) = &failure.removal {
                div { dt { "Removal" } dd { (said(removal)) } }
            }
        }
    }
}

fn known(known: &Known) -> Markup {
    let kind = match known.kind {
        FailureKind::Bug => "a bug, to be mended",
        FailureKind::WontFix => "it stays so",
        FailureKind::Flaky => "flaky: it passes or fails from run to run",
    };
    html! {
        div.known {
            p { strong { "On the list of known failures: " } (kind) ". " (said(&known.reason)) }
            @if let Some(text) = &known.link {
                p {
                    @match link(text) {
                        Some(address) => a href=(address) rel="noopener noreferrer nofollow" { (address) },
                        None => (said(text)),
                    }
                }
            }
            @if let Some(signature) = &known.signature { p { "Known to fail so: " code { (said(signature)) } } }
        }
    }
}

fn steps(case: &Case) -> Markup {
    let windows = case.steps.iter().any(|step| step.window.is_some());
    let failing = case.failure.as_ref().map(|failure| failure.step);
    let more = case.steps.len().saturating_sub(MOST_STEPS);
    html! {
        div.scroll tabindex="0" role="region" aria-label={ "Requests of " (said(&case.name)) } {
            table.steps {
                thead {
                    tr {
                        th.number scope="col" { "#" }
                        th.number scope="col" { "At" }
                        th scope="col" { "Asked" }
                        th scope="col" { "Expected" }
                        th scope="col" { "Answered" }
                        th scope="col" { "As expected" }
                        @if windows { th.number scope="col" { "In second, since 1970" } }
                    }
                }
                tbody {
                    @for (number, step) in case.steps.iter().enumerate().take(MOST_STEPS) {
                        (row(number, step, failing == Some(number), windows))
                    }
                }
            }
        }
        @if 0 < more { p { "And " (more) " more requests, in the report as JSON." } }
    }
}

fn row(number: usize, step: &Step, failing: bool, windows: bool) -> Markup {
    html! {
        tr.bad[failing] {
            th.number scope="row" { (number.saturating_add(1)) }
            td.number { (step.at_s) " s" }
            td { code { (said(&step.asked)) } }
            td { code { (said(&step.expected)) } }
            td {
                @match &step.answered {
                    Some(answered) => code { (said(answered)) },
                    None => span.dim { "–" },
                }
            }
            td {
                @match step.as_expected {
                    Some(true) => span.good { span aria-hidden="true" { "✓" } " yes" },
                    Some(false) => span.bad { span aria-hidden="true" { "✗" } " no" },
                    None => span.dim { span aria-hidden="true" { "·" } " not asked" },
                }
            }
            @if windows { td.number { @if let Some(window) = step.window { (seconds(window)) } } }
        }
    }
}

/// The seconds in which the target may have dealt with a request.
fn seconds([first, last]: [i64; 2]) -> String {
    if first == last { first.to_string() } else { format!("{first} to {last}") }
}

fn choices(case: &Case) -> Markup {
    html! {
        @if !case.choices.is_empty() {
            p.chose {
                "Chosen where it may: "
                @for choice in case.choices.iter().take(MOST_STEPS) {
                    span.chip { code { (said(&choice.clause)) } " " strong { (said(&choice.value)) } " at request " (choice.step.saturating_add(1)) } " "
                }
            }
        }
    }
}
