//! An endpoint over HTTP on loopback: the REST protocol of Azure Cosmos DB in front of any target whose clock can be moved.
//!
//! Its clock is this machine's. A test may answer a request itself, and look at what was created.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, SystemTime};

use cosmos_ttl_harness::target::{
    Body, Container, DEFAULT_PARTITION, Document, Indexing, Operation, PageRequest, Patch, Properties,
    Request, RequestOptions, Response, Status, Target,
};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::store::{ModelStore, Store};

/// A request as it came in.
#[derive(Clone, Debug)]
pub struct Asked {
    /// `VERB /path`
    pub line: String,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

/// A status and a body.
pub type Answer = (u16, String);

type Intercept = dyn Fn(&Asked) -> Option<Answer> + Send + Sync;

/// The databases that exist, and those that existed.
#[derive(Default)]
struct Databases {
    containers: BTreeMap<String, BTreeMap<String, Arc<Mutex<ModelStore>>>>,
    /// Requests, databases and containers that were created, and containers at the same time.
    asked: Vec<Asked>,
    created: usize,
    most: usize,
}

struct Shared {
    target: &'static (dyn Target + Send + Sync),
    intercept: Box<Intercept>,
    databases: Mutex<Databases>,
    over: AtomicBool,
    latency: Duration,
}

/// Listens until it is dropped.
pub struct Endpoint {
    address: String,
    shared: Arc<Shared>,
}

impl Endpoint {
    /// Serves this target. A request is answered as the test says, and by the target where the test says nothing.
    pub fn new(
        target: impl Target + Send + 'static,
        latency: Duration,
        intercept: impl Fn(&Asked) -> Option<Answer> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let shared = Arc::new(Shared {
            // A session borrows its target, and this one ends with the test program.
            target: Box::leak(Box::new(target)),
            intercept: Box::new(intercept),
            databases: Mutex::default(),
            over: AtomicBool::new(false),
            latency,
        });
        let inside = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().take_while(|_| !inside.over.load(Ordering::SeqCst)) {
                let shared = Arc::clone(&inside);
                thread::spawn(move || shared.serve(&stream.unwrap()));
            }
        });
        Self { address, shared }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Adds an empty database.
    pub fn add_database(&self, name: &str) {
        self.shared.databases.lock().unwrap().containers.insert(name.into(), BTreeMap::new());
    }

    /// Lists the databases.
    pub fn databases(&self) -> Vec<String> {
        self.shared.databases.lock().unwrap().containers.keys().cloned().collect()
    }

    /// Returns everything that was asked.
    pub fn asked(&self) -> Vec<Asked> {
        self.shared.databases.lock().unwrap().asked.clone()
    }

    /// Returns how many containers were created, and how many there were at the same time.
    pub fn containers(&self) -> (usize, usize) {
        let databases = self.shared.databases.lock().unwrap();
        (databases.created, databases.most)
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(&self.address);
    }
}

#[expect(clippy::disallowed_methods, reason = "a server has a clock")]
fn now_us() -> i64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    i64::try_from(now.as_micros()).unwrap()
}

impl Shared {
    fn serve(&self, mut stream: &TcpStream) {
        stream.set_nodelay(true).unwrap();
        let mut reader = BufReader::new(stream);
        while let Some(asked) = receive(&mut reader) {
            self.databases.lock().unwrap().asked.push(asked.clone());
            #[expect(clippy::disallowed_methods, reason = "a way that takes time")]
            thread::sleep(self.latency);
            let intercepted = (self.intercept)(&asked).map(|answer| (answer, None));
            let ((status, body), continuation) = intercepted.unwrap_or_else(|| self.answer(&asked));
            let mut length =
                if status == 204 { String::new() } else { format!("content-length: {}\r\n", body.len()) };
            length.extend(continuation.map(|token| format!("x-ms-continuation: {token}\r\n")));
            let text = format!("HTTP/1.1 {status} -\r\ncontent-type: application/json\r\n{length}\r\n{body}");
            if stream.write_all(text.as_bytes()).is_err() {
                return;
            }
        }
    }

    /// Answers, perhaps with a continuation.
    fn answer(&self, asked: &Asked) -> (Answer, Option<String>) {
        let (verb, path) = asked.line.split_once(' ').unwrap();
        let parts: Vec<_> = path.split('/').skip(1).map(percent_decoded).collect();
        let parts: Vec<_> = parts.iter().map(String::as_str).collect();
        let answer = match (verb, parts.as_slice()) {
            ("GET", ["dbs"]) => {
                let databases = self.databases.lock().unwrap();
                let entries: Vec<_> = databases.containers.keys().map(|name| json!({ "id": name })).collect();
                (200, json!({ "Databases": entries, "_count": entries.len() }).to_string())
            }
            ("POST", ["dbs"]) => {
                let name = field(&asked.body, "id");
                self.databases.lock().unwrap().containers.insert(name, BTreeMap::new());
                (201, "{}".into())
            }
            ("DELETE", ["dbs", database]) => {
                gone(self.databases.lock().unwrap().containers.remove(*database).as_ref())
            }
            ("POST", ["dbs", database, "colls"]) => self.create_container(database, asked),
            ("DELETE", ["dbs", database, "colls", name]) => {
                let mut databases = self.databases.lock().unwrap();
                gone(
                    databases
                        .containers
                        .get_mut(*database)
                        .and_then(|containers| containers.remove(*name))
                        .as_ref(),
                )
            }
            (_, ["dbs", database, "colls", name, rest @ ..]) => {
                let databases = self.databases.lock().unwrap();
                let container = databases.containers.get(*database).and_then(|of| of.get(*name)).cloned();
                drop(databases);
                match (container, request(verb, rest, asked)) {
                    (Some(container), Some(request)) => {
                        let response =
                            container.lock().unwrap().ask_with(&request, &options(asked), now_us());
                        let response = response.unwrap();
                        return (respond(&request, &response), response.continuation);
                    }
                    (None, _) => (404, "{}".into()),
                    (_, None) => (405, "{}".into()),
                }
            }
            _ => (405, "{}".into()),
        };
        (answer, None)
    }

    fn create_container(&self, database: &str, asked: &Asked) -> Answer {
        let mut databases = self.databases.lock().unwrap();
        let Databases { containers, created, most, .. } = &mut *databases;
        let name = field(&asked.body, "id");
        let Some(of) = containers.get_mut(database) else { return (404, "{}".into()) };
        if of.contains_key(&name) {
            return (409, "{}".into());
        }
        let mut store = ModelStore::of(self.target);
        let request = Request::CreateContainer(settings(&asked.body));
        let response = store.ask(&request, now_us()).unwrap();
        if response.status.is_success() {
            of.insert(name, Arc::new(Mutex::new(store)));
            *created += 1;
            *most = (*most).max(of.len());
        }
        respond(&request, &response)
    }
}

fn receive(reader: &mut BufReader<&TcpStream>) -> Option<Asked> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let headers = lines.iter().skip(1).filter_map(|line| line.split_once(": "));
    let headers: BTreeMap<_, _> =
        headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
    let mut body = vec![0; headers.get("content-length").map_or(0, |length| length.parse().unwrap())];
    reader.read_exact(&mut body).ok()?;
    let line = lines[0].strip_suffix(" HTTP/1.1")?.to_owned();
    Some(Asked { line, headers, body: String::from_utf8(body).unwrap() })
}

fn gone<T>(there: Option<&T>) -> Answer {
    (if there.is_some() { 204 } else { 404 }, String::new())
}

fn fields(body: &str) -> BTreeMap<String, Box<RawValue>> {
    serde_json::from_str(body).unwrap()
}

fn field(body: &str, name: &str) -> String {
    serde_json::from_str(fields(body)[name].get()).unwrap()
}

fn settings(body: &str) -> Container {
    let fields = fields(body);
    let policy: Value = serde_json::from_str(fields["indexingPolicy"].get()).unwrap();
    let indexing = match policy["indexingMode"].as_str().unwrap() {
        "none" => Indexing::None,
        "lazy" => Indexing::Lazy,
        _ => Indexing::Consistent,
    };
    let default_ttl = fields.get("defaultTtl").map(|ttl| serde_json::from_str(ttl.get()).unwrap());
    Container { default_ttl, indexing }
}

fn document(body: &RawValue) -> Document {
    let mut properties: Properties = serde_json::from_str(body.get()).unwrap();
    properties.remove("pk");
    let id = serde_json::from_str(properties.remove("id").unwrap().as_str()).unwrap();
    Document { id, properties }
}

fn patch(id: &str, body: &RawValue) -> Patch {
    let mut changes = Patch { id: id.into(), set: Properties::new(), remove: Vec::new() };
    let operations: Vec<BTreeMap<String, Box<RawValue>>> =
        serde_json::from_str(fields(body.get())["operations"].get()).unwrap();
    for operation in operations {
        let path: String = serde_json::from_str(operation["path"].get()).unwrap();
        let name = path[1..].replace("~1", "/").replace("~0", "~");
        match operation["op"].get() {
            "\"set\"" => {
                let value = serde_json::from_str(operation["value"].get()).unwrap();
                changes.set.insert(name, value);
            }
            _ => changes.remove.push(name),
        }
    }
    changes
}

/// Reads the partition and the page that are asked for.
fn options(asked: &Asked) -> RequestOptions {
    let header = |name: &str| asked.headers.get(name);
    let keys: Option<Vec<String>> =
        header("x-ms-documentdb-partitionkey").map(|keys| serde_json::from_str(keys).unwrap());
    let partition = keys.map(|keys| keys.concat()).filter(|key| key != DEFAULT_PARTITION);
    let page = header("x-ms-max-item-count").map(|size| PageRequest {
        size: size.parse().unwrap(),
        continuation: header("x-ms-continuation").cloned(),
    });
    RequestOptions { partition, page }
}

fn percent_decoded(segment: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = segment.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = tail.get(..2).filter(|_| *first == b'%');
        let code = code.map(|code| u8::from_str_radix(str::from_utf8(code).unwrap(), 16).unwrap());
        bytes.push(code.unwrap_or(*first));
        rest = &tail[if code.is_some() { 2 } else { 0 }..];
    }
    String::from_utf8(bytes).unwrap()
}

/// Reads the request to a container; `rest` is the path behind its name.
fn request(verb: &str, rest: &[&str], asked: &Asked) -> Option<Request> {
    let is = |name: &str| asked.headers.get(name).is_some_and(|value| value.eq_ignore_ascii_case("true"));
    let etag = asked.headers.get("if-match").cloned();
    let body = || RawValue::from_string(asked.body.clone()).unwrap();
    let item = |operation| Some(Request::Item(operation));
    match (verb, rest) {
        ("PUT", []) => Some(Request::ReplaceContainer(settings(&asked.body))),
        ("GET", ["docs"]) => Some(Request::List),
        ("POST", ["docs"]) if is("x-ms-documentdb-isquery") => {
            Some(if asked.body.contains("COUNT") { Request::Count } else { Request::Query })
        }
        ("POST", ["docs"]) if is("x-ms-cosmos-is-batch-request") => {
            let operations: Vec<BTreeMap<String, Box<RawValue>>> = serde_json::from_str(&asked.body).unwrap();
            Some(Request::Batch(operations.iter().map(operation).collect()))
        }
        ("POST", ["docs"]) if is("x-ms-documentdb-is-upsert") => item(Operation::Upsert(document(&body()))),
        ("POST", ["docs"]) => item(Operation::Create(document(&body()))),
        ("GET", ["docs", id]) => item(Operation::Read((*id).into())),
        ("PUT", ["docs", _]) => item(Operation::Replace(document(&body()), etag)),
        ("PATCH", ["docs", id]) => item(Operation::Patch(patch(id, &body()), etag)),
        ("DELETE", ["docs", id]) => item(Operation::Delete((*id).into(), etag)),
        _ => None,
    }
}

/// Reads one operation of a batch.
fn operation(fields: &BTreeMap<String, Box<RawValue>>) -> Operation {
    let text = |name: &str| fields.get(name).map(|text| serde_json::from_str::<String>(text.get()).unwrap());
    let (id, etag) = (text("id").unwrap_or_default(), text("ifMatch"));
    match text("operationType").unwrap().as_str() {
        "Create" => Operation::Create(document(&fields["resourceBody"])),
        "Upsert" => Operation::Upsert(document(&fields["resourceBody"])),
        "Replace" => Operation::Replace(document(&fields["resourceBody"]), etag),
        "Patch" => Operation::Patch(patch(&id, &fields["resourceBody"]), etag),
        "Read" => Operation::Read(id),
        _ => Operation::Delete(id, etag),
    }
}

fn code(status: Status) -> u16 {
    let known = Status::WORDS.iter().find(|(known, ..)| *known == status).map(|(.., code)| *code);
    known.unwrap_or(if let Status::Other(code) = status { code } else { 500 })
}

fn respond(request: &Request, response: &Response) -> Answer {
    let status = code(response.status);
    let body = match &response.body {
        Body::Item(item) => serde_json::to_string(item).unwrap(),
        Body::Ids(ids) => {
            let entries: Vec<_> = ids.iter().map(|id| json!({ "id": id })).collect();
            json!({ "Documents": entries, "_count": entries.len() }).to_string()
        }
        Body::Count(count) => json!({ "Documents": [count], "_count": 1 }).to_string(),
        Body::Committed(statuses) => {
            let results: Vec<_> =
                statuses.iter().map(|status| json!({ "statusCode": code(*status) })).collect();
            Value::from(results).to_string()
        }
        Body::Aborted { at } => {
            let code = |number| if number == *at { status } else { 424 };
            let results = (0..request.operations().len()).map(|number| json!({ "statusCode": code(number) }));
            return (207, Value::from(results.collect::<Vec<_>>()).to_string());
        }
        Body::Nothing if response.status.is_success() => "{}".into(),
        Body::Nothing => json!({ "message": response.status.word() }).to_string(),
    };
    (status, body)
}
