//! Translates between a client and the model: requests, settings, values and responses.
//!
//! The model knows items by numbers and their content as a number. [`Names`] keeps what the numbers stand for.

use std::hash::Hash;

use foldhash::fast::RandomState;
use indexmap::{Equivalent, IndexSet};

use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{
    Body, Container, Document, Etag, Id, Indexing, Item, Operation, PartitionKey, Patch, Properties, Request,
    Response, Status,
};
use cosmos_ttl_model::container::{
    self as model, Content, Draft, ItemId, Refusal, SettingsDraft, TtlChange, World,
};
use cosmos_ttl_model::rule::{Sent, Ttl};

/// Items' names and contents, each under its number in the model. An item of another partition is another item: its name
/// has a number in each partition that was [entered](Names::enter).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    ids: IndexSet<(Option<PartitionKey>, Id), RandomState>,
    /// The partition that names are of, `None` for the default one.
    partition: Option<PartitionKey>,
    is_divided: bool,
    contents: IndexSet<Properties, RandomState>,
}

/// How many names and contents fit into a new table: those of most sessions do, so that their tables never grow.
const ROOM: usize = 14;

impl Default for Names {
    fn default() -> Self {
        Self {
            ids: IndexSet::with_capacity_and_hasher(ROOM, RandomState::default()),
            partition: None,
            is_divided: false,
            contents: IndexSet::with_capacity_and_hasher(ROOM, RandomState::default()),
        }
    }
}

/// A name in its partition.
#[derive(PartialEq, Eq, Hash)]
struct ItemKey<'a>(Option<&'a str>, &'a str);

impl Equivalent<(Option<PartitionKey>, Id)> for ItemKey<'_> {
    fn equivalent(&self, (partition, id): &(Option<PartitionKey>, Id)) -> bool {
        *self == ItemKey(partition.as_deref(), id)
    }
}

impl Names {
    /// Returns a table of these names, numbered in this order.
    pub fn of(ids: &[Id]) -> Self {
        Self { ids: ids.iter().map(|id| (None, id.clone())).collect(), ..Self::default() }
    }

    /// From now on, names are of this partition, `None` for the default one.
    pub fn enter(&mut self, partition: Option<PartitionKey>) {
        self.is_divided |= partition.is_some();
        self.partition = partition;
    }

    /// Returns whether another partition than the default one was ever entered.
    pub fn is_divided(&self) -> bool {
        self.is_divided
    }

    /// Returns whether the item that a number stands for is in the partition that was entered.
    pub fn is_here(&self, id: ItemId) -> bool {
        let key = usize::try_from(id.0).ok().and_then(|number| self.ids.get_index(number));
        key.is_some_and(|(partition, _)| *partition == self.partition)
    }

    /// Returns how many items have a name, in all partitions.
    pub fn count(&self) -> usize {
        self.ids.len()
    }

    /// Returns every name in the partition that was entered, in the order of the numbers.
    pub fn ids(&self) -> impl Iterator<Item = &Id> {
        self.ids.iter().filter(|(partition, _)| *partition == self.partition).map(|(_, id)| id)
    }

    /// Returns the number of a name, if it has one.
    pub fn number(&self, name: &str) -> Option<ItemId> {
        self.number_in(self.partition.as_ref(), name)
    }

    /// Returns the number of a name in this partition, `None` for the default one.
    pub fn number_in(&self, partition: Option<&PartitionKey>, name: &str) -> Option<ItemId> {
        let number = self.ids.get_index_of(&ItemKey(partition.map(PartitionKey::as_str), name))?;
        u32::try_from(number).ok().map(ItemId)
    }

    /// Returns the number of a name, a new one if it has none.
    pub fn number_or_new(&mut self, name: &str) -> ItemId {
        let key = || (self.partition.clone(), name.into());
        self.number(name).unwrap_or_else(|| ItemId(number_in(&mut self.ids, key())))
    }

    /// Returns the name that a number stands for; an empty text if there is none.
    pub fn name(&self, id: ItemId) -> &str {
        usize::try_from(id.0).ok().and_then(|number| self.ids.get_index(number)).map_or("", |(_, id)| id)
    }

    /// Returns the properties that a number stands for.
    pub fn properties(&self, content: Content) -> Option<&Properties> {
        usize::try_from(content.0).ok().and_then(|number| self.contents.get_index(number))
    }

    /// Translates a request to a container that exists. The world decides what a patch changes.
    pub fn request(&mut self, world: &World, request: &Request) -> model::Request {
        let stored = |id: ItemId| world.visible(id).map(|item| item.content);
        match request {
            Request::Item(operation) => model::Request::Item(self.operation(operation, stored)),
            Request::Batch(operations) => {
                let mut translated: Vec<model::Operation> = Vec::with_capacity(operations.len());
                for operation in operations {
                    let operation = self.operation(operation, |id| {
                        let earlier = translated.iter().rev().filter(|earlier| earlier.id() == id);
                        earlier.copied().find_map(content).or_else(|| stored(id))
                    });
                    translated.push(operation);
                }
                model::Request::Batch(translated)
            }
            Request::Count => model::Request::Count,
            Request::CreateContainer(container) | Request::ReplaceContainer(container) => {
                model::Request::Configure(settings(container))
            }
            // Those of optional parts never come here.
            _ => model::Request::Query,
        }
    }

    /// Translates an operation; `old` returns the content that a patch changes.
    pub fn operation(
        &mut self,
        operation: &Operation,
        old: impl FnOnce(ItemId) -> Option<Content>,
    ) -> model::Operation {
        use model::Operation as M;
        let if_match = operation.etag().map(|etag| etag_of(etag));
        match operation {
            Operation::Create(document) => M::Create(self.draft(document)),
            Operation::Upsert(document) => M::Upsert(self.draft(document)),
            Operation::Replace(document, _) => M::Replace { draft: self.draft(document), if_match },
            Operation::Patch(patch, _) => {
                let id = self.number_or_new(&patch.id);
                // In worlds that store the same, the patched content has the same number.
                let old = old(id);
                let mut properties = self.properties_sent(old, Sent::Absent);
                let is_absent = |name: &String| name != "ttl" && !properties.contains_key(name);
                let mut is_forbidden =
                    patch.changes("_ts") || old.is_some() && patch.remove.iter().any(is_absent);
                properties.extend(patch.set.clone());
                properties.retain(|name, _| !patch.remove.contains(name));
                let mut ttl = ttl_change(patch);
                if !patch.operations.is_empty() {
                    match patch.operate(properties.clone()) {
                        Ok(new) => properties = new,
                        Err(_) => is_forbidden |= old.is_some(),
                    }
                    if patch.changes("ttl") {
                        ttl = properties
                            .get("ttl")
                            .map_or(TtlChange::Remove, |ttl| TtlChange::Set(sent(Some(ttl))));
                    }
                }
                let content = Some(self.content(properties));
                M::Patch { id, ttl, content, is_forbidden, if_match }
            }
            Operation::Read(id) => M::Read(self.number_or_new(id)),
            Operation::Delete(id, _) => M::Delete { id: self.number_or_new(id), if_match },
        }
    }

    /// The properties that a number stands for, with this `ttl`.
    fn properties_sent(&self, content: Option<Content>, ttl: Sent) -> Properties {
        let mut properties =
            content.and_then(|content| self.properties(content)).cloned().unwrap_or_default();
        properties.extend(literal(ttl).map(|literal| ("ttl".to_owned(), literal)));
        properties
    }

    fn draft(&mut self, document: &Document) -> Draft {
        let id = self.number_or_new(&document.id);
        // What was sent before needs no copy.
        let known =
            self.contents.get_index_of(&document.properties).and_then(|number| u32::try_from(number).ok());
        let content = known.map_or_else(|| self.content(document.properties.clone()), Content);
        Draft { id, ttl: sent(document.ttl()), content }
    }

    /// Returns the number of a content, the same for the same properties. The service sets some, whatever a client sends.
    pub fn content(&mut self, mut properties: Properties) -> Content {
        properties.retain(|name, _| !matches!(name.as_str(), "_ts" | "_etag"));
        Content(number_in(&mut self.contents, properties))
    }

    /// Translates the model's response to a request about this item, or about no single one. Of an answer that is open for
    /// each item, it gives one: a [`count`], and no item where any may be listed.
    pub fn response(&self, about: Option<ItemId>, response: &model::Response) -> Response {
        use model::Response as M;
        let body = match response {
            M::Created(item) | M::Ok(item) | M::Found(item) => Body::Item(self.item(about, item)),
            M::Ids(ids) => Body::Ids(ids.iter().map(|id| self.name(*id).into()).collect()),
            M::AnyIds => Body::Ids(Vec::new()),
            M::Count { least, most } => Body::Count(count(*least, *most)),
            M::Committed(all) => Body::Committed(all.iter().map(status).collect()),
            M::Aborted { at, .. } => Body::Aborted { at: *at },
            M::NoContent | M::NotModified | M::Configured | M::Refused(_) => Body::Nothing,
        };
        Response { body, ..Response::new(status(response)) }
    }

    fn item(&self, about: Option<ItemId>, item: &model::Item) -> Item {
        let id = about.map_or("", |id| self.name(id)).into();
        let properties = self.properties_sent(Some(item.content), Sent::Absent);
        Item { document: Document { id, properties }, ts: Some(item.ts), etag: Some(etag(item.etag)) }
    }
}

/// The number of a value in a table, a new one if it has none.
fn number_in<T: Eq + Hash>(table: &mut IndexSet<T, RandomState>, value: T) -> u32 {
    let (number, _) = table.insert_full(value);
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The content that an operation writes.
fn content(operation: model::Operation) -> Option<Content> {
    use model::Operation as M;
    match operation {
        M::Create(draft) | M::Upsert(draft) | M::Replace { draft, .. } => Some(draft.content),
        M::Patch { content, .. } => content,
        M::Read(_) | M::ReadUnless { .. } | M::Delete { .. } => None,
    }
}

/// Returns what a patch does to `ttl`.
pub fn ttl_change(patch: &Patch) -> TtlChange {
    match patch.set.get("ttl") {
        Some(ttl) => TtlChange::Set(sent(Some(ttl))),
        None if patch.remove.iter().any(|name| name == "ttl") => TtlChange::Remove,
        None => TtlChange::Keep,
    }
}

/// Translates a container's settings.
pub fn settings(container: &Container) -> SettingsDraft {
    let indexing = match container.indexing {
        Indexing::Consistent => model::Indexing::Consistent,
        Indexing::Lazy => model::Indexing::Lazy,
        Indexing::None => model::Indexing::None,
    };
    SettingsDraft { default_ttl: sent(container.default_ttl.as_ref()), indexing }
}

/// Translates the value of a `ttl` or a `defaultTtl`.
pub fn sent(literal: Option<&Literal>) -> Sent {
    // The ends of the range stand for everything beyond 64 bits, too.
    const BEYOND: [i64; 2] = [i64::MIN, i64::MAX];
    match literal.map(Literal::kind) {
        None => Sent::Absent,
        Some(LiteralKind::Null) => Sent::Null,
        Some(LiteralKind::Whole(number) | LiteralKind::WholeAsFraction(number))
            if BEYOND.contains(&number) =>
        {
            Sent::Other
        }
        Some(LiteralKind::Whole(number)) => Sent::Whole(number),
        Some(LiteralKind::WholeAsFraction(number)) => Sent::WholeAsFraction(number),
        Some(LiteralKind::Other) => Sent::Other,
    }
}

/// Returns a setting as a client sends it.
pub fn setting(ttl: Option<Ttl>) -> Sent {
    match ttl {
        None => Sent::Absent,
        Some(Ttl::Forever) => Sent::Whole(-1),
        Some(Ttl::Seconds(seconds)) => Sent::Whole(seconds),
    }
}

/// Returns a value as a client sends it; `None` leaves the property out.
pub fn literal(sent: Sent) -> Option<Literal> {
    let text = match sent {
        Sent::Absent => return None,
        Sent::Null => "null".to_owned(),
        Sent::Whole(number) => number.to_string(),
        Sent::WholeAsFraction(number) => format!("{number}.0"),
        Sent::Other => "false".to_owned(),
    };
    Literal::parse(&text).ok()
}

/// Returns an etag as a client sees it.
pub fn etag(etag: model::Etag) -> Etag {
    ["\"", &etag.0.to_string(), "\""].concat()
}

/// Returns the etag that a client means; one that the model did not make matches nothing.
pub fn etag_of(etag: &str) -> model::Etag {
    model::Etag(etag.trim_matches('"').parse().unwrap_or(u32::MAX))
}

/// Returns the one count that is given of those in the bounds: the greatest, or the least if there is none.
pub fn count(least: usize, most: Option<usize>) -> u64 {
    u64::try_from(most.unwrap_or(least)).unwrap_or(u64::MAX)
}

/// Returns the status of the model's response.
pub fn status(response: &model::Response) -> Status {
    use model::Response as M;
    match response {
        M::Created(_) => Status::Created,
        M::Found(_) => Status::Found,
        M::NoContent => Status::NoContent,
        M::NotModified => Status::NotModified,
        M::Ok(_) | M::Configured | M::Ids(_) | M::AnyIds | M::Count { .. } | M::Committed(_) => Status::Ok,
        M::Refused(refusal) | M::Aborted { refusal, .. } => refused(*refusal),
    }
}

/// Returns the status with which a client learns of a refusal.
pub fn refused(refusal: Refusal) -> Status {
    match refusal {
        Refusal::BadRequest => Status::BadRequest,
        Refusal::NotFound => Status::NotFound,
        Refusal::Conflict => Status::Conflict,
        Refusal::PreconditionFailed => Status::PreconditionFailed,
        Refusal::TooManyRequests => Status::TooManyRequests,
    }
}
