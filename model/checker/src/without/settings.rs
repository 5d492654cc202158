//! Changing the container under living items.

use super::domain::USUAL;
use super::hooks::{as_own, every, one_second, sent};
use super::{Turn, Without};
use cosmos_ttl_model::container::{Item, Operation, Request, Response, SettingsDraft, World};
use cosmos_ttl_model::rule::{DefaultTtl, ItemTtl, Wire};

#[rustfmt::skip]
pub(super) const LIST: &[Without] = &[
    Without::new("current-settings-decide", "an item lives by the default under which it was written")
        .then(|turn, after, answer| {
            if *answer == Response::Configured {
                let default_ttl = turn.before.settings.default_ttl;
                every(after, |item| inherit(item, as_own(default_ttl)));
            }
        }),
    Without::new("leaving-default-out-switches-off", "settings without `defaultTtl` leave the one that there is")
        .settings(|world, draft| match (world, draft.default_ttl) {
            (Some(world), Wire::Absent) => {
                SettingsDraft { default_ttl: sent(world.settings.default_ttl), ..draft }
            }
            _ => draft,
        }),
    Without::new("dormant-ttl-wakes", "a `ttl` that was asleep is forgotten when the container is on again")
        .then(|turn, after, answer| {
            let was_off = turn.before.settings.default_ttl == DefaultTtl::Off;
            if *answer == Response::Configured && was_off && after.settings.default_ttl != DefaultTtl::Off {
                every(after, |item| item.ttl = ItemTtl::Inherit);
            }
        }),
    Without::new("switching-on-hides-old-items", "what new settings would hide at once starts to count anew")
        .then(|turn, after, answer| {
            if *answer == Response::Configured {
                let hidden = |item: &Item| !turn.before.is_expired(item) && after.is_expired(item);
                let hidden: Vec<_> =
                    after.items.iter().filter(|(_, item)| hidden(item)).map(|(id, _)| *id).collect();
                for id in hidden {
                    after.items.entry(id).and_modify(|item| item.ts = turn.before.now);
                }
            }
        }),
    Without::new("raising-extends", "a larger default is for items that are written from then on")
        .then(|turn, after, answer| {
            let (before, now) = (turn.before.settings.default_ttl, after.settings.default_ttl);
            if let (Response::Configured, DefaultTtl::Seconds(old), DefaultTtl::Seconds(new)) = (answer, before, now)
                && old < new
            {
                every(after, |item| inherit(item, ItemTtl::Seconds(old)));
            }
        }),
    Without::new("settings-do-not-touch-ts", "a change of settings sets every item's `_ts` to now")
        .then(|turn, after, answer| {
            if *answer == Response::Configured {
                every(after, |item| item.ts = turn.before.now);
            }
        }),
    Without::new("reappearance", "what is stored must come back, so that nothing may ever be removed")
        .insists("back", |rules| rules, USUAL)
        .remove(|_, _| None),
    Without::new("removed-never-returns", "a delete only hides an item, until the container is switched off")
        .then(hide_the_deleted),
];

fn inherit(item: &mut Item, ttl: ItemTtl) {
    if item.ttl == ItemTtl::Inherit {
        item.ttl = ttl;
    }
}

/// While the container is on, a deleted item is kept as one that expired long ago.
fn hide_the_deleted(turn: &Turn<'_>, after: &mut World, answer: &mut Response) {
    let Request::Item(Operation::Delete { id, .. }) = turn.request else { return };
    let on = turn.before.settings.default_ttl != DefaultTtl::Off;
    if let (Response::NoContent, Some(old), true) = (answer, turn.before.items.get(id), on) {
        let ts = turn.before.now.saturating_sub(1);
        after.items.insert(*id, Item { ttl: one_second(), ts, ..*old });
    }
}
