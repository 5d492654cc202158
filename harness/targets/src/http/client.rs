//! One request out, one answer back, or the reason why there is none.
//!
//! A lost request or reply has these consequences:
//!
//! | what happened | fault |
//! |---|---|
//! | refused connection, unknown host | broken; nothing was sent |
//! | no answer in time, half an answer, no HTTP, too large an answer | broken; of a write it is said that it may have happened |
//! | the connection ended before the answer to a write began | unknown: the reply was lost |
//! | the connection ended before or within the answer to what may be repeated | sent once more, over a new connection; then broken |
//! | 500, 502 or 504 to what may be repeated | sent once more, over a new connection; the second is an answer |
//! | 500, 502 or 504 to a write | an answer at once, and never an expected one: the runner replays the vector in a new session |
//! | 429, 449, 410, or 404 with substatus 1002 or 1013 (a replica or a container that is not there yet), for longer than the patience | unknown; none of them has an effect, so writes are repeated too |
//! | 408 or 503 for longer than the patience | unknown |
//! | 408 or 503 to a write | unknown at once: it may have happened, so it is not repeated; a container or a database is deleted again |
//! | 401, 403, 3xx | broken: key, firewall or URL are wrong, which says nothing about time to live |

use std::io;
use std::time::{Duration, Instant, SystemTime};

use cosmos_ttl_harness::plain::visible;
use cosmos_ttl_harness::target::Fault;
use http::header::{AUTHORIZATION, IF_NONE_MATCH, LOCATION};
use http::{HeaderMap, Request, Response};
use ureq::{Agent, Body, Error, Timeout};

use super::config::{Endpoint, HttpConfig, authorization};
use super::interrupt::{InterruptGate, now};
use super::redact::redact;
use super::wire::{API_VERSION, HttpRequest};

const LARGEST_BODY: u64 = 4 * 1024 * 1024;
/// How many times a busy target is asked, which is what Microsoft's clients do by themselves.
const ATTEMPTS: u32 = 10;
/// How long to wait for a connection: two more packets after a lost one, and short enough for a user who presses Ctrl-C.
const CONNECT: Duration = Duration::from_secs(3);
/// How long to wait where a busy target does not say; doubled every time.
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// A connection that was idle for longer is not used again: a server that is about to close it would lose a write.
/// Node's servers keep one for 5 seconds, and most others for longer.
const IDLE: Duration = Duration::from_secs(4);
/// Of a 404: the replica that was asked has not seen what this session has.
const SESSION_NOT_READ: u32 = 1002;
/// Of a 404: the container was made, but is not available here yet.
const CONTAINER_NOT_YET: u32 = 1013;
/// Most connections that are kept open: as many vectors may wait at the same time.
const CONNECTIONS: usize = 1024;

const SHOWN: usize = 300;

/// Returns the beginning of a body or a header as one line, with everything escaped that a terminal would obey.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    // No character is longer than four bytes, so that this is enough to fill the excerpt and see that there is more.
    let head = bytes.get(..SHOWN * 4 + 4).unwrap_or(bytes);
    let text = String::from_utf8_lossy(head);
    let text = text.trim();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => visible(text.get(..end).unwrap_or("")) + "...",
        None => visible(text),
    }
}

#[derive(Debug)]
pub(super) struct HttpResponse {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
    /// The request that it is the response to, for people.
    pub(super) to: String,
    /// The server's version, for people.
    pub(super) version: Option<String>,
}

impl HttpResponse {
    pub(super) fn excerpt(&self) -> String {
        excerpt(&self.body)
    }

    fn substatus(&self) -> Option<u32> {
        self.headers.get("x-ms-substatus")?.to_str().ok()?.trim().parse().ok()
    }

    /// Returns the fault for a response that lacks what it must have.
    pub(super) fn noise(&self, wanted: &str) -> Fault {
        let (to, status, excerpt) = (&self.to, self.status, self.excerpt());
        Fault::Broken(format!("{to}: answered {status} without {wanted}; it says: {excerpt}"))
    }
}

#[derive(Debug)]
pub(super) struct NoResponse {
    pub(super) fault: Fault,
    /// Whether the request may have taken effect.
    pub(super) doubt: bool,
    /// Whether a connection ended, and a new one may do better.
    ended: bool,
}

impl NoResponse {
    /// Returns the absence of a response to a request that may have taken effect, or not.
    pub(super) fn doubting(fault: Fault, doubt: bool) -> Self {
        Self { fault, doubt, ended: false }
    }
}

impl From<NoResponse> for Fault {
    fn from(lost: NoResponse) -> Self {
        lost.fault
    }
}

/// For a request without effect.
impl From<Fault> for NoResponse {
    fn from(fault: Fault) -> Self {
        Self { fault, doubt: false, ended: false }
    }
}

/// Sends to one endpoint, and to no other host.
#[derive(Debug)]
pub(super) struct EndpointClient {
    /// Keeps connections for later requests.
    agent: Agent,
    /// Opens a connection for each request.
    unpooled: Agent,
    pub(super) config: HttpConfig,
    /// No exchange lasts longer than until then.
    until: Option<Instant>,
}

impl EndpointClient {
    pub(super) fn new(config: HttpConfig) -> Self {
        let agent = |connections| {
            let builder = Agent::config_builder()
                .http_status_as_error(false)
                .max_redirects(0)
                .max_redirects_will_error(false)
                // A proxy from the environment would be another host that reads along.
                .proxy(None)
                .timeout_global(Some(config.timeout))
                .timeout_connect(Some(config.timeout.min(CONNECT)))
                .max_idle_age(IDLE)
                .max_idle_connections(connections)
                .max_idle_connections_per_host(connections)
                .user_agent(concat!("cosmos-ttl/", env!("CARGO_PKG_VERSION")))
                .accept("application/json");
            #[cfg(feature = "tls")]
            // Emulators sign their own certificates; on loopback a better one would prove nothing.
            let builder = builder.tls_config(
                ureq::tls::TlsConfig::builder().disable_verification(config.endpoint.loopback).build(),
            );
            builder.build().new_agent()
        };
        Self { agent: agent(CONNECTIONS), unpooled: agent(0), config, until: None }
    }

    /// Returns a client with connections of its own, which ends every exchange by then.
    pub(super) fn until(&self, until: Instant) -> Self {
        Self { until: Some(until), ..Self::new(self.config.clone()) }
    }

    /// Ends every exchange on its way, and all later ones.
    pub(super) fn shut_down(&self) {
        self.agent.clone().shutdown();
        self.unpooled.clone().shutdown();
    }

    /// Sends a request, and repeats it while the target says that it cannot answer now, patience lasts and the gate is open.
    ///
    /// What may be repeated is sent once more, over a new connection, after a connection that ended or an error of the
    /// server: a server may close a connection just when a request is sent over it.
    pub(super) fn send(
        &self,
        request: &HttpRequest,
        gate: &InterruptGate,
    ) -> Result<HttpResponse, NoResponse> {
        let mut patience = self.config.patience;
        let mut backoff = FIRST_WAIT;
        let mut retries = ATTEMPTS - 1;
        let mut agent = &self.agent;
        let mut once_more = request.is_repeatable();
        loop {
            let answer = match self.exchange(agent, request) {
                Err(lost) if once_more && lost.ended => {
                    gate.check()?;
                    (agent, once_more) = (&self.unpooled, false);
                    continue;
                }
                Ok(answer) if once_more && matches!(answer.status, 500 | 502 | 504) => {
                    gate.wait(FIRST_WAIT)?;
                    (agent, once_more) = (&self.unpooled, false);
                    continue;
                }
                answer => answer?,
            };
            let Some(doubt) = doubt_of_excuse(&answer) else { return Ok(answer) };
            let wait = retry_after(&answer.headers).unwrap_or(backoff);
            let may_repeat = retries > 0 && (!doubt || request.is_repeatable());
            let in_time = self.time_left().is_none_or(|left| wait < left);
            let Some(rest) = patience.checked_sub(wait).filter(|_| may_repeat && in_time) else {
                return Err(give_up(&answer, doubt && request.writes));
            };
            patience = rest;
            backoff = backoff.saturating_mul(2);
            retries -= 1;
            gate.wait(wait)?;
        }
    }

    fn time_left(&self) -> Option<Duration> {
        self.until.map(|until| until.saturating_duration_since(now()))
    }

    fn exchange(&self, agent: &Agent, call: &HttpRequest) -> Result<HttpResponse, NoResponse> {
        // `httpdate` knows no earlier date.
        let date = httpdate::fmt_http_date((self.config.date)().max(SystemTime::UNIX_EPOCH));
        let signature = self.config.key.signature(call.verb.as_str(), call.kind, &call.link, &date);
        let Some(log) = &self.config.log else {
            return self.exchange_unrecorded(agent, call, &date, &signature);
        };
        let began_us = log.now_us();
        let answer = self.exchange_unrecorded(agent, call, &date, &signature);
        let received = match &answer {
            // Keys and signatures were hidden before.
            Ok(answer) => format!("{} {}", answer.status, String::from_utf8_lossy(&answer.body)),
            Err(lost) => format!("no answer: {}", lost.fault),
        };
        let Endpoint { base, name, .. } = &self.config.endpoint;
        // The emulators' key is public, and so is what it signs.
        let is_public = self.config.is_loopback() && self.config.key.is_emulator();
        let header = authorization(&signature);
        let signed = if is_public { [header.as_str(), date.as_str()] } else { ["$AUTHORIZATION", "$DATE"] };
        log.exchanged(began_us, &call.shown(name), &received, &call.curl(base, signed));
        answer
    }

    fn exchange_unrecorded(
        &self,
        agent: &Agent,
        call: &HttpRequest,
        date: &str,
        signature: &str,
    ) -> Result<HttpResponse, NoResponse> {
        let to = format!("{} {}{}", call.verb, self.config.endpoint.name, call.path);
        let timeout = self.time_left().map_or(self.config.timeout, |left| left.min(self.config.timeout));
        if timeout.is_zero() {
            return Err(Fault::Broken(format!("{to}: not sent, since there is no time left")).into());
        }
        let secrets = [signature, self.config.key.secret()];
        let lost = |began: bool, error: &Error| no_answer(&to, call.writes, timeout, began, error, &secrets);
        let sent = send_by(agent, call, &self.config.endpoint.base, date, signature, timeout);
        let (parts, body) = sent.map_err(|error| lost(false, &error))?.into_parts();
        let (status, headers) = (parts.status.as_u16(), parts.headers);
        let is_unmodified = status == 304 && call.headers.contains_key(IF_NONE_MATCH);
        if parts.status.is_redirection() && !is_unmodified {
            let place = headers.get(LOCATION).map(|place| redact(place.as_bytes(), &secrets));
            let place = place.map_or_else(String::new, |place| format!(" to {}", excerpt(&place)));
            return Err(Fault::Broken(format!(
                "{to}: answered {status}, a redirect{place}; none is followed, because what is signed is for this host \
                 alone: give the url of the endpoint itself"
            ))
            .into());
        }
        let body = body.into_with_config().limit(LARGEST_BODY).read_to_vec();
        let body = redact(&body.map_err(|error| lost(true, &error))?, &secrets);
        if matches!(status, 401 | 403) {
            let excerpt = excerpt(&body);
            return Err(Fault::Broken(format!(
                "{to}: answered {status}, which is about the key, this machine's clock or a firewall: check the key; \
                 it says: {excerpt}"
            ))
            .into());
        }
        let version = version(&headers, &secrets);
        Ok(HttpResponse { status, headers, body, to, version })
    }
}

fn send_by(
    agent: &Agent,
    call: &HttpRequest,
    base: &str,
    date: &str,
    signature: &str,
    timeout: Duration,
) -> Result<Response<Body>, Error> {
    let mut request = Request::builder()
        .method(call.verb.clone())
        .uri(format!("{base}{}", call.path))
        .header(AUTHORIZATION, authorization(signature))
        .header("x-ms-date", date)
        .header("x-ms-version", API_VERSION);
    for (name, value) in &call.headers {
        request = request.header(name, value);
    }
    let limited = agent.config().timeouts().global != Some(timeout);
    match &call.body {
        Some(body) if limited => agent
            .run(agent.configure_request(request.body(body.get())?).timeout_global(Some(timeout)).build()),
        Some(body) => agent.run(request.body(body.get())?),
        None if limited => {
            agent.run(agent.configure_request(request.body(())?).timeout_global(Some(timeout)).build())
        }
        None => agent.run(request.body(())?),
    }
}

/// Returns the first header that describes the server's version.
fn version(headers: &HeaderMap, secrets: &[&str]) -> Option<String> {
    let names = ["x-ms-serviceversion", "x-ms-gatewayversion", "server"];
    let value = names.into_iter().find_map(|name| headers.get(name))?;
    Some(excerpt(&redact(value.as_bytes(), secrets)))
}

/// Returns whether an answer that says nothing about what was asked leaves a doubt about what was done; `None` of any other.
fn doubt_of_excuse(answer: &HttpResponse) -> Option<bool> {
    match (answer.status, answer.substatus()) {
        // Too much at a time, or not where it was looked for, or not there yet; nothing was done.
        (429 | 449 | 410, _) | (404, Some(SESSION_NOT_READ | CONTAINER_NOT_YET)) => Some(false),
        // It took too long or fell over.
        (408 | 503, _) => Some(true),
        _ => None,
    }
}

/// Returns the fault for a request that is not repeated any more.
fn give_up(answer: &HttpResponse, doubt: bool) -> NoResponse {
    let (HttpResponse { to, status, .. }, excerpt) = (answer, answer.excerpt());
    let code = answer.substatus().map_or(status.to_string(), |substatus| format!("{status}/{substatus}"));
    let fault = Fault::Unknown(match status {
        429 | 449 => format!(
            "{to}: still too busy ({status}) after every retry that it asked for; run fewer vectors at a time, or \
             give it more throughput"
        ),
        _ if doubt => {
            format!("{to}: answered {code}, so that the write may have happened; it says: {excerpt}")
        }
        _ => format!("{to}: still not available ({code}) after every retry; it says: {excerpt}"),
    });
    NoResponse { fault, doubt, ended: false }
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get("x-ms-retry-after-ms")?.to_str().ok()?;
    // Some write it with a fraction.
    let whole = text.trim().split_once('.').map_or(text.trim(), |(whole, _)| whole);
    whole.parse().ok().map(Duration::from_millis)
}

/// Returns why the answer to a request does not come, or not whole; `began` is whether its head came.
fn no_answer(
    to: &str,
    writes: bool,
    timeout: Duration,
    began: bool,
    error: &Error,
    secrets: &[&str],
) -> NoResponse {
    use io::ErrorKind as Kind;
    let unsent = |why: &str| NoResponse::from(Fault::Broken(format!("{to}: {why}")));
    let broken = |why: &str| {
        let doubt = if writes { "; the write may have happened" } else { "" };
        NoResponse { fault: Fault::Broken(format!("{to}: {why}{doubt}")), doubt: writes, ended: false }
    };
    let told = |error: &dyn std::fmt::Display| excerpt(&redact(error.to_string().as_bytes(), secrets));
    match error {
        Error::Timeout(Timeout::Resolve) | Error::HostNotFound if !began => unsent("no such host"),
        Error::Timeout(Timeout::Connect) if !began => {
            unsent(&format!("no connection within {:?}", timeout.min(CONNECT)))
        }
        Error::Timeout(_) => broken(&format!("no whole answer within {timeout:?}")),
        Error::BodyExceedsLimit(_) if began => broken(&format!("more than {LARGEST_BODY} bytes of answer")),
        _ if began => NoResponse { ended: true, ..broken("only half an answer") },
        Error::Io(io) => match io.kind() {
            Kind::ConnectionRefused => unsent("connection refused; nothing listens there"),
            Kind::UnexpectedEof | Kind::ConnectionReset | Kind::ConnectionAborted | Kind::BrokenPipe => {
                let said = format!("{to}: the connection ended before the answer began");
                let fault = if writes { Fault::Unknown(said) } else { Fault::Broken(said) };
                NoResponse { fault, doubt: writes, ended: true }
            }
            _ => broken(&told(io)),
        },
        error => broken(&format!("no HTTP: {}", told(error))),
    }
}
