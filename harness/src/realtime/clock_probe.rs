//! Looks at the target's clock.

use std::collections::VecDeque;

use super::Time;
use super::clock_view::Reading;
use crate::catch_panic::catch_panic;
use crate::target::{
    Body, Container, Document, Fault, Operation, Properties, Request, Response, Session, Status, Target,
};

/// After the first scan, looks go through this many sessions in turn: a target may have several servers, each with a clock
/// of its own, and may keep each session at one of them.
pub(super) const SESSIONS: usize = 6;

/// Reads the target's clock: writes an item in a place of its own, and looks at its `_ts`.
///
/// Only these writes teach the harness what time it is there. Those of the vectors are under test: a store whose patch
/// keeps the old `_ts` must not put the clock of every other vector in doubt.
pub(super) struct ClockProbe<'t> {
    target: &'t dyn Target,
    /// The one whose turn it is comes first.
    sessions: VecDeque<Box<dyn Session + 't>>,
    written: u64,
    /// How many scans it knows of.
    scans: u32,
    /// The least time that it took to open a session and to create its container.
    pub(super) opening_us: Option<i64>,
}

impl<'t> ClockProbe<'t> {
    pub(super) fn new(target: &'t dyn Target) -> Self {
        Self { target, sessions: VecDeque::new(), written: 0, scans: 0, opening_us: None }
    }

    /// Looks at the target's clock; after a fault, the next look is in a new place. Each scan brings a new session, so that
    /// a failure occurs again only with servers that agree.
    pub(super) fn look(&mut self, time: &impl Time, scans: u32) -> Result<Option<Reading>, Fault> {
        self.try_look(time, scans).inspect_err(|_| self.close())
    }

    fn try_look(&mut self, time: &impl Time, scans: u32) -> Result<Option<Reading>, Fault> {
        if self.scans < scans {
            self.scans = scans;
            if self.sessions.len() >= SESSIONS
                && let Some(mut oldest) = self.sessions.pop_front()
            {
                let _ = catch_panic(|| oldest.close());
            }
        }
        let wanted = if scans == 0 { 1 } else { SESSIONS };
        while self.sessions.len() < wanted {
            self.open(time)?;
        }
        self.sessions.rotate_left(1);
        let Some(session) = self.sessions.front_mut() else { return Ok(None) };
        self.written = self.written.saturating_add(1);
        read_clock(session.as_mut(), self.written, time)
    }

    fn open(&mut self, time: &impl Time) -> Result<(), Fault> {
        let began_us = time.now_us();
        self.sessions.push_back(catch_panic(|| self.target.open())?);
        let Some(session) = self.sessions.back_mut() else { return Ok(()) };
        let create = Request::CreateContainer(Container::default());
        let status = catch_panic(|| session.send(&create))?.status;
        if status != Status::Created {
            return Err(Fault::Broken(format!("a container is answered `{status}`")));
        }
        let opening_us = time.now_us().saturating_sub(began_us);
        self.opening_us = Some(self.opening_us.map_or(opening_us, |least_us| least_us.min(opening_us)));
        Ok(())
    }

    /// Gives the places up; nothing depends on whether that works.
    pub(super) fn close(&mut self) {
        for mut session in self.sessions.drain(..) {
            let _ = catch_panic(|| session.close());
        }
    }
}

/// Writes an item in a session, and returns what its `_ts` says; `None` where neither the answer nor a read shows it.
pub(super) fn read_clock(
    session: &mut dyn Session,
    number: u64,
    time: &impl Time,
) -> Result<Option<Reading>, Fault> {
    let document = Document { id: format!("clock-{number}"), properties: Properties::new() };
    let read = Request::Item(Operation::Read(document.id.clone()));
    let write = Request::Item(Operation::Create(document));
    let sent_us = time.now_us();
    let response = catch_panic(|| session.send(&write))?;
    let answered_us = time.now_us();
    if response.status != Status::Created {
        return Err(Fault::Broken(format!("an item is answered `{}`", response.status)));
    }
    let ts = |response: &Response| if let Body::Item(item) = &response.body { item.ts } else { None };
    let ts = match ts(&response) {
        // The answer to a write may omit its item.
        None => match catch_panic(|| session.send(&read)) {
            Err(Fault::Unsupported(_)) => None,
            response => ts(&response?),
        },
        shown => shown,
    };
    Ok(ts.map(|ts| Reading { sent_us, answered_us, ts }))
}
