//! How much a script asks of its reader.

use std::collections::BTreeSet;

use crate::{Action, Script};
use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{Container, Document, Edition, Indexing, Operation, Properties, Request};
use cosmos_ttl_harness::vector::Condition;

/// What counts, the most important first; the fields are compared in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Weight {
    operations: u64,
    waits: u64,
    batches: u64,
    items: u64,
    conditions: u64,
    edition: u64,
    kinds: u64,
    indexing: u64,
    settings: u64,
    properties: u64,
    values: u128,
    waited_s: u128,
    names: u64,
}

pub(crate) fn weight(script: &Script) -> Weight {
    let mut weight = Weight { edition: u64::from(script.edition != Edition::default()), ..Weight::default() };
    weight.container(&script.container);
    let mut ids = Vec::new();
    for action in &script.actions {
        match action {
            Action::Wait(seconds) => {
                weight.waits += 1;
                weight.waited_s += u128::from(*seconds);
            }
            Action::Call(ask) => {
                weight.request(&ask.request);
                for (_, condition) in &ask.conditions {
                    weight.conditions += if *condition == Condition::Seen { 1 } else { 2 };
                }
                ids.extend(ask.request.operations().iter().map(Operation::id));
            }
        }
    }
    weight.items = u64::try_from(ids.iter().collect::<BTreeSet<_>>().len()).unwrap_or(u64::MAX);
    weight.names = odd_names(&ids);
    weight
}

/// What the items are called in the end, by the order in which they turn up.
pub(super) fn name(number: usize) -> String {
    let letter = u32::try_from(number).ok().and_then(|number| char::from_digit(number + 10, 36));
    letter.map_or_else(|| format!("item-{number}"), String::from)
}

/// How many of the items are not called `a`, `b`, `c` in the order in which they turn up.
fn odd_names(ids: &[&str]) -> u64 {
    let mut known: Vec<&str> = Vec::new();
    for id in ids {
        if !known.contains(id) {
            known.push(id);
        }
    }
    let odd = known.iter().enumerate().filter(|(number, id)| name(*number) != **id);
    u64::try_from(odd.count()).unwrap_or(u64::MAX)
}

impl Weight {
    fn container(&mut self, container: &Container) {
        let indexing = match container.indexing {
            Indexing::Consistent => 0,
            Indexing::Lazy => 1,
            Indexing::None => 2,
        };
        self.indexing += indexing;
        if let Some(value) = &container.default_ttl {
            self.settings += 1;
            self.value(value);
        }
    }

    fn request(&mut self, request: &Request) {
        let kind = match request {
            Request::CreateContainer(container) | Request::ReplaceContainer(container) => {
                self.container(container);
                2
            }
            Request::Item(_) | Request::Query => 0,
            Request::Batch(operations) => {
                self.batches += 1;
                // A batch of nothing is something, too.
                u64::from(operations.is_empty())
            }
            Request::List => 1,
            Request::Count => 2,
        };
        self.kinds += kind;
        let all = request.operations();
        self.operations += u64::try_from(all.len().max(1)).unwrap_or(u64::MAX);
        for operation in all {
            self.operation(operation);
        }
    }

    fn operation(&mut self, operation: &Operation) {
        let kind = match operation {
            Operation::Read(_) => 0,
            Operation::Create(document) => self.document(document, 1),
            Operation::Upsert(document) => self.document(document, 2),
            Operation::Replace(document, _) => self.document(document, 3),
            Operation::Patch(patch, _) => {
                self.properties(&patch.set);
                self.properties += u64::try_from(patch.remove.len()).unwrap_or(u64::MAX);
                4
            }
            Operation::Delete(..) => 3,
        };
        self.kinds += kind;
    }

    fn document(&mut self, document: &Document, kind: u64) -> u64 {
        self.properties(&document.properties);
        kind
    }

    fn properties(&mut self, properties: &Properties) {
        for value in properties.values() {
            self.properties += 1;
            self.value(value);
        }
    }

    fn value(&mut self, value: &Literal) {
        self.values += heaviness(value);
    }
}

/// Whole numbers weigh what they are; whatever else a value is weighs more than any of them.
fn heaviness(value: &Literal) -> u128 {
    const BEYOND: u128 = 1 << 70;
    let written = u128::try_from(value.as_str().len()).unwrap_or(u128::MAX);
    match value.kind() {
        LiteralKind::Whole(-1) => 1,
        LiteralKind::Whole(0) => 1 << 33,
        LiteralKind::Whole(number) if number > 0 => u128::from(number.unsigned_abs()) + 1,
        LiteralKind::Whole(number) => u128::from(number.unsigned_abs()) + (1 << 34),
        LiteralKind::Null => BEYOND,
        LiteralKind::WholeAsFraction(_) | LiteralKind::Other => written + BEYOND,
    }
}
