//! What stands first: who was tested, what came of it, and how it is known.

use maud::{Markup, html};

use super::marks;
use super::safe::said;
use crate::text::end;
use crate::{Outcome, Report};

/// The target in a few words.
pub(super) fn who(report: &Report) -> String {
    let target = &report.target;
    match target.version.as_str() {
        "" | "unknown" => said(&target.name),
        version => format!("{} {}", said(&target.name), said(version)),
    }
}

/// The conclusion in a word, and that it is not of all where it is not.
pub(super) fn verdict(report: &Report) -> String {
    let incomplete = if report.complete { "" } else { ", INCOMPLETE" };
    said(&report.conclusion) + incomplete
}

pub(super) fn head(report: &Report) -> Markup {
    let (sign, class) = marks::conclusion(&report.conclusion);
    html! {
        header {
            p.eyebrow { "Time to live in Azure Cosmos DB, clause by clause" }
            h1 { bdi { (who(report)) } }
            div class={ "result " (class) } {
                p.word { span.mark aria-hidden="true" { (sign) } " " (said(&report.conclusion)) }
                p.why { (said(&end::conclusion(report))) "." span.code { " Exit code " (report.exit_code) "." } }
            }
            (incomplete(report))
            (sum(report))
        }
    }
}

/// Outcome aloud: whatever stands below is not all.
fn incomplete(report: &Report) -> Markup {
    let why = report.incomplete.as_deref().unwrap_or("the report does not say why");
    html! {
        @if !report.complete {
            div.result.bad.incomplete role="note" {
                p.word { span.mark aria-hidden="true" { "!" } " INCOMPLETE" }
                p.why { (said(why)) ". What is not in this report may be wrong." }
            }
        }
    }
}

/// The denominators, which add up, and the same as a bar.
fn sum(report: &Report) -> Markup {
    let mut from = 0_usize;
    let mut parts = Vec::new();
    for one in Outcome::ALL {
        let count = report.counts.get(one);
        if 0 < count {
            parts.push((from, count, marks::sign(one).1));
            from = from.saturating_add(count);
        }
    }
    html! {
        p.sum { (said(&end::sum(report))) }
        @if 0 < from {
            svg.bar viewBox={ "0 0 " (from) " 1" } preserveAspectRatio="none" aria-hidden="true" focusable="false" {
                @for (at, count, class) in &parts { rect class=(class) x=(at) y="0" width=(count) height="1" {} }
            }
        }
    }
}

/// Everything that says what exactly was tested, and with what.
pub(super) fn facts(report: &Report) -> Markup {
    let target = &report.target;
    let filters = match report.vectors.filters.as_slice() {
        [] => format!("all {}, from {}", report.vectors.all, said(&report.vectors.origin)),
        filters => {
            let (some, all) = (report.counts.vectors, report.vectors.all);
            format!("{some} of {all} ({}), from {}", said(&filters.join(", ")), said(&report.vectors.origin))
        }
    };
    let facts = [
        ("Target", said(&target.asked)),
        ("Clock", clock(report)),
        ("Editions", said(&target.editions.join(", "))),
        ("Removal", said(&target.removals.join(", "))),
        ("Vectors", filters),
        ("Profile", report.vectors.profile.as_deref().map(said).unwrap_or_default()),
        ("Requests answered", report.requests.to_string()),
        ("A should that differs", (if report.strict { "fails the run" } else { "is reported" }).into()),
        ("Known failures", report.known.as_deref().map(said).unwrap_or_default()),
        ("Harness", said(&report.harness)),
        ("Seed", report.seed.map(|seed| seed.to_string()).unwrap_or_default()),
        ("Digest of the vectors", said(&report.digests.vectors)),
        ("Digest of the rules", said(&report.digests.model)),
    ];
    html! {
        dl.facts {
            @for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
                div { dt { (name) } dd { bdi { (value) } } }
            }
        }
    }
}

fn clock(report: &Report) -> String {
    match (report.target.clock.as_str(), report.target.clock_width_us) {
        ("virtual", _) => "moved by the harness, so every second is exact".into(),
        (_, None) => "runs by itself".into(),
        (_, Some(width_us)) => {
            let (s, ms) = (width_us / 1_000_000, width_us % 1_000_000 / 1_000);
            format!("runs by itself; known in the end to within {s}.{ms:03} s")
        }
    }
}
