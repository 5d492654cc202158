//! The requests of clients to a bounded world. Those that look come first, and plain ones before odd ones: of several
//! shortest stories the first is told.

use cosmos_ttl_model::container::{
    Content, Draft, Etag, Indexing, ItemId, Operation, Request, SettingsDraft, TtlChange,
};
use cosmos_ttl_model::rule::Sent;

use crate::system::consistent;
use crate::world::{NEW, STALE, kept_content, kept_etag};

/// The settings of a container or an item: absent, -1, and two lifetimes, so that one can be the longer.
const SETTINGS: [Sent; 4] = [Sent::Absent, Sent::Whole(1), Sent::Whole(2), Sent::Whole(-1)];

/// Values that are no setting, or perhaps none, each in its own way.
const ODD: [Sent; 7] = [
    Sent::Whole(0),
    Sent::Null,
    Sent::WholeAsFraction(2),
    Sent::WholeAsFraction(0),
    Sent::Whole(-2),
    Sent::Whole(2_147_483_648),
    Sent::Other,
];

pub(crate) const A: ItemId = ItemId(0);
pub(crate) const B: ItemId = ItemId(1);

const OPENINGS: [Sent; 4] = [Sent::Whole(1), Sent::Whole(2), Sent::Whole(-1), Sent::Absent];

pub(crate) fn openings() -> Vec<SettingsDraft> {
    OPENINGS.map(consistent).into()
}

fn draft(id: ItemId, ttl: Sent) -> Draft {
    Draft { id, ttl, content: NEW }
}

fn create(id: ItemId, ttl: Sent) -> Operation {
    Operation::Create(draft(id, ttl))
}

fn upsert(id: ItemId, ttl: Sent) -> Operation {
    Operation::Upsert(draft(id, ttl))
}

fn replace(id: ItemId, ttl: Sent, if_match: Option<Etag>) -> Operation {
    Operation::Replace { draft: draft(id, ttl), if_match }
}

fn patch_content(id: ItemId, content: Content, if_match: Option<Etag>) -> Operation {
    Operation::Patch { id, ttl: TtlChange::Keep, content: Some(content), is_forbidden: false, if_match }
}

fn patch_ttl(id: ItemId, ttl: Sent, content: Option<Content>, if_match: Option<Etag>) -> Operation {
    let ttl = if ttl == Sent::Absent { TtlChange::Remove } else { TtlChange::Set(ttl) };
    Operation::Patch { id, ttl, content, is_forbidden: false, if_match }
}

fn delete(id: ItemId) -> Operation {
    Operation::Delete { id, if_match: None }
}

fn configures(values: impl IntoIterator<Item = Sent>) -> impl Iterator<Item = Request> {
    values.into_iter().map(|value| Request::Configure(consistent(value)))
}

/// Requests that look at everything, every kind of right request about one item, and settings.
pub(crate) fn right() -> Vec<Request> {
    let mut all = vec![Request::Item(Operation::Read(A)), Request::Query, Request::Count];
    all.extend(right_operations().into_iter().map(Request::Item));
    all.extend(configures(SETTINGS));
    all
}

/// Every kind of request about one item, right and wrong.
pub(crate) fn every() -> Vec<Request> {
    let mut all = right();
    for ttl in ODD {
        let operations =
            [create(A, ttl), upsert(A, ttl), replace(A, ttl, None), patch_ttl(A, ttl, Some(NEW), None)];
        all.extend(operations.map(Request::Item));
    }
    all.extend(conditional_operations().into_iter().map(Request::Item));
    all.extend(batches(A, A));
    all.extend(configures(ODD));
    all
}

/// What suffices about two items, every kind of right request about one of them, and batches about both.
pub(crate) fn pairs() -> Vec<Request> {
    let others = [Operation::Read(B), patch_content(B, NEW, None), delete(B)];
    let operations = others.into_iter().chain(SETTINGS.map(|ttl| upsert(B, ttl)));
    let operations = operations.chain(conditional_operations()).map(Request::Item);
    right().into_iter().chain(operations).chain(batches(A, B)).collect()
}

fn right_operations() -> Vec<Operation> {
    let (id, mut all) = (A, Vec::new());
    for ttl in SETTINGS {
        let same_content = Draft { content: kept_content(id), ..draft(id, ttl) };
        all.extend([
            create(id, ttl),
            upsert(id, ttl),
            replace(id, ttl, None),
            patch_ttl(id, ttl, None, None),
        ]);
        all.push(Operation::Replace { draft: same_content, if_match: None });
    }
    all.extend([patch_content(id, NEW, None), patch_content(id, kept_content(id), None), delete(id)]);
    let (ttl, content) = (TtlChange::Keep, Some(NEW));
    all.push(Operation::Patch { id, ttl, content, is_forbidden: true, if_match: None });
    all
}

fn conditional_operations() -> Vec<Operation> {
    let mut all = Vec::new();
    for etag in [kept_etag(A), STALE] {
        all.push(Operation::ReadUnless { id: A, etag });
        let if_match = Some(etag);
        all.push(Operation::Delete { id: A, if_match });
        all.extend([Sent::Absent, Sent::Whole(1), Sent::Whole(0)].map(|ttl| replace(A, ttl, if_match)));
        all.push(patch_content(A, NEW, if_match));
        all.extend([1, 0].map(|ttl| patch_ttl(A, Sent::Whole(ttl), None, if_match)));
    }
    all
}

/// Batches that commit, fail in one place or two, write an item twice, and see their own writes.
pub(crate) fn batches(first: ItemId, last: ItemId) -> impl Iterator<Item = Request> {
    let [none, one, zero] = [Sent::Absent, Sent::Whole(1), Sent::Whole(0)];
    let batches = [
        vec![upsert(first, one), patch_content(last, NEW, None)],
        vec![upsert(first, none), upsert(last, one)],
        vec![upsert(first, none), upsert(first, one)],
        vec![upsert(first, none), upsert(last, zero)],
        vec![upsert(first, zero), patch_content(last, NEW, None)],
        vec![Operation::Read(first), upsert(last, none)],
        vec![patch_content(first, NEW, None), replace(last, zero, None)],
        vec![delete(first), create(first, none)],
        vec![create(first, none), Operation::Read(first)],
        vec![replace(first, none, None), patch_ttl(last, one, None, None)],
    ];
    batches.into_iter().map(Request::Batch)
}

/// Requests of every price, and writes of every kind with a `ttl` and without.
pub(crate) fn priced() -> Vec<Request> {
    let [none, one] = [Sent::Absent, Sent::Whole(1)];
    let mut all = vec![Request::Item(Operation::Read(A)), Request::Query, Request::Count];
    for ttl in [none, one] {
        let writes = [create(A, ttl), upsert(A, ttl), replace(A, ttl, None), patch_ttl(A, ttl, None, None)];
        all.extend(writes.map(Request::Item));
        all.push(Request::Batch(vec![upsert(A, ttl)]));
    }
    all.extend([upsert(B, one), delete(A), patch_content(A, NEW, None)].map(Request::Item));
    all.push(Request::Batch(vec![Operation::Read(A), patch_content(A, NEW, None)]));
    all.extend(configures([one, none]));
    all
}

/// Settings in which the indexing mode matters, right and wrong.
pub(crate) fn indexings() -> Vec<SettingsDraft> {
    let modes = [Indexing::Lazy, Indexing::Consistent, Indexing::None];
    let of = |indexing| OPENINGS.map(|default_ttl| SettingsDraft { default_ttl, indexing });
    modes.into_iter().flat_map(of).collect()
}
