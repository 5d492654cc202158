//! The operations of a batch, one after the other, in each hypothesis.

use crate::reference::status;
use cosmos_ttl_harness::target::{Operation, Status};
use cosmos_ttl_model::choices::OpenChoice;
use cosmos_ttl_model::container::{self as model, ItemId};

use super::hypothesis::{Hypothesis, ItemRequest, MadeChoices, Observations, Successor};

/// The state of a hypothesis in a batch, up to one of its operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BatchRow {
    pub(crate) after: Hypothesis,
    pub(crate) statuses: Vec<Status>,
    /// The response to the last operation.
    pub(crate) last: Option<model::Response>,
    /// The items whose fate was decided on the way: whether they are gone.
    pub(crate) fates: Vec<(ItemId, bool)>,
    /// The choices that it shows and that bind nothing.
    pub(crate) free: MadeChoices,
    /// An operation before the last one was refused, and the batch went on (`refusal-order`).
    pub(crate) is_doomed: bool,
}

impl BatchRow {
    /// The number of the last operation.
    pub(crate) fn at(&self) -> usize {
        self.statuses.len().saturating_sub(1)
    }

    pub(crate) fn is_refused(&self) -> bool {
        matches!(self.last, Some(model::Response::Refused(_)))
    }

    /// The hypothesis as if nothing of the batch had happened; only what it showed of choices is kept.
    pub(crate) fn undone(&self, from: &Hypothesis) -> Hypothesis {
        Hypothesis { made: self.after.made.clone(), ..from.clone() }
    }
}

/// Takes the operations of a batch one after the other, so that only the rows go on for which `keeps` returns `true`: what a
/// batch may do as a whole grows with each of its operations.
pub(crate) fn batch(
    known: &mut Observations,
    from: &Hypothesis,
    operations: &[Operation],
    binds_invalid: bool,
    mut keeps: impl FnMut(&BatchRow) -> bool,
) -> Vec<BatchRow> {
    let (statuses, last, fates, free) = Default::default();
    let mut rows = vec![BatchRow { after: from.clone(), statuses, last, fates, free, is_doomed: false }];
    for operation in operations {
        let Some(mut asked) = ItemRequest::new(known, operation, binds_invalid) else { return Vec::new() };
        let mut next: Vec<BatchRow> = Vec::new();
        for row in &rows {
            for (from, gone) in row.after.fates(asked.id) {
                let mut all = Vec::new();
                asked.outcomes(known, &from, &mut all);
                for Successor { after, response, free: mut shown } in all {
                    let (mut statuses, mut fates) = (row.statuses.clone(), row.fates.clone());
                    statuses.push(status(&response));
                    fates.extend(gone.map(|gone| (asked.id, gone)));
                    let is_doomed = row.is_doomed || row.is_refused();
                    if is_doomed {
                        shown.insert((OpenChoice::LaterRefusalIsAnswered, None), true);
                    }
                    let mut free = row.free.clone();
                    for (key, yes) in shown {
                        *free.entry(key).or_default() |= yes;
                    }
                    let row = BatchRow { after, statuses, last: Some(response), fates, free, is_doomed };
                    if keeps(&row) && !next.contains(&row) {
                        next.push(row);
                    }
                }
            }
        }
        rows = next;
    }
    rows
}
