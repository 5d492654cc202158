//! A report as Markdown, for the summary of a CI job: the conclusion first, then what it is made of.
//!
//! GitHub takes a mebibyte; what would not fit is counted and left to `report.json`.

mod diagnosis;
pub(super) mod inert;

use std::collections::BTreeMap;

use self::inert::{block, code, prose};
use super::ci_result::{self, first_of};
use super::text::end;
use super::{Case, Clause, Counts, Outcome, Report};

/// All of it has no more bytes than this.
pub const MOST_BYTES: usize = 1_000_000;

/// The head, which is always there, and the tail have no more.
const FOR_THE_ENDS: usize = 300_000;

/// The report as Markdown.
pub fn markdown(report: &Report) -> String {
    let mut page = Page { text: head(report), most: MOST_BYTES.saturating_sub(FOR_THE_ENDS) };
    page.add(&diagnosis::diagnosis(report));
    page.add(&table(report));
    for said in [Outcome::Fail, Outcome::ChangedFailure, Outcome::UnexpectedPass, Outcome::Differ] {
        in_full(&mut page, report, said);
    }
    for (said, title) in GROUPED {
        grouped(&mut page, report, said, title);
    }
    page.add(&choices(report));
    page.most = MOST_BYTES;
    page.add(&next(report));
    page.text
}

/// Verdicts that are told by their reason.
const GROUPED: [(Outcome, &str); 7] = [
    (Outcome::KnownFailure, "Known failures"),
    (Outcome::Flaky, "Flaky, as the list says"),
    (Outcome::Broken, "The target, or the way to it, broke"),
    (Outcome::Inconclusive, "Nothing could be said"),
    (Outcome::NotRun, "Not run"),
    (Outcome::Unsupported, "Not supported by the target"),
    (Outcome::NotApplicable, "Not applicable to the target"),
];

/// A text that grows up to a bound.
struct Page {
    text: String,
    most: usize,
}

impl Page {
    /// Adds a part whole, or not at all.
    fn add(&mut self, part: &str) -> bool {
        let fits = self.text.len().saturating_add(part.len()) <= self.most;
        if fits {
            self.text.push_str(part);
        }
        fits
    }
}

fn head(report: &Report) -> String {
    let mark = match report.exit_code {
        0 => "✅",
        1 => "❌",
        _ => "⚠️",
    };
    let mut lines = vec![
        format!("# {mark} Time to live in Azure Cosmos DB: {}", prose(&report.conclusion)),
        format!("{}.", prose(&end::conclusion(report))),
        format!("**{}**", prose(&end::sum(report))),
    ];
    if !report.complete {
        let why = report.incomplete.as_deref().unwrap_or("it did not come to its end");
        lines.push(format!("⚠️ **The run is incomplete:** {}", prose(why)));
    }
    if !report.mishaps.is_empty() {
        let mishaps = prose(&first_of(&report.mishaps, "; "));
        lines.push(format!("❌ **The target broke while no vector was being replayed:** {mishaps}"));
    }
    if !report.stale.is_empty() {
        let stale = prose(&first_of(&report.stale, "; "));
        lines.push(format!("❌ **The list of known failures is not true any more:** {stale}"));
    }
    lines.push(who(report));
    lines.join("\n\n") + "\n\n"
}

fn who(report: &Report) -> String {
    let target = &report.target;
    format!(
        "Target {} {}, {} clock; vectors {}{}, rules {}, cosmos-ttl {}",
        code(&target.name),
        prose(&target.version),
        prose(&target.clock),
        code(&report.digests.vectors),
        prose(&report.vectors.profile.as_ref().map(|name| format!(" (profile {name})")).unwrap_or_default()),
        code(&report.digests.model),
        prose(&report.harness)
    )
}

fn table(report: &Report) -> String {
    let shown =
        |said: &Outcome| matches!(said, Outcome::Pass | Outcome::Fail) || 0 < report.counts.get(*said);
    let words: Vec<Outcome> = Outcome::ALL.into_iter().filter(shown).collect();
    let row = |name: String, counts: &Counts| {
        let cells = words.iter().map(|said| counts.get(*said).to_string());
        let cells: Vec<_> = [name, counts.vectors.to_string()].into_iter().chain(cells).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let names: Vec<_> = words.iter().map(ToString::to_string).collect();
    let mut text =
        format!("| section | vectors | {} |\n|---|--:|{}\n", names.join(" | "), "--:|".repeat(names.len()));
    for section in &report.sections {
        text.push_str(&row(prose(&section.name), &section.counts));
    }
    text + &row("**total**".into(), &report.counts) + "\n"
}

/// Vectors with this verdict, each with how it came to it.
fn in_full(page: &mut Page, report: &Report, said: Outcome) {
    let cases: Vec<_> = report.cases(said).collect();
    if cases.is_empty() || !page.add(&format!("## {} {said}\n\n", cases.len())) {
        return;
    }
    let left_out = cases.iter().filter(|case| !page.add(&folded(report, case))).count();
    // The bound of the whole has room for these few words, whatever the parts before took.
    page.text.extend((0 < left_out).then(|| format!("{left_out} more {said}: see `report.json`\n\n")));
}

fn folded(report: &Report, case: &Case) -> String {
    let why = ci_result::message(case).unwrap_or_default();
    let story = block(&ci_result::story(report, case));
    let log = case.log.as_deref().map(|log| format!("What the target said:\n\n{}\n", block(log)));
    format!(
        "<details><summary>{}: {}</summary>\n\n{story}\n{}</details>\n\n",
        code(&case.name),
        prose(&why),
        log.unwrap_or_default()
    )
}

/// Vectors with this verdict by their reason.
fn grouped(page: &mut Page, report: &Report, said: Outcome, title: &str) {
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for case in report.cases(said) {
        let listed = case.known.as_ref().map(ci_result::on_the_list);
        let why = listed.or_else(|| case.reason.clone()).unwrap_or_default();
        groups.entry(why).or_default().push(&case.name);
    }
    let all: usize = groups.values().map(Vec::len).sum();
    if groups.is_empty() || !page.add(&format!("<details><summary>{title}: {all}</summary>\n\n")) {
        return;
    }
    let left_out = groups.iter().filter(|(why, names)| !page.add(&group(why, names))).count();
    page.text.extend((0 < left_out).then(|| format!("- {left_out} more reasons: see `report.json`\n")));
    page.text.push_str("\n</details>\n\n");
}

fn group(why: &str, names: &[&str]) -> String {
    const MOST: usize = 10;
    let shown: Vec<_> = names.iter().take(MOST).map(|name| code(name)).collect();
    let more = names.len().saturating_sub(shown.len());
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("- {} × {}: {}{more}\n", names.len(), prose(why), shown.join(", "))
}

fn choices(report: &Report) -> String {
    let lines: String = report.clauses().filter_map(choice).collect();
    if lines.is_empty() {
        lines
    } else {
        format!("Where the documents leave a choice, the target was seen to choose:\n\n{lines}\n")
    }
}

fn choice(clause: &Clause) -> Option<String> {
    let seen = clause.choices.iter().filter(|choice| 0 < choice.seen);
    let seen: Vec<_> = seen.map(|choice| format!("{} {}", code(&choice.value), choice.seen)).collect();
    (!seen.is_empty()).then(|| format!("- {}: {}\n", code(&clause.id), seen.join(", ")))
}

fn next(report: &Report) -> String {
    let commands = end::commands(report);
    let lines: Vec<_> = commands.iter().map(|(want, command)| format!("# {want}\n{command}")).collect();
    format!("What to do next:\n\n{}", block(&lines.join("\n")))
}
