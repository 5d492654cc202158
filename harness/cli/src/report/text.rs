//! The text after a run: what is broken, the failures by cause, one line of counts, and the conclusion. A failure, or an error in
//! a file, is shown at its line of YAML, with everything that a reader needs to judge it.

use std::cmp::Reverse;
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Element, Group, Level, Message, Renderer, Snippet};

use crate::report::groups::clause_of;
use crate::report::style::{
    Align, BAD, BOLD, DIM, RenderOptions, headed_list, headed_table, styled, table, table_rows, unstyled,
    wrapped, wrapped_after,
};
use crate::report::summary::{
    REMARKS, UNJUDGED, clause_sign, conclusion_sign, diagnosis_also, diagnosis_figures, diagnosis_head,
    diagnosis_tail, first_of, vectors, without_second,
};
use crate::report::wrong_items::wrong_items;
use crate::report::{
    Case, Counts, Listed, MutantDiagnosis, Outcome, Report, ReportedClause, ReportedFailure,
};
use cosmos_ttl_harness::clauses::{Binds, Observe};
use cosmos_ttl_harness::diagnostic::{Diagnostic, Location};
use cosmos_ttl_harness::plain::{message, plain, visible, visible_source};

/// The columns that `= note: ` and the space before it take.
const NOTE_INDENT: usize = 14;

/// No more causes of failures than these are listed.
const MOST_CAUSES: usize = 20;

/// Returns the report as text, with styles; see [`super::style`].
///
/// Its end is what a reader needs first: the failures by cause, the counts, and the conclusion.
pub fn text(report: &Report, options: RenderOptions) -> String {
    use Outcome::{Broken, ChangedFailure, Inconclusive, KnownFailure};
    use Outcome::{NotApplicable, NotOffered, NotRun, Unsupported};
    let stale = format!("What {} says and is not so any more", report.list());
    let mishaps = "The target broke between vectors";
    let mut parts = vec![headline(report, options), clauses(report, options)];
    if options.all_clauses {
        parts.push(sections(report, options));
    }
    parts.push(choices(report, options));
    let reasons = [NotApplicable, NotOffered, Unsupported, NotRun, Inconclusive, KnownFailure, Broken];
    // Who asked to stop at the first failure knows that the rest was not run.
    let told = reasons.into_iter().filter(|outcome| *outcome != NotRun || !report.stopped_at_failure);
    parts.extend(told.map(|outcome| by_reason(report, outcome, options)));
    parts.extend([
        headed_list(BAD, mishaps, &report.mishaps, options.width),
        headed_list(BOLD, REMARKS, &report.remarks, options.width),
    ]);
    if !report.stopped_at_failure {
        parts.push(headed_list(BOLD, UNJUDGED, &report.unjudged_lines(options.most), options.width));
    }
    parts.extend(report.diagnosis.as_ref().map(|one| diagnosis(one, options)));
    parts.extend([
        failures(report, options),
        in_full(report, ChangedFailure, options),
        by_reason(report, Outcome::UnexpectedPass, options),
        headed_list(BOLD, &stale, &report.stale, options.width),
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
    let head = styled(BOLD, "Time to live in Azure Cosmos DB");
    let [who, which] = [who, which].map(|line| wrapped(&line, options.width, &" ".repeat(9)));
    format!("{head}\n{who}\n{which}\n")
}

/// The clauses against which something speaks, or every clause; and how many are not listed.
fn clauses(report: &Report, options: RenderOptions) -> String {
    use Align::{Left, Right};
    let broken = report.broken_clauses(|_| true);
    let is_wrong = |clause: &ReportedClause| {
        let Counts { unexpected_pass, changed_failure, broken: broke, known_failure, .. } = clause.counts;
        let others = [unexpected_pass, changed_failure, broke, known_failure];
        broken.contains(clause.id.as_str()) || others.iter().any(|count| *count > 0)
    };
    let is_listed = |clause: &&ReportedClause| options.all_clauses || is_wrong(clause);
    let row = |clause: &ReportedClause| {
        let (pass, vectors) = (clause.counts.pass, clause.cited());
        let passed = if vectors == 0 { "–".into() } else { format!("{pass}/{vectors}") };
        let (sign, level) = (clause_sign(clause).0, clause.level.to_string());
        vec![format!("{sign}  {}", clause.id), level, passed, rest(clause)]
    };
    let rows: Vec<_> = report.clauses().filter(is_listed).map(row).collect();
    let width = options.table_width.map_or(usize::MAX, |width| width.saturating_sub(2));
    let mut rows = table_rows(&[Left, Left, Right, Left], &rows, width).into_iter();
    let sections = report.sections.iter().filter_map(|section| {
        let clauses = section.clauses.iter().filter(is_listed).zip(rows.by_ref());
        let lines = clauses.flat_map(|(clause, lines)| {
            lines.into_iter().map(|line| format!("  {}\n", painted(clause, &line)))
        });
        let lines = lines.collect::<String>();
        (!lines.is_empty()).then(|| format!("{}\n{lines}", styled(BOLD, &section.name)))
    });
    let listed = sections.collect::<Vec<_>>().join("\n");
    match unlisted(report.clauses().filter(|clause| !is_listed(clause))) {
        Some(unlisted) if listed.is_empty() => format!("clauses  {unlisted}\n"),
        Some(unlisted) => format!("{listed}\nother clauses: {unlisted}\n"),
        None => listed,
    }
}

/// `62 pass, 8 were not judged, 9 share failures with others (--all-clauses lists them)`
fn unlisted<'a>(clauses: impl Iterator<Item = &'a ReportedClause>) -> Option<String> {
    let (mut shared, mut silent, mut pass) = (0, 0, 0);
    for clause in clauses {
        match &clause.counts {
            counts if counts.fail + counts.differ > 0 => shared += 1,
            counts if counts.judged() == 0 => silent += 1,
            _ => pass += 1,
        }
    }
    let counts = [(pass, "pass"), (silent, "were not judged"), (shared, "share failures with others")];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<_> = counts.map(|(count, what)| format!("{count} {what}")).collect();
    (!counts.is_empty()).then(|| format!("{} (--all-clauses lists them)", counts.join(", ")))
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
        // The mistake of a mutant stands in full above.
        let cause = group.mutant.map_or_else(|| group.told(), |mutant| format!("mutant:{}", mutant.mutant));
        parts.push(wrapped(&format!("{} × {cause}", group.cases.len()), options.width, "  ") + "\n");
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
        let causes = rest.iter().map(|group| format!("    {} × {}", group.cases.len(), group.told()));
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
    let service = clause.service.as_deref().map(|service| format!(" (the service: {})", clause_of(service)));
    let service = service.unwrap_or_default();
    (!values.is_empty()).then(|| format!("{}: {}{mixed}{service}", clause.id, values.join(", ")))
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

/// How a vector came to its verdict, without styles, for readers who have nothing but this text.
pub(crate) fn case_text(report: &Report, case: &Case) -> String {
    let options = RenderOptions::default();
    case_in_full(report, case, options).map_or_else(
        || {
            let so_far = case.so_far().into_iter().map(|line| format!("  {line}\n"));
            format!("{}\n{}again: {}", case.title, so_far.collect::<String>(), case.again)
        },
        |text| unstyled(&text),
    )
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
    let (text, [name, step]) = collapsed(&source.text, [name, source.start..source.end]);
    let (text, [name, step]) = visible_source(&text, [name, step]);
    Snippet::source(text)
        .path(message(&source.file))
        .line_start(source.line)
        .annotation(AnnotationKind::Primary.span(name).label(label))
        .annotation(AnnotationKind::Visible.span(step))
}

/// The text with each run of blanks within a line as one blank, and the same places in it. A table's blanks align its columns,
/// and say nothing beside a single line.
fn collapsed<const N: usize>(text: &str, places: [Range<usize>; N]) -> (String, [Range<usize>; N]) {
    let mut shown = String::with_capacity(text.len());
    // For each byte of the text, and for its end, where it is in what is shown.
    let mut moved = Vec::with_capacity(text.len() + 1);
    let mut is_indent = true;
    for c in text.chars() {
        moved.extend(std::iter::repeat_n(shown.len(), c.len_utf8()));
        is_indent = c == '\n' || (is_indent && c == ' ');
        if is_indent || c != ' ' || !shown.ends_with(' ') {
            shown.push(c);
        }
    }
    moved.push(shown.len());
    let place = |byte: usize| moved.get(byte).copied().unwrap_or(shown.len());
    let places = places.map(|range| place(range.start)..place(range.end));
    (shown, places)
}

fn notes(report: &Report, case: &Case, failure: &ReportedFailure) -> Vec<String> {
    let items = wrong_items(case).into_iter().map(|one| visible(&one));
    let so_far = case.so_far().into_iter().map(|line| format!("\n  {}", visible(&line)));
    let so_far = format!("so far{}", so_far.collect::<String>());
    let clauses = case.accused().iter().filter_map(|id| report.clause(id)).flat_map(ReportedClause::lines);
    let clauses = case.accusation().map(str::to_owned).into_iter().chain(clauses);
    let removal = failure.removal.as_deref().map(|removal| match removal {
        "never" => "removal: never (expired items stay stored, but must be hidden)",
        "eager" => "removal: eager (expired items are removed at once)",
        _ => "removal: alternate (expired items are removed before every second request)",
    });
    let before = case.known.as_ref().map(listed).into_iter().chain(items).chain([so_far]).chain(clauses);
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
