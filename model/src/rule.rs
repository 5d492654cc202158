//! The rule: how long does an item live, and is it expired?
//!
//! | container `defaultTtl` | item `ttl`     | the item lives |
//! |------------------------|----------------|----------------|
//! | absent or null (off)   | anything       | forever        |
//! | `-1` (no default)      | absent         | forever        |
//! | `n`                    | absent         | `n` seconds    |
//! | `-1` or `n`            | `-1`           | forever        |
//! | `-1` or `n`            | `m`            | `m` seconds    |
//!
//! Seconds count from the item's last write, its `_ts`. The item is expired from `_ts` + lifetime on: its age has
//! reached its lifetime. `n` and `m` are whole numbers from 1 to 2147483647; nothing else is a setting.
//!
//! [`is_expired`] compares two numbers and adds none, so nothing can overflow (`deadline-does-not-overflow`).

use core::fmt;

/// The greatest number of seconds that is a setting: about 68 years (`item-seconds-range`).
pub const MAX_TTL_S: i32 = i32::MAX;

/// A whole number of seconds from 1 to [`MAX_TTL_S`]; no other value can exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TtlSeconds(i64);

impl TtlSeconds {
    /// Returns the setting of this number of seconds, if it is valid (`item-seconds-range`, `container-seconds-range`).
    pub fn new(seconds: i64) -> Option<Self> {
        (1..=i64::from(MAX_TTL_S)).contains(&seconds).then_some(Self(seconds))
    }

    /// The number of seconds.
    pub fn get(self) -> i64 {
        self.0
    }
}

/// A container's `defaultTtl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DefaultTtl {
    /// Absent: time to live is switched off (`container-absent-is-off`).
    Off,
    /// `-1`: on, and items expire only by a `ttl` of their own (`container-minus-one-is-on-without-default`).
    NoDefault,
    /// `n`: on, and items without a `ttl` live so long (`container-seconds-range`).
    Seconds(TtlSeconds),
}

/// An item's `ttl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemTtl {
    /// Absent: the container decides (`item-absent-inherits`).
    Inherit,
    /// `-1` (`item-minus-one-allowed`).
    Never,
    /// `n` (`item-seconds-range`).
    Seconds(TtlSeconds),
}

/// How long an item lives after its last write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lifetime {
    /// It does not expire.
    Forever,
    /// It expires when its age reaches this number of seconds.
    Seconds(TtlSeconds),
}

/// How long an item lives, from what its container says now and what it says itself.
///
/// `off-never-expires`, `item-seconds-override`, `item-minus-one-overrides`, `item-inherits-seconds`,
/// `item-inherits-no-default`, `current-settings-decide`.
pub fn lifetime(default_ttl: DefaultTtl, ttl: ItemTtl) -> Lifetime {
    match (default_ttl, ttl) {
        (DefaultTtl::Off, _) | (_, ItemTtl::Never) | (DefaultTtl::NoDefault, ItemTtl::Inherit) => {
            Lifetime::Forever
        }
        (_, ItemTtl::Seconds(own)) => Lifetime::Seconds(own),
        (DefaultTtl::Seconds(inherited), ItemTtl::Inherit) => Lifetime::Seconds(inherited),
    }
}

/// Whether an item of this age, in seconds since its `_ts`, is expired.
///
/// That is `_ts` + lifetime <= now without the sum (`gone-at-deadline`, `visible-before-deadline`,
/// `counted-from-last-write`).
pub fn is_expired(lifetime: Lifetime, age_s: i64) -> bool {
    match lifetime {
        Lifetime::Forever => false,
        Lifetime::Seconds(seconds) => seconds.get() <= age_s,
    }
}

/// The first second of the Unix epoch in which an item with this `_ts` is expired, for people to read.
///
/// `None` if it never is. The sum lies beyond 32 bits and is still a date (`deadline-does-not-overflow`).
pub fn deadline(lifetime: Lifetime, ts: i64) -> Option<i64> {
    match lifetime {
        Lifetime::Forever => None,
        Lifetime::Seconds(seconds) => Some(ts.saturating_add(seconds.get())),
    }
}

/// A property as it was sent: not yet known to be a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wire {
    /// The property is not there.
    Absent,
    /// JSON null.
    Null,
    /// A number written as a whole number: `10`. What does not fit in 64 bits arrives as the nearest that does.
    Whole(i64),
    /// A number that is whole, yet written with a fraction or an exponent: `10.0`, `1e1`.
    WholeAsFraction(i64),
    /// Anything else: `1.5`, `"10"`, `true`, `[]`, `{}`.
    NoNumber,
}

/// Which documents are in force. They differ in one observable rule: an item's explicit null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Edition {
    /// The tables of 2019 and 2020: null is as good as absent (`item-null-inherits`).
    Y2020,
    /// The note of 2024: null is refused (`item-null-rejected`).
    #[default]
    Y2024,
}

/// Why a value is not valid. A client sees a bad request in each case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoSetting {
    /// `item-null-rejected`, or the open clause `container-null-is-off`.
    Null,
    /// `container-zero-rejected`, `item-zero-rejected`.
    Zero,
    /// `container-below-minus-one-rejected`, `item-below-minus-one-rejected`.
    BelowMinusOne,
    /// `container-above-maximum-rejected`, `item-above-maximum-rejected`.
    AboveMaximum,
    /// `container-not-an-integer-rejected`, `item-not-an-integer-rejected`, or the open `item-integral-fraction`.
    NotAnInteger,
}

impl fmt::Display for NoSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            Self::Null => "null",
            Self::Zero => "zero",
            Self::BelowMinusOne => "a number below -1",
            Self::AboveMaximum => "a number above 2147483647",
            Self::NotAnInteger => "not a whole number",
        };
        write!(f, "{what} is no time to live: a whole number of seconds from 1 to 2147483647, or -1, is")
    }
}

impl core::error::Error for NoSetting {}

/// The meaning of a number, in either of the two properties.
enum Spelled {
    Never,
    Seconds(TtlSeconds),
}

fn spelled(number: i64) -> Result<Spelled, NoSetting> {
    match (number, TtlSeconds::new(number)) {
        (_, Some(seconds)) => Ok(Spelled::Seconds(seconds)),
        (-1, None) => Ok(Spelled::Never),
        (0, None) => Err(NoSetting::Zero),
        (..0, None) => Err(NoSetting::BelowMinusOne),
        (_, None) => Err(NoSetting::AboveMaximum),
    }
}

impl DefaultTtl {
    /// Reads a container's `defaultTtl`; null is as good as absent (`container-null-is-off`).
    ///
    /// # Errors
    ///
    /// [`NoSetting`] for every value that is none of null, -1 and 1..=2147483647.
    pub fn from_wire(wire: Wire) -> Result<Self, NoSetting> {
        match wire {
            Wire::Absent | Wire::Null => Ok(Self::Off),
            Wire::WholeAsFraction(_) | Wire::NoNumber => Err(NoSetting::NotAnInteger),
            Wire::Whole(number) => match spelled(number)? {
                Spelled::Never => Ok(Self::NoDefault),
                Spelled::Seconds(seconds) => Ok(Self::Seconds(seconds)),
            },
        }
    }
}

impl ItemTtl {
    /// Reads an item's `ttl`.
    ///
    /// # Errors
    ///
    /// [`NoSetting`] for every value that is neither -1 nor 1..=2147483647; null is one of them since
    /// [`Edition::Y2024`].
    pub fn from_wire(wire: Wire, edition: Edition) -> Result<Self, NoSetting> {
        match wire {
            Wire::Absent => Ok(Self::Inherit),
            Wire::Null => match edition {
                Edition::Y2020 => Ok(Self::Inherit),
                Edition::Y2024 => Err(NoSetting::Null),
            },
            Wire::WholeAsFraction(_) | Wire::NoNumber => Err(NoSetting::NotAnInteger),
            Wire::Whole(number) => match spelled(number)? {
                Spelled::Never => Ok(Self::Never),
                Spelled::Seconds(seconds) => Ok(Self::Seconds(seconds)),
            },
        }
    }
}
