//! Why the complete suite does not kill a fault: what the requests that show it need, and the suite does not do.

use std::collections::BTreeSet;
use std::fmt;

use cosmos_ttl_complete::{Alphabet, ITEM};
use cosmos_ttl_explore::{Action, Script};
use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{Edition, Indexing, Operation, Properties, Request};
use cosmos_ttl_harness::vector::Vector;

/// Something that a test of the complete suite does not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Needed {
    /// It is about more than one item.
    SeveralItems,
    /// It names a partition.
    Partitions,
    /// It asks for pages.
    Pages,
    /// Its edition is not the latest one.
    OtherEdition,
    /// It gives a lifetime longer than those of the machine.
    LongerLifetime,
    /// It sends a value of which the suite has no representative.
    OtherValue,
    /// It sends another property than `ttl` and `value`.
    OtherProperty,
    /// It changes the indexing.
    Indexing,
    /// It creates the container with settings that are refused.
    RefusedContainer,
    /// It combines operations or conditions otherwise than the suite.
    OtherRequest,
}

impl fmt::Display for Needed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SeveralItems => "several items",
            Self::Partitions => "partitions",
            Self::Pages => "pages",
            Self::OtherEdition => "another edition",
            Self::LongerLifetime => "longer lifetimes",
            Self::OtherValue => "other values",
            Self::OtherProperty => "other properties",
            Self::Indexing => "another indexing",
            Self::RefusedContainer => "a container that is refused",
            Self::OtherRequest => "other combinations of operations or conditions",
        })
    }
}

/// The inputs of the suite.
#[derive(Debug)]
pub struct Domain {
    sent: Vec<Request>,
    literals: Vec<Literal>,
    longest_s: u8,
}

impl Domain {
    /// Returns what the suite sends with lifetimes up to this many seconds.
    pub fn new(longest_s: u8) -> Self {
        let alphabet = Alphabet::new(longest_s);
        let inputs = alphabet.inputs.into_iter().filter_map(|input| input.request);
        let openings = alphabet.openings.into_iter().map(Request::CreateContainer);
        let sent: Vec<Request> = inputs.chain(openings).map(|request| normal(&request)).collect();
        let literals = sent.iter().flat_map(literals).cloned().collect();
        Self { sent, literals, longest_s }
    }

    /// Returns what a vector needs that the suite does not do.
    pub fn needed_by_vector(&self, vector: &Vector) -> BTreeSet<Needed> {
        let mut all = self.needed(vector.edition, vector.steps.iter().map(|step| &step.request));
        all.extend(vector.steps.iter().any(|step| step.partition.is_some()).then_some(Needed::Partitions));
        all.extend(vector.steps.iter().any(|step| step.pages.is_some()).then_some(Needed::Pages));
        all
    }

    /// Returns what a script needs that the suite does not do.
    pub fn needed_by_script(&self, script: &Script) -> BTreeSet<Needed> {
        let creation = Request::CreateContainer(script.container.clone());
        let calls = script.actions.iter().filter_map(|action| match action {
            Action::Call(call) => Some(&call.request),
            Action::Wait(_) => None,
        });
        self.needed(Some(script.edition), [&creation].into_iter().chain(calls))
    }

    fn needed<'r>(
        &self,
        edition: Option<Edition>,
        requests: impl Iterator<Item = &'r Request>,
    ) -> BTreeSet<Needed> {
        let mut all = BTreeSet::new();
        all.extend(edition.filter(|edition| *edition != Edition::default()).map(|_| Needed::OtherEdition));
        let mut ids: BTreeSet<&str> = BTreeSet::new();
        for request in requests {
            ids.extend(request.operations().iter().map(Operation::id));
            if self.sent.contains(&normal(request)) {
                continue;
            }
            let needed = self.needed_by_request(request);
            // Requests that the suite sends about two items are several items, and nothing else.
            let is_other = needed.is_empty() && request.operations().len() < 2;
            all.extend(is_other.then_some(Needed::OtherRequest));
            all.extend(needed);
        }
        all.extend((ids.len() > 1).then_some(Needed::SeveralItems));
        all
    }

    fn needed_by_request(&self, request: &Request) -> BTreeSet<Needed> {
        let unknown = literals(request).filter(|literal| !self.literals.contains(literal));
        let mut all: BTreeSet<Needed> = unknown.map(|literal| self.needed_by(literal)).collect();
        let operations = request.operations().iter();
        let mut names = operations.filter_map(properties).flat_map(Properties::keys);
        all.extend(names.any(|name| name != "ttl" && name != "value").then_some(Needed::OtherProperty));
        if let Some(container) = request.container() {
            let other = container.indexing != Indexing::Consistent;
            all.extend(other.then_some(Needed::Indexing));
            let creates = matches!(request, Request::CreateContainer(_));
            all.extend((creates && all.is_empty()).then_some(Needed::RefusedContainer));
        }
        if request.operations().len() > 1 && all.is_empty() {
            all.insert(Needed::OtherRequest);
        }
        all
    }

    fn needed_by(&self, literal: &Literal) -> Needed {
        match literal.kind() {
            LiteralKind::Whole(seconds) if (i64::from(self.longest_s)..=2_147_483_647).contains(&seconds) => {
                Needed::LongerLifetime
            }
            _ => Needed::OtherValue,
        }
    }
}

/// The values of `ttl` and `defaultTtl`.
fn literals(request: &Request) -> impl Iterator<Item = &Literal> {
    let default = request.container().and_then(|container| container.default_ttl.as_ref());
    default.into_iter().chain(request.operations().iter().filter_map(Operation::ttl))
}

fn properties(operation: &Operation) -> Option<&Properties> {
    match operation {
        Operation::Create(document) | Operation::Upsert(document) | Operation::Replace(document, _) => {
            Some(&document.properties)
        }
        Operation::Patch(patch, _) => Some(&patch.set),
        Operation::Read(_) | Operation::Delete(..) => None,
    }
}

/// The request about one item, with one content.
fn normal(request: &Request) -> Request {
    let mut request = request.clone();
    let operations = match &mut request {
        Request::Item(operation) => std::slice::from_mut(operation),
        Request::Batch(operations) => operations.as_mut_slice(),
        _ => &mut [],
    };
    let first = operations.first().map(|one| one.id().to_owned()).unwrap_or_default();
    for operation in operations {
        let is_patch = matches!(operation, Operation::Patch(..));
        let (id, properties) = match operation {
            Operation::Create(document) | Operation::Upsert(document) | Operation::Replace(document, _) => {
                (&mut document.id, Some(&mut document.properties))
            }
            Operation::Patch(patch, _) => (&mut patch.id, Some(&mut patch.set)),
            Operation::Read(id) | Operation::Delete(id, _) => (id, None),
        };
        if *id == first {
            ITEM.clone_into(id);
        }
        if let Some(properties) = properties
            && properties.remove("value").is_some()
            && is_patch
        {
            properties.insert("value".into(), Literal::from(1));
        }
    }
    request
}
