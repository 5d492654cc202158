//! Nothing is left behind, or it is said what; databases of runs that were killed are found by their whole name.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use cosmos_ttl_harness::target::{Fault, Target as _};
use cosmos_ttl_targets::http::{HttpConfig, HttpTarget, Leftover};

use super::server::{Reply, Seen, Server, json, open, with, within};
use super::{container, read};
use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        a_session_deletes_its_container_and_the_target_its_database,
        a_session_that_ends_in_a_panic_deletes_its_container,
        a_database_is_deleted_only_if_it_may_be_the_runs_own,
        a_database_that_stays_is_named,
        an_interruption_at_a_server_that_hangs_ends_within_five_seconds,
        a_clean_up_has_an_end_where_nobody_interrupted,
        a_container_that_stays_goes_with_the_database,
        a_busy_target_is_waited_for_when_cleaning_up,
        an_interruption_ends_waiting_before_anybody_cleans_up,
        an_answer_from_a_database_that_is_being_deleted_is_not_judged,
        databases_of_other_runs_are_listed_by_age_and_no_others_are,
        the_runs_own_database_is_no_leftover,
        only_what_a_run_has_named_is_deleted,
        a_list_of_databases_that_is_none_is_said_and_has_an_end,
    ]
}

fn a_session_deletes_its_container_and_the_target_its_database() {
    let server = Server::new(|_| None);
    let target = server.target();
    let database = target.database().to_owned();
    let mut session = open(&target);
    session.send(&container()).unwrap();
    session.close().unwrap();
    drop(session);
    assert_eq!(server.last().line, format!("DELETE /dbs/{database}/colls/vector-0"));
    target.cleanup().unwrap();
    target.cleanup().unwrap();
    drop(target);
    assert_eq!(server.last().line, format!("DELETE /dbs/{database}"));
    assert_eq!(server.count("DELETE "), 2);
}

fn a_session_that_ends_in_a_panic_deletes_its_container() {
    let server = Server::new(|_| None);
    let target = Arc::new(server.target());
    let inside = Arc::clone(&target);
    let ended = thread::spawn(move || {
        let mut session = open(&inside);
        session.send(&container()).unwrap();
        panic!("as a test would");
    });
    assert!(ended.join().is_err());
    assert_eq!(server.count("DELETE "), 1);
}

/// Each row: the replies to requests for a database, whether the last makes one, and how many are deleted.
fn a_database_is_deleted_only_if_it_may_be_the_runs_own() {
    let (lost, there) = (Reply::Raw(vec![]), json(409, "there already"));
    for (replies, is_made, deleted) in
        [(vec![lost.clone()], false, 1), (vec![there.clone()], false, 0), (vec![lost, there], true, 1)]
    {
        let tries = replies.len();
        let server = Server::in_turn(|seen| seen.line == "POST /dbs", replies);
        let target = HttpTarget::new(server.config());
        let prepared: Vec<_> = (0..tries).map(|_| target.prepare()).collect();
        assert!(matches!(prepared[0], Err(Fault::Broken(_))), "{prepared:?}");
        assert_eq!(prepared[tries - 1].is_ok(), is_made, "{prepared:?}");
        assert_eq!(target.cleanup(), Ok(()));
        assert_eq!(server.count("DELETE /dbs/"), deleted);
    }
}

fn a_database_that_stays_is_named() {
    let server = Server::new(|seen| seen.line.starts_with("DELETE ").then(|| json(500, "I'd rather not")));
    let target = server.target();
    let fault = target.cleanup().unwrap_err();
    assert!(fault.to_string().contains(target.database()), "{fault}");
    assert!(fault.to_string().contains("left behind") && fault.to_string().contains("rather not"), "{fault}");
    let command = format!("cosmos-ttl cleanup {} {}", server.url(), target.database());
    assert!(fault.to_string().contains(&command), "{fault}");
    let tries = server.count("DELETE ");
    assert_eq!(tries, 2, "an error of the server has a second chance");
    assert!(target.cleanup().is_err(), "it is tried again");
    assert_eq!(server.count("DELETE "), 2 * tries);
    drop(target);
    assert_eq!(server.count("DELETE "), 2 * tries, "what is left was named before");
}

/// Interrupts the target while an item is read in a session, of which nobody then knows what came.
fn interrupted(server: &Server, target: &Arc<HttpTarget>) {
    let inside = Arc::clone(target);
    let waiting = thread::spawn(move || {
        let mut session = open(&inside);
        session.send(&container()).unwrap();
        let fault = session.send(&read("a")).unwrap_err();
        session.close().unwrap();
        fault
    });
    while server.count("GET ") == 0 {
        thread::yield_now();
    }
    target.interrupt();
    target.interrupt();
    let fault = waiting.join().unwrap();
    assert!(matches!(&fault, Fault::Unknown(said) if said.contains("interrupted")), "{fault}");
}

fn an_interruption_at_a_server_that_hangs_ends_within_five_seconds() {
    within(Duration::from_secs(5), || {
        let hangs = |seen: &Seen| seen.line.contains("/docs") || seen.line.starts_with("DELETE ");
        let server = Server::new(move |seen| hangs(seen).then_some(Reply::Hang));
        let target = Arc::new(super::server::patient(&server));
        interrupted(&server, &target);
        let fault = target.cleanup().unwrap_err().to_string();
        assert!(fault.contains("left behind") && fault.contains(target.database()), "{fault}");
    });
}

fn a_clean_up_has_an_end_where_nobody_interrupted() {
    within(Duration::from_secs(5), || {
        let busy = || with(json(429, ""), "x-ms-retry-after-ms", "100");
        let server = Server::new(move |seen| seen.line.starts_with("DELETE ").then(busy));
        let target = HttpTarget::connect(server.hasty()).unwrap();
        assert!(target.cleanup().unwrap_err().to_string().contains("left behind"));
        assert!(server.count("DELETE ") < 11);
    });
}

fn a_container_that_stays_goes_with_the_database() {
    for reply in [json(500, "no"), json(401, "no"), json(503, "no"), Reply::Raw(vec![])] {
        let server = Server::new(move |seen| {
            let container = seen.line.starts_with("DELETE ") && seen.line.contains("/colls/");
            container.then(|| reply.clone())
        });
        let target = server.target();
        let mut session = open(&target);
        session.send(&container()).unwrap();
        assert_eq!(session.close(), Ok(()));
        let tries = server.count("DELETE ");
        drop(session);
        assert_eq!(server.count("DELETE "), tries, "it is tried once");
        assert_eq!(target.cleanup(), Ok(()));
        assert_eq!(server.last().line, format!("DELETE /dbs/{}", target.database()));
    }
}

fn a_busy_target_is_waited_for_when_cleaning_up() {
    let busy = with(json(429, ""), "x-ms-retry-after-ms", "10");
    let replies = vec![busy.clone(), busy, json(204, "")];
    let server = Server::in_turn(|seen| seen.line.starts_with("DELETE "), replies);
    server.target().cleanup().unwrap();
    assert_eq!(server.count("DELETE "), 3);
}

fn an_interruption_ends_waiting_before_anybody_cleans_up() {
    within(Duration::from_secs(10), || {
        let turn = AtomicUsize::new(0);
        let server = Server::new(move |seen| {
            let busy = |wait| Some(with(json(429, ""), "x-ms-retry-after-ms", wait));
            match seen.line.as_str() {
                line if line.contains("/docs") => busy("60000"),
                line if line.starts_with("DELETE ") && turn.fetch_add(1, Ordering::SeqCst) == 0 => busy("1"),
                _ => None,
            }
        });
        let config = HttpConfig::new(&server.url(), None).unwrap().with_patience(Duration::from_secs(600));
        let target = Arc::new(HttpTarget::connect(config).unwrap());
        interrupted(&server, &target);
        assert!(target.open().is_err());
        assert_eq!(server.count("DELETE "), 0);
        target.cleanup().unwrap();
        assert_eq!(server.count("DELETE "), 2, "this one is patient");
    });
}

fn an_answer_from_a_database_that_is_being_deleted_is_not_judged() {
    within(Duration::from_secs(10), || {
        let (asked, wait_asked) = std::sync::mpsc::channel();
        let (go, wait_go) = std::sync::mpsc::channel::<()>();
        let wait_go = std::sync::Mutex::new(wait_go);
        let server = Server::new(move |seen| {
            if !seen.line.contains("/docs") {
                return None;
            }
            asked.send(()).unwrap();
            wait_go.lock().unwrap().recv().unwrap();
            Some(json(404, "the database has gone"))
        });
        let target = Arc::new(super::server::patient(&server));
        let inside = Arc::clone(&target);
        let reader = thread::spawn(move || open(&inside).send(&read("a")));
        wait_asked.recv().unwrap();
        target.cleanup().unwrap();
        go.send(()).unwrap();
        assert!(matches!(reader.join().unwrap(), Err(Fault::Unknown(_))));
    });
}

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

fn the_runs_own_database_is_no_leftover() {
    let name = Arc::new(std::sync::OnceLock::<String>::new());
    let own = Arc::clone(&name);
    let server = Server::new(move |seen| {
        (seen.line == "GET /dbs").then(|| json(200, &page(&[own.get().unwrap().as_str(), OLD])))
    });
    let target = HttpTarget::new(server.config());
    name.set(target.database().to_owned()).unwrap();
    assert_eq!(target.leftovers().unwrap().len(), 1);
}

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
