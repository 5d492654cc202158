//! A batch is its operations one after another, or nothing, in every way of choosing.

use std::collections::BTreeSet;

use cosmos_ttl_model::choices::{Binds, MadeChoice, OpenChoice, Preferences};
use cosmos_ttl_model::container::{Etag, Operation, Request, Response, World};
use cosmos_ttl_model::rule::Sent;

use crate::worlds::{A, B, draft, operations, worlds};

fn alone(world: &World, one: Operation, mut choose: Preferences) -> (World, Response) {
    let mut world = world.clone();
    let answer = world.answer(&Request::Item(one), &mut choose);
    (world, answer)
}

/// Tries a pair of operations in a world. Of two refusals a batch answers the first, or the last if that is chosen.
fn check(world: &World, first: Operation, second: Operation, choose: Preferences) {
    let mut batch = world.clone();
    let answer = batch.answer(&Request::Batch(vec![first, second]), &mut choose.clone());
    let (between, one) = alone(world, first, choose);
    let (after, two) = alone(&between, second, choose);
    let later = choose.has(OpenChoice::LaterRefusalIsAnswered);
    let expected = match (&one, &two) {
        (Response::Refused(_), Response::Refused(refusal)) if later => {
            Response::Aborted { at: 1, refusal: *refusal }
        }
        (Response::Refused(refusal), _) => Response::Aborted { at: 0, refusal: *refusal },
        (_, Response::Refused(refusal)) => Response::Aborted { at: 1, refusal: *refusal },
        _ => Response::Committed(vec![one, two]),
    };
    let after = if matches!(answer, Response::Committed(_)) { &after } else { world };
    assert_eq!((&batch, &answer), (after, &expected), "{first:?} {second:?} {world:?}");
}

#[test]
fn a_batch_is_its_operations_one_after_another_or_nothing() {
    let other = OpenChoice::ALL.iter().fold(Preferences::default(), |all, choice| all.with(*choice, true));
    // Each world of one item with some of the other, in an order that meets every setting.
    for world in worlds().step_by(19) {
        for choose in [Preferences::default(), other] {
            for first in operations(A) {
                for second in operations(A).into_iter().chain(operations(B).into_iter().step_by(5)) {
                    check(&world, first, second, choose);
                }
            }
        }
    }
}

/// Of each question every answer has its ways, and what binds is asked once.
#[test]
fn all_ways_through_a_batch_are_tried() {
    let draft = draft(A, Sent::WholeAsFraction(2));
    let replace = Operation::Replace { draft, if_match: Some(Etag(9)) };
    let batch = Request::Batch(vec![Operation::Upsert(draft), replace, Operation::Upsert(draft)]);
    for world in worlds().step_by(5) {
        let ways: BTreeSet<_> = world.outcomes(&batch).into_iter().map(|(made, _)| made).collect();
        for way in &ways {
            for (at, made) in way.iter().enumerate() {
                let other = MadeChoice { yes: !made.yes, ..*made };
                let has_other = |one: &Vec<_>| one.starts_with(&way[..at]) && one.get(at) == Some(&other);
                assert!(ways.iter().any(has_other), "{way:?} {at}");
                let again = way[..at].iter().any(|one| (one.choice, one.item) == (made.choice, made.item));
                assert!(!again || made.choice.binds() == Binds::Nothing, "{way:?}");
            }
        }
    }
}
