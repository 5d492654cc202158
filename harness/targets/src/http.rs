//! A Cosmos endpoint by URL and key: the service, an emulator, or whatever speaks its REST API.
//!
//! ```no_run
//! use cosmos_ttl_harness::embedded;
//! use cosmos_ttl_harness::realtime::{Options, run_real};
//! use cosmos_ttl_targets::http::{HttpConfig, HttpTarget};
//!
//! let target = HttpTarget::connect(HttpConfig::new("http://127.0.0.1:8081", None)?)?;
//! let suite = embedded()?;
//! let run = run_real(&target, &suite.vectors.iter().collect::<Vec<_>>(), &Options::default())?;
//! target.cleanup()?;
//! println!("{} vectors came to their end", run.results.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules, in reading order: `config` is what a user gives, `wire` is the format of requests, `client` sends them and
//! decides what is a response at all, `session` is one vector's container and reads the responses. `interrupt` ends a run
//! early, and `redact` hides secrets that a server repeats;
//! `leftovers` are databases of runs that were killed.
//! `control` moves the clock of an endpoint that lets it be moved.
//!
//! There is one database a run and one container a vector, or a pool of them; items are in the partition `p` unless
//! the vector names another one. Time is the endpoint's own, unless the endpoint offers control requests and its clock is
//! virtual. A failure on the way is never a response: `client` has the table.
//!
//! A server that does not know a shape of query or an operation of a patch answers 400, as to a refused `ttl`. Such a query is
//! unsupported; a patch only if the server refuses the same operations on an item of our own, which is deleted again.
//!
//! The database's name ends in the time, the process and 64 bits from [`std::hash::RandomState`], which the standard
//! library seeds from the operating system: unique, not secret.

mod client;
mod config;
mod control;
mod interrupt;
mod leftovers;
mod redact;
mod session;
mod wire;

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, SystemTime};

use cosmos_ttl_harness::target::{About, Clock, Fault, Session, Target};

pub use self::config::{AccountKey, HttpConfig, machine_clock};
pub use self::leftovers::Leftover;
pub use self::wire::curl_commands;

use crate::lock;

use self::client::{EndpointClient, NoResponse};
use self::control::ControlOffer;
use self::interrupt::{InterruptGate, now};
use self::session::{ContainerUse, HttpSession};
use self::wire::ContainerLink;

/// How long a clean-up may take after an interruption: the user waits for it.
const HURRY: Duration = Duration::from_secs(2);

/// An endpoint under test.
///
/// [`HttpTarget::cleanup`] deletes its database, from any thread, a handler of Ctrl-C among them. Dropping the target does
/// the same.
#[derive(Debug)]
pub struct HttpTarget {
    client: EndpointClient,
    gate: InterruptGate,
    /// Empty containers that wait for a session: on a paid account each costs at least an hour of its throughput.
    pool: Mutex<Vec<ContainerLink>>,
    database: String,
    state: Mutex<DatabaseState>,
    containers: AtomicU64,
    /// How often in a row each batch had an error of the server for an answer; by its body.
    batch_errors: Mutex<BTreeMap<String, u32>>,
    /// The patch operations that the server was tried for, and whether it knows them.
    patch_operations: Mutex<BTreeMap<String, bool>>,
    /// [`HttpTarget::cleanup`] was called, and told its caller what is left.
    gave_up: AtomicBool,
    version: OnceLock<String>,
    /// The control requests that it offers, once the endpoint was asked.
    control: OnceLock<Option<ControlOffer>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DatabaseState {
    Absent,
    /// It was asked for, and the reply was lost.
    Doubtful,
    Created,
}

impl HttpTarget {
    /// Returns a target without a database; the first [`Target::open`] or [`HttpTarget::prepare`] creates it.
    ///
    /// In between there is time to install a handler of Ctrl-C.
    pub fn new(config: HttpConfig) -> Self {
        let seconds =
            (config.date)().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let random = RandomState::new().hash_one(seconds);
        let database = leftovers::database_name(seconds, std::process::id(), random);
        Self {
            client: EndpointClient::new(config),
            gate: InterruptGate::default(),
            pool: Mutex::default(),
            database,
            state: Mutex::new(DatabaseState::Absent),
            containers: AtomicU64::new(0),
            batch_errors: Mutex::default(),
            patch_operations: Mutex::default(),
            gave_up: AtomicBool::new(false),
            version: OnceLock::new(),
            control: OnceLock::new(),
        }
    }

    /// Returns a target with a database, so that a wrong URL or key is known before any vector.
    ///
    /// # Errors
    ///
    /// As [`HttpTarget::prepare`].
    pub fn connect(config: HttpConfig) -> Result<Self, Fault> {
        let target = Self::new(config);
        target.prepare()?;
        Ok(target)
    }

    /// Returns the name of the run's database.
    pub fn database(&self) -> &str {
        &self.database
    }

    /// Creates the database, if it does not exist.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if it cannot be created.
    pub fn prepare(&self) -> Result<(), Fault> {
        let mut state = lock(&self.state);
        self.gate.check()?;
        if *state == DatabaseState::Created {
            return Ok(());
        }
        let answer = match self
            .client
            .send(&wire::create_database(&self.database, self.client.config.throughput)?, &self.gate)
        {
            Ok(answer) => answer,
            // No vector has been begun, so that what cannot be known is nothing but broken here.
            Err(NoResponse { fault: Fault::Unknown(said) | Fault::Broken(said), doubt: true, .. }) => {
                *state = DatabaseState::Doubtful;
                return Err(Fault::Broken(said));
            }
            Err(lost) => return Err(lost.fault),
        };
        match (answer.status, *state) {
            // One that is there already is ours only if it was asked for before.
            (201, _) | (409, DatabaseState::Doubtful) => {
                *state = DatabaseState::Created;
                let control =
                    ControlOffer::is_announced(&answer.headers).then(|| self.ask_for_control()).flatten();
                let _ = self.control.set(control);
                let _ = self.version.set(answer.version.unwrap_or_else(|| "unknown".to_owned()));
                return Ok(());
            }
            (400..500, _) => {}
            _ => *state = DatabaseState::Doubtful,
        }
        Err(answer.noise("having made a database, for which 201 is the answer"))
    }

    /// Ends every wait and every exchange with the target, and stops all requests except those of [`HttpTarget::cleanup`].
    ///
    /// May be called from any thread and more than once. It waits for nothing.
    pub fn interrupt(&self) {
        self.gate.close();
        self.client.shut_down();
    }

    /// Deletes the database with everything in it, and stops all further requests.
    ///
    /// May be called from any thread and more than once; it deletes the database once. It ends within the timeout and the
    /// patience of the configuration together, and within two seconds of an interruption.
    ///
    /// # Errors
    ///
    /// A [`Fault`] that names what is left behind, and the command that deletes it.
    pub fn cleanup(&self) -> Result<(), Fault> {
        let HttpConfig { timeout, patience, .. } = self.client.config;
        let until = match self.gate.closed_at() {
            Some(interrupted) => interrupted.checked_add(HURRY),
            None => now().checked_add(timeout.saturating_add(patience)),
        };
        self.interrupt();
        let mut state = lock(&self.state);
        if *state == DatabaseState::Absent {
            return Ok(());
        }
        self.gave_up.store(true, Ordering::Relaxed);
        let left = |why: String| {
            let (name, base) = (&self.database, &self.client.config.endpoint.base);
            let command = self.cleanup_command(name);
            Fault::Broken(format!(
                "the database {name} is left behind at {base}; to delete it: {command} ({why})"
            ))
        };
        // The gate is closed for everybody else; the time is the only limit here.
        let client = self.client.until(until.unwrap_or_else(now));
        match client.send(&wire::delete_database(&self.database), &InterruptGate::default()) {
            Ok(answer) if matches!(answer.status, 200 | 204 | 404) => {
                *state = DatabaseState::Absent;
                Ok(())
            }
            Ok(answer) => Err(left(format!("answered {}: {}", answer.status, answer.excerpt()))),
            Err(lost) => Err(left(lost.fault.to_string())),
        }
    }

    fn ask_for_control(&self) -> Option<ControlOffer> {
        ControlOffer::read(&self.client.send(&control::offer(), &self.gate).ok()?)
    }

    /// Returns what control requests offer, if the clock can be moved by them.
    fn control(&self) -> Option<&ControlOffer> {
        self.control.get()?.as_ref()
    }

    fn new_container(&self) -> ContainerLink {
        let number = self.containers.fetch_add(1, Ordering::Relaxed);
        ContainerLink::new(&self.database, format!("vector-{number}"))
    }
}

impl Target for HttpTarget {
    fn about(&self) -> About {
        About {
            name: self.client.config.endpoint.name.clone(),
            version: self.version.get().cloned().unwrap_or_else(|| "unknown".to_owned()),
            clock: if self.control().is_some() { Clock::Virtual } else { Clock::Real },
            purges: self.control().is_some_and(ControlOffer::purges),
        }
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        self.prepare()?;
        Ok(Box::new(HttpSession::new(self, self.new_container(), ContainerUse::Single)))
    }

    fn open_reused(&self) -> Result<Box<dyn Session + '_>, Fault> {
        if self.client.config.containers == 0 || self.control().is_some() {
            return self.open();
        }
        self.prepare()?;
        let (container, container_use) = match lock(&self.pool).pop() {
            Some(container) => (container, ContainerUse::Again),
            None => (self.new_container(), ContainerUse::First),
        };
        Ok(Box::new(HttpSession::new(self, container, container_use)))
    }

    fn most_sessions(&self) -> usize {
        match self.client.config.containers {
            0 => usize::MAX,
            containers => containers,
        }
    }

    fn interrupt(&self) {
        Self::interrupt(self);
    }
}

impl Drop for HttpTarget {
    /// Cleans up if [`HttpTarget::cleanup`] was not called; prints what is left behind.
    fn drop(&mut self) {
        if self.gave_up.load(Ordering::Relaxed) {
            return;
        }
        if let Err(fault) = self.cleanup() {
            eprintln!("{fault}");
        }
    }
}
