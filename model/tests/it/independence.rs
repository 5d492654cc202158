//! Items do not influence each other: what happens to one is what would happen if the other were not there.

use cosmos_ttl_model::container::{
    Content, Draft, Etag, Index, Indexing, Item, ItemId, Operation, Request, Response, Rules, Settings,
    SettingsDraft, TtlChange, World,
};
use cosmos_ttl_model::interpretation::{Aggregates, ExpiredUpsert, Interpretation};
use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl, TtlSeconds, Wire};

const A: ItemId = ItemId(0);
const B: ItemId = ItemId(1);
const NOW: i64 = 1_700_000_000;
const WIRES: [Wire; 6] =
    [Wire::Absent, Wire::Whole(-1), Wire::Whole(1), Wire::Whole(2), Wire::Whole(0), Wire::Null];

fn seconds(number: i64) -> TtlSeconds {
    TtlSeconds::new(number).unwrap()
}

/// Every item with lifetimes up to 2 s, up to the age of 3 s.
fn items(id: ItemId) -> impl Iterator<Item = Item> {
    let ttls = [ItemTtl::Inherit, ItemTtl::Never, ItemTtl::Seconds(seconds(1)), ItemTtl::Seconds(seconds(2))];
    ttls.into_iter().flat_map(move |ttl| {
        (0..=3).map(move |age| Item { ttl, ts: NOW - age, etag: Etag(id.0), content: Content(id.0) })
    })
}

/// Every world of two items, under every setting.
fn worlds() -> impl Iterator<Item = World> {
    let defaults = [
        DefaultTtl::Off,
        DefaultTtl::NoDefault,
        DefaultTtl::Seconds(seconds(1)),
        DefaultTtl::Seconds(seconds(2)),
    ];
    let pairs = || items(A).flat_map(|a| items(B).map(move |b| [(A, a), (B, b)]));
    defaults.into_iter().flat_map(move |default_ttl| {
        let settings = Settings { default_ttl, indexing: Indexing::Consistent };
        pairs().map(move |pair| World {
            now: NOW,
            settings,
            items: pair.into(),
            next_etag: Etag(2),
            index: Index::Ready,
        })
    })
}

/// The world as it would be if this item had never been stored.
fn without(world: &World, id: ItemId) -> World {
    let mut world = world.clone();
    world.items.remove(&id);
    world
}

/// Every kind of request about one item.
fn operations(id: ItemId) -> Vec<Operation> {
    let mut all = vec![Operation::Read(id)];
    for if_match in [None, Some(Etag(id.0)), Some(Etag(9))] {
        all.push(Operation::Delete { id, if_match });
        for ttl in WIRES {
            let draft = Draft { id, ttl, content: Content(7) };
            all.push(Operation::Replace { draft, if_match });
            all.extend([Operation::Create(draft), Operation::Upsert(draft)]);
            all.push(Operation::Patch { id, ttl: TtlChange::Set(ttl), content: None, if_match });
        }
        for ttl in [TtlChange::Keep, TtlChange::Remove] {
            all.push(Operation::Patch { id, ttl, content: Some(Content(7)), if_match });
        }
    }
    all
}

fn readings() -> [Rules; 2] {
    let (aggregates, expired_upsert) = (Aggregates::Counted, ExpiredUpsert::Replaced);
    let other = Interpretation { aggregates, expired_upsert, ..Interpretation::default() };
    [Rules::default(), Rules { interpretation: other, ..Rules::default() }]
}

#[test]
fn a_request_about_one_item_is_answered_and_done_as_if_the_other_were_not_there() {
    let operations = operations(A);
    let requests: Vec<Request> = operations.iter().copied().map(Request::Item).collect();
    for world in worlds() {
        let alone = without(&world, B);
        for (rules, request) in
            readings().iter().flat_map(|rules| requests.iter().map(move |one| (*rules, one)))
        {
            let (after, answer) = world.step(rules, request);
            let (alone_after, alone_answer) = alone.step(rules, request);
            assert_eq!(answer, alone_answer, "{request:?} {world:?}");
            assert_eq!(without(&after, B), alone_after, "{request:?} {world:?}");
            assert_eq!(after.items.get(&B), world.items.get(&B), "{request:?} {world:?}");
            assert_eq!(after.visible(B), world.visible(B), "{request:?} {world:?}");
        }
    }
}

#[test]
fn a_batch_does_to_each_item_what_its_operations_on_it_do_alone() {
    let operation = |id, ttl| Operation::Upsert(Draft { id, ttl, content: Content(7) });
    for world in worlds() {
        for (first, second) in [(WIRES[0], WIRES[2]), (WIRES[3], WIRES[1])] {
            let both = Request::Batch(vec![operation(A, first), operation(B, second)]);
            let (after, answer) = world.step(Rules::default(), &both);
            assert!(matches!(answer, Response::Committed(_)));
            for (id, ttl) in [(A, first), (B, second)] {
                let alone = world.step(Rules::default(), &Request::Item(operation(id, ttl))).0;
                let life = |world: &World| world.items.get(&id).map(|item| (item.ttl, item.ts, item.content));
                assert_eq!(life(&after), life(&alone));
            }
        }
    }
}

#[test]
fn a_list_is_the_lists_of_both_items_and_a_count_their_sum() {
    for world in worlds() {
        for rules in readings() {
            let listed = |world: &World| match world.step(rules, &Request::Query).1 {
                Response::Ids(ids) => ids,
                other => panic!("{other:?}"),
            };
            let counted = |world: &World| match world.step(rules, &Request::Count).1 {
                Response::Count(count) => count,
                other => panic!("{other:?}"),
            };
            let (a, b) = (without(&world, B), without(&world, A));
            assert_eq!(listed(&world), [listed(&a), listed(&b)].concat());
            assert_eq!(counted(&world), counted(&a) + counted(&b));
        }
    }
}

#[test]
fn time_new_settings_and_removal_reach_each_item_as_if_it_were_alone() {
    let defaults = WIRES.map(|default_ttl| SettingsDraft { default_ttl, indexing: Indexing::Consistent });
    for world in worlds() {
        let alone = without(&world, B);
        assert_eq!(without(&world.pass(1), B), alone.pass(1));
        assert_eq!(world.remove(A).map(|after| without(&after, B)), alone.remove(A));
        assert_eq!(
            world.remove(B).map(|after| without(&after, B)),
            world.expired(B).is_some().then(|| alone.clone())
        );
        for draft in defaults {
            let configure = Request::Configure(draft);
            let (after, answer) = world.step(Rules::default(), &configure);
            assert_eq!((without(&after, B), answer), alone.step(Rules::default(), &configure));
        }
    }
}
