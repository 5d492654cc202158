//! What goes out: every request as the REST reference has it, with values exactly as they were written.

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Container, Document, Etag, Fault, Indexing, Operation, Patch, Properties, Request,
};
use serde::Serialize;
use serde_json::{Value, json};
use ureq::http::{HeaderName, HeaderValue, Method};

use super::config::percent_encode;

/// The one partition that all items of a vector are in.
const PARTITION: &str = "p";
/// The same in a header.
const PARTITION_HEADER: &str = "[\"p\"]";
/// The property that holds the partition.
pub(super) const PARTITION_KEY: &str = "pk";

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
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
    pub(super) body: Option<Vec<u8>>,
    /// Whether it changes something, so that a lost reply leaves a doubt.
    pub(super) writes: bool,
}

impl HttpRequest {
    fn new(verb: Method, kind: &'static str, link: &str, path: String) -> Self {
        let writes = verb != Method::GET;
        Self { verb, kind, link: link.to_owned(), path, headers: Vec::new(), body: None, writes }
    }

    fn header(mut self, name: &'static str, value: &'static str) -> Self {
        self.set(name, HeaderValue::from_static(value));
        self
    }

    fn body(mut self, media: &'static str, value: &impl Serialize) -> Result<Self, Fault> {
        let body = serde_json::to_vec(value);
        self.body = Some(body.map_err(|error| Fault::Misuse(format!("a request that is no JSON: {error}")))?);
        Ok(self.header("content-type", media))
    }

    fn json(self, value: &impl Serialize) -> Result<Self, Fault> {
        self.body("application/json", value)
    }

    fn if_match(mut self, etag: Option<&Etag>) -> Result<Self, Fault> {
        if let Some(etag) = etag {
            let value = HeaderValue::from_bytes(etag.as_bytes()).map_err(|_| {
                Fault::Broken("the target returned an etag that no header can carry back to it".to_owned())
            })?;
            self.set("if-match", value);
        }
        Ok(self)
    }

    /// Returns whether it may be sent again after the first may have taken effect.
    ///
    /// That is what only reads, and what deletes a container or a database: neither is a vector's step.
    pub(super) fn is_repeatable(&self) -> bool {
        !self.writes || (self.verb == Method::DELETE && self.kind != "docs")
    }

    /// Sets or replaces a header.
    pub(super) fn set(&mut self, name: &'static str, value: HeaderValue) {
        let name = HeaderName::from_static(name);
        self.headers.retain(|(known, _)| *known != name);
        self.headers.push((name, value));
    }
}

/// `POST /dbs`
pub(super) fn create_database(name: &str) -> Result<HttpRequest, Fault> {
    HttpRequest::new(Method::POST, "dbs", "", "/dbs".to_owned()).json(&json!({ "id": name }))
}

/// `DELETE /dbs/D`
pub(super) fn delete_database(name: &str) -> HttpRequest {
    let link = format!("dbs/{name}");
    HttpRequest::new(Method::DELETE, "dbs", &link, format!("/{link}"))
}

/// A container by its names. Both are made by us, of letters, digits and hyphens, so that link and path are alike.
#[derive(Debug)]
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

    /// Translates a request of a vector.
    pub(super) fn request(&self, request: &Request) -> Result<HttpRequest, Fault> {
        match request {
            // `POST /dbs/D/colls`
            Request::CreateContainer(settings) => {
                HttpRequest::new(Method::POST, "colls", &self.database, format!("/{}/colls", self.database))
                    .json(&self.settings(settings))
            }
            // `PUT /dbs/D/colls/C`, the whole body
            Request::ReplaceContainer(settings) => self.itself(Method::PUT).json(&self.settings(settings)),
            Request::Item(operation) => self.operation(operation),
            // `POST /dbs/D/colls/C/docs` as a transactional batch, in the form that Microsoft's clients send
            Request::Batch(operations) => self
                .docs(Method::POST)
                .header("x-ms-cosmos-is-batch-request", "True")
                .header("x-ms-cosmos-batch-atomic", "True")
                .header("x-ms-cosmos-batch-ordered", "True")
                .header("x-ms-cosmos-batch-continue-on-error", "False")
                .json(&operations.iter().map(BatchOperation::new).collect::<Result<Vec<_>, _>>()?),
            Request::Query => self.query("SELECT * FROM c"),
            // `GET /dbs/D/colls/C/docs`
            Request::List => Ok(self.docs(Method::GET)),
            Request::Count => self.query("SELECT VALUE COUNT(1) FROM c"),
        }
    }

    /// `POST /dbs/D/colls/C/docs` as a query
    fn query(&self, sql: &str) -> Result<HttpRequest, Fault> {
        let query = self
            .docs(Method::POST)
            .header("x-ms-documentdb-isquery", "True")
            .header("x-ms-documentdb-query-enablecrosspartition", "True")
            .body("application/query+json", &json!({ "query": sql, "parameters": [] }))?;
        Ok(HttpRequest { writes: false, ..query })
    }

    fn operation(&self, operation: &Operation) -> Result<HttpRequest, Fault> {
        match operation {
            Operation::Create(document) => self.docs(Method::POST).json(&DocumentBody::new(document)?),
            Operation::Upsert(document) => self
                .docs(Method::POST)
                .header("x-ms-documentdb-is-upsert", "true")
                .json(&DocumentBody::new(document)?),
            Operation::Replace(document, etag) => self
                .doc(Method::PUT, &document.id)?
                .if_match(etag.as_ref())?
                .json(&DocumentBody::new(document)?),
            Operation::Patch(patch, etag) => self
                .doc(Method::PATCH, &patch.id)?
                .if_match(etag.as_ref())?
                .body("application/json_patch+json", &PatchBody::new(patch)),
            // A server is known that answers 500 to a missing id without this header, which means nothing here.
            Operation::Read(id) => {
                Ok(self.doc(Method::GET, id)?.header("x-ms-documentdb-query-enablecrosspartition", "True"))
            }
            Operation::Delete(id, etag) => self.doc(Method::DELETE, id)?.if_match(etag.as_ref()),
        }
    }

    fn itself(&self, verb: Method) -> HttpRequest {
        HttpRequest::new(verb, "colls", &self.link, format!("/{}", self.link))
    }

    fn docs(&self, verb: Method) -> HttpRequest {
        HttpRequest::new(verb, "docs", &self.link, format!("/{}/docs", self.link))
            .header("x-ms-documentdb-partitionkey", PARTITION_HEADER)
    }

    fn doc(&self, verb: Method, id: &str) -> Result<HttpRequest, Fault> {
        if matches!(id, "" | "." | "..") {
            let why = format!("the id {id:?} is no segment of a path; give the item another one");
            return Err(Fault::Misuse(why));
        }
        let path = format!("/{}/docs/{}", self.link, percent_encode(id));
        let link = format!("{}/docs/{id}", self.link);
        Ok(HttpRequest::new(verb, "docs", &link, path)
            .header("x-ms-documentdb-partitionkey", PARTITION_HEADER))
    }

    fn settings<'a>(&'a self, settings: &'a Container) -> SettingsBody<'a> {
        SettingsBody {
            id: &self.container,
            // The same bytes every time, as some servers demand of a replace.
            partition_key: json!({ "kind": "Hash", "paths": [format!("/{PARTITION_KEY}")], "version": 2 }),
            default_ttl: settings.default_ttl.as_ref(),
            indexing_policy: match settings.indexing {
                Indexing::Consistent => json!({ "automatic": true, "indexingMode": "consistent" }),
                Indexing::Lazy => json!({ "automatic": true, "indexingMode": "lazy" }),
                // Refused while `automatic` is on.
                Indexing::None => json!({ "automatic": false, "indexingMode": "none" }),
            },
        }
    }
}

/// A container's settings.
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
    pk: &'static str,
    #[serde(flatten)]
    properties: &'a Properties,
}

impl<'a> DocumentBody<'a> {
    fn new(document: &'a Document) -> Result<Self, Fault> {
        match document.properties.keys().find(|name| matches!(name.as_str(), "id" | PARTITION_KEY)) {
            Some(name) => Err(Fault::Misuse(format!(
                "this target sets the property `{name}` itself; give the vector's property another name"
            ))),
            None => Ok(Self { id: &document.id, pk: PARTITION, properties: &document.properties }),
        }
    }
}

#[derive(Serialize)]
struct PatchBody<'a> {
    operations: Vec<PatchOperation<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum PatchOperation<'a> {
    Set { path: String, value: &'a Literal },
    Remove { path: String },
}

impl<'a> PatchBody<'a> {
    fn new(patch: &'a Patch) -> Self {
        let pointer = |name: &String| format!("/{}", name.replace('~', "~0").replace('/', "~1"));
        let set = patch.set.iter().map(|(name, value)| PatchOperation::Set { path: pointer(name), value });
        let remove = patch.remove.iter().map(|name| PatchOperation::Remove { path: pointer(name) });
        Self { operations: set.chain(remove).collect() }
    }
}

/// One operation of a batch.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BatchOperation<'a> {
    operation_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    if_match: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_body: Option<ResourceBody<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ResourceBody<'a> {
    Document(DocumentBody<'a>),
    Patch(PatchBody<'a>),
}

impl<'a> BatchOperation<'a> {
    fn new(operation: &'a Operation) -> Result<Self, Fault> {
        let document = |document| DocumentBody::new(document).map(|body| Some(ResourceBody::Document(body)));
        let (operation_type, id, if_match, resource_body) = match operation {
            Operation::Create(item) => ("Create", None, None, document(item)?),
            Operation::Upsert(item) => ("Upsert", None, None, document(item)?),
            Operation::Replace(item, etag) => ("Replace", Some(&*item.id), etag.as_deref(), document(item)?),
            Operation::Patch(patch, etag) => {
                let body = ResourceBody::Patch(PatchBody::new(patch));
                ("Patch", Some(&*patch.id), etag.as_deref(), Some(body))
            }
            Operation::Read(id) => ("Read", Some(&**id), None, None),
            Operation::Delete(id, etag) => ("Delete", Some(&**id), etag.as_deref(), None),
        };
        Ok(Self { operation_type, id, if_match, resource_body })
    }
}
