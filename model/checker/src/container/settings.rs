//! Changing the container under living items, and its index.

use crate::property_set::{Statement, statements};
use crate::step::{ModelAction, WorldStep, age, aged, default_s, gone, inherits, on, own_s, reached};
use cosmos_ttl_model::container::{Index, Indexing, Item, ItemId, Refusal, Response, SettingsDraft};
use cosmos_ttl_model::interpretation::LazyIndex;
use cosmos_ttl_model::rule::{DefaultTtl, Wire};

pub(super) const SETTINGS: &[Statement<WorldStep>] = statements! { step: WorldStep;
    ["current-settings-decide"]
        always "right after settings change, the list is what the new ones say" =>
            !step.configured()
                || step.after.items.iter().all(|(id, item)| step.lists(*id) != gone(&step.after, item));
        sometimes "an item is hidden by a default under which it was not written" =>
            changed(step) && step.after.items.iter().any(|(id, item)| inherits(item) && !step.lists(*id));
    ["switching-on-hides-old-items"]
        always "switching on, or lowering the default, hides at once whatever is old enough" => {
            let lowered = match (default_s(&step.before), default_s(&step.after)) {
                (Some(before), Some(after)) => after < before,
                (None, Some(_)) => true,
                (_, None) => false,
            };
            let hidden = |(id, item): (&ItemId, &Item)| {
                !(inherits(item) && reached(&step.after, item, default_s(&step.after)) && step.lists(*id))
            };
            !(step.configured() && lowered) || step.after.items.iter().all(hidden)
        };
        sometimes "a lower default hides an item that was visible" => {
            let lower = default_s(&step.after).is_some() && default_s(&step.after) < default_s(&step.before);
            step.configured() && lower && step.listed_before().iter().any(|id| !step.lists(*id))
        };
    ["switching-on-hides-old-items"]
        sometimes "switching on hides an item that was visible" =>
            step.configured() && !on(&step.before) && step.listed_after().len() < step.listed_before().len();
    ["leaving-default-out-switches-off"]
        always "replacing the settings without `defaultTtl` switches off, and every stored item is listed" =>
            step.draft().is_none_or(|draft| draft.default_ttl != Wire::Absent)
                || step.after.settings.default_ttl == DefaultTtl::Off
                    && step.after.items.keys().eq(step.listed_after().iter());
        sometimes "switching off shows an item that its own `ttl` had hidden" =>
            changed(step) && !on(&step.after)
                && step.some_before(|world, item| own_s(item).is_some() && gone(world, item));
    ["dormant-ttl-wakes"]
        always "switching on makes an item's own `ttl` count, from the `_ts` that it has" =>
            !changed(step) || on(&step.before)
                || step.after.items.iter().all(|(id, item)| {
                    own_s(item).is_none_or(|own| step.lists(*id) == (age(&step.before, item) < own))
                });
        sometimes "switching on hides an item that has a `ttl` of its own" => {
            let hidden = |(id, item): (&ItemId, &Item)| own_s(item).is_some() && !step.lists(*id);
            changed(step) && !on(&step.before) && step.after.items.iter().any(hidden)
        };
    ["raising-extends"]
        always "raising the default hides no visible item" =>
            !raised(step) || step.listed_before().iter().all(|id| step.lists(*id));
        sometimes "the default is raised over an item in its last second" => {
            let last = |world: &_, item: &_| default_s(world) == Some(age(world, item) + 1);
            raised(step) && step.some_before(|world, item| inherits(item) && last(world, item))
        };
    ["settings-do-not-touch-ts"]
        always "new settings change no item: neither `_ts`, `ttl`, content nor etag" =>
            !step.configured() || step.changes().is_empty();
        sometimes "settings change over an item in its second second" =>
            changed(step) && step.some_before(aged);
    ["reappearance"]
        sometimes "an expired item that was not removed is listed again under other settings" =>
            changed(step) && step.listed_after().iter().any(|id| !step.listed_before().contains(id));
    ["removed-never-returns"]
        always "what is not stored comes into store only by a create or an upsert" =>
            step.changes().iter().all(|change| change.old.is_some() || step.makes(change.id));
        sometimes "settings change over an item that is gone for good" =>
            changed(step) && step.before.items.is_empty();
};

pub(super) const INDEXING: &[Statement<WorldStep>] = statements! { step: WorldStep;
    ["ttl-needs-an-index"]
        always "no container ever has indexing mode none and time to live on" =>
            !(step.after.settings.indexing == Indexing::None && on(&step.after));
        sometimes "settings with indexing mode none and a default are refused" =>
            step.draft().is_some_and(index_off_with_default) && step.refusal() == Some(Refusal::BadRequest);
    ["indexed-modes-allow-ttl"]
        always "every other pair of indexing mode and default is accepted" =>
            step.draft().is_none_or(|draft| index_off_with_default(draft) || step.configured());
        sometimes "lazy indexing is accepted with a default" =>
            step.configured() && step.after.settings.indexing == Indexing::Lazy && on(&step.after);
    ["ttl-needs-an-index"]
        sometimes "a container without an index is switched on together with an index" =>
            step.configured() && step.before.settings.indexing == Indexing::None && on(&step.after);
    ["lazy-index-may-lag"]
        always "a query leaves out a visible item only while a lazy index is built anew" => {
            let Some(Response::Ids(ids)) = &step.answer else { return true };
            let complete =
                step.before.items.iter().all(|(id, item)| gone(&step.before, item) || ids.contains(id));
            complete || step.before.settings.indexing == Indexing::Lazy && step.before.index == Index::Rebuilding
        };
        sometimes "a query is answered while a lazy index is built anew" =>
            step.before.index == Index::Rebuilding && matches!(step.answer, Some(Response::Ids(_)));
    ["lazy-index-may-lag"]
        always "only switching time to live on under lazy indexing makes the index be built anew" => {
            let begun = step.before.index == Index::Ready && step.after.index == Index::Rebuilding;
            !begun || !on(&step.before) && on(&step.after) && step.after.settings.indexing == Indexing::Lazy
        };
        sometimes "a lazy index catches up" =>
            step.action == ModelAction::CatchUp && step.after.index == Index::Ready;
    ["lazy-index-may-lag"]
        always "no query ever lists an item that is gone, whatever the index" => step.answers_living();
        sometimes "an item has expired before a lazy index caught up" =>
            step.before.index == Index::Rebuilding && step.some_before(gone);
    ["lazy-index-may-lag"]
        when |rules| rules.interpretation.lazy_index == LazyIndex::Incomplete;
        sometimes "a query leaves out a visible item" =>
            matches!(&step.answer, Some(Response::Ids(ids)) if ids.is_empty())
                && step.some_before(|world, item| !gone(world, item));
};

fn changed(step: &WorldStep) -> bool {
    step.configured() && step.before.settings != step.after.settings
}

fn raised(step: &WorldStep) -> bool {
    step.configured()
        && matches!((default_s(&step.before), default_s(&step.after)), (Some(before), Some(after)) if before < after)
}

fn index_off_with_default(draft: &SettingsDraft) -> bool {
    draft.indexing == Indexing::None && draft.default_ttl != Wire::Absent
}
