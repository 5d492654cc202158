//! Reads the target's clock: writes an item in a place of its own, and looks at its `_ts`.
//!
//! Only these writes teach the harness what time it is there. Those of the vectors are under test: a store whose patch
//! keeps the old `_ts` must not put the clock of every other vector in doubt.

use super::clock::Reading;
use super::time::Time;
use crate::catch_panic::catch_panic;
use crate::target::{
    Body, Container, Document, Fault, Opening, Operation, Properties, Request, Session, Status, Target,
};

/// What came of a look at the target's clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ProbeAnswer {
    /// A `_ts`.
    Reading(Reading),
    /// The item was written, and shows no `_ts`.
    NoTs,
    /// Nothing.
    Nothing(Fault),
}

/// A place in which items are written for their `_ts` alone.
pub(super) struct ClockProbe<'t> {
    target: &'t dyn Target,
    opening: Opening,
    session: Option<Box<dyn Session + 't>>,
    written: u64,
}

impl<'t> ClockProbe<'t> {
    pub(super) fn new(target: &'t dyn Target, opening: Opening) -> Self {
        Self { target, opening, session: None, written: 0 }
    }

    /// Looks at the target's clock; after a fault, the next look is in a new place.
    pub(super) fn look(&mut self, time: &impl Time) -> ProbeAnswer {
        self.try_look(time).unwrap_or_else(|fault| {
            self.close();
            ProbeAnswer::Nothing(fault)
        })
    }

    fn try_look(&mut self, time: &impl Time) -> Result<ProbeAnswer, Fault> {
        if self.session.is_none() {
            self.session = Some(self.open()?);
        }
        let Some(session) = &mut self.session else { return Ok(ProbeAnswer::NoTs) };
        self.written = self.written.saturating_add(1);
        let id = format!("clock-{}", self.written);
        let write =
            Request::Item(Operation::Create(Document { id: id.clone(), properties: Properties::new() }));
        let sent_us = time.now_us();
        let response = catch_panic(|| session.send(&write))?;
        let answered_us = time.now_us();
        match (response.status, response.body) {
            (Status::Created, Body::Item(item)) => Ok(item
                .ts
                .map_or(ProbeAnswer::NoTs, |ts| ProbeAnswer::Reading(Reading { sent_us, answered_us, ts }))),
            (Status::Created, _) => Ok(ProbeAnswer::NoTs),
            (status, _) => Err(Fault::Broken(format!("an item is answered `{status}`"))),
        }
    }

    fn open(&self) -> Result<Box<dyn Session + 't>, Fault> {
        let mut session = catch_panic(|| self.target.open(&self.opening))?;
        match catch_panic(|| session.send(&Request::CreateContainer(Container::default()))) {
            Ok(response) if response.status == Status::Created => Ok(session),
            answer => {
                // The fault that counts is the first.
                let _ = catch_panic(|| session.close());
                let status = answer?.status;
                Err(Fault::Broken(format!("a container is answered `{status}`")))
            }
        }
    }

    /// Gives the place up; nothing depends on whether that works.
    pub(super) fn close(&mut self) {
        if let Some(mut session) = self.session.take() {
            let _ = catch_panic(|| session.close());
        }
    }
}
