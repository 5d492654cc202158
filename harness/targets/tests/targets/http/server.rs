//! A server that answers from a script, over a real socket on loopback, with whatever bytes the script says.

use std::io::{BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, SystemTime};

use cosmos_ttl_harness::target::{Session, Target as _};
use cosmos_ttl_targets::http::{HttpConfig, HttpTarget};
pub(crate) use cosmos_ttl_testing::endpoint::Asked as Seen;
use cosmos_ttl_testing::listener::Listener;

/// The reply of the script.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// A whole answer, after which the connection goes on.
    Answer(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// These bytes; then the connection ends.
    Raw(Vec<u8>),
    /// These bytes, then these others again and again, with a pause between, until the client has gone.
    Endless(Vec<u8>, Vec<u8>, Duration),
    /// Nothing, and the connection stays open.
    Hang,
    /// A whole answer; then the connection is reset, unread, as soon as another request is sent over it.
    ThenReset(Box<Reply>),
}

pub(crate) fn json(status: u16, body: &str) -> Reply {
    Reply::Answer(status, Vec::new(), body.into())
}

pub(crate) fn with(reply: Reply, name: &'static str, value: &str) -> Reply {
    match reply {
        Reply::Answer(status, mut headers, body) => {
            headers.push((name, value.to_owned()));
            Reply::Answer(status, headers, body)
        }
        other => other,
    }
}

type Script = dyn Fn(&Seen) -> Option<Reply> + Send + Sync;

/// Long for loopback, short for a test.
pub(crate) const HASTE: Duration = Duration::from_millis(800);

/// Listens until it is dropped.
pub(crate) struct Server {
    listener: Listener,
    seen: Arc<Mutex<Vec<Seen>>>,
    connections: Arc<AtomicUsize>,
}

impl Server {
    /// Answers as the script says, and as a server in good health where it says nothing.
    pub(crate) fn new(script: impl Fn(&Seen) -> Option<Reply> + Send + Sync + 'static) -> Self {
        let (seen, connections) = (Arc::<Mutex<Vec<Seen>>>::default(), Arc::<AtomicUsize>::default());
        let (sink, counter) = (Arc::clone(&seen), Arc::clone(&connections));
        let listener = Listener::new(move |stream| {
            counter.fetch_add(1, Ordering::SeqCst);
            serve(&stream, &sink, &script);
        });
        Self { listener, seen, connections }
    }

    /// One that has the same reply for every request about items.
    pub(crate) fn items(reply: Reply) -> Self {
        Self::new(move |seen| seen.line.contains("/docs").then(|| reply.clone()))
    }

    /// One that answers the requests that are meant with these replies in turn, the last for ever.
    pub(crate) fn in_turn(
        is_meant: impl Fn(&Seen) -> bool + Send + Sync + 'static,
        replies: Vec<Reply>,
    ) -> Self {
        let turn = AtomicUsize::new(0);
        let next = move || replies[turn.fetch_add(1, Ordering::SeqCst).min(replies.len() - 1)].clone();
        Self::new(move |seen| is_meant(seen).then(&next))
    }

    pub(crate) fn url(&self) -> String {
        self.listener.url()
    }

    /// A target at it, always at the same date.
    pub(crate) fn config(&self) -> HttpConfig {
        HttpConfig::new(&self.url(), None).unwrap().with_patience(Duration::from_millis(200)).with_date(date)
    }

    /// The same in a hurry, for a server that is known to be late.
    pub(crate) fn hasty(&self) -> HttpConfig {
        self.config().with_timeout(HASTE)
    }

    pub(crate) fn target(&self) -> HttpTarget {
        HttpTarget::connect(self.config()).unwrap()
    }

    /// Everything that came in so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn last(&self) -> Seen {
        self.seen().pop().unwrap()
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// How many requests were about items.
    pub(crate) fn about_items(&self) -> usize {
        self.seen().iter().filter(|seen| seen.line.contains("/docs")).count()
    }

    /// How many requests began with this.
    pub(crate) fn count(&self, line: &str) -> usize {
        self.seen().iter().filter(|seen| seen.line.starts_with(line)).count()
    }
}

/// 2026-01-01, the date of the known signature.
pub(crate) fn date() -> SystemTime {
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(1_767_225_600)).unwrap()
}

/// A target that waits as long as any user would.
pub(crate) fn patient(server: &Server) -> HttpTarget {
    HttpTarget::connect(HttpConfig::new(&server.url(), None).unwrap()).unwrap()
}

pub(crate) fn open(target: &HttpTarget) -> Box<dyn Session + '_> {
    target.open().unwrap()
}

/// Fails where it takes longer: nothing may hang.
pub(crate) fn within<T: Send + 'static>(limit: Duration, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, wait) = mpsc::channel();
    let worker = thread::spawn(move || done.send(work()));
    match wait.recv_timeout(limit) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it took longer than {limit:?}"),
        Err(mpsc::RecvTimeoutError::Disconnected) => panic!("it panicked: {:?}", worker.join().err()),
    }
}

fn serve(stream: &TcpStream, sink: &Mutex<Vec<Seen>>, script: &Script) {
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut reader = BufReader::new(stream);
    while let Some(seen) = Seen::receive(&mut reader) {
        sink.lock().unwrap().push(seen.clone());
        let reply = script(&seen).unwrap_or_else(|| healthy(&seen));
        if write(stream, &mut reader, reply).is_none() {
            return;
        }
    }
}

fn write(mut stream: &TcpStream, reader: &mut BufReader<&TcpStream>, reply: Reply) -> Option<()> {
    match reply {
        Reply::Answer(status, headers, body) => {
            let mut head = format!("HTTP/1.1 {status} -\r\n");
            if status != 204 {
                head.extend(["content-length: ", &body.len().to_string(), "\r\n"]);
            }
            for (name, value) in headers {
                head.extend([name, ": ", &value, "\r\n"]);
            }
            let bytes = [head.as_bytes(), b"\r\n", &body].concat();
            stream.write_all(&bytes).ok()
        }
        Reply::Raw(bytes) => stream.write_all(&bytes).ok().and(None),
        Reply::Endless(head, more, pause) => {
            stream.write_all(&head).ok()?;
            while stream.write_all(&more).is_ok() {
                // A wait without a clock: nobody ever rings.
                let (_bell, wait) = mpsc::channel::<()>();
                let _ = wait.recv_timeout(pause);
            }
            None
        }
        Reply::Hang => reader.read(&mut [0]).ok().and(None),
        Reply::ThenReset(reply) => {
            write(stream, reader, *reply)?;
            stream.peek(&mut [0]).ok().and(None)
        }
    }
}

fn healthy(seen: &Seen) -> Reply {
    let (verb, path) = seen.line.split_once(' ').unwrap();
    match (verb, path.split('/').count()) {
        ("DELETE", _) => json(204, ""),
        // /dbs, /dbs/D/colls
        ("POST", 2 | 4) => json(201, "{}"),
        // /dbs/D/colls/C
        ("PUT", 5) => json(200, "{}"),
        ("POST", _) if seen.header("x-ms-documentdb-isquery").is_none() => json(201, ITEM),
        ("PUT" | "PATCH", _) | ("GET", 7) => json(200, ITEM),
        ("GET" | "POST", _) => json(200, r#"{"Documents":[],"_count":0}"#),
        _ => json(400, r#"{"message":"no route"}"#),
    }
}

/// An item as a server returns it.
pub(crate) const ITEM: &str = r#"{"id":"a","pk":"p","ttl":10.0,"value":1,"more":{"x": [1e400]},"_rid":"r","_self":"s","_attachments":"attachments/","_etag":"\"e1\"","_ts":1767225600}"#;
