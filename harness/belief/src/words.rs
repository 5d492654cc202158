//! What may be answered and what was, in words; only made where there is a difference.

use std::collections::BTreeSet;

use cosmos_ttl_model::container::ItemId;

use super::compare::{self, Words, excerpt};
use super::hypothesis::Hypothesis;
use super::outcomes::{One, Successor};
use super::{Belief, Contradiction, batch, queries, settings};
use cosmos_ttl_harness::target::{Body, Operation, Request, Response, Status};
use cosmos_ttl_reference::status;

impl Belief {
    /// What every world would have answered, and what came.
    pub(super) fn differs(&mut self, request: &Request, response: &Response) -> Contradiction {
        let hypothesis = self.hypotheses.clone();
        let mut allowed = BTreeSet::new();
        let mut came = None;
        for from in &hypothesis {
            self.allowed(from, request, response, &mut |(wanted, got): Words| {
                allowed.insert(wanted);
                if !got.is_empty() {
                    came.get_or_insert(got);
                }
            });
        }
        let expected = allowed.into_iter().collect::<Vec<_>>().join(" or ");
        Contradiction { expected, got: came.unwrap_or_else(|| answered(request, response)) }
    }

    /// Each answer of this world, with what came where that has the same status.
    fn allowed(
        &mut self,
        from: &Hypothesis,
        request: &Request,
        response: &Response,
        add: &mut dyn FnMut(Words),
    ) {
        let edition = self.edition;
        match request {
            Request::Item(operation) => self.of_operation(from, operation, response, add),
            Request::Batch(operations) => {
                let words = batch::in_words(&mut self.known, edition, from, operations);
                for words in words {
                    add((words, String::new()));
                }
            }
            Request::Query | Request::List => add((self.list(from), String::new())),
            Request::Count => {
                let (least, most) = queries::bounds(edition, from);
                let words =
                    if least == most { format!("count {least}") } else { format!("count {least} to {most}") };
                add((words, String::new()));
            }
            Request::CreateContainer(container) => {
                let changed = settings::created(edition, from, container);
                for (_, status) in changed {
                    add((status.to_string(), String::new()));
                }
            }
            Request::ReplaceContainer(container) => {
                let changed = settings::replaced(edition, from, container);
                for (_, status) in changed {
                    add((status.to_string(), String::new()));
                }
            }
        }
    }

    fn of_operation(
        &mut self,
        from: &Hypothesis,
        operation: &Operation,
        response: &Response,
        add: &mut dyn FnMut(Words),
    ) {
        let Some(mut one) = One::new(&mut self.known, self.edition, operation) else { return };
        let mut all: Vec<Successor> = Vec::new();
        one.outcomes(&mut self.known, from, &mut all);
        for (_, wanted) in all {
            let same = status(&wanted) == response.status;
            let words = same.then(|| compare::differs(&self.known, from, one.id, &wanted, response));
            add(words.flatten().unwrap_or_else(|| (status(&wanted).to_string(), String::new())));
        }
    }

    /// The items that a look shows.
    fn list(&self, from: &Hypothesis) -> String {
        let named = |id: ItemId| {
            let name = self.known.name(id);
            if from.is_open(id) { format!("{name} or not") } else { name.to_owned() }
        };
        let mut all: Vec<String> = from.world.visible_ids().map(named).collect();
        all.sort_unstable();
        format!("[{}]", all.join(", "))
    }
}

/// An answer in words; text from the target in it is bounded and still to be escaped.
pub fn answered(request: &Request, response: &Response) -> String {
    match (request, &response.body) {
        (Request::Batch(_), Body::Committed(statuses)) if response.status == Status::Ok => {
            let words = statuses.iter().take(20).map(|status| status.word());
            format!("committed [{}]", words.collect::<Vec<_>>().join(", "))
        }
        (_, Body::Ids(ids)) if response.status == Status::Ok => {
            let mut ids: Vec<_> = ids.iter().take(20).map(|id| excerpt(id)).collect();
            ids.sort_unstable();
            format!("[{}]", ids.join(", "))
        }
        (_, Body::Count(count)) if response.status == Status::Ok => format!("count {count}"),
        (_, Body::Aborted { at }) => format!("aborted at operation {at} with {}", response.status),
        _ => response.status.to_string(),
    }
}
