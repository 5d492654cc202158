//! Points at the line of YAML that matters, with everything that a reader needs to judge it.

use std::cmp::Reverse;

use annotate_snippets::{Annotation, AnnotationKind, Element, Group, Level, Message, Renderer, Snippet};

use super::style::{RenderOptions, wrapped};
use super::summary::{first_of, vectors};
use super::{Case, Listed, Outcome, Report, ReportedClause, ReportedFailure};
use cosmos_ttl_harness::diagnostic::{Diagnostic, Location};
use cosmos_ttl_harness::plain::{visible, visible_lines};

/// The columns that `= note: ` and the space before it take.
const NOTE_INDENT: usize = 14;

/// A failure or a difference at its step in the vector, or a pass where a list of known failures says otherwise.
pub(crate) fn case(report: &Report, case: &Case, options: RenderOptions) -> Option<String> {
    let level = match case.verdict {
        Outcome::Differ => Level::WARNING,
        Outcome::ChangedFailure | Outcome::UnexpectedPass => {
            Level::ERROR.with_name(Some(case.verdict.word()))
        }
        _ => Level::ERROR,
    };
    let title = Group::with_title(level.primary_title(format!("{}: {}", case.name, visible(&case.title))));
    let (group, notes) = match (&case.failure, &case.known) {
        (Some(failure), _) => (title.element(snippet(failure)), notes(report, case, failure)),
        (None, Some(known)) => (title, vec![listed(known), "now every answer is as it must be".into()]),
        (None, None) => return None,
    };
    let notes = notes.iter().map(|note| Level::NOTE.message(note_text(note, options)));
    Some(render(group.elements(notes).element(again(case)), options))
}

fn snippet(failure: &ReportedFailure) -> Snippet<'_, Annotation<'_>> {
    let source = &failure.source;
    let label = format!("at {} s: expected {}, got {}", failure.at_s, failure.expected, failure.got);
    // The request's name alone is marked, so that the label has room beside it; all its lines are shown.
    let marked = source.text.get(source.start..source.end).unwrap_or("");
    let name = source.start..source.start.saturating_add(marked.find(':').unwrap_or(marked.len()));
    Snippet::source(source.text.as_str())
        .path(visible(&source.file))
        .line_start(source.line)
        .annotation(AnnotationKind::Primary.span(name).label(label))
        .annotation(AnnotationKind::Visible.span(source.start..source.end))
}

fn notes(report: &Report, case: &Case, failure: &ReportedFailure) -> Vec<String> {
    let so_far = case.so_far().into_iter().map(|line| format!("\n  {}", visible(&line)));
    let so_far = format!("so far{}", so_far.collect::<String>());
    let clauses = case.clauses.iter().filter_map(|id| report.clause(id)).map(ReportedClause::line);
    let removal = failure.removal.as_deref().map(|removal| match removal {
        "never" => "removal: never; expired items stay stored, and must be hidden all the same",
        "eager" => "removal: eager; expired items are removed at once",
        _ => "removal: alternate; expired items are removed before every second request",
    });
    let before = case.known.as_ref().map(listed).into_iter().chain([so_far]).chain(clauses);
    before.chain(removal.map(str::to_owned)).chain(log(case)).collect()
}

/// The end of what the target said beside its answers.
fn log(case: &Case) -> Option<String> {
    let lines: Vec<_> = case.log.as_deref()?.lines().collect();
    let last = lines.iter().skip(lines.len().saturating_sub(8)).map(|line| format!("\n  {}", visible(line)));
    Some(format!("its log of that time ends so{}", last.collect::<String>()))
}

fn listed(known: &Listed) -> String {
    let link = known.link.as_ref().map_or_else(String::new, |link| format!(", {link}"));
    let signature = known.signature.as_deref().unwrap_or("any failure");
    format!("listed as a known failure, {}: {}{link}\n  {signature}", known.kind, known.reason)
}

fn again(case: &Case) -> Message<'_> {
    Level::HELP.with_name(Some("again")).message(&case.again)
}

/// A note's text; its lines stay lines.
fn note_text(note: &str, options: RenderOptions) -> String {
    let width = options.width.saturating_sub(NOTE_INDENT);
    note.lines().map(|line| wrapped(line, width, "  ")).collect::<Vec<_>>().join("\n")
}

/// The vectors with an outcome that says nothing of their answers, or nothing new, by the reason for it, most first.
pub(crate) fn by_reason(report: &Report, outcome: Outcome, options: RenderOptions) -> String {
    let mut groups = report.grouped(outcome, |case| {
        let known = case.known.as_ref().filter(|_| matches!(outcome, Outcome::KnownFailure | Outcome::Flaky));
        let reason = known.map(|known| known.reason.as_str()).or(case.reason.as_deref());
        without_second(reason.unwrap_or_default()).to_owned()
    });
    groups.sort_by_key(|(_, cases)| Reverse(cases.len()));
    let Some((_, first)) = groups.first() else { return String::new() };
    let level = match outcome {
        Outcome::Broken => Level::ERROR,
        Outcome::Inconclusive | Outcome::NotRun => Level::WARNING,
        _ => Level::NOTE,
    };
    let title = level.with_name(Some(outcome.word()));
    let title = title.primary_title(vectors(report.cases(outcome).count()));
    let reasons = groups.iter().take(options.most).map(|(reason, cases)| {
        let names: Vec<_> = cases.iter().map(|case| &case.name).collect();
        format!("{reason}: {}", first_of(&names, 3, ", ", " and {} more"))
    });
    let rest = groups.len().saturating_sub(options.most);
    let more = (rest > 0).then(|| format!("and {rest} more reasons (--show N)"));
    let lines = reasons.chain(more).chain(first.iter().find_map(|case| log(case)));
    let lines = lines.map(|line| Level::NOTE.no_name().message(note_text(&line, options)));
    // To repeat what does not apply would change nothing.
    let again = first.first().filter(|_| outcome != Outcome::NotApplicable).map(|case| again(case));
    render(title.elements(lines).elements(again), options)
}

/// A reason without the second of its vector, which differs from vector to vector.
fn without_second(reason: &str) -> &str {
    match reason.strip_prefix("at second ").and_then(|rest| rest.split_once(": ")) {
        Some((second, why)) if second.chars().all(|c| c.is_ascii_digit()) => why,
        _ => reason,
    }
}

/// Renders a file that cannot be used, with its place.
pub fn render_diagnostic(diagnostic: &Diagnostic, options: RenderOptions) -> String {
    let what = visible(&diagnostic.what);
    let group = match &diagnostic.location {
        Location::Path(path) => {
            Group::with_title(Level::ERROR.primary_title(format!("{}: {what}", visible(path))))
        }
        Location::Text { source, span } => {
            let text = source.text.get(span.clone()).map_or(0, |text| text.trim_end().len());
            let place = AnnotationKind::Primary.span(span.start..span.start + text);
            let snippet = Snippet::source(source.text.as_str()).path(visible(&source.name)).annotation(place);
            Level::ERROR.primary_title(what).element(snippet)
        }
    };
    render(group.elements(help(&visible(&diagnostic.help), options)), options)
}

/// Renders anything else that went wrong before a verdict: what is wrong, and what to do.
pub fn render_message(what: &str, help: &str, options: RenderOptions) -> String {
    let title = Group::with_title(Level::ERROR.primary_title(visible(what)));
    render(title.elements(self::help(&visible_lines(help), options)), options)
}

fn help(text: &str, options: RenderOptions) -> Option<Element<'static>> {
    (!text.is_empty()).then(|| Level::HELP.message(note_text(text, options)).into())
}

fn render(group: Group<'_>, options: RenderOptions) -> String {
    Renderer::styled().term_width(options.width).render(&[group]) + "\n"
}
