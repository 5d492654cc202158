//! An answer of a REST endpoint: a server on loopback answers requests about items with the text that is tried.
//!
//! The first byte chooses the status, the second the request, and the rest is the body.

#![no_main]

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use cosmos_ttl_harness::target::{
    Container, Document, Indexing, Operation, Request, Target as _,
};
use cosmos_ttl_targets::http::{HttpConfig, HttpTarget};
use libfuzzer_sys::fuzz_target;

const STATUSES: [u16; 10] = [200, 201, 204, 207, 304, 400, 404, 409, 412, 418];

/// The next answer of the server.
static ANSWER: Mutex<(u16, Vec<u8>)> = Mutex::new((200, Vec::new()));

static TARGET: LazyLock<HttpTarget> = LazyLock::new(|| {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap_or_else(|err| panic!("no port: {err}"));
    let url = format!("http://{}", listener.local_addr().unwrap_or_else(|err| panic!("no address: {err}")));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || serve(stream));
        }
    });
    let config = HttpConfig::new(&url, None).unwrap_or_else(|fault| panic!("{fault}"));
    let config = config.with_timeout(Duration::from_secs(5)).with_patience(Duration::ZERO);
    HttpTarget::connect(config).unwrap_or_else(|fault| panic!("{fault}"))
});

/// Answers each request of a connection, until it is closed.
fn serve(stream: TcpStream) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut requests = BufReader::new(stream.try_clone().ok()?);
    loop {
        let (mut first, mut length) = (String::new(), 0);
        requests.read_line(&mut first).ok().filter(|bytes| *bytes > 0)?;
        loop {
            let mut line = String::new();
            requests.read_line(&mut line).ok().filter(|bytes| *bytes > 0)?;
            let line = line.trim().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(bytes) = line.strip_prefix("content-length:") {
                length = bytes.trim().parse().ok()?;
            }
        }
        requests.by_ref().take(length).read_to_end(&mut Vec::new()).ok()?;
        let (status, body) = match first.split(' ').collect::<Vec<_>>()[..] {
            [_, path, _] if path.contains("/docs") => {
                ANSWER.lock().unwrap_or_else(PoisonError::into_inner).clone()
            }
            ["DELETE", ..] => (204, Vec::new()),
            _ => (201, b"{}".to_vec()),
        };
        let head = format!("HTTP/1.1 {status} It\r\ncontent-length: {}\r\n\r\n", body.len());
        let bodiless = matches!(status, 204 | 304);
        let answer = [head.as_bytes(), if bodiless { b"" } else { &body }].concat();
        (&stream).write_all(&answer).ok()?;
        if bodiless && !body.is_empty() {
            return None;
        }
    }
}

fn requests() -> [Request; 7] {
    let id = || "a".to_owned();
    let document = || Document { id: id(), properties: BTreeMap::new() };
    [
        Request::Item(Operation::Read(id())),
        Request::Item(Operation::Create(document())),
        Request::Item(Operation::Delete(id(), None)),
        Request::Query,
        Request::List,
        Request::Count,
        Request::Batch(vec![Operation::Create(document()), Operation::Read(id())]),
    ]
}

fuzz_target!(|input: &[u8]| {
    let [status, request, body @ ..] = input else { return };
    let status = STATUSES[usize::from(*status) % STATUSES.len()];
    *ANSWER.lock().unwrap_or_else(PoisonError::into_inner) = (status, body.to_vec());
    let requests = requests();
    let request = &requests[usize::from(*request) % requests.len()];
    let Ok(mut session) = TARGET.open() else { return };
    let container = Container { default_ttl: None, indexing: Indexing::Consistent };
    let _ = session.send(&Request::CreateContainer(container)).and_then(|_| session.send(request));
});
