//! Which values are settings, and the container's own: read digit by digit, kept, changed.

use super::{IndependentSession, LONGEST, StoredItem, TtlSetting};
use crate::mutation::{Access, Event, Given, Mutation as M, On, Taken, Via};
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Container, Edition, Indexing, Properties, Status};

use TtlSetting::{Absent, Never, Seconds};

impl IndependentSession {
    /// Returns the setting of an item, if a client may write it by this request.
    pub(super) fn own(&self, via: Via, id: &str, properties: &Properties) -> Result<TtlSetting, Status> {
        match self.ttl_of(properties) {
            None => Ok(Absent),
            Some(text) => self.setting(On::Item, via, text, self.store.choices.fractions_taken.of_item(id)),
        }
    }

    /// Returns the setting of a stored item; a value that is not allowed sets nothing, or -1.
    pub(super) fn said(&self, item: &StoredItem) -> TtlSetting {
        let invalid = if self.store.freedoms.kept_is_never { Never } else { Absent };
        self.own(Via::Any, &item.id, &item.properties).unwrap_or(invalid)
    }

    /// Whether an item may carry this.
    pub(super) fn check(&self, via: Via, id: &str, properties: &Properties) -> Result<(), Status> {
        let choice = self.store.choices.anything_kept_while_off;
        let kept = choice.of_item(id) || self.has(M::ForgetsInvalidWhileOff);
        if self.default == Absent && kept {
            return Ok(());
        }
        self.own(via, id, properties).map(drop)
    }

    fn ttl_of<'p>(&self, properties: &'p Properties) -> Option<&'p str> {
        let get = |name: &str| properties.get(name).map(Literal::as_str);
        match self.store.mutation {
            Some(M::Alias(alias)) => get("ttl").or_else(|| get(alias)),
            Some(M::AliasFirst(alias)) => get(alias).or_else(|| get("ttl")),
            Some(M::NestedCounts) => get("ttl").or_else(|| properties.values().find_map(nested)),
            _ => get("ttl"),
        }
    }

    /// Reads a setting off its JSON text.
    fn setting(&self, on: On, via: Via, text: &str, fractions: bool) -> Result<TtlSetting, Status> {
        // In a batch something is sent by that and by what it is, but what is stored already was taken by whatever takes it.
        let is_sent = |wrongly: Via| via != Via::Any && wrongly.covers(via, self.batch);
        match self.store.mutation {
            Some(M::Takes(wrongly, by, what, taken))
                if wrongly == on && ([by, via].contains(&Via::Any) || is_sent(by)) && self.is(what, text) =>
            {
                return Ok(self.taken(taken, text));
            }
            Some(M::Refuses(wrongly, by, what)) if wrongly == on && is_sent(by) && self.is(what, text) => {
                return Err(Status::BadRequest);
            }
            _ => {}
        }
        match whole(text, fractions) {
            None if text == "null" && (on == On::Container || self.edition == Edition::Y2020) => Ok(Absent),
            Some(-1) => Ok(Never),
            Some(seconds @ 1..=LONGEST) => Ok(Seconds(seconds)),
            _ => Err(Status::BadRequest),
        }
    }

    fn is(&self, what: Given, text: &str) -> bool {
        let number = whole(text, false);
        let as_fraction = || whole(text, true).filter(|_| number.is_none());
        match what {
            Given::Anything => true,
            Given::Zero => number == Some(0),
            Given::MinusZero => text == "-0",
            Given::ZeroAsFraction => as_fraction() == Some(0),
            Given::BelowAsFraction => as_fraction().is_some_and(|number| number < -1),
            Given::Lowest32 => number == Some(-LONGEST - 1),
            Given::MinusOne => number == Some(-1),
            Given::BelowMinusOne => number.is_some_and(|number| number < -1),
            Given::One => number == Some(1),
            Given::Maximum => number == Some(LONGEST),
            Given::AboveMaximum => number.is_some_and(|number| number > LONGEST),
            Given::Infinite => whole(text, true).is_some_and(|number| number > FLOAT_DIGITS),
            Given::LongerThanDefault => {
                matches!((number, self.default), (Some(own), Seconds(default)) if default < own)
            }
            Given::Fraction => {
                text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) && whole(text, true).is_none()
            }
            Given::WholeFraction => number.is_none() && whole(text, true).is_some(),
            Given::Text => text.starts_with('"'),
            Given::Truth => text == "true" || text == "false",
            Given::List => text.starts_with('['),
            Given::Object => text.starts_with('{'),
            Given::Null => text == "null",
        }
    }

    fn taken(&self, taken: Taken, text: &str) -> TtlSetting {
        match taken {
            Taken::Absent => Absent,
            Taken::Never => Never,
            Taken::AtOnce => Seconds(0),
            Taken::Greatest => Seconds(LONGEST),
            Taken::Before => self.default,
            Taken::Number => says(guess(text)),
            Taken::Last32 => says(last_32(guess(text))),
            Taken::Last64 => says(guess(text).rem_euclid(1 << 64)),
        }
    }

    /// Takes new settings, or says with which status they are refused.
    pub(super) fn configure(&mut self, via: Via, container: &Container) -> Result<(), Status> {
        let default =
            self.asked_default(via, container).inspect_err(|_| self.after(Event::RefusedSettings))?;
        self.change(default, container.indexing);
        Ok(())
    }

    fn asked_default(&self, via: Via, container: &Container) -> Result<TtlSetting, Status> {
        let says = match (container.default_ttl.as_ref().map(Literal::as_str), self.store.mutation) {
            (None, Some(M::AbsentDefault(taken))) => self.taken(taken, ""),
            (None, _) => Absent,
            (Some("null"), _) if self.store.choices.null_default_refused => return Err(Status::BadRequest),
            (Some(text), _) => {
                self.setting(On::Container, via, text, self.store.freedoms.default_fractions_taken)?
            }
        };
        let keeps = match self.store.mutation {
            Some(M::MinusOneKeepsDefault) => says == Never,
            Some(M::NoIndexKeepsDefault) => says == Absent && container.indexing == Indexing::None,
            _ => false,
        };
        let says = if keeps && matches!(self.default, Seconds(_)) { self.default } else { says };
        self.indexed(via, says, container.indexing)
    }

    /// Whether time to live goes with the index.
    fn indexed(&self, via: Via, says: TtlSetting, indexing: Indexing) -> Result<TtlSetting, Status> {
        let on = says != Absent;
        let refused = match (indexing, self.store.mutation) {
            (Indexing::Lazy, _) if self.store.freedoms.lazy_index_refused => true,
            (Indexing::None, Some(M::NoIndexIsFine | M::NoIndexKeepsDefault)) => false,
            (Indexing::None, Some(M::NoIndexIsFineAtCreation)) => on && via != Via::Create,
            (Indexing::None, Some(M::NoIndexIsFineLater)) => on && via == Via::Create,
            (Indexing::None, Some(M::NoIndexIsFineWithMinusOne)) => on && says != Never,
            (Indexing::None, Some(M::NoIndexSwitchesOff)) => return Ok(Absent),
            (Indexing::None, Some(M::NoIndexIsRefused)) => true,
            (Indexing::None, _) | (Indexing::Lazy, Some(M::LazyIsRefused)) => on,
            (Indexing::Consistent, Some(M::NoIndexIsForGood)) => {
                on && self.indexing == Indexing::None && via != Via::Create
            }
            _ => false,
        };
        if refused { Err(Status::BadRequest) } else { Ok(says) }
    }

    fn change(&mut self, default: TtlSetting, indexing: Indexing) {
        if self.has(M::RemovedReturn) {
            // What the background took, and would be visible by now, returns.
            let removed = std::mem::take(&mut self.history.gone);
            let (gone, back): (Vec<_>, Vec<_>) =
                removed.into_iter().partition(|item| self.is_expired(item, &[Access::Background]));
            self.items.extend(back);
            self.history.gone = gone;
        }
        // Expired items may be back, or forever gone.
        self.for_each(|container, item, is_expired| {
            item.latched |= is_expired && container.store.latched.of_item(&item.id);
            item.history.expired_before |= is_expired;
            item.history.slept |= container.default == Absent;
        });
        let switched_on = self.default == Absent && default != Absent;
        let may_lag = indexing == Indexing::Lazy || self.has(M::ConsistentIndexLags);
        self.lagging = may_lag && (self.lagging || self.default != default);
        self.history.before = self.default;
        self.history.changed = self.now;
        self.history.is_changed = self.history.first.is_some();
        self.history.first.get_or_insert(default);
        (self.default, self.indexing) = (default, indexing);
        self.after(Event::NewSettings);
        if switched_on {
            self.history.on_since = self.now;
            self.after(Event::SwitchingOn);
        }
        if default == Absent {
            self.after(Event::SwitchingOff);
        }
        self.bring_back();
    }

    fn for_each(&mut self, change: impl Fn(&Self, &mut StoredItem, bool)) {
        let mut items = std::mem::take(&mut self.items);
        for item in &mut items {
            let is_expired = self.is_expired(item, &[Access::Background]);
            change(self, item, is_expired);
        }
        self.items = items;
    }

    fn bring_back(&mut self) {
        match self.store.mutation {
            Some(M::DeletedReturn) if self.default == Absent => {
                self.items.append(&mut self.history.gone);
            }
            Some(wrongly @ (M::ReturnRenewed | M::ReturnEmpty)) => {
                self.for_each(|container, item, expired| match wrongly {
                    _ if expired || !item.history.expired_before => {}
                    M::ReturnRenewed => item.written = container.now,
                    _ => item.properties.clear(),
                });
            }
            _ => {}
        }
    }
}

/// No number in a vector is greater.
const FLOAT_DIGITS: i128 = 1 << 100;

/// Returns the setting for a number, valid or not.
fn says(number: i128) -> TtlSetting {
    if number == -1 { Never } else { Seconds(number) }
}

/// The first whole number in the text; true is 1.
fn guess(text: &str) -> i128 {
    if text == "true" {
        return 1;
    }
    let number = text.trim_start_matches(|c: char| c != '-' && !c.is_ascii_digit());
    let end = number.find(|c: char| c != '-' && !c.is_ascii_digit()).unwrap_or(number.len());
    whole(number.get(..end).unwrap_or_default(), false).unwrap_or(0)
}

/// The last 32 bits, with a sign.
pub(super) fn last_32(number: i128) -> i128 {
    const HALF: i128 = 1 << 31;
    (number + HALF).rem_euclid(1 << 32) - HALF
}

/// The number after `"ttl":` somewhere in a value.
pub(super) fn nested(value: &Literal) -> Option<&str> {
    let (_, rest) = value.as_str().split_once("\"ttl\"")?;
    let rest = rest.trim_start_matches([':', ' ']);
    rest.get(..rest.find([',', '}', ' '])?)
}

/// Further digits make no difference.
const MANY: usize = 30;

/// Returns the whole number that this JSON text is; `None` if it is something else.
///
/// Written with a fraction or an exponent it counts only if `fractions` do. What 128 bits cannot hold comes out as a
/// number that is far too great, or far too small.
pub fn whole(text: &str, fractions: bool) -> Option<i128> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    if !unsigned.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if unsigned.chars().all(|c| c.is_ascii_digit()) {
        return Some(digits(unsigned) * sign);
    }
    fractions.then(|| fraction(unsigned)).flatten().map(|number| number * sign)
}

fn digits(text: &str) -> i128 {
    let text = text.trim_start_matches('0');
    if text.len() > MANY {
        10_i128.pow(36)
    } else {
        text.chars().fold(0, |sum, c| sum * 10 + c.to_digit(10).map_or(0, i128::from))
    }
}

/// Zeros at the end are counted, and the exponent and the point say how many there would be without a point.
fn fraction(text: &str) -> Option<i128> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = [before, after].concat();
    let significant = all.trim_end_matches('0');
    if significant.is_empty() {
        return Some(0);
    }
    // An exponent that is no number of this size goes past every digit.
    let past = if exponent.starts_with('-') { i64::MIN } else { i64::MAX };
    let places = exponent.parse().unwrap_or(past).saturating_sub(i64::try_from(after.len()).ok()?);
    let zeros = places.saturating_add(i64::try_from(all.len() - significant.len()).ok()?);
    let zeros = usize::try_from(zeros).ok()?.min(MANY);
    Some(digits(&(significant.to_owned() + &"0".repeat(zeros))))
}
