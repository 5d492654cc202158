//! Targets that are wrong, one way each, whatever they are asked.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use cosmos_ttl_harness::target::{
    About, Body, Clock, Document, Fault, Item, Operation, Request, RequestOptions, Response, Session, Status,
    Target,
};

use cosmos_ttl_mutants::{Choices, FaultyStore, IndependentStore};

use crate::hooked::{hooked, hooked_box};

fn about(name: &str, clock: Clock) -> About {
    About { name: name.into(), version: String::new(), clock, purges: false }
}

/// Answers every request with its success, and shows whatever was written last.
#[derive(Clone, Copy, Debug)]
pub struct AlwaysYes;

impl Target for AlwaysYes {
    fn about(&self) -> About {
        about("always yes", Clock::Virtual)
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(AlwaysYesSession::default()))
    }
}

#[derive(Default)]
struct AlwaysYesSession {
    now: i64,
    writes: u64,
    items: BTreeMap<String, Item>,
    forgets: bool,
}

impl AlwaysYesSession {
    fn operate(&mut self, operation: &Operation) -> Response {
        let known = self.items.get(operation.id()).cloned();
        let (document, status) = match operation {
            Operation::Upsert(new) if known.is_some() => (new.clone(), Status::Ok),
            Operation::Create(new) | Operation::Upsert(new) => (new.clone(), Status::Created),
            Operation::Replace(new, _) => (new.clone(), Status::Ok),
            Operation::Patch(patch, _) => {
                let mut properties = known.map_or_else(BTreeMap::new, |item| item.document.properties);
                properties.extend(patch.set.clone());
                properties.retain(|name, _| !patch.remove.contains(name));
                (Document { id: patch.id.clone(), properties }, Status::Ok)
            }
            Operation::Read(id) => {
                let document = Document { id: id.clone(), properties: BTreeMap::new() };
                let any = || Item { document, ts: Some(self.now), etag: None };
                return Response::item(Status::Found, known.unwrap_or_else(any));
            }
            Operation::Delete(id, _) => {
                self.items.remove(id);
                return Response::new(Status::NoContent);
            }
        };
        self.writes += 1;
        let item = Item { document, ts: Some(self.now), etag: Some(self.writes.to_string()) };
        self.items.insert(operation.id().into(), item.clone());
        Response::item(status, item)
    }
}

impl Session for AlwaysYesSession {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        if self.forgets {
            self.items.clear();
        }
        Ok(match request {
            Request::CreateContainer(_) => Response::new(Status::Created),
            Request::ReplaceContainer(_) => Response::new(Status::Ok),
            Request::Item(operation)
                if self.forgets && !matches!(operation, Operation::Create(_) | Operation::Upsert(_)) =>
            {
                Response::new(Status::NotFound)
            }
            Request::Item(operation) => self.operate(operation),
            Request::Batch(operations) => {
                let statuses = operations.iter().map(|operation| self.operate(operation).status).collect();
                Response { body: Body::Committed(statuses), ..Response::new(Status::Ok) }
            }
            Request::Query | Request::List => Response::ids(self.items.keys().cloned().collect()),
            Request::Count => Response::count(self.items.len() as u64),
            _ => return Err(Fault::Unsupported("it is not offered".into())),
        })
    }

    fn send_with(&mut self, request: &Request, _: &RequestOptions) -> Result<Response, Fault> {
        self.send(request)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.now = self.now.saturating_add_unsigned(seconds);
        Ok(())
    }
}

/// Answers every request with the same status.
#[derive(Clone, Copy, Debug)]
pub struct AlwaysNo(pub Status);

impl Target for AlwaysNo {
    fn about(&self) -> About {
        about("always no", Clock::Virtual)
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(*self))
    }
}

impl Session for AlwaysNo {
    fn send(&mut self, _: &Request) -> Result<Response, Fault> {
        Ok(Response::new(self.0))
    }

    fn send_with(&mut self, request: &Request, _: &RequestOptions) -> Result<Response, Fault> {
        self.send(request)
    }

    fn pass(&mut self, _: u64) -> Result<(), Fault> {
        Ok(())
    }
}

/// Takes every write and keeps none.
#[derive(Clone, Copy, Debug)]
pub struct ExpiresAtOnce;

impl Target for ExpiresAtOnce {
    fn about(&self) -> About {
        about("expires at once", Clock::Virtual)
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(AlwaysYesSession { forgets: true, ..AlwaysYesSession::default() }))
    }
}

/// A target whose clock is never moved, although it says so.
#[derive(Clone, Copy, Debug)]
pub struct Stopped<T>(pub T);

impl<T: Target> Target for Stopped<T> {
    fn about(&self) -> About {
        self.0.about()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        let session = hooked_box(self.0.open()?, |session, request| session.send(request));
        Ok(session.passing(|_, _| Ok(())))
    }
}

/// Is right until the request with this number, counted from 1; from then on there is no answer.
#[derive(Clone, Debug)]
pub struct Says {
    pub fault: Fault,
    pub from: usize,
}

impl Target for Says {
    fn about(&self) -> About {
        about("says", Clock::Virtual)
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        let mut requests = 0;
        Ok(hooked(IndependentStore::default().session(), move |session, request| {
            requests += 1;
            if requests < self.from { session.send(request) } else { Err(self.fault.clone()) }
        }))
    }
}

/// Fails where a place is opened, where the clock is moved, or where the place is given up.
#[derive(Clone, Debug)]
pub struct BreaksAt<T> {
    pub moment: Moment,
    pub fault: Fault,
    pub inner: T,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    Open,
    Pass,
    Close,
    Panic,
}

impl<T: Copy + Into<FaultyStore> + Sync> Target for BreaksAt<T> {
    fn about(&self) -> About {
        about("breaks", Clock::Virtual)
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        let at = |moment| if self.moment == moment { Err(self.fault.clone()) } else { Ok(()) };
        at(Moment::Open)?;
        let session = hooked(self.inner.into().session(), |session, request| {
            assert!(self.moment != Moment::Panic, "the store fell over");
            session.send(request)
        });
        let pass =
            move |session: &mut dyn Session, seconds| at(Moment::Pass).and_then(|()| session.pass(seconds));
        Ok(session.passing(pass).closing(at(Moment::Close)))
    }
}

/// The independent store on this machine's clock.
#[derive(Clone, Copy, Debug)]
pub struct OnTheWall;

impl Target for OnTheWall {
    fn about(&self) -> About {
        about("on the wall", Clock::Real)
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        let mut now_s = 1_600_000_000;
        let session = hooked(IndependentStore::default().session(), move |session, request| {
            let at_s = second();
            session.pass(at_s.saturating_sub(now_s))?;
            now_s = at_s;
            session.send(request)
        });
        Ok(session.passing(|_, _| Err(Fault::Misuse("nobody moves this clock".into()))))
    }
}

#[expect(clippy::disallowed_methods, reason = "it is a target on a clock of its own")]
fn second() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The independent store with its responses changed.
#[derive(Clone, Copy, Debug)]
pub struct Tampered(pub IndependentStore, pub fn(&mut Response));

impl Target for Tampered {
    fn about(&self) -> About {
        self.0.about()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(hooked(self.0.session(), |session, request| {
            let mut response = session.send(request)?;
            (self.1)(&mut response);
            Ok(response)
        }))
    }
}

/// Is right, but says that it does not offer some requests.
#[derive(Clone, Copy, Debug)]
pub struct Without(pub fn(&Request) -> bool);

impl Target for Without {
    fn about(&self) -> About {
        about("without", Clock::Virtual)
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(hooked(IndependentStore::default().session(), |session, request| {
            if (self.0)(request) {
                Err(Fault::Unsupported("not offered".into()))
            } else {
                session.send(request)
            }
        }))
    }
}

/// Is right, but decides again for every vector what a null `defaultTtl` means.
#[derive(Debug, Default)]
pub struct Fickle(AtomicBool);

impl Target for Fickle {
    fn about(&self) -> About {
        about("fickle", Clock::Virtual)
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        let null_in_replacement_refused = self.0.fetch_not(Ordering::Relaxed);
        let choices = Choices { null_in_replacement_refused, ..Choices::default() };
        Ok(Box::new(IndependentStore { choices, ..IndependentStore::default() }.session()))
    }
}
