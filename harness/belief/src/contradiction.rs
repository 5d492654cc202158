//! Compares a response with what a hypothesis responds, and describes the difference.
//!
//! Compared is what a client can rely on: the status; whose item it is; that what was written is there, and what was
//! not, or was taken away, is not; `_ts`, which must be the second of its last write; and the etag, which must stay as
//! long as nothing writes the item, and must not be that of the expired item whose place it takes. A target may
//! add properties that the client did not send, and may answer a write without the item.

use std::collections::BTreeSet;

use cosmos_ttl_harness::describe::{self, excerpt};
use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{Body, Item, Operation, Properties, Request, Response};
use cosmos_ttl_model::container::{self as model, ItemId};
use cosmos_ttl_reference::status;

use super::Belief;
use super::hypothesis::{Hypothesis, Observations};
use super::outcomes::{ItemRequest, batch, configured, count_bounds};

/// A response that no hypothesis gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// What the target may respond, in words.
    pub expected: String,
    /// What it responded, in words; text from the target in it is bounded and still to be escaped.
    pub got: String,
}

/// What was to be expected and what came, in words; nothing came if that has another status.
type Words = (String, String);

impl Belief {
    /// Describes what every hypothesis would have responded, and what came.
    pub(crate) fn contradiction(&mut self, request: &Request, response: &Response) -> Contradiction {
        let mut allowed = BTreeSet::new();
        let mut came = None;
        for from in self.hypotheses.clone() {
            for (wanted, got) in self.allowed(&from, request, response) {
                allowed.insert(wanted);
                came = came.or_else(|| Some(got).filter(|got| !got.is_empty()));
            }
        }
        let expected = allowed.into_iter().collect::<Vec<_>>().join(" or ");
        Contradiction { expected, got: came.unwrap_or_else(|| describe::response(response)) }
    }

    /// Each response of this hypothesis, with what came if that has the same status.
    fn allowed(&mut self, from: &Hypothesis, request: &Request, response: &Response) -> Vec<Words> {
        let known = &mut self.observations;
        let alone = |words: String| (words, String::new());
        match request {
            Request::Item(operation) => {
                let Some(mut asked) = ItemRequest::new(known, operation, false) else {
                    return Vec::new();
                };
                let mut all = Vec::new();
                for (from, _) in from.fates(asked.id) {
                    asked.outcomes(known, &from, &mut all);
                }
                let comparison = Comparison { known, from, id: asked.id, response };
                let words = |wanted: &model::Response| {
                    let status = status(wanted);
                    let differs = (status == response.status).then(|| comparison.differs(wanted));
                    differs.flatten().unwrap_or_else(|| alone(status.to_string()))
                };
                all.iter().map(|(_, wanted)| words(wanted)).collect()
            }
            Request::Batch(operations) => {
                self.batch_in_words(from, operations).into_iter().map(alone).collect()
            }
            Request::Query | Request::List => {
                let named = |id: ItemId| {
                    let name = known.names.name(id);
                    if from.is_open(id) { format!("{name} or not") } else { name.to_owned() }
                };
                let mut all: Vec<String> = from.world.visible_ids().map(named).collect();
                all.sort_unstable();
                vec![alone(format!("[{}]", all.join(", ")))]
            }
            Request::Count => {
                let (least, most) = count_bounds(known, from);
                let range = if least == most { least.to_string() } else { format!("{least} to {most}") };
                vec![alone(format!("count {range}"))]
            }
            Request::CreateContainer(container) | Request::ReplaceContainer(container) => {
                let creates = matches!(request, Request::CreateContainer(_));
                let all = configured(known, from, container, creates).into_iter();
                all.map(|(_, status)| alone(status.to_string())).collect()
            }
        }
    }

    fn batch_in_words(&mut self, from: &Hypothesis, operations: &[Operation]) -> Vec<String> {
        // More rows than this are of no use to anybody.
        const MOST_ROWS: usize = 16;
        let mut words = Vec::new();
        let mut kept = vec![0_usize; operations.len()];
        let rows = batch(&mut self.observations, from, operations, false, |row| {
            let (at, last) = (row.at(), row.statuses.last());
            if row.refused {
                words.extend(last.map(|status| format!("aborted at operation {at} with {status}")));
            }
            let kept = kept.get_mut(at).filter(|kept| !row.refused && **kept < MOST_ROWS);
            kept.map(|kept| *kept += 1).is_some()
        });
        words.extend(rows.iter().map(|row| {
            let statuses: Vec<&str> = row.statuses.iter().map(|status| status.word()).collect();
            format!("committed [{}]", statuses.join(", "))
        }));
        words
    }
}

/// A response, and the hypothesis before the request, which was about one item.
pub(crate) struct Comparison<'a> {
    pub(crate) known: &'a Observations,
    pub(crate) from: &'a Hypothesis,
    pub(crate) id: ItemId,
    pub(crate) response: &'a Response,
}

impl Comparison<'_> {
    /// Whether the target responds like this.
    pub(crate) fn agrees(&self, wanted: &model::Response) -> bool {
        status(wanted) == self.response.status && self.differs(wanted).is_none()
    }

    /// How a response with the right status differs all the same.
    fn differs(&self, wanted: &model::Response) -> Option<Words> {
        use model::Response::{Created, Found, Ok};
        match (wanted, &self.response.body) {
            (Created(item) | Ok(item) | Found(item), Body::Item(shown)) => {
                let kept = matches!(wanted, Found(_));
                let (wanted, came) =
                    self.item_differs(item, shown).or_else(|| self.etag_differs(item, kept, shown))?;
                let status = self.response.status;
                Some((format!("{status} {wanted}"), format!("{status} {came}")))
            }
            (Found(_), _) => Some(("found with the item".into(), "found without an item".into())),
            _ => None,
        }
    }

    fn item_differs(&self, item: &model::Item, shown: &Item) -> Option<Words> {
        let Observations { names, origin, .. } = self.known;
        let name = names.name(self.id);
        if shown.document.id != name {
            let came = format!("with the item `{}`", excerpt(&shown.document.id));
            return Some((format!("with the item `{name}`"), came));
        }
        if let Some(written) = names.properties(item.content)
            && *written != shown.document.properties
            && let Some(words) = content_differs(written, &shown.document.properties)
        {
            return Some(words);
        }
        let (ts, should) = (shown.ts?, (*origin)?.saturating_add(item.ts));
        if ts == should {
            return None;
        }
        let wanted = match self.from.world.now.saturating_sub(item.ts) {
            0 => "with the `_ts` of this second".into(),
            age => format!("with the `_ts` of its last write, {age} s ago"),
        };
        Some((wanted, format!("with `_ts` {:+} s from that", ts.saturating_sub(should))))
    }

    fn etag_differs(&self, item: &model::Item, kept: bool, shown: &Item) -> Option<Words> {
        let etag = shown.etag.as_ref()?;
        if kept {
            let other = self.known.shown(item.etag).is_some_and(|last| last != etag);
            return other.then(|| ("with the etag seen last".into(), "with another etag".into()));
        }
        let expired = self.from.world.expired(self.id)?;
        let same = self.known.shown(expired.etag) == Some(etag);
        same.then(|| ("with a new etag".into(), "with the etag of the expired item".into()))
    }
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
        LiteralKind::Whole(number) | LiteralKind::WholeAsFraction(number)
            if EXACT < number.unsigned_abs() =>
        {
            false
        }
        _ => !name.starts_with('_'),
    }
}

/// Properties that a target has no business adding.
const OURS: [&str; 2] = ["ttl", "value"];
