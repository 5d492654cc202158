//! Compares a response with what each hypothesis responds: keeps those that agree, or describes the difference.
//!
//! Compared is what a client can rely on: the status; whose item it is; that what was written is there, and what was
//! not, or was taken away, is not; `_ts`, which must be the second of its last write; and the etag, which must stay as
//! long as nothing writes the item, and must not be that of the expired item whose place it takes. A target may
//! add properties that the client did not send, and may answer a write without the item.

use std::collections::BTreeSet;

use crate::reference::status;
use cosmos_ttl_harness::describe::{self, excerpt};
use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::replay::is_alike;
use cosmos_ttl_harness::target::{
    Body, Indexing, Item, MOST_OPERATIONS, Operation, POSSIBLE_TS, Properties, Request, Response, Status,
};
use cosmos_ttl_model::container::{self as model, Index, ItemId};

use super::batch::batch;
use super::hypothesis::{Hypothesis, ItemRequest, Observations, Successor, Way, configured, count_bounds};

/// A response that no hypothesis gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The responses that the target may give, in words.
    pub expected: String,
    /// Its response, in words; text from the target in it is bounded, but not yet escaped.
    pub got: String,
}

/// The expected responses, in words, and the actual one, if it has the same status.
type Difference = (String, Option<String>);

/// A request, its response, and what hypotheses make of the two.
pub(crate) struct Comparison<'a> {
    pub(crate) known: &'a mut Observations,
    pub(crate) request: &'a Request,
    pub(crate) response: &'a Response,
    /// The hypotheses that give the response, as they are after it.
    pub(crate) agreeing: Vec<Hypothesis>,
    /// Every response that a hypothesis would have given, if that is asked for.
    pub(crate) differing: Option<Vec<Difference>>,
}

impl Comparison<'_> {
    /// Compares the response with all that this hypothesis may respond.
    pub(crate) fn compare(&mut self, from: &Hypothesis) {
        let (here, elsewhere) = self.known.split(self.request, from);
        let before = self.agreeing.len();
        self.compare_here(&here);
        self.agreeing.iter_mut().skip(before).for_each(|after| after.join(&elsewhere));
    }

    fn compare_here(&mut self, from: &Hypothesis) {
        match self.request {
            Request::Item(operation) => {
                let Some(mut asked) = ItemRequest::new(self.known, operation, false) else { return };
                let mut all = Vec::new();
                for (from, _) in from.fates(asked.id) {
                    asked.outcomes(self.known, &from, &mut all);
                }
                for Successor { after, response: wanted, .. } in all {
                    let status = status(&wanted);
                    if !is_alike(Some(operation), status, self.response.status) {
                        self.keep(None, |_| (status.to_string(), None));
                    } else if let Some((wanted, came)) = self.difference(from, asked.id, &wanted) {
                        self.keep(None, |_| (wanted, Some(came)));
                    } else {
                        self.agreeing.push(after);
                    }
                }
            }
            Request::Batch(operations) if self.differing.is_some() => self.describe_batch(from, operations),
            Request::Batch(operations) => self.compare_batch(from, operations),
            // What a query answers where there is no index is nowhere said.
            Request::Query | Request::List | Request::Count
                if from.world.settings.indexing == model::Indexing::None =>
            {
                self.agreeing.push(from.clone());
            }
            Request::Query | Request::List => {
                let after = self.listed(from);
                self.keep(after, |known| {
                    let named = |id: ItemId| {
                        let name = known.names.name(id);
                        if from.is_open(id) { format!("{name} or not") } else { name.to_owned() }
                    };
                    let mut all: Vec<String> = from.world.visible_ids().map(named).collect();
                    all.sort_unstable();
                    (format!("[{}]", all.join(", ")), None)
                });
            }
            Request::Count => {
                let (least, most) = count_bounds(self.known, from);
                let after = self.counted(from, least, most);
                self.keep(after, |_| {
                    let range = if least == most { least.to_string() } else { format!("{least} to {most}") };
                    (format!("count {range}"), None)
                });
            }
            Request::CreateContainer(container) | Request::ReplaceContainer(container) => {
                // The target may only say that its account offers no lazy index (`indexed-modes-allow-ttl`), whatever it
                // takes null for.
                let refuses_lazy = container.indexing == Indexing::Lazy
                    && !self.known.offers_lazy
                    && self.response.status == Status::BadRequest;
                if refuses_lazy {
                    self.agreeing.push(from.clone());
                    return;
                }
                let creates = matches!(self.request, Request::CreateContainer(_));
                for (after, status) in configured(from, container, creates) {
                    self.keep((status == self.response.status).then_some(after), |_| {
                        (status.to_string(), None)
                    });
                }
            }
            // The model knows none of the others, and nobody sends them to be judged.
            _ => self.agreeing.push(from.clone()),
        }
    }

    /// Keeps what the hypothesis became if it gives the response, or else notes what it would have given.
    fn keep(&mut self, after: Option<Hypothesis>, wanted: impl FnOnce(&Observations) -> Difference) {
        match (after, &mut self.differing) {
            (Some(after), _) => self.agreeing.push(after),
            (None, Some(differing)) => differing.push(wanted(self.known)),
            (None, None) => {}
        }
    }

    /// Describes what every hypothesis would have responded, and what came.
    pub(crate) fn contradiction(self) -> Contradiction {
        let differing = self.differing.unwrap_or_default();
        let came = differing.iter().find_map(|(_, came)| came.clone());
        let allowed: BTreeSet<String> = differing.into_iter().map(|(wanted, _)| wanted).collect();
        Contradiction {
            expected: allowed.into_iter().collect::<Vec<_>>().join(" or "),
            got: came.unwrap_or_else(|| describe::response(self.response)),
        }
    }

    fn compare_batch(&mut self, from: &Hypothesis, operations: &[Operation]) {
        let Response { status: came, body, .. } = self.response;
        let (aborts, end) = match body {
            Body::Committed(all) if *came == Status::Ok && all.len() == operations.len() => {
                (false, all.len())
            }
            Body::Aborted { at } if !came.is_success() && *at < operations.len() => (true, at + 1),
            // Refused as a whole: too many for a target that has a limit.
            _ if *came == Status::BadRequest && operations.len() > MOST_OPERATIONS => {
                self.agreeing.push(from.clone());
                return;
            }
            _ => return,
        };
        let operations = operations.get(..end).unwrap_or(operations);
        let rows = batch(self.known, from, operations, false, |row| {
            row.statuses.last().is_some_and(|status| match body {
                Body::Committed(statuses) => {
                    let came = statuses.get(row.at());
                    let is_alike =
                        came.is_some_and(|came| is_alike(operations.get(row.at()), *status, *came));
                    !row.is_refused() && is_alike
                }
                // Any refused operation may be blamed, and not only the first (`refusal-order`).
                _ => row.at() + 1 < end || (row.is_refused() && status == came),
            })
        });
        self.agreeing.extend(rows.into_iter().map(|row| if aborts { row.undone(from) } else { row.after }));
    }

    fn describe_batch(&mut self, from: &Hypothesis, operations: &[Operation]) {
        // More rows than this are of no use to anybody.
        const MOST_ROWS: usize = 16;
        let mut words = Vec::new();
        let mut kept = vec![0_usize; operations.len()];
        let rows = batch(self.known, from, operations, false, |row| {
            let (at, last) = (row.at(), row.statuses.last());
            if row.is_refused() {
                words.extend(last.map(|status| format!("aborted at operation {at} with {status}")));
            }
            let kept = kept.get_mut(at).filter(|kept| **kept < MOST_ROWS);
            kept.map(|kept| *kept += 1).is_some()
        });
        let committed = rows.iter().filter(|row| !row.is_doomed && !row.is_refused());
        words.extend(committed.map(|row| {
            let statuses: Vec<&str> = row.statuses.iter().map(|status| status.word()).collect();
            format!("committed [{}]", statuses.join(", "))
        }));
        self.differing.iter_mut().for_each(|all| all.extend(words.drain(..).map(|words| (words, None))));
    }

    /// Returns the hypothesis after a query or a list, if it responds so.
    fn listed(&self, from: &Hypothesis) -> Option<Hypothesis> {
        let Body::Ids(names) = &self.response.body else { return None };
        let number = |name: &String| self.known.names.number(name);
        let mut shown: Vec<ItemId> = names.iter().map(number).collect::<Option<_>>()?;
        shown.sort_unstable();
        // An item that is listed twice hides one that is not.
        let repeats = shown.windows(2).any(|pair| pair.first() == pair.last());
        if repeats || self.response.status != Status::Ok {
            return None;
        }
        let ways = from.ways(|world, choose| world.answer(&model::Request::Query, choose));
        // A lazy index may lag: then nothing follows from what is shown.
        if ways.iter().any(|way| way.response == model::Response::AnyIds) {
            return Some(from.clone());
        }
        let mut next = from.clone();
        from.open_ids().for_each(|id| next.decide(id, shown.binary_search(&id).is_err()));
        let listed = |way: &Way<model::Response>| match &way.response {
            model::Response::Ids(visible) => {
                shown.iter().eq(visible.iter().filter(|id| next.world.items.contains_key(id)))
            }
            _ => false,
        };
        ways.iter().any(listed).then_some(next)
    }

    /// Returns the hypothesis after a count, if it counts so.
    fn counted(&self, from: &Hypothesis, least: usize, most: usize) -> Option<Hypothesis> {
        let Body::Count(count) = self.response.body else { return None };
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        if self.response.status != Status::Ok || !(least..=most).contains(&count) {
            return None;
        }
        let mut next = from.clone();
        if count == least && from.world.index == Index::Ready {
            // Whatever is visible is counted.
            from.open_ids().for_each(|id| next.decide(id, true));
        }
        Some(next)
    }

    /// Describes how a response with the right status differs in its item.
    fn difference(
        &self,
        from: &Hypothesis,
        id: ItemId,
        wanted: &model::Response,
    ) -> Option<(String, String)> {
        use model::Response::{Created, Found, Ok};
        let (Created(item) | Ok(item) | Found(item)) = wanted else { return None };
        let is_kept = matches!(wanted, Found(_));
        let Body::Item(shown) = &self.response.body else {
            return is_kept.then(|| ("found with the item".into(), "found without an item".into()));
        };
        let item_differs = self.item_difference(from, id, item, shown);
        let (wanted, came) = item_differs.or_else(|| {
            let etag = shown.etag.as_ref()?;
            if is_kept {
                let other = self.known.writes.get(&item.etag).is_some_and(|last| last != etag);
                return other.then(|| ("with the etag seen last".into(), "with another etag".into()));
            }
            let same = self.known.writes.get(&from.world.expired(id)?.etag) == Some(etag);
            same.then(|| ("with a new etag".into(), "with the etag of the expired item".into()))
        })?;
        let status = self.response.status;
        Some((format!("{status} {wanted}"), format!("{status} {came}")))
    }

    fn item_difference(
        &self,
        from: &Hypothesis,
        id: ItemId,
        item: &model::Item,
        shown: &Item,
    ) -> Option<(String, String)> {
        let name = self.known.names.name(id);
        if shown.document.id != name {
            let came = format!("with the item `{}`", excerpt(&shown.document.id));
            return Some((format!("with the item `{name}`"), came));
        }
        let written = self.known.names.properties(item.content);
        if let Some(difference) = written.and_then(|all| content_difference(all, &shown.document.properties))
        {
            return Some(difference);
        }
        let ts = shown.ts?;
        if !POSSIBLE_TS.contains(&ts) {
            return Some(("with a second from 1970 to 9999 as `_ts`".into(), format!("with `_ts` {ts}")));
        }
        let should = self.known.origin?.saturating_add(item.ts);
        if ts == should {
            return None;
        }
        let wanted = match from.world.now.saturating_sub(item.ts) {
            0 => "with the `_ts` of this second".into(),
            age => format!("with the `_ts` of its last write, {age} s ago"),
        };
        Some((wanted, format!("with `_ts` {:+} s from that", ts.saturating_sub(should))))
    }
}

pub(crate) fn content_difference(written: &Properties, shown: &Properties) -> Option<(String, String)> {
    /// Properties that a target has no business adding.
    const OURS: [&str; 2] = ["ttl", "value"];
    if written == shown {
        return None;
    }
    let with = |name: &str, value: Option<&str>| match value {
        Some(value) => format!("with {name}: {value}"),
        None => format!("without {name}"),
    };
    let came = |name: &str| shown.get(name).map(|value| excerpt(value.as_str()));
    let differs = |(name, value): &(&String, &Literal)| {
        is_kept(name, value) && !shown.get(*name).is_some_and(|came| came.same_value(value))
    };
    if let Some((name, value)) = written.iter().find(differs) {
        return Some((with(name, Some(value.as_str())), with(name, came(name).as_deref())));
    }
    let extra = OURS.into_iter().find(|name| shown.contains_key(*name) && !written.contains_key(*name))?;
    Some((with(extra, None), with(extra, came(extra).as_deref())))
}

/// Whether every target must return this as it was sent: names with an underscore are the service's, and not every
/// language holds every number.
fn is_kept(name: &str, value: &Literal) -> bool {
    const EXACT: u64 = 1 << 53;
    let exact = match value.kind() {
        LiteralKind::Whole(number) | LiteralKind::WholeAsFraction(number) => number.unsigned_abs() <= EXACT,
        _ => true,
    };
    exact && !name.starts_with('_')
}
