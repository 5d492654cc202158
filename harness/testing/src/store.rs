//! Stores that know what time it is: a right one, and wrong ones.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{
    Body, Document, Fault, Item, Operation, Request, RequestOptions, Response, Session, Status, Target,
};

/// One container.
pub trait Store: Send {
    /// Deals with a request when the store's clock shows this.
    fn ask(&mut self, request: &Request, now_us: i64) -> Result<Response, Fault>;

    /// Does the same with a request that is sent with these options.
    fn ask_with(
        &mut self,
        request: &Request,
        options: &RequestOptions,
        now_us: i64,
    ) -> Result<Response, Fault> {
        match options.unsupported() {
            None => self.ask(request, now_us),
            Some(why) => Err(Fault::Unsupported(why.into())),
        }
    }
}

const SECOND_US: i64 = 1_000_000;

/// The model, told what second it is before every request.
pub struct ModelStore {
    place: Box<dyn Session>,
    /// The model's clock starts at a fixed second; this is how far ours is from it.
    ahead_s: Option<i64>,
    passed_s: i64,
}

const MODEL_START_S: i64 = 1_700_000_000;

impl Default for ModelStore {
    fn default() -> Self {
        static REFERENCE: LazyLock<Reference> = LazyLock::new(Reference::default);
        Self::of(&*REFERENCE)
    }
}

impl ModelStore {
    /// One container of another target whose clock can be moved; a clock that begins elsewhere shows another year.
    pub fn of(target: &'static dyn Target) -> Self {
        Self { place: target.open().unwrap(), ahead_s: None, passed_s: 0 }
    }
}

impl Store for ModelStore {
    fn ask(&mut self, request: &Request, now_us: i64) -> Result<Response, Fault> {
        self.ask_with(request, &RequestOptions::default(), now_us)
    }

    fn ask_with(
        &mut self,
        request: &Request,
        options: &RequestOptions,
        now_us: i64,
    ) -> Result<Response, Fault> {
        let ahead_s = *self.ahead_s.get_or_insert(now_us.div_euclid(SECOND_US) - MODEL_START_S);
        let passed_s = now_us.div_euclid(SECOND_US) - MODEL_START_S - ahead_s;
        self.place.pass(u64::try_from(passed_s - self.passed_s).unwrap_or(0))?;
        self.passed_s = self.passed_s.max(passed_s);
        let mut response = self.place.send_with(request, options)?;
        if let Body::Item(Item { ts: Some(ts), .. }) = &mut response.body {
            *ts += ahead_s;
        }
        Ok(response)
    }
}

/// The fault of a naive store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreFlaw {
    None,
    NeverExpires,
    /// Counts from the instant of the write, not from its second.
    SubSecond,
    /// An item stays a second too long.
    Late,
    /// An item goes a second too soon.
    Early,
    /// A write over an item leaves its `_ts`, but counts from the new write.
    OldTs,
    /// Shows `_ts` in milliseconds.
    Milliseconds,
    /// Shows the same `_ts` forever.
    Frozen,
}

/// A store with a map and a clock, for what the simplest vectors ask.
pub struct FlawedStore {
    pub flaw: StoreFlaw,
    default_ttl: Option<i64>,
    items: BTreeMap<String, Stored>,
}

struct Stored {
    document: Document,
    ts: i64,
    written_us: i64,
}

impl FlawedStore {
    pub fn new(flaw: StoreFlaw) -> Self {
        Self { flaw, default_ttl: None, items: BTreeMap::new() }
    }

    fn is_gone(&self, item: &Stored, now_us: i64) -> bool {
        let own = seconds(item.document.ttl());
        let Some(inherited) = self.default_ttl else { return false };
        let second = now_us.div_euclid(SECOND_US);
        let lifetime_s = own.unwrap_or(inherited);
        let deadline_s = item.written_us.div_euclid(SECOND_US) + lifetime_s;
        lifetime_s != -1
            && match self.flaw {
                StoreFlaw::NeverExpires => false,
                StoreFlaw::SubSecond => item.written_us + lifetime_s * SECOND_US <= now_us,
                StoreFlaw::Late => deadline_s < second,
                StoreFlaw::Early => deadline_s - 1 <= second,
                _ => deadline_s <= second,
            }
    }

    fn write(&mut self, document: &Document, status: Status, now_us: i64) -> Response {
        let ts = match self.flaw {
            StoreFlaw::Milliseconds => now_us / 1000,
            StoreFlaw::Frozen => 1_600_000_000,
            _ => now_us.div_euclid(SECOND_US),
        };
        let ts = match self.items.get(&document.id) {
            Some(old) if self.flaw == StoreFlaw::OldTs => old.ts,
            _ => ts,
        };
        let document = document.clone();
        self.items.insert(document.id.clone(), Stored { document: document.clone(), ts, written_us: now_us });
        Response::item(status, Item { document, ts: Some(ts), etag: None })
    }

    fn ids(&self) -> Vec<String> {
        self.items.keys().cloned().collect()
    }
}

fn seconds(ttl: Option<&Literal>) -> Option<i64> {
    match ttl.map(Literal::kind) {
        Some(LiteralKind::Whole(seconds)) => Some(seconds),
        _ => None,
    }
}

impl Store for FlawedStore {
    fn ask(&mut self, request: &Request, now_us: i64) -> Result<Response, Fault> {
        let gone: Vec<_> = self.items.iter().filter(|(_, item)| self.is_gone(item, now_us)).collect();
        for id in gone.into_iter().map(|(id, _)| id.clone()).collect::<Vec<_>>() {
            self.items.remove(&id);
        }
        Ok(match request {
            Request::CreateContainer(container) => {
                self.default_ttl = seconds(container.default_ttl.as_ref());
                Response::new(Status::Created)
            }
            Request::Item(Operation::Create(document)) => {
                if self.items.contains_key(&document.id) {
                    Response::new(Status::Conflict)
                } else {
                    self.write(document, Status::Created, now_us)
                }
            }
            Request::Item(Operation::Upsert(document)) => {
                let is_new = !self.items.contains_key(&document.id);
                self.write(document, if is_new { Status::Created } else { Status::Ok }, now_us)
            }
            Request::Item(Operation::Read(id)) => match self.items.get(id) {
                Some(item) => {
                    let item = Item { document: item.document.clone(), ts: Some(item.ts), etag: None };
                    Response::item(Status::Found, item)
                }
                None => Response::new(Status::NotFound),
            },
            Request::Query | Request::List => Response::ids(self.ids()),
            Request::Count => Response::count(u64::try_from(self.items.len()).unwrap()),
            other => return Err(Fault::Unsupported(format!("{other:?}"))),
        })
    }
}
