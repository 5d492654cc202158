//! `cargo lab check`: every property, every world, and one line that adds up; and what the checker found as a vector.

mod page;

use std::net::SocketAddr;
use std::slice;
use std::time::{Duration, Instant};

pub use self::page::json;

use crate::args::CheckArgs;
use cosmos_ttl::shell::progress::during;
use cosmos_ttl::shell::{CommandError, Format, Output, VectorsArgs, suite};
use cosmos_ttl_checker::{
    CheckReport, CheckScope, CheckedModel, CheckedProperty, ExplorerLabels, ModelAction, PropertyKind,
    PropertyResult, STALE, Shipped, Trace, TraceEvent,
};
use cosmos_ttl_harness::clauses::{Catalogue, Observe};
use cosmos_ttl_harness::describe;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Operation, Request, Status};
use cosmos_ttl_harness::vector::render::{self, VectorText};
use cosmos_ttl_harness::vector::{Condition, Details, Expect, ExpectedResponse};
use cosmos_ttl_model::container::{
    Content, Item, ItemId, Operation as ModelOperation, Request as ModelRequest, Response, SettingsDraft,
};
use cosmos_ttl_model::rule::{ItemTtl, Wire};
use cosmos_ttl_reference::translate::{self, Names};
use cosmos_ttl_report::style::Align::{Left, Right};
use cosmos_ttl_report::style::{BAD, BOLD, GOOD, RenderOptions, headed_table, styled, wrapped};

#[expect(clippy::disallowed_methods, reason = "people are told how long it took; nothing depends on it")]
pub(crate) fn check(args: &CheckArgs, look: RenderOptions) -> Result<Output, CommandError> {
    if let Some(address) = args.explorer {
        return explore(address, args.anywhere);
    }
    let suite = suite(&VectorsArgs::default())?;
    let started = Instant::now();
    let report = during("checking every property", || cosmos_ttl_checker::check(CheckScope::Standard));
    let took = started.elapsed();
    let code = u8::from(!report.holds());
    let text = match args.format {
        Format::Text => text(&report, &suite.catalogue, took, look),
        Format::Json => json(&report),
    };
    Ok(Output { text, code })
}

/// Serves the Explorer, which ends with the process.
fn explore(address: SocketAddr, anywhere: bool) -> Result<Output, CommandError> {
    if !anywhere && !address.ip().is_loopback() {
        return Err(CommandError::usage(
            format!("{address} can be reached by other machines"),
            "the Explorer has no password; say 127.0.0.1:PORT, or --anywhere if that is meant",
        ));
    }
    cosmos_ttl::shell::write_stderr(&format!(
        "the model to walk through: http://{address} (Ctrl-C ends it)\n"
    ));
    match cosmos_ttl_checker::explore(Shipped, CheckScope::Standard, address, labels()) {
        Ok(()) => Ok(String::new().into()),
        Err(err) => {
            Err(CommandError::usage(format!("{address} cannot be listened on: {err}"), "try another port"))
        }
    }
}

/// A property, and its gravest result where it was checked; of several, the nearest.
type PropertyRow<'a> = (&'a CheckedProperty, &'a PropertyResult);

/// Returns the report as text, with styles; see [`cosmos_ttl_report::style`].
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

/// Each property once, in the order in which they are first met, those of a section and of its clauses together.
fn rows(report: &CheckReport) -> Vec<PropertyRow<'_>> {
    let mut rows: Vec<PropertyRow<'_>> = Vec::new();
    for property in report.models.iter().flat_map(|model| &model.properties) {
        let same = |row: &&mut PropertyRow<'_>| {
            let key = |one: &CheckedProperty| (one.kind, one.clauses, one.sentence);
            key(row.0) == key(property)
        };
        match rows.iter_mut().find(same) {
            Some((_, outcome)) if rank(&property.result) < rank(outcome) => *outcome = &property.result,
            Some(_) => {}
            None => {
                let last = |same: &dyn Fn(&CheckedProperty) -> bool| {
                    rows.iter().rposition(|(row, _)| row.section == property.section && same(row))
                };
                let of_clauses = last(&|other| other.clauses == property.clauses);
                let at = of_clauses.or_else(|| last(&|_| true)).map_or(rows.len(), |last| last + 1);
                rows.insert(at, (property, &property.result));
            }
        }
    }
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
    let sections = rows.chunk_by(|(one, _), (other, _)| one.section == other.section).map(|rows| {
        let mut lines = Vec::new();
        lines.extend(rows.first().map(|(first, _)| styled(BOLD, first.section)));
        for rows in rows.chunk_by(|(one, _), (other, _)| one.clauses == other.clauses) {
            let clauses = rows.first().map(|(first, _)| format!("  {}", first.clauses.join(", ")));
            lines.extend(clauses.map(|clauses| wrapped(&clauses, look.width, "  ")));
            lines.extend(rows.iter().map(|(property, outcome)| line(property, outcome, look)));
        }
        lines.join("\n") + "\n"
    });
    sections.collect::<Vec<_>>().join("\n")
}

fn line(property: &CheckedProperty, outcome: &PropertyResult, look: RenderOptions) -> String {
    let kind = match property.kind {
        PropertyKind::Always => "always",
        PropertyKind::Sometimes => "sometimes",
    };
    let (mark, style) = if outcome.is_good() { ("✓", GOOD) } else { ("✗", BAD) };
    let start = format!("    {mark} {kind:<9}  {:<16}  ", in_words(outcome));
    let indent = " ".repeat(start.chars().count());
    let line = wrapped(&(start + property.sentence), look.width, &indent);
    line.replacen(mark, &styled(style, mark), 1)
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
    let broken = report.failures().map(|(model, property)| failure(model, property, catalogue, look));
    let disagree = report.models.iter().filter_map(|model| {
        let why = model.disagreement.as_ref()?;
        Some(titled(
            &format!("two searches of the world `{}` disagree", model.name),
            slice::from_ref(why),
            look,
        ))
    });
    broken.chain(disagree).collect::<Vec<_>>().join("\n")
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
    let vector = if let PropertyResult::Violated(trace) = &property.result {
        lines.push("the shortest way to it, as a vector:".to_owned());
        format!("\n{}", vector(property, trace))
    } else {
        let line = "no reachable step shows it: what its partner says may hold for want of occasion";
        lines.push(line.to_owned());
        String::new()
    };
    titled(property.sentence, &lines, look) + &vector
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
    let count = |good: bool, kind: PropertyKind| {
        rows.iter().filter(|(row, outcome)| outcome.is_good() == good && row.kind == kind).count()
    };
    let parts = [
        (count(true, PropertyKind::Always), "hold"),
        (count(true, PropertyKind::Sometimes), "found"),
        (count(false, PropertyKind::Always), "broken"),
        (count(false, PropertyKind::Sometimes), "not found"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let sum = parts.map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(" + ");
    let seconds = format!("{:.1} s", took.as_secs_f64());
    let said = if report.holds() {
        styled(GOOD, "holds") + ": in every state that can be reached the model does what the clauses say"
    } else {
        styled(BAD, "broken") + ": the model and the clauses disagree; see above"
    };
    let only = only_the_model(rows, catalogue);
    format!("{} properties = {sum}, in {seconds}\n{}\n{said}\n", rows.len(), wrapped(&only, look.width, "  "))
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

/// Returns a trace as a file of one vector, with a comment for each event that the format cannot say.
pub fn vector(property: &CheckedProperty, trace: &Trace) -> String {
    let note = format!(
        "# A shortest path found by the checker, {} steps; the answers are the model's.\n",
        trace.steps
    );
    let mut clock = EventClock::default();
    let mut steps = vec![step(&opening(trace.opening), &[], created())];
    steps.extend(trace.events.iter().flat_map(|event| clock.lines(event)));
    let lines = render::vector(&VectorText {
        id: &format!("found-{}", property.clauses.first().copied().unwrap_or("nothing")),
        title: property.sentence,
        clauses: property.clauses,
        edition: None,
        steps: &steps,
    });
    render::head("schema.json", &note, property.section) + &lines.join("\n") + "\n"
}

/// Returns labels for people who walk through the model by hand.
pub fn labels() -> ExplorerLabels {
    ExplorerLabels {
        action: |action| match action {
            ModelAction::Ask(asked) => {
                let (request, conditions) = request(asked);
                describe::request(&request, &conditions)
            }
            ModelAction::Open(draft) => describe::request(&opening(*draft), &[]),
            ModelAction::Pass => "a second passes".into(),
            ModelAction::Remove(id) => removal(*id),
            ModelAction::CatchUp => "the index catches up".into(),
            ModelAction::EndSecond(_) => "the second ends".into(),
            ModelAction::Pick(id) => format!("the sweeper picks {}", name(*id)),
            ModelAction::Sweep(id) => format!("the sweeper removes {}, if its guard allows", name(*id)),
        },
        events: |events| {
            let mut clock = EventClock::default();
            events.iter().flat_map(|event| clock.lines(event)).collect()
        },
    }
}

/// Which second it is, and which one the reader was told last.
#[derive(Default)]
struct EventClock {
    now: i64,
    told: i64,
}

impl EventClock {
    /// The lines of an event, and a step that moves the clock where one is due.
    fn lines(&mut self, event: &TraceEvent) -> Vec<String> {
        let here = |what: String| format!("# here {what}");
        let line = match event {
            TraceEvent::Passed => {
                self.now += 1;
                return Vec::new();
            }
            TraceEvent::Asked { request: asked, response, oldest } => {
                let (request, conditions) = request(asked);
                step(&request, &conditions, expected(response, self.now, *oldest))
            }
            TraceEvent::Opened { draft, response } => {
                let expected = match response {
                    Response::Configured => created(),
                    other => expected(other, self.now, 0),
                };
                here(step(&opening(*draft), &[], expected))
            }
            TraceEvent::RemovedAtDeadline(response) => {
                // It is not known here which second the response speaks of.
                let expected = render::expected_response(&expected(response, i64::MAX, 0), &[]);
                let answered = expected.unwrap_or_else(|why| why.to_string());
                here(format!("a store that removes at the deadline answers {answered}"))
            }
            TraceEvent::Removed(id) => here(removal(*id)),
            TraceEvent::CaughtUp => here("the index has caught up".into()),
            TraceEvent::Picked(id) => here(format!("the sweeper picks {}", name(*id))),
            TraceEvent::Spared(id) => here(format!("the sweeper leaves {} alone", name(*id))),
        };
        let moved = (self.told != self.now).then(|| render::at(u64::try_from(self.now).unwrap_or(0)));
        self.told = self.now;
        moved.into_iter().chain([line]).collect()
    }
}

fn step(request: &Request, conditions: &[(usize, Condition)], expected: ExpectedResponse) -> String {
    let step = render::step(request, conditions, &Expect::One(expected), &[]);
    step.unwrap_or_else(|why| format!("# here {}: {why}", describe::request(request, conditions)))
}

fn created() -> ExpectedResponse {
    ExpectedResponse::Status(Status::Created, Details::default())
}

fn opening(draft: SettingsDraft) -> Request {
    Request::CreateContainer(translate::container(draft))
}

/// Items are called a and b.
fn names() -> Names {
    Names::of(&["a", "b"].map(str::to_owned))
}

fn name(id: ItemId) -> String {
    names().name(id).to_owned()
}

fn removal(id: ItemId) -> String {
    format!("the background removes {}", name(id))
}

/// A request as a client sends it, and what its writes are conditional on. A patch tells its content.
fn request(asked: &ModelRequest) -> (Request, Vec<(usize, Condition)>) {
    let mut request = names().client_request(asked);
    let (operations, sent) = match (asked, &mut request) {
        (ModelRequest::Item(operation), Request::Item(sent)) => {
            (slice::from_ref(operation), slice::from_mut(sent))
        }
        (ModelRequest::Batch(operations), Request::Batch(sent)) => (&operations[..], &mut sent[..]),
        _ => Default::default(),
    };
    let mut conditions = Vec::new();
    for (number, (operation, sent)) in operations.iter().zip(sent).enumerate() {
        let if_match = match (operation, sent) {
            (ModelOperation::Patch { content, if_match, .. }, Operation::Patch(patch, _)) => {
                let value = content.map(|Content(value)| Literal::from(i64::from(value)));
                patch.set.extend(value.map(|value| ("value".into(), value)));
                *if_match
            }
            (ModelOperation::Replace { if_match, .. } | ModelOperation::Delete { if_match, .. }, _) => {
                *if_match
            }
            _ => None,
        };
        let condition = |etag| if etag == STALE { Condition::Stale } else { Condition::Seen };
        conditions.extend(if_match.map(|etag| (number, condition(etag))));
    }
    (request, conditions)
}

/// Returns the model's answer as an expectation.
fn expected(response: &Response, now: i64, oldest: i64) -> ExpectedResponse {
    match response {
        Response::Ids(ids) => ExpectedResponse::Ids(ids.iter().map(|id| name(*id)).collect()),
        Response::Count(count) => ExpectedResponse::Count(u64::try_from(*count).unwrap_or(u64::MAX)),
        Response::Committed(all) => ExpectedResponse::Committed(all.iter().map(translate::status).collect()),
        Response::Aborted { at, refusal } => ExpectedResponse::Aborted(*at, translate::refused(*refusal)),
        Response::Created(item) | Response::Ok(item) | Response::Found(item) => {
            ExpectedResponse::Status(translate::status(response), details(item, now, oldest))
        }
        _ => ExpectedResponse::Status(translate::status(response), Details::default()),
    }
}

/// Returns what a client sends for this `ttl`.
fn wire(ttl: ItemTtl) -> Wire {
    match ttl {
        ItemTtl::Inherit => Wire::Absent,
        ItemTtl::Never => Wire::Whole(-1),
        ItemTtl::Seconds(seconds) => Wire::Whole(seconds.get()),
    }
}

/// The `ttl`, and the second of the last write where it is not too long ago to tell.
fn details(item: &Item, now: i64, oldest: i64) -> Details {
    let mut details = Details::default();
    match translate::literal(wire(item.ttl)) {
        Some(ttl) => drop(details.has.insert("ttl".into(), ttl)),
        None => details.absent.push("ttl".into()),
    }
    if item.ts > -oldest || now <= oldest {
        details.written_at_s = u64::try_from(now.saturating_add(item.ts)).ok();
    }
    details
}
