//! What a setting means, and the deadline that follows from it.

use cosmos_ttl_harness::literal::{Literal, LiteralKind};

use super::QuernStore;
use super::slips::QuernSlip::*;

/// The greatest setting, in seconds.
pub(super) const QUERN_LONGEST: i64 = 2_147_483_647;

/// What an item says about its lifetime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuernLife {
    Inherit,
    Never,
    Seconds(i64),
}

impl QuernLife {
    /// Returns the lifetime that a whole number means, if it is one.
    pub(super) fn of(number: i64) -> Option<Self> {
        match number {
            -1 => Some(Self::Never),
            1..=QUERN_LONGEST => Some(Self::Seconds(number)),
            _ => None,
        }
    }
}

/// What the container says about lifetimes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuernMode {
    Off,
    NoDefault,
    Seconds(i64),
}

impl QuernMode {
    /// Returns whether both are numbers of seconds, and this one is less than the other.
    pub(super) fn is_raised_to(self, other: Self) -> bool {
        matches!((self, other), (Self::Seconds(old), Self::Seconds(new)) if old < new)
    }
}

impl QuernStore {
    /// Returns the first second in which an item is gone.
    pub(super) fn deadline(self, life: QuernLife, ts: i64, mode: QuernMode) -> Option<i64> {
        match (mode, life) {
            (QuernMode::Off, _) | (QuernMode::NoDefault, QuernLife::Inherit) => None,
            (_, QuernLife::Never) => {
                self.slips(NeverIsUnsigned).then(|| ts.saturating_add(i64::from(u32::MAX)))
            }
            (_, QuernLife::Seconds(seconds)) => Some(ts.saturating_add(seconds)),
            (QuernMode::Seconds(seconds), QuernLife::Inherit) => {
                let last = i64::from(self.slips(InheritedDeadlineIsVisible));
                Some(ts.saturating_add(seconds).saturating_add(last))
            }
        }
    }
}

/// Returns the number that a signed integer of 32 bits would hold.
pub(super) fn wrapped_to_32_bits(number: i64) -> i64 {
    let half = i64::from(u32::MAX) / 2 + 1;
    (number + half).rem_euclid(half * 2) - half
}

/// Returns the number that a float of 32 bits would hold: 24 bits of it, the rest cut off.
pub(super) fn cut_to_24_bits(number: i64) -> i64 {
    let mut unit = 1;
    while number / unit >= 1 << 24 {
        unit *= 2;
    }
    number / unit * unit
}

/// Returns the `ttl` of a property that is an object, if it is a whole number.
pub(super) fn nested_ttl(property: &Literal) -> Option<i64> {
    let object: serde_json::Value = serde_json::from_str(property.as_str()).ok()?;
    object.as_object()?.get("ttl")?.as_i64()
}

/// Returns the whole number that a literal means, with or without a fraction.
pub(super) fn any_whole(literal: &Literal) -> Option<i64> {
    match literal.kind() {
        LiteralKind::Whole(number) | LiteralKind::WholeAsFraction(number) => Some(number),
        LiteralKind::Null | LiteralKind::Other => None,
    }
}
