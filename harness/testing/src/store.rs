//! The independent store, told the time before each request: right, or wrong in a way that shows on a clock alone.

use std::collections::BTreeMap;

use cosmos_ttl_harness::target::{
    Body, Fault, Operation, Request, RequestOptions, Response, Session as _, Status,
};
use cosmos_ttl_mutants::{Faulty, FaultyStore, IndependentSession, named};

/// The fault of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreFlaw {
    None,
    NeverExpires,
    /// Counts from the instant of the last write, not from its second.
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

/// One container of the store.
pub struct TimedStore {
    flaw: StoreFlaw,
    session: IndependentSession<Faulty>,
    /// How far into its second the last write was.
    phase_us: i64,
    /// The `_ts` of the creation of each item.
    created: BTreeMap<String, i64>,
}

impl TimedStore {
    pub fn new(flaw: StoreFlaw) -> Self {
        let store = match flaw {
            StoreFlaw::NeverExpires => named("nothing-expires").unwrap(),
            StoreFlaw::Late => named("one-second-late").unwrap(),
            StoreFlaw::Early => named("one-second-early").unwrap(),
            _ => FaultyStore::default(),
        };
        Self { flaw, session: store.session(), phase_us: 0, created: BTreeMap::new() }
    }

    /// Deals with a request when the store's clock shows this.
    pub fn ask(
        &mut self,
        request: &Request,
        options: &RequestOptions,
        now_us: i64,
    ) -> Result<Response, Fault> {
        let reads = matches!(
            request,
            Request::Item(Operation::Read(_)) | Request::Query | Request::List | Request::Count
        );
        if !reads && self.flaw == StoreFlaw::SubSecond {
            self.phase_us = now_us.rem_euclid(1_000_000);
        }
        self.session.set_clock((now_us - self.phase_us).div_euclid(1_000_000));
        let mut response = self.session.send_with(request, options)?;
        if let Body::Item(item) = &mut response.body
            && let Some(ts) = &mut item.ts
        {
            if response.status == Status::Created {
                self.created.insert(item.document.id.clone(), *ts);
            }
            *ts = match self.flaw {
                StoreFlaw::Milliseconds => *ts * 1000,
                StoreFlaw::Frozen => 1_600_000_000,
                StoreFlaw::OldTs => self.created.get(&item.document.id).copied().unwrap_or(*ts),
                _ => *ts,
            };
        }
        Ok(response)
    }
}
