//! Vectors: storyboards that say what every request must answer.
//!
//! `vectors/README.md` is the reference of the format. [`Suite::load`] reads a directory of them, strictly.

mod lint;
mod load;
mod parse;
pub mod render;
mod table;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::num::NonZeroU32;
use std::sync::{Arc, OnceLock};

pub use crate::etags::Condition;
pub use cosmos_ttl_vectors::SCHEMA;
#[cfg(feature = "libtest")]
pub(crate) use load::load_one;
pub use load::{CLAUSES_FILE, EVIDENCE_FILE, JSON_FILE, QUICK_FILE, SCHEMA_FILE, Suite, digest, embedded};

use crate::clauses::{Binds, Level};
use crate::diagnostic::{Diagnostic, Source};
use crate::literal::{Literal, LiteralKind};
use crate::target::{
    ContainerName, Id, Indexing, Operation, Part, PartitionKey, Properties, Request, RequestOptions, Status,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A storyboard.
#[derive(Clone, Debug)]
pub struct Vector {
    /// `section/id`
    pub name: String,
    /// Its section.
    pub section: String,
    /// The title: what must hold.
    pub title: String,
    /// The clauses that it shows, at least one.
    pub clauses: Vec<String>,
    /// The weakest level among its clauses; open ones bind like a must, since every allowed answer is listed.
    pub level: Level,
    /// The documents whose example it is.
    pub documents: Vec<SourceDocument>,
    /// The requests, in order; at least one.
    pub steps: Vec<Step>,
    /// How many of its first requests set it up. If one of them fails, the vector comes to no question.
    pub setup: usize,
    /// The second of its last request.
    pub span_s: u64,
    /// The least distance, in seconds, between a request and a moment at which an item might expire; `None` where
    /// there is no such moment.
    pub margin_s: Option<u64>,
    /// Every lifetime that it gives to anything, in seconds.
    pub lifetimes_s: BTreeSet<u64>,
    /// Of the open clauses that it cites: how far one choice reaches.
    pub binds: Vec<(String, Binds)>,
    /// The clauses among those that it cites that bind a target: a must, or open.
    pub binding: Vec<String>,
    /// The whole vector as JSON, with its tables, loops and ranges written out.
    pub(crate) json: Cow<'static, str>,
    /// See [`Vector::digest`].
    pub(crate) digest: OnceLock<String>,
    /// Its file.
    pub source: Arc<Source>,
    /// The line on which it begins there, counted from 1: of a vector of a table, its row.
    pub line: usize,
    /// The line of each of its steps, the moves of the clock included.
    pub(crate) lines: Vec<usize>,
}

impl Vector {
    /// Returns the whole vector as JSON, with its tables, loops and ranges written out.
    ///
    /// # Errors
    ///
    /// A [`Diagnostic`], though a text that was written as JSON is read again.
    pub fn json(&self) -> Result<&RawValue, Diagnostic> {
        serde_json::from_str(&self.json).map_err(|err| Diagnostic::of_path(&self.name, err.to_string(), ""))
    }

    /// Returns the digest of its meaning: clauses and steps.
    pub fn digest(&self) -> &str {
        #[derive(Deserialize)]
        struct Meaning<'a> {
            #[serde(borrow)]
            clauses: &'a RawValue,
            #[serde(borrow)]
            steps: &'a RawValue,
        }
        self.digest.get_or_init(|| {
            let meaning: Option<Meaning<'_>> = serde_json::from_str(&self.json).ok();
            let parts = meaning.map_or([""; 2], |meaning| [meaning.clauses.get(), meaning.steps.get()]);
            digest(&parts.join("\n"))
        })
    }

    /// Whether it waits for removal that is minutes late.
    pub fn is_soak(&self) -> bool {
        self.section == "soak"
    }

    /// How far a choice under this open clause reaches.
    pub fn binds(&self, clause: &str) -> Binds {
        self.binds.iter().find(|(id, _)| id == clause).map_or(Binds::Nothing, |(_, binds)| *binds)
    }

    /// Returns the parts of the interface that it needs.
    pub fn parts(&self) -> BTreeSet<Part> {
        self.steps.iter().flat_map(Step::parts).collect()
    }

    /// Returns whether it says something only of a container that was not used before.
    ///
    /// That is a vector about what a container takes when it is created: it cites a clause about the container's own
    /// setting, expects anything but `created`, or chooses how the container is indexed.
    pub fn needs_new_container(&self) -> bool {
        let is_plain = |step: &Step| {
            let created = |expected: &ExpectedResponse| {
                matches!(expected, ExpectedResponse::Status(Status::Created, _))
            };
            match &step.request {
                Request::CreateContainer(settings) => {
                    settings.indexing == Indexing::default() && step.expect.outcomes().all(created)
                }
                Request::ReplaceContainer(settings) => settings.indexing == Indexing::default(),
                Request::DeleteContainer => false,
                _ => true,
            }
        };
        self.clauses.iter().any(|clause| clause.starts_with("container-")) || !self.steps.iter().all(is_plain)
    }
}

/// A request at a moment, and what it must answer.
#[derive(Clone, Debug)]
pub struct Step {
    /// The second, counted from the start of the vector.
    pub at_s: u64,
    /// The request, without etags.
    pub request: Request,
    /// The container; `None` is the first one.
    pub container: Option<ContainerName>,
    /// The partition; `None` is the default one.
    pub partition: Option<PartitionKey>,
    /// Which pages of a query or a list; `None` is all items at once.
    pub pages: Option<Pages>,
    /// The etags to send: the operation's number in a batch, 0 elsewhere, and which etag.
    pub conditions: Vec<(usize, Condition)>,
    /// The condition of a read, a create or an upsert.
    pub precondition: Option<Precondition>,
    /// The expectation.
    pub expect: Expect,
    /// The line on which it begins in the file, counted from 1.
    pub line: usize,
}

impl Step {
    /// Returns the item with this id in the step's partition.
    pub fn item<'a>(&'a self, id: &'a str) -> ItemName<'a> {
        ItemName { container: self.container.as_deref(), partition: self.partition.as_deref(), id }
    }

    /// Returns its container and its partition, where an id is one item.
    pub fn place(&self) -> Place<'_> {
        (self.container.as_deref(), self.partition.as_deref())
    }

    /// Returns its options but for pages and etags.
    pub(crate) fn options(&self) -> RequestOptions {
        let container = self.container.clone();
        RequestOptions { container, ..RequestOptions::of_partition(self.partition.clone()) }
    }

    /// Returns the parts of the interface that it needs.
    pub fn parts(&self) -> BTreeSet<Part> {
        let mut parts = Part::of_request(&self.request);
        parts.extend(self.partition.as_ref().map(|_| Part::Partitions));
        parts.extend(self.pages.map(|_| Part::Pages));
        parts.extend(self.conditions.first().map(|_| Part::Conditions));
        parts.extend(self.container.as_ref().map(|_| Part::Containers));
        parts.extend(self.precondition.map(|condition| match condition {
            Precondition::IfMatch(_) => Part::ConditionalUpsert,
            Precondition::IfNoneMatch(_) => Part::IfNoneMatch,
        }));
        let shows_settings = |outcome: &ExpectedResponse| matches!(outcome, ExpectedResponse::Status(_, details) if details.default_ttl.is_some());
        parts.extend(self.expect.outcomes().any(shows_settings).then_some(Part::ReadContainer));
        parts
    }

    /// Returns the items that the request writes, if it succeeds.
    fn written(&self) -> impl Iterator<Item = ItemName<'_>> {
        let writes = self.request.operations().iter().filter(|operation| operation.is_write());
        writes.map(|operation| self.item(operation.id()))
    }
}

/// Which pages of a query or a list a step asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pages {
    /// The first one, with at most this number of items.
    First(NonZeroU32),
    /// All that follow the page that the same request in the same partition asked for last.
    Rest,
}

/// The condition of a read, a create or an upsert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// An upsert is executed only if an item that is there has this etag.
    IfMatch(Condition),
    /// A read finds only an item with another etag. `None` means any item at all, and goes with a create.
    IfNoneMatch(Option<Condition>),
}

/// A container and a partition, each `None` for the default one.
pub type Place<'a> = (Option<&'a str>, Option<&'a str>);

/// The identity of an item of a vector: its container and its partition, `None` for the default one, and its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ItemName<'a> {
    /// The container; `None` is the first one.
    pub container: Option<&'a str>,
    /// The partition; `None` is the default one.
    pub partition: Option<&'a str>,
    /// The id.
    pub id: &'a str,
}

impl fmt::Display for ItemName<'_> {
    /// `a`, or `a in partition q`, or `a in container other`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)?;
        self.partition.map_or(Ok(()), |partition| write!(f, " in partition {partition}"))?;
        self.container.map_or(Ok(()), |container| write!(f, " in container {container}"))
    }
}

/// An expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expect<T = ExpectedResponse> {
    /// One thing.
    One(T),
    /// One thing for each value of an open clause.
    Open {
        /// The clause.
        clause: String,
        /// The item whose fate it is; always there if the clause binds an item.
        of: Option<Id>,
        /// Each value and what it answers, as many as the clause has values.
        outcomes: Vec<(String, T)>,
    },
}

impl Expect {
    /// Every outcome that is allowed.
    pub fn outcomes(&self) -> impl Iterator<Item = &ExpectedResponse> {
        let (one, open) = match self {
            Self::One(outcome) => (Some(outcome), [].as_slice()),
            Self::Open { outcomes, .. } => (None, outcomes.as_slice()),
        };
        one.into_iter().chain(open.iter().map(|(_, outcome)| outcome))
    }
}

/// An answer that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectedResponse {
    /// This status, and an item like this.
    Status(Status, Details),
    /// Exactly these items; of [`Pages::First`] some of these, and of [`Pages::Rest`] these on all pages together.
    Ids(BTreeSet<Id>),
    /// A number of items.
    Count(u64),
    /// At least the first, and at most the second number of items.
    CountWithin(u64, u64),
    /// These values, in any order.
    Values(Vec<Literal>),
    /// A batch that took effect, operation by operation.
    Committed(Vec<Status>),
    /// A batch that this operation, counted from 0, made fail with this status.
    Aborted(usize, Status),
}

/// The expected details of the item in an answer; none by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// Properties with their values.
    pub has: Properties,
    /// The text of `ttl`.
    pub ttl_text: Option<Literal>,
    /// Properties that must not be there.
    pub absent: Vec<String>,
    /// `_ts` is that of the write made to this id at this second of the vector.
    pub written_at_s: Option<u64>,
    /// How `_etag` compares to the last.
    pub etag: Option<EtagIs>,
    /// The container's `defaultTtl`: this value, or none.
    pub default_ttl: Option<Option<Literal>>,
}

impl Details {
    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether nothing is asked of an item.
    pub(crate) fn of_item_are_empty(&self) -> bool {
        Self { default_ttl: None, ..self.clone() }.is_empty()
    }
}

display_as_serialized!(EtagIs);

/// How an etag compares to the one last returned for this id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EtagIs {
    /// It is the same.
    Same,
    /// It is another.
    New,
}

/// One of the five documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum SourceDocument {
    /// January 2017, of what was then `DocumentDB`.
    D2017,
    /// Cosmos DB, about 2018.
    D2018,
    /// About 2019.
    D2019,
    /// September 2020.
    D2020,
    /// About 2024.
    D2024,
}

/// How many vectors cite each clause.
pub fn citations(vectors: &[Vector]) -> BTreeMap<&str, Vec<&Vector>> {
    let mut by_clause: BTreeMap<&str, Vec<&Vector>> = BTreeMap::new();
    for vector in vectors {
        for clause in &vector.clauses {
            by_clause.entry(clause).or_default().push(vector);
        }
    }
    by_clause
}

/// How many steps come before the first look, refusal, detail, choice or move of the clock: they make a container and new items.
fn setup(steps: &[Step]) -> usize {
    let mut ids = BTreeSet::new();
    let prepares = |step: &Step| {
        let succeeds = match &step.expect {
            Expect::One(ExpectedResponse::Status(status, details)) => {
                status.is_success() && details.is_empty()
            }
            Expect::One(ExpectedResponse::Committed(_)) => true,
            _ => false,
        };
        let makes = match &step.request {
            Request::CreateContainer(_) => true,
            Request::Item(_) | Request::Batch(_) => {
                let is_new =
                    |operation: &Operation| matches!(operation, Operation::Create(_) | Operation::Upsert(_));
                step.request.operations().iter().all(is_new)
            }
            _ => false,
        };
        step.at_s == 0 && succeeds && makes
    };
    let mut is_first = |step: &&Step| {
        step.request.operations().iter().all(|operation| ids.insert(operation.id().to_owned()))
    };
    match steps.iter().take_while(|step| prepares(step) && is_first(step)).count() {
        // The requests are the question of a vector that has no others.
        all if all == steps.len() => 0,
        some => some,
    }
}

// How close a vector looks at the moments in which something might expire.
//
// The harness does not know the rule, and need not: whatever a target does, an item can only expire some ttl after a
// write, be it the item's own or a container's. Every such moment counts, also those at which a right target does
// nothing, because a wrong one may.

fn lifetimes_s(steps: &[Step]) -> BTreeSet<u64> {
    let literals = steps.iter().flat_map(|step| {
        let default_ttl = step.request.container().and_then(|container| container.default_ttl.as_ref());
        default_ttl.into_iter().chain(step.request.operations().iter().filter_map(Operation::ttl))
    });
    let seconds = literals.filter_map(|literal| match literal.kind() {
        LiteralKind::Whole(seconds) | LiteralKind::WholeAsFraction(seconds) => u32::try_from(seconds).ok(),
        LiteralKind::Null | LiteralKind::Other => None,
    });
    seconds.filter(|seconds| *seconds > 0).map(u64::from).collect()
}

fn margin_s(steps: &[Step], lifetimes_s: &BTreeSet<u64>) -> Option<u64> {
    let mut writes_s = BTreeSet::new();
    let mut least_s: Option<u64> = None;
    for step in steps {
        for write_s in &writes_s {
            let age_s = step.at_s.abs_diff(*write_s);
            let around = [lifetimes_s.range(..=age_s).next_back(), lifetimes_s.range(age_s..).next()];
            least_s = around.into_iter().flatten().map(|s| s.abs_diff(age_s)).chain(least_s).min();
        }
        writes_s.extend(step.written().next().map(|_| step.at_s));
    }
    least_s
}
