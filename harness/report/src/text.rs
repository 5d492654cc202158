//! The text after a run: every clause, every section, the failures, and one line of counts. A failure, or an error in a
//! file, is shown at its line of YAML, with everything that a reader needs to judge it.

use std::cmp::Reverse;

use annotate_snippets::{Annotation, AnnotationKind, Element, Group, Level, Message, Renderer, Snippet};

use super::style::{
    Align, BAD, BOLD, DIM, RenderOptions, headed_list, headed_table, styled, table, table_rows, wrapped,
    wrapped_after,
};
use super::summary::{
    REMARKS, UNJUDGED, clause_sign, conclusion_sign, diagnosis_also, diagnosis_figures, diagnosis_head,
    diagnosis_tail, first_of, vectors, without_second,
};
use super::{Case, Counts, Listed, MutantDiagnosis, Outcome, Report, ReportedClause, ReportedFailure};
use cosmos_ttl_harness::clauses::{Binds, Observe};
use cosmos_ttl_harness::diagnostic::{Diagnostic, Location};
use cosmos_ttl_harness::plain::{message, plain, visible, visible_source};

/// The columns that `= note: ` and the space before it take.
const NOTE_INDENT: usize = 14;

/// No more causes of failures than these are listed.
const MOST_CAUSES: usize = 20;

/// Returns the report as text, with styles; see [`super::style`].
pub fn text(report: &Report, options: RenderOptions) -> String {
    use Outcome::{Broken, ChangedFailure, Inconclusive, KnownFailure};
    use Outcome::{NotApplicable, NotOffered, NotRun, UnexpectedPass, Unsupported};
    let by_reason = |outcome| by_reason(report, outcome, options);
    let in_full = |outcome| in_full(report, outcome, options);
    let stale = format!("What {} says and is not so any more", report.list());
    let mishaps = "The target broke between vectors";
    let mut parts = vec![headline(report, options)];
    parts.extend(report.diagnosis.as_ref().map(|one| diagnosis(one, options)));
    parts.extend([failures(report, options), in_full(ChangedFailure), by_reason(UnexpectedPass)]);
    parts.extend([clauses(report, options), sections(report, options)]);
    parts.extend([NotApplicable, NotOffered, Unsupported, NotRun, Inconclusive, KnownFailure].map(by_reason));
    parts.extend([
        by_reason(Broken),
        choices(report, options),
        headed_list(BOLD, &stale, &report.stale, options.width),
        headed_list(BAD, mishaps, &report.mishaps, options.width),
        headed_list(BOLD, REMARKS, &report.remarks, options.width),
        headed_list(BOLD, UNJUDGED, &report.unjudged_lines(options.most), options.width),
        end(report, options),
    ]);
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn headline(report: &Report, options: RenderOptions) -> String {
    let target = &report.target;
    let is_moved = target.clock == "virtual";
    let clock = if is_moved { "virtual clock" } else { "real clock" };
    let removals = match target.removals.as_slice() {
        [] => String::new(),
        removals => format!("; removal {}", removals.join(", ")),
    };
    let who = format!("target   {}, {clock}{removals}", report.who(str::to_owned));
    let profile = report.vectors.profile.as_ref().map(|profile| format!(", profile {profile}"));
    let (selected, origin) = (report.selected(str::to_owned), &report.vectors.origin);
    let which = format!("vectors  {selected}{}, from {origin}", profile.unwrap_or_default());
    let head = styled(BOLD, "Time to live in Azure Cosmos DB: passing vectors, clause by clause");
    let [who, which] = [who, which].map(|line| wrapped(&line, options.width, &" ".repeat(9)));
    format!("{head}\n{who}\n{which}\n")
}

fn clauses(report: &Report, options: RenderOptions) -> String {
    use Align::{Left, Right};
    let rows = report.clauses().map(|clause| {
        let (pass, vectors) = (clause.counts.pass, clause.cited());
        let passed = if vectors == 0 { "–".into() } else { format!("{pass}/{vectors}") };
        let (sign, level) = (clause_sign(clause).0, clause.level.to_string());
        vec![format!("{sign}  {}", clause.id), level, passed, rest(clause)]
    });
    let width = options.table_width.map_or(usize::MAX, |width| width.saturating_sub(2));
    let columns = [Left, Left, Right, Left];
    let mut rows = table_rows(&columns, &rows.collect::<Vec<_>>(), width).into_iter();
    let sections = report.sections.iter().map(|section| {
        let clauses = section.clauses.iter().zip(rows.by_ref());
        let lines = clauses.flat_map(|(clause, lines)| {
            lines.into_iter().map(|line| format!("  {}\n", painted(clause, &line)))
        });
        format!("{}\n{}", styled(BOLD, &section.name), lines.collect::<String>())
    });
    sections.collect::<Vec<_>>().join("\n")
}

fn painted(clause: &ReportedClause, line: &str) -> String {
    let (sign, style) = clause_sign(clause);
    match line.strip_prefix(sign).filter(|_| style != DIM) {
        Some(rest) => styled(style, sign) + rest,
        None => styled(style, line),
    }
}

fn rest(clause: &ReportedClause) -> String {
    match clause.cited() {
        _ if clause.observe == Observe::Model => "checked by `cargo lab check`".into(),
        0 => "no vectors".into(),
        _ => clause.others(),
    }
}

fn sections(report: &Report, options: RenderOptions) -> String {
    let shown = report.columns();
    let row = |name: &str, counts: &Counts| {
        let cells = shown.iter().map(|outcome| counts.get(*outcome).to_string());
        [name.to_owned(), counts.vectors.to_string()].into_iter().chain(cells).collect::<Vec<_>>()
    };
    let numbers = shown.iter().map(|outcome| (outcome.word(), Align::Right));
    let columns: Vec<_> =
        [("section", Align::Left), ("vectors", Align::Right)].into_iter().chain(numbers).collect();
    let sections = report.sections.iter().map(|section| row(&section.name, &section.counts));
    let rows = sections.chain([row("total", &report.counts)]).collect();
    let mut lines = headed_table(&columns, rows, options.table_width);
    let total = lines.iter_mut().rfind(|line| line.starts_with("total"));
    if let Some(total) = total {
        *total = styled(BOLD, &*total);
    }
    lines.join("\n") + "\n"
}

/// One failure of each mistake in full, and how many more there are.
fn failures(report: &Report, options: RenderOptions) -> String {
    let groups = report.failure_groups();
    let mut parts = Vec::new();
    for group in groups.iter().take(options.most) {
        let most = if options.all { usize::MAX } else { 1 };
        parts.extend(group.cases.iter().take(most).filter_map(|case| case_in_full(report, case, options)));
        if let (Some(more), false) = (group.more(), options.all) {
            parts.push(format!("  {more} (--all shows them)\n"));
        }
    }
    let rest: Vec<_> = groups.iter().skip(options.most).collect();
    if !rest.is_empty() {
        let failed: usize = rest.iter().map(|group| group.cases.len()).sum();
        let mistakes =
            if rest.len() == 1 { "1 more mistake".into() } else { format!("{} more mistakes", rest.len()) };
        let causes = rest.iter().map(|group| format!("    {} × {}", group.cases.len(), group.cause()));
        let text = format!("{mistakes} in {} (--show N shows more in full)", vectors(failed));
        let causes = causes.take(MOST_CAUSES).map(|cause| wrapped(&cause, options.width, "      "));
        let lines: Vec<_> = [format!("  {text}")].into_iter().chain(causes).collect();
        parts.push(lines.join("\n") + "\n");
    }
    parts.join("\n")
}

/// The first of these in full, the rest by name.
fn in_full(report: &Report, outcome: Outcome, options: RenderOptions) -> String {
    let cases: Vec<_> = report.cases(outcome).collect();
    let shown = cases.iter().take(options.most);
    let mut parts: Vec<_> = shown.filter_map(|case| case_in_full(report, case, options)).collect();
    let rest = cases.get(options.most..).unwrap_or(&[]);
    if !rest.is_empty() {
        let own = |name: &str| rest.iter().filter(|case| case.section() == Some(name)).count();
        let sections = report.sections.iter().map(|section| (own(&section.name), &section.name));
        let which = sections.filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}"));
        let which = which.collect::<Vec<_>>().join(", ");
        let text = format!("{} more {outcome}: {which} (--show N shows more in full)", rest.len());
        parts.push(wrapped(&text, options.width, "  ") + "\n");
    }
    parts.join("\n")
}

fn choices(report: &Report, options: RenderOptions) -> String {
    let head = "Choices of the target under the open clauses, with the number of answers";
    let lines: Vec<_> = report.clauses().filter_map(choice).collect();
    match headed_list(BOLD, head, &lines, options.width) {
        list if list.is_empty() => list,
        // The fingerprint is not wrapped: one line, to be compared with that of another run.
        list => format!("{list}  fingerprint  {}\n", report.fingerprint),
    }
}

/// `reappearance: back 12, gone 24`
fn choice(clause: &ReportedClause) -> Option<String> {
    let values: Vec<_> = clause.seen().map(|choice| format!("{} {}", choice.value, choice.seen)).collect();
    let mixed = clause.binds == Some(Binds::Target) && values.len() > 1;
    let mixed = if mixed { "; the target should always make the same choice" } else { "" };
    (!values.is_empty()).then(|| format!("{}: {}{mixed}", clause.id, values.join(", ")))
}

fn diagnosis(diagnosis: &MutantDiagnosis, options: RenderOptions) -> String {
    let mut lines = vec![styled(BOLD, diagnosis_head(diagnosis))];
    for like in &diagnosis.like {
        let name = format!("mutant:{}", like.mutant);
        let text = wrapped(&format!("  {name}: {}", like.says), options.width, "    ");
        lines.push(text.replacen(&name, &styled(BOLD, &name), 1));
        lines.push(wrapped(&format!("    it {}", diagnosis_figures(diagnosis, like)), options.width, "    "));
        lines.extend(diagnosis_also(like).map(|also| wrapped(&format!("    {also}"), options.width, "    ")));
    }
    lines.extend(diagnosis_tail(diagnosis).into_iter().map(|tail| format!("  {tail}")));
    lines.join("\n") + "\n"
}

/// One line that adds up, what follows from it, and what to do next, one command a line.
fn end(report: &Report, options: RenderOptions) -> String {
    let (word, rest) = (report.conclusion.as_str(), format!(": {}", report.sentence()));
    let sentence = wrapped_after(conclusion_sign(word).1, word, &rest, options.width);
    let commands = report.next_commands().into_iter();
    let rows = commands.map(|(want, command)| vec![format!("{want}:"), command]).collect();
    let lines = table(&[Align::Left, Align::Left], rows);
    format!("{}\n{sentence}\n\nnext: {}\n", report.sum(), lines.join("\n      "))
}

/// A failure or a difference at its step in the vector.
fn case_in_full(report: &Report, case: &Case, options: RenderOptions) -> Option<String> {
    let level = match case.verdict {
        Outcome::Differ => Level::WARNING,
        Outcome::ChangedFailure => Level::ERROR.with_name(Some(case.verdict.word())),
        _ => Level::ERROR,
    };
    let title = Group::with_title(level.primary_title(format!("{}: {}", case.name, plain(&case.title))));
    let failure = case.failure.as_ref()?;
    let notes = notes(report, case, failure);
    let notes = notes.iter().map(|note| Level::NOTE.message(note_text(note, options)));
    Some(render(title.element(snippet(failure)).elements(notes).element(again(case)), options))
}

fn snippet(failure: &ReportedFailure) -> Snippet<'static, Annotation<'static>> {
    let source = &failure.source;
    let label = format!("at {} s: expected {}, got {}", failure.at_s, failure.expected, failure.got);
    // The request's name alone is marked, so that the label has room beside it; all its lines are shown.
    let marked = source.text.get(source.start..source.end).unwrap_or("");
    let name = source.start..source.start.saturating_add(marked.find(':').unwrap_or(marked.len()));
    let (text, [name, step]) = visible_source(&source.text, [name, source.start..source.end]);
    Snippet::source(text)
        .path(message(&source.file))
        .line_start(source.line)
        .annotation(AnnotationKind::Primary.span(name).label(label))
        .annotation(AnnotationKind::Visible.span(step))
}

fn notes(report: &Report, case: &Case, failure: &ReportedFailure) -> Vec<String> {
    let so_far = case.so_far().into_iter().map(|line| format!("\n  {}", visible(&line)));
    let so_far = format!("so far{}", so_far.collect::<String>());
    let clauses = case.accused().iter().filter_map(|id| report.clause(id)).flat_map(ReportedClause::lines);
    let clauses = case.accusation().map(str::to_owned).into_iter().chain(clauses);
    let removal = failure.removal.as_deref().map(|removal| match removal {
        "never" => "removal: never (expired items stay stored, but must be hidden)",
        "eager" => "removal: eager (expired items are removed at once)",
        _ => "removal: alternate (expired items are removed before every second request)",
    });
    let before = case.known.as_ref().map(listed).into_iter().chain([so_far]).chain(clauses);
    before.chain(removal.map(str::to_owned)).chain(log(case)).collect()
}

/// The end of the target's log.
fn log(case: &Case) -> Option<String> {
    let lines: Vec<_> = case.log.as_deref()?.lines().collect();
    let last =
        lines.iter().skip(lines.len().saturating_sub(8)).map(|line| format!("\n  | {}", visible(line)));
    Some(format!("the end of its log{}", last.collect::<String>()))
}

fn listed(known: &Listed) -> String {
    let signature = known.signature.as_deref().unwrap_or("any failure");
    format!("listed as a known failure: {}\n  {signature}", known.reason)
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
fn by_reason(report: &Report, outcome: Outcome, options: RenderOptions) -> String {
    let mut groups = report.grouped(outcome, |case| {
        let known = case
            .known
            .as_ref()
            .filter(|_| matches!(outcome, Outcome::KnownFailure | Outcome::UnexpectedPass));
        let reason = known.map(|known| known.reason.as_str()).or(case.reason.as_deref());
        without_second(reason.unwrap_or_default()).to_owned()
    });
    groups.sort_by_key(|(_, cases)| Reverse(cases.len()));
    let Some((_, first)) = groups.first() else { return String::new() };
    let level = match outcome {
        Outcome::Broken | Outcome::UnexpectedPass => Level::ERROR,
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
    let again = match outcome {
        Outcome::NotApplicable | Outcome::NotOffered => None,
        Outcome::UnexpectedPass => report
            .known_update
            .as_deref()
            .map(|command| Level::HELP.with_name(Some("update the list")).message(command)),
        _ => first.first().map(|case| again(case)),
    };
    render(title.elements(lines).elements(again), options)
}

/// Renders a file that cannot be used, with its place.
pub fn render_diagnostic(diagnostic: &Diagnostic, options: RenderOptions) -> String {
    let all = [diagnostic].into_iter().chain(&diagnostic.others);
    let texts: Vec<_> = all.map(|one| one_diagnostic(one, options)).collect();
    match texts.as_slice() {
        [only] => only.clone(),
        texts => format!("{}\n{} errors\n", texts.join("\n"), texts.len()),
    }
}

fn one_diagnostic(diagnostic: &Diagnostic, options: RenderOptions) -> String {
    let what = message(&diagnostic.what);
    let group = match &diagnostic.location {
        Location::Path(path) => {
            Group::with_title(Level::ERROR.primary_title(format!("{}: {what}", message(path))))
        }
        Location::Text { source, span } => {
            let length = source.text.get(span.clone()).map_or(0, |text| text.trim_end().len());
            let place = span.start..span.start + length;
            let (text, [place]) = visible_source(&source.text, std::array::from_fn(|_| place.clone()));
            let place = AnnotationKind::Primary.span(place);
            Level::ERROR
                .primary_title(what)
                .element(Snippet::source(text).path(message(&source.name)).annotation(place))
        }
    };
    render(group.elements(help(&message(&diagnostic.help), options)), options)
}

/// Renders anything else that went wrong before a verdict: what is wrong, and what to do.
pub fn render_message(what: &str, help: &str, options: RenderOptions) -> String {
    let title = Group::with_title(Level::ERROR.primary_title(message(what)));
    let help: Vec<_> = help.lines().map(message).collect();
    render(title.elements(self::help(&help.join("\n"), options)), options)
}

fn help(text: &str, options: RenderOptions) -> Option<Element<'static>> {
    (!text.is_empty()).then(|| Level::HELP.message(note_text(text, options)).into())
}

fn render(group: Group<'_>, options: RenderOptions) -> String {
    Renderer::styled().term_width(options.width).render(&[group]) + "\n"
}
