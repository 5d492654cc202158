//! Stores that use a freedom which no clause takes away: no vector fails on one of them.

use cosmos_ttl_harness::target::{Body, Fault, Operation, Request, Response};
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_testing::twisted::{Twist, Wrong};
use cosmos_ttl_testing::{names_of, run_all, suite};

/// The reference with its answers twisted so fails nothing; at least this many vectors still pass.
#[track_caller]
fn check_fails_nothing(twist: Twist, passes: usize) {
    let suite = suite();
    let run = run_all(&Wrong(twist), &suite);
    let none: [&str; 0] = [];
    assert_eq!(names_of(&run, Outcome::Fail), none);
    let passed = names_of(&run, Outcome::Pass).len();
    assert!(passed >= passes, "{passed} pass");
}

fn is_write(request: &Request) -> bool {
    matches!(request, Request::Item(operation) if operation.is_write())
}

fn without_item(response: Response) -> Result<Response, Fault> {
    let body = if matches!(response.body, Body::Item(_)) { Body::Nothing } else { response.body };
    Ok(Response { body, ..response })
}

#[test]
fn a_target_may_show_no_item_in_the_answer_to_a_write() {
    let twist = |request: &Request, answer| if is_write(request) { without_item(answer) } else { Ok(answer) };
    check_fails_nothing(twist, 150);
}

#[test]
fn a_target_may_show_the_item_in_the_answer_to_a_create_only() {
    let twist = |request: &Request, answer| match request {
        Request::Item(Operation::Create(_)) => Ok(answer),
        _ if is_write(request) => without_item(answer),
        _ => Ok(answer),
    };
    check_fails_nothing(twist, 150);
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
