//! Scripts drawn by chance: features meet here that no list of combinations names.
//!
//! The numbers are those of a generator that is pinned, so each script is the same on every machine and in every release.

use std::collections::BTreeMap;

use cosmos_ttl_explore::Rng;
use cosmos_ttl_explore::write::Focus;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Container, Document, Edition, Indexing, Operation, PartitionKey, Patch, Properties, Request,
};
use cosmos_ttl_harness::vector::{Condition, DERIVED};

use super::VectorDraft;
use super::WITNESS;
use super::features::PARTITION;
use super::script_builder::{ScriptBuilder, lines};

/// How many scripts are drawn.
const SCRIPTS: u64 = 300;
/// The last second in which something is written, and the last that is looked at.
const LAST_WRITE_S: u64 = 5;
const END_S: u64 = 8;
/// The ids of the items: one begins as another does.
const IDS: [&str; 3] = ["a", "b", "ab"];
/// Properties that are no lifetime. Some come before `ttl` in the order of names, some after it.
const OTHERS: [&str; 5] = ["TTL", "kind", "count", "value", "zone"];
/// Values that are refused as `ttl` and as `defaultTtl`.
const REFUSED: [&str; 7] = ["0", "-2", "2147483648", "-2147483648", "4294967295", "4294967297", "1.5"];

/// Returns the vectors of all scripts that show something.
pub(super) fn drafts() -> Vec<VectorDraft> {
    (1..=SCRIPTS).filter_map(draft).collect()
}

fn draft(number: u64) -> Option<VectorDraft> {
    let (edition, builder) = ScriptDraw::new(number).script();
    let (script, _) = builder.clone().musts().ok()?;
    let steps = lines(&script).ok()?;
    let mut clauses = script.clauses;
    let has_partitions = script.steps.iter().any(|one| one.step.partition.is_some());
    clauses.extend(has_partitions.then_some("identity-is-partition-and-id"));
    let id = format!("{DERIVED}drawn-{number}");
    let title = format!("Under requests drawn by chance, each item lives as they say (number {number})");
    let edition = match edition {
        // Both editions shall be played, even where they demand the same.
        Edition::Y2020 => Some("2020"),
        Edition::Y2024 => builder.edition(&script.steps),
    };
    let section = if number.is_multiple_of(2) { "clock" } else { "expired" };
    Some(VectorDraft { section, id, title, clauses, edition, steps })
}

/// The state of drawing one script.
#[derive(Debug)]
struct ScriptDraw {
    rng: Rng,
    edition: Edition,
    indexing: Indexing,
    partitions: Vec<Option<PartitionKey>>,
    /// The number of requests that wrote each item, at most: an etag is stale only after a second one.
    writes: BTreeMap<(Option<PartitionKey>, &'static str), usize>,
}

impl ScriptDraw {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let edition = if rng.percent(30) { Edition::Y2020 } else { Edition::Y2024 };
        let indexing = if rng.percent(8) { Indexing::Lazy } else { Indexing::Consistent };
        let elsewhere = rng.percent(35).then(|| Some(PARTITION.to_owned()));
        let partitions = [None].into_iter().chain(elsewhere).collect();
        Self { rng, edition, indexing, partitions, writes: BTreeMap::new() }
    }

    fn script(mut self) -> (Edition, ScriptBuilder) {
        let first = self.valid_default();
        let mut builder = ScriptBuilder::in_edition(self.edition, self.container(first));
        for partition in self.partitions.iter().flatten() {
            builder.create_forever(Some(partition), WITNESS);
        }
        let mut parts = Vec::new();
        for second in 0..=END_S {
            if second > 0 {
                parts.push(builder.part(ScriptBuilder::pass));
            }
            let count = if second <= LAST_WRITE_S { 1 + self.rng.below(3) } else { 0 };
            for _ in 0..count {
                parts.push(builder.part(|part| self.request(part)));
            }
            parts.push(builder.part(|part| self.look(part, second)));
        }
        builder.extend_by_what_can_be_said(&parts);
        // A store that loses everything must not pass.
        for partition in &self.partitions {
            let read = Request::Item(Operation::Read(WITNESS.to_owned()));
            builder.ask_in(partition.as_ref(), Focus::Answer, read, Vec::new());
        }
        (self.edition, builder)
    }

    fn container(&self, default_ttl: Option<Literal>) -> Container {
        Container { default_ttl, indexing: self.indexing }
    }

    fn valid_default(&mut self) -> Option<Literal> {
        let seconds = i64::from(1 + self.rng.below(5));
        match self.rng.weighed(&[3, 3, 6]) {
            0 => None,
            1 => Some(Literal::from(-1)),
            _ => Some(Literal::from(seconds)),
        }
    }

    fn refused(&mut self) -> Option<Literal> {
        self.rng.of(&REFUSED).and_then(|text| Literal::parse(text).ok())
    }

    /// Draws a `ttl`, or none.
    fn ttl(&mut self) -> Option<Literal> {
        let seconds = i64::from(1 + self.rng.below(5));
        let null = if self.edition == Edition::Y2020 { 20 } else { 3 };
        match self.rng.weighed(&[30, 40, 9, 2, 9, null]) {
            0 => None,
            1 => Some(Literal::from(seconds)),
            2 => Some(Literal::from(-1)),
            3 => Some(Literal::from(i64::from(i32::MAX))),
            4 => self.refused(),
            _ => Literal::parse("null").ok(),
        }
    }

    /// Draws one of the properties that are no lifetime.
    fn other(&mut self) -> (String, Literal) {
        let name = self.rng.of(&OTHERS).copied().unwrap_or_default();
        (name.to_owned(), Literal::from(i64::from(self.rng.below(3))))
    }

    fn properties(&mut self) -> Properties {
        let ttl = self.ttl();
        let mut properties: Properties = ttl.map(|ttl| ("ttl".to_owned(), ttl)).into_iter().collect();
        for _ in 0..self.rng.below(3) {
            properties.extend([self.other()]);
        }
        properties
    }

    /// Draws an operation on an item of this partition, and its condition.
    fn operation(&mut self, partition: Option<&PartitionKey>) -> (Operation, Option<Condition>) {
        let id = self.rng.of(&IDS).copied().unwrap_or_default();
        let document = |properties| Document { id: id.to_owned(), properties };
        let operation = match self.rng.weighed(&[25, 20, 18, 20, 8, 9]) {
            0 => Operation::Create(document(self.properties())),
            1 => Operation::Upsert(document(self.properties())),
            2 => Operation::Replace(document(self.properties()), None),
            3 => {
                let mut set = self.properties();
                if set.is_empty() {
                    set.extend([self.other()]);
                }
                Operation::Patch(Patch { id: id.to_owned(), set, remove: Vec::new() }, None)
            }
            4 => Operation::Delete(id.to_owned(), None),
            _ => Operation::Read(id.to_owned()),
        };
        let writes = self.writes.entry((partition.cloned(), id)).or_default();
        let known = *writes;
        *writes += usize::from(operation.is_write());
        let condition = match known {
            0 => None,
            1 => Some(Condition::Seen),
            _ if self.rng.percent(50) => Some(Condition::Stale),
            _ => Some(Condition::Seen),
        };
        let is_conditional = operation.takes_etag() && self.rng.percent(25);
        (operation, condition.filter(|_| is_conditional))
    }

    /// Draws a request.
    fn request(&mut self, builder: &mut ScriptBuilder) {
        match self.rng.weighed(&[60, 22, 14, 8, 1]) {
            0 => self.single(builder),
            1 => self.batch(builder),
            2 => {
                let default = if self.rng.percent(15) { self.refused() } else { self.valid_default() };
                let request = Request::ReplaceContainer(self.container(default));
                builder.ask(Focus::Answer, request, Vec::new());
            }
            3 => self.without_property(builder),
            _ => {
                let default = self.valid_default();
                let request = Request::CreateContainer(self.container(default));
                builder.ask(Focus::Answer, request, Vec::new());
            }
        }
    }

    fn partition(&mut self) -> Option<PartitionKey> {
        self.rng.of(&self.partitions).cloned().flatten()
    }

    fn single(&mut self, builder: &mut ScriptBuilder) {
        let partition = self.partition();
        let (operation, condition) = self.operation(partition.as_ref());
        let id = operation.id().to_owned();
        let conditions = condition.map(|condition| (0, condition)).into_iter().collect();
        builder.ask_in(partition.as_ref(), Focus::Answer, Request::Item(operation), conditions);
        builder.ask_in(partition.as_ref(), Focus::Details, Request::Item(Operation::Read(id)), Vec::new());
    }

    fn batch(&mut self, builder: &mut ScriptBuilder) {
        let partition = self.partition();
        let (mut operations, mut conditions) = (Vec::new(), Vec::new());
        for number in 0..=self.rng.index(3) {
            let (operation, condition) = self.operation(partition.as_ref());
            operations.push(operation);
            conditions.extend(condition.map(|condition| (number, condition)));
        }
        let ids: Vec<String> = operations.iter().map(|one| one.id().to_owned()).collect();
        builder.ask_in(partition.as_ref(), Focus::Answer, Request::Batch(operations), conditions);
        for id in ids {
            builder.ask_in(
                partition.as_ref(),
                Focus::Details,
                Request::Item(Operation::Read(id)),
                Vec::new(),
            );
        }
    }

    /// Upserts an item, and takes a property away again: only what is there for certain can be taken away.
    fn without_property(&mut self, builder: &mut ScriptBuilder) {
        let partition = self.partition();
        let id = self.rng.of(&IDS).copied().unwrap_or_default().to_owned();
        let seconds = Literal::from(i64::from(1 + self.rng.below(5)));
        let mut properties: Properties = [("ttl".to_owned(), seconds)].into();
        properties.extend([self.other()]);
        let removed = properties.keys().nth(self.rng.index(properties.len())).cloned();
        let upsert = Operation::Upsert(Document { id: id.clone(), properties });
        let remove = removed.into_iter().collect();
        let patch = Operation::Patch(Patch { id: id.clone(), set: Properties::default(), remove }, None);
        for operation in [upsert, patch] {
            builder.ask_in(partition.as_ref(), Focus::Answer, Request::Item(operation), Vec::new());
        }
        builder.ask_in(partition.as_ref(), Focus::Details, Request::Item(Operation::Read(id)), Vec::new());
    }

    /// Looks at the items: by each kind of feed in its turn, and at one of them by a read.
    fn look(&mut self, builder: &mut ScriptBuilder, second: u64) {
        let id = self.rng.of(&IDS).copied().unwrap_or_default().to_owned();
        for partition in self.partitions.clone() {
            let feed = match second % 3 {
                0 => Request::Query,
                1 => Request::List,
                _ => Request::Count,
            };
            // After a change of settings, a lazy index may not know every item.
            if self.indexing == Indexing::Consistent {
                builder.ask_in(partition.as_ref(), Focus::Answer, feed, Vec::new());
            }
            let read = Request::Item(Operation::Read(id.clone()));
            builder.ask_in(partition.as_ref(), Focus::Details, read, Vec::new());
        }
    }
}
