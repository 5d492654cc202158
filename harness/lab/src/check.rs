//! `cargo lab check`: every property, every world, and one line that adds up.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use crate::args::CheckArgs;
use crate::report_text::grouped;
use cosmos_ttl::report::style::Align::{Left, Right};
use cosmos_ttl::report::style::{BAD, BOLD, GOOD, RenderOptions, headed_table, styled, wrapped};
use cosmos_ttl::shell::progress::during;
use cosmos_ttl::shell::{CommandError, Output, VectorsArgs, suite};
use cosmos_ttl_checker::{
    CheckReport, CheckedModel, CheckedProperty, PropertyKind, PropertyResult, Semantics,
};
use cosmos_ttl_harness::clauses::{Catalogue, Observe};

#[expect(clippy::disallowed_methods, reason = "people are told how long it took; nothing depends on it")]
pub(crate) fn check(args: &CheckArgs, look: RenderOptions) -> Result<Output, CommandError> {
    if let Some(address) = args.explorer {
        return explore(address);
    }
    let suite = suite(&VectorsArgs::default())?;
    let started = Instant::now();
    let report = during("checking every property", cosmos_ttl_checker::check);
    let took = started.elapsed();
    let text = text(&report, &suite.catalogue, took, look);
    Ok(Output { text, code: u8::from(!report.holds()) })
}

/// Serves the Explorer, which ends with the process.
fn explore(address: SocketAddr) -> Result<Output, CommandError> {
    if !address.ip().is_loopback() {
        let what = format!("{address} can be reached by other machines");
        return Err(CommandError::usage(what, "the Explorer has no password; say 127.0.0.1:PORT"));
    }
    cosmos_ttl::shell::write_stderr(&format!(
        "the model to walk through: http://{address} (Ctrl-C ends it)\n"
    ));
    match cosmos_ttl_checker::explore(Semantics::SHIPPED, address) {
        Ok(()) => Ok(String::new().into()),
        Err(err) => {
            Err(CommandError::usage(format!("{address} cannot be listened on: {err}"), "try another port"))
        }
    }
}

/// A property, and its gravest result where it was checked; of several, the nearest.
type PropertyRow<'a> = (&'a CheckedProperty, &'a PropertyResult);

/// Returns the report as text, with styles; see [`cosmos_ttl::report::style`].
pub fn text(report: &CheckReport, catalogue: &Catalogue, took: Duration, look: RenderOptions) -> String {
    let rows = rows(report);
    let parts = [
        styled(BOLD, "The model of time to live, in every reachable state of small worlds") + "\n",
        properties(&rows, look),
        worlds(report, look),
        failures(report, catalogue, look),
        end(report, &rows, catalogue, took, look),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Each property once, those of a section together, in the order in which they are first met.
fn rows(report: &CheckReport) -> Vec<PropertyRow<'_>> {
    let mut rows: Vec<PropertyRow<'_>> = Vec::new();
    for property in report.models.iter().flat_map(|model| &model.properties) {
        let key = |one: &CheckedProperty| (one.kind, one.clauses, one.sentence);
        match rows.iter_mut().find(|(row, _)| key(row) == key(property)) {
            Some((_, outcome)) if rank(&property.result) < rank(outcome) => *outcome = &property.result,
            Some(_) => {}
            None => rows.push((property, &property.result)),
        }
    }
    let sections: Vec<_> = rows.iter().map(|(row, _)| row.section).collect();
    rows.sort_by_key(|(row, _)| sections.iter().position(|section| *section == row.section));
    rows
}

/// Returns the rank of an outcome: of several, the least is shown.
fn rank(outcome: &PropertyResult) -> (bool, usize) {
    match outcome {
        PropertyResult::Found(trace) => (true, trace.steps),
        PropertyResult::Violated(trace) => (false, trace.steps),
        outcome => (outcome.is_good(), 0),
    }
}

fn properties(rows: &[PropertyRow<'_>], look: RenderOptions) -> String {
    let cells = |(property, outcome): &PropertyRow<'_>| {
        let mark = if outcome.is_good() { "✓" } else { "✗" };
        let kind = match property.kind {
            PropertyKind::Always => "always",
            PropertyKind::Sometimes => "sometimes",
        };
        let clauses = property.clauses.join(", ");
        vec![format!("  {mark} {kind}"), in_words(outcome), format!("{} ({clauses})", property.sentence)]
    };
    let sections = rows.chunk_by(|(one, _), (other, _)| one.section == other.section);
    let groups = sections.filter_map(|rows| {
        let (first, _) = rows.first()?;
        Some((first.section, rows.iter().map(cells).collect()))
    });
    let columns =
        [("property", Left), ("result", Left), ("what it says (and the clauses that say so)", Left)];
    grouped(&columns, groups, look).join("\n") + "\n"
}

fn in_words(outcome: &PropertyResult) -> String {
    match outcome {
        PropertyResult::Held => "held".into(),
        PropertyResult::Found(trace) if trace.steps == 1 => "found in 1 step".into(),
        PropertyResult::Found(trace) => format!("found in {} steps", trace.steps),
        PropertyResult::Violated(trace) => format!("BROKEN in {}", trace.steps),
        PropertyResult::NotFound => "NOT FOUND".into(),
    }
}

fn worlds(report: &CheckReport, look: RenderOptions) -> String {
    let rows = report.models.iter().map(|model| {
        let CheckedModel { name, about, unique_states, steps, depth, properties, .. } = model;
        let numbers = [*unique_states, *steps, *depth, properties.len()].map(|number| number.to_string());
        [(*name).to_owned()].into_iter().chain(numbers).chain([(*about).to_owned()]).collect()
    });
    let numbers = ["states", "steps", "depth", "properties"].map(|name| (name, Right));
    let columns = [&[("world", Left)], &numbers[..], &[("", Left)]].concat();
    headed_table(&columns, rows.collect(), look.table_width).join("\n") + "\n"
}

/// Everything that is not as it must be, each with the shortest way to it.
fn failures(report: &CheckReport, catalogue: &Catalogue, look: RenderOptions) -> String {
    let failures = report.failures().map(|(model, property)| failure(model, property, catalogue, look));
    failures.collect::<Vec<_>>().join("\n")
}

fn failure(
    model: &CheckedModel,
    property: &CheckedProperty,
    catalogue: &Catalogue,
    look: RenderOptions,
) -> String {
    let mut lines = vec![format!("world: {} ({})", model.name, model.about)];
    for clause in property.clauses.iter().filter_map(|id| catalogue.get(id)) {
        lines.push(format!("{} ({}, {}): {}", clause.id, clause.level, clause.evidence, clause.says));
    }
    if let PropertyResult::Violated(trace) = &property.result {
        lines.push("the shortest way to it:".to_owned());
        lines.extend(trace.lines.iter().map(|line| format!("  {line}")));
    } else {
        let line = "no reachable step shows it: what its partner says may hold vacuously";
        lines.push(line.to_owned());
    }
    titled(property.sentence, &lines, look)
}

fn titled(title: &str, lines: &[String], look: RenderOptions) -> String {
    let title = wrapped(&format!("error: {title}"), look.width, "       ");
    let title = title.replacen("error", &styled(BAD, "error"), 1);
    let lines = lines.iter().map(|line| wrapped(&format!("  {line}"), look.width, "    "));
    title + "\n" + &lines.collect::<Vec<_>>().join("\n") + "\n"
}

fn end(
    report: &CheckReport,
    rows: &[PropertyRow<'_>],
    catalogue: &Catalogue,
    took: Duration,
    look: RenderOptions,
) -> String {
    let good = rows.iter().filter(|(_, outcome)| outcome.is_good()).count();
    let counts = format!("{good} of {} properties hold, in {:.1} s", rows.len(), took.as_secs_f64());
    let said = if report.holds() {
        styled(GOOD, "holds") + ": in every state that can be reached the model does what the clauses say"
    } else {
        styled(BAD, "broken") + ": the model and the clauses disagree; see above"
    };
    let only = only_the_model(rows, catalogue);
    format!("{counts}\n{}\n{said}\n", wrapped(&only, look.width, "  "))
}

/// How many of the clauses that no client can see are stated by a property.
fn only_the_model(rows: &[PropertyRow<'_>], catalogue: &Catalogue) -> String {
    let stated = |id: &str| rows.iter().any(|(row, _)| row.clauses.contains(&id));
    let unseen: Vec<_> = catalogue.clauses().filter(|clause| clause.observe == Observe::Model).collect();
    let missing: Vec<_> = unseen.iter().map(|clause| clause.id.as_str()).filter(|id| !stated(id)).collect();
    let count = unseen.len() - missing.len();
    let start =
        format!("{count} of {} clauses that no client can see are stated by a property", unseen.len());
    if missing.is_empty() { start } else { format!("{start}; not {}", missing.join(", ")) }
}
