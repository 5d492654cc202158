//! The gateway: it checks settings, passes requests to the actors, undoes batches, and lets the sweeper run.

use std::collections::BTreeMap;

use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{
    Body, Container, DEFAULT_PARTITION, Document, Edition, Fault, Id, Indexing, Item, Opening, Operation,
    PartitionKey, Removal, Request, RequestOptions, Response, Session, Status,
};

use super::HiveStore;
use super::actor::{HiveActor, HiveEntry};
use super::handle::{HiveDone, HiveMessage};
use super::liberty::HiveLiberty;
use super::slip::HiveSlip::*;
use super::stamp::nested_number;
use super::values::{HiveDefault, HiveSettings};

/// A session: one container.
#[derive(Debug)]
pub(super) struct HiveSession {
    store: HiveStore,
    edition: Edition,
    removal: Option<Removal>,
    requests: u64,
    now: i64,
    settings: Option<HiveSettings>,
    /// The settings with which the container was created.
    first_settings: Option<HiveSettings>,
    actors: BTreeMap<PartitionKey, HiveActor>,
    lines: Vec<String>,
}

impl HiveSession {
    pub(super) fn new(store: HiveStore, opening: Opening) -> Self {
        let now = match store.liberty {
            Some(HiveLiberty::ClockFromZero) => 0,
            Some(HiveLiberty::ClockNear31Bits) => 2_147_483_640,
            Some(HiveLiberty::ClockNear32Bits) => 4_294_967_290,
            Some(HiveLiberty::ClockIn5138) => 100_000_000_000,
            _ => 1_750_000_000,
        };
        Self {
            store,
            edition: opening.edition,
            removal: opening.removal,
            requests: 0,
            now,
            settings: None,
            first_settings: None,
            actors: BTreeMap::new(),
            lines: Vec::new(),
        }
    }

    fn sweep(&mut self) {
        let mut removed: Vec<Id> = Vec::new();
        let mut emptied: Vec<PartitionKey> = Vec::new();
        for (partition, actor) in &mut self.actors {
            let ids = self.store.sweep(actor, self.now);
            if !ids.is_empty() && actor.entries.is_empty() {
                emptied.push(partition.clone());
            }
            removed.extend(ids);
        }
        if self.store.has(SweepsNamesakes) {
            for actor in self.actors.values_mut() {
                for id in &removed {
                    actor.forget(id);
                }
            }
        }
        if self.store.has(EmptiedActorStartsAnew)
            && let Some(first) = self.first_settings
        {
            for partition in emptied {
                self.actors.insert(partition, HiveActor::new(first, self.now));
            }
        }
    }

    fn configure(&mut self, sent: &Container, creating: bool) -> Response {
        let old = self.settings;
        match (creating, old) {
            (true, Some(_)) => return Response::new(Status::Conflict),
            (false, None) => return Response::new(Status::NotFound),
            _ => {}
        }
        if let Ok(new) = self.store.read_settings(sent, old) {
            self.first_settings.get_or_insert(new);
            self.put_settings(new);
            Response::new(if creating { Status::Created } else { Status::Ok })
        } else {
            self.after_refused_settings(sent, old);
            Response::new(Status::BadRequest)
        }
    }

    fn put_settings(&mut self, new: HiveSettings) {
        self.settings = Some(new);
        for (partition, actor) in &mut self.actors {
            self.store.tell(actor, partition, new, self.now);
        }
        if self.store.may(HiveLiberty::SettingsSweep) {
            self.sweep();
        }
    }

    /// Refused settings change nothing; only a mistake lets them.
    fn after_refused_settings(&mut self, sent: &Container, old: Option<HiveSettings>) {
        let Some(old) = old else { return };
        if self.store.has(RefusalEmptiesIndex) {
            self.actors.values_mut().for_each(|actor| actor.index.clear());
        }
        let number = sent.default_ttl.as_ref().and_then(super::values::whole);
        let default = match self.store.slip {
            Some(ToldBeforeCheck) => number.map(HiveDefault::Seconds),
            Some(RefusalSwitchesOff) => Some(HiveDefault::Off),
            Some(RefusedIndexingKeepsDefault) if sent.indexing == Indexing::None => match number {
                Some(-1) => Some(HiveDefault::NoDefault),
                number => number.filter(|number| *number > 0).map(HiveDefault::Seconds),
            },
            _ => None,
        };
        if let Some(default) = default {
            self.put_settings(HiveSettings { default, ..old });
        }
    }

    /// Returns the actor of a partition, and whether it was made just now.
    fn actor(&mut self, partition: &str, settings: HiveSettings) -> (&mut HiveActor, bool) {
        let spawned = match self.first_settings {
            Some(first) if self.store.has(NewActorsTakeFirst) => first,
            _ => settings,
        };
        let is_first = !self.actors.contains_key(partition);
        let now = self.now;
        let actor = self.actors.entry(partition.to_owned());
        (actor.or_insert_with(|| HiveActor::new(spawned, now)), is_first)
    }

    fn batch(&mut self, operations: &[Operation], partition: &str, settings: HiveSettings) -> Response {
        let (store, edition, real_now) = (self.store, self.edition, self.now);
        let (actor, is_first) = self.actor(partition, settings);
        if operations.len() > 100 && store.may(HiveLiberty::LongBatchRefused) {
            return Response::aborted(Status::BadRequest, 100);
        }
        let now = if store.has(BatchUsesLastMessage) { actor.last_message_at } else { real_now };
        let before = actor.clone();
        store.learn_pending(actor, now);
        actor.notes.deleted.clear();
        let message = HiveMessage {
            now,
            edition,
            partition,
            in_batch: true,
            position: 0,
            is_followed: false,
            is_first,
        };
        let mut bad_values =
            operations.iter().enumerate().filter(|(_, one)| store.refuses_value(actor, one, &message));
        let blamed = match store.liberty {
            Some(HiveLiberty::BatchValuesFirst) => bad_values.next(),
            Some(HiveLiberty::BatchBlamesLastValue) => bad_values.next_back(),
            _ => None,
        };
        if let Some((at, _)) = blamed {
            return Response::aborted(Status::BadRequest, at);
        }
        let mut statuses = Vec::with_capacity(operations.len());
        let mut refusal = None;
        for (position, operation) in operations.iter().enumerate() {
            let later = operations.iter().skip(position + 1);
            let is_followed = later.clone().any(|later| later.id() == operation.id());
            let message = HiveMessage { position, is_followed, ..message };
            match store.handle(actor, operation, &message) {
                Ok(done) => statuses.push(done.status),
                Err(status) => {
                    refusal = Some((status, position));
                    break;
                }
            }
        }
        match refusal {
            None => Response::committed(statuses),
            Some((status, at)) => {
                let drafted = std::mem::replace(actor, before);
                let done = operations.iter().take(at);
                store.undo(actor, drafted, done, partition, now);
                Response::aborted(status, at)
            }
        }
    }

    fn one(&mut self, operation: &Operation, partition: &str, settings: HiveSettings) -> Response {
        let (store, edition, now) = (self.store, self.edition, self.now);
        let (actor, is_first) = self.actor(partition, settings);
        if operation.is_write() {
            store.learn_pending(actor, now);
        }
        let is_read = matches!(operation, Operation::Read(_));
        if is_read && store.has(LazyReadsLag) && std::mem::take(&mut actor.is_lagging) {
            return Response::new(Status::NotFound);
        }
        let message = HiveMessage {
            now,
            edition,
            partition,
            in_batch: false,
            position: 0,
            is_followed: false,
            is_first,
        };
        match store.handle(actor, operation, &message) {
            Ok(HiveDone { status, shown: Some((id, entry)) }) => {
                if operation.is_write() {
                    self.after_write(operation.id(), &entry, partition);
                }
                if !is_read && store.may(HiveLiberty::WritesShowNothing) {
                    return Response::new(status);
                }
                Response::item(status, store.view(id, &entry, now))
            }
            Ok(HiveDone { status, shown: None }) | Err(status) => Response::new(status),
        }
    }

    /// A write concerns no other partition; only a mistake lets it.
    fn after_write(&mut self, id: &str, entry: &HiveEntry, partition: &str) {
        let others = self.actors.iter_mut().filter(|(key, _)| *key != partition);
        for (_, actor) in others {
            match self.store.slip {
                Some(WritesTouchNamesakes) => {
                    actor.change_life(id, |life| (life.ts, life.from) = (entry.life.ts, entry.life.from));
                }
                Some(TtlOfNamesake) => actor.change_life(id, |life| life.ttl = entry.life.ttl),
                _ => {}
            }
        }
    }

    fn answer(&mut self, request: &Request, options: &RequestOptions) -> Response {
        let partition = options.partition.as_deref().unwrap_or(DEFAULT_PARTITION);
        let (store, now) = (self.store, self.now);
        let settings = match request {
            Request::CreateContainer(sent) => return self.configure(sent, true),
            Request::ReplaceContainer(sent) => return self.configure(sent, false),
            _ => match self.settings {
                Some(settings) => settings,
                None => return Response::new(Status::NotFound),
            },
        };
        let response = match request {
            Request::Batch(operations) => self.batch(operations, partition, settings),
            Request::Item(operation) => self.one(operation, partition, settings),
            Request::Count => Response::count(store.count(self.actor(partition, settings).0, now)),
            request => {
                let is_query = matches!(request, Request::Query);
                store.feed(self.actor(partition, settings).0, is_query, options.page.as_ref(), now)
            }
        };
        if let Some(actor) = self.actors.get_mut(partition) {
            actor.last_message_at = now;
        }
        response
    }

    fn unsupported(&self, request: &Request, options: &RequestOptions) -> Option<&'static str> {
        let is_lazy = request.container().is_some_and(|sent| sent.indexing == Indexing::Lazy);
        match self.store.liberty {
            Some(HiveLiberty::LazyUnsupported) if is_lazy => Some("the account offers no lazy indexing"),
            Some(HiveLiberty::OnePartition) if options.partition.is_some() => {
                Some("it has one partition only")
            }
            Some(HiveLiberty::NoPages) if options.page.is_some() => Some("it does not answer page by page"),
            Some(HiveLiberty::NoBatches) if matches!(request, Request::Batch(_)) => Some("it has no batches"),
            _ => None,
        }
    }
}

impl HiveStore {
    /// Repairs an actor after an aborted batch: it is as before, and only a mistake takes anything from the draft.
    fn undo<'o>(
        self,
        actor: &mut HiveActor,
        drafted: HiveActor,
        done: impl Iterator<Item = &'o Operation>,
        partition: &str,
        now: i64,
    ) {
        let Some(slip) = self.slip else { return };
        if slip == NamedBatchNotUndone && partition != DEFAULT_PARTITION {
            *actor = drafted;
            return;
        }
        for operation in done {
            let id = operation.id();
            match (slip, operation) {
                (UndoKeepsTs, Operation::Upsert(_) | Operation::Replace(..) | Operation::Patch(..)) => {
                    actor.change_life(id, |life| (life.ts, life.from) = (now, now));
                }
                (UndoDeletesUpserted, Operation::Upsert(_)) | (UndoForgetsDeleted, Operation::Delete(..)) => {
                    actor.forget(id);
                }
                (UndoSparesRecreated, Operation::Create(_)) if actor.entries.contains_key(id) => {
                    if let Some(entry) = drafted.entries.get(id) {
                        actor.entries.insert(id.to_owned(), entry.clone());
                        actor.reindex();
                    }
                }
                _ => {}
            }
        }
        if slip == BatchConflictTouches {
            for (id, entry) in drafted.entries {
                let (ts, from) = (entry.life.ts, entry.life.from);
                if actor.entries.get(&id).is_some_and(|before| before.properties == entry.properties) {
                    actor.change_life(&id, |life| (life.ts, life.from) = (ts, from));
                }
            }
        }
    }

    /// Returns an item as answers show it.
    fn view(self, id: Id, entry: &HiveEntry, now: i64) -> Item {
        let mut properties = entry.properties.clone();
        if self.may(HiveLiberty::NormalNumbers) {
            for value in properties.values_mut() {
                if let LiteralKind::WholeAsFraction(number) = value.kind()
                    && (-1_000_000_000..=1_000_000_000).contains(&number)
                {
                    *value = Literal::from(number);
                }
            }
        }
        if self.has(NestedPartExpires) {
            properties.retain(|_, value| {
                nested_number(value.as_str()).is_none_or(|seconds| now < entry.life.ts + seconds)
            });
        }
        Item {
            document: Document { id, properties },
            ts: (!self.may(HiveLiberty::NoTs)).then_some(entry.life.ts),
            etag: (!self.may(HiveLiberty::NoEtags)).then(|| entry.etag.clone()),
        }
    }
}

impl Session for HiveSession {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.send_with(request, &RequestOptions::default())
    }

    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        if let Some(why) = self.unsupported(request, options) {
            return Err(Fault::Unsupported(why.into()));
        }
        self.requests = self.requests.wrapping_add(1);
        let every_second = self.requests.is_multiple_of(2);
        let own_turn = match self.store.liberty {
            Some(HiveLiberty::SweepsByItself) => !every_second,
            Some(HiveLiberty::SweepsOneByItself) => true,
            _ => false,
        };
        if own_turn || (self.removal == Some(Removal::Alternate) && every_second) {
            self.sweep();
        }
        let response = self.answer(request, options).answering(request);
        if self.removal == Some(Removal::Eager) {
            self.sweep();
        }
        self.lines.push(format!("{} {}", request.word(), response.status));
        let is_bare = response.body == Body::Nothing;
        Ok(if self.store.may(HiveLiberty::Talks) && is_bare {
            response.with_detail("the hive has looked at its cells")
        } else {
            response
        })
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        let seconds = i64::try_from(seconds).map_err(|_| Fault::Misuse("too long a time".into()))?;
        self.now = self.now.saturating_add(seconds);
        if self.removal == Some(Removal::Eager) {
            self.sweep();
        }
        Ok(())
    }

    fn purge(&mut self) -> Result<(), Fault> {
        if matches!(
            self.store.liberty,
            Some(HiveLiberty::SweepsByItself | HiveLiberty::SweepsOneByItself | HiveLiberty::EagerAlone)
        ) {
            return Err(Fault::Unsupported("its sweeper takes no orders".into()));
        }
        self.sweep();
        Ok(())
    }

    fn log(&mut self) -> Option<String> {
        self.store.may(HiveLiberty::Talks).then(|| self.lines.join("\n"))
    }
}
