//! Indexing modes.

use super::super::book::Book;
use super::super::step::{Move, Step, gone, on};
use cosmos_ttl_model::container::{Index, Indexing, Refusal, Response, Rules, SettingsDraft};
use cosmos_ttl_model::interpretation::LazyIndex;
use cosmos_ttl_model::rule::Wire;

pub(super) fn add(book: &mut Book<Step>, rules: Rules) {
    book.section("indexing");
    modes(book);
    lag(book, rules);
}

fn index_off_with_default(draft: &SettingsDraft) -> bool {
    draft.indexing == Indexing::None && draft.default_ttl != Wire::Absent
}

fn modes(book: &mut Book<Step>) {
    book.law(
        &["ttl-needs-an-index"],
        ("no container ever has indexing mode none and time to live on", |step| {
            !(step.after.settings.indexing == Indexing::None && on(&step.after))
        }),
        ("settings with indexing mode none and a default are refused", |step| {
            step.draft().is_some_and(index_off_with_default) && step.refusal() == Some(Refusal::BadRequest)
        }),
    );
    book.law(
        &["indexed-modes-allow-ttl"],
        ("every other pair of indexing mode and default is accepted", |step| {
            step.draft().is_none_or(|draft| index_off_with_default(draft) || step.configured())
        }),
        ("lazy indexing is accepted with a default", |step| {
            step.configured() && step.after.settings.indexing == Indexing::Lazy && on(&step.after)
        }),
    );
    book.sight(
        &["ttl-needs-an-index"],
        ("a container without an index is switched on together with an index", |step| {
            step.configured() && step.before.settings.indexing == Indexing::None && on(&step.after)
        }),
    );
}

fn lag(book: &mut Book<Step>, rules: Rules) {
    book.law(
        &["lazy-index-may-lag"],
        ("a query leaves out a visible item only while a lazy index is built anew", |step| {
            let Some(Response::Ids(ids)) = &step.answer else { return true };
            let complete =
                step.before.items.iter().all(|(id, item)| gone(&step.before, item) || ids.contains(id));
            complete
                || step.before.settings.indexing == Indexing::Lazy && step.before.index == Index::Rebuilding
        }),
        ("a query is answered while a lazy index is built anew", |step| {
            step.before.index == Index::Rebuilding && matches!(step.answer, Some(Response::Ids(_)))
        }),
    );
    book.law(
        &["lazy-index-may-lag"],
        ("only switching time to live on under lazy indexing makes the index be built anew", |step| {
            let begun = step.before.index == Index::Ready && step.after.index == Index::Rebuilding;
            !begun || !on(&step.before) && on(&step.after) && step.after.settings.indexing == Indexing::Lazy
        }),
        ("a lazy index catches up", |step| step.did == Move::CatchUp && step.after.index == Index::Ready),
    );
    book.law(
        &["lazy-index-may-lag"],
        ("no query ever lists an item that is gone, whatever the index", |step| match &step.answer {
            Some(Response::Ids(ids)) => {
                ids.iter().all(|id| step.before.items.get(id).is_some_and(|item| !gone(&step.before, item)))
            }
            _ => true,
        }),
        ("an item has expired before a lazy index caught up", |step| {
            step.before.index == Index::Rebuilding
                && step.before.items.values().any(|item| gone(&step.before, item))
        }),
    );
    match rules.interpretation.lazy_index {
        LazyIndex::Complete => {}
        LazyIndex::Incomplete => book.sight(
            &["lazy-index-may-lag"],
            ("a query leaves out a visible item", |step| {
                matches!(&step.answer, Some(Response::Ids(ids)) if ids.is_empty())
                    && step.before.items.values().any(|item| !gone(&step.before, item))
            }),
        ),
    }
}
