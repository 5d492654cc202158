//! The gateway: it checks settings, passes requests to the actors, undoes batches, and lets the sweeper run.

use std::collections::BTreeMap;

use cosmos_ttl_harness::target::{
    Body, Container, DEFAULT_PARTITION, Edition, Fault, Id, Indexing, Opening, PartitionKey, Removal,
    Request, RequestOptions, Response, Session, Status,
};

use super::HiveStore;
use super::actor::HiveActor;
use super::liberty::HiveLiberty;
use super::slip::HiveSlip::*;
use super::values::{HiveDefault, HiveSettings};

/// A session: one container.
#[derive(Debug)]
pub(super) struct HiveSession {
    pub(super) store: HiveStore,
    pub(super) edition: Edition,
    removal: Option<Removal>,
    requests: u64,
    pub(super) now: i64,
    settings: Option<HiveSettings>,
    /// The settings with which the container was created.
    first_settings: Option<HiveSettings>,
    pub(super) actors: BTreeMap<PartitionKey, HiveActor>,
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
    pub(super) fn actor(&mut self, partition: &str, settings: HiveSettings) -> (&mut HiveActor, bool) {
        let spawned = match self.first_settings {
            Some(first) if self.store.has(NewActorsTakeFirst) => first,
            _ => settings,
        };
        let is_first = !self.actors.contains_key(partition);
        let now = self.now;
        let actor = self.actors.entry(partition.to_owned());
        (actor.or_insert_with(|| HiveActor::new(spawned, now)), is_first)
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
