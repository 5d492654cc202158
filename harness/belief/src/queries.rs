//! Queries, lists and counts: looks at the whole container.

use cosmos_ttl_model::container::{self as model, Index, ItemId, Rules};
use cosmos_ttl_model::interpretation::{Aggregates, Interpretation};
use cosmos_ttl_model::rule::Edition;

use super::hypothesis::Hypothesis;
use super::observations::Observations;
use cosmos_ttl_harness::target::{Body, Response, Status};

/// The world after a query or a list with this answer, if it answers so.
pub(super) fn listed(
    known: &Observations,
    edition: Edition,
    from: &Hypothesis,
    response: &Response,
) -> Option<Hypothesis> {
    let Body::Ids(names) = &response.body else { return None };
    if response.status != Status::Ok {
        return None;
    }
    let mut shown: Vec<ItemId> = names.iter().map(|name| known.id(name)).collect::<Option<_>>()?;
    shown.sort_unstable();
    // An item that is listed twice hides one that is not.
    if shown.windows(2).any(|pair| pair.first() == pair.last()) {
        return None;
    }
    let lags = from.world.index == Index::Rebuilding;
    let mut next = from.clone();
    for id in from.open_ids() {
        if shown.contains(&id) {
            next.settle(id);
        } else if !lags {
            next.lose(id);
        }
    }
    let rules = Rules { edition, ..Rules::default() };
    let (_, model::Response::Ids(visible)) = next.world.step(rules, &model::Request::Query) else {
        return None;
    };
    // `lazy-index-may-lag`: while the index is built anew, a look may be incomplete.
    let agrees = if lags { shown.iter().all(|id| visible.contains(id)) } else { shown == visible };
    agrees.then_some(next)
}

/// The least and the greatest number that this world may count (`expired-in-aggregates`, `reappearance`).
pub(super) fn bounds(edition: Edition, from: &Hypothesis) -> (u64, u64) {
    let count = |hypothesis: &Hypothesis, aggregates| {
        let interpretation = Interpretation { aggregates, ..Interpretation::default() };
        match hypothesis.world.step(Rules { edition, interpretation }, &model::Request::Count).1 {
            model::Response::Count(count) => u64::try_from(count).unwrap_or(u64::MAX),
            _ => 0,
        }
    };
    let mut fewest = from.clone();
    from.open_ids().for_each(|id| fewest.lose(id));
    let least = match from.world.index {
        Index::Rebuilding => 0,
        Index::Ready => count(&fewest, Aggregates::Excluded),
    };
    let most = count(from, Aggregates::Counted).saturating_add(from.latched.count().into());
    (least, most)
}

/// The world after a count with this answer, if it answers so.
pub(super) fn counted(edition: Edition, from: &Hypothesis, response: &Response) -> Option<Hypothesis> {
    let Body::Count(count) = response.body else { return None };
    let (least, most) = bounds(edition, from);
    if response.status != Status::Ok || count < least || most < count {
        return None;
    }
    let mut next = from.clone();
    if count == least && from.world.index == Index::Ready {
        // Whatever is visible is counted.
        from.open_ids().for_each(|id| next.lose(id));
    }
    Some(next)
}
