//! A Cosmos endpoint by URL and key: the service, an emulator, or whatever speaks its REST API.
//!
//! ```no_run
//! use cosmos_ttl_harness::embedded;
//! use cosmos_ttl_harness::realtime::{Options, run_real};
//! use cosmos_ttl_http::{HttpConfig, HttpTarget};
//!
//! let target = HttpTarget::connect(HttpConfig::new("http://127.0.0.1:8081", None)?)?;
//! let suite = embedded()?;
//! let run = run_real(&target, &suite.vectors.iter().collect::<Vec<_>>(), &Options::default())?;
//! target.cleanup()?;
//! println!("{} vectors came to their end", run.results.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules, in reading order: `config` and `key` are what a user gives, `wire` is the format, `client` sends and
//! decides what is an answer at all, `answer` reads it, `session` is one vector's container.
//!
//! One database a run and one container a vector; all items of a vector are in one partition. Time is the endpoint's
//! own. Nothing that goes wrong on the way is ever an answer: `client` has the table.
//!
//! The database's name ends in the time, the process and 64 bits from [`std::hash::RandomState`], which the standard
//! library seeds from the operating system: unique, not secret.

mod config;
mod key;

mod wire;

mod client;

mod answer;
mod session;

mod text;

use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

pub use config::HttpConfig;
pub use key::Key;

use self::client::{Answer, Client, Gate, Lost};
use self::session::HttpSession;
use self::text::excerpt;
use self::wire::Place;
use cosmos_ttl_harness::target::{About, Clock, Edition, Fault, Opening, Session, Target};

/// An endpoint that is tested.
///
/// Its database is deleted by [`HttpTarget::cleanup`], which may be called from any thread, a handler of Ctrl-C among
/// them, or else when the target is dropped.
#[derive(Debug)]
pub struct HttpTarget {
    client: Client,
    gate: Gate,
    database: String,
    state: Mutex<Database>,
    containers: AtomicU64,
    version: OnceLock<String>,
}

/// Whether there is something to delete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Database {
    Absent,
    /// It was asked for, and the reply was lost.
    Doubtful,
    Made,
}

impl HttpTarget {
    /// A target at which nothing has been made yet; the first [`Target::open`] or [`HttpTarget::prepare`] makes the
    /// database. Between the two there is time to install a handler of Ctrl-C.
    pub fn new(config: HttpConfig) -> Self {
        let seconds =
            (config.date)().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let random = RandomState::new().hash_one(seconds);
        let database = format!("{}-{seconds}-{}-{random:016x}", config.prefix, std::process::id());
        Self {
            client: Client::new(config),
            gate: Gate::default(),
            database,
            state: Mutex::new(Database::Absent),
            containers: AtomicU64::new(0),
            version: OnceLock::new(),
        }
    }

    /// A target whose database is there, so that what is wrong with URL or key is known before any vector.
    ///
    /// # Errors
    ///
    /// As [`HttpTarget::prepare`].
    pub fn connect(config: HttpConfig) -> Result<Self, Fault> {
        let target = Self::new(config);
        target.prepare()?;
        Ok(target)
    }

    /// The name of the run's database.
    pub fn database(&self) -> &str {
        &self.database
    }

    /// Makes the database, if it is not there.
    ///
    /// # Errors
    ///
    /// A [`Fault`] where it cannot be made.
    pub fn prepare(&self) -> Result<(), Fault> {
        let mut state = self.lock();
        self.gate.check()?;
        if *state == Database::Made {
            return Ok(());
        }
        let answer = match self.client.send(&wire::create_database(&self.database)?, &self.gate) {
            Ok(answer) => answer,
            // No vector has been begun, so that what cannot be known is nothing but broken here.
            Err(Lost { fault: Fault::Unknown(said) | Fault::Broken(said), doubt: true }) => {
                *state = Database::Doubtful;
                return Err(Fault::Broken(said));
            }
            Err(lost) => return Err(lost.fault),
        };
        match (answer.status, *state) {
            // One that is there already is ours only if it was asked for before.
            (201, _) | (409, Database::Doubtful) => {
                *state = Database::Made;
                let _ = self.version.set(version(&answer));
                return Ok(());
            }
            (400..500, _) => {}
            _ => *state = Database::Doubtful,
        }
        Err(answer.noise("having made a database, for which 201 is the answer"))
    }

    /// Ends every wait for a busy target and lets no further request through but those of [`HttpTarget::cleanup`], which
    /// is still to be called.
    ///
    /// May be called from any thread and more than once; it waits for nothing, not even for a request on its way.
    pub fn interrupt(&self) {
        self.gate.close();
    }

    /// Deletes the database with everything in it, and lets no further request through.
    ///
    /// May be called from any thread and more than once; what succeeded is not done again.
    ///
    /// # Errors
    ///
    /// A [`Fault`] that names what is left behind.
    pub fn cleanup(&self) -> Result<(), Fault> {
        self.gate.close();
        let mut state = self.lock();
        if *state == Database::Absent {
            return Ok(());
        }
        let left = |why: String| {
            Fault::Broken(format!(
                "the database {} is left behind at {}; delete it by hand ({why})",
                self.database,
                self.client.config().endpoint.name
            ))
        };
        // The gate is closed for everybody else, which must not keep us from being patient.
        match self.client.send(&wire::delete_database(&self.database), &Gate::default()) {
            Ok(answer) if matches!(answer.status, 200 | 204 | 404) => {
                *state = Database::Absent;
                Ok(())
            }
            Ok(answer) => Err(left(format!("answered {}: {}", answer.status, answer.excerpt()))),
            Err(lost) => Err(left(lost.fault.to_string())),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Database> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn client(&self) -> &Client {
        &self.client
    }

    fn gate(&self) -> &Gate {
        &self.gate
    }
}

impl Target for HttpTarget {
    fn about(&self) -> About {
        About {
            name: self.client.config().endpoint.name.clone(),
            version: self.version.get().cloned().unwrap_or_else(|| "unknown".to_owned()),
            clock: Clock::Real,
            editions: vec![Edition::Y2024],
            removals: Vec::new(),
        }
    }

    fn open(&self, opening: &Opening) -> Result<Box<dyn Session + '_>, Fault> {
        if *opening != Opening::new(Edition::Y2024, None) {
            return Err(Fault::Misuse(
                "an endpoint has the edition 2024 and its own schedule of removal; ask for nothing else"
                    .to_owned(),
            ));
        }
        self.prepare()?;
        let number = self.containers.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(HttpSession::new(self, Place::new(&self.database, format!("vector-{number}")))))
    }
}

impl Drop for HttpTarget {
    /// Where [`HttpTarget::cleanup`] was not called, or failed: the last chance, and the last one to say so.
    fn drop(&mut self) {
        if let Err(fault) = self.cleanup() {
            eprintln!("{fault}");
        }
    }
}

/// The first header that says something of the server's version.
fn version(answer: &Answer) -> String {
    ["x-ms-serviceversion", "x-ms-gatewayversion", "server"]
        .into_iter()
        .find_map(|name| answer.headers.get(name))
        .map_or_else(|| "unknown".to_owned(), |value| excerpt(value.as_bytes()))
}
