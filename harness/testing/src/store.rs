//! The independent store, told the time before each request: right, or wrong in a way that shows on a clock alone.

use std::collections::BTreeMap;

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Body, Fault, Item, Operation, Request, RequestOptions, Response, Session as _, Status,
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
    /// While there is a default, -1 included, each sweep removes every item without a `ttl` of its own.
    SweepsWithoutTtl,
    /// A sweep counts the default that there was when the item was written.
    SweepsByOldDefault,
}

/// How often a container is swept.
const SWEEP_US: i64 = 45_000_000;

/// One container of the store.
pub struct TimedStore {
    flaw: StoreFlaw,
    session: IndependentSession<Faulty>,
    /// How far into its second the last write was.
    phase_us: i64,
    /// The `_ts` of the creation of each item.
    created: BTreeMap<String, i64>,
    sweep_us: Option<i64>,
    default: Option<Literal>,
    /// The items that are written without a `ttl`, and when they expire under the default of that second.
    inheriting: BTreeMap<String, Option<i64>>,
}

impl TimedStore {
    pub fn new(flaw: StoreFlaw) -> Self {
        let store = match flaw {
            StoreFlaw::NeverExpires => named("nothing-expires").unwrap(),
            StoreFlaw::Late => named("one-second-late").unwrap(),
            StoreFlaw::Early => named("one-second-early").unwrap(),
            _ => FaultyStore::default(),
        };
        let (created, inheriting) = (BTreeMap::new(), BTreeMap::new());
        Self {
            flaw,
            session: store.session(),
            phase_us: 0,
            created,
            sweep_us: None,
            default: None,
            inheriting,
        }
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
        self.sweep(now_us)?;
        let mut response = self.session.send_with(request, options)?;
        self.note(request, &response);
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

    /// Deletes what the flaw takes for expired, when a sweep is due.
    fn sweep(&mut self, now_us: i64) -> Result<(), Fault> {
        if now_us < *self.sweep_us.get_or_insert(now_us + SWEEP_US) {
            return Ok(());
        }
        self.sweep_us = Some(now_us + SWEEP_US);
        let is_over = |until_s: &Option<i64>| until_s.is_some_and(|until_s| until_s <= now_us / 1_000_000);
        for (id, until_s) in &self.inheriting {
            if match self.flaw {
                StoreFlaw::SweepsWithoutTtl => self.default.is_some(),
                StoreFlaw::SweepsByOldDefault => is_over(until_s),
                _ => false,
            } {
                self.session.send(&Request::Item(Operation::Delete(id.clone(), None)))?;
            }
        }
        Ok(())
    }

    fn note(&mut self, request: &Request, response: &Response) {
        match (request, &response.body) {
            (Request::CreateContainer(settings) | Request::ReplaceContainer(settings), _)
                if response.status.is_success() =>
            {
                self.default.clone_from(&settings.default_ttl);
            }
            (Request::Item(operation), Body::Item(Item { document, ts: Some(ts), .. }))
                if operation.is_write() =>
            {
                self.inheriting.remove(&document.id);
                if !document.properties.contains_key("ttl") {
                    let default_s =
                        self.default.as_ref().and_then(|default| default.as_str().parse::<i64>().ok());
                    let until_s = default_s.filter(|seconds| 0 < *seconds).map(|seconds| ts + seconds);
                    self.inheriting.insert(document.id.clone(), until_s);
                }
            }
            _ => {}
        }
    }
}
