//! Control requests: what no service offers, and every test of time to live needs. They are not signed.

use cosmos_ttl_harness::target::Fault;
use serde_json::json;

use crate::account::{Account, CosmosContainer};
use crate::answer::{RestAnswer, RestRefusal};
use crate::clock::ClockKind;
use crate::config::EndpointConfig;
use crate::item_store::RemovalSchedule;
use crate::rest::{ContainerName, ParsedPath, Resource, RestRequest, query_parameters};

/// Every control request, with its effect.
pub(crate) const CONTROL_REQUESTS: [(&str, &str); 7] = [
    ("GET /_ttl", "says what the server is, its clock, its schedule of removal and its memory"),
    ("POST /_ttl/advance?seconds=N", "advances a virtual clock"),
    ("POST /_ttl/removal?schedule=S", "removes expired items never, eager or by-hand"),
    (
        "POST /_ttl/remove-expired",
        "removes every expired item now, whatever the schedule, unless it is never",
    ),
    ("GET /_ttl/expired", "lists what is stored though it expired"),
    ("POST /_ttl/reset", "deletes everything, and sets clock and schedule back"),
    ("...&container=dbs/D/colls/C", "limits all but the first and the last to one container"),
];
/// The start of the path of every control request.
pub(crate) const PREFIX: &str = "/_ttl";
/// The header of every answer where control requests are answered.
pub(crate) const HEADER: &str = "x-cosmos-ttl-control";
/// How many expired items are listed.
const MOST_LISTED: usize = 1000;

/// Decides whether a control request may be made. A page in a browser may not: it sends its origin with every POST.
pub(crate) fn admit(request: &RestRequest, allowed: bool) -> Result<(), RestRefusal> {
    if request.header("origin").is_some() {
        return Err(RestRefusal::new(403, "control requests from a web page are refused"));
    }
    if !allowed {
        let message = "control requests are refused, because the server listens beyond loopback; start it with --allow-remote-control";
        return Err(RestRefusal::new(403, message));
    }
    Ok(())
}

pub(crate) fn answer(
    config: &EndpointConfig,
    account: &mut Account,
    path: &str,
    request: &RestRequest,
) -> Result<RestAnswer, RestRefusal> {
    let parameters = query_parameters(&request.query);
    let parameter = |name: &str| parameters.get(name).map(String::as_str);
    let only = parameter("container").map(container_name).transpose()?;
    match (request.verb.as_str(), path) {
        ("GET", "") => Ok(about(config, account)),
        ("POST", "advance") => {
            let by_s = parameter("seconds").and_then(|text| text.parse::<u64>().ok());
            let by_s = by_s.ok_or_else(|| {
                RestRefusal::bad("`seconds` must be a whole number, as in /_ttl/advance?seconds=60")
            })?;
            advance(account, only.as_ref(), by_s)
        }
        ("POST", "removal") => {
            let schedule = parameter("schedule").and_then(RemovalSchedule::from_word);
            let schedule = schedule.ok_or_else(|| {
                let words = RemovalSchedule::WORDS.map(|(_, word)| word).join(", ");
                RestRefusal::bad(format!(
                    "`schedule` must be one of {words}, as in /_ttl/removal?schedule=by-hand"
                ))
            })?;
            if only.is_none() {
                account.removal = schedule;
            }
            for_each(account, only.as_ref(), |_, now_s, container| {
                Ok(container.store.set_removal(now_s, schedule)?)
            })?;
            Ok(said(&json!({ "removal": schedule.word() })))
        }
        ("POST", "remove-expired") => {
            let mut removed = Some(0_u64);
            for_each(account, only.as_ref(), |_, now_s, container| {
                let more = container.store.remove_expired(now_s).map_err(|fault| match fault {
                    Fault::Misuse(why) => RestRefusal::new(409, why),
                    fault => fault.into(),
                })?;
                removed = removed.zip(more).map(|(removed, more)| removed.saturating_add(more));
                Ok(())
            })?;
            Ok(said(&json!({ "removed": removed })))
        }
        ("GET", "expired") => expired(account, only.as_ref()),
        ("POST", "reset") => {
            account.databases.clear();
            account.clock.reset();
            account.removal = config.removal;
            Ok(said(&json!({ "now": account.clock.now_s(0) })))
        }
        _ => {
            let all = CONTROL_REQUESTS.map(|(request, _)| request).join(", ");
            Err(RestRefusal::bad(format!("no such control request; there are {all}")))
        }
    }
}

fn about(config: &EndpointConfig, account: &mut Account) -> RestAnswer {
    let units = account
        .containers()
        .map(|(_, container)| container.store.removal_units())
        .fold(0, u64::saturating_add);
    said(&json!({
        "control": 1,
        "name": config.stores.name(),
        "version": env!("CARGO_PKG_VERSION"),
        "clock": match account.clock.kind() { ClockKind::Real => "real", ClockKind::Virtual => "virtual" },
        "now": account.clock.now_s(0),
        "removal": account.removal.word(),
        "removals": RemovalSchedule::WORDS.map(|(_, word)| word),
        "removal-units": units,
        "bytes": account.bytes(),
    }))
}

fn advance(
    account: &mut Account,
    only: Option<&ContainerName>,
    by_s: u64,
) -> Result<RestAnswer, RestRefusal> {
    let clock = account.clock;
    let now_s = match only {
        None => {
            account.clock.advance(by_s)?;
            account.clock.now_s(0)
        }
        Some(name) => {
            let (_, container) = account.container(name)?;
            container.advanced_s = clock.advanced(container.advanced_s, by_s, clock.advanced_s())?;
            clock.now_s(container.advanced_s)
        }
    };
    for_each(account, only, |_, now_s, container| Ok(container.store.pass(now_s)?))?;
    Ok(said(&json!({ "now": now_s })))
}

fn expired(account: &mut Account, only: Option<&ContainerName>) -> Result<RestAnswer, RestRefusal> {
    let (mut listed, mut total) = (Vec::new(), 0_u64);
    for_each(account, only, |name, now_s, container| {
        let (items, count) = container.store.expired(now_s, MOST_LISTED.saturating_sub(listed.len()))?;
        total = total.saturating_add(count);
        let link = name.link();
        listed.extend(items.into_iter().map(|item| {
            let partition: serde_json::Value =
                serde_json::from_str(item.key.partition.as_str()).unwrap_or_default();
            json!({ "container": link, "partition": partition, "id": item.key.id, "_ts": item.ts })
        }));
        Ok(())
    })?;
    Ok(said(&json!({ "expired": listed, "count": total })))
}

fn for_each(
    account: &mut Account,
    only: Option<&ContainerName>,
    mut act: impl FnMut(&ContainerName, i64, &mut CosmosContainer) -> Result<(), RestRefusal>,
) -> Result<(), RestRefusal> {
    if let Some(name) = only {
        let (now_s, container) = account.container(name)?;
        return act(name, now_s, container);
    }
    let clock = account.clock;
    for (name, container) in account.containers() {
        act(&name, clock.now_s(container.advanced_s), container)?;
    }
    Ok(())
}

fn container_name(link: &str) -> Result<ContainerName, RestRefusal> {
    match ParsedPath::parse(link).map(|path| path.resource) {
        Ok(Resource::Container(name)) => Ok(name),
        _ => Err(RestRefusal::bad("`container` must be a link such as dbs/D/colls/C")),
    }
}

fn said(body: &serde_json::Value) -> RestAnswer {
    RestAnswer::new(200, body.to_string())
}
