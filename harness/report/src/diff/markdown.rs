//! What changed between two runs, as Markdown for a comment or the summary of a CI job.

use super::{Change, Changed, Diff, Told};
use crate::markdown::MOST_BYTES;
use crate::markdown::inert::{code, prose};

/// No change is told of more vectors than this.
const MOST: usize = 100;

/// What a comment's end needs of its bound.
const FOR_THE_END: usize = 10_000;

/// The difference as Markdown.
pub fn markdown(diff: &Diff) -> String {
    let mark = match diff.exit_code {
        0 => "✅",
        1 => "❌",
        _ => "⚠️",
    };
    let mut text = format!("# {mark} Time to live in Azure Cosmos DB: {}\n\n", diff.conclusion);
    text.extend(diff.undecided.as_deref().map(|why| format!("{}\n\n", prose(why))));
    text.push_str("| change | vectors |\n|---|--:|\n");
    text.extend(Change::ALL.map(|change| format!("| {} | {} |\n", change.word(), diff.count(change))));
    text.push('\n');
    text.extend(diff.differences.iter().map(|line| format!("- {}\n", prose(line))));
    for change in Change::ALL {
        group(&mut text, diff, change);
    }
    text
}

fn group(text: &mut String, diff: &Diff, change: Change) {
    let all: Vec<_> = diff.changes.iter().filter(|one| one.change == change).collect();
    if all.is_empty() {
        return;
    }
    let open = if change == Change::Regressed { " open" } else { "" };
    text.extend([format!(
        "\n<details{open}><summary>{}: {}{}</summary>\n\n",
        change.word(),
        all.len(),
        change.hint()
    )]);
    let mut told = 0_usize;
    for line in all.iter().take(MOST).map(|one| line(one)) {
        if MOST_BYTES.saturating_sub(FOR_THE_END) < text.len().saturating_add(line.len()) {
            break;
        }
        text.push_str(&line);
        told = told.saturating_add(1);
    }
    let more = all.len().saturating_sub(told);
    text.extend((0 < more).then(|| format!("- and {more} more\n")));
    text.push_str("\n</details>\n");
}

fn line(one: &Changed) -> String {
    let said = |told: &Option<Told>| {
        let told = told.as_ref()?;
        let why = told.why.as_deref().map(|why| format!(": {}", prose(why))).unwrap_or_default();
        Some(format!("{}{why}", told.verdict))
    };
    let (before, after) = (said(&one.before), said(&one.after));
    let parts = [before.map(|said| format!("before {said}")), after.map(|said| format!("now {said}"))];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    format!("- {}: {}\n", code(&one.name), parts.join("; "))
}
