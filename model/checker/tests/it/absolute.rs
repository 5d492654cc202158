//! The worlds of the checker stand for worlds with a real clock: what it can tell apart is all that can be told apart.

use std::collections::BTreeSet;

use cosmos_ttl_checker::canonical;
use cosmos_ttl_model::choices::{MadeChoice, Preferences};
use cosmos_ttl_model::container::{
    Content, Draft, Etag, Index, Indexing, Item, ItemId, Operation, Request, Response, SettingsDraft,
    TtlChange, World,
};
use cosmos_ttl_model::rule::Sent;

const A: ItemId = ItemId(0);
/// The seconds of a walk, and how many writes it makes.
const BOUNDS: (i64, u32) = (5, 3);

/// Requests of every kind; a condition names the item's last write.
fn requests(world: &World) -> Vec<Request> {
    let draft = |ttl| Draft { id: A, ttl, content: Content(7) };
    let if_match = world.items.get(&A).map(|item| item.etag);
    let patch = Operation::Patch {
        id: A,
        ttl: TtlChange::Keep,
        content: Some(Content(8)),
        is_forbidden: false,
        if_match,
    };
    let mut all = vec![Request::Item(Operation::Read(A)), Request::Query, Request::Count];
    all.extend([patch, Operation::Delete { id: A, if_match }].map(Request::Item));
    for value in [Sent::Absent, Sent::Whole(-1), Sent::Whole(1), Sent::Whole(2), Sent::Whole(0)] {
        let indexing = if value == Sent::Whole(2) { Indexing::Lazy } else { Indexing::Consistent };
        all.push(Request::Configure(SettingsDraft { default_ttl: value, indexing }));
        all.push(Request::Item(Operation::Create(draft(value))));
        all.push(Request::Batch(vec![Operation::Upsert(draft(value)), patch]));
    }
    all
}

/// A request as it is said of the world that stands for this one.
fn renamed(world: &World) -> Vec<Request> {
    let mut named = world.clone();
    named.items.values_mut().for_each(|item| item.etag = Etag(A.0));
    requests(&named)
}

/// An answer without names and instants. Whatever is as old as the longest lifetime is old.
fn told(answer: &Response, now: i64) -> Response {
    let told = |item: &Item| Item { ts: (now - item.ts).min(2), etag: Etag(0), content: Content(0), ..*item };
    match answer {
        Response::Created(item) => Response::Created(told(item)),
        Response::Ok(item) => Response::Ok(told(item)),
        Response::Found(item) => Response::Found(told(item)),
        Response::Committed(all) => Response::Committed(all.iter().map(|one| self::told(one, now)).collect()),
        other => other.clone(),
    }
}

/// Takes a step of a world and of the one that stands for it, and returns what comes of the first.
fn check(world: &World, request: &Request, renamed: &Request) -> Vec<World> {
    let (all, capped) = (world.outcomes(request), canonical(world).outcomes(renamed));
    let told = |all: &[(Vec<MadeChoice>, (World, Response))], now| -> Vec<_> {
        let one =
            |(made, (after, answer)): &(Vec<_>, (_, _))| (made.clone(), canonical(after), told(answer, now));
        all.iter().map(one).collect()
    };
    assert_eq!(told(&all, world.now), told(&capped, 0), "{request:?} {world:?}");
    all.into_iter().map(|(_, (after, _))| after).collect()
}

#[test]
fn a_capped_world_answers_as_the_one_with_a_clock_that_it_stands_for() {
    for start in [0, i64::from(i32::MAX) - 2, i64::from(u32::MAX) - 2] {
        let draft = SettingsDraft { default_ttl: Sent::Whole(1), indexing: Indexing::Consistent };
        let mut open = vec![World::new(start, draft, &mut Preferences::default()).unwrap()];
        let mut known = BTreeSet::new();
        while let Some(world) = open.pop() {
            if world.now - start > BOUNDS.0 || world.next_etag.0 > BOUNDS.1 || !known.insert(world.clone()) {
                continue;
            }
            for (request, renamed) in requests(&world).iter().zip(&renamed(&world)) {
                open.extend(check(&world, request, renamed));
            }
            let moves: [fn(&mut World); 3] =
                [|world| world.wait(1), |world| _ = world.remove(A), World::catch_up];
            open.extend(moves.map(|go| {
                let (mut after, mut after_too) = (world.clone(), canonical(&world));
                go(&mut after);
                go(&mut after_too);
                assert_eq!(canonical(&after), canonical(&after_too), "{world:?}");
                after
            }));
        }
        assert!(known.iter().any(|world| world.index == Index::Rebuilding && !world.items.is_empty()));
    }
}
