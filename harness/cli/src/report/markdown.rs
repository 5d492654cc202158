//! A report as Markdown, for the summary of a CI job: the conclusion, the counts, and what a terminal shows.
//!
//! All text from elsewhere stands in a block of code, which shows it as it is. GitHub takes a mebibyte; a longer text is cut.

use super::style::{RenderOptions, unstyled};
use super::{Report, text};
use cosmos_ttl_harness::plain::visible_lines;

/// No page has more bytes than this.
pub const MOST_BYTES: usize = 1_000_000;

/// Returns the report as Markdown.
pub fn markdown(report: &Report) -> String {
    // What a report from elsewhere concludes may be any text.
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || " ,-".contains(*c);
    let conclusion: String = report.conclusion.chars().filter(is_plain).take(200).collect();
    let incomplete = if report.complete { "" } else { "\n⚠️ **The run is incomplete.**\n" };
    page(
        report.exit_code,
        &conclusion,
        &format!("**{}**\n{incomplete}", report.sum()),
        &format!("{}\n\n{}", report.sentence(), text(report, RenderOptions::default())),
    )
}

/// A heading with this conclusion, a line of our own, and this text of a terminal.
pub(crate) fn page(exit_code: u8, conclusion: &str, line: &str, text: &str) -> String {
    let mark = match exit_code {
        0 => "✅",
        1 => "❌",
        _ => "⚠️",
    };
    format!("# {mark} Time to live in Azure Cosmos DB: {conclusion}\n\n{line}\n{}", block(&unstyled(text)))
}

/// The text as a block of code, which no text in it can end.
fn block(text: &str) -> String {
    let mut shown = String::new();
    for line in text.lines() {
        if shown.len() + line.len() > MOST_BYTES - 100_000 {
            shown.push_str("… cut short: `report.json` has the rest\n");
            break;
        }
        shown.extend([line, "\n"]);
    }
    let longest = shown.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}text\n{}\n{fence}\n", visible_lines(shown.trim_end()))
}
