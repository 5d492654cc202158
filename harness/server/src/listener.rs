//! The sockets, and their limits: connections, requests, time, bytes. What is too much is refused in words.

use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::timeout;
use tokio_io_timeout::TimeoutStream;

use crate::answer::{RestAnswer, RestRefusal};
use crate::endpoint::CosmosEndpoint;
use crate::rest::RestRequest;

/// The limits of one client, and of all together.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many connections may be open at the same time.
    pub connections: usize,
    /// How many requests may be on their way at the same time, from their heads to the last bytes of their answers.
    pub requests: usize,
    /// How long the head of a request may take, also between two requests of a connection.
    pub head: Duration,
    /// How long the body of a request may take, and how long a request waits for others.
    pub body: Duration,
    /// How many bytes a body may have. The service takes 2 MiB.
    pub body_bytes: usize,
    /// How long a client may read nothing of its answer.
    pub answer: Duration,
    /// How long requests may take that are on their way when the server ends.
    pub farewell: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1024,
            requests: 16,
            head: Duration::from_secs(30),
            body: Duration::from_secs(10),
            body_bytes: 2 * 1024 * 1024 + 64 * 1024,
            answer: Duration::from_secs(30),
            farewell: Duration::from_secs(5),
        }
    }
}

/// The most bytes of the head of a request.
const HEAD_BYTES: usize = 64 * 1024;
/// How many bytes of a refused connection are still read.
const MOST_BYTES_AFTER_REFUSAL: u64 = 64 * 1024;
/// How many bytes of the body of a refused request are still read.
const MOST_BYTES_DROPPED: usize = 32 * 1024 * 1024;
/// How long a refusal may take, until the client closes its side.
const LONGEST_REFUSAL: Duration = Duration::from_secs(1);
/// How many connections beyond the limit are told so at the same time; others are closed without a word.
const REFUSED_AT_ONCE: usize = 1024;

struct SharedServer {
    endpoint: Arc<CosmosEndpoint>,
    limits: Limits,
    requests: Arc<Semaphore>,
}

/// A step that makes a connection of a socket: plain http, or https.
pub trait Handshake: Clone + Send + Sync + 'static {
    /// The connection.
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    /// `http` or `https`.
    const SCHEME: &'static str;

    /// Makes a connection of a socket.
    fn shake(&self, socket: TcpStream) -> impl Future<Output = io::Result<Self::Stream>> + Send;
}

/// Plain http.
#[derive(Clone, Copy, Debug)]
pub struct PlainHttp;

impl Handshake for PlainHttp {
    type Stream = TcpStream;

    const SCHEME: &'static str = "http";

    async fn shake(&self, socket: TcpStream) -> io::Result<TcpStream> {
        Ok(socket)
    }
}

/// Serves an endpoint until `stop` is ready; then lets requests finish that are on their way.
///
/// # Errors
///
/// None that one connection makes; only those of the listening socket.
pub async fn serve<H: Handshake>(
    listener: TcpListener,
    endpoint: Arc<CosmosEndpoint>,
    limits: Limits,
    handshake: H,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let requests = Arc::new(Semaphore::new(limits.requests));
    let shared = Arc::new(SharedServer { endpoint, limits, requests });
    let router = Router::new().fallback(respond::<H>).with_state(Arc::clone(&shared));
    let places = Arc::new(Semaphore::new(limits.connections));
    let refusals = Arc::new(Semaphore::new(REFUSED_AT_ONCE));
    let (farewell, ending) = watch::channel(false);
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        let Ok((socket, _)) = accepted else {
            // Too many open files, for example: others may close soon.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let _ = socket.set_nodelay(true);
        if let Ok(place) = Arc::clone(&places).try_acquire_owned() {
            let (router, shared, handshake, ending) =
                (router.clone(), Arc::clone(&shared), handshake.clone(), ending.clone());
            tokio::spawn(async move {
                if let Ok(Ok(stream)) = timeout(limits.head, handshake.shake(socket)).await {
                    connection(stream, router, &shared, ending).await;
                }
                drop(place);
            });
        } else if let Ok(place) = Arc::clone(&refusals).try_acquire_owned() {
            let shared = Arc::clone(&shared);
            tokio::spawn(async move {
                let message = format!(
                    "the server has {} open connections, which is its limit; close some, or start it with more --connections",
                    limits.connections
                );
                refuse(socket, &shared, RestRefusal::new(503, message)).await;
                drop(place);
            });
        }
    }
    drop(listener);
    let _ = farewell.send(true);
    drop((ending, router));
    // Each connection holds a place until it ends.
    let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
    let _ = timeout(limits.farewell, places.acquire_many(all)).await;
    Ok(())
}

/// Serves one connection to its end.
async fn connection<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: S,
    router: Router,
    shared: &SharedServer,
    mut ending: watch::Receiver<bool>,
) {
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(shared.limits.answer));
    let mut served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(shared.limits.head)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(Box::pin(stream)), TowerToHyperService::new(router));
    let asked_to_end = async {
        let _ = ending.wait_for(|ending| *ending).await;
    };
    let ended = tokio::select! {
        result = poll_fn(|context| served.poll_without_shutdown(context)) => Some(result),
        () = asked_to_end => None,
    };
    let result = if let Some(result) = ended {
        result
    } else {
        Pin::new(&mut served).graceful_shutdown();
        poll_fn(|context| served.poll_without_shutdown(context)).await
    };
    let parts = served.into_parts();
    let mut stream = parts.io.into_inner();
    match result {
        // A connection that is idle is closed without a word. One that sent half a head is told.
        Err(error) if error.is_timeout() && !parts.read_buf.is_empty() => {
            let message =
                format!("the head of the request took longer than {} s", shared.limits.head.as_secs());
            refuse(stream, shared, RestRefusal::new(408, message)).await;
        }
        // The answer is no frame of HTTP/2, and this tells clients such as `azure_data_cosmos` to ask again with HTTP/1.1.
        Err(error) if error.is_parse_version_h2() => {
            refuse(stream, shared, RestRefusal::new(505, "only HTTP/1.1 is offered")).await;
        }
        _ => {
            let _ = timeout(shared.limits.body, stream.shutdown()).await;
        }
    }
}

/// Writes a refusal to a connection that is closed then.
async fn refuse<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    shared: &SharedServer,
    refusal: RestRefusal,
) {
    let RestAnswer { status, body, .. } = shared.endpoint.finished(refusal.into());
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status} -\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    let _ = timeout(shared.limits.body.min(LONGEST_REFUSAL), async {
        stream.write_all(text.as_bytes()).await?;
        stream.shutdown().await?;
        // A connection that is closed while bytes wait to be read is reset, and its client may never see the answer.
        tokio::io::copy(&mut stream.take(MOST_BYTES_AFTER_REFUSAL), &mut tokio::io::sink()).await
    })
    .await;
}

async fn respond<H: Handshake>(
    State(shared): State<Arc<SharedServer>>,
    request: Request<Body>,
) -> Response<Body> {
    let (head, body) = request.into_parts();
    let headers = head
        .headers
        .iter()
        .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())));
    let mut asked = RestRequest {
        verb: head.method.as_str().to_owned(),
        path: head.uri.path().to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        headers: headers.collect(),
        body: Vec::new(),
    };
    asked.headers.insert("x-cosmos-ttl-scheme".into(), H::SCHEME.into());
    let (answer, place) = answered(&shared, &mut asked, body).await;
    written(answer, place)
}

/// Answers a request, and returns with the answer its place among the requests on their way.
async fn answered(
    shared: &SharedServer,
    asked: &mut RestRequest,
    mut body: Body,
) -> (RestAnswer, Option<OwnedSemaphorePermit>) {
    let result = async {
        let admitted = shared.endpoint.admit(asked)?;
        let length = asked.header("content-length").and_then(|length| length.parse::<usize>().ok());
        if length.is_some_and(|length| length > shared.limits.body_bytes) {
            return Err(too_large(shared));
        }
        let place = timeout(shared.limits.body, Arc::clone(&shared.requests).acquire_owned()).await;
        let place = place.ok().and_then(Result::ok).ok_or_else(|| {
            let message = format!(
                "{} requests are on their way, which is the limit: bodies that do not come, or answers that their clients do not \
                 read; try again",
                shared.limits.requests
            );
            RestRefusal::new(503, message)
        })?;
        asked.body = read(shared, &mut body).await?;
        Ok((admitted, place))
    };
    match result.await {
        Ok((admitted, place)) => (shared.endpoint.answer(&admitted, asked), Some(place)),
        Err(refusal) => {
            // This client waits until it is told to send the body.
            if asked.header("expect").is_none() {
                drain(shared, body).await;
            }
            (shared.endpoint.finished(refusal.into()), None)
        }
    }
}

/// Drops the body of a refused request, within limits. Many clients write all of it before they read, and would see a broken
/// connection in place of the refusal.
async fn drain(shared: &SharedServer, body: Body) {
    let mut body = Limited::new(body, MOST_BYTES_DROPPED);
    let all = async { while let Some(Ok(_)) = body.frame().await {} };
    let _ = timeout(shared.limits.body.min(LONGEST_REFUSAL), all).await;
}

fn too_large(shared: &SharedServer) -> RestRefusal {
    let bytes = shared.limits.body_bytes;
    RestRefusal::new(413, format!("the body has more than {bytes} bytes, which is the limit"))
}

/// Reads a body within its limits.
async fn read(shared: &SharedServer, body: &mut Body) -> Result<Vec<u8>, RestRefusal> {
    match timeout(shared.limits.body, Limited::new(body, shared.limits.body_bytes).collect()).await {
        Err(_) => {
            let message = format!("the body took longer than {} s", shared.limits.body.as_secs());
            Err(RestRefusal::new(408, message))
        }
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large(shared)),
        Ok(Err(_)) => Err(RestRefusal::bad("the body ended before its length")),
        Ok(Ok(body)) => Ok(body.to_bytes().to_vec()),
    }
}

/// The body of an answer, which keeps its place until the last byte is written or the connection ends.
struct AnswerBytes {
    text: String,
    _place: Option<OwnedSemaphorePermit>,
}

impl AsRef<[u8]> for AnswerBytes {
    fn as_ref(&self) -> &[u8] {
        self.text.as_bytes()
    }
}

fn written(answer: RestAnswer, place: Option<OwnedSemaphorePermit>) -> Response<Body> {
    // A body that was not read would be taken for the next request.
    let close = place.is_none();
    let bytes = Bytes::from_owner(AnswerBytes { text: answer.body, _place: place });
    let mut response = Response::new(Body::from(bytes));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    for (name, value) in answer.headers {
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(name, value);
        }
    }
    headers.insert("content-type", HeaderValue::from_static("application/json"));
    if close {
        headers.insert("connection", HeaderValue::from_static("close"));
    }
    response
}

/// Opens the listening socket.
///
/// # Errors
///
/// A sentence that names the address.
pub async fn listen(address: SocketAddr) -> Result<TcpListener, String> {
    TcpListener::bind(address).await.map_err(|error| {
        format!("nothing can listen at {address}: {error}; choose another address with --listen, or port 0 for a free one")
    })
}
