//! The command line.

use std::fs::File;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use cosmos_ttl_harness::request_log::LogWriter;
use cosmos_ttl_model::choices::{OpenChoice, Preferences};
use cosmos_ttl_model::throughput::Throughput;

use crate::clock::ClockKind;
use crate::config::EndpointConfig;
use crate::control::CONTROL_REQUESTS;
use crate::item_store::RemovalSchedule;
use crate::listener::Limits;
use crate::logged_items::LoggedFactory;
use crate::metered_items::ModelFactory;
use crate::signature::{EMULATOR_KEY, SigningKey};

/// Serves a Cosmos DB endpoint, in memory, with a clock that a test can turn
///
/// The model decides everything about time to live. This is not a general emulator: to a request that it does not offer the
/// server answers 501, with the reason.
#[derive(Clone, Debug, Parser)]
#[command(name = "cosmos-ttl-server", version)]
pub struct ServerArguments {
    /// Address and port to listen on; port 0 means a free port. The first line of output is the URL
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8081")]
    pub listen: SocketAddr,

    /// Key of the account, in base64. Default: the emulators' public key, which protects nothing
    #[arg(long, env = "COSMOS_TTL_SERVER_KEY", hide_env_values = true, value_name = "KEY", value_parser = SigningKey::parse)]
    pub key: Option<SigningKey>,

    /// The clock of the server
    #[arg(long, value_enum, default_value_t = ClockArgument::Real)]
    pub clock: ClockArgument,

    /// A choice under an open clause, for example `refusal-order=later`; can be given several times
    #[arg(long, value_name = "CLAUSE=VALUE", value_parser = ClauseChoice::parse)]
    pub interpretation: Vec<ClauseChoice>,

    /// How the account pays: `serverless`, or `provisioned=UNITS`, request units per second for each container; `provisioned`
    /// alone means 400
    #[arg(long, value_name = "HOW", default_value = "serverless", value_parser = throughput)]
    pub throughput: Throughput,

    /// When the server removes expired items: `eager` (at once), `by-hand` (when a control request says so) or
    /// `never`
    #[arg(long, value_name = "SCHEDULE", default_value = "eager", value_parser = removal)]
    pub removal: RemovalSchedule,

    /// Limit of the memory for items, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub memory: u32,

    /// Limit of the connections that are open at the same time
    #[arg(long, value_name = "COUNT", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub connections: u32,

    /// Writes what items are asked and answer into this file, a JSON object a line, for `cosmos-ttl judge`; `-` is standard error
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,

    /// Answers control requests, which need no signature, even if the server does not listen on loopback
    #[arg(long)]
    pub allow_remote_control: bool,

    /// PEM file with the certificate chain, for https
    #[cfg(feature = "tls")]
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_certificate: Option<PathBuf>,

    /// PEM file with the private key of the certificate
    #[cfg(feature = "tls")]
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub tls_key: Option<PathBuf>,
}

/// The values of `--clock`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ClockArgument {
    /// This machine's clock
    Real,
    /// A clock that moves only when a control request advances it
    Virtual,
}

fn throughput(text: &str) -> Result<Throughput, String> {
    const DEFAULT_UNITS: u32 = 400;
    let accepted = || {
        "accepted are serverless, provisioned (400 request units per second) and provisioned=UNITS".to_owned()
    };
    match text.split_once('=') {
        None if text == "serverless" => Ok(Throughput::Serverless),
        None if text == "provisioned" => Ok(Throughput::Provisioned(DEFAULT_UNITS)),
        Some(("provisioned", units)) => {
            units.parse().ok().filter(|units| *units > 0).map(Throughput::Provisioned).ok_or_else(accepted)
        }
        _ => Err(accepted()),
    }
}

fn removal(text: &str) -> Result<RemovalSchedule, String> {
    RemovalSchedule::from_word(text).ok_or_else(|| "accepted are never, eager and by-hand".to_owned())
}

impl ServerArguments {
    /// Returns the configuration of the server without its log.
    pub fn endpoint(&self) -> EndpointConfig {
        let (mut preferences, mut removal) = (Preferences::default(), self.removal);
        for choice in &self.interpretation {
            choice.apply(&mut preferences, &mut removal);
        }
        let stores = Box::new(ModelFactory { preferences, throughput: self.throughput });
        EndpointConfig {
            key: Some(self.key.clone().unwrap_or_default()),
            clock: match self.clock {
                ClockArgument::Real => ClockKind::Real,
                ClockArgument::Virtual => ClockKind::Virtual,
            },
            removal,
            control: self.allow_remote_control || self.listen.ip().is_loopback(),
            most_bytes: usize::try_from(self.memory).unwrap_or(1).saturating_mul(1024 * 1024),
            ..EndpointConfig::new(stores)
        }
    }

    /// Opens the log, if there is one.
    ///
    /// # Errors
    ///
    /// A sentence that names the file.
    pub fn logged(&self, config: EndpointConfig) -> Result<EndpointConfig, String> {
        let log = match &self.log {
            None => return Ok(config),
            Some(path) if path.as_os_str() == "-" => LogWriter::new(std::io::stderr()),
            Some(path) => {
                let file = File::create(path);
                LogWriter::new(
                    file.map_err(|error| format!("{} cannot be written: {error}", path.display()))?,
                )
            }
        };
        Ok(EndpointConfig { stores: Box::new(LoggedFactory::new(config.stores, log)), ..config })
    }

    /// Returns what is printed behind the URL: the key, unless it is a secret, and each control request.
    pub fn greeting(&self) -> String {
        let key = match self.key {
            None => format!("key: {EMULATOR_KEY} (the key of every emulator, which is public)"),
            Some(_) => "key: the one that --key or COSMOS_TTL_SERVER_KEY gives (not shown)".to_owned(),
        };
        let controls = if self.endpoint().control { &CONTROL_REQUESTS[..] } else { &[] };
        let controls = controls.iter().map(|(request, effect)| format!("{request}: {effect}"));
        std::iter::once(key).chain(controls).collect::<Vec<_>>().join("\n")
    }

    /// Returns the limits of its sockets.
    pub fn limits(&self) -> Limits {
        let connections = usize::try_from(self.connections).unwrap_or(1);
        Limits { connections, ..Limits::default() }
    }
}

/// A choice that was given on the command line.
#[derive(Clone, Copy, Debug)]
pub struct ClauseChoice {
    choice: OpenChoice,
    yes: bool,
}

impl ClauseChoice {
    /// Reads `CLAUSE=VALUE`.
    ///
    /// # Errors
    ///
    /// A sentence that lists what is accepted.
    pub fn parse(text: &str) -> Result<Self, String> {
        let found = rows().find(|(words, _)| words == text);
        found.map(|(_, choice)| choice).ok_or_else(|| {
            let all = Self::all().collect::<Vec<_>>().join(", ");
            format!("not a choice of an open clause; accepted are {all}")
        })
    }

    /// Lists every choice, as [`ClauseChoice::parse`] reads it.
    pub fn all() -> impl Iterator<Item = String> {
        rows().map(|(words, _)| words)
    }

    /// Makes the choice. Whether an expired item comes back follows from when expired items are removed.
    pub fn apply(self, choices: &mut Preferences, removal: &mut RemovalSchedule) {
        *choices = choices.with(self.choice, self.yes);
        if self.choice == OpenChoice::ExpiredIsGone {
            *removal = if self.yes { RemovalSchedule::Eager } else { RemovalSchedule::ByHand };
        }
    }
}

/// Every value of every open clause.
fn rows() -> impl Iterator<Item = (String, ClauseChoice)> {
    OpenChoice::listed().flat_map(|(choice, values)| {
        let row = move |(value, yes)| (format!("{}={value}", choice.clause()), ClauseChoice { choice, yes });
        values.into_iter().zip([false, true]).map(row)
    })
}
