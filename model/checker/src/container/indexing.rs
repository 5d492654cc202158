//! The index, and what answers may leave out or show too much while it is rebuilt.

use cosmos_ttl_model::choices::OpenChoice;
use cosmos_ttl_model::container::{Index, Indexing, Request, Response, SettingsDraft};
use cosmos_ttl_model::rule::Sent;

use super::{Container, WorldStep};
use crate::statement::{Statement, statements};
use crate::step::{gone, on};
use crate::system::ModelAction;

pub(super) const INDEXING: &[Statement<Container>] = statements! { step: Container;
    ["ttl-needs-an-index"]
        always "no container ever has indexing mode none and time to live on" =>
            !(step.after.settings.indexing == Indexing::None && on(&step.after));
        sometimes "settings with indexing mode none and a default are refused" =>
            step.draft().is_some_and(index_off_with_default) && step.is_bad_request();
    ["indexed-modes-allow-ttl"]
        always "every other pair of indexing mode and default is accepted as it is, but perhaps for null" =>
            step.draft().is_none_or(|draft| {
                let taken = step.configured() && step.after.settings.indexing == draft.indexing;
                let refused = index_off_with_default(draft) || draft.default_ttl == Sent::Null;
                taken || refused && step.is_bad_request()
            });
        sometimes "lazy indexing is accepted with a default" =>
            step.configured() && step.after.settings.indexing == Indexing::Lazy && on(&step.after);
    ["lazy-index-may-lag"]
        sometimes "a query is complete although the index is rebuilt" =>
            rebuilding(step) && matches!(&step.answer, Some(Response::Ids(ids)) if !ids.is_empty());
        sometimes "a query lists any items while the index is rebuilt" =>
            step.answer == Some(Response::AnyIds) && step.some_before(|_, _| true);
        sometimes "a count is any number while the index is rebuilt" => step.counted() == Some((0, None));
        sometimes "a count is complete although the index is rebuilt" =>
            rebuilding(step) && matches!(step.counted(), Some((1, Some(1))));
    ["lazy-index-may-lag"]
        always "only a changed `defaultTtl` under lazy indexing starts a rebuild, or a choice; settings without it may \
             end one, and the index itself does" => {
            let (lazy, rebuilds) = (step.after.settings.indexing == Indexing::Lazy, rebuilding(step));
            let changed = step.before.settings.default_ttl != step.after.settings.default_ttl;
            let chosen = step.chose(OpenChoice::IndexIsRebuilt) == Some(true);
            let goes_on = match *step.action {
                ModelAction::CatchUp => false,
                _ if step.configured() => lazy && (changed || rebuilds) || chosen && (lazy || rebuilds),
                _ => rebuilds,
            };
            goes_on == (step.after.index == Index::Rebuilding)
        };
        sometimes "a change of settings leaves a lazy index as it was" =>
            step.configured()
                && step.after.settings.indexing == Indexing::Lazy
                && step.after.index == Index::Ready;
        sometimes "a lazy index is rebuilt although `defaultTtl` is as it was" => {
            let same = step.before.settings.default_ttl == step.after.settings.default_ttl;
            same && step.before.index == Index::Ready && step.after.index == Index::Rebuilding
        };
    ["lazy-index-may-lag"]
        always "a lazy index that catches up changes nothing but what queries find" =>
            *step.action != ModelAction::CatchUp
                || step.before.items == step.after.items && step.before.settings == step.after.settings;
        sometimes "a lazy index catches up while an expired item is stored" =>
            *step.action == ModelAction::CatchUp && step.some_before(gone);
};

fn rebuilding(step: &WorldStep) -> bool {
    step.before.index == Index::Rebuilding
}

/// Whether an answer may say anything: the index is rebuilt, and the choice is that it lags.
pub(super) fn lags(step: &WorldStep) -> bool {
    let looks = matches!(step.request(), Some(Request::Query | Request::Count));
    looks && rebuilding(step) && step.chose(OpenChoice::IndexLags) == Some(true)
}

fn index_off_with_default(draft: &SettingsDraft) -> bool {
    draft.indexing == Indexing::None && !matches!(draft.default_ttl, Sent::Absent | Sent::Null)
}
