//! Which endpoint, with which key, and how long to wait for it.

use std::net::IpAddr;
use std::time::{Duration, SystemTime};

use ureq::http::Uri;

use super::key::Key;
use cosmos_ttl_harness::target::Fault;

/// The longest wait of any kind: a clock cannot count every duration.
const LONGEST: Duration = Duration::from_secs(86_400);

/// How to reach an endpoint.
#[derive(Clone, Debug)]
pub struct HttpConfig {
    pub(super) endpoint: Endpoint,
    pub(super) key: Key,
    pub(super) timeout: Duration,
    pub(super) patience: Duration,
    pub(super) prefix: String,
    pub(super) date: fn() -> SystemTime,
}

impl HttpConfig {
    /// An endpoint by its URL, `http://localhost:8081` or the like, and its key.
    ///
    /// On loopback the key may be left out: then it is the one that every emulator has.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`] where the URL is not one that can be used, or a key is missing. Neither is repeated in it: a
    /// connection string pasted in place of the URL has a key inside.
    pub fn new(url: &str, key: Option<Key>) -> Result<Self, Fault> {
        let endpoint = Endpoint::parse(url)?;
        let key = match key {
            Some(key) => key,
            None if endpoint.loopback => Key::emulator()?,
            None => {
                return Err(Fault::Misuse(format!(
                    "{} is not on loopback, so it needs the key of its account",
                    endpoint.name
                )));
            }
        };
        Ok(Self {
            endpoint,
            key,
            timeout: Duration::from_secs(10),
            patience: Duration::from_secs(30),
            prefix: "cosmos-ttl".to_owned(),
            date: now,
        })
    }

    /// How long one request may take, from the first byte sent to the last one received; 10 seconds if not said.
    ///
    /// More than a day is taken as a day, and less than a millisecond as a millisecond.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout: timeout.clamp(Duration::from_millis(1), LONGEST), ..self }
    }

    /// How long in all to wait, as told, for a target that is busy or not available; 30 seconds if not said.
    ///
    /// More than a day is taken as a day.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience: patience.min(LONGEST), ..self }
    }

    /// What the name of the run's database begins with; `cosmos-ttl` if not said.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`] where a database could not have such a name.
    pub fn with_prefix(self, prefix: &str) -> Result<Self, Fault> {
        let fits = |character: char| character.is_ascii_alphanumeric() || character == '-';
        if prefix.is_empty() || prefix.len() > 64 || !prefix.chars().all(fits) {
            return Err(Fault::Misuse(
                "the prefix of the database's name must be 1 to 64 letters, digits and hyphens".to_owned(),
            ));
        }
        Ok(Self { prefix: prefix.to_owned(), ..self })
    }

    /// Where the date of a request comes from; the machine's clock if not said. Whose request is old is refused.
    #[must_use]
    pub fn with_date(self, date: fn() -> SystemTime) -> Self {
        Self { date, ..self }
    }
}

#[expect(clippy::disallowed_methods, reason = "a signed request carries its date, which the service checks")]
fn now() -> SystemTime {
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
        let name = format!("{host}:{port}");
        Ok(Self { base: format!("{scheme}://{name}"), loopback: is_loopback(host), name })
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || bare.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_is_the_schemes_where_none_is_given() {
        let named = |url| Endpoint::parse(url).unwrap().name;
        assert_eq!(named("http://localhost"), "localhost:80");
        assert_eq!(named("http://[::1]:8081/"), "[::1]:8081");
        assert_eq!(named(" HTTP://127.0.0.1:1 "), "127.0.0.1:1");
    }

    #[test]
    fn only_loopback_has_the_emulators_key() {
        for url in ["http://localhost:1", "http://LOCALHOST:1", "http://127.0.0.9:1", "http://[::1]:1"] {
            assert!(HttpConfig::new(url, None).is_ok(), "{url}");
        }
        for url in ["http://localhost.example:1", "http://10.0.0.1:1", "http://127.0.0.1.example:1"] {
            let fault = HttpConfig::new(url, None).unwrap_err();
            assert!(matches!(&fault, Fault::Misuse(said) if said.contains("needs the key")), "{fault}");
            assert!(HttpConfig::new(url, Some(Key::emulator().unwrap())).is_ok(), "{url}");
        }
    }

    #[test]
    fn a_url_that_cannot_be_used_is_refused_without_being_repeated() {
        for url in [
            "",
            "localhost:8081",
            "ftp://localhost",
            "http://me:s3cret@localhost:1",
            "http://localhost:1/dbs/s3cret",
            "http://localhost:1/?key=s3cret",
            "http://localhost:1/#s3cret",
            "http://localhost:65536",
            "http://localhost:",
            "http://:80",
            "AccountEndpoint=https://localhost:8081/;AccountKey=s3cret==;",
            "http://a b",
        ] {
            let fault = HttpConfig::new(url, None).unwrap_err();
            let said = fault.to_string();
            assert!(matches!(fault, Fault::Misuse(_)), "{url}: {said}");
            assert!(said.contains("give http://HOST:PORT") && !said.contains("s3cret"), "{url}: {said}");
        }
    }

    #[test]
    fn https_is_had_with_the_feature_tls() {
        let fault = HttpConfig::new("https://localhost:8081", None).err();
        if cfg!(feature = "tls") {
            assert_eq!(fault, None);
        } else {
            assert!(fault.unwrap().to_string().contains("--features tls"));
        }
    }

    #[test]
    fn no_wait_is_longer_than_a_clock_can_count() {
        let config = HttpConfig::new("http://localhost", None).unwrap();
        let config = config.with_timeout(Duration::MAX).with_patience(Duration::MAX);
        assert_eq!((config.timeout, config.patience), (LONGEST, LONGEST));
        let config = config.with_timeout(Duration::ZERO).with_patience(Duration::ZERO);
        assert_eq!((config.timeout, config.patience), (Duration::from_millis(1), Duration::ZERO));
    }

    #[test]
    fn a_prefix_fits_into_a_name() {
        let config = HttpConfig::new("http://localhost", None).unwrap();
        assert!(config.clone().with_prefix("nightly-7").is_ok());
        for wrong in ["", "a/b", "a b", &"x".repeat(65)] {
            assert!(config.clone().with_prefix(wrong).is_err(), "{wrong}");
        }
    }
}
