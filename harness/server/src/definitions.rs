//! The account, databases and containers: their definitions, and what clients read of them.

use std::collections::BTreeMap;
use std::ops::Bound;

use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{Container, Indexing, Properties, Status};
use serde_json::{Value, json};

use crate::account::{Account, CosmosContainer, CosmosDatabase};
use crate::answer::{RestAnswer, RestRefusal};
use crate::body::{check_name, properties, shortened};
use crate::config::EndpointConfig;
use crate::item_store::RemovalSchedule;
use crate::items::check_room;
use crate::pages;
use crate::partition::PartitionPaths;
use crate::rest::{ContainerName, Resource, RestRequest};
use crate::sql;
use crate::system_properties::{container_rid, database_rid, object_text};

/// The header with which a container is created whose items are removed by another schedule than the server's own.
const REMOVAL_HEADER: &str = "x-cosmos-ttl-removal";
const LONGEST_NAME: usize = 255;
/// The properties of a container that the server reads, without those that only a server sets.
const OFFERED: [&str; 4] = ["id", "partitionKey", "defaultTtl", "indexingPolicy"];
/// Further properties of a container, which may be null or empty, with the texts that the service writes where nothing was chosen.
const DEFAULTS: [(&str, &[(&str, &str)]); 10] = [
    ("analyticalStorageTtl", &[]),
    ("changeFeedPolicy", &[]),
    ("clientEncryptionPolicy", &[]),
    ("computedProperties", &[]),
    (
        "conflictResolutionPolicy",
        &[
            ("mode", "LastWriterWins"),
            ("conflictResolutionPath", "/_ts"),
            ("conflictResolutionPath", ""),
            ("conflictResolutionProcedure", ""),
        ],
    ),
    ("fullTextPolicy", &[]),
    ("geospatialConfig", &[("type", "Geography")]),
    ("ttlPropertyPath", &[]),
    ("uniqueKeyPolicy", &[]),
    ("vectorEmbeddingPolicy", &[]),
];

/// Returns what a client reads first: where the account is, and how consistent.
pub(crate) fn account(request: &RestRequest) -> Result<RestAnswer, RestRefusal> {
    if request.verb != "GET" {
        return Err(RestRefusal::not_offered(format_args!("{} of the account", request.known_verb())));
    }
    // The clients send all further requests to the address that this names: the one by which they came.
    let host = request.header("host").unwrap_or_default();
    let is_host = !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || ".-_:[]".contains(c));
    let host = if is_host { host } else { "127.0.0.1:8081" };
    let scheme = request.header("x-cosmos-ttl-scheme").unwrap_or("http");
    let place = json!([{ "name": "local", "databaseAccountEndpoint": format!("{scheme}://{host}/") }]);
    let policy = json!({ "asyncReplication": false, "minReplicaSetSize": 1, "maxReplicasetSize": 1 });
    let body = json!({
        "_self": "", "id": "cosmos-ttl", "_rid": "cosmos-ttl", "media": "//media/", "addresses": "//addresses/",
        "_dbs": "//dbs/", "writableLocations": place, "readableLocations": place,
        "enableMultipleWriteLocations": false,
        "userReplicationPolicy": policy, "systemReplicationPolicy": policy,
        "userConsistencyPolicy": { "defaultConsistencyLevel": "Session" },
        "readPolicy": { "primaryReadCoefficient": 1, "secondaryReadCoefficient": 1 },
        "queryEngineConfiguration": format!("{{\"maxSqlQueryInputLength\":{}}}", sql::LONGEST),
    });
    Ok(RestAnswer::new(200, body.to_string()))
}

/// Creates, reads, lists and deletes databases.
pub(crate) fn databases(
    account: &mut Account,
    resource: &Resource,
    request: &RestRequest,
) -> Result<RestAnswer, RestRefusal> {
    match (request.verb.as_str(), resource) {
        ("GET", Resource::Databases) => feed(request, "Databases", &account.databases, database_text),
        ("POST", Resource::Databases) if !request.is_query() => {
            let name = name_of(&mut properties(request.text()?)?)?;
            if account.databases.contains_key(&name) {
                return Err(RestRefusal::new(409, "a database with this id exists"));
            }
            let (number, ts) = (account.next_number()?, account.clock.now_s(0));
            let database = CosmosDatabase { number, ts, containers: BTreeMap::new() };
            let answer = defined(201, &etag(number, 0), database_text(&name, &database));
            account.databases.insert(name, database);
            Ok(answer)
        }
        ("GET", Resource::Database(name)) => {
            let database = account.database(name)?;
            Ok(defined(200, &etag(database.number, 0), database_text(name, database)))
        }
        ("DELETE", Resource::Database(name)) => {
            let number = account.database(name)?.number;
            check_condition(request, &etag(number, 0))?;
            account.databases.remove(name);
            Ok(RestAnswer::empty(204))
        }
        _ => Err(not_offered(request, "databases")),
    }
}

/// Creates, reads, lists, replaces and deletes containers, and lists their one range of partitions.
pub(crate) fn containers(
    config: &EndpointConfig,
    account: &mut Account,
    resource: &Resource,
    request: &RestRequest,
) -> Result<RestAnswer, RestRefusal> {
    match (request.verb.as_str(), resource) {
        ("GET", Resource::Containers(database)) => {
            let database = account.database(database)?;
            let text = |_: &str, container: &CosmosContainer| container_text(database.number, container);
            feed(request, "DocumentCollections", &database.containers, text)
        }
        ("POST", Resource::Containers(database)) if !request.is_query() => {
            create(config, account, database, request)
        }
        ("GET", Resource::Container(name)) => {
            let (database, container) = numbered(account, name)?;
            Ok(defined(200, &etag(container.number, container.version), container_text(database, container)))
        }
        ("PUT", Resource::Container(name)) => replace(config, account, name, request),
        ("DELETE", Resource::Container(name)) => {
            let (_, container) = account.container(name)?;
            check_condition(request, &etag(container.number, container.version))?;
            account.database(&name.database)?.containers.remove(&name.container);
            Ok(RestAnswer::empty(204))
        }
        ("GET", Resource::PartitionRanges(name)) => {
            let (database, container) = numbered(account, name)?;
            let tag = etag(container.number, 0);
            // A client that has the ranges asks until it is told that there are no others.
            if request.header("if-none-match").is_some_and(|known| known == tag) {
                return Ok(RestAnswer::empty(304).with("etag", tag));
            }
            let rid = container_rid(database, container.number);
            let range = json!({
                "_rid": rid, "id": "0", "_etag": tag, "minInclusive": "", "maxExclusive": "FF", "ridPrefix": 0,
                "_self": format!("{}/pkranges/0", name.link()), "throughputFraction": 1, "status": "online",
                "parents": [], "_ts": container.ts, "_lsn": 1,
            });
            let body = json!({ "_rid": rid, "PartitionKeyRanges": [range], "_count": 1 });
            Ok(RestAnswer::new(200, body.to_string()).with("etag", tag).with("x-ms-item-count", "1"))
        }
        _ => Err(not_offered(request, "containers")),
    }
}

/// A definition of a container, as a client sends it.
struct Draft {
    name: String,
    definition: Properties,
    settings: Container,
    paths: PartitionPaths,
}

impl Draft {
    fn read(request: &RestRequest) -> Result<Self, RestRefusal> {
        let mut definition = properties(request.text()?)?;
        let name = name_of(&mut definition)?;
        check_properties(&definition)?;
        let settings = settings_of(&definition)?;
        let paths = definition.get("partitionKey").ok_or_else(|| {
            RestRefusal::bad("`partitionKey` is missing, such as {\"paths\":[\"/pk\"],\"kind\":\"Hash\"}")
        })?;
        let paths = PartitionPaths::parse(paths)?;
        definition.insert("id".into(), Literal::from(&json!(name)));
        Ok(Self { name, definition, settings, paths })
    }

    fn refused(&self, status: Status) -> RestRefusal {
        let sent = self.settings.default_ttl.as_ref().map_or_else(|| "absent".to_owned(), shortened);
        let message = format!(
            "`defaultTtl` is {sent} and the indexing mode is {}; `defaultTtl` must be -1 or a whole number from 1 to \
             2147483647, or be left out, and it needs an index",
            self.settings.indexing
        );
        RestRefusal::of_status(status, Some(message))
    }
}

fn create(
    config: &EndpointConfig,
    account: &mut Account,
    database: &str,
    request: &RestRequest,
) -> Result<RestAnswer, RestRefusal> {
    let draft = Draft::read(request)?;
    let removal = match request.header(REMOVAL_HEADER) {
        None => account.removal,
        Some(word) => RemovalSchedule::from_word(word)
            .ok_or_else(|| RestRefusal::bad(format!("`{REMOVAL_HEADER}` must be never, eager or by-hand")))?,
    };
    if account.database(database)?.containers.contains_key(&draft.name) {
        return Err(RestRefusal::new(409, "a container with this id exists"));
    }
    let now_s = account.clock.now_s(0);
    let full_name = format!("{database}/{}", draft.name);
    let store = config.stores.create(&full_name, now_s, removal, &draft.settings)?;
    let store = store.map_err(|status| draft.refused(status))?;
    check_room(config, account, request, 0)?;
    let number = account.next_number()?;
    let Draft { name, definition, paths, .. } = draft;
    let container = CosmosContainer {
        number,
        definition,
        definition_bytes: request.body.len(),
        paths,
        ts: now_s,
        version: 0,
        advanced_s: 0,
        store,
    };
    let database = account.database(database)?;
    let text = container_text(database.number, &container);
    database.containers.insert(name, container);
    Ok(defined(201, &etag(number, 0), text))
}

fn replace(
    config: &EndpointConfig,
    account: &mut Account,
    name: &ContainerName,
    request: &RestRequest,
) -> Result<RestAnswer, RestRefusal> {
    let draft = Draft::read(request)?;
    if draft.name != name.container {
        return Err(RestRefusal::bad("the body names another container than the path"));
    }
    let old_bytes = account.container(name)?.1.definition_bytes;
    check_room(config, account, request, old_bytes)?;
    let (database, _) = numbered(account, name)?;
    let (now_s, container) = account.container(name)?;
    check_condition(request, &etag(container.number, container.version))?;
    if draft.paths.names != container.paths.names {
        let why = "the partition key of a container cannot be changed; send the one that it has";
        return Err(RestRefusal::bad(why));
    }
    let status = container.store.configure(now_s, &draft.settings)?;
    if !status.is_success() {
        return Err(draft.refused(status));
    }
    container.definition = draft.definition;
    container.definition_bytes = request.body.len();
    container.version = container.version.wrapping_add(1);
    container.ts = now_s;
    let tag = etag(container.number, container.version);
    let text = container_text(database, container);
    account.writes = account.writes.saturating_add(1);
    Ok(defined(200, &tag, text))
}

/// Returns a container, and the number of its database.
fn numbered<'a>(
    account: &'a mut Account,
    name: &ContainerName,
) -> Result<(u32, &'a mut CosmosContainer), RestRefusal> {
    let database = account.database(&name.database)?.number;
    Ok((database, account.container(name)?.1))
}

/// Reads the settings that matter to time to live.
fn settings_of(definition: &Properties) -> Result<Container, RestRefusal> {
    let policy =
        definition.get("indexingPolicy").map(|policy| serde_json::from_str::<Value>(policy.as_str()));
    let policy = policy.transpose().map_err(|_| RestRefusal::bad("`indexingPolicy` cannot be read"))?;
    let mode = policy.as_ref().and_then(|policy| policy.get("indexingMode"));
    let indexing = match mode.map(|mode| mode.as_str().unwrap_or_default().to_lowercase()).as_deref() {
        None | Some("consistent") => Indexing::Consistent,
        Some("lazy") => Indexing::Lazy,
        Some("none") => Indexing::None,
        Some(_) => return Err(RestRefusal::bad("`indexingMode` must be consistent, lazy or none")),
    };
    Ok(Container { default_ttl: definition.get("defaultTtl").cloned(), indexing })
}

/// Refuses each property of a container that the server does not know, or whose value would have an effect that it does not
/// offer: a misspelt `defaultTTL` must not pass for a container without time to live.
fn check_properties(definition: &Properties) -> Result<(), RestRefusal> {
    for (name, value) in definition {
        if OFFERED.contains(&name.as_str()) {
            continue;
        }
        let default = DEFAULTS.iter().find(|(known, _)| known == name);
        if default.is_some_and(|(_, fields)| is_default(value, fields)) {
            continue;
        }
        let shown = shortened(&Literal::from(&json!(name)));
        let meant = OFFERED.iter().find(|known| known.eq_ignore_ascii_case(name));
        let hint = meant.map_or_else(String::new, |meant| format!(" (it is written `{meant}`)"));
        let with = if default.is_some() { "this value of " } else { "" };
        return Err(RestRefusal::not_offered(format_args!(
            "{with}the property {shown} of a container{hint}"
        )));
    }
    Ok(())
}

/// Returns whether a value says as much as an absent one: some clients send every field, and others what they read.
fn is_default(value: &Literal, fields: &[(&str, &str)]) -> bool {
    match serde_json::from_str(value.as_str()) {
        Ok(Value::Null) => true,
        Ok(Value::Array(all)) => all.is_empty(),
        Ok(Value::Object(all)) => all.iter().all(|(name, value)| match value {
            Value::Null => true,
            Value::Array(all) => all.is_empty(),
            Value::String(text) => fields.contains(&(name, text)),
            _ => false,
        }),
        _ => false,
    }
}

fn name_of(properties: &mut Properties) -> Result<String, RestRefusal> {
    let id = properties.remove("id").and_then(|id| serde_json::from_str::<String>(id.as_str()).ok());
    let id = id.ok_or_else(|| RestRefusal::bad("`id` must be a string"))?;
    check_name(&id, LONGEST_NAME)?;
    Ok(id)
}

fn database_text(name: &str, database: &CosmosDatabase) -> String {
    json!({
        "id": name, "_rid": database_rid(database.number), "_self": format!("dbs/{name}/"), "_etag": etag(database.number, 0),
        "_colls": "colls/", "_users": "users/", "_ts": database.ts,
    })
    .to_string()
}

fn container_text(database: u32, container: &CosmosContainer) -> String {
    let mut properties = container.definition.clone();
    // An explicit null switches time to live off, as if it were left out.
    if properties.get("defaultTtl").is_some_and(|ttl| ttl.kind() == LiteralKind::Null) {
        properties.remove("defaultTtl");
    }
    let policy = json!({
        "indexingMode": "consistent", "automatic": true, "includedPaths": [{ "path": "/*" }],
        "excludedPaths": [{ "path": "/\"_etag\"/?" }],
    });
    properties.entry("indexingPolicy".into()).or_insert_with(|| Literal::from(&policy));
    let system = [
        ("_rid", json!(container_rid(database, container.number))),
        ("_self", json!("colls/")),
        ("_etag", json!(etag(container.number, container.version))),
        ("_docs", json!("docs/")),
        ("_ts", json!(container.ts)),
    ];
    properties.extend(system.map(|(name, value)| (name.to_owned(), Literal::from(&value))));
    object_text(&properties)
}

/// Refuses a request whose `if-match` names another etag.
fn check_condition(request: &RestRequest, etag: &str) -> Result<(), RestRefusal> {
    match request.header("if-match") {
        Some(wanted) if wanted != "*" && wanted != etag => {
            Err(RestRefusal::new(412, "`if-match` names another etag than the database or container has"))
        }
        _ => Ok(()),
    }
}

fn defined(status: u16, etag: &str, text: String) -> RestAnswer {
    RestAnswer::new(status, text).with("etag", etag)
}

fn etag(number: u32, version: u32) -> String {
    format!("\"{number:08x}-0000-0000-0000-{version:012x}\"")
}

/// Returns a page of a list.
fn feed<T>(
    request: &RestRequest,
    kind: &str,
    all: &BTreeMap<String, T>,
    text: impl Fn(&str, &T) -> String,
) -> Result<RestAnswer, RestRefusal> {
    let bounds = pages::bounds(request)?;
    // A token of a list has one name, and one of a feed of items has two.
    let after = pages::after::<[String; 1]>(request)?;
    let from = after.as_ref().map_or(Bound::Unbounded, |[name]| Bound::Excluded(name));
    let (mut texts, mut bytes, mut more) = (Vec::new(), 0_usize, None);
    let mut last = None;
    for (name, one) in all.range::<String, _>((from, Bound::Unbounded)) {
        if texts.len() >= bounds.items || bytes >= bounds.bytes {
            more = last;
            break;
        }
        let one = text(name, one);
        bytes = bytes.saturating_add(one.len());
        texts.push(one);
        last = Some([name]);
    }
    let count = texts.len();
    let body = format!("{{\"_rid\":\"\",\"{kind}\":[{}],\"_count\":{count}}}", texts.join(","));
    let answer = RestAnswer::new(200, body).with("x-ms-item-count", count.to_string());
    Ok(pages::continued(answer, more.as_ref()))
}

fn not_offered(request: &RestRequest, what: &str) -> RestRefusal {
    let asked =
        if request.is_query() { "a query of".to_owned() } else { format!("{} of", request.known_verb()) };
    RestRefusal::not_offered(format_args!("{asked} {what}"))
}
