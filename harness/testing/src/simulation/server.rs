//! A server with a clock of its own, at the end of a network, as a target.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::simulation::Rng;
use cosmos_ttl_harness::realtime::Time as _;
use cosmos_ttl_harness::target::{
    About, Clock, Fault, Operation, Part, Request, RequestOptions, Response, Session, Status, Target,
};
use cosmos_ttl_mutants::{Faulty, FaultyStore, IndependentAccount};

use crate::simulation::network::{Network, ServerClocks};
use crate::simulation::time::SimulatedTime;

/// A server with one store, at the end of a network.
#[derive(Debug)]
pub struct Server<'a> {
    time: &'a SimulatedTime,
    store: FaultyStore,
    network: Network,
    clocks: ServerClocks,
    steady_error: fn(&Request) -> bool,
    rng: Mutex<Rng>,
}

impl<'a> Server<'a> {
    /// Returns a server with this store; the random numbers decide what happens on the way.
    pub fn new(
        time: &'a SimulatedTime,
        store: impl Into<FaultyStore>,
        network: Network,
        clocks: ServerClocks,
        rng: Rng,
    ) -> Self {
        Self { time, store: store.into(), network, clocks, steady_error: |_| false, rng: Mutex::new(rng) }
    }

    /// Returns the same server, which answers these requests 500 every time, without any effect.
    #[must_use]
    pub fn with_steady_error(self, to: fn(&Request) -> bool) -> Self {
        Self { steady_error: to, ..self }
    }

    fn draw<R>(&self, draw: impl FnOnce(&mut Rng) -> R) -> R {
        draw(&mut self.rng.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn strikes(&self, thousandths: u32) -> bool {
        self.draw(|rng| rng.below(1000) < thousandths)
    }

    fn travel_to(&self) {
        let way_us = self.draw(|rng| self.network.way_to_us(rng));
        self.time.sleep_us(way_us.max(self.network.cold_us.saturating_sub(self.time.now_us())));
    }

    fn travel_back(&self) {
        self.time.sleep_us(self.draw(|rng| self.network.way_back_us(rng)));
    }
}

impl Target for Server<'_> {
    fn about(&self) -> About {
        About {
            name: "simulated".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            clock: Clock::Real,
            purges: false,
        }
    }

    fn offers(&self) -> BTreeSet<Part> {
        Part::optional()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        let number = self.draw(|rng| self.clocks.draw_server(rng));
        let store = self.store.account();
        Ok(Box::new(ServerSession { server: self, store, number, broken: false, has_container: false }))
    }
}

struct ServerSession<'a> {
    server: &'a Server<'a>,
    store: IndependentAccount<Faulty>,
    /// That of the server which the session keeps to, if it keeps to one.
    number: usize,
    broken: bool,
    has_container: bool,
}

impl ServerSession<'_> {
    /// Sends a request once.
    fn exchange(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        let Server { network, .. } = *self.server;
        let server = self.server;
        server.travel_to();
        self.may_break(network.broken_before)?;
        if server.strikes(network.lost_before) {
            return Err(lost(request));
        }
        let error = server.strikes(network.errors);
        if (server.steady_error)(request) || (error && server.draw(|rng| rng.percent(50))) {
            server.travel_back();
            return Ok(Response::new(Status::Other(500)));
        }
        // A second container is refused at once.
        let creates = matches!(request, Request::CreateContainer(_));
        if creates && !self.has_container {
            server.time.sleep_us(network.container_us);
        }
        self.set_clock();
        let response = self.store.send_with(request, options)?;
        self.has_container |= creates && response.status.is_success();
        server.travel_back();
        self.may_break(network.broken_after)?;
        if server.strikes(network.lost_after) {
            return Err(lost(request));
        }
        Ok(if error { Response::new(Status::Other(500)) } else { response })
    }

    /// The request takes effect now, by the clock of the server that it meets.
    fn set_clock(&mut self) {
        let Server { clocks, store, .. } = self.server;
        let drawn = || self.server.draw(|rng| clocks.draw_server(rng));
        let number = if clocks.sticky { self.number } else { drawn() };
        let clock_s = clocks.show_us(number, self.server.time.now_us()).div_euclid(1_000_000);
        self.store.set_clock(clock_s.saturating_add(store.store.later_s.into()));
    }

    fn may_break(&mut self, thousandths: u32) -> Result<(), Fault> {
        self.broken |= self.server.strikes(thousandths);
        if self.broken { Err(Fault::Broken("the connection was reset".into())) } else { Ok(()) }
    }
}

impl Session for ServerSession<'_> {
    fn send(&mut self, request: &Request) -> Result<Response, Fault> {
        self.send_with(request, &RequestOptions::default())
    }

    /// Sends as the client of an endpoint over HTTP does: again after 429, and a read again if there was no answer.
    fn send_with(&mut self, request: &Request, options: &RequestOptions) -> Result<Response, Fault> {
        self.may_break(0)?;
        while self.server.strikes(self.server.network.busy) {
            self.server.travel_to();
            self.server.time.sleep_us(100_000);
            self.server.travel_back();
        }
        match self.exchange(request, options) {
            Err(Fault::Broken(_)) if !self.broken => self.exchange(request, options),
            answer => answer,
        }
    }

    fn pass(&mut self, _seconds: u64) -> Result<(), Fault> {
        Err(Fault::Misuse("this clock runs by itself".into()))
    }
}

/// There is no answer. What may be sent again is broken; of any other it is unknown whether it took effect.
fn lost(request: &Request) -> Fault {
    let said = "the connection ended before the answer began".to_owned();
    let repeatable = matches!(
        request,
        Request::Item(Operation::Read(_))
            | Request::Query
            | Request::List
            | Request::Count
            | Request::Select(_)
            | Request::ReadMany(_)
            | Request::ReadContainer
    );
    if repeatable { Fault::Broken(said) } else { Fault::Unknown(said) }
}
