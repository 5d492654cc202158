//! The user's settings: an endpoint, a key, and how long to wait.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cosmos_ttl_harness::exchange_log::ExchangeLog;
use cosmos_ttl_harness::target::Fault;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::Uri;
use sha2::Sha256;

/// The longest wait of any kind: a clock cannot count every duration.
const LONGEST: Duration = Duration::from_secs(86_400);

/// How many containers are used again at an endpoint that is not on loopback.
const CONTAINERS: usize = 10;
/// The bounds of the throughput that a database shares among its containers, in request units per second.
const LEAST_THROUGHPUT: u32 = 400;
const MOST_THROUGHPUT: u32 = 1_000_000;

/// How to reach an endpoint.
#[derive(Clone, Debug)]
pub struct HttpConfig {
    pub(super) endpoint: Endpoint,
    pub(super) key: AccountKey,
    pub(super) timeout: Duration,
    pub(super) patience: Duration,
    pub(super) throughput: Option<u32>,
    pub(super) containers: usize,
    pub(super) date: fn() -> SystemTime,
    pub(super) log: Option<Arc<ExchangeLog>>,
}

impl HttpConfig {
    /// Takes the URL of an endpoint, `http://localhost:8081` for example, and its key.
    ///
    /// On loopback the key may be left out; then it is the key of every emulator.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`] if the URL cannot be used, or a key is missing. The fault repeats neither: a connection string
    /// pasted in place of the URL has a key inside.
    pub fn new(url: &str, key: Option<AccountKey>) -> Result<Self, Fault> {
        let endpoint = Endpoint::parse(url)?;
        let key = match key {
            Some(key) => key,
            None if endpoint.loopback => AccountKey::emulator()?,
            None => {
                let name = &endpoint.name;
                let why = format!("{name} is not on loopback, so it needs the key of its account");
                return Err(Fault::Misuse(why));
            }
        };
        let containers = if endpoint.loopback { 0 } else { CONTAINERS };
        Ok(Self {
            endpoint,
            key,
            throughput: None,
            containers,
            timeout: Duration::from_secs(10),
            patience: Duration::from_secs(30),
            date: machine_clock,
            log: None,
        })
    }

    /// Sets how long one request may take, from the first byte sent to the last one received; by default 10 seconds.
    ///
    /// The value is limited to the range from a millisecond to a day.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout: timeout.clamp(Duration::from_millis(1), LONGEST), ..self }
    }

    /// Sets how long to wait in all for a target that is busy or not available; by default 30 seconds, at most a day.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience: patience.min(LONGEST), ..self }
    }

    /// Sets the throughput of the run's database, in request units per second; all its containers share it.
    ///
    /// By default none is asked for: an emulator needs none, and a serverless account refuses it. On an account with
    /// provisioned throughput each container then has its own, which costs more.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`] if it is not a multiple of 100 from 400 to 1,000,000, as the service demands.
    pub fn with_throughput(self, units: u32) -> Result<Self, Fault> {
        if !(LEAST_THROUGHPUT..=MOST_THROUGHPUT).contains(&units) || !units.is_multiple_of(100) {
            return Err(Fault::Misuse(format!(
                "a throughput of {units} request units per second; a database takes a multiple of 100 from \
                 {LEAST_THROUGHPUT} to {MOST_THROUGHPUT}"
            )));
        }
        Ok(Self { throughput: Some(units), ..self })
    }

    /// Sets how many containers are used again for one vector after another; 0 creates a new one for each vector.
    ///
    /// By default 0 on loopback and 10 elsewhere, where each container costs something. With a pool no more sessions
    /// than containers are open at the same time, so a run lasts longer.
    #[must_use]
    pub fn with_containers(self, containers: usize) -> Self {
        Self { containers, ..self }
    }

    /// Returns how many containers are used again; 0 if each vector has a new one.
    pub fn containers(&self) -> usize {
        self.containers
    }

    /// Returns whether the endpoint is on this machine, where nothing costs anything.
    pub fn is_loopback(&self) -> bool {
        self.endpoint.loopback
    }

    /// Sets where each exchange is recorded, without key and signature; by default nowhere.
    #[must_use]
    pub fn with_log(self, log: Option<Arc<ExchangeLog>>) -> Self {
        Self { log, ..self }
    }

    /// Sets the source of the date of a request, which the service checks; by default the machine's clock.
    #[must_use]
    pub fn with_date(self, date: fn() -> SystemTime) -> Self {
        Self { date, ..self }
    }
}

/// Returns this machine's time.
#[expect(clippy::disallowed_methods, reason = "a signed request carries its date, which the service checks")]
pub fn machine_clock() -> SystemTime {
    SystemTime::now()
}

/// A scheme, a host and a port; nothing else of a URL means anything here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Endpoint {
    /// `http://host:port`
    pub(super) base: String,
    /// `host:port`
    pub(super) name: String,
    pub(super) loopback: bool,
}

impl Endpoint {
    fn parse(url: &str) -> Result<Self, Fault> {
        let refused = |why: &str| {
            Fault::Misuse(format!(
                "the url {why}; give http://HOST:PORT or https://HOST:PORT and nothing behind it"
            ))
        };
        let uri: Uri = url.trim().parse().map_err(|_| refused("cannot be read"))?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(refused("has no scheme or no host"));
        };
        let default_port = match scheme {
            "http" => 80,
            "https" if cfg!(feature = "tls") => 443,
            "https" => {
                return Err(Fault::Misuse(
                    "this build speaks http only; for https build it with `--features tls`".to_owned(),
                ));
            }
            _ => return Err(refused("has a scheme that is neither http nor https")),
        };
        if authority.as_str().contains('@') {
            return Err(refused("has credentials in it"));
        }
        if !matches!(uri.path(), "" | "/") || uri.query().is_some() || url.contains('#') {
            return Err(refused("has a path, a query or a fragment"));
        }
        let host = authority.host();
        let port = match (authority.port_u16(), authority.as_str() == host) {
            (Some(port), _) => port,
            (None, true) => default_port,
            (None, false) => return Err(refused("has a port that is no number up to 65535")),
        };
        if host.is_empty() {
            return Err(refused("has no host"));
        }
        // The parser takes more, and messages name the host: it could be a connection string with a key.
        if !host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']'))
        {
            return Err(refused("has a host that is no name and no address"));
        }
        let name = format!("{host}:{port}");
        Ok(Self { base: format!("{scheme}://{name}"), loopback: is_loopback(host), name })
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || bare.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

/// The key of every emulator. Microsoft publishes it, so it protects nothing.
const EMULATOR: &str =
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

/// The key of an account. It is never sent, and never shown: not by `Debug`, and not in an error.
#[derive(Clone)]
pub struct AccountKey {
    mac: Hmac<Sha256>,
    /// As base64, to be hidden where a server writes it.
    secret: String,
}

impl AccountKey {
    /// Reads a key as the portal shows it; spaces around it are ignored.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`] if it is not base64 text; the fault does not repeat the text.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let refused = |why| {
            Fault::Misuse(format!(
                "the key {why}; it must be base64 text, as the account or the emulator shows it"
            ))
        };
        let bytes = STANDARD.decode(text.trim()).map_err(|_| refused("is not base64"))?;
        if bytes.is_empty() {
            return Err(refused("is empty"));
        }
        let mac = Hmac::new_from_slice(&bytes).map_err(|_| refused("has a length that cannot be used"))?;
        Ok(Self { mac, secret: STANDARD.encode(&bytes) })
    }

    /// Returns the key of every emulator.
    ///
    /// # Errors
    ///
    /// None in practice; the type is that of [`AccountKey::parse`].
    pub fn emulator() -> Result<Self, Fault> {
        Self::parse(EMULATOR)
    }

    /// Whether it is the key of every emulator, which is public.
    pub(super) fn is_emulator(&self) -> bool {
        self.secret == EMULATOR
    }

    /// Returns the key as base64, which must stay inside this crate.
    pub(super) fn secret(&self) -> &str {
        &self.secret
    }

    /// Returns the signature of a request with this verb, type of resource, link and date.
    pub(super) fn signature(&self, verb: &str, kind: &str, link: &str, date: &str) -> String {
        let text =
            format!("{}\n{}\n{link}\n{}\n\n", verb.to_lowercase(), kind.to_lowercase(), date.to_lowercase());
        STANDARD.encode(self.mac.clone().chain_update(text).finalize().into_bytes())
    }
}

/// Returns the `authorization` header with this signature.
pub(super) fn authorization(signature: &str) -> String {
    percent_encode(&format!("type=master&ver=1.0&sig={signature}"))
}

impl fmt::Debug for AccountKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(not shown)")
    }
}

/// Writes everything but letters, digits and `-._~` as `%XX`: safe in a header and as one segment of a path.
pub(super) fn percent_encode(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}
