//! What mistakes do to writes and answers.

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Item, Operation};

use super::Room;
use super::log::{Held, Ttl};
use crate::mistake::{Misreply, Mistake, Miswrite, Path};
use crate::number::{Sent, read};

impl Room {
    /// Returns what is stored instead of what should be.
    pub(super) fn miswritten(
        &self,
        mut held: Held,
        path: Path,
        living: Option<&Held>,
        old: Option<&Held>,
        operation: &Operation,
    ) -> Held {
        let Some(Mistake::Write(places, how)) = self.mistake else { return held };
        if !places.holds(path) {
            return held;
        }
        let expired = if living.is_some() { None } else { old };
        let has_ttl = held.properties.contains_key("ttl");
        let keeps_ts =
            |if_so: fn(&Held, &Held) -> bool| living.filter(|living| if_so(living, &held)).map(|l| l.ts);
        let same_ttl = |a: &Held, b: &Held| a.properties.get("ttl") == b.properties.get("ttl");
        let kept = match how {
            Miswrite::KeepsTs => keeps_ts(|_, _| true),
            Miswrite::KeepsTsIfSame => keeps_ts(|a, b| a.properties == b.properties),
            Miswrite::KeepsTsIfTtlChanges => living.filter(|living| !same_ttl(living, &held)).map(|l| l.ts),
            Miswrite::KeepsTsUnlessTtlChanges => {
                living.filter(|living| same_ttl(living, &held)).map(|l| l.ts)
            }
            Miswrite::KeepsExpiredTs => expired.map(|expired| expired.ts),
            Miswrite::TsOff(seconds) => Some(held.ts + seconds),
            Miswrite::ClientTs => match read(operation.properties().and_then(|sent| sent.get("_ts"))) {
                Sent::Number(number) => Some(number.value),
                _ => None,
            },
            _ => None,
        };
        held.ts = kept.unwrap_or(held.ts);
        match how {
            Miswrite::KeepsExpiredOwn if !has_ttl => {
                held.own = expired.map_or(held.own, |expired| expired.own);
            }
            Miswrite::KeepsExpiredProperties => {
                let mut properties = expired.map(|expired| expired.properties.clone()).unwrap_or_default();
                properties.extend(std::mem::take(&mut held.properties));
                held.properties = properties;
                if let (false, Some(expired)) = (has_ttl, expired) {
                    held.own = expired.own;
                }
            }
            Miswrite::KeepsOwn if !has_ttl => held.own = living.map_or(held.own, |living| living.own),
            Miswrite::KeepsFirstOwn => {
                let stored = self.log.stored(operation.id()).filter(|_| living.is_some());
                let first = stored.and_then(|version| self.log.earlier(version).last());
                held.own = first.or(living).map_or(held.own, |first| first.own);
            }
            Miswrite::ForgetsOwn => held.own = Ttl::Unset,
            Miswrite::ForgetsOwnWhileOff if self.default() == Ttl::Unset => {
                held.own = Ttl::Unset;
                held.properties.remove("ttl");
            }
            Miswrite::DeafWhileOff if self.default() == Ttl::Unset => held.own = Ttl::Unset,
            Miswrite::WritesDefaultBack if !has_ttl => {
                held.own = self.default();
                if let Some(number) = number_of(self.default()) {
                    held.properties.insert("ttl".into(), number);
                }
            }
            Miswrite::FreezesDefault if held.own == Ttl::Unset => held.own = self.default(),
            Miswrite::Alias(name) if !has_ttl => {
                held.own = taken(held.properties.get(name)).unwrap_or(held.own);
            }
            Miswrite::Nested if !has_ttl => {
                let nested = held.properties.values().find_map(nested_ttl);
                held.own = taken(nested.as_ref()).unwrap_or(held.own);
            }
            Miswrite::DropsMinusOne if held.own == Ttl::Never => {
                held.own = Ttl::Unset;
                held.properties.remove("ttl");
            }
            _ => {}
        }
        held
    }

    /// Returns what is shown instead of what should be.
    pub(super) fn misreplied(&self, mut item: Item, held: &Held, path: Path) -> Item {
        let Some(Mistake::Reply(places, how)) = self.mistake else { return item };
        if !places.holds(path) {
            return item;
        }
        let lifetime = super::container::lifetime_of(self.default(), held.own);
        let second = |second: i128| i64::try_from(second).ok();
        let properties = &mut item.document.properties;
        match how {
            Misreply::NoTtl => drop(properties.remove("ttl")),
            Misreply::NoMinusOne if held.own == Ttl::Never => drop(properties.remove("ttl")),
            Misreply::SecondsLeft => {
                if let (Some(lifetime), true) = (lifetime, properties.contains_key("ttl")) {
                    properties.extend(
                        number_of(Ttl::After(held.ts + lifetime - self.now)).map(|n| ("ttl".into(), n)),
                    );
                }
            }
            Misreply::Default if !properties.contains_key("ttl") => {
                properties.extend(number_of(self.default()).map(|number| ("ttl".into(), number)));
            }
            Misreply::Now => item.ts = second(self.now),
            Misreply::Creation => item.ts = second(held.born),
            Misreply::Deadline => item.ts = second(held.ts + lifetime.unwrap_or(0)),
            _ => {}
        }
        item
    }
}

fn number_of(ttl: Ttl) -> Option<Literal> {
    match ttl {
        Ttl::Never => Some(Literal::from(-1)),
        Ttl::After(seconds) => i64::try_from(seconds).ok().map(Literal::from),
        _ => None,
    }
}

fn nested_ttl(literal: &Literal) -> Option<Literal> {
    let value: serde_json::Value = serde_json::from_str(literal.as_str()).ok()?;
    Some(Literal::from(value.as_object()?.get("ttl")?))
}

/// Returns the lifetime that a property holds, if it holds one.
fn taken(literal: Option<&Literal>) -> Option<Ttl> {
    match read(literal) {
        Sent::Number(number) => super::container::lifetime(number).ok(),
        _ => None,
    }
}
