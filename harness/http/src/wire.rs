//! What goes out: every request as the REST reference has it, with values exactly as they were written.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use ureq::http::{HeaderName, HeaderValue, Method};

use super::key::percent_encode;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Container, Document, Etag, Fault, Indexing, Operation, Patch};

/// The one partition that all items of a vector are in.
const PARTITION: &str = "p";
/// The same as a header has it.
const PARTITION_HEADER: &str = "[\"p\"]";

/// A request, unsigned.
#[derive(Debug)]
pub(super) struct Call {
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

impl Call {
    fn new(verb: Method, kind: &'static str, link: &str, path: String) -> Self {
        let writes = verb != Method::GET;
        Self { verb, kind, link: link.to_owned(), path, headers: Vec::new(), body: None, writes }
    }

    fn header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.push((HeaderName::from_static(name), HeaderValue::from_static(value)));
        self
    }

    fn body(self, media: &'static str, body: Vec<u8>) -> Self {
        Self { body: Some(body), ..self }.header("content-type", media)
    }

    fn json(self, value: &impl Serialize) -> Result<Self, Fault> {
        Ok(self.body("application/json", serialized(value)?))
    }

    fn if_match(mut self, etag: Option<&Etag>) -> Result<Self, Fault> {
        if let Some(etag) = etag {
            let value = HeaderValue::from_bytes(etag.as_bytes()).map_err(|_| {
                Fault::Broken("the target returned an etag that no header can carry back to it".to_owned())
            })?;
            self.headers.push((HeaderName::from_static("if-match"), value));
        }
        Ok(self)
    }

    /// Whether it may be sent again where the first may have had its effect: what only reads, and what deletes a
    /// container or a database, neither of which is a vector's step.
    pub(super) fn is_repeatable(&self) -> bool {
        !self.writes || (self.verb == Method::DELETE && self.kind != "docs")
    }

    /// Sets a header to what the target gave us for it.
    pub(super) fn set(&mut self, name: &'static str, value: HeaderValue) {
        let name = HeaderName::from_static(name);
        self.headers.retain(|(known, _)| *known != name);
        self.headers.push((name, value));
    }
}

fn serialized(value: &impl Serialize) -> Result<Vec<u8>, Fault> {
    serde_json::to_vec(value).map_err(|error| Fault::Misuse(format!("a request that is no JSON: {error}")))
}

/// `POST /dbs`
pub(super) fn create_database(name: &str) -> Result<Call, Fault> {
    Call::new(Method::POST, "dbs", "", "/dbs".to_owned()).json(&json!({ "id": name }))
}

/// `DELETE /dbs/D`
pub(super) fn delete_database(name: &str) -> Call {
    let link = format!("dbs/{name}");
    Call::new(Method::DELETE, "dbs", &link, format!("/{link}"))
}

/// A container by its names. Both are made by us, of letters, digits and hyphens, so that link and path are alike.
#[derive(Debug)]
pub(super) struct Place {
    database: String,
    container: String,
    link: String,
}

impl Place {
    pub(super) fn new(database: &str, container: String) -> Self {
        let link = format!("dbs/{database}/colls/{container}");
        Self { database: format!("dbs/{database}"), container, link }
    }

    pub(super) fn link(&self) -> &str {
        &self.link
    }

    /// `POST /dbs/D/colls`
    pub(super) fn create(&self, settings: &Container) -> Result<Call, Fault> {
        Call::new(Method::POST, "colls", &self.database, format!("/{}/colls", self.database))
            .json(&ContainerBody { id: &self.container, settings })
    }

    /// `PUT /dbs/D/colls/C`, the whole body
    pub(super) fn replace(&self, settings: &Container) -> Result<Call, Fault> {
        self.itself(Method::PUT).json(&ContainerBody { id: &self.container, settings })
    }

    /// `DELETE /dbs/D/colls/C`
    pub(super) fn delete(&self) -> Call {
        self.itself(Method::DELETE)
    }

    /// `POST /dbs/D/colls/C/docs` as a query
    pub(super) fn query(&self, sql: &str) -> Result<Call, Fault> {
        let body = serialized(&json!({ "query": sql, "parameters": [] }))?;
        let call = self
            .docs(Method::POST)
            .header("x-ms-documentdb-isquery", "True")
            .header("x-ms-documentdb-query-enablecrosspartition", "True")
            .body("application/query+json", body);
        Ok(Call { writes: false, ..call })
    }

    /// `GET /dbs/D/colls/C/docs`
    pub(super) fn list(&self) -> Call {
        self.docs(Method::GET)
    }

    /// The request about one item.
    pub(super) fn item(&self, operation: &Operation) -> Result<Call, Fault> {
        match operation {
            Operation::Create(document) => self.docs(Method::POST).json(&document_body(document)?),
            Operation::Upsert(document) => self
                .docs(Method::POST)
                .header("x-ms-documentdb-is-upsert", "true")
                .json(&document_body(document)?),
            Operation::Replace(document, etag) => {
                self.doc(Method::PUT, &document.id)?.if_match(etag.as_ref())?.json(&document_body(document)?)
            }
            Operation::Patch(patch, etag) => Ok(self
                .doc(Method::PATCH, &patch.id)?
                .if_match(etag.as_ref())?
                .body("application/json_patch+json", serialized(&patch_body(patch)?)?)),
            // A server is known that answers 500 to a missing id without this header, which means nothing here.
            Operation::Read(id) => {
                Ok(self.doc(Method::GET, id)?.header("x-ms-documentdb-query-enablecrosspartition", "True"))
            }
            Operation::Delete(id, etag) => self.doc(Method::DELETE, id)?.if_match(etag.as_ref()),
        }
    }

    /// `POST /dbs/D/colls/C/docs` as a transactional batch, in the form that Microsoft's clients send
    pub(super) fn batch(&self, operations: &[Operation]) -> Result<Call, Fault> {
        let body = operations.iter().map(batched).collect::<Result<Vec<_>, _>>()?;
        self.docs(Method::POST)
            .header("x-ms-cosmos-is-batch-request", "True")
            .header("x-ms-cosmos-batch-atomic", "True")
            .header("x-ms-cosmos-batch-ordered", "True")
            .header("x-ms-cosmos-batch-continue-on-error", "False")
            .json(&body)
    }

    fn itself(&self, verb: Method) -> Call {
        Call::new(verb, "colls", &self.link, format!("/{}", self.link))
    }

    fn docs(&self, verb: Method) -> Call {
        Call::new(verb, "docs", &self.link, format!("/{}/docs", self.link))
            .header("x-ms-documentdb-partitionkey", PARTITION_HEADER)
    }

    fn doc(&self, verb: Method, id: &str) -> Result<Call, Fault> {
        if matches!(id, "" | "." | "..") {
            return Err(Fault::Misuse(format!(
                "the id {id:?} is no segment of a path; give the item another one"
            )));
        }
        let path = format!("/{}/docs/{}", self.link, percent_encode(id));
        let link = format!("{}/docs/{id}", self.link);
        Ok(Call::new(verb, "docs", &link, path).header("x-ms-documentdb-partitionkey", PARTITION_HEADER))
    }
}

/// A container's settings; `partitionKey` is the same bytes every time, as some servers demand of a replace.
struct ContainerBody<'a> {
    id: &'a str,
    settings: &'a Container,
}

impl Serialize for ContainerBody<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", self.id)?;
        map.serialize_entry("partitionKey", &json!({ "kind": "Hash", "paths": ["/pk"], "version": 2 }))?;
        if let Some(ttl) = &self.settings.default_ttl {
            map.serialize_entry("defaultTtl", ttl)?;
        }
        map.serialize_entry(
            "indexingPolicy",
            &match self.settings.indexing {
                Indexing::Consistent => json!({ "automatic": true, "indexingMode": "consistent" }),
                Indexing::Lazy => json!({ "automatic": true, "indexingMode": "lazy" }),
                // Refused while `automatic` is on.
                Indexing::None => json!({ "automatic": false, "indexingMode": "none" }),
            },
        )?;
        map.end()
    }
}

/// An item with its properties exactly as they were written: `10.0` stays `10.0`.
struct DocumentBody<'a>(&'a Document);

fn document_body(document: &Document) -> Result<DocumentBody<'_>, Fault> {
    match document.properties.keys().find(|name| matches!(name.as_str(), "id" | "pk")) {
        Some(name) => Err(Fault::Misuse(format!(
            "this target sets the property `{name}` itself; give the vector's property another name"
        ))),
        None => Ok(DocumentBody(document)),
    }
}

impl Serialize for DocumentBody<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.0.id)?;
        map.serialize_entry("pk", PARTITION)?;
        for (name, value) in &self.0.properties {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

#[derive(serde::Serialize)]
struct PatchBody<'a> {
    operations: Vec<Change<'a>>,
}

#[derive(serde::Serialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Change<'a> {
    Set { path: String, value: &'a RawValue },
    Remove { path: String },
}

fn patch_body(patch: &Patch) -> Result<PatchBody<'_>, Fault> {
    let pointer = |name: &String| format!("/{}", name.replace('~', "~0").replace('/', "~1"));
    let set =
        patch.set.iter().map(|(name, value)| Ok(Change::Set { path: pointer(name), value: raw(value)? }));
    let remove = patch.remove.iter().map(|name| Ok(Change::Remove { path: pointer(name) }));
    Ok(PatchBody { operations: set.chain(remove).collect::<Result<_, Fault>>()? })
}

fn raw(literal: &Literal) -> Result<&RawValue, Fault> {
    serde_json::from_str(literal.as_str())
        .map_err(|error| Fault::Misuse(format!("a value that is no JSON: {error}")))
}

/// One operation of a batch.
#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct Batched<'a> {
    operation_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    if_match: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_body: Option<Box<RawValue>>,
}

fn batched(operation: &Operation) -> Result<Batched<'_>, Fault> {
    let whole = |document| boxed(&document_body(document)?).map(Some);
    let (operation_type, id, etag, resource_body) = match operation {
        Operation::Create(document) => ("Create", None, None, whole(document)?),
        Operation::Upsert(document) => ("Upsert", None, None, whole(document)?),
        Operation::Replace(document, etag) => {
            ("Replace", Some(&document.id), etag.as_deref(), whole(document)?)
        }
        Operation::Patch(patch, etag) => {
            ("Patch", Some(&patch.id), etag.as_deref(), Some(boxed(&patch_body(patch)?)?))
        }
        Operation::Read(id) => ("Read", Some(id), None, None),
        Operation::Delete(id, etag) => ("Delete", Some(id), etag.as_deref(), None),
    };
    Ok(Batched { operation_type, id: id.map(String::as_str), if_match: etag, resource_body })
}

fn boxed(body: &impl Serialize) -> Result<Box<RawValue>, Fault> {
    to_raw_value(body).map_err(|error| Fault::Misuse(format!("a request that is no JSON: {error}")))
}
