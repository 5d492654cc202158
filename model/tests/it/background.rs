//! The items that the background may remove: every expired item, each at any time, and no other.

use cosmos_ttl_model::container::{
    Content, Draft, Indexing, ItemId, Operation, Request, Rules, SettingsDraft, World,
};
use cosmos_ttl_model::rule::Wire;

/// Returns a container of this default with items 1, 2, 3 of these settings, after this number of seconds.
fn world(default_ttl: Wire, ttls: [Wire; 3], later_s: u64) -> World {
    let rules = Rules::default();
    let draft = SettingsDraft { default_ttl, indexing: Indexing::Consistent };
    let empty = World::new(rules, 1_700_000_000, draft).unwrap();
    let all = (1..).map(ItemId).zip(ttls).fold(empty, |world, (id, ttl)| {
        let draft = Draft { id, ttl, content: Content(0) };
        world.step(rules, &Request::Item(Operation::Create(draft))).0
    });
    all.pass(later_s)
}

#[track_caller]
fn check(world: &World, expired: &[u32]) {
    let ids: Vec<u32> = world.expired_ids().map(|id| id.0).collect();
    assert_eq!(ids, expired);
    let visible: Vec<u32> = world.visible_ids().map(|id| id.0).collect();
    let living: Vec<u32> = (1..=3).filter(|id| !expired.contains(id)).collect();
    assert_eq!(visible, living);
    for id in 1..=3 {
        let taken = world.remove(ItemId(id));
        assert_eq!(taken.is_some(), expired.contains(&id), "item {id}");
        if let Some(taken) = taken {
            assert_eq!(taken.items.len(), 2);
            assert_eq!(taken.visible_ids().collect::<Vec<_>>(), world.visible_ids().collect::<Vec<_>>());
        }
    }
}

#[test]
fn the_background_may_take_whatever_is_expired_and_nothing_else() {
    let ttls = [Wire::Absent, Wire::Whole(-1), Wire::Whole(5)];
    check(&world(Wire::Whole(3), ttls, 2), &[]);
    check(&world(Wire::Whole(3), ttls, 3), &[1]);
    check(&world(Wire::Whole(3), ttls, 5), &[1, 3]);
    check(&world(Wire::Whole(-1), ttls, 5), &[3]);
    check(&world(Wire::Absent, ttls, 1_000), &[]);
}
