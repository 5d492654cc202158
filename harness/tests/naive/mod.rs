//! A second store, written from the clauses and not from the model: the other oracle.
//!
//! It keeps everything as it came: an item's properties as text and the second of its write. Whatever the rule needs is
//! read off that anew at every look, in absolute time and in 128 bits, so nothing is latched, cached or rounded. It
//! shares no code with the model, nor the harness's reading of numbers. Every question that the documents leave open is
//! a field of [`Choices`]; with a [`Mistake`] it is a wrong store instead, for testing the tests.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests, none of which needs all of it"
)]

mod mistake;
mod number;
mod store;

use cosmos_ttl_harness::target::{
    About, Clock, Edition, Fault, Opening, Removal, Request, Response, Session, Status, Target,
};

pub(crate) use mistake::Mistake;
pub(crate) use number::whole;
use store::Store;

/// What the documents leave open; `false` everywhere is what the evidence favours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question that is answered yes or no")]
pub(crate) struct Choices {
    /// `container-null-is-off`: null as `defaultTtl` is refused.
    pub(crate) null_default_refused: bool,
    /// `item-integral-fraction`: `10.0` is 10.
    pub(crate) fractions_taken: bool,
    /// `item-invalid-while-off`: kept as ordinary data.
    pub(crate) anything_kept_while_off: bool,
    /// `expired-in-aggregates`: counted until removed.
    pub(crate) expired_counted: bool,
    /// `expired-upsert-status`: as a replace, until removed.
    pub(crate) upsert_replaces_expired: bool,
    /// `expired-precondition`: the condition fails before the item does.
    pub(crate) condition_first: bool,
    /// `lazy-index-may-lag`: queries find nothing after switching on.
    pub(crate) lazy_index_lags: bool,
}

/// The store as a target.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Naive {
    /// What it chooses where it may.
    pub(crate) choices: Choices,
    /// What it gets wrong; nothing, if it is to be an oracle.
    pub(crate) mistake: Option<Mistake>,
}

/// The second in which every vector starts; not that of the reference.
pub(crate) const START: i128 = 1_600_000_000;

impl Target for Naive {
    fn about(&self) -> About {
        About {
            name: self.mistake.map_or_else(|| "naive".into(), |mistake| format!("{mistake:?}")),
            version: String::new(),
            clock: Clock::Virtual,
            editions: vec![Edition::Y2020, Edition::Y2024],
            removals: vec![Removal::Never, Removal::Eager, Removal::Alternate],
        }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(self.place(*opening)))
    }
}

impl Naive {
    /// A place whose background can also be moved by hand.
    pub(crate) fn place(self, opening: Opening) -> Place {
        Place { naive: self, opening, now: START, store: None, requests: 0 }
    }
}

/// One vector's place.
#[derive(Debug)]
pub(crate) struct Place {
    naive: Naive,
    opening: Opening,
    now: i128,
    store: Option<Store>,
    requests: u64,
}

impl Place {
    /// Removes an item in the background; says whether there was an expired one.
    pub(crate) fn remove(&mut self, id: &str) -> bool {
        self.store.as_mut().is_some_and(|store| store.remove(id))
    }

    fn sweep(&mut self, removal: Removal) {
        if self.opening.removal == Some(removal)
            && let Some(store) = &mut self.store
        {
            store.sweep();
        }
    }
}

impl Session for Place {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.requests += 1;
        if self.requests.is_multiple_of(2) {
            self.sweep(Removal::Alternate);
        }
        let response = match (request, &mut self.store) {
            (Request::CreateContainer(_), Some(_)) => Response::new(Status::Conflict),
            (Request::CreateContainer(container), None) => {
                match Store::create(self.naive, self.opening.edition, self.now, container) {
                    Ok(store) => {
                        self.store = Some(store);
                        Response::new(Status::Created)
                    }
                    Err(status) => Response::new(status),
                }
            }
            (_, None) => Response::new(Status::NotFound),
            (request, Some(store)) => store.answer(request),
        };
        self.sweep(Removal::Eager);
        Ok(response)
    }

    fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
        self.now += i128::from(seconds);
        if let Some(store) = &mut self.store {
            store.now = self.now;
        }
        self.sweep(Removal::Eager);
        Ok(())
    }
}
