//! What only a clock that runs by itself brings out: writes of the same second of a vector that show different `_ts`.

use std::sync::LazyLock;

use super::*;
use crate::target::{Document, Item, Operation, Properties};
use crate::vector::{Suite, embedded};

static SUITE: LazyLock<Suite> = LazyLock::new(|| embedded().unwrap());

/// A batch that writes `a` and others, then another item, then a look at `a` and one at `b`, all within a second.
fn vector() -> Vector {
    let mut vector = SUITE.get("writes/batch-shares-one-ts").unwrap().clone();
    vector.steps = [0, 3, 2, 4, 5].map(|number| vector.steps[number].clone()).to_vec();
    vector.steps.iter_mut().for_each(|step| step.at_s = 1);
    vector.lifetimes_s.clear();
    vector
}

fn shows(status: Status, id: &str, ts: i64) -> Response {
    let document = Document { id: id.into(), properties: Properties::new() };
    Response::item(status, Item { document, ts: Some(ts), etag: None })
}

fn judged<'a>(
    judge: &mut Judge<'a>,
    number: usize,
    vector: &'a Vector,
    response: &Response,
    window: Option<&ClockInterval>,
) -> Judged {
    judge.judge(&StepAnswer { number, step: &vector.steps[number], response, window })
}

/// What comes of the two looks, where they show these `_ts`.
fn looks(ts_of_a: i64, ts_of_b: i64) -> [Judged; 2] {
    let vector = vector();
    let mut judge = Judge::new(&vector);
    let committed = Body::Committed(vec![Status::Created, Status::Ok, Status::Created]);
    let mut ask =
        |number: usize, response| judged(&mut judge, number, &vector, &response, Some(&(1001..=1002)));
    ask(0, Response::new(Status::Created));
    ask(1, Response { body: committed, ..Response::new(Status::Ok) });
    assert_eq!(ask(2, shows(Status::Created, "witness", 1002)), None);
    [ask(3, shows(Status::Found, "a", ts_of_a)), ask(4, shows(Status::Found, "b", ts_of_b))]
}

#[test]
fn a_ts_is_held_against_the_items_own_write_and_not_against_another_of_that_second() {
    assert_eq!(looks(1001, 1001), [None, None]);
    assert_eq!(looks(1002, 1002), [None, None]);
    assert!(matches!(looks(1003, 1003), [Some(Verdict::Fail(_)), _]));
}

#[test]
fn whoever_reads_one_item_of_a_batch_knows_the_ts_of_all() {
    for (ts_of_a, ts_of_b) in [(1001, 1002), (1002, 1001)] {
        let [a, b] = looks(ts_of_a, ts_of_b);
        assert_eq!(a, None);
        assert!(matches!(b, Some(Verdict::Fail(_))), "{b:?}");
    }
}

/// What comes of a look at an item's `_ts`, on a clock of which only this is known.
fn looked_at(
    at_s: u64,
    ts: i64,
    window: Option<&ClockInterval>,
    before: &[(u64, i64)],
    write: bool,
) -> Judged {
    let mut vector = vector();
    let look = |at_s, number: usize, expect| Step { at_s, expect, ..vector.steps[number].clone() };
    let created = ExpectedResponse::Status(Status::Created, Details::default());
    let mut steps: Vec<_> =
        before.iter().map(|(at_s, _)| look(*at_s, 2, Expect::One(created.clone()))).collect();
    let details =
        Details { written_at_s: Some(before.last().map_or(at_s, |(at_s, _)| *at_s)), ..Details::default() };
    let (number, status) = if write { (2, Status::Created) } else { (3, Status::Found) };
    let mut last = look(at_s, number, Expect::One(ExpectedResponse::Status(status, details)));
    if !write {
        last.request = Request::Item(Operation::Read("witness".into()));
    }
    steps.push(last);
    vector.steps = steps;
    let mut judge = Judge::new(&vector);
    for (number, (_, ts)) in before.iter().enumerate() {
        let answer = shows(Status::Created, "witness", *ts);
        assert_eq!(judged(&mut judge, number, &vector, &answer, window), None);
    }
    judged(&mut judge, before.len(), &vector, &shows(status, "witness", ts), window)
}

#[track_caller]
fn check_off(judged: &Judged, by: &str) {
    let Some(Verdict::Fail(Failure { got, .. })) = judged else { panic!("{judged:?}") };
    assert!(got.ends_with(&format!("with `_ts` {by} s from that")), "{got:?}");
}

#[test]
fn a_write_that_shows_its_own_ts_is_held_against_when_it_was_asked() {
    let window = 1001..=1002;
    assert_eq!(looked_at(1, 1002, Some(&window), &[], true), None);
    check_off(&looked_at(1, 1003, Some(&window), &[], true), "+1");
    check_off(&looked_at(1, 999, Some(&window), &[], true), "-2");
    // Another write of that second says nothing of this one.
    assert_eq!(looked_at(1, 1002, Some(&window), &[(1, 1001)], true), None);
}

#[test]
fn where_the_harness_moves_the_clock_its_first_second_is_that_of_the_first_write() {
    assert_eq!(looked_at(3, 1002, None, &[(0, 1000), (2, 1002)], false), None);
    check_off(&looked_at(3, 1005, None, &[(0, 1000), (2, 1005)], false), "+3");
    check_off(&looked_at(3, 1001, None, &[(0, 1000), (2, 1001)], false), "-1");
}

#[test]
fn a_write_was_in_the_second_of_its_ts_unless_it_cannot_have_been() {
    for (ts, certain_from) in [(1001, 1006), (1002, 1007), (1003, 1007), (1000, 1007)] {
        let mut vector = vector();
        vector.lifetimes_s.insert(5);
        let look = Step { at_s: 6, ..vector.steps[3].clone() };
        let mut judge = Judge::new(&vector);
        judged(&mut judge, 2, &vector, &shows(Status::Created, "witness", ts), Some(&(1001..=1002)));
        let certain = judge.observation_window(&look).certain;
        assert!(certain.missed(&(certain_from..=certain_from)).is_none(), "{ts}");
        assert!(certain.missed(&(certain_from - 1..=certain_from)).is_some(), "{ts}");
    }
}
