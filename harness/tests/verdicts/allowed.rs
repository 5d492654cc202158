//! Stores that use a freedom which no clause takes away: no vector fails on one of them.

use cosmos_ttl_harness::etags::EtagLog;
use cosmos_ttl_harness::target::{
    About, Body, Document, Fault, Item, Operation, Request, Response, Session, Status, Target,
};
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_mutants::{CONTROLS, FaultyStore, named};
use cosmos_ttl_testing::hooked::hooked;
use cosmos_ttl_testing::twisted::{Twist, Wrong};
use cosmos_ttl_testing::{names_of, run_all, suite};

/// The reference with its answers twisted so fails nothing; at least this many vectors still pass.
#[track_caller]
fn check_fails_nothing(twist: Twist, least: usize) {
    let suite = suite();
    let run = run_all(&Wrong(twist), suite);
    let none: [&str; 0] = [];
    assert_eq!(names_of(&run, Outcome::Fail), none);
    let passed = names_of(&run, Outcome::Pass).len();
    assert!(passed >= least, "{passed} pass");
}

fn is_write(request: &Request) -> bool {
    matches!(request, Request::Item(operation) if operation.is_write())
}

fn without_item(response: Response) -> Response {
    let body = if matches!(response.body, Body::Item(_)) { Body::Nothing } else { response.body };
    Response { body, ..response }
}

#[test]
fn a_target_may_show_no_item_in_the_answer_to_a_write_or_one_in_that_to_a_create_only() {
    let twist = |request: &Request, answer| Ok(if is_write(request) { without_item(answer) } else { answer });
    check_fails_nothing(twist, 150);
    let twist = |request: &Request, answer| {
        let is_create = matches!(request, Request::Item(Operation::Create(_)));
        Ok(if is_write(request) && !is_create { without_item(answer) } else { answer })
    };
    check_fails_nothing(twist, 150);
}

/// A store that shows items in the answers to reads only.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoItemsOnWrites(pub(crate) FaultyStore);

impl Target for NoItemsOnWrites {
    fn about(&self) -> About {
        self.0.about()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(hooked(self.0.session(), |session, request| {
            let response = session.send(request)?;
            Ok(if is_write(request) { without_item(response) } else { response })
        }))
    }
}

fn fails(target: &dyn Target) -> Vec<&'static str> {
    names_of(&run_all(target, suite()), Outcome::Fail)
}

#[test]
fn a_ts_that_counts_no_seconds_is_found_where_only_reads_show_it() {
    assert_ne!(fails(&NoItemsOnWrites(named("ts-is-in-minutes").unwrap())), [""; 0]);
}

#[test]
fn a_right_store_that_shows_items_in_reads_only_fails_nothing() {
    for control in CONTROLS.iter() {
        assert_eq!(fails(&NoItemsOnWrites(control.store.into())), [""; 0], "{}", control.name);
    }
}

/// Nobody learns from the `_ts` of a patched item what second it is.
#[test]
fn a_patch_that_does_not_set_ts_fails_no_more_where_only_reads_show_it() {
    let store = named("patch-does-not-restart").unwrap();
    let (plainly, with_reads_only) = (fails(&store), fails(&NoItemsOnWrites(store)));
    assert!(!with_reads_only.is_empty());
    assert!(with_reads_only.iter().all(|name| plainly.contains(name)), "{with_reads_only:?}");
}

#[test]
fn a_target_may_show_etags_and_ts_in_reads_only() {
    let twist = |request: &Request, mut answer: Response| {
        if let (true, Body::Item(item)) = (is_write(request), &mut answer.body) {
            (item.etag, item.ts) = (None, None);
        }
        Ok(answer)
    };
    check_fails_nothing(twist, 150);
}

/// Every upsert that succeeds answers this, in a batch and outside.
fn upserts_answer(request: &Request, mut answer: Response, status: Status) -> Response {
    let operations = request.operations();
    let is_upsert = |operation: Option<&Operation>| matches!(operation, Some(Operation::Upsert(_)));
    match &mut answer.body {
        Body::Committed(all) => {
            let upserts = all.iter_mut().enumerate().filter(|(at, _)| is_upsert(operations.get(*at)));
            upserts.for_each(|(_, one)| *one = status);
        }
        _ if is_upsert(operations.first()) && answer.status.is_success() => answer.status = status,
        _ => {}
    }
    answer
}

#[test]
fn every_upsert_may_answer_that_it_created_an_item() {
    check_fails_nothing(|request, answer| Ok(upserts_answer(request, answer, Status::Created)), 200);
}

/// Else the etag from before the batch would count as the present one, and a correct target would fail.
#[test]
fn the_etag_that_a_batch_gave_to_an_item_is_unknown_until_an_answer_shows_it() {
    let document = || Document { id: "a".into(), properties: [].into() };
    let shown = |etag: &str| {
        let item = Item { document: document(), ts: None, etag: Some(etag.into()) };
        (Request::Item(Operation::Read("a".into())), Response::item(Status::Found, item))
    };
    let mut log = EtagLog::default();
    let mut record = |(request, response): (Request, Response)| {
        log.record_answer(&request, &response);
        log.current("a").cloned()
    };
    let batch = |operation, status| (Request::Batch(vec![operation]), Response::committed(vec![status]));
    assert_eq!(record(shown("first")), Some("first".into()));
    assert_eq!(record(batch(Operation::Read("a".into()), Status::Found)), Some("first".into()));
    assert_eq!(record(batch(Operation::Upsert(document()), Status::Ok)), None);
    assert_eq!(record(shown("second")), Some("second".into()));
}
