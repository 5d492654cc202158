//! Holds a list against a run: which failures are the known ones, and what of the list is not so any more.

use std::collections::BTreeSet;

use super::{FailureKind, KnownFailure, KnownFailures};
use crate::plain::plain;
use crate::run::{Run, VectorResult};
use crate::target::About;
use crate::verdict::{Outcome, Verdict};

/// Says of every vector of a run what the list says of it, and in [`Run::stale`] what of the list is not so any more.
///
/// Vectors that were not part of the run are left alone, and so are those that could not be judged: a target that broke
/// bears out nothing.
pub fn apply(known: &KnownFailures, run: &mut Run<'_>) {
    let names: BTreeSet<&str> = run.results.iter().map(|result| result.vector.name.as_str()).collect();
    for result in &mut run.results {
        let entry = known.naming(&result.vector.name);
        if let Some(entry) = entry.filter(|entry| !wants_another(entry, result, &names)) {
            result.listed = Some(entry.listed(fits(entry, result)));
            run.stale.extend(not_offered(known, entry, result, &run.about));
        }
    }
    for entry in &known.entries {
        hold_many(known, entry, run);
    }
}

/// Whether it passes only because a vector was not run that it contradicts: two choices that do not agree are seen in a
/// run of both.
fn wants_another(entry: &KnownFailure, result: &VectorResult<'_>, names: &BTreeSet<&str>) -> bool {
    let chosen_in = entry.step.chosen_in.as_deref();
    result.verdict == Verdict::Pass && chosen_in.is_some_and(|chosen_in| !names.contains(chosen_in))
}

/// Whether it fails, and as the entry says.
fn fits(entry: &KnownFailure, result: &VectorResult<'_>) -> bool {
    matches!(&result.verdict, Verdict::Fail(failure) if entry.fits(failure))
}

/// What is wrong with an entry of a vector that the target does not offer; one that takes too long for this run may hold
/// in another.
fn not_offered(
    known: &KnownFailures,
    entry: &KnownFailure,
    result: &VectorResult<'_>,
    about: &About,
) -> Option<String> {
    let of_another_edition =
        || result.vector.edition.is_some_and(|edition| !about.editions.contains(&edition));
    let why = match &result.verdict {
        Verdict::Unsupported(why) => why,
        Verdict::NotApplicable(why) if of_another_edition() => why,
        _ => return None,
    };
    let (place, name, kind) = (place(known, entry), &result.vector.name, entry.text.kind.word());
    let why = plain(why);
    Some(format!(
        "{place}: `{name}` is listed as {kind}, but the target does not support it ({why}); take the entry away"
    ))
}

/// A wildcard covers the failures that fit it, unless there are more than it allows.
fn hold_many(known: &KnownFailures, entry: &KnownFailure, run: &mut Run<'_>) {
    let Some((_, max)) = entry.wildcard() else { return };
    let (covered, open) = coverage(known, entry, run);
    if covered.len() <= max {
        let results = run.results.iter_mut().filter(|one| covered.contains(&one.vector.name.as_str()));
        results.for_each(|result| result.listed = Some(entry.listed(true)));
    }
    let stale = stale(entry, &covered, open);
    run.stale.extend(stale.map(|why| format!("{}: {why}", place(known, entry))));
}

/// What a wildcard takes of a run: the vectors that fail as it says, save those that are named themselves; and how many of
/// its vectors might yet turn out to fail so, because they were not part of the run, or nothing could be said of them. What
/// the target does not offer is none of them.
pub(super) fn coverage<'a>(
    known: &KnownFailures,
    entry: &KnownFailure,
    run: &Run<'a>,
) -> (Vec<&'a str>, usize) {
    let own: BTreeSet<&str> =
        entry.names.iter().map(String::as_str).filter(|name| known.naming(name).is_none()).collect();
    let results = run.results.iter().filter(|result| own.contains(result.vector.name.as_str()));
    let settled = results.clone().filter(|result| is_settled(result.verdict.outcome()));
    let open = own.len().saturating_sub(settled.count());
    let covered = results.filter(|result| fits(entry, result)).map(|result| result.vector.name.as_str());
    (covered.collect(), open)
}

/// Whether another run would say the same of it.
fn is_settled(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Pass | Outcome::Fail | Outcome::Unsupported | Outcome::NotApplicable)
}

/// What of a wildcard is not so, if anything.
fn stale(entry: &KnownFailure, covered: &[&str], open: usize) -> Option<String> {
    let (pattern, max) = entry.wildcard()?;
    let pattern = plain(pattern);
    let most = covered.len().saturating_add(open);
    let fewer = most < max && entry.text.kind != FailureKind::Flaky;
    match covered.len() {
        count if max < count => Some(format!(
            "`{pattern}` lists at most {max}, but {count} fail so: {}; none of them counts as known until some are \
             mended or `max` is {count}",
            some(covered)
        )),
        0 if fewer && open == 0 => {
            Some(format!("`{pattern}` lists {max}, but none fails so now; take it away"))
        }
        _ if fewer => {
            let verb = if most == 1 { "fails" } else { "fail" };
            let least = if open == 0 { "" } else { "at most " };
            Some(format!("`{pattern}` lists {max}, but {least}{most} {verb} so now; lower `max` to {most}"))
        }
        _ => None,
    }
}

/// `file:line`
fn place(known: &KnownFailures, entry: &KnownFailure) -> String {
    format!("{}:{}", known.file(), entry.line)
}

/// The first names, and how many more there are.
fn some(names: &[&str]) -> String {
    const MOST: usize = 3;
    let first = names.get(..MOST).unwrap_or(names).join(", ");
    let more = names.len().saturating_sub(MOST);
    if more == 0 { first } else { format!("{first} and {more} more") }
}
