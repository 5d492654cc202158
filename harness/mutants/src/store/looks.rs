//! What is shown: items, lists and counts.

use super::Store;
use super::items::shown_tag;
use super::row::{Row, Says};
use crate::mutation::{Cause, Counted, Index, Look, Mutation as M, Shown};
use crate::number::whole;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Document, Item, Properties, Response, Status};

impl Store {
    pub(super) fn list(&mut self, look: Look, cause: Cause) -> Response {
        let ids = self.listed(look).map(|row| row.id.clone()).collect();
        self.restart_if(cause, look);
        Response::ids(ids)
    }

    pub(super) fn count(&mut self) -> Response {
        let visible = self.listed(Look::Count).count();
        let counted =
            if self.takes_now(self.variant.choices.expired_counted) { self.rows.len() } else { visible };
        let count = match self.variant.mutation {
            Some(M::Counts(Counted::Overwritten)) => counted.saturating_add(self.past.overwritten.len()),
            Some(M::Counts(Counted::SubtractsTwice)) => {
                visible.saturating_sub(self.rows.len().saturating_sub(visible))
            }
            _ => counted,
        };
        self.restart_if(Cause::Count, Look::Count);
        Response::count(count as u64)
    }

    fn restart_if(&mut self, cause: Cause, look: Look) {
        if self.errs(M::Restarts(cause)) {
            self.restart_seen(look);
        }
    }

    /// The items that a look at the whole container sees.
    pub(super) fn listed(&self, look: Look) -> impl Iterator<Item = &Row> {
        let may_lag = self.variant.choices.lazy_index_lags || self.errs(M::Index(Index::ConsistentLags));
        let lags = self.lagging && may_lag;
        self.rows.iter().filter(move |row| !lags && !self.is_expired(row, &[look]))
    }

    /// The item, as an answer carries it.
    pub(super) fn show(&self, status: Status, row: &Row) -> Response {
        let mut properties = row.properties.clone();
        let mut ts = row.written;
        if let Some(M::Shows(shown)) = self.variant.mutation {
            match shown {
                Shown::TsOfCreation => ts = row.past.created,
                Shown::TsInMilliseconds => ts = ts.saturating_mul(1_000),
                Shown::TsOfNow => ts = self.now,
                shown => self.misshow(shown, row, &mut properties),
            }
        }
        let document = Document { id: row.id.clone(), properties };
        Response::item(status, Item { document, ts: i64::try_from(ts).ok(), etag: Some(shown_tag(row.tag)) })
    }

    fn misshow(&self, shown: Shown, row: &Row, properties: &mut Properties) {
        let over = self.deadline(row).is_some_and(|deadline| deadline <= self.now);
        let left = self.deadline(row).map(|deadline| deadline.saturating_sub(self.now));
        match (shown, self.default, left) {
            (Shown::WithoutTtl, ..) => properties.retain(|name, _| name != "ttl"),
            (Shown::WithDefault, Says::For(seconds), _) if !properties.contains_key("ttl") => {
                properties.extend(number("ttl", seconds));
            }
            (Shown::WithRemaining, _, Some(left)) if properties.contains_key("ttl") => {
                properties.extend(number("ttl", left));
            }
            (Shown::WithoutOldParts, ..) => {
                let age = self.now.saturating_sub(row.written);
                properties.retain(|_, value| shortest_part(value).is_none_or(|ttl| age < ttl));
            }
            (Shown::EmptyOnceExpired, ..) if over => properties.clear(),
            _ => {}
        }
    }
}

fn number(name: &str, value: i128) -> Option<(String, Literal)> {
    Some((name.into(), Literal::parse(&value.to_string()).ok()?))
}

/// The first `ttl` inside a value.
fn shortest_part(value: &Literal) -> Option<i128> {
    let (_, rest) = value.as_str().split_once("\"ttl\"")?;
    let digits = rest.trim_start_matches([':', ' ']);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    whole(digits.get(..end)?, false)
}
