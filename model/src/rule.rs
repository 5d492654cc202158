//! The rule: how long does an item live, and is it expired?
//!
//! A container's `defaultTtl` and an item's `ttl` speak alike: absent, `-1`, or seconds from 1 to 2147483647. If the
//! container says nothing, items live forever. Otherwise an item lives as long as it says itself, or else as long as
//! its container says. Seconds count from the item's last write, its `_ts`.

/// What a `defaultTtl` or a `ttl` says that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ttl {
    /// `-1`
    Forever,
    /// From 1 to [`MAX_S`].
    Seconds(i64),
}

/// The greatest number of seconds, about 68 years (`container-seconds-range`, `item-seconds-range`).
pub const MAX_S: i64 = 2_147_483_647;

/// Returns how long an item lives after its last write (`off-never-expires`, `item-inherits-seconds`, ...).
pub fn lifetime(container: Option<Ttl>, item: Option<Ttl>) -> Ttl {
    match container {
        None => Ttl::Forever,
        Some(default) => item.unwrap_or(default),
    }
}

/// Whether an item of this age is expired: `_ts` + lifetime <= now, without a sum that could overflow (`gone-at-deadline`).
pub fn is_expired(lifetime: Ttl, age_s: i64) -> bool {
    matches!(lifetime, Ttl::Seconds(seconds) if seconds <= age_s)
}

/// A property as a client sends it: 10.0 is `WholeAsFraction`, and a whole number beyond 64 bits is `Other`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Sent {
    Absent,
    Null,
    Whole(i64),
    WholeAsFraction(i64),
    Other,
}

/// Reads a property (`item-seconds-range`, `item-null-rejected`, ...).
///
/// # Errors
///
/// [`BadRequest`] for what is none of absent, -1 and 1..=2147483647.
pub fn read(sent: Sent) -> Result<Option<Ttl>, BadRequest> {
    match sent {
        Sent::Absent => Ok(None),
        Sent::Whole(-1) => Ok(Some(Ttl::Forever)),
        Sent::Whole(seconds @ 1..=MAX_S) => Ok(Some(Ttl::Seconds(seconds))),
        _ => Err(BadRequest),
    }
}

/// 400
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadRequest;
