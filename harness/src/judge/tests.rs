//! What only a clock that runs by itself brings out: writes of the same second of a vector that show different `_ts`.

use super::*;
use crate::target::{Document, Properties};
use crate::vector::embedded;

/// A batch that writes `a` and others, then another item, then a look at `a` and one at `b`, all within a second.
fn vector() -> Vector {
    let mut vector = embedded().unwrap().get("writes/batch-shares-one-ts").unwrap().clone();
    vector.steps = [0, 3, 2, 4, 5].map(|number| vector.steps[number].clone()).to_vec();
    vector.steps.iter_mut().for_each(|step| step.at_s = 1);
    vector.lifetimes_s.clear();
    vector
}

fn shows(status: Status, id: &str, ts: i64) -> Response {
    let document = Document { id: id.into(), properties: Properties::new() };
    Response::item(status, Item { document, ts: Some(ts), etag: None })
}

/// What comes of the two looks, where they show these `_ts`.
fn looks(ts_of_a: i64, ts_of_b: i64) -> [Judged; 2] {
    let vector = vector();
    let mut judge = Judge::new(&vector);
    let committed = Body::Committed(vec![Status::Created, Status::Ok, Status::Created]);
    let mut ask =
        |number: usize, response| judge.judge(number, &vector.steps[number], &response, Some(&(1001..=1002)));
    ask(0, Response::new(Status::Created));
    ask(1, Response { body: committed, ..Response::new(Status::Ok) });
    assert_eq!(ask(2, shows(Status::Created, "witness", 1002)), Judged::AsExpected);
    [ask(3, shows(Status::Found, "a", ts_of_a)), ask(4, shows(Status::Found, "b", ts_of_b))]
}

#[test]
fn a_ts_is_held_against_the_items_own_write_and_not_against_another_of_that_second() {
    assert_eq!(looks(1001, 1001), [Judged::AsExpected, Judged::AsExpected]);
    assert_eq!(looks(1002, 1002), [Judged::AsExpected, Judged::AsExpected]);
    assert!(matches!(looks(1003, 1003), [Judged::Differs { .. }, _]));
}

#[test]
fn whoever_reads_one_item_of_a_batch_knows_the_ts_of_all() {
    for (ts_of_a, ts_of_b) in [(1001, 1002), (1002, 1001)] {
        let [a, b] = looks(ts_of_a, ts_of_b);
        assert_eq!(a, Judged::AsExpected);
        assert!(matches!(b, Judged::Differs { .. }), "{b:?}");
    }
}
