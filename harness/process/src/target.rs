//! A process in any language as a target: one JSON object a line over its standard input and output.
//!
//! `harness/process/PROTOCOL.md` is the reference of the protocol. A process that breaks it is ended and started anew; whatever
//! had a place open in it is broken, and nothing else is.
//!
//! - `pipes`: the three streams of a process, each read or written by a thread of its own
//! - `child`: starts a process, and ends it whatever it does
//! - `exchange`: one message, one reply
//! - `session`: one vector's place
//! - `honesty`: whether a clock that is said to be virtual is

mod child;
mod exchange;
mod honesty;
mod pipes;
mod session;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use self::exchange::Exchange;
pub(crate) use self::honesty::{lie, moved_s};
use self::pipes::Errors;
use self::session::Place;
use crate::protocol::{Hello, Message, Reply};
use cosmos_ttl_harness::target::{About, Clock, Fault, Opening, Removal, Session, Target};

/// How a process is started and talked to.
#[derive(Clone, Debug)]
pub struct ProcessConfig {
    /// The program and its arguments; no shell is asked.
    pub command: Vec<String>,
    /// How long to wait for one reply; the first may take a minute.
    pub timeout: Duration,
    /// How often it is started anew, in all.
    pub restarts: usize,
    /// Whether a field that the schema does not know breaks the protocol.
    pub strict: bool,
    /// Nobody waits for a reply any longer when it becomes true; looked at every twentieth of a second.
    pub stop: Arc<AtomicBool>,
}

impl ProcessConfig {
    /// Ten seconds a reply, twenty new starts, and unknown fields are passed over.
    pub fn new(command: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let command = command.into_iter().map(Into::into).collect();
        Self { command, timeout: Duration::from_secs(10), restarts: 20, strict: false, stop: Arc::default() }
    }
}

/// A process as a target.
#[derive(Debug)]
pub struct ProcessTarget {
    config: ProcessConfig,
    hello: Hello,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The process, unless it had to be ended.
    exchange: Option<Exchange>,
    /// Which start this is: a place of an earlier one is gone.
    generation: usize,
    /// Why the last one had to be ended.
    ended: String,
    /// How many places there were.
    places: u64,
    /// What went wrong while nothing was asked.
    mishaps: Vec<String>,
    /// The standard error of the process that was started last.
    errors: Errors,
}

impl ProcessTarget {
    /// Starts the process, asks it who it is, and looks whether its clock is what it says.
    ///
    /// # Errors
    ///
    /// [`Fault::Broken`] where it does not start, does not say who it is, or lies about its clock; [`Fault::Misuse`] where
    /// there is no command.
    pub fn start(config: ProcessConfig) -> Result<Self, Fault> {
        let target = Self::start_unproved(config)?;
        match honesty::prove(&target) {
            Err(Fault::Broken(why)) => Err(Fault::Broken(why + &target.last_words())),
            proved => proved.map(|()| target),
        }
    }

    /// The same, whatever its clock is.
    pub(crate) fn start_unproved(config: ProcessConfig) -> Result<Self, Fault> {
        let (exchange, hello) = Exchange::start(&config)?;
        let errors = exchange.errors();
        let (exchange, ended) = (Some(exchange), String::new());
        let state = State { exchange, generation: 0, ended, places: 0, mishaps: Vec::new(), errors };
        Ok(Self { config, hello, state: Mutex::new(state) })
    }

    /// Who it said it is.
    pub(crate) fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Ends the process in good order: it is told, given time, and killed if it does not go.
    ///
    /// # Errors
    ///
    /// [`Fault::Broken`] where it did not go by itself.
    pub fn bye(&self) -> Result<(), Fault> {
        let exchange = self.state().exchange.take();
        exchange.map_or(Ok(()), Exchange::bye).map_err(Fault::Broken)
    }

    /// The end of what it wrote to its standard error, as a part of a sentence; nothing where it wrote nothing.
    pub fn last_words(&self) -> String {
        let errors = self.state().errors.clone();
        pipes::last_words(&errors)
    }

    /// What went wrong while nothing was asked, and so touches no vector, in words.
    pub fn mishaps(&self) -> Vec<String> {
        self.state().mishaps.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks, in a place of this start of the process.
    fn ask(&self, generation: usize, message: &Message) -> Result<Reply, Fault> {
        let mut state = self.state();
        let same = state.generation == generation;
        if let Some(exchange) = state.exchange.as_mut().filter(|_| same) {
            return exchange.ask(message).map_err(|why| self.ended(&mut state, &why));
        }
        let why = format!("the process had to be ended while this was open: {}", state.ended);
        Err(Fault::Broken(why))
    }

    fn may_restart(&self, state: &State) -> bool {
        state.generation < self.config.restarts && !self.config.stop.load(Ordering::Relaxed)
    }

    /// Ends a process that cannot be talked to any longer; nobody can know what an interrupted one would have said.
    fn ended(&self, state: &mut State, why: &str) -> Fault {
        let fault = state.end(why);
        if self.config.stop.load(Ordering::Relaxed) {
            Fault::Unknown(exchange::INTERRUPTED.into())
        } else {
            fault
        }
    }

    /// Opens a place, in a process that is started anew where it must be.
    ///
    /// Whoever opens a place is not to blame for a process that went, or wrote what nobody asked for, before: it is asked
    /// once more.
    fn open_place(&self, opening: Opening) -> Result<Place<'_>, Fault> {
        let mut state = self.state();
        if let Some(why) = state.exchange.as_mut().and_then(Exchange::is_off) {
            state.end(&why);
            state.mishap(&why);
        }
        let (ask, session, reply) = match state.open(&self.config, &self.hello, opening) {
            Err(Fault::Broken(why)) if state.exchange.is_none() && self.may_restart(&state) => {
                state.mishap(&why);
                state.open(&self.config, &self.hello, opening)?
            }
            opened => opened?,
        };
        let Some(exchange) = &state.exchange else { return Err(Fault::Broken(state.ended.clone())) };
        let place = Place::new(self, state.generation, session, opening.removal, exchange.errors());
        drop(state);
        place.done(&ask, reply)?;
        Ok(place)
    }
}

impl State {
    /// Ends a process that cannot be talked to any longer.
    fn end(&mut self, why: &str) -> Fault {
        let why = match self.exchange.take() {
            Some(exchange) => exchange.kill(why),
            None => why.to_owned(),
        };
        self.ended.clone_from(&why);
        Fault::Broken(why)
    }

    /// Notes what went wrong while nothing was asked, with the last words of the process.
    fn mishap(&mut self, why: &str) {
        self.mishaps.push(format!("{why}{}", pipes::last_words(&self.errors)));
    }

    /// Asks for a place under a name of its own.
    fn open(
        &mut self,
        config: &ProcessConfig,
        hello: &Hello,
        opening: Opening,
    ) -> Result<(Message, String, Reply), Fault> {
        if self.exchange.is_none() {
            self.restart(config, hello)?;
        }
        self.places = self.places.saturating_add(1);
        let session = self.places.to_string();
        let ask = Message::Open { session: session.clone(), edition: opening.edition };
        let Some(exchange) = self.exchange.as_mut() else { return Err(Fault::Broken(self.ended.clone())) };
        let reply = exchange.ask(&ask).map_err(|why| self.end(&why))?;
        Ok((ask, session, reply))
    }

    fn restart(&mut self, config: &ProcessConfig, hello: &Hello) -> Result<(), Fault> {
        if config.restarts <= self.generation {
            let times = config.restarts;
            let ended = &self.ended;
            return Err(Fault::Broken(format!(
                "the process was started anew {times} times and is not once more; the last time: {ended}"
            )));
        }
        self.generation = self.generation.saturating_add(1);
        let (exchange, now) = Exchange::start(config).inspect_err(|fault| self.ended = fault.to_string())?;
        if now != *hello {
            let why = exchange.kill("started anew, it says of itself something else than before");
            self.ended.clone_from(&why);
            return Err(Fault::Broken(why));
        }
        self.errors = exchange.errors();
        self.exchange = Some(exchange);
        Ok(())
    }
}

impl Target for ProcessTarget {
    fn about(&self) -> About {
        let Hello { name, version, clock, editions, purge, .. } = self.hello.clone();
        let removals =
            if purge { vec![Removal::Never, Removal::Eager, Removal::Alternate] } else { Vec::new() };
        About { name, version, clock, editions, removals }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        let place = self.open_place(*opening)?;
        place.hold()?;
        Ok(Box::new(place))
    }
}

impl ProcessTarget {
    fn is_virtual(&self) -> bool {
        self.hello.clock == Clock::Virtual
    }
}
