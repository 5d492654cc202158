//! Compares the item of an answer with what is expected of it.

use super::{Replay, StepAnswer, unseen};
use crate::literal::Literal;
use crate::signature::{FailureSide, property};
use crate::target::{Body, Status};
use crate::vector::{Details, EtagIs};
use crate::verdict::Verdict;

impl<'a> Replay<'a> {
    pub(super) fn compare_details(
        &self,
        answer: &StepAnswer<'a, '_>,
        status: Status,
        details: &Details,
    ) -> Option<Verdict> {
        if details.is_empty() {
            return None;
        }
        let unsupported = |why: &str| Some(Verdict::Unsupported(why.into()));
        if let Some(wanted) = &details.default_ttl {
            let Body::Container { default_ttl: got } = &answer.response.body else {
                return unsupported(&format!("the target shows no settings with `{status}`"));
            };
            let is_same = match (wanted, got) {
                (Some(wanted), Some(got)) => got.same_value(wanted),
                (wanted, got) => wanted == got,
            };
            let side = |shown: &Option<Literal>| match shown {
                Some(value) => FailureSide::property(status, "defaultTtl", value),
                None => FailureSide::without(status, "defaultTtl"),
            };
            return (!is_same).then(|| answer.differs(side(wanted), side(got)));
        }
        let Body::Item(item) = &answer.response.body else {
            return unsupported(&format!("the target returns no item with `{status}`"));
        };
        let properties = &item.document.properties;
        let got = |name: &str| match properties.get(name) {
            Some(value) => FailureSide::property(status, name, value),
            None => FailureSide::without(status, name),
        };
        for (name, value) in &details.has {
            if !properties.get(name).is_some_and(|got| got.same_value(value)) {
                let words = format!("with {name}: {value}");
                let expected = FailureSide::item(status, &words, &property(name, value.as_str()));
                return Some(answer.differs(expected, got(name)));
            }
        }
        if let Some(text) = details.ttl_text.as_ref().filter(|text| properties.get("ttl") != Some(text)) {
            let expected = (format!("with ttl written {text}"), format!("ttl-text: \"{text}\""));
            let expected = FailureSide::item(status, &expected.0, &expected.1);
            return Some(answer.differs(expected, got("ttl")));
        }
        if let Some(name) = details.absent.iter().find(|name| properties.contains_key(*name)) {
            return Some(answer.differs(FailureSide::without(status, name), got(name)));
        }
        if let Some(at_s) = details.written_at_s {
            let Some(ts) = item.ts else { return unsupported("the target shows no `_ts`") };
            if let Some(meant) = self.nearest_ts(answer, at_s, ts).filter(|meant| *meant != ts) {
                let off_s = ts.saturating_sub(meant);
                let shown_at = i128::from(at_s).saturating_add(off_s.into());
                let of = (format!("with the `_ts` of second {at_s}"), format!("written-at: {at_s}"));
                let off = (format!("with `_ts` {off_s:+} s from that"), format!("written-at: {shown_at}"));
                return Some(answer.item_differs(status, (&of.0, &of.1), (&off.0, &off.1)));
            }
        }
        let wanted = details.etag?;
        let Some(etag) = &item.etag else { return unsupported("the target shows no etags") };
        let id = item.document.id.as_str();
        let etags = self.etags.get(&answer.step.place())?;
        let seen = etags.seen(id);
        let (expected, got) = match wanted {
            EtagIs::Same if etags.current(id).is_none() => return unsupported(&unseen(id)),
            EtagIs::Same if seen.last() != Some(etag) => {
                (("with the etag seen last", "etag: same"), ("with another etag", "etag: new"))
            }
            EtagIs::New if seen.contains(etag) => {
                (("with a new etag", "etag: new"), ("with an etag seen before", "etag: seen"))
            }
            EtagIs::Same | EtagIs::New => return None,
        };
        Some(answer.item_differs(status, expected, got))
    }
}
