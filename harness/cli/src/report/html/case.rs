//! One vector on the page: its outcome, its requests, its text, the command that repeats it; and the drawing of a failure.

use maud::{Markup, html};

use super::drawing::drawing;
use super::{Anchors, MOST_LINES, is_wrong, lines, safe, sentence, verdict};
use crate::report::{Case, Excerpt, Listed, Report, ReportedStep};

/// No vector is shown with more requests than this.
const MOST_STEPS: usize = 200;

/// A vector whose requests are not shown: its outcome, its failure in a line, and the command that repeats it.
pub(super) fn brief(anchor: &str, case: &Case) -> Markup {
    html! {
        div.vector.brief id=(anchor) {
            p { (verdict(case.verdict)) " " code { (safe(&case.name)) } " " span.title { (sentence(&case.title)) } }
            @if let Some(why) = case.why().filter(|why| !why.is_empty()) {
                p.because { (safe(why)) }
                pre.command tabindex="0" { code { (lines(&case.again)) } }
            }
        }
    }
}

pub(super) fn case(report: &Report, anchors: &Anchors<'_>, anchor: &str, case: &Case, open: bool) -> Markup {
    let clauses = case.failure.iter().flat_map(|_| case.accused()).filter_map(|id| report.clause(id));
    html! {
        details.vector.wrong[is_wrong(case.verdict)] open[open] {
            summary {
                h4 { (verdict(case.verdict)) " " code { (safe(&case.name)) } }
                span.title { (sentence(&case.title)) }
            }
            // A browser that is sent to this place opens what it is in.
            div.body id=(anchor) {
                p.cites {
                    (case.level) ": "
                    @for (number, id) in case.clauses.iter().enumerate() {
                        @if number > 0 { ", " }
                        @if let Some(anchor) = anchors.clauses.get(id.as_str()) { a href={ "#" (anchor) } { (safe(id)) } } @else { (safe(id)) }
                    }
                }
                @if let Some(accusation) = case.accusation() { p.cites { (sentence(accusation)) } }
                @for clause in clauses { blockquote { (sentence(&clause.says)) } }
                @if let Some(failure) = &case.failure {
                    dl.differs {
                        div { dt { "Request" } dd { (failure.step.saturating_add(1)) ", at " (failure.at_s) " s" } }
                        div { dt { "Expected" } dd { code { (safe(&failure.expected)) } } }
                        div.bad { dt { span aria-hidden="true" { "✗ " } "Answered" } dd { code { (safe(&failure.got)) } } }
                        @if let Some(removal) = &failure.removal { div { dt { "Removal" } dd { (safe(removal)) } } }
                    }
                    (drawing(case, failure, anchor))
                } @else if let Some(why) = case.why().filter(|why| !why.is_empty()) {
                    p.because { (safe(why)) }
                }
                @if let Some(known) = &case.known { (self::known(known)) }
                (steps(case))
                @if !case.choices.is_empty() {
                    p.chose {
                        "Chosen where it may: "
                        @for choice in case.choices.iter().take(MOST_STEPS) {
                            span.chip { code { (safe(&choice.clause)) } " " strong { (safe(&choice.value)) } " at request " (choice.step.saturating_add(1)) } " "
                        }
                    }
                }
                @if let Some(failure) = &case.failure { (excerpt(&failure.source)) }
                @if let Some(log) = &case.log {
                    h5 { "What the target wrote meanwhile" }
                    pre tabindex="0" { code { (lines(log)) } }
                }
                h5 { "Repeat it" }
                pre.command tabindex="0" { code { (lines(&case.again)) } }
                p.digest { "Lasts " (case.span_s) " s. Digest " code { (safe(&case.digest)) } }
            }
        }
    }
}

fn known(known: &Listed) -> Markup {
    html! {
        div.known {
            p { strong { "On the list of known failures: " } (safe(&known.reason)) }
            @if let Some(signature) = &known.signature { p { "Known to fail so: " code { (safe(signature)) } } }
        }
    }
}

fn steps(case: &Case) -> Markup {
    let windows = case.steps.iter().any(|step| step.window.is_some());
    let failing = case.failure.as_ref().map(|failure| failure.step);
    let more = case.steps.len().saturating_sub(MOST_STEPS);
    html! {
        div.scroll tabindex="0" role="region" aria-label={ "Requests of " (safe(&case.name)) } {
            table.steps {
                thead {
                    tr {
                        @for name in ["#", "At"] { th.number scope="col" { (name) } }
                        @for name in ["Asked", "Expected", "Answered"] { th scope="col" { (name) } }
                        @if windows { th.number scope="col" { "In second, since 1970" } }
                    }
                }
                tbody {
                    @for (number, step) in case.steps.iter().enumerate().take(MOST_STEPS) {
                        tr.bad[failing == Some(number)] {
                            th.number scope="row" { (as_expected(step)) (number + 1) }
                            (cells(step))
                            @if windows {
                                // The seconds in which the target may have dealt with the request.
                                td.number { @if let Some([first, last]) = step.window { (first) @if first != last { " to " (last) } } }
                            }
                        }
                    }
                }
            }
        }
        @if more > 0 { p { "And " (more) " more requests, in the report as JSON." } }
    }
}

/// A sign before the number of a step, and its word for readers who do not see it.
fn as_expected(step: &ReportedStep) -> Markup {
    let (class, sign, word) = match step.as_expected {
        Some(true) => ("good", "✓", "as expected"),
        Some(false) => ("bad", "✗", "not as expected"),
        None => ("dim", "·", "not asked"),
    };
    html! { span class=(class) title=(word) { span aria-hidden="true" { (sign) } span.hidden { (word) } } " " }
}

fn cells(step: &ReportedStep) -> Markup {
    html! {
        td.number { (step.at_s) " s" }
        td { code { (safe(&step.asked)) } }
        td { code { (safe(&step.expected)) } }
        td { @match &step.answered { Some(answered) => code { (safe(answered)) }, None => span.dim { "–" } } }
    }
}

fn excerpt(excerpt: &Excerpt) -> Markup {
    let mut from = 0;
    let lines = excerpt.text.split('\n').enumerate().take(MOST_LINES).map(|(number, line)| {
        let parts = parts(line, from, excerpt);
        from += line.len() + 1;
        (excerpt.line.saturating_add(number), parts)
    });
    html! {
        h5 { "As it is written, from " code { (safe(&excerpt.file)) ":" (excerpt.line) } }
        pre.source tabindex="0" {
            code {
                @for (number, (before, marked, after)) in lines {
                    span.line.at[!marked.is_empty()] {
                        span.n { (number) }
                        (safe(before)) @if !marked.is_empty() { mark { (safe(marked)) } } (safe(after)) "\n"
                    }
                }
            }
        }
    }
}

/// The parts of a line before, in and after the place; a place that is no place marks nothing.
fn parts<'a>(line: &'a str, from: usize, excerpt: &Excerpt) -> (&'a str, &'a str, &'a str) {
    let start = excerpt.start.saturating_sub(from).min(line.len());
    let end = excerpt.end.saturating_sub(from).min(line.len());
    match (line.get(..start), line.get(start..end), line.get(end..)) {
        (Some(before), Some(marked), Some(after)) => (before, marked, after),
        _ => (line, "", ""),
    }
}
