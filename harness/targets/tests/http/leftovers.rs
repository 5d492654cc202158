//! Databases of runs that were killed: found by their whole name, and deleted only by that.

use std::time::Duration;

use cosmos_ttl_harness::target::Fault;
use cosmos_ttl_targets::http::{HttpTarget, Leftover};

use crate::server::{Server, json, with};

/// An hour, a minute and a second before the date of these tests.
const OLD: &str = "cosmos-ttl-1767221939-77-00c0ffee00c0ffee";
const YOUNG: &str = "cosmos-ttl-1767225599-4242-0123456789abcdef";
/// Similar names of databases that belong to others.
const OTHERS: [&str; 12] = [
    "cosmos-ttl",
    "cosmos-ttl-",
    "cosmos-ttl-production",
    "cosmos-ttl-1767221939-77",
    "cosmos-ttl-1767221939-77-c0ffee",
    "cosmos-ttl-1767221939-77-00c0ffee00c0ffeg",
    "cosmos-ttl-1767221939-77-00C0FFEE00C0FFEE",
    "cosmos-ttl-+1767221939-77-00c0ffee00c0ffee",
    "cosmos-ttl-01767221939-77-00c0ffee00c0ffee",
    "cosmos-ttl-1767221939-77-00c0ffee00c0ffee-2",
    "my-cosmos-ttl-1767221939-77-00c0ffee00c0ffee",
    "cosmos-ttl-1767221939-77-00c0ffee00c0ffee/colls/a",
];

fn page(names: &[&str]) -> String {
    let entries: Vec<_> = names.iter().map(|name| format!("{{\"id\":\"{name}\"}}")).collect();
    format!("{{\"_rid\":\"\",\"Databases\":[{}],\"_count\":{}}}", entries.join(","), names.len())
}

#[test]
fn databases_of_other_runs_are_listed_by_age_and_no_others_are() {
    let server = Server::new(|seen| {
        (seen.line == "GET /dbs").then(|| match seen.header("x-ms-continuation") {
            None => with(json(200, &page(&[&OTHERS[..], &[YOUNG]].concat())), "x-ms-continuation", "next"),
            Some(_) => json(200, &page(&[OLD])),
        })
    });
    let target = HttpTarget::new(server.config());
    let leftover =
        |name: &str, seconds| Leftover { name: name.to_owned(), age: Duration::from_secs(seconds) };
    assert_eq!(target.leftovers().unwrap(), [leftover(OLD, 3661), leftover(YOUNG, 1)]);
    assert_eq!(server.count("GET /dbs"), 2);
    assert_eq!(server.seen().len(), 2, "nothing but reads");
}

#[test]
fn the_runs_own_database_is_no_leftover() {
    let name = std::sync::Arc::new(std::sync::OnceLock::<String>::new());
    let own = std::sync::Arc::clone(&name);
    let server = Server::new(move |seen| {
        (seen.line == "GET /dbs").then(|| json(200, &page(&[own.get().unwrap().as_str(), OLD])))
    });
    let target = HttpTarget::new(server.config());
    name.set(target.database().to_owned()).unwrap();
    assert_eq!(target.leftovers().unwrap().len(), 1);
}

#[test]
fn only_what_a_run_has_named_is_deleted() {
    let server = Server::new(|_| None);
    let target = HttpTarget::new(server.config());
    for name in OTHERS {
        assert!(matches!(target.delete_leftover(name), Err(Fault::Misuse(_))), "{name}");
    }
    assert!(server.seen().is_empty());
    target.delete_leftover(OLD).unwrap();
    assert_eq!(server.last().line, format!("DELETE /dbs/{OLD}"));
}

#[test]
fn a_list_of_databases_that_is_none_is_said_and_has_an_end() {
    for body in ["", "{}", "[]", "{\"Databases\":[{\"id\":7}]}", "<html>"] {
        let server = Server::new(move |_| Some(json(200, body)));
        assert!(matches!(HttpTarget::new(server.config()).leftovers(), Err(Fault::Broken(_))), "{body}");
    }
    let server = Server::new(|_| Some(with(json(200, &page(&[OLD])), "x-ms-continuation", "again")));
    assert_eq!(HttpTarget::new(server.config()).leftovers().unwrap().len(), 20);
    let server = Server::new(|_| Some(json(500, "no")));
    assert!(HttpTarget::new(server.config()).leftovers().is_err());
}
