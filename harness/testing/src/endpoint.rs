//! An endpoint over HTTP on loopback: the project's server in front of any target whose clock can be moved.
//!
//! Its clock is this machine's, or one that control requests turn. A test may answer a request itself, and look at what was
//! created.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::Target;
use cosmos_ttl_server::{ClockKind, CosmosEndpoint, EndpointConfig, RestAnswer, RestRequest};
use serde_json::json;

use crate::listener::Listener;
use crate::target_items::TargetFactory;

/// A request as it came in.
#[derive(Clone, Debug)]
pub struct Asked {
    /// `VERB /path`
    pub line: String,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

impl Asked {
    /// Reads the next request of a connection; `None` if it ended.
    pub fn receive(reader: &mut BufReader<&TcpStream>) -> Option<Self> {
        let mut line = || {
            let mut line = String::new();
            reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
            Some(line.trim_end().to_owned())
        };
        let first = line()?.strip_suffix(" HTTP/1.1").unwrap().to_owned();
        let mut headers = BTreeMap::new();
        while let Some((name, value)) = line()?.split_once(':') {
            headers.insert(name.to_lowercase(), value.trim().to_owned());
        }
        if headers.contains_key("transfer-encoding") {
            // The client sends no content as no chunks.
            assert_eq!((line()?, line()?), ("0".into(), String::new()));
        }
        let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        Some(Self { line: first, headers, body: String::from_utf8(body).unwrap() })
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

/// A status and a body.
pub type Answer = (u16, String);

type Intercept = dyn Fn(&Asked) -> Option<Answer> + Send + Sync;

/// What was asked and created.
#[derive(Default)]
struct Record {
    asked: Vec<Asked>,
    /// The paths of the databases and containers that exist.
    paths: BTreeSet<String>,
    created: usize,
    most: usize,
}

impl Record {
    fn containers(&self) -> usize {
        self.paths.iter().filter(|path| path.contains("/colls/")).count()
    }
}

struct Shared {
    server: CosmosEndpoint,
    intercept: Box<Intercept>,
    record: Mutex<Record>,
    latency: Duration,
}

/// Listens until it is dropped.
pub struct Endpoint {
    listener: Listener,
    shared: Arc<Shared>,
}

impl Endpoint {
    /// Serves this target. A request is answered as the test says, and by the target where the test says nothing.
    pub fn new(
        target: impl Target + 'static,
        latency: Duration,
        intercept: impl Fn(&Asked) -> Option<Answer> + Send + Sync + 'static,
    ) -> Self {
        Self::of(EndpointConfig { control: false, ..config(target) }, latency, intercept)
    }

    /// Serves this target by a clock that control requests turn.
    pub fn turned(target: impl Target + 'static) -> Self {
        let config = EndpointConfig { clock: ClockKind::Virtual, ..config(target) };
        Self::of(config, Duration::ZERO, |_| None)
    }

    fn of(
        config: EndpointConfig,
        latency: Duration,
        intercept: impl Fn(&Asked) -> Option<Answer> + Send + Sync + 'static,
    ) -> Self {
        let shared = Arc::new(Shared {
            server: CosmosEndpoint::new(config),
            intercept: Box::new(intercept),
            record: Mutex::default(),
            latency,
        });
        let inside = Arc::clone(&shared);
        Self { listener: Listener::new(move |stream| inside.serve(&stream)), shared }
    }

    pub fn url(&self) -> String {
        self.listener.url()
    }

    /// Adds an empty database.
    pub fn add_database(&self, name: &str) {
        let (headers, body) = (BTreeMap::new(), json!({ "id": name }).to_string());
        self.shared.answer(&Asked { line: "POST /dbs".into(), headers, body });
    }

    /// Lists the databases.
    pub fn databases(&self) -> Vec<String> {
        let record = self.shared.record.lock().unwrap();
        let names = record.paths.iter().filter_map(|path| path.strip_prefix("/dbs/"));
        names.filter(|name| !name.contains('/')).map(str::to_owned).collect()
    }

    /// Returns everything that was asked.
    pub fn asked(&self) -> Vec<Asked> {
        self.shared.record.lock().unwrap().asked.clone()
    }

    /// Returns how many containers were created, and how many there were at the same time.
    pub fn containers(&self) -> (usize, usize) {
        let record = self.shared.record.lock().unwrap();
        (record.created, record.most)
    }
}

fn config(target: impl Target + 'static) -> EndpointConfig {
    EndpointConfig { key: None, ..EndpointConfig::new(Box::new(TargetFactory::new(target))) }
}

impl Shared {
    fn serve(&self, mut stream: &TcpStream) {
        stream.set_nodelay(true).unwrap();
        let mut reader = BufReader::new(stream);
        while let Some(asked) = Asked::receive(&mut reader) {
            self.record.lock().unwrap().asked.push(asked.clone());
            #[expect(clippy::disallowed_methods, reason = "a way that takes time")]
            thread::sleep(self.latency);
            let intercepted = (self.intercept)(&asked).map(|(status, body)| RestAnswer::new(status, body));
            let RestAnswer { status, headers, body } = intercepted.unwrap_or_else(|| self.answer(&asked));
            let mut head = format!("HTTP/1.1 {status} -\r\ncontent-type: application/json\r\n");
            if status != 204 {
                head.extend(["content-length: ", &body.len().to_string(), "\r\n"]);
            }
            for (name, value) in &headers {
                head.extend([name, ": ", value, "\r\n"]);
            }
            if stream.write_all(format!("{head}\r\n{body}").as_bytes()).is_err() {
                return;
            }
        }
    }

    fn answer(&self, asked: &Asked) -> RestAnswer {
        let (verb, path) = asked.line.split_once(' ').unwrap();
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let answer = self.server.ask(&RestRequest {
            verb: verb.into(),
            path: path.into(),
            query: query.into(),
            headers: asked.headers.clone(),
            body: asked.body.clone().into(),
        });
        let mut record = self.record.lock().unwrap();
        match verb {
            "POST" if answer.status == 201 && (path.ends_with("/dbs") || path.ends_with("/colls")) => {
                // Some numbers are too large for any other type.
                let body: BTreeMap<String, Literal> = serde_json::from_str(&asked.body).unwrap();
                record.paths.insert(format!("{path}/{}", body["id"].as_str().trim_matches('"')));
                record.created += usize::from(path.ends_with("/colls"));
            }
            "DELETE" if answer.status == 204 => {
                let inside = format!("{path}/");
                record.paths.retain(|other| other != path && !other.starts_with(&inside));
            }
            _ => {}
        }
        record.most = record.most.max(record.containers());
        answer
    }
}
