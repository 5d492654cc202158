//! A server with a clock of its own, at the end of a network, as a target.

use std::sync::{Mutex, PoisonError};

use cosmos_ttl_explore::Rng;
use cosmos_ttl_harness::realtime::Time as _;
use cosmos_ttl_harness::target::{
    About, Clock, Edition, Fault, Opening, Operation, Removal, Request, Response, Session, Status, Target,
};
use cosmos_ttl_mutants::{IndependentSession, IndependentStore};

use crate::network::{Network, ServerClocks};
use crate::time::SimulatedTime;

/// A server with one store, at the end of a network.
#[derive(Debug)]
pub struct Server<'a> {
    time: &'a SimulatedTime,
    store: IndependentStore,
    network: Network,
    clocks: ServerClocks,
    rng: Mutex<Rng>,
}

impl<'a> Server<'a> {
    /// Returns a server with this store; the random numbers decide what happens on the way.
    pub fn new(
        time: &'a SimulatedTime,
        store: IndependentStore,
        network: Network,
        clocks: ServerClocks,
        rng: Rng,
    ) -> Self {
        Self { time, store, network, clocks, rng: Mutex::new(rng) }
    }

    fn draw<R>(&self, draw: impl FnOnce(&mut Rng) -> R) -> R {
        draw(&mut self.rng.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn strikes(&self, thousandths: u32) -> bool {
        self.draw(|rng| rng.below(1000) < thousandths)
    }

    fn travel(&self, back: bool) {
        let Network { to, back: home, .. } = self.network;
        let way_us = self.draw(|rng| self.network.way_us(if back { home } else { to }, rng));
        self.time.sleep_us(way_us);
    }

    /// Sends a request once, as the client of an endpoint over HTTP does.
    fn exchange(&self, store: &mut IndependentSession, request: &Request) -> Result<Response, Fault> {
        self.travel(false);
        let lost = || {
            let said = "the connection ended before the answer began";
            if repeats(request) { Fault::Broken(said.into()) } else { Fault::Unknown(said.into()) }
        };
        if self.strikes(self.network.lost_before) {
            return Err(lost());
        }
        let error = self.strikes(self.network.errors);
        if error && self.draw(|rng| rng.percent(50)) {
            self.travel(true);
            return Ok(Response::new(Status::Other(500)));
        }
        if matches!(request, Request::CreateContainer(_)) {
            self.time.sleep_us(self.network.container_us);
        }
        let clock_us = self.draw(|rng| self.clocks.show_us(self.time.now_us(), rng));
        store.set_clock(clock_us.div_euclid(1_000_000));
        let response = store.send(request)?;
        self.travel(true);
        if self.strikes(self.network.lost_after) {
            return Err(lost());
        }
        Ok(if error { Response::new(Status::Other(500)) } else { response })
    }
}

impl Target for Server<'_> {
    fn about(&self) -> About {
        About {
            name: "simulated".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            clock: Clock::Real,
            editions: vec![Edition::Y2020, Edition::Y2024],
            removals: vec![Removal::Never],
        }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(Box::new(ServerSession { server: self, store: self.store.session(*opening) }))
    }
}

struct ServerSession<'a> {
    server: &'a Server<'a>,
    store: IndependentSession,
}

impl Session for ServerSession<'_> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        while self.server.strikes(self.server.network.busy) {
            self.server.travel(false);
            self.server.time.sleep_us(100_000);
            self.server.travel(true);
        }
        match self.server.exchange(&mut self.store, request) {
            // What may be repeated is repeated once.
            Err(Fault::Broken(_)) => self.server.exchange(&mut self.store, request),
            answer => answer,
        }
    }

    fn pass(&mut self, _seconds: u64) -> Result<(), Fault> {
        Err(Fault::Misuse("this clock runs by itself".into()))
    }
}

/// Whether a client may send it again without knowing what became of it.
fn repeats(request: &Request) -> bool {
    matches!(request, Request::Item(Operation::Read(_)) | Request::Query | Request::List | Request::Count)
}
