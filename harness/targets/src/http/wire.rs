//! Outgoing requests, in the form of the REST reference, with values exactly as they were written.

use std::collections::BTreeMap;

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Container, DEFAULT_PARTITION, Document, Etag, Fault, Indexing, Operation, Patch, PatchOperation,
    Properties, REFUSED_IN_IDS, Request, RequestOptions, Select,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::config::percent_encode;

/// The version of the REST protocol that is spoken.
pub(super) const API_VERSION: &str = "2020-07-15";
/// The property that holds the partition.
pub(super) const PARTITION_KEY: &str = "pk";
const PARTITION_HEADER: &str = "x-ms-documentdb-partitionkey";
const MAX_ITEM_COUNT: &str = "x-ms-max-item-count";
pub(super) const CONTINUATION: &str = "x-ms-continuation";
const THROUGHPUT: &str = "x-ms-offer-throughput";
const CROSS_PARTITION: &str = "x-ms-documentdb-query-enablecrosspartition";

/// A request, unsigned.
#[derive(Debug)]
pub(super) struct HttpRequest {
    pub(super) verb: Method,
    /// The type of resource, which is signed.
    pub(super) kind: &'static str,
    /// The resource's link, which is signed: names as they are.
    pub(super) link: String,
    /// The path: names percent-encoded.
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Box<RawValue>>,
    /// Whether it changes something, so that a lost reply leaves a doubt.
    pub(super) writes: bool,
    /// Whether its answer counts, so that a second one would be another.
    is_step: bool,
}

impl HttpRequest {
    fn new(verb: Method, kind: &'static str, link: &str, path: String) -> Self {
        let writes = verb != Method::GET;
        Self {
            verb,
            kind,
            link: link.to_owned(),
            path,
            headers: HeaderMap::new(),
            body: None,
            writes,
            is_step: false,
        }
    }

    /// Returns a control request, which is about no resource.
    pub(super) fn control(verb: Method, path: String) -> Self {
        Self::new(verb, "", "", path)
    }

    fn header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.insert(name, HeaderValue::from_static(value));
        self
    }

    fn body(self, media: &'static str, value: &impl Serialize) -> Result<Self, Fault> {
        Ok(Self { body: Some(raw_json(value)?), ..self.header("content-type", media) })
    }

    fn json(self, value: &impl Serialize) -> Result<Self, Fault> {
        self.body("application/json", value)
    }

    /// Returns the request as people read it, without key and signature.
    pub(super) fn shown(&self, host: &str) -> String {
        format!("{} {host}{} {}", self.verb, self.path, self.body.as_ref().map_or("", |body| body.get()))
    }

    /// Returns a command line that repeats it with this signature and its date, or variables for them.
    pub(super) fn curl(&self, base: &str, [signature, date]: [&str; 2]) -> String {
        let quoted = |word: &str| format!("'{}'", word.replace('\'', r"'\''"));
        let mut command = format!(
            "curl -i -X {} {} -H \"authorization: {signature}\" -H \"x-ms-date: {date}\" -H 'x-ms-version: {API_VERSION}'",
            self.verb,
            quoted(&format!("{base}{}", self.path)),
        );
        for (name, value) in &self.headers {
            let value = String::from_utf8_lossy(value.as_bytes());
            command.extend([" -H ", &quoted(&format!("{name}: {value}"))]);
        }
        if let Some(body) = &self.body {
            command.extend([" --data-raw ", &quoted(body.get())]);
        }
        command
    }

    /// Returns whether it may be sent again after the first may have taken effect.
    ///
    /// That is what only reads, and what deletes a container or a database at the end.
    pub(super) fn is_repeatable(&self) -> bool {
        !self.writes || (self.verb == Method::DELETE && self.kind != "docs" && !self.is_step)
    }
}

/// Returns the lines of a shell that send these requests to a new container: first one that creates the database, last one that deletes
/// it. In them, `sign` sets `$AUTHORIZATION` and `$DATE`, `answered` takes the statuses that are expected, a regular expression, and a
/// command; the database is `$DATABASE`, and an etag `@ETAG@` becomes `$ETAG`.
///
/// # Errors
///
/// [`Fault::Unsupported`] where HTTP has no such request.
pub fn curl_commands(requests: &[(&Request, String)]) -> Result<Vec<String>, Fault> {
    let database = "@DATABASE@";
    let container = ContainerLink::new(database, "c".into());
    let line = |request: HttpRequest, expected: &str| {
        let HttpRequest { verb, kind, link, .. } = &request;
        let command = request.curl("@URL@", ["$AUTHORIZATION", "$DATE"]).replacen("curl -i", "curl -sSi", 1);
        let text = format!("sign {verb} {kind} '{link}'\nanswered '{expected}' {command}");
        // Without an etag nothing is sent: curl leaves out a header without a value.
        [("'@URL@", "\"$URL\"'"), ("@DATABASE@", "'\"$DATABASE\"'"), ("@ETAG@", "'\"${ETAG:?}\"'")]
            .iter()
            .fold(text, |text, (mark, shell)| text.replace(mark, shell))
    };
    let mut lines = vec![line(create_database(database, None)?, "201")];
    for (request, expected) in requests {
        lines.push(line(container.request(request, &RequestOptions::default())?, expected));
    }
    lines.push(line(delete_database(database), "204"));
    Ok(lines)
}

fn raw_json(value: &impl Serialize) -> Result<Box<RawValue>, Fault> {
    to_raw_value(value).map_err(|error| Fault::Misuse(format!("a request that is no JSON: {error}")))
}

/// `POST /dbs`, with the throughput in request units per second that all its containers share
pub(super) fn create_database(name: &str, throughput: Option<u32>) -> Result<HttpRequest, Fault> {
    let mut request = HttpRequest::new(Method::POST, "dbs", "", "/dbs".to_owned());
    request.headers.extend(throughput.map(|units| (HeaderName::from_static(THROUGHPUT), units.into())));
    request.json(&json!({ "id": name }))
}

/// `GET /dbs`
pub(super) fn list_databases() -> HttpRequest {
    HttpRequest::new(Method::GET, "dbs", "", "/dbs".to_owned())
}

/// `DELETE /dbs/D`
pub(super) fn delete_database(name: &str) -> HttpRequest {
    let link = format!("dbs/{name}");
    HttpRequest::new(Method::DELETE, "dbs", &link, format!("/{link}"))
}

/// A container by its names. Both are made by us, of letters, digits and hyphens, so that link and path are alike.
#[derive(Clone, Debug)]
pub(super) struct ContainerLink {
    database: String,
    container: String,
    pub(super) link: String,
}

impl ContainerLink {
    pub(super) fn new(database: &str, container: String) -> Self {
        let link = format!("dbs/{database}/colls/{container}");
        Self { database: format!("dbs/{database}"), container, link }
    }

    /// `DELETE /dbs/D/colls/C`
    pub(super) fn delete(&self) -> HttpRequest {
        self.itself(Method::DELETE)
    }

    pub(super) fn request(&self, request: &Request, options: &RequestOptions) -> Result<HttpRequest, Fault> {
        let partition = options.partition.as_deref().unwrap_or(DEFAULT_PARTITION);
        let mut sent = self.request_in(partition, request)?;
        let conditions = [("if-match", &options.if_match), ("if-none-match", &options.if_none_match)];
        for (name, etag) in conditions {
            sent.headers.extend(
                etag.as_ref()
                    .map(etag_header)
                    .transpose()?
                    .map(|value| (HeaderName::from_static(name), value)),
            );
        }
        if let Some(page) = &options.page {
            sent.headers.insert(MAX_ITEM_COUNT, page.size.get().into());
            if let Some(continuation) = &page.continuation {
                let value = HeaderValue::from_str(continuation).map_err(|_| {
                    let why = "the target returned a continuation that no header can carry back to it";
                    Fault::Broken(why.to_owned())
                })?;
                sent.headers.insert(CONTINUATION, value);
            }
        }
        Ok(sent)
    }

    fn request_in(&self, partition: &str, request: &Request) -> Result<HttpRequest, Fault> {
        match request {
            // `POST /dbs/D/colls`
            Request::CreateContainer(settings) => {
                HttpRequest::new(Method::POST, "colls", &self.database, format!("/{}/colls", self.database))
                    .json(&self.settings(settings))
            }
            // `PUT /dbs/D/colls/C`, the whole body
            Request::ReplaceContainer(settings) => self.itself(Method::PUT).json(&self.settings(settings)),
            Request::Item(operation) => self.operation(partition, operation),
            // `POST /dbs/D/colls/C/docs` as a transactional batch, in the form that Microsoft's clients send
            Request::Batch(operations) => self
                .docs(Method::POST, partition)?
                .header("x-ms-cosmos-is-batch-request", "True")
                .header("x-ms-cosmos-batch-atomic", "True")
                .header("x-ms-cosmos-batch-ordered", "True")
                .header("x-ms-cosmos-batch-continue-on-error", "False")
                .json(
                    &operations
                        .iter()
                        .map(|operation| BatchOperation::new(partition, operation))
                        .collect::<Result<Vec<_>, _>>()?,
                ),
            // `GET` and `DELETE /dbs/D/colls/C`
            Request::ReadContainer => Ok(self.itself(Method::GET)),
            Request::DeleteContainer => Ok(HttpRequest { is_step: true, ..self.delete() }),
            Request::Query => self.query(Some(partition), "SELECT * FROM c", &[]),
            Request::Select(select) => {
                let (sql, parameters) = sql(select);
                self.query((!select.across).then_some(partition), &sql, &parameters)
            }
            // As clients send it, with the partition in its header.
            Request::ReadMany(ids) => {
                let parameters: Vec<Parameter> = ids
                    .iter()
                    .enumerate()
                    .map(|(number, id)| Parameter::new(number, Literal::from(&Value::from(id.as_str()))))
                    .collect();
                let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
                let sql = format!("SELECT * FROM c WHERE c.id IN ({})", names.join(", "));
                self.query(Some(partition), &sql, &parameters)
            }
            // `GET /dbs/D/colls/C/docs`
            Request::List => self.docs(Method::GET, partition),
            Request::Count => self.query(Some(partition), "SELECT VALUE COUNT(1) FROM c", &[]),
            _ => Err(Fault::Unsupported(format!("no `{}` over HTTP", request.word()))),
        }
    }

    /// `POST /dbs/D/colls/C/docs` as a query of one partition, or of all
    fn query(
        &self,
        partition: Option<&str>,
        sql: &str,
        parameters: &[Parameter],
    ) -> Result<HttpRequest, Fault> {
        let docs = match partition {
            Some(partition) => self.docs(Method::POST, partition)?,
            None => self.all_docs(Method::POST),
        };
        let query = docs
            .header("x-ms-documentdb-isquery", "True")
            .header(CROSS_PARTITION, "True")
            .body("application/query+json", &QueryBody { query: sql, parameters })?;
        Ok(HttpRequest { writes: false, ..query })
    }

    /// An operation by itself has the same parts as one of a batch: path, header and body.
    fn operation(&self, partition: &str, operation: &Operation) -> Result<HttpRequest, Fault> {
        let BatchOperation { id, if_match, resource_body, .. } = BatchOperation::new(partition, operation)?;
        let doc = |verb| self.doc(verb, partition, id.unwrap_or_default());
        let mut request = match operation {
            Operation::Create(_) => self.docs(Method::POST, partition)?,
            Operation::Upsert(_) => {
                self.docs(Method::POST, partition)?.header("x-ms-documentdb-is-upsert", "true")
            }
            Operation::Replace(..) => doc(Method::PUT)?,
            Operation::Patch(..) => doc(Method::PATCH)?,
            // A server is known that answers 500 to a missing id without this header, which means nothing here.
            Operation::Read(_) => doc(Method::GET)?.header(CROSS_PARTITION, "True"),
            Operation::Delete(..) => doc(Method::DELETE)?,
        };
        if let Some(etag) = if_match {
            request.headers.insert("if-match", etag_header(etag)?);
        }
        let is_patch = matches!(operation, Operation::Patch(..));
        let media = if is_patch { "application/json_patch+json" } else { "application/json" };
        match resource_body {
            Some(body) => request.body(media, &body),
            None => Ok(request),
        }
    }

    fn itself(&self, verb: Method) -> HttpRequest {
        HttpRequest::new(verb, "colls", &self.link, format!("/{}", self.link))
    }

    fn all_docs(&self, verb: Method) -> HttpRequest {
        HttpRequest::new(verb, "docs", &self.link, format!("/{}/docs", self.link))
    }

    fn docs(&self, verb: Method, partition: &str) -> Result<HttpRequest, Fault> {
        let mut docs = self.all_docs(verb);
        docs.headers.insert(PARTITION_HEADER, partition_header(partition)?);
        Ok(docs)
    }

    fn doc(&self, verb: Method, partition: &str, id: &str) -> Result<HttpRequest, Fault> {
        if matches!(id, "" | "." | "..") {
            let why = format!("the id {id:?} is no segment of a path; give the item another one");
            return Err(Fault::Misuse(why));
        }
        let docs = self.docs(verb, partition)?;
        let path = format!("{}/{}", docs.path, percent_encode(id));
        Ok(HttpRequest { link: format!("{}/docs/{id}", self.link), path, ..docs })
    }

    fn settings<'a>(&'a self, settings: &'a Container) -> SettingsBody<'a> {
        // `automatic` is refused where there is no index.
        let (mode, automatic) = (settings.indexing, settings.indexing != Indexing::None);
        SettingsBody {
            id: &self.container,
            // The same bytes every time, as some servers demand of a replace.
            partition_key: json!({ "kind": "Hash", "paths": [format!("/{PARTITION_KEY}")], "version": 2 }),
            default_ttl: settings.default_ttl.as_ref(),
            indexing_policy: json!({ "automatic": automatic, "indexingMode": mode }),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SettingsBody<'a> {
    id: &'a str,
    partition_key: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    default_ttl: Option<&'a Literal>,
    indexing_policy: Value,
}

/// An item with its properties exactly as they were written: `10.0` stays `10.0`.
#[derive(Serialize)]
struct DocumentBody<'a> {
    id: &'a str,
    pk: &'a str,
    #[serde(flatten)]
    properties: &'a Properties,
}

fn document_body(partition: &str, document: &Document) -> Result<Box<RawValue>, Fault> {
    let Document { id, properties } = document;
    match properties.keys().find(|name| matches!(name.as_str(), "id" | PARTITION_KEY)) {
        Some(name) => Err(Fault::Misuse(format!(
            "this target sets the property `{name}` itself; give the vector's property another name"
        ))),
        None => raw_json(&DocumentBody { id, pk: partition, properties }),
    }
}

/// The partition key as a header carries it: a JSON list, with escapes for everything but ASCII.
fn partition_header(partition: &str) -> Result<HeaderValue, Fault> {
    let json = Value::from(vec![partition]).to_string();
    let escape = |unit: u16| match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii() => char::from(byte).to_string(),
        _ => format!("\\u{unit:04x}"),
    };
    let text: String = json.encode_utf16().map(escape).collect();
    HeaderValue::from_str(&text)
        .map_err(|_| Fault::Misuse(format!("no header can carry the partition key {partition:?}")))
}

fn etag_header(etag: &Etag) -> Result<HeaderValue, Fault> {
    HeaderValue::from_bytes(etag.as_bytes()).map_err(|_| {
        Fault::Broken("the target returned an etag that no header can carry back to it".to_owned())
    })
}

#[derive(Serialize)]
struct QueryBody<'a> {
    query: &'a str,
    parameters: &'a [Parameter],
}

/// A parameter of a query.
#[derive(Serialize)]
struct Parameter {
    name: String,
    value: Literal,
}

impl Parameter {
    fn new(number: usize, value: Literal) -> Self {
        Self { name: format!("@p{number}"), value }
    }
}

/// Returns a query as clients write it.
fn sql(select: &Select) -> (String, Vec<Parameter>) {
    let property = |name: &str| format!("c[{}]", Value::from(name));
    let parameters: Vec<Parameter> = select
        .filter
        .values()
        .enumerate()
        .map(|(number, value)| Parameter::new(number, value.clone()))
        .collect();
    let selected = match &select.values {
        _ if select.count => "VALUE COUNT(1)".to_owned(),
        Some(name) => format!("VALUE {}", property(name)),
        None => "c.id".to_owned(),
    };
    let distinct = if select.distinct && !select.count { "DISTINCT " } else { "" };
    let conditions = select.filter.keys().zip(&parameters);
    let conditions: Vec<String> =
        conditions.map(|(name, parameter)| format!("{} = {}", property(name), parameter.name)).collect();
    let filter = (!conditions.is_empty()).then(|| format!(" WHERE {}", conditions.join(" AND ")));
    let order = select.order_by.as_ref().map(|name| format!(" ORDER BY {}", property(name)));
    let part = (select.offset.is_some() || select.limit.is_some()).then(|| {
        let (offset, limit) = (select.offset.unwrap_or(0), select.limit.unwrap_or(i32::MAX.unsigned_abs()));
        format!(" OFFSET {offset} LIMIT {limit}")
    });
    let rest: String = [filter, order, part].into_iter().flatten().collect();
    let sql = format!("SELECT {distinct}{selected} FROM c{rest}");
    (sql, parameters)
}

/// An operation of a patch as the service reads it.
#[derive(Serialize)]
struct WireChange<'a> {
    op: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Literal>,
}

impl<'a> WireChange<'a> {
    fn new(operation: &'a PatchOperation) -> Self {
        use PatchOperation as P;
        let (op, from, value) = match operation {
            P::Add { value, .. } => ("add", None, Some(value.clone())),
            P::Replace { value, .. } => ("replace", None, Some(value.clone())),
            P::Set { value, .. } => ("set", None, Some(value.clone())),
            P::Remove { .. } => ("remove", None, None),
            P::Incr { value, .. } => ("incr", None, Some((*value).into())),
            P::Move { from, .. } => ("move", Some(from.as_str()), None),
        };
        Self { op, from, path: operation.path(), value }
    }
}

fn patch_body(patch: &Patch) -> Result<Box<RawValue>, Fault> {
    let pointer = |name: &str| format!("/{}", name.replace('~', "~0").replace('/', "~1"));
    let set = patch
        .set
        .iter()
        .map(|(name, value)| PatchOperation::Set { path: pointer(name), value: value.clone() });
    let remove = patch.remove.iter().map(|name| PatchOperation::Remove { path: pointer(name) });
    let all: Vec<_> = set.chain(remove).chain(patch.operations.iter().cloned()).collect();
    let operations: Vec<_> = all.iter().map(WireChange::new).collect();
    raw_json(&BTreeMap::from([("operations", operations)]))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BatchOperation<'a> {
    operation_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    if_match: Option<&'a Etag>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_body: Option<Box<RawValue>>,
}

impl<'a> BatchOperation<'a> {
    fn new(partition: &str, operation: &'a Operation) -> Result<Self, Fault> {
        let body = |document| document_body(partition, document).map(Some);
        let (operation_type, id, etag, body) = match operation {
            Operation::Create(item) => ("Create", None, &None, body(item)?),
            Operation::Upsert(item) => ("Upsert", None, &None, body(item)?),
            Operation::Replace(item, etag) => ("Replace", Some(&item.id), etag, body(item)?),
            Operation::Patch(patch, etag) => ("Patch", Some(&patch.id), etag, Some(patch_body(patch)?)),
            Operation::Read(id) => ("Read", Some(id), &None, None),
            Operation::Delete(id, etag) => ("Delete", Some(id), etag, None),
        };
        if let Some((_, character)) = operation.id().rmatch_indices(REFUSED_IN_IDS).next() {
            return Err(Fault::Unsupported(format!("over HTTP, no id has the character `{character}`")));
        }
        let (id, if_match) = (id.map(String::as_str), etag.as_ref());
        Ok(Self { operation_type, id, if_match, resource_body: body })
    }
}
