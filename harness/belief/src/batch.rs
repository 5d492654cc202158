//! Several operations at once: the model's own, one after the other, all or none.

use cosmos_ttl_model::container as model;
use cosmos_ttl_model::rule::Edition;

use super::hypothesis::Hypothesis;
use super::observations::Observations;
use super::outcomes::{One, Successor};
use cosmos_ttl_harness::target::{Body, Operation, Response, Status};
use cosmos_ttl_reference::status;

/// The worlds after a batch with this answer, added to `next`; none where it does not answer so.
///
/// Each operation is taken by itself because each may be of another item, and so under another choice.
pub(super) fn batch(
    known: &mut Observations,
    edition: Edition,
    from: &Hypothesis,
    (operations, response): (&[Operation], &Response),
    next: &mut Vec<Hypothesis>,
) {
    match &response.body {
        Body::Committed(statuses) if response.status == Status::Ok && statuses.len() == operations.len() => {
            let mut worlds = vec![from.clone()];
            for (operation, status) in operations.iter().zip(statuses) {
                worlds = answering(known, edition, &worlds, operation, |answer| answer == *status);
            }
            next.extend(worlds);
        }
        Body::Aborted { at } => {
            let mut worlds = vec![from.clone()];
            for (number, operation) in operations.iter().enumerate().take(at.saturating_add(1)) {
                let last = number == *at;
                worlds = answering(known, edition, &worlds, operation, |answer| {
                    if last { answer == response.status } else { answer.is_success() }
                });
            }
            if *at < operations.len() && !response.status.is_success() {
                next.extend(worlds.into_iter().map(|after| undone(from, &after)));
            }
        }
        _ => {}
    }
}

/// As if nothing of it had happened; only what it told of choices is kept.
fn undone(from: &Hypothesis, after: &Hypothesis) -> Hypothesis {
    Hypothesis { fraction: after.fraction, invalid: after.invalid, ..from.clone() }
}

fn answering(
    known: &mut Observations,
    edition: Edition,
    worlds: &[Hypothesis],
    operation: &Operation,
    fits: impl Fn(Status) -> bool,
) -> Vec<Hypothesis> {
    let Some(mut one) = One::new(known, edition, operation) else { return Vec::new() };
    let mut all: Vec<Successor> = Vec::new();
    for world in worlds {
        one.outcomes(known, world, &mut all);
    }
    let mut next: Vec<Hypothesis> = Vec::new();
    for (hypothesis, answer) in all {
        if fits(status(&answer)) && !next.contains(&hypothesis) {
            next.push(hypothesis);
        }
    }
    next
}

/// What a batch may answer, in words.
pub(super) fn in_words(
    known: &mut Observations,
    edition: Edition,
    from: &Hypothesis,
    operations: &[Operation],
) -> Vec<String> {
    let mut words = Vec::new();
    let mut rows: Vec<(Hypothesis, Vec<&'static str>)> = vec![(from.clone(), Vec::new())];
    for (number, operation) in operations.iter().enumerate() {
        let Some(mut one) = One::new(known, edition, operation) else { return words };
        let mut next = Vec::new();
        for (world, statuses) in rows {
            let mut all: Vec<Successor> = Vec::new();
            one.outcomes(known, &world, &mut all);
            for (world, answer) in all {
                let came = status(&answer);
                if let model::Response::Refused(_) = answer {
                    words.push(format!("aborted at operation {number} with {came}"));
                } else {
                    next.push((world, [statuses.as_slice(), &[came.word()]].concat()));
                }
            }
        }
        // More than so many are of no use to anybody.
        next.truncate(16);
        rows = next;
    }
    words.extend(rows.iter().map(|(_, statuses)| format!("committed [{}]", statuses.join(", "))));
    words
}
