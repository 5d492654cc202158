//! Holds a list against a run: which failures are the known ones, and what of the list is not so any more.

use std::collections::BTreeSet;

use super::entry::{Entry, Of};
use super::{Kind, Known};
use crate::report::plain::plain;
use crate::run::{Run, VectorResult};
use crate::verdict::{Verdict, VerdictKind};

/// Says of every vector of a run what the list says of it, and in [`Run::stale`] what of the list is not so any more.
///
/// Vectors that were not part of the run are left alone, and so are those that could not be judged: a target that broke
/// bears out nothing.
pub fn hold(known: &Known, run: &mut Run<'_>) {
    for result in &mut run.results {
        if let Some(entry) = known.naming(&result.vector.name) {
            result.listed = Some(entry.listed(fits(entry, result)));
            run.stale.extend(unsupported(known, entry, result));
        }
    }
    for entry in &known.entries {
        hold_many(known, entry, run);
    }
}

/// Whether it fails, and as the entry says.
fn fits(entry: &Entry, result: &VectorResult<'_>) -> bool {
    match &result.verdict {
        Verdict::Fail(failure) => entry.fits(&plain(&failure.to_string())),
        _ => false,
    }
}

fn unsupported(known: &Known, entry: &Entry, result: &VectorResult<'_>) -> Option<String> {
    let Verdict::Unsupported(why) = &result.verdict else { return None };
    let (place, name, kind) = (place(known, entry), &result.vector.name, entry.kind.word());
    let why = plain(why);
    Some(format!(
        "{place}: `{name}` is listed as {kind}, but the target does not support it ({why}); take the entry away"
    ))
}

/// A wildcard covers the failures that fit it, unless there are more than it allows.
fn hold_many(known: &Known, entry: &Entry, run: &mut Run<'_>) {
    let Of::Many { max, .. } = entry.of else { return };
    let Coverage { covered, all_judged } = coverage(known, entry, run);
    if covered.len() <= max {
        let results = run.results.iter_mut().filter(|one| covered.contains(&one.vector.name.as_str()));
        results.for_each(|result| result.listed = Some(entry.listed(true)));
    }
    let stale = stale(entry, &covered, all_judged);
    run.stale.extend(stale.map(|why| format!("{}: {why}", place(known, entry))));
}

/// What a wildcard takes of a run.
pub(super) struct Coverage<'a> {
    /// The vectors that fail as it says, save those that are named themselves.
    pub(super) covered: Vec<&'a str>,
    /// Whether each vector that it might take passed or failed.
    pub(super) all_judged: bool,
}

/// What a wildcard takes of a run.
pub(super) fn coverage<'a>(known: &Known, entry: &Entry, run: &Run<'a>) -> Coverage<'a> {
    let own: BTreeSet<&str> =
        entry.names().iter().map(String::as_str).filter(|name| known.naming(name).is_none()).collect();
    let results = run.results.iter().filter(|result| own.contains(result.vector.name.as_str()));
    let judged = results
        .clone()
        .filter(|result| matches!(result.verdict.kind(), VerdictKind::Pass | VerdictKind::Fail));
    let all_judged = judged.count() == own.len();
    let covered = results.filter(|result| fits(entry, result)).map(|result| result.vector.name.as_str());
    Coverage { covered: covered.collect(), all_judged }
}

/// What of a wildcard is not so, if anything.
fn stale(entry: &Entry, covered: &[&str], all_judged: bool) -> Option<String> {
    let Of::Many { pattern, max, .. } = &entry.of else { return None };
    let pattern = plain(pattern);
    let fewer = all_judged && entry.kind != Kind::Flaky;
    match covered.len() {
        count if *max < count => Some(format!(
            "`{pattern}` lists at most {max}, but {count} fail so: {}; none of them counts as known until some are \
             mended or `max` is {count}",
            some(covered)
        )),
        0 if fewer => Some(format!("`{pattern}` lists {max}, but none fails so now; take it away")),
        count if count < *max && fewer => {
            let verb = if count == 1 { "fails" } else { "fail" };
            Some(format!("`{pattern}` lists {max}, but {count} {verb} so now; lower `max` to {count}"))
        }
        _ => None,
    }
}

/// `file:line`
fn place(known: &Known, entry: &Entry) -> String {
    format!("{}:{}", known.file(), entry.line)
}

/// The first names, and how many more there are.
fn some(names: &[&str]) -> String {
    const MOST: usize = 3;
    let first = names.get(..MOST).unwrap_or(names).join(", ");
    let more = names.len().saturating_sub(MOST);
    if more == 0 { first } else { format!("{first} and {more} more") }
}
