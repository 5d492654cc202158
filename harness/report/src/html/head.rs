//! The head of a page: who was tested, what the run concludes, and how that is known.

use maud::{Markup, html};

use super::notice;
use super::safe::{safe, sentence};
use crate::Report;
use crate::summary::{Tone, conclusion_sign, outcome_sign, present};

/// The target in a few words.
pub(super) fn who(report: &Report) -> String {
    let target = &report.target;
    match target.version.as_str() {
        "" | "unknown" => safe(&target.name),
        version => format!("{} {}", safe(&target.name), safe(version)),
    }
}

pub(super) fn head(report: &Report) -> Markup {
    let why = html! { (safe(&report.sentence())) "." span.code { " Exit code " (report.exit_code) "." } };
    let incomplete = report.incomplete.as_deref().unwrap_or("the report does not say why");
    html! {
        header {
            p.eyebrow { "Time to live in Azure Cosmos DB, clause by clause" }
            h1 { bdi { (who(report)) } }
            (notice(conclusion_sign(&report.conclusion), None, "", &safe(&report.conclusion), &why))
            @if !report.complete {
                @let why = html! { (safe(incomplete)) ". What is not in this report may be wrong." };
                (notice(("!", Tone::BAD), Some("note"), " incomplete", "INCOMPLETE", &why))
            }
            p.sum { (safe(&report.sum())) }
            (bar(report))
        }
    }
}

/// The denominators, which add up, as a bar.
fn bar(report: &Report) -> Markup {
    let mut end = 0_usize;
    let parts = present(&report.counts).map(|(outcome, count)| {
        let start = end;
        end = end.saturating_add(count);
        (start, count, outcome_sign(outcome).1.class)
    });
    let parts: Vec<_> = parts.collect();
    html! {
        @if end > 0 {
            svg.bar viewBox={ "0 0 " (end) " 1" } preserveAspectRatio="none" aria-hidden="true" focusable="false" {
                @for (at, count, class) in &parts { rect class=(class) x=(at) y="0" width=(count) height="1" {} }
            }
        }
    }
}

/// Everything that says what exactly was tested, and with what.
pub(super) fn facts(report: &Report) -> Markup {
    let (target, vectors) = (&report.target, &report.vectors);
    let selected = match vectors.filters.as_slice() {
        [] => format!("all {}", vectors.all),
        filters => format!("{} of {} ({})", report.counts.vectors, vectors.all, safe(&filters.join(", "))),
    };
    let clock = match (target.clock.as_str(), target.clock_width_us) {
        ("virtual", _) => "moved by the harness, so every second is exact".into(),
        (_, None) => "runs by itself".into(),
        (_, Some(width_us)) => {
            let (s, ms) = (width_us / 1_000_000, width_us % 1_000_000 / 1_000);
            format!("runs by itself; known in the end to within {s}.{ms:03} s")
        }
    };
    let facts = [
        ("Target", safe(&target.asked)),
        ("Clock", clock),
        ("Editions", safe(&target.editions.join(", "))),
        ("Removal", safe(&target.removals.join(", "))),
        ("Vectors", format!("{selected}, from {}", safe(&vectors.origin))),
        ("Profile", vectors.profile.as_deref().map(safe).unwrap_or_default()),
        ("Requests answered", report.requests.to_string()),
        ("A should that differs", if report.strict { "fails the run" } else { "is reported" }.into()),
        ("Known failures", report.known.as_deref().map(safe).unwrap_or_default()),
        ("Harness", safe(&report.harness)),
        ("Digest of the vectors", safe(&report.digests.vectors)),
        ("Digest of the rules", safe(&report.digests.model)),
    ];
    html! {
        dl.facts {
            @for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
                div { dt { (name) } dd { bdi { (value) } } }
            }
        }
    }
}

/// Which mistake the target seems to make.
pub(super) fn diagnosis(report: &Report) -> Markup {
    html! {
        @if let Some(diagnosis) = &report.diagnosis {
            section aria-labelledby="diagnosis" {
                h2 id="diagnosis" { (diagnosis.head()) }
                ul {
                    @for like in &diagnosis.like {
                        li {
                            code { "mutant:" (safe(&like.mutant)) } ": " (sentence(&like.says))
                            " It " (diagnosis.figures(like)) "."
                        }
                    }
                    @if let Some(tail) = diagnosis.tail() { li { (tail) } }
                }
            }
        }
    }
}

/// Sentences that a reader must not miss.
pub(super) fn warning(id: &str, title: &str, lines: &[String]) -> Markup {
    html! {
        @if !lines.is_empty() {
            section.stale aria-labelledby=(id) {
                h2 id=(id) { span.mark.bad aria-hidden="true" { "!" } " " (title) }
                ul { @for line in lines { li { (safe(line)) } } }
            }
        }
    }
}
