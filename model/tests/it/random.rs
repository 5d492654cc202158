//! Random numbers through the rule, and random requests through the container against the rule in absolute time.

use std::collections::BTreeMap;

use cosmos_ttl_model::choices::Preferences;
use cosmos_ttl_model::container::{ItemId, Operation, Request, Response};
use cosmos_ttl_model::rule::{Sent, Ttl, is_expired, lifetime, read};
use proptest::prelude::*;

use crate::worlds::{consistent, draft, open};

fn values() -> impl Strategy<Value = Sent> {
    prop_oneof![1 => Just(Sent::Absent), 4 => prop_oneof![-3_i64..9, 1_i64..1 << 32].prop_map(Sent::Whole)]
}

/// How long a client waits, what it sends as `ttl` or `defaultTtl`, and for which of four purposes and two items.
fn scripts() -> impl Strategy<Value = Vec<(u64, Sent, u8, u32)>> {
    let seconds = prop_oneof![4 => 0_u64..9, 1 => 0..5_000_000_000_u64];
    prop::collection::vec((seconds, values(), 0_u8..4, 0_u32..2), 1..30)
}

proptest! {
    #[test]
    fn an_item_lives_until_its_last_write_and_its_lifetime(
        ts in 0_i64..1 << 40, now in 0_i64..1 << 40, default in values(), ttl in values(),
    ) {
        let (Ok(default), Ok(ttl)) = (read(default), read(ttl)) else { return Ok(()) };
        let is_late = match (default, ttl) {
            (Some(_), Some(Ttl::Seconds(lives))) | (Some(Ttl::Seconds(lives)), None) => ts + lives <= now,
            _ => false,
        };
        prop_assert_eq!(is_expired(lifetime(default, ttl), now - ts), is_late);
    }

    #[test]
    fn a_read_finds_what_the_rule_says(script in scripts()) {
        let (mut world, mut choose) = (open(0, Sent::Absent), Preferences::default());
        let (mut default, mut written) = (None, BTreeMap::new());
        for (seconds, sent, purpose, id) in script {
            world.wait(seconds);
            let lives = |(ttl, ts): &(Option<Ttl>, i64)| !is_expired(lifetime(default, *ttl), world.now - ts);
            prop_assert!(world.visible_ids().eq(written.iter().filter(|(_, one)| lives(one)).map(|(id, _)| *id)));
            let draft = draft(ItemId(id), sent);
            let found = world.visible(draft.id).is_some();
            let (request, may) = match purpose {
                0 => (Request::Configure(consistent(sent)), true),
                1 => (Request::Item(Operation::Upsert(draft)), true),
                2 => (Request::Item(Operation::Create(draft)), !found),
                _ => (Request::Item(Operation::Replace { draft, if_match: None }), found),
            };
            let is_refused = matches!(world.answer(&request, &mut choose), Response::Refused(_));
            prop_assert_eq!(!is_refused, may && read(sent).is_ok());
            match read(sent) {
                Ok(value) if purpose == 0 => default = value,
                Ok(value) if may => drop(written.insert(draft.id, (value, world.now))),
                _ => {}
            }
        }
    }
}
