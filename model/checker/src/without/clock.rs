//! From which second, to which second.

use super::Without;
use super::hooks::{amend, older, overwritten, revived, written};
use cosmos_ttl_model::container::Request;
use cosmos_ttl_model::rule::Lifetime;

#[rustfmt::skip]
pub(super) const LIST: &[Without] = &[
    Without::new("counted-from-last-write", "lifetime is counted from when the item was created")
        .then(|turn, after, answer| {
            for (id, old) in overwritten(turn.before, after) {
                amend(after, answer, id, |item| item.ts = old.ts);
            }
        }),
    Without::new("gone-at-deadline", "the second of the deadline is the last visible one")
        .seen(|_, item| older(item, -1)),
    Without::new("visible-before-deadline", "the second before the deadline is the first hidden one")
        .seen(|_, item| older(item, 1)),
    Without::new("hidden-immediately", "an expired item is seen until it is removed")
        .step(|world, rules, request| match request {
            Request::Configure(_) => world.step(rules, request),
            _ => revived(world, rules, request),
        }),
    Without::new("deadline-does-not-overflow", "a deadline that 32 bits cannot hold has passed long since")
        .seen(|world, item| match world.lifetime(&item) {
            Lifetime::Seconds(seconds) if i64::from(i32::MAX) < item.ts.saturating_add(seconds.get()) => {
                older(item, seconds.get())
            }
            _ => item,
        }),
    Without::new("server-sets-ts", "a client's clock sets `_ts`; this one's is a second slow")
        .then(|turn, after, answer| {
            for id in written(turn.before, after) {
                amend(after, answer, id, |item| *item = older(*item, 1));
            }
        }),
    Without::new("ts-never-decreases", "whatever writes an item again sets its `_ts` a second back")
        .then(|turn, after, answer| {
            for (id, old) in overwritten(turn.before, after) {
                amend(after, answer, id, |item| item.ts = older(old, 1).ts);
            }
        }),
];
