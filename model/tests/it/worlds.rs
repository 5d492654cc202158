//! Worlds of two items and operations on one, for the tests that try them all.

use cosmos_ttl_model::choices::Preferences;
use cosmos_ttl_model::container::{
    Content, Draft, Etag, Indexing, Item, ItemId, Operation, Settings, SettingsDraft, TtlChange, World,
};
use cosmos_ttl_model::rule::{Sent, Ttl};

pub(crate) const A: ItemId = ItemId(0);
pub(crate) const B: ItemId = ItemId(1);
pub(crate) const NOW: i64 = 1_700_000_000;
/// Absent, every kind of lifetime, and values that are none or perhaps none.
pub(crate) const VALUES: [Sent; 7] = [
    Sent::Absent,
    Sent::Whole(-1),
    Sent::Whole(1),
    Sent::Whole(2),
    Sent::Whole(0),
    Sent::Null,
    Sent::WholeAsFraction(2),
];
const TTLS: [Option<Ttl>; 4] = [None, Some(Ttl::Forever), Some(Ttl::Seconds(1)), Some(Ttl::Seconds(2))];

pub(crate) fn consistent(default_ttl: Sent) -> SettingsDraft {
    SettingsDraft { default_ttl, indexing: Indexing::Consistent }
}

pub(crate) fn open(now: i64, default: Sent) -> World {
    World::new(now, consistent(default), &mut Preferences::default()).unwrap()
}

pub(crate) fn draft(id: ItemId, ttl: Sent) -> Draft {
    Draft { id, ttl, content: Content(7) }
}

/// Every item with lifetimes up to 2 s, up to the age of 3 s, one of them with a wrong `ttl`.
fn items(id: ItemId) -> impl Iterator<Item = Item> {
    let item = move |ttl, age, has_wrong_ttl| {
        let (etag, content) = (Etag(id.0), Content(id.0));
        Item { ttl, has_wrong_ttl, ts: NOW - age, etag, content }
    };
    let right = TTLS.into_iter().flat_map(move |ttl| (0..=3).map(move |age| item(ttl, age, false)));
    right.chain([item(None, 1, true)])
}

/// Every world of two items, under every setting.
pub(crate) fn worlds() -> impl Iterator<Item = World> {
    let pairs = || items(A).flat_map(|a| items(B).map(move |b| [(A, a), (B, b)]));
    TTLS.into_iter().flat_map(move |default_ttl| {
        let settings = Settings { default_ttl, indexing: Indexing::Consistent };
        let world = World { settings, next_etag: Etag(2), ..open(NOW, Sent::Absent) };
        pairs().map(move |pair| World { items: pair.into(), ..world.clone() })
    })
}

/// Every kind of request about one item.
pub(crate) fn operations(id: ItemId) -> Vec<Operation> {
    let mut all = vec![Operation::Read(id)];
    for if_match in [None, Some(Etag(id.0)), Some(Etag(9))] {
        all.push(Operation::Delete { id, if_match });
        for ttl in VALUES {
            all.push(Operation::Replace { draft: draft(id, ttl), if_match });
            all.push(Operation::Patch {
                id,
                ttl: TtlChange::Set(ttl),
                content: None,
                is_forbidden: false,
                if_match,
            });
        }
        for ttl in [TtlChange::Keep, TtlChange::Remove] {
            all.push(Operation::Patch { id, ttl, content: Some(Content(8)), is_forbidden: false, if_match });
        }
    }
    for ttl in VALUES {
        all.extend([Operation::Create(draft(id, ttl)), Operation::Upsert(draft(id, ttl))]);
    }
    all
}
