//! The http target against a real server: npm `@vercel/cosmosdb-server`, which has no time to live at all.
//!
//! `harness/implementations/cosmosdb-server/start` starts it and prints the URL that goes into `COSMOS_TTL_SERVER_URL`. Where that is not
//! set, every test here says that it was not run.

use std::env;
use std::thread;

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Body, Container, Document, Fault, Indexing, Item, Operation, Patch, Request, Response, Session, Status,
    Target as _,
};
use cosmos_ttl_targets::http::{HttpConfig, HttpTarget};
use libtest_mimic::{Completion, Failed, Trial};

const VARIABLE: &str = "COSMOS_TTL_SERVER_URL";

type Check = fn(&HttpTarget);

pub(crate) fn trials() -> Vec<Trial> {
    let checks: [(&str, Check); 13] = [
        ("it_says_who_it_is", it_says_who_it_is),
        ("an_item_is_created_read_and_deleted", an_item_is_created_read_and_deleted),
        ("any_ttl_is_taken_and_written_as_javascript_does", any_ttl_is_taken_and_written_as_javascript_does),
        ("an_item_is_replaced_and_upserted", an_item_is_replaced_and_upserted),
        ("an_item_is_patched", an_item_is_patched),
        ("an_etag_is_a_condition", an_etag_is_a_condition),
        ("a_missing_id_is_not_found", a_missing_id_is_not_found),
        ("items_are_queried_listed_and_counted", items_are_queried_listed_and_counted),
        ("a_container_is_replaced_and_that_empties_it", a_container_is_replaced_and_that_empties_it),
        ("every_indexing_is_taken", every_indexing_is_taken),
        ("a_batch_of_creates_is_committed_or_aborted", a_batch_of_creates_is_committed_or_aborted),
        ("a_batch_of_anything_else_is_more_than_it_knows", a_batch_of_anything_else_is_more_than_it_knows),
        ("vectors_side_by_side_do_not_see_each_other", vectors_side_by_side_do_not_see_each_other),
    ];
    checks
        .map(|(name, check)| {
            Trial::ignorable_test(name, move || super::alone(&super::SERVER, || try_it(check)))
        })
        .into()
}

fn try_it(check: Check) -> Result<Completion, Failed> {
    let Some(url) = env::var(VARIABLE).ok().filter(|url| !url.is_empty()) else {
        return Ok(Completion::ignored_with(format!("{VARIABLE} is not set")));
    };
    let target = HttpTarget::connect(HttpConfig::new(&url, None)?)?;
    check(&target);
    target.cleanup()?;
    Ok(Completion::Completed)
}

fn literal(text: &str) -> Literal {
    Literal::parse(text).unwrap()
}

fn document(id: &str, properties: &[(&str, &str)]) -> Document {
    let properties = properties.iter().map(|(name, value)| ((*name).to_owned(), literal(value)));
    Document { id: id.to_owned(), properties: properties.collect() }
}

fn create(id: &str, ttl: &str) -> Operation {
    Operation::Create(document(id, &[("ttl", ttl)]))
}

fn settings(ttl: Option<&str>, indexing: Indexing) -> Container {
    Container { default_ttl: ttl.map(literal), indexing }
}

/// A session with a container that has a default of 100 seconds.
fn open(target: &HttpTarget) -> Box<dyn Session + '_> {
    let mut session = target.open().unwrap();
    let made = session.send(&Request::CreateContainer(settings(Some("100"), Indexing::Consistent))).unwrap();
    assert_eq!(made, Response::new(Status::Created));
    session
}

/// Sends an operation whose answer carries an item.
fn item(session: &mut Box<dyn Session + '_>, operation: Operation, status: Status) -> Item {
    let response = session.send(&Request::Item(operation)).unwrap();
    assert_eq!(response.status, status, "{:?}", response.detail);
    match response.body {
        Body::Item(item) => item,
        other => panic!("{other:?}"),
    }
}

fn status(session: &mut Box<dyn Session + '_>, request: &Request) -> Status {
    session.send(request).unwrap().status
}

fn ids(response: &Response) -> Vec<&str> {
    match &response.body {
        Body::Ids(ids) => ids.iter().map(String::as_str).collect(),
        other => panic!("{other:?}"),
    }
}

fn read(id: &str) -> Operation {
    Operation::Read(id.to_owned())
}

fn delete(id: &str, etag: Option<&String>) -> Operation {
    Operation::Delete(id.to_owned(), etag.cloned())
}

fn it_says_who_it_is(target: &HttpTarget) {
    let about = target.about();
    assert!(about.name.starts_with("127.0.0.1:") || about.name.starts_with("localhost:"), "{}", about.name);
    assert_eq!(about.version, "unknown");
}

fn an_item_is_created_read_and_deleted(target: &HttpTarget) {
    let mut session = open(target);
    let made = item(&mut session, create("a", "10"), Status::Created);
    assert_eq!(made.document, document("a", &[("ttl", "10")]));
    assert!(made.ts.is_some_and(|ts| ts > 1_700_000_000) && made.etag.is_some());
    assert_eq!(status(&mut session, &Request::Item(create("a", "10"))), Status::Conflict);
    assert_eq!(item(&mut session, read("a"), Status::Found), made);
    assert_eq!(status(&mut session, &Request::Item(delete("a", None))), Status::NoContent);
    assert_eq!(status(&mut session, &Request::Item(delete("a", None))), Status::NotFound);
    assert_eq!(session.close(), Ok(()));
}

fn any_ttl_is_taken_and_written_as_javascript_does(target: &HttpTarget) {
    let mut session = open(target);
    for (id, ttl, echo) in [
        ("a", "10.0", "10"),
        ("b", "1e400", "null"),
        ("c", "0", "0"),
        ("d", "-2", "-2"),
        ("e", "\"10\"", "\"10\""),
        ("f", "null", "null"),
    ] {
        let made = item(&mut session, create(id, ttl), Status::Created);
        assert_eq!(made.document.ttl(), Some(&literal(echo)), "{ttl}");
    }
}

fn an_item_is_replaced_and_upserted(target: &HttpTarget) {
    let mut session = open(target);
    let upsert = |value| Operation::Upsert(document("a", &[("value", value)]));
    item(&mut session, upsert("1"), Status::Created);
    item(&mut session, upsert("2"), Status::Ok);
    let replaced = item(&mut session, Operation::Replace(document("a", &[("value", "3")]), None), Status::Ok);
    assert_eq!(item(&mut session, read("a"), Status::Found), replaced);
    let missing = Request::Item(Operation::Replace(document("b", &[]), None));
    assert_eq!(status(&mut session, &missing), Status::NotFound);
}

fn an_item_is_patched(target: &HttpTarget) {
    let mut session = open(target);
    item(&mut session, Operation::Create(document("a", &[("ttl", "10"), ("value", "1")])), Status::Created);
    let set = document("a", &[("value", "2")]).properties;
    let patch = Patch { id: "a".to_owned(), set, remove: vec!["ttl".to_owned()] };
    let patched = item(&mut session, Operation::Patch(patch, None), Status::Ok);
    assert_eq!(patched.document, document("a", &[("value", "2")]));
}

fn an_etag_is_a_condition(target: &HttpTarget) {
    let mut session = open(target);
    let old = item(&mut session, create("a", "10"), Status::Created).etag;
    let replace = |etag: &Option<String>| Operation::Replace(document("a", &[]), etag.clone());
    let new = item(&mut session, replace(&old), Status::Ok).etag;
    assert_ne!(old, new);
    assert_eq!(status(&mut session, &Request::Item(replace(&old))), Status::PreconditionFailed);
    let delete = |etag: &Option<String>| Request::Item(delete("a", etag.as_ref()));
    assert_eq!(status(&mut session, &delete(&old)), Status::PreconditionFailed);
    assert_eq!(status(&mut session, &delete(&new)), Status::NoContent);
}

/// It answers 500 to this unless it is told that the read crosses partitions.
fn a_missing_id_is_not_found(target: &HttpTarget) {
    let mut session = open(target);
    assert_eq!(status(&mut session, &Request::Item(read("a"))), Status::NotFound);
    let mut elsewhere = target.open().unwrap();
    assert_eq!(status(&mut elsewhere, &Request::Item(read("a"))), Status::NotFound);
    assert_eq!(status(&mut elsewhere, &Request::Query), Status::NotFound);
}

fn items_are_queried_listed_and_counted(target: &HttpTarget) {
    let mut session = open(target);
    for count in [0, 1, 2] {
        for request in [Request::Query, Request::List] {
            let response = session.send(&request).unwrap();
            assert_eq!(ids(&response).len(), count, "{request:?}");
        }
        assert_eq!(session.send(&Request::Count).unwrap(), Response::count(u64::try_from(count).unwrap()));
        item(&mut session, create(&format!("item-{count}"), "-1"), Status::Created);
    }
}

fn a_container_is_replaced_and_that_empties_it(target: &HttpTarget) {
    let mut session = open(target);
    item(&mut session, create("a", "10"), Status::Created);
    let replace = Request::ReplaceContainer(settings(None, Indexing::Consistent));
    assert_eq!(session.send(&replace).unwrap(), Response::new(Status::Ok));
    assert_eq!(status(&mut session, &Request::Item(read("a"))), Status::NotFound);
}

fn every_indexing_is_taken(target: &HttpTarget) {
    for indexing in [Indexing::Consistent, Indexing::Lazy, Indexing::None] {
        let mut session = target.open().unwrap();
        let make = Request::CreateContainer(settings(Some("-1"), indexing));
        assert_eq!(status(&mut session, &make), Status::Created);
        assert_eq!(status(&mut session, &make), Status::Conflict);
    }
}

fn a_batch_of_creates_is_committed_or_aborted(target: &HttpTarget) {
    let mut session = open(target);
    let batch = Request::Batch(vec![create("a", "10"), create("b", "10")]);
    assert_eq!(session.send(&batch).unwrap().body, Body::Committed(vec![Status::Created; 2]));
    let again = session.send(&Request::Batch(vec![create("c", "10"), create("b", "10")])).unwrap();
    assert_eq!((again.status, again.body), (Status::Conflict, Body::Aborted { at: 1 }));
}

/// The server expects a partition key in each operation, not only in the header. It has no patch.
fn a_batch_of_anything_else_is_more_than_it_knows(target: &HttpTarget) {
    let mut session = open(target);
    for operation in [read("a"), delete("a", None), Operation::Upsert(document("a", &[]))] {
        let batch = Request::Batch(vec![operation]);
        // The first errors may pass.
        let answers = [(); 3].map(|()| session.send(&batch));
        assert!(
            matches!(&answers[2], Err(Fault::Unsupported(said)) if said.contains("answered 500")),
            "{answers:?}"
        );
    }
    let patch = Patch { id: "a".to_owned(), set: document("a", &[("ttl", "1")]).properties, remove: vec![] };
    let answer = session.send(&Request::Batch(vec![Operation::Patch(patch, None)]));
    assert!(matches!(&answer, Err(Fault::Unsupported(said)) if said.contains("answered 400")), "{answer:?}");
}

fn vectors_side_by_side_do_not_see_each_other(target: &HttpTarget) {
    thread::scope(|scope| {
        for number in 0..100 {
            scope.spawn(move || {
                let mut session = open(target);
                let id = format!("item-{number}");
                item(&mut session, create(&id, "10"), Status::Created);
                assert_eq!(ids(&session.send(&Request::Query).unwrap()), [id]);
                assert_eq!(session.close(), Ok::<(), Fault>(()));
            });
        }
    });
}
