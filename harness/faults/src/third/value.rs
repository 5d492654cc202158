//! Reads settings from the JSON of a request or a row.

use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{DEFAULT_PARTITION, Properties};
use serde_json::Value;

use super::call::HandlerCall;
use super::flaw::Flaw;
use super::latitude::{DormantChoice, FractionChoice, OddChoice};
use super::row::{RowDefault, RowTtl, StoredRow};
use super::session::RowSession;

const MAXIMUM_S: i64 = 2_147_483_647;

impl RowSession {
    /// Returns whether a handler accepts this JSON.
    pub(super) fn accepts(&self, body: &Properties, id: &str, call: HandlerCall, is_update: bool) -> bool {
        let ttl = self.setting(body);
        let is_null = ttl.as_ref().is_some_and(|ttl| ttl.kind() == LiteralKind::Null);
        let is_off = self.default_now() == RowDefault::Off;
        let is_kept = match self.latitude.dormant {
            DormantChoice::Refused => false,
            DormantChoice::Stored => true,
            DormantChoice::StoredForShortIds => id.len() == 1,
        };
        let own = self.read_own(ttl.as_ref(), &self.partition, id);
        if own == Some(RowTtl::Never) {
            let default = self.default_now();
            let is_barred = matches!(default, RowDefault::Seconds(_)) && self.has(Flaw::NeverNeedsNoDefault)
                || is_off && self.has(Flaw::NeverRefusedWhileOff);
            if is_barred {
                return false;
            }
        }
        if let (Some(RowTtl::Seconds(own)), RowDefault::Seconds(default)) = (own, self.default_now())
            && own > default
            && self.has(Flaw::LongerThanDefaultRefused)
        {
            return false;
        }
        own.is_some()
            || is_off && (is_kept || self.has(Flaw::DormantZeroWakes))
            || self.errs(Flaw::Unvalidated, call)
            || is_update && self.has(Flaw::UpsertValidatesInsertsOnly)
            || is_null && self.errs(Flaw::NullAccepted, call)
    }

    /// Returns the setting in the JSON of a row; one that is not allowed sets nothing.
    pub(super) fn own_ttl(&self, row: &StoredRow) -> RowTtl {
        let ttl = self.setting(&row.body);
        if self.has(Flaw::DormantZeroWakes) && ttl.as_ref().is_some_and(|ttl| ttl.as_str() == "0") {
            return RowTtl::Seconds(0);
        }
        self.read_own(ttl.as_ref(), &row.partition, &row.id).unwrap_or(RowTtl::Inherits)
    }

    /// Returns the property that counts.
    fn setting(&self, body: &Properties) -> Option<Literal> {
        let exact = body.get("ttl");
        let named = |name: &str| exact.or_else(|| body.get(name)).cloned();
        match self.flaw {
            Some(Flaw::AnyCase) => {
                body.iter().find(|(name, _)| name.eq_ignore_ascii_case("ttl")).map(|(_, value)| value.clone())
            }
            Some(Flaw::UnderscoreTtl) => named("_ttl"),
            Some(Flaw::TimeToLive) => named("timeToLive"),
            Some(Flaw::ExpiresIn) => named("defaultTtl"),
            Some(Flaw::Nested) => exact.cloned().or_else(|| {
                let inner = |literal: &Literal| {
                    let value: Value = serde_json::from_str(literal.as_str()).ok()?;
                    value.get("ttl").map(Literal::from)
                };
                body.values().find_map(inner)
            }),
            _ => exact.cloned(),
        }
    }

    /// Reads an item's setting; `None` if it is not allowed.
    fn read_own(&self, ttl: Option<&Literal>, partition: &str, id: &str) -> Option<RowTtl> {
        let Some(ttl) = ttl else { return Some(RowTtl::Inherits) };
        match ttl.kind() {
            LiteralKind::Null => match self.flaw {
                Some(Flaw::NullAlwaysRefused) => None,
                _ if !self.is_of_2020 => None,
                Some(Flaw::NullIsNever) => Some(RowTtl::Never),
                _ => Some(RowTtl::Inherits),
            },
            LiteralKind::Whole(_) if ttl.as_str() == "-0" && self.has(Flaw::MinusZeroAccepted) => {
                Some(RowTtl::Inherits)
            }
            LiteralKind::Whole(_) if self.has(Flaw::HugeWraps) => {
                let low = ttl.as_str().parse::<i128>().ok()?.rem_euclid(1 << 64);
                let number = if low < 1 << 63 { low } else { low - (1 << 64) };
                self.own_in_range(i64::try_from(number).ok()?)
            }
            LiteralKind::WholeAsFraction(_) if self.has(Flaw::FractionReadToPoint) => {
                self.own_in_range(ttl.as_str().split(['.', 'e', 'E']).next()?.parse().ok()?)
            }
            LiteralKind::Whole(number) => self.own_in_range(number),
            LiteralKind::WholeAsFraction(i64::MAX) if self.has(Flaw::InfinityIsMaximum) => {
                Some(RowTtl::Seconds(MAXIMUM_S))
            }
            LiteralKind::WholeAsFraction(number) => {
                let is_taken = match self.latitude.fractions {
                    FractionChoice::Taken => true,
                    FractionChoice::Refused => false,
                    FractionChoice::RefusedForShortIds => id.len() > 1,
                    FractionChoice::TakenInDefaultPartition => partition == DEFAULT_PARTITION,
                };
                if is_taken && self.has(Flaw::FractionsOutOfRange) {
                    return Some(if number > 0 { RowTtl::Seconds(number) } else { RowTtl::Never });
                }
                if is_taken { self.own_in_range(number) } else { None }
            }
            LiteralKind::Other => match odd(self.latitude.odd_items, ttl)? {
                OddReading::Nothing => Some(RowTtl::Inherits),
                OddReading::Number(number) => self.own_in_range(number),
            },
        }
    }

    fn own_in_range(&self, number: i64) -> Option<RowTtl> {
        let number = if self.has(Flaw::WrapsTo32Bits) { wrapped(number) } else { number };
        let maximum = match self.flaw {
            Some(Flaw::UnsignedMaximum) => 4_294_967_295,
            Some(Flaw::MaximumExcluded) => MAXIMUM_S - 1,
            Some(Flaw::YearIsMaximum) => 31_536_000,
            _ => MAXIMUM_S,
        };
        match number {
            -1 => Some(RowTtl::Never),
            0 if self.has(Flaw::ZeroIsUnset) => Some(RowTtl::Inherits),
            number if number < -1 && self.has(Flaw::NegativeIsNever) => Some(RowTtl::Never),
            number if (1..=maximum).contains(&number) => Some(RowTtl::Seconds(number)),
            _ => None,
        }
    }

    /// Reads a default; `None` if it is not allowed.
    pub(super) fn read_default(&self, default: Option<&Literal>, is_new: bool) -> Option<RowDefault> {
        let Some(default) = default else { return Some(RowDefault::Off) };
        let read = match default.kind() {
            LiteralKind::Null if self.latitude.refuses_null_default => None,
            LiteralKind::Null => Some(RowDefault::Off),
            LiteralKind::WholeAsFraction(_) if self.latitude.refuses_default_fractions => None,
            LiteralKind::WholeAsFraction(number) if self.has(Flaw::DefaultFractionsOutOfRange) => {
                Some(if number > 0 { RowDefault::Seconds(number) } else { RowDefault::Never })
            }
            LiteralKind::Whole(number) | LiteralKind::WholeAsFraction(number) => {
                self.default_in_range(number)
            }
            LiteralKind::Other => match odd(self.latitude.odd_defaults, default) {
                None => None,
                Some(OddReading::Nothing) => Some(RowDefault::Off),
                Some(OddReading::Number(number)) => self.default_in_range(number),
            },
        };
        match read {
            None if !is_new && self.has(Flaw::DefaultUncheckedOnReplace) => Some(RowDefault::Off),
            read => read,
        }
    }

    fn default_in_range(&self, number: i64) -> Option<RowDefault> {
        let number = if self.has(Flaw::DefaultWrapsTo32Bits) { wrapped(number) } else { number };
        let maximum = match self.flaw {
            Some(Flaw::DefaultUnsignedMaximum) => 4_294_967_295,
            Some(Flaw::DefaultMaximumExcluded) => MAXIMUM_S - 1,
            _ => MAXIMUM_S,
        };
        match number {
            -1 => Some(RowDefault::Never),
            0 if self.has(Flaw::DefaultZeroIsOff) => Some(RowDefault::Off),
            0 if self.has(Flaw::DefaultZeroIsNever) => Some(RowDefault::Never),
            1 if self.has(Flaw::DefaultOneRefused) => None,
            number if number < -1 && self.has(Flaw::DefaultNegativeIsNever) => Some(RowDefault::Never),
            number if (1..=maximum).contains(&number) => Some(RowDefault::Seconds(number)),
            _ => None,
        }
    }
}

/// The meaning of a value that is no whole number.
enum OddReading {
    Nothing,
    Number(i64),
}

/// Reads a value that is no whole number; `None` if it is refused.
fn odd(choice: OddChoice, value: &Literal) -> Option<OddReading> {
    let text = value.as_str();
    let number = match choice {
        OddChoice::Refused => None,
        OddChoice::SetsNothing => return Some(OddReading::Nothing),
        OddChoice::TextRead => text.strip_prefix('"')?.strip_suffix('"')?.trim().parse().ok(),
        OddChoice::TrueIsOne => (text == "true").then_some(1),
        OddChoice::RoundedUp => {
            let (whole, _) = text.split_once('.').filter(|_| !text.contains(['e', 'E', '"', '[', '{']))?;
            let whole: i64 = whole.parse().ok()?;
            Some(if text.starts_with('-') { whole } else { whole.saturating_add(1) })
        }
    };
    number.map(OddReading::Number)
}

/// Returns the number that the last 32 bits hold, with a sign.
fn wrapped(number: i64) -> i64 {
    let low = number.rem_euclid(1 << 32);
    if low < 1 << 31 { low } else { low - (1 << 32) }
}
