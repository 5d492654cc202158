//! Incoming requests: a request, and the resource that its path names.

use std::collections::BTreeMap;

use crate::answer::RestRefusal;

/// The first byte of Cosmos DB's binary JSON, which `azure_data_cosmos` writes unless it is told not to.
const BINARY_JSON: u8 = 0x80;

/// A request, read whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RestRequest {
    /// `GET`, `POST`, and so on.
    pub verb: String,
    /// The path, as sent.
    pub path: String,
    /// The text behind `?`, as sent.
    pub query: String,
    /// Headers with lower-case names. Of a header that was sent twice, the last.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Vec<u8>,
}

impl RestRequest {
    /// Returns a header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// Returns whether a header says `true`, in upper or lower case.
    pub fn says(&self, name: &str) -> bool {
        self.header(name).is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }

    /// Returns whether a POST is a query.
    pub(crate) fn is_query(&self) -> bool {
        self.says("x-ms-documentdb-isquery")
            || self.says("x-ms-cosmos-is-query-plan-request")
            || self.header("content-type").is_some_and(|media| media.starts_with("application/query+json"))
    }

    /// Returns the verb, if it is one that HTTP knows: it is text from outside.
    pub(crate) fn known_verb(&self) -> &str {
        const KNOWN: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
        KNOWN.into_iter().find(|verb| *verb == self.verb).unwrap_or("this method")
    }

    /// Returns the body as text.
    ///
    /// # Errors
    ///
    /// 501 if it is binary JSON, 400 if it is not UTF-8.
    pub fn text(&self) -> Result<&str, RestRefusal> {
        std::str::from_utf8(&self.body).map_err(|_| match self.body.first() {
            Some(&BINARY_JSON) => RestRefusal::not_offered(
                "binary JSON; switch it off in the client (AZURE_COSMOS_BINARY_ENCODING_ENABLED=false), which",
            ),
            _ => RestRefusal::bad("the body is not UTF-8"),
        })
    }
}

/// The resource that a path names, with decoded names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Resource {
    Account,
    Databases,
    Database(String),
    Containers(String),
    Container(ContainerName),
    Items(ContainerName),
    Item(ContainerName, String),
    /// All items of one partition, to be deleted.
    PartitionDelete(ContainerName),
    PartitionRanges(ContainerName),
}

/// A container by its names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ContainerName {
    /// The database's `id`.
    pub database: String,
    /// The container's `id`.
    pub container: String,
}

impl ContainerName {
    /// Returns `dbs/D/colls/C`.
    pub(crate) fn link(&self) -> String {
        format!("dbs/{}/colls/{}", self.database, self.container)
    }
}

/// A resource, and what of it is signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParsedPath {
    /// The resource that the path names.
    pub resource: Resource,
    /// The types of resource and links that may have been signed: with names decoded, and as the path has them.
    pub signed: Vec<(&'static str, String)>,
}

impl ParsedPath {
    /// Reads a path; a `/` at its end changes nothing, because some clients send one.
    /// The refusal is 501 if it names nothing that this server offers.
    pub(crate) fn parse(path: &str) -> Result<Self, RestRefusal> {
        let raw: Vec<&str> = path.trim_matches('/').split('/').filter(|part| !part.is_empty()).collect();
        let unreadable = || RestRefusal::bad("the path has a name that is no percent-encoded UTF-8");
        let decoded =
            raw.iter().map(|part| percent_decode(part)).collect::<Option<Vec<_>>>().ok_or_else(unreadable)?;
        let name = |index: usize| decoded.get(index).cloned().unwrap_or_default();
        let container = || ContainerName { database: name(1), container: name(3) };
        let words: Vec<&str> = decoded.iter().step_by(2).map(String::as_str).collect();
        // How many segments of the path the signed link has.
        let (resource, kind, signed) = match (words.as_slice(), decoded.len()) {
            ([], 0) => (Resource::Account, "", 0),
            (["dbs"], 1) => (Resource::Databases, "dbs", 0),
            (["dbs"], 2) => (Resource::Database(name(1)), "dbs", 2),
            (["dbs", "colls"], 3) => (Resource::Containers(name(1)), "colls", 2),
            (["dbs", "colls"], 4) => (Resource::Container(container()), "colls", 4),
            (["dbs", "colls", "docs"], 5) => (Resource::Items(container()), "docs", 4),
            (["dbs", "colls", "docs"], 6) => (Resource::Item(container(), name(5)), "docs", 6),
            (["dbs", "colls", "pkranges"], 5) => (Resource::PartitionRanges(container()), "pkranges", 4),
            (["dbs", "colls", "operations"], 6) if name(5) == "partitionkeydelete" => {
                (Resource::PartitionDelete(container()), "partitionkey", 4)
            }
            (words, _) => {
                return Err(RestRefusal::not_offered(format_args!("the path of {}", kind_of(words))));
            }
        };
        let link = |parts: Vec<&str>| parts.get(..signed).unwrap_or_default().join("/");
        let links = [link(decoded.iter().map(String::as_str).collect()), link(raw)];
        // The clients do not agree about what the delete of a partition is a request for.
        let kinds = if kind == "partitionkey" { vec![kind, "colls"] } else { vec![kind] };
        let signed = kinds.into_iter().flat_map(|kind| links.clone().map(|link| (kind, link)));
        Ok(Self { resource, signed: signed.collect() })
    }
}

/// Names the kind of resource in words of our own: a path is text from outside.
fn kind_of(words: &[&str]) -> &'static str {
    const KINDS: [(&str, &str); 9] = [
        ("sprocs", "stored procedures"),
        ("triggers", "triggers"),
        ("udfs", "user-defined functions"),
        ("users", "users"),
        ("permissions", "permissions"),
        ("offers", "offers (throughput)"),
        ("conflicts", "conflicts"),
        ("attachments", "attachments"),
        ("clientencryptionkeys", "client encryption keys"),
    ];
    let known = words.last().and_then(|word| KINDS.iter().find(|(known, _)| known == word));
    known.map_or("an unknown resource", |(_, words)| words)
}

/// Decodes `%XX`; `None` if the result is not UTF-8 or a `%` begins no such code.
pub(crate) fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        if first == b'%' {
            let code = tail.get(..2).and_then(|code| std::str::from_utf8(code).ok())?;
            bytes.push(u8::from_str_radix(code, 16).ok()?);
            rest = tail.get(2..)?;
        } else {
            bytes.push(first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

/// Returns the parts of a query string, decoded; of a name that occurs twice, the last.
pub(crate) fn query_parameters(query: &str) -> BTreeMap<String, String> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let decoded = pairs.filter_map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Some((percent_decode(name)?, percent_decode(value)?))
    });
    decoded.collect()
}
