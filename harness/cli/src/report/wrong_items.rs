//! Says of each item that a wrong answer is about what the rules say: one sentence an item.

use std::collections::BTreeSet;

use crate::report::timeline::{Does, Life};
use crate::report::{Case, ReportedFailure};
use cosmos_ttl_harness::describe::listed;

/// No more items than these are told.
const MOST_ITEMS: usize = 5;

/// Returns, for example: `a: written at 0 s, default 2 s: expired since 2 s`. Of an answer that is a list, the items that it
/// has and must not have, or the other way round; of any other, the items of the request.
pub(crate) fn wrong_items(case: &Case) -> Vec<String> {
    let Some(failure) = &case.failure else { return Vec::new() };
    let astray = astray(failure);
    let is_asked = |life: &&Life| life.touches.iter().any(|touch| touch.step == failure.step);
    let is_astray = |life: &&Life| astray.as_ref().is_none_or(|items| items.contains(life.item.as_str()));
    let lives = case.timeline.lives.iter().filter(is_asked).filter(is_astray);
    lives.take(MOST_ITEMS).map(|life| format!("{}: {}", life.item, state(life, failure))).collect()
}

/// The items that are in only one of two lists, that which is expected and that which came.
pub(crate) fn astray(failure: &ReportedFailure) -> Option<BTreeSet<&str>> {
    let (expected, got) = (listed(&failure.expected)?, listed(&failure.got)?);
    let astray: BTreeSet<_> = expected.symmetric_difference(&got).copied().collect();
    (!astray.is_empty()).then_some(astray)
}

/// What the rules say of an item when the failing request comes.
fn state(life: &Life, failure: &ReportedFailure) -> String {
    let before =
        |does: Does| life.touches.iter().rev().find(|touch| touch.step < failure.step && touch.does == does);
    let span = life.spans.iter().rev().find(|span| span.from_step < failure.step);
    let (Some(written), Some(span)) = (before(Does::Writes), span) else {
        return "not written before".into();
    };
    let deleted = before(Does::Deletes).filter(|deleted| written.step <= deleted.step);
    let ended = span.until_s.filter(|_| span.until_step.is_some_and(|until| until < failure.step));
    let now = match (deleted, ended, span.deadline_s) {
        (Some(deleted), ..) => return format!("deleted at {} s", deleted.at_s),
        (None, Some(ended_s), _) => format!("expired when the settings changed at {ended_s} s"),
        (None, None, _) if span.open => "the rules leave open whether it is there".into(),
        (None, None, None) => "never expires".into(),
        (None, None, Some(deadline_s)) if deadline_s <= failure.at_s => {
            format!("expired since {deadline_s} s")
        }
        (None, None, Some(deadline_s)) => format!("there until {deadline_s} s"),
    };
    format!("written at {} s, {}: {now}", written.at_s, span.lifetime)
}
