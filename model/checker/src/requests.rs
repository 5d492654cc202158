//! The requests of clients to a bounded world.

use super::age_abstraction::{NEW, STALE, kept_content, kept_etag};
use cosmos_ttl_model::container::{
    Content, Draft, Etag, Indexing, Item, ItemId, Operation, Request, Response, SettingsDraft, TtlChange,
};
use cosmos_ttl_model::rule::Wire;

/// Values that are no `ttl`, each wrong in its own way.
const WRONG: [Wire; 6] = [
    Wire::Whole(0),
    Wire::Whole(-2),
    Wire::Whole(2_147_483_648),
    Wire::Null,
    Wire::WholeAsFraction(1),
    Wire::NoNumber,
];

/// Returns every valid value up to this number of seconds: absent, -1, 1, 2, ...
fn settings_up_to(longest: u8) -> Vec<Wire> {
    let mut all = vec![Wire::Absent, Wire::Whole(-1)];
    all.extend((1..=longest).map(|seconds| Wire::Whole(i64::from(seconds))));
    all
}

fn consistent(default_ttl: Wire) -> SettingsDraft {
    SettingsDraft { default_ttl, indexing: Indexing::Consistent }
}

/// Returns every container with a consistent index and lifetimes up to this number of seconds.
pub(super) fn consistent_settings(longest: u8) -> Vec<SettingsDraft> {
    settings_up_to(longest).into_iter().map(consistent).collect()
}

fn configures(longest: u8) -> impl Iterator<Item = Request> {
    consistent_settings(longest).into_iter().map(Request::Configure)
}

fn reads(items: u32) -> Vec<Request> {
    (0..items).map(|id| Request::Item(Operation::Read(ItemId(id)))).collect()
}

fn draft(id: ItemId, ttl: Wire) -> Draft {
    Draft { id, ttl, content: NEW }
}

/// The requests that suffice to reach every state, and those that look.
pub(super) fn few(items: u32, longest: u8) -> Vec<Request> {
    let mut all = reads(items);
    all.push(Request::Query);
    for id in (0..items).map(ItemId) {
        let upserts = settings_up_to(longest).into_iter().map(|ttl| Operation::Upsert(draft(id, ttl)));
        all.extend(upserts.map(Request::Item));
        all.push(Request::Item(Operation::Create(draft(id, Wire::Absent))));
        all.push(Request::Item(Operation::Delete { id, if_match: None }));
    }
    all.extend(configures(longest));
    all
}

/// Every kind of request, right and wrong; those first that look, since they show a person most.
pub(super) fn every(items: u32, longest: u8) -> Vec<Request> {
    let mut all = reads(items);
    all.extend([Request::Query, Request::Count]);
    let operations = (0..items).flat_map(|id| operations(ItemId(id), longest));
    all.extend(operations.map(Request::Item));
    all.extend(batches(items));
    all.extend(configures(longest));
    let wrong = [0, -2, 2_147_483_648].map(Wire::Whole).into_iter().chain([Wire::Null, Wire::NoNumber]);
    all.extend(wrong.map(|default_ttl| Request::Configure(consistent(default_ttl))));
    all
}

fn patch_content(id: ItemId, content: Content, if_match: Option<Etag>) -> Operation {
    Operation::Patch { id, ttl: TtlChange::Keep, content: Some(content), if_match }
}

/// Operations on one item: those that are right, those with a wrong `ttl`, and those with a condition.
fn operations(id: ItemId, longest: u8) -> Vec<Operation> {
    let mut all = Vec::new();
    for ttl in settings_up_to(longest) {
        let draft = draft(id, ttl);
        let same_content = Draft { content: kept_content(id), ..draft };
        all.extend([Operation::Create(draft), Operation::Upsert(draft)]);
        all.extend([draft, same_content].map(|draft| Operation::Replace { draft, if_match: None }));
        let change = if ttl == Wire::Absent { TtlChange::Remove } else { TtlChange::Set(ttl) };
        all.push(Operation::Patch { id, ttl: change, content: None, if_match: None });
    }
    all.extend([NEW, kept_content(id)].map(|content| patch_content(id, content, None)));
    all.push(Operation::Delete { id, if_match: None });
    for ttl in WRONG {
        let draft = draft(id, ttl);
        all.extend([Operation::Create(draft), Operation::Upsert(draft)]);
        all.push(Operation::Replace { draft, if_match: None });
        all.push(Operation::Patch { id, ttl: TtlChange::Set(ttl), content: Some(NEW), if_match: None });
    }
    for if_match in [kept_etag(id), STALE].map(Some) {
        all.push(Operation::Replace { draft: draft(id, Wire::Absent), if_match });
        all.push(patch_content(id, NEW, if_match));
        all.push(Operation::Delete { id, if_match });
    }
    all
}

/// Batches that commit, that fail in the second place, that fail in two places, and that see their own writes.
fn batches(items: u32) -> Vec<Request> {
    let (first, last) = (ItemId(0), ItemId(items.saturating_sub(1)));
    let upsert = |id, ttl| Operation::Upsert(draft(id, ttl));
    let batches = [
        vec![upsert(first, Wire::Whole(1)), patch_content(last, NEW, None)],
        vec![upsert(first, Wire::Absent), upsert(last, Wire::Whole(1))],
        vec![upsert(first, Wire::Absent), upsert(last, Wire::Whole(0))],
        vec![upsert(first, Wire::Whole(0)), patch_content(last, NEW, None)],
        vec![Operation::Read(first), upsert(last, Wire::Absent)],
        vec![
            patch_content(first, NEW, None),
            Operation::Replace { draft: draft(last, Wire::Whole(0)), if_match: None },
        ],
        vec![Operation::Delete { id: first, if_match: None }, Operation::Create(draft(first, Wire::Absent))],
        vec![Operation::Create(draft(first, Wire::Whole(-1))), Operation::Read(first)],
    ];
    batches.map(Request::Batch).into()
}

/// Settings in which the indexing mode matters, right and wrong.
pub(super) fn indexings(longest: u8) -> Vec<SettingsDraft> {
    let modes = [Indexing::Consistent, Indexing::Lazy, Indexing::None];
    let of = |indexing| {
        consistent_settings(longest).into_iter().map(move |draft| SettingsDraft { indexing, ..draft })
    };
    modes.into_iter().flat_map(of).collect()
}

/// Returns the names in an operation: an item, a content and an etag.
pub(super) fn named_mut(operation: &mut Operation) -> (&mut ItemId, Option<&mut Content>, Option<&mut Etag>) {
    match operation {
        Operation::Create(draft) | Operation::Upsert(draft) => {
            (&mut draft.id, Some(&mut draft.content), None)
        }
        Operation::Replace { draft, if_match } => {
            (&mut draft.id, Some(&mut draft.content), if_match.as_mut())
        }
        Operation::Patch { id, content, if_match, .. } => (id, content.as_mut(), if_match.as_mut()),
        Operation::Read(id) => (id, None, None),
        Operation::Delete { id, if_match } => (id, None, if_match.as_mut()),
    }
}

pub(super) fn with_operations(request: &Request, change: impl FnMut(&mut Operation)) -> Request {
    let mut request = request.clone();
    match &mut request {
        Request::Item(operation) => std::slice::from_mut(operation),
        Request::Batch(all) => all,
        Request::Query | Request::Count | Request::Configure(_) => &mut [],
    }
    .iter_mut()
    .for_each(change);
    request
}

pub(super) fn with_items(response: &Response, item: &impl Fn(&Item) -> Item) -> Response {
    match response {
        Response::Created(told) => Response::Created(item(told)),
        Response::Ok(told) => Response::Ok(item(told)),
        Response::Found(told) => Response::Found(item(told)),
        Response::Committed(all) => {
            Response::Committed(all.iter().map(|one| with_items(one, item)).collect())
        }
        other => other.clone(),
    }
}
