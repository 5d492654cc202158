//! Points at the line of YAML that matters, with everything that somebody needs to judge for themselves.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::steps;
use super::style::{RenderOptions, wrapped};
use super::{Case, Failure, Known, Outcome, Report};
use cosmos_ttl_harness::diagnostic::{Diagnostic, Place};
use cosmos_ttl_harness::plain::visible;

/// The columns that `= note: ` and what stands before it take.
const NOTE_INDENT: usize = 14;

/// A failure or a difference, at its step in the vector.
pub fn failed(report: &Report, case: &Case, failure: &Failure, look: RenderOptions) -> String {
    let level = match case.verdict {
        Outcome::Differ => Level::WARNING,
        Outcome::ChangedFailure => Level::ERROR.with_name(Some(case.verdict.word())),
        _ => Level::ERROR,
    };
    let source = &failure.source;
    let label = format!("at {} s: expected {}, got {}", failure.at_s, failure.expected, failure.got);
    // The request's name alone is marked, so that the label has room beside it; all its lines are shown.
    let stands = source.text.get(source.start..source.end).unwrap_or("");
    let name = source.start..source.start.saturating_add(stands.find(':').unwrap_or(stands.len()));
    let snippet = Snippet::source(source.text.as_str())
        .path(visible(&source.file))
        .line_start(source.line)
        .annotation(AnnotationKind::Primary.span(name).label(label))
        .annotation(AnnotationKind::Visible.span(source.start..source.end));
    let title = level.primary_title(format!("{}: {}", case.name, visible(&case.title)));
    let notes = notes(report, case, failure).into_iter();
    let notes = notes.map(|note| Level::NOTE.message(note_text(&note, look)));
    let again = Level::HELP.with_name(Some("again")).message(case.again.clone());
    render(&[title.element(snippet).elements(notes).element(again)], look)
}

fn notes(report: &Report, case: &Case, failure: &Failure) -> Vec<String> {
    let mut notes: Vec<_> = case.known.as_ref().map(listed).into_iter().collect();
    let mut so_far = vec!["so far".to_owned()];
    so_far.extend(steps::so_far(case).into_iter().map(|line| format!("  {}", visible(&line))));
    notes.push(so_far.join("\n"));
    for clause in case.clauses.iter().filter_map(|id| report.clause(id)) {
        notes.push(format!("{} ({}, {}): {}", clause.id, clause.level, clause.evidence, clause.says));
    }
    notes.extend(failure.removal.as_deref().map(removal_note).map(str::to_owned));
    notes.extend(log(case));
    notes
}

/// The end of what the target said beside its answers.
fn log(case: &Case) -> Option<String> {
    const MOST_LINES: usize = 8;
    let lines: Vec<_> = case.log.as_deref()?.lines().collect();
    let last = lines.get(lines.len().saturating_sub(MOST_LINES)..).unwrap_or(&[]);
    let last = last.iter().map(|line| format!("  {}", visible(line))).collect::<Vec<_>>().join("\n");
    Some(format!("its log of that time ends so\n{last}"))
}

/// What the list of known failures says of a vector.
fn listed(known: &Known) -> String {
    let link = known.link.as_ref().map_or_else(String::new, |link| format!(", {link}"));
    let signature = known.signature.as_deref().unwrap_or("any failure");
    format!("listed as a known failure, {}: {}{link}\n  {signature}", known.kind.word(), known.reason)
}

/// A pass where a list of known failures says otherwise.
pub fn passes(case: &Case, known: &Known, look: RenderOptions) -> String {
    let title = Level::ERROR.with_name(Some(case.verdict.word()));
    let title = title.primary_title(format!("{}: {}", case.name, visible(&case.title)));
    let notes = [listed(known), "now every answer is as it must be".into()];
    let notes = notes.map(|note| Level::NOTE.message(note_text(&note, look)));
    let again = Level::HELP.with_name(Some("again")).message(case.again.clone());
    render(&[title.elements(notes).element(again)], look)
}

fn removal_note(removal: &str) -> &'static str {
    match removal {
        "never" => "removal: never; expired items stay stored, and must be hidden all the same",
        "eager" => "removal: eager; expired items are removed at once",
        _ => "removal: alternate; expired items are removed before every second request",
    }
}

/// A note's text; what stands on lines of its own stays there.
fn note_text(note: &str, look: RenderOptions) -> String {
    let width = look.width.saturating_sub(NOTE_INDENT);
    note.lines().map(|line| wrapped(line, width, "  ")).collect::<Vec<_>>().join("\n")
}

/// Vectors with a verdict that says nothing of their answers, or nothing new, by the reason for it.
pub fn shared(said: Outcome, groups: &[(&str, Vec<&Case>)], look: RenderOptions) -> String {
    let level = match said {
        Outcome::Broken => Level::ERROR,
        Outcome::Inconclusive | Outcome::NotRun => Level::WARNING,
        _ => Level::NOTE,
    };
    let all = groups.iter().map(|(_, cases)| cases.len()).sum();
    let title = level.with_name(Some(said.word())).primary_title(vectors(all));
    let shown = groups.iter().take(look.most);
    let reasons = shown.map(|(reason, cases)| format!("{reason}: {}", names(cases, MOST_NAMES)));
    let rest = groups.get(look.most..).unwrap_or(&[]);
    let more = (!rest.is_empty()).then(|| format!("and {} more reasons (--show N)", rest.len()));
    let log = groups.first().and_then(|(_, cases)| cases.iter().find_map(|case| log(case)));
    let lines =
        reasons.chain(more).chain(log).map(|line| Level::NOTE.no_name().message(note_text(&line, look)));
    // To repeat what does not apply would change nothing.
    let first =
        groups.first().and_then(|(_, cases)| cases.first()).filter(|_| said != Outcome::NotApplicable);
    let again = first.map(|case| Level::HELP.with_name(Some("again")).message(case.again.clone()));
    render(&[title.elements(lines).elements(again)], look)
}

/// How many names stand in one line.
const MOST_NAMES: usize = 3;

/// The first names, and how many more there are.
fn names(cases: &[&Case], most: usize) -> String {
    let names: Vec<_> = cases.iter().take(most).map(|case| case.name.as_str()).collect();
    let more = cases.len().saturating_sub(names.len());
    if more == 0 { names.join(", ") } else { format!("{} and {more} more", names.join(", ")) }
}

/// A file that cannot be used.
pub fn render_diagnostic(flaw: &Diagnostic, look: RenderOptions) -> String {
    let title = Level::ERROR.primary_title(visible(&flaw.what));
    let help = (!flaw.help.is_empty()).then(|| Level::HELP.message(note_text(&visible(&flaw.help), look)));
    match &flaw.place {
        Place::Path(path) => {
            let title = Level::ERROR.primary_title(format!("{}: {}", visible(path), visible(&flaw.what)));
            render(&[Group::with_title(title).elements(help)], look)
        }
        Place::Text { source, span } => {
            let end = source
                .text
                .get(span.clone())
                .map_or(span.start, |text| span.start.saturating_add(text.trim_end().len()));
            let place = AnnotationKind::Primary.span(span.start..end.max(span.start));
            let snippet = Snippet::source(source.text.as_str()).path(visible(&source.name)).annotation(place);
            render(&[title.element(snippet).elements(help)], look)
        }
    }
}

/// Anything else that went wrong before a verdict.
pub fn render_message(what: &str, help: &str, look: RenderOptions) -> String {
    let title = Level::ERROR.primary_title(visible(what));
    let help = (!help.is_empty()).then(|| {
        let lines = help.lines().map(visible).collect::<Vec<_>>().join("\n");
        Level::HELP.message(note_text(&lines, look))
    });
    render(&[Group::with_title(title).elements(help)], look)
}

fn render(groups: &[Group<'_>], look: RenderOptions) -> String {
    Renderer::styled().term_width(look.width).render(groups) + "\n"
}

/// `1 vector`, `2 vectors`
pub fn vectors(count: usize) -> String {
    if count == 1 { "1 vector".into() } else { format!("{count} vectors") }
}
