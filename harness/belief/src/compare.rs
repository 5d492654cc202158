//! Holds an answer against what a world answers.
//!
//! Compared is what a client can rely on: the status; whose item it is; that what was written is there, and what was
//! not, or was taken away, is not; `_ts`, which must be the second of its last write; and the etag, which must stay as
//! long as nothing writes the item, and must not be that of the expired item whose place it takes. Properties that
//! nobody sent are the target's own affair, and so is an answer to a write that shows no item.

use std::fmt::Write as _;

use cosmos_ttl_model::container::{self as model, ItemId};

use super::hypothesis::Hypothesis;
use super::observations::Observations;
use cosmos_ttl_harness::literal::{Kind, Literal};
use cosmos_ttl_harness::target::{Body, Item, Properties, Response};
use cosmos_ttl_reference::status;

/// What was to be expected and what came, in words.
pub(super) type Words = (String, String);

/// Whether the target answers as this world does. `from` is the world before the request.
pub(super) fn agrees(
    known: &Observations,
    from: &Hypothesis,
    id: ItemId,
    wanted: &model::Response,
    got: &Response,
) -> bool {
    status(wanted) == got.status && differs(known, from, id, wanted, got).is_none()
}

/// How an answer with the right status differs all the same.
pub(super) fn differs(
    known: &Observations,
    from: &Hypothesis,
    id: ItemId,
    wanted: &model::Response,
    got: &Response,
) -> Option<Words> {
    match (wanted, &got.body) {
        (
            model::Response::Created(item) | model::Response::Ok(item) | model::Response::Found(item),
            Body::Item(shown),
        ) => {
            let kept = matches!(wanted, model::Response::Found(_));
            let words = item_differs(known, from, id, (item, kept), shown);
            words.map(|(wanted, came)| (format!("{} {wanted}", got.status), format!("{} {came}", got.status)))
        }
        (model::Response::Found(_), _) => {
            Some(("found with the item".into(), "found without an item".into()))
        }
        _ => None,
    }
}

fn item_differs(
    known: &Observations,
    from: &Hypothesis,
    id: ItemId,
    (item, kept): (&model::Item, bool),
    shown: &Item,
) -> Option<Words> {
    if shown.document.id != known.name(id) {
        let wanted = format!("with the item `{}`", known.name(id));
        return Some((wanted, format!("with the item `{}`", excerpt(&shown.document.id))));
    }
    if let Some(written) = known.properties(item.content)
        && *written != shown.document.properties
        && let Some(words) = content_differs(written, &shown.document.properties)
    {
        return Some(words);
    }
    if let (Some(ts), Some(origin)) = (shown.ts, known.origin) {
        let should = origin.saturating_add(item.ts);
        if ts != should {
            let mut came = String::from("with `_ts` ");
            // Writing to a string cannot fail.
            let _ = write!(came, "{:+} s from that", ts.saturating_sub(should));
            let age = from.world.now.saturating_sub(item.ts);
            let wanted = match age {
                0 => "with the `_ts` of this second".into(),
                age => format!("with the `_ts` of its last write, {age} s ago"),
            };
            return Some((wanted, came));
        }
    }
    etag_differs(known, from, id, (item, kept), shown)
}

fn etag_differs(
    known: &Observations,
    from: &Hypothesis,
    id: ItemId,
    (item, kept): (&model::Item, bool),
    shown: &Item,
) -> Option<Words> {
    let etag = shown.etag.as_ref()?;
    if kept {
        let other = known.shown(item.etag).is_some_and(|last| last != etag);
        return other.then(|| ("with the etag seen last".into(), "with another etag".into()));
    }
    let expired = from.world.expired(id)?;
    let same = known.shown(expired.etag) == Some(etag);
    same.then(|| ("with a new etag".into(), "with the etag of the expired item".into()))
}

fn content_differs(written: &Properties, shown: &Properties) -> Option<Words> {
    for (name, value) in written.iter().filter(|(name, value)| is_kept(name, value)) {
        match shown.get(name) {
            Some(came) if came.same_value(value) => {}
            Some(came) => {
                return Some((
                    format!("with {name}: {value}"),
                    format!("with {name}: {}", excerpt(came.as_str())),
                ));
            }
            None => return Some((format!("with {name}: {value}"), format!("without {name}"))),
        }
    }
    let extra = OURS.iter().find(|name| shown.contains_key(**name) && !written.contains_key(**name))?;
    let came = shown.get(*extra).map_or("", |value| value.as_str());
    Some((format!("without {extra}"), format!("with {extra}: {}", excerpt(came))))
}

/// Whether every target must return this as it was sent: names with an underscore are the service's, and not every
/// language holds every number.
fn is_kept(name: &str, value: &Literal) -> bool {
    const EXACT: u64 = 1 << 53;
    match value.kind() {
        Kind::Whole(number) | Kind::WholeAsFraction(number) if EXACT < number.unsigned_abs() => false,
        _ => !name.starts_with('_'),
    }
}

/// Properties that a target has no business adding.
const OURS: [&str; 2] = ["ttl", "value"];

/// Text from a target, cut short.
pub(super) fn excerpt(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or("")),
        None => text.into(),
    }
}
