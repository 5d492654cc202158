//! Which settings of a container and which values of `ttl` are allowed.

use cosmos_ttl_harness::literal::{Literal, LiteralKind};
use cosmos_ttl_harness::target::{Container, Edition, Indexing};

use super::HiveStore;
use super::handle::HiveCall;
use super::liberty::HiveLiberty;
use super::slip::HiveSlip::*;

/// The longest lifetime that can be set.
pub(super) const HIVE_MOST_S: i64 = 2_147_483_647;

/// The `ttl` of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HiveTtl {
    Inherit,
    Never,
    Seconds(i64),
}

/// The `defaultTtl` of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HiveDefault {
    Off,
    NoDefault,
    Seconds(i64),
}

/// The settings of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HiveSettings {
    pub(super) default: HiveDefault,
    pub(super) indexing: Indexing,
}

/// A value or a setting that is refused as a bad request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HiveRefused;

/// Returns the number that a literal is, if it is a whole one, however it is written.
pub(super) fn whole(literal: &Literal) -> Option<i64> {
    match literal.kind() {
        LiteralKind::Whole(number) | LiteralKind::WholeAsFraction(number) => Some(number),
        LiteralKind::Null | LiteralKind::Other => None,
    }
}

/// Returns the lowest 32 bits of a number, with a sign.
pub(super) fn low_bits(number: i64) -> i64 {
    let low = number.rem_euclid(1 << 32);
    if low > HIVE_MOST_S { low - (1 << 32) } else { low }
}

fn ttl_in_range(number: i64) -> Result<HiveTtl, HiveRefused> {
    match number {
        -1 => Ok(HiveTtl::Never),
        1..=HIVE_MOST_S => Ok(HiveTtl::Seconds(number)),
        _ => Err(HiveRefused),
    }
}

fn default_in_range(number: i64) -> Result<HiveDefault, HiveRefused> {
    match number {
        -1 => Ok(HiveDefault::NoDefault),
        1..=HIVE_MOST_S => Ok(HiveDefault::Seconds(number)),
        _ => Err(HiveRefused),
    }
}

/// Returns the whole number in a JSON string.
fn number_in_string(literal: &Literal) -> Option<i64> {
    literal.as_str().strip_prefix('"')?.strip_suffix('"')?.parse().ok()
}

impl HiveStore {
    /// Reads the `ttl` that an operation sends.
    pub(super) fn read_ttl(self, literal: &Literal, call: &HiveCall) -> Result<HiveTtl, HiveRefused> {
        if let Some(misread) = self.misread_ttl(literal, call) {
            return misread;
        }
        let read = match literal.kind() {
            LiteralKind::Null if call.edition == Edition::Y2020 => Ok(HiveTtl::Inherit),
            LiteralKind::Null => Err(HiveRefused),
            LiteralKind::WholeAsFraction(_) if self.may(HiveLiberty::FractionRefused) => Err(HiveRefused),
            LiteralKind::Whole(number) | LiteralKind::WholeAsFraction(number) => ttl_in_range(number),
            LiteralKind::Other => match self.liberty {
                Some(HiveLiberty::StringsAreNumbers) => {
                    number_in_string(literal).ok_or(HiveRefused).and_then(ttl_in_range)
                }
                Some(HiveLiberty::OthersInherit) => Ok(HiveTtl::Inherit),
                Some(HiveLiberty::OthersNeverExpire) => Ok(HiveTtl::Never),
                _ => Err(HiveRefused),
            },
        };
        match self.liberty {
            Some(HiveLiberty::InvalidWhileOffInherits) if call.is_off => Ok(read.unwrap_or(HiveTtl::Inherit)),
            Some(HiveLiberty::InvalidWhileOffNever) if call.is_off => Ok(read.unwrap_or(HiveTtl::Never)),
            Some(HiveLiberty::InvalidWhileOffInUpsertsAlone) if call.is_off && call.word == "upsert" => {
                Ok(read.unwrap_or(HiveTtl::Inherit))
            }
            _ => read,
        }
    }

    /// Reads the settings that a request sends; `old` are those before, if the container is there.
    pub(super) fn read_settings(
        self,
        sent: &Container,
        old: Option<HiveSettings>,
    ) -> Result<HiveSettings, HiveRefused> {
        let default = match &sent.default_ttl {
            None if self.has(CreatedAbsentIsNoDefault) && old.is_none() => HiveDefault::NoDefault,
            None => HiveDefault::Off,
            Some(literal) => self.read_default(literal, old)?,
        };
        let settings = HiveSettings { default, indexing: sent.indexing };
        if sent.indexing == Indexing::Lazy && self.may(HiveLiberty::LazyRefused) {
            return Err(HiveRefused);
        }
        if self.indexing_refused(settings, old) { Err(HiveRefused) } else { Ok(settings) }
    }

    fn read_default(self, literal: &Literal, old: Option<HiveSettings>) -> Result<HiveDefault, HiveRefused> {
        if let Some(misread) = self.misread_default(literal, old) {
            return misread;
        }
        match literal.kind() {
            LiteralKind::Null if self.may(HiveLiberty::NullRefused) => Err(HiveRefused),
            LiteralKind::Null => Ok(HiveDefault::Off),
            LiteralKind::WholeAsFraction(_) if self.may(HiveLiberty::DefaultFractionRefused) => {
                Err(HiveRefused)
            }
            LiteralKind::Whole(number) | LiteralKind::WholeAsFraction(number) => default_in_range(number),
            LiteralKind::Other => match self.liberty {
                Some(HiveLiberty::DefaultStringsAreNumbers) => {
                    number_in_string(literal).ok_or(HiveRefused).and_then(default_in_range)
                }
                Some(HiveLiberty::OtherDefaultsAreOff) => Ok(HiveDefault::Off),
                _ => Err(HiveRefused),
            },
        }
    }

    fn indexing_refused(self, new: HiveSettings, old: Option<HiveSettings>) -> bool {
        let is_on = new.default != HiveDefault::Off;
        let is_none = new.indexing == Indexing::None;
        let both = is_on && is_none;
        let (was_on, was_none) = old
            .map_or((false, false), |old| (old.default != HiveDefault::Off, old.indexing == Indexing::None));
        match self.slip {
            Some(NoneWithNoDefault) => both && new.default != HiveDefault::NoDefault,
            Some(NoneStaysNone) => both && !was_none,
            Some(NoneComparesOldDefault) => both || (is_none && was_on),
            Some(OldNoneBlocks) => both || (is_on && was_none),
            Some(LazyNeedsDefault) => {
                both || (new.indexing == Indexing::Lazy && new.default == HiveDefault::NoDefault)
            }
            _ => both,
        }
    }
}
