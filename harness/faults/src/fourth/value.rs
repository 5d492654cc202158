//! How the store reads a `ttl` and a `defaultTtl`.

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Properties, Status};

use super::session::TimerSession;
use super::slip::{BadValue, GoodValue, Misread, Slip};
use crate::number::{self, GREATEST, Sent, SentNumber};

/// An item's own lifetime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OwnLife {
    /// It has no `ttl`.
    Absent,
    /// `ttl` -1
    Never,
    /// A number of seconds.
    Seconds(i64),
    /// A `ttl` that was stored while the container was off, and sets nothing.
    Data,
}

/// The container's default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum DefaultLife {
    /// Time to live is off.
    #[default]
    Off,
    /// `defaultTtl` -1
    NoDefault,
    /// A number of seconds.
    Seconds(i64),
}

impl TimerSession {
    /// Reads an item's `ttl`.
    pub(super) fn own_life(&self, properties: &Properties) -> Result<OwnLife, Status> {
        let sent = self.sent(self.ttl_literal(properties));
        let is_off = self.present().default == DefaultLife::Off;
        if let Some(misread) = self.misread(sent, Slip::Takes) {
            return Ok(misread.as_own(sent));
        }
        let life = match sent {
            Sent::Null if !self.is_of_2020 => None,
            Sent::Null if self.slips(Slip::NullOf2020IsNever) => Some(OwnLife::Never),
            Sent::Absent | Sent::Null => Some(OwnLife::Absent),
            Sent::Number(number) if self.is_allowed(number) => Some(match number.value {
                -1 => OwnLife::Never,
                value => OwnLife::Seconds(seconds(value)),
            }),
            Sent::Number(_) | Sent::Other => None,
        };
        let life = life.filter(|_| sent == Sent::Absent || !self.refuses(sent, Slip::Refuses));
        match life {
            Some(life) => Ok(life),
            None if is_off && self.choice.stores_invalid_while_off => Ok(OwnLife::Data),
            None => Err(Status::BadRequest),
        }
    }

    /// Reads a `defaultTtl`.
    pub(super) fn default_life(&self, literal: Option<&Literal>) -> Result<DefaultLife, Status> {
        let sent = self.sent(literal);
        if let Some(misread) = self.misread(sent, Slip::TakesDefault) {
            return Ok(misread.as_default(sent));
        }
        if sent != Sent::Absent && self.refuses(sent, Slip::RefusesDefault) {
            return Err(Status::BadRequest);
        }
        match sent {
            Sent::Absent => Ok(DefaultLife::Off),
            Sent::Null if !self.choice.refuses_null_default => Ok(DefaultLife::Off),
            Sent::Number(number) if !number.fractional && is_in_range(number) => Ok(match number.value {
                -1 => DefaultLife::NoDefault,
                value => DefaultLife::Seconds(seconds(value)),
            }),
            Sent::Null | Sent::Number(_) | Sent::Other => Err(Status::BadRequest),
        }
    }

    /// Returns the property that sets an item's lifetime.
    fn ttl_literal<'p>(&self, properties: &'p Properties) -> Option<&'p Literal> {
        let other = match self.fault {
            Some((Slip::OtherNameCounts(name), _)) if self.slips(Slip::OtherNameCounts(name)) => {
                properties.get(name)
            }
            _ => None,
        };
        properties.get("ttl").or(other)
    }

    fn sent(&self, literal: Option<&Literal>) -> Sent {
        if self.choice.takes_digits_in_strings
            && let Some(text) = literal.map(Literal::as_str)
            && let Some(digits) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'))
            && let Ok(digits) = Literal::parse(digits)
            && let Sent::Number(number) = number::read(Some(&digits))
        {
            return Sent::Number(number);
        }
        number::read(literal)
    }

    fn is_allowed(&self, number: SentNumber) -> bool {
        let is_written_well = !number.fractional || self.choice.takes_integral_fractions;
        is_written_well && is_in_range(number)
    }

    fn misread(&self, sent: Sent, slip: fn(BadValue, Misread) -> Slip) -> Option<Misread> {
        let (Slip::Takes(bad, misread) | Slip::TakesDefault(bad, misread)) = self.fault?.0 else {
            return None;
        };
        (bad.covers(sent) && self.slips(slip(bad, misread))).then_some(misread)
    }

    fn refuses(&self, sent: Sent, slip: fn(GoodValue) -> Slip) -> bool {
        let Some((Slip::Refuses(good) | Slip::RefusesDefault(good), _)) = self.fault else { return false };
        let covered = match (good, sent) {
            (GoodValue::LongerThanDefault, Sent::Number(number)) => match self.present().default {
                DefaultLife::Seconds(default_s) => number.value > i128::from(default_s),
                _ => false,
            },
            _ => good.covers(sent),
        };
        covered && self.slips(slip(good))
    }
}

/// Returns whether the number is -1 or a number of seconds that is allowed.
fn is_in_range(number: SentNumber) -> bool {
    number.value == -1 || (1..=GREATEST).contains(&number.value)
}

/// Returns a number of seconds that was checked before.
fn seconds(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

impl BadValue {
    /// Returns whether the value is one of these.
    fn covers(self, sent: Sent) -> bool {
        let value = match sent {
            Sent::Null => return self == Self::Null,
            Sent::Number(number) => number.value,
            Sent::Absent | Sent::Other => return false,
        };
        match self {
            Self::Zero => value == 0,
            Self::Below => value < -1,
            Self::FarBelow => value < i128::from(i32::MIN),
            Self::Above => value > GREATEST,
            Self::JustAbove => value == GREATEST + 1,
            Self::FarAbove => value > i128::from(u32::MAX),
            Self::Huge => value > i128::from(i64::MAX),
            Self::Null => false,
        }
    }
}

impl GoodValue {
    /// Returns whether the value is one of these.
    fn covers(self, sent: Sent) -> bool {
        let value = match sent {
            Sent::Null => return self == Self::Null,
            Sent::Number(number) => number.value,
            Sent::Absent | Sent::Other => return false,
        };
        match self {
            Self::Any => true,
            Self::One => value == 1,
            Self::MinusOne => value == -1,
            Self::Most => value == GREATEST,
            Self::OverAYear => value > 366 * 24 * 3600,
            Self::Over24Bits => value >= 1 << 24,
            Self::LongerThanDefault | Self::Null => false,
        }
    }
}

impl Misread {
    fn as_own(self, sent: Sent) -> OwnLife {
        match self {
            Self::Never => OwnLife::Never,
            Self::Absent => OwnLife::Absent,
            Self::As(seconds) => OwnLife::Seconds(seconds),
            Self::Magnitude => OwnLife::Seconds(number(sent).saturating_abs()),
            Self::Wrapped => match wrapped(number(sent)) {
                -1 => OwnLife::Never,
                seconds => OwnLife::Seconds(seconds),
            },
        }
    }

    fn as_default(self, sent: Sent) -> DefaultLife {
        match self.as_own(sent) {
            OwnLife::Absent | OwnLife::Data => DefaultLife::Off,
            OwnLife::Never => DefaultLife::NoDefault,
            OwnLife::Seconds(seconds) => DefaultLife::Seconds(seconds),
        }
    }
}

fn number(sent: Sent) -> i64 {
    if let Sent::Number(number) = sent { seconds(number.value) } else { 0 }
}

/// Returns what 32 bits with a sign make of the number.
pub(super) fn wrapped(number: i64) -> i64 {
    number.saturating_add(1 << 31).rem_euclid(1 << 32) - (1 << 31)
}
