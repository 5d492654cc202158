//! Signed requests, in process.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cosmos_ttl_server::{ClockKind, CosmosEndpoint, EndpointConfig, RestAnswer, RestRequest};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::Value;
use sha2::Sha256;
use std::time::{Duration, SystemTime};

const KEY: &str = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";
/// The time of the machine in these tests.
pub(crate) const DATE: &str = "Thu, 01 Jan 2026 00:00:00 GMT";

pub(crate) fn machine_clock() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_767_225_600)
}

/// Returns an endpoint whose machine always shows the same time.
pub(crate) fn endpoint(config: EndpointConfig) -> CosmosEndpoint {
    CosmosEndpoint::new(EndpointConfig { clock: ClockKind::Virtual, machine_clock, ..config })
}

pub(crate) fn authorization(verb: &str, kind: &str, link: &str, date: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(&STANDARD.decode(KEY).unwrap()).unwrap();
    mac.update(format!("{}\n{kind}\n{link}\n{}\n\n", verb.to_lowercase(), date.to_lowercase()).as_bytes());
    let signature = STANDARD.encode(mac.finalize().into_bytes());
    let encoded = signature.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
    format!("type%3Dmaster%26ver%3D1.0%26sig%3D{encoded}")
}

/// Returns a request with the headers that its path demands.
pub(crate) fn request(verb: &str, path: &str, headers: &[(&str, &str)], body: &str) -> RestRequest {
    let parts: Vec<_> = path.split('/').filter(|part| !part.is_empty()).collect();
    let kind = parts.iter().step_by(2).next_back().copied().unwrap_or("");
    let (kind, signed) = if kind == "operations" { ("partitionkey", 4) } else { (kind, parts.len() / 2 * 2) };
    let link = parts[..signed].join("/");
    let mut request = RestRequest {
        verb: verb.into(),
        path: path.into(),
        body: body.as_bytes().to_vec(),
        ..RestRequest::default()
    };
    request.headers.insert("x-ms-date".into(), DATE.into());
    request.headers.insert("authorization".into(), authorization(verb, kind, &link, DATE));
    request.headers.extend(headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    request
}

/// An endpoint with one container, and short ways to ask it.
pub(crate) struct Shop(pub(crate) CosmosEndpoint);

impl Shop {
    /// Creates the container `dbs/d/colls/c` with these further properties, JSON text that begins with a comma.
    pub(crate) fn open(config: EndpointConfig, settings: &str) -> Self {
        let shop = Self(endpoint(config));
        assert_eq!(shop.ask("POST", "/dbs", &[], r#"{"id":"d"}"#).status, 201);
        let body = format!(r#"{{"id":"c","partitionKey":{{"paths":["/pk"],"kind":"Hash"}}{settings}}}"#);
        assert_eq!(shop.ask("POST", "/dbs/d/colls", &[], &body).status, 201);
        shop
    }

    pub(crate) fn ask(&self, verb: &str, path: &str, headers: &[(&str, &str)], body: &str) -> RestAnswer {
        self.0.ask(&request(verb, path, headers, body))
    }

    /// Asks about the items, as of the partition `p`.
    pub(crate) fn items(&self, verb: &str, id: &str, headers: &[(&str, &str)], body: &str) -> RestAnswer {
        let headers = [&[("x-ms-documentdb-partitionkey", "[\"p\"]")], headers].concat();
        self.ask(verb, format!("/dbs/d/colls/c/docs/{id}").trim_end_matches('/'), &headers, body)
    }

    pub(crate) fn query(&self, sql: &str, headers: &[(&str, &str)]) -> RestAnswer {
        self.query_with(sql, &Value::Null, headers)
    }

    pub(crate) fn query_with(&self, sql: &str, parameters: &Value, headers: &[(&str, &str)]) -> RestAnswer {
        let headers = [&[("x-ms-documentdb-isquery", "True")], headers].concat();
        let body = serde_json::json!({ "query": sql, "parameters": parameters }).to_string();
        self.ask("POST", "/dbs/d/colls/c/docs", &headers, &body)
    }

    /// Plays a story as `stories.txt` describes it.
    #[track_caller]
    pub(crate) fn play(&self, title: &str, story: &str) {
        let (mut etag, mut page) = (String::new(), String::new());
        for line in story.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let mut told = line.replace("{etag}", &etag).replace("{page}", &page);
            for bytes in [3_000, 3_500, 4_000, 5_000, 1_500_000] {
                told = told.replace(&format!("{{{bytes} bytes}}"), &"x".repeat(bytes));
            }
            let (asked, expected) = told.split_once(" -> ").unwrap();
            let (verb, asked) = asked.split_once(' ').unwrap();
            let (path, asked) = asked.split_once(' ').unwrap_or((asked, ""));
            let (headers, body) =
                asked.strip_prefix('<').map_or(("", asked), |rest| rest.split_once('>').unwrap());
            let headers = headers.split("; ").filter_map(|header| header.split_once(": "));
            let mut all = vec![("x-ms-documentdb-partitionkey", "[\"p\"]")];
            all.extend(headers);
            let answer = match path.strip_prefix("/_ttl") {
                Some(control) => self.control(verb, control),
                None if path.starts_with('/') => self.ask(verb, path, &all, body.trim_start()),
                None => self.ask(verb, &format!("/dbs/d/colls/c/{path}"), &all, body.trim_start()),
            };
            let (status, says) = expected.split_once(' ').unwrap_or((expected, ""));
            let shown = answer.body.replace("\\\"", "\"");
            let whole = format!("{title}: {line}: {}", shown.get(..1_000).unwrap_or(&shown));
            assert_eq!(answer.status.to_string(), status, "{whole}");
            match says.strip_prefix("ids ") {
                Some(ids) => assert_eq!(ids_of(&answer), ids, "{whole}"),
                None => assert!(shown.contains(says), "{whole}"),
            }
            answer.header("etag").unwrap_or(&etag.clone()).clone_into(&mut etag);
            answer.header("x-ms-continuation").unwrap_or("none").clone_into(&mut page);
        }
    }

    pub(crate) fn control(&self, verb: &str, path: &str) -> RestAnswer {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        self.0.ask(&RestRequest {
            verb: verb.into(),
            path: format!("/_ttl{path}"),
            query: query.into(),
            ..RestRequest::default()
        })
    }
}

pub(crate) fn json(answer: &RestAnswer) -> Value {
    serde_json::from_str(&answer.body).unwrap()
}

/// The ids of everything that an answer lists.
pub(crate) fn ids_of(answer: &RestAnswer) -> String {
    let body = json(answer);
    let lists =
        ["Documents", "Databases", "DocumentCollections"].iter().filter_map(|kind| body[kind].as_array());
    let ids: Vec<_> = lists.flatten().map(|entry| entry["id"].as_str().unwrap()).collect();
    ids.join(" ")
}

#[track_caller]
pub(crate) fn check_refused(answer: &RestAnswer, status: u16, says: &str) {
    assert_eq!(answer.status, status, "{}", answer.body);
    let message = json(answer)["message"].as_str().unwrap().to_owned();
    assert!(message.contains(says), "{message}");
}
