//! One container: a list of rows that is searched from the top, every time.

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Body, Container, Document, Edition, Indexing, Item, Operation, Patch, Properties, Request, Response,
    Status,
};

use super::{Mistake as M, Naive, whole};

/// What a property says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    Nothing,
    Never,
    For(i128),
}

/// An item as it was written.
#[derive(Clone, Debug)]
struct Row {
    id: String,
    properties: Properties,
    created: i128,
    written: i128,
    tag: u64,
    /// What the container said then; only of interest to a mistake.
    default_then: Says,
}

/// A container.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    /// The second of the Unix epoch.
    pub(crate) now: i128,
    naive: Naive,
    edition: Edition,
    default: Says,
    rows: Vec<Row>,
    tags: u64,
    lagging: bool,
}

const LONGEST: i128 = 2_147_483_647;

impl Store {
    /// An empty container.
    pub(crate) fn create(
        naive: Naive,
        edition: Edition,
        now: i128,
        container: &Container,
    ) -> Result<Self, Status> {
        let mut store =
            Self { now, naive, edition, default: Says::Nothing, rows: Vec::new(), tags: 0, lagging: false };
        store.configure(container)?;
        store.lagging = false;
        Ok(store)
    }

    /// Takes an expired item away; says whether there was one.
    pub(crate) fn remove(&mut self, id: &str) -> bool {
        let found = self.rows.iter().position(|row| row.id == id && self.is_expired(row));
        found.inspect(|number| drop(self.rows.remove(*number))).is_some()
    }

    /// Takes every expired item away.
    pub(crate) fn sweep(&mut self) {
        let expired: Vec<_> =
            self.rows.iter().filter(|row| self.is_expired(row)).map(|row| row.id.clone()).collect();
        for id in &expired {
            self.remove(id);
        }
        if self.errs(M::RemovalTakesTheYoungest) && !expired.is_empty() {
            self.rows.pop();
        }
    }

    /// Answers a request, [`Request::CreateContainer`] aside.
    pub(crate) fn answer(&mut self, request: &Request) -> Response {
        match request {
            Request::CreateContainer(_) => Response::new(Status::Conflict),
            Request::ReplaceContainer(container) => match self.configure(container) {
                Ok(()) => Response::new(Status::Ok),
                Err(status) => {
                    if self.errs(M::RefusedSettingsSwitchOff) {
                        self.default = Says::Nothing;
                    }
                    Response::new(status)
                }
            },
            Request::Item(operation) => self.operate(operation).unwrap_or_else(Response::new),
            Request::Batch(operations) => self.batch(operations),
            Request::Query | Request::List => {
                Response::ids(self.listed().map(|row| row.id.clone()).collect())
            }
            Request::Count if self.naive.choices.expired_counted => Response::count(self.rows.len() as u64),
            Request::Count => Response::count(self.listed().count() as u64),
        }
    }

    fn errs(&self, mistake: M) -> bool {
        self.naive.mistake == Some(mistake)
    }

    fn configure(&mut self, container: &Container) -> Result<(), Status> {
        let says = match container.default_ttl.as_ref().map(Literal::as_str) {
            None if self.errs(M::LeavingOutKeepsTheDefault) => self.default,
            Some("null") if self.naive.choices.null_default_refused => return Err(Status::BadRequest),
            None | Some("null") => Says::Nothing,
            Some(text) => self.number(text, false)?,
        };
        if says != Says::Nothing && container.indexing == Indexing::None && !self.errs(M::NoIndexIsFine) {
            return Err(Status::BadRequest);
        }
        self.lagging = container.indexing == Indexing::Lazy
            && (self.lagging || (self.default == Says::Nothing && says != Says::Nothing));
        self.default = says;
        if self.errs(M::SettingsTouchTs) {
            self.rows.iter_mut().for_each(|row| row.written = self.now);
        }
        if self.errs(M::SettingsLoseItems) {
            self.rows.clear();
        }
        Ok(())
    }

    fn number(&self, text: &str, fractions: bool) -> Result<Says, Status> {
        let text = if self.errs(M::StringsCount) { text.trim_matches('"') } else { text };
        let text = match text.split_once('.') {
            Some((before, _)) if self.errs(M::FractionsAreCut) => before,
            _ => text,
        };
        match whole(text, fractions) {
            Some(-1) => Ok(Says::Never),
            Some(0) if self.errs(M::ZeroMeansNever) => Ok(Says::Never),
            Some(..-1) if self.errs(M::BelowMinusOneMeansNever) => Ok(Says::Never),
            Some(seconds @ 1..=LONGEST) => Ok(Says::For(seconds)),
            Some(1..) if self.errs(M::AboveMaximumMeansNever) => Ok(Says::Never),
            _ => Err(Status::BadRequest),
        }
    }

    /// What an item says, if that is anything that a client may write.
    fn own(&self, properties: &Properties) -> Result<Says, Status> {
        let any = ["ttl", "_ttl", "TTL", "timeToLive"];
        let names = if self.errs(M::AnyTtlPropertyCounts) { &any[..] } else { &any[..1] };
        match names.iter().find_map(|name| properties.get(*name)).map(Literal::as_str) {
            None => Ok(Says::Nothing),
            Some("null") if self.errs(M::NullIsRefusedForever) => Err(Status::BadRequest),
            Some("null") if self.edition == Edition::Y2020 || self.errs(M::NullInheritsForever) => {
                Ok(Says::Nothing)
            }
            Some(text) => self.number(text, self.naive.choices.fractions_taken),
        }
    }

    fn check(&self, properties: &Properties) -> Result<(), Status> {
        let anything = self.default == Says::Nothing && self.naive.choices.anything_kept_while_off;
        if anything { Ok(()) } else { self.own(properties).map(drop) }
    }

    /// The second from which the item is expired, if there is one.
    fn deadline(&self, row: &Row) -> Option<i128> {
        let default = if self.errs(M::SettingsAtWriteDecide) { row.default_then } else { self.default };
        let own = self.own(&row.properties).unwrap_or(Says::Nothing);
        let seconds = match (default, own) {
            (Says::Nothing, Says::For(own)) if self.errs(M::OffStillHonoursOwnTtl) => own,
            (Says::Nothing, Says::Nothing) if self.errs(M::AbsentMeansZeroSeconds) => 0,
            (_, Says::Never) | (Says::Never, Says::Nothing) if self.errs(M::MinusOneIsANumberOfSeconds) => -1,
            (Says::Nothing, _) => return None,
            (Says::Never, _) if self.errs(M::MinusOneOnTheContainerIsOff) => return None,
            (Says::For(default), Says::For(_)) if self.errs(M::DefaultWinsOverOwnTtl) => default,
            (Says::For(default), Says::For(own)) if self.errs(M::ShorterOfBothWins) => own.min(default),
            (Says::For(default), Says::Never) if self.errs(M::MinusOneOnAnItemInherits) => default,
            (_, Says::For(own)) => own,
            (_, Says::Never) | (Says::Never, Says::Nothing) => return None,
            (Says::For(default), Says::Nothing) => default,
        };
        let from = if self.errs(M::CountsFromCreation) { row.created } else { row.written };
        let deadline = from + seconds;
        Some(if self.errs(M::DeadlinesIn32Bits) {
            (deadline + (1 << 31)) % (1 << 32) - (1 << 31)
        } else {
            deadline
        })
    }

    fn is_expired(&self, row: &Row) -> bool {
        let shift = i128::from(self.errs(M::OneSecondEarly)) - i128::from(self.errs(M::OneSecondLate));
        !self.errs(M::NothingExpires)
            && self.deadline(row).is_some_and(|deadline| deadline <= self.now + shift)
    }

    /// The item as a client finds it; `anyway`, also if it is expired and still there.
    fn find(&self, id: &str, anyway: bool) -> Option<&Row> {
        self.rows.iter().find(|row| row.id == id && (anyway || !self.is_expired(row)))
    }

    fn listed(&self) -> impl Iterator<Item = &Row> {
        let lags = self.lagging && self.naive.choices.lazy_index_lags;
        let all = self.errs(M::QueriesShowExpired);
        self.rows.iter().filter(move |row| !lags && (all || !self.is_expired(row)))
    }

    fn batch(&mut self, operations: &[Operation]) -> Response {
        let before = self.clone();
        let mut statuses = Vec::new();
        for (at, operation) in operations.iter().enumerate() {
            match self.operate(operation) {
                Ok(response) => statuses.push(response.status),
                Err(status) => {
                    if !self.errs(M::AbortedBatchesStay) {
                        let after = std::mem::replace(self, before);
                        if self.errs(M::AbortedBatchesKeepPatches) {
                            self.keep_patched(&after, operations.get(..at).unwrap_or(&[]));
                        }
                    }
                    return Response { body: Body::Aborted { at }, ..Response::new(status) };
                }
            }
        }
        Response { body: Body::Committed(statuses), ..Response::new(Status::Ok) }
    }

    /// Takes over what patches made of their items.
    fn keep_patched(&mut self, after: &Self, operations: &[Operation]) {
        for row in &mut self.rows {
            let patched = |one: &&Operation| matches!(one, Operation::Patch(patch, _) if patch.id == row.id);
            let patched = operations.iter().find(patched).and_then(|_| after.find(&row.id, true));
            row.clone_from(patched.unwrap_or(&row.clone()));
        }
    }

    fn operate(&mut self, operation: &Operation) -> Result<Response, Status> {
        let answer = self.attempt(operation);
        if answer.as_ref().err() == Some(&Status::BadRequest)
            && self.errs(M::RefusedWritesAreKept)
            && let Operation::Create(document) | Operation::Upsert(document) | Operation::Replace(document, _) =
                operation
        {
            self.write(Status::Ok, document.clone(), true);
        }
        let restarts = match &answer {
            Ok(response) => response.status == Status::Found && self.errs(M::ReadsRestart),
            Err(_) => operation.is_write() && self.errs(M::RefusedWritesRestart),
        };
        if restarts
            && let Some(number) =
                self.rows.iter().position(|row| row.id == operation.id() && !self.is_expired(row))
        {
            self.rows[number].written = self.now;
        }
        answer
    }

    fn attempt(&mut self, operation: &Operation) -> Result<Response, Status> {
        match operation {
            Operation::Create(document) => {
                self.check(&document.properties)?;
                match self.find(&document.id, self.errs(M::ExpiredIdIsTaken)) {
                    Some(_) => Err(Status::Conflict),
                    None => Ok(self.write(Status::Created, document.clone(), true)),
                }
            }
            Operation::Upsert(document) => {
                self.check(&document.properties)?;
                let replaces = self.find(&document.id, self.naive.choices.upsert_replaces_expired).is_some();
                let mut document = document.clone();
                if self.errs(M::UpsertKeepsOldContent)
                    && self.find(&document.id, false).is_none()
                    && let Some(row) = self.find(&document.id, true)
                {
                    for (name, value) in &row.properties {
                        document.properties.entry(name.clone()).or_insert_with(|| value.clone());
                    }
                }
                let status = if replaces { Status::Ok } else { Status::Created };
                let restart = !self.errs(M::UpsertsDoNotRestart);
                Ok(self.write(status, document, restart))
            }
            Operation::Replace(document, etag) => {
                self.check(&document.properties)?;
                self.target(&document.id, etag.as_deref(), self.errs(M::ReplaceRevives))?;
                Ok(self.write(Status::Ok, document.clone(), true))
            }
            Operation::Patch(patch, etag) => self.patch(patch, etag.as_deref()),
            Operation::Read(id) => match self.find(id, self.errs(M::ReadsShowExpired)) {
                Some(row) => Ok(show(Status::Found, row)),
                None => Err(Status::NotFound),
            },
            Operation::Delete(id, etag) => {
                self.target(id, etag.as_deref(), self.errs(M::DeleteFindsExpired))?;
                self.rows.retain(|row| row.id != *id);
                Ok(Response::new(Status::NoContent))
            }
        }
    }

    fn patch(&mut self, patch: &Patch, etag: Option<&str>) -> Result<Response, Status> {
        self.check(&patch.set)?;
        let old = self.target(&patch.id, etag, self.errs(M::PatchRevives))?;
        let mut properties = old.properties.clone();
        properties.extend(patch.set.clone());
        properties.retain(|name, _| !patch.remove.contains(name));
        let restart = !self.errs(M::PatchesDoNotRestart);
        Ok(self.write(Status::Ok, Document { id: patch.id.clone(), properties }, restart))
    }

    /// The item that a write is about.
    fn target(&self, id: &str, etag: Option<&str>, anyway: bool) -> Result<&Row, Status> {
        match (self.find(id, anyway), etag) {
            (None, Some(_)) if self.naive.choices.condition_first => Err(Status::PreconditionFailed),
            (None, _) => Err(Status::NotFound),
            (Some(row), Some(etag)) if shown_tag(row.tag) != etag && !self.errs(M::ConditionsAreIgnored) => {
                Err(Status::PreconditionFailed)
            }
            (Some(row), _) => Ok(row),
        }
    }

    fn write(&mut self, status: Status, document: Document, restart: bool) -> Response {
        let Document { id, mut properties } = document;
        let told = properties.get("_ts").and_then(|ts| whole(ts.as_str(), false));
        properties.retain(|name, _| name != "_ts" && name != "_etag");
        if let Says::For(seconds) = self.default
            && self.errs(M::InheritedTtlIsWrittenBack)
            && !properties.contains_key("ttl")
        {
            properties.insert("ttl".into(), Literal::parse(&seconds.to_string()).unwrap());
        }
        let old = self.find(&id, false).cloned();
        let same = old.as_ref().is_some_and(|old| old.properties == properties);
        let restart = restart && !(same && self.errs(M::IdenticalWritesDoNotRestart));
        self.tags += 1;
        let mut row = Row {
            id,
            properties,
            created: self.now,
            written: self.now,
            tag: self.tags,
            default_then: self.default,
        };
        if let Some(old) = old {
            row.created = old.created;
            row.written = if restart { self.now } else { old.written };
            row.tag = if self.errs(M::EtagsStay) { old.tag } else { self.tags };
        }
        if self.errs(M::ClientSetsTs) {
            row.written = told.unwrap_or(row.written);
        }
        self.rows.retain(|other| other.id != row.id);
        let response = show(status, &row);
        self.rows.push(row);
        response
    }
}

fn show(status: Status, row: &Row) -> Response {
    let document = Document { id: row.id.clone(), properties: row.properties.clone() };
    Response::item(
        status,
        Item { document, ts: i64::try_from(row.written).ok(), etag: Some(shown_tag(row.tag)) },
    )
}

fn shown_tag(tag: u64) -> String {
    format!("naive-{tag}")
}
