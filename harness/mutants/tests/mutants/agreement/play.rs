//! Plays a script to two sides and compares what they say.

use std::collections::BTreeMap;

use cosmos_ttl_harness::target::{Body, Etag, Item, Request, Response};

use super::script::{Action, Call, Condition, One, Script, id};
use super::sides::Side;

/// Plays it; the first difference in words. `looks_at` names the properties that are compared, all if it is empty.
pub(crate) fn play(
    script: &Script,
    one: &mut dyn Side,
    other: &mut dyn Side,
    looks_at: &[&str],
) -> Result<(), String> {
    let mut compare = Compare {
        starts: (one.start(), other.start()),
        etags: BTreeMap::new(),
        seen: BTreeMap::new(),
        looks_at,
    };
    let start = Request::CreateContainer(script.settings.container());
    compare.responses(&start, &one.send(&start), &other.send(&start))?;
    for step in &script.actions {
        match step {
            Action::Pass(seconds) => {
                one.pass(*seconds);
                other.pass(*seconds);
            }
            Action::Remove(number) => {
                if let Some(could) = one.remove(*number) {
                    let also = other.remove(*number).unwrap_or(could);
                    expect(could == also, || format!("only one has {} to remove", id(*number)))?;
                }
            }
            Action::Call(call) => compare.call(call, one, other)?,
        }
    }
    Ok(())
}

fn expect(holds: bool, otherwise: impl Fn() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

struct Compare<'a> {
    starts: (i64, i64),
    /// Etags of the one, and those of the other that mean the same.
    etags: BTreeMap<Etag, Etag>,
    /// Each item's etags, in the order in which they were seen.
    seen: BTreeMap<u8, Vec<(Etag, Etag)>>,
    looks_at: &'a [&'a str],
}

impl Compare<'_> {
    fn call(&mut self, call: &Call, one: &mut dyn Side, other: &mut dyn Side) -> Result<(), String> {
        let request = call.request(&|asked| self.etag(asked).map(|(etag, _)| etag));
        let response = one.send(&request);
        let other_response = other.send(&call.request(&|asked| self.etag(asked).map(|(_, etag)| etag)));
        self.responses(&request, &response, &other_response)?;
        if let (Call::One(asked), Body::Item(item), Body::Item(other)) =
            (call, &response.body, &other_response.body)
        {
            let pair = item.etag.clone().zip(other.etag.clone());
            let seen = self.seen.entry(asked.id).or_default();
            if pair.as_ref() != seen.last() {
                seen.extend(pair);
            }
        }
        Ok(())
    }

    /// The etag that a condition means at either side; one that no item has, if there is none.
    fn etag(&self, asked: One) -> Option<(Etag, Etag)> {
        let foreign = || (Etag::from("nobody's"), Etag::from("nobody's"));
        let seen = self.seen.get(&asked.id).map_or(&[][..], Vec::as_slice);
        match asked.condition {
            Condition::None => None,
            Condition::Last => Some(seen.last().cloned().unwrap_or_else(foreign)),
            Condition::Stale => Some(seen.iter().rev().nth(1).cloned().unwrap_or_else(foreign)),
            Condition::Foreign => Some(foreign()),
        }
    }

    fn responses(&mut self, request: &Request, one: &Response, other: &Response) -> Result<(), String> {
        let same = one.status == other.status
            && match (&one.body, &other.body) {
                (Body::Item(item), Body::Item(other)) => self.same_item(item, other),
                (Body::Ids(ids), Body::Ids(others)) => sorted(ids) == sorted(others),
                (body, other) => body == other,
            };
        expect(same, || format!("to {request:?}\none says   {one:?}\nanother    {other:?}"))
    }

    fn same_item(&mut self, one: &Item, other: &Item) -> bool {
        let compared = |item: &Item| -> BTreeMap<String, String> {
            let all = item.document.properties.iter();
            let looked =
                all.filter(|(name, _)| self.looks_at.is_empty() || self.looks_at.contains(&name.as_str()));
            looked.map(|(name, value)| (name.clone(), value.to_string())).collect()
        };
        let (Some(ts), Some(other_ts)) = (one.ts, other.ts) else { return false };
        let (Some(etag), Some(other_etag)) = (&one.etag, &other.etag) else { return false };
        let known = self.etags.entry(etag.clone()).or_insert_with(|| other_etag.clone());
        let same_etag = known == other_etag;
        let taken = self.etags.iter().any(|(known, means)| means == other_etag && known != etag);
        one.document.id == other.document.id
            && compared(one) == compared(other)
            && ts - self.starts.0 == other_ts - self.starts.1
            && same_etag
            && !taken
    }
}

fn sorted(ids: &[String]) -> Vec<&String> {
    let mut ids: Vec<_> = ids.iter().collect();
    ids.sort();
    ids
}
