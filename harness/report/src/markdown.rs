//! A report as Markdown, for the summary of a CI job: the conclusion first, then what it is made of.
//!
//! GitHub takes a mebibyte; what would not fit is counted and left to `report.json`. Text from elsewhere stays text: a code
//! block shows everything as it is, and in prose each character that could begin something is written as an entity.

use super::groups::FailureGroup;
use super::summary::{
    REMARKS, UNJUDGED, diagnosis_also, diagnosis_figures, diagnosis_head, diagnosis_tail, first_of,
    first_sentences, in_words,
};
use super::{Case, Counts, MutantDiagnosis, Outcome, Report};
use cosmos_ttl_harness::plain::{cut, visible_lines};

/// No summary has more bytes than this.
pub const MOST_BYTES: usize = 1_000_000;

/// The text between the head, which is always there, and the tail ends before this byte.
const MOST_BETWEEN: usize = MOST_BYTES - 300_000;

const GROUPED: [(Outcome, &str); 8] = [
    (Outcome::UnexpectedPass, "On the list of known failures, and passing now"),
    (Outcome::KnownFailure, "Known failures"),
    (Outcome::Broken, "The target, or the way to it, broke"),
    (Outcome::Inconclusive, "Nothing could be said"),
    (Outcome::NotRun, "Not run"),
    (Outcome::Unsupported, "Not supported by the target"),
    (Outcome::NotApplicable, "Not applicable to the target"),
    (Outcome::NotOffered, "Declared as not offered"),
];

/// Returns the report as Markdown.
pub fn markdown(report: &Report) -> String {
    let mut page = head(report);
    add(&mut page, &report.diagnosis.as_ref().map(diagnosis).unwrap_or_default(), MOST_BETWEEN);
    add(&mut page, &table(report), MOST_BETWEEN);
    by_cause(&mut page, report);
    in_full(&mut page, report, Outcome::ChangedFailure);
    for (outcome, title) in GROUPED {
        by_reason(&mut page, report, outcome, title);
    }
    add(&mut page, &choices(report), MOST_BETWEEN);
    add(&mut page, &next(report), MOST_BYTES);
    page
}

/// Adds a part whole, or not at all where the page would have more bytes than this.
pub(crate) fn add(page: &mut String, part: &str, most: usize) -> bool {
    let fits = page.len() + part.len() <= most;
    page.push_str(if fits { part } else { "" });
    fits
}

/// Says how many parts were left out. The bound has room for these few words, whatever the parts before took.
fn add_left_out(page: &mut String, left_out: usize, words: &str) {
    page.extend((left_out > 0).then(|| words.replace("{}", &left_out.to_string())));
}

pub(crate) fn heading(exit_code: u8, conclusion: &str) -> String {
    let mark = match exit_code {
        0 => "✅",
        1 => "❌",
        _ => "⚠️",
    };
    format!("# {mark} Time to live in Azure Cosmos DB: {}", prose(conclusion))
}

fn head(report: &Report) -> String {
    let mut lines = vec![
        heading(report.exit_code, &report.conclusion),
        format!("{}.", prose(&report.sentence())),
        format!("**{}**", prose(&report.sum())),
    ];
    if !report.complete {
        let why = report.incomplete.as_deref().unwrap_or("it did not come to its end");
        lines.push(format!("⚠️ **The run is incomplete:** {}", prose(why)));
    }
    let lists = [
        ("The target broke between vectors", &report.mishaps),
        ("The list of known failures is not true any more", &report.stale),
    ];
    let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
    lines.extend(lists.map(|(what, list)| format!("❌ **{what}:** {}", prose(&first_sentences(list, "; ")))));
    if !report.remarks.is_empty() {
        lines.push(format!("**{REMARKS}:** {}", prose(&first_sentences(&report.remarks, "; "))));
    }
    let unjudged = report.unjudged_lines(20);
    lines.extend(
        (!unjudged.is_empty())
            .then(|| format!("⚠️ **{UNJUDGED}:** {}", prose(&first_sentences(&unjudged, ". ")))),
    );
    let (target, digests) = (&report.target, &report.digests);
    let profile = report.vectors.profile.as_ref().map(|name| format!(" (profile {name})"));
    let [name, vectors, rules] = [&target.name, &digests.vectors, &digests.model].map(|text| code(text));
    let [version, clock, profile, harness] =
        [&target.version, &target.clock, &profile.unwrap_or_default(), &report.harness]
            .map(|text| prose(text));
    let with = format!("vectors {vectors}{profile}, rules {rules}, cosmos-ttl {harness}");
    lines.push(format!("Target {name} {version}, {clock} clock; {with}"));
    lines.join("\n\n") + "\n\n"
}

fn diagnosis(diagnosis: &MutantDiagnosis) -> String {
    let likes = diagnosis.like.iter().map(|like| {
        let name = code(&format!("mutant:{}", like.mutant));
        let also = diagnosis_also(like).map(|also| format!("; {}", prose(&also))).unwrap_or_default();
        format!("- {name}: {} It {}{also}.\n", prose(&like.says), prose(&diagnosis_figures(diagnosis, like)))
    });
    let tail = diagnosis_tail(diagnosis).into_iter().map(|tail| format!("- {tail}\n"));
    format!("**{}:**\n\n{}\n", diagnosis_head(diagnosis), likes.chain(tail).collect::<String>())
}

fn table(report: &Report) -> String {
    let shown = report.columns();
    let row = |name: String, counts: &Counts| {
        let cells = shown.iter().map(|outcome| format!(" | {}", counts.get(*outcome)));
        format!("| {name} | {}{} |\n", counts.vectors, cells.collect::<String>())
    };
    let names: String = shown.iter().flat_map(|outcome| [" | ", outcome.word()]).collect();
    let sections = report.sections.iter().map(|section| row(prose(&section.name), &section.counts));
    let rows: String = sections.chain([row("**total**".into(), &report.counts)]).collect();
    format!("| section | vectors{names} |\n|---|--:|{}\n{rows}\n", "--:|".repeat(shown.len()))
}

/// For each cause one failure in full, and the names of the others.
fn by_cause(page: &mut String, report: &Report) {
    let groups = report.failure_groups();
    let failed: usize = groups.iter().map(|group| group.cases.len()).sum();
    let head =
        format!("## {} by cause\n\n", in_words(&report.counts, ", ", &[Outcome::Fail, Outcome::Differ]));
    if failed == 0 || !add(page, &head, MOST_BETWEEN) {
        return;
    }
    let part = |group: &FailureGroup<'_>| {
        let first = group.first().map(|case| folded(report, case)).unwrap_or_default();
        let names: Vec<_> = group.cases.iter().skip(1).map(|case| code(&case.name)).collect();
        let more =
            group.more().map(|more| format!("{more}: {}\n\n", first_of(&names, 20, ", ", " and {} more")));
        let cause = prose(&group.cause());
        format!("**{} × {cause}**\n\n{first}{}", group.cases.len(), more.unwrap_or_default())
    };
    let left_out = groups.iter().filter(|group| !add(page, &part(group), MOST_BETWEEN)).count();
    add_left_out(page, left_out, "{} more causes: see `report.json`\n\n");
}

fn in_full(page: &mut String, report: &Report, outcome: Outcome) {
    let cases: Vec<_> = report.cases(outcome).collect();
    if cases.is_empty() || !add(page, &format!("## {} {outcome}\n\n", cases.len()), MOST_BETWEEN) {
        return;
    }
    let left_out = cases.iter().filter(|case| !add(page, &folded(report, case), MOST_BETWEEN)).count();
    add_left_out(page, left_out, &format!("{{}} more {outcome}: see `report.json`\n\n"));
}

fn folded(report: &Report, case: &Case) -> String {
    let (name, why) = (code(&case.name), prose(&case.message().unwrap_or_default()));
    let text = block(&report.failure_text(case));
    let log = case.log.as_deref().map(|log| format!("What the target said:\n\n{}\n", block(log)));
    let log = log.unwrap_or_default();
    format!("<details><summary>{name}: {why}</summary>\n\n{text}\n{log}</details>\n\n")
}

fn by_reason(page: &mut String, report: &Report, outcome: Outcome, title: &str) {
    let groups = report.grouped(outcome, |case| {
        let listed = case.known.as_ref().map(|known| known.reason.clone());
        listed.or_else(|| case.reason.clone()).unwrap_or_default()
    });
    let all = report.cases(outcome).count();
    if all == 0 || !add(page, &format!("<details><summary>{title}: {all}</summary>\n\n"), MOST_BETWEEN) {
        return;
    }
    let line = |why: &str, cases: &[&Case]| {
        let names: Vec<_> = cases.iter().map(|case| code(&case.name)).collect();
        format!("- {} × {}: {}\n", cases.len(), prose(why), first_of(&names, 10, ", ", " and {} more"))
    };
    let left_out = groups.iter().filter(|(why, cases)| !add(page, &line(why, cases), MOST_BETWEEN)).count();
    add_left_out(page, left_out, "- {} more reasons: see `report.json`\n");
    page.push_str("\n</details>\n\n");
}

fn choices(report: &Report) -> String {
    let lines = report.clauses().filter_map(|clause| {
        let seen: Vec<_> =
            clause.seen().map(|choice| format!("{} {}", code(&choice.value), choice.seen)).collect();
        (!seen.is_empty()).then(|| format!("- {}: {}\n", code(&clause.id), seen.join(", ")))
    });
    match lines.collect::<String>() {
        lines if lines.is_empty() => lines,
        lines => {
            format!("Choices of the target under the open clauses, with the number of answers:\n\n{lines}\n")
        }
    }
}

fn next(report: &Report) -> String {
    let commands = report.next_commands().into_iter().map(|(want, command)| format!("# {want}\n{command}"));
    format!("What to do next:\n\n{}", block(&commands.collect::<Vec<_>>().join("\n")))
}

/// A space of no width. It breaks what GitHub makes links and mentions of in plain text.
const GAP: &str = "&#8203;";

/// Text within a line, a table's cell or a heading; cut short, as the blocks show it whole.
pub(crate) fn prose(text: &str) -> String {
    let shown = cut(text, 1000);
    let entity = |c: char| format!("&#{};", u32::from(c));
    let mut out = String::with_capacity(shown.len());
    let mut before = ' ';
    let mut rest = shown.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            // A mention, an issue, an address.
            '@' | '#' => out.extend([&entity(c), GAP]),
            // `https://`, `www.`
            ':' if rest.peek() == Some(&' ') => out.push(c),
            '/' if before == ':' => out.extend([GAP, "/"]),
            '.' if matches!(before, 'w' | 'W') => out.extend([GAP, "."]),
            ',' | '.' | ';' | '?' | '/' | '-' | '\'' | '(' | ')' | '=' | '+' => out.push(c),
            c if c.is_ascii_punctuation() => out.push_str(&entity(c)),
            c => out.push(c),
        }
        before = c;
    }
    out
}

pub(crate) fn code(text: &str) -> String {
    format!("<code>{}</code>", prose(text))
}

fn block(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}text\n{}\n{fence}\n", visible_lines(text))
}
