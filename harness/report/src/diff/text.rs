//! What changed between two runs, for people.

use super::{Change, Changed, Diff, Told};
use crate::diagnostic::vectors;
use crate::style::{BAD, BOLD, DOUBT, GOOD, RenderOptions, styled, wrapped};
use cosmos_ttl_harness::plain::visible;

/// The difference as text, with styles.
pub fn text(diff: &Diff, look: RenderOptions) -> String {
    let mut parts = Vec::new();
    if !diff.differences.is_empty() {
        let lines = diff.differences.iter().map(|line| wrapped(&visible(line), look.width, "    "));
        let lines: Vec<_> = lines.collect();
        parts.push(format!("{}\n  {}\n", styled(BOLD, "not the same in both runs"), lines.join("\n  ")));
    }
    parts.extend(Change::ALL.into_iter().filter_map(|change| group(diff, change, look)));
    parts.push(end(diff, look));
    parts.join("\n")
}

fn group(diff: &Diff, change: Change, look: RenderOptions) -> Option<String> {
    let all: Vec<_> = diff.changes.iter().filter(|one| one.change == change).collect();
    if all.is_empty() {
        return None;
    }
    let style = match change {
        Change::Regressed => BAD,
        Change::Unjudged | Change::Changed | Change::Redefined => DOUBT,
        Change::Fixed => GOOD,
        Change::New | Change::Removed | Change::Same => BOLD,
    };
    let mut text = format!("{}: {}{}\n", styled(style, change.word()), vectors(all.len()), change.hint());
    all.iter().take(look.most).for_each(|one| text.push_str(&lines(one, look)));
    let more = all.len().saturating_sub(look.most);
    text.extend((0 < more).then(|| format!("  and {more} more (--show N shows more)\n")));
    Some(text)
}

fn lines(one: &Changed, look: RenderOptions) -> String {
    let said = |when: &str, told: &Option<Told>| {
        let told = told.as_ref()?;
        let why = told.why.as_deref().map(|why| format!(": {}", visible(why))).unwrap_or_default();
        let line = format!("    {when} {}{why}", told.verdict);
        Some(wrapped(&line, look.width, "           ") + "\n")
    };
    let again = one.after.as_ref().filter(|_| matches!(one.change, Change::Regressed | Change::Unjudged));
    let again = again.map(|told| format!("    again  {}\n", visible(&told.again)));
    let parts = [said("before", &one.before), said("now   ", &one.after), again];
    format!("  {}\n{}", visible(&one.name), parts.into_iter().flatten().collect::<String>())
}

/// One line that adds up, and what follows from it.
fn end(diff: &Diff, look: RenderOptions) -> String {
    let words = Change::ALL.into_iter().filter(|change| 0 < diff.count(*change));
    let words: Vec<_> = words.map(|change| format!("{} {}", diff.count(change), change.word())).collect();
    let sum = if words.is_empty() { "nothing".into() } else { words.join(" + ") };
    let style = match diff.exit_code {
        0 => GOOD,
        1 => BAD,
        _ => DOUBT,
    };
    // Of what regressed no incomplete run is the reason.
    let between = if diff.exit_code == 1 { "; besides, " } else { ": " };
    let why = diff.undecided.as_deref().map(|why| format!("{between}{}", visible(why))).unwrap_or_default();
    let said = wrapped(&format!("{}{why}", diff.conclusion), look.width, "  ");
    let said =
        said.strip_prefix(diff.conclusion).map_or(said.clone(), |rest| styled(style, diff.conclusion) + rest);
    format!("{} = {sum}\n{said}\n", vectors(diff.vectors()))
}
