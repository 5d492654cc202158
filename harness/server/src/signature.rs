//! Who may ask: checks the signature of a request and its date. Written apart from the client in `harness/targets`.

use std::fmt;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::answer::RestRefusal;
use crate::rest::{RestRequest, percent_decode};

/// The key of every emulator. Microsoft publishes it, so it protects nothing.
pub(crate) const EMULATOR_KEY: &str =
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";
/// How far the date of a request may be from this machine's time.
const LARGEST_SKEW: Duration = Duration::from_secs(15 * 60);

/// The key with which requests are signed. It is never shown.
#[derive(Clone)]
pub struct SigningKey(Hmac<Sha256>);

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey(not shown)")
    }
}

impl Default for SigningKey {
    /// Returns the key of every emulator.
    fn default() -> Self {
        Self(mac_of(&STANDARD.decode(EMULATOR_KEY).unwrap_or_default()))
    }
}

impl SigningKey {
    /// Reads a key as base64 text.
    ///
    /// # Errors
    ///
    /// A sentence, which does not repeat the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        match STANDARD.decode(text.trim()) {
            Ok(bytes) if !bytes.is_empty() => Ok(Self(mac_of(&bytes))),
            _ => Err("the key is no base64 text; leave it out to use the key of every emulator".to_owned()),
        }
    }

    /// Checks that a request was signed with this key and near this time.
    ///
    /// # Errors
    ///
    /// 401 if the signature is missing or another one, 403 if the date is too far from this machine's.
    pub fn check(
        &self,
        request: &RestRequest,
        kind: &str,
        link: &str,
        now: SystemTime,
    ) -> Result<(), RestRefusal> {
        let refused = |why: &str| RestRefusal::new(401, why);
        let authorization = request.header("authorization").ok_or_else(|| {
            refused("the header `authorization` is missing; sign the request with the account's key")
        })?;
        let token = percent_decode(authorization).unwrap_or_default();
        let mut parts = token.split('&').filter_map(|part| part.split_once('='));
        let mut part = |name: &str| parts.find(|(known, _)| *known == name).map(|(_, value)| value);
        if part("type") != Some("master") {
            return Err(refused("only `type=master` is offered: sign the request with the account's key"));
        }
        let signature = part("ver").filter(|version| *version == "1.0").and_then(|_| part("sig"));
        let signature = signature.and_then(|text| STANDARD.decode(text).ok());
        let signature = signature
            .ok_or_else(|| refused("the header `authorization` has no signature that can be read"))?;
        let (dated, date) = match (request.header("x-ms-date"), request.header("date")) {
            (Some(date), _) => (date, [date, ""]),
            (None, Some(date)) => (date, ["", date]),
            (None, None) => return Err(refused("the header `x-ms-date` is missing")),
        };
        let [xms, plain] = date.map(str::to_lowercase);
        let verb = request.verb.to_lowercase();
        let text = format!("{verb}\n{kind}\n{link}\n{xms}\n{plain}\n");
        if self.0.clone().chain_update(text).verify_slice(&signature).is_err() {
            return Err(refused(
                "the signature does not match: check that the client has the key of this server (by default the key of every emulator)",
            ));
        }
        let when = httpdate::parse_http_date(dated).map_err(|_| {
            refused("`x-ms-date` is no date as HTTP writes it, such as Thu, 01 Jan 2026 00:00:00 GMT")
        })?;
        let skew = now.duration_since(when).unwrap_or_else(|error| error.duration());
        if skew > LARGEST_SKEW {
            let message = format!(
                "`x-ms-date` is {} s from this machine's time, and at most {} s are accepted: set the client's clock; \
                 a virtual clock of this server does not count here",
                skew.as_secs(),
                LARGEST_SKEW.as_secs()
            );
            return Err(RestRefusal::new(403, message));
        }
        Ok(())
    }
}

fn mac_of(key: &[u8]) -> Hmac<Sha256> {
    #[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
    Hmac::new_from_slice(key).expect("a key of any length")
}
