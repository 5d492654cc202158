//! What the documents leave open, and how it may be answered.

/// Which of two answers is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pick {
    /// The one that the evidence favours.
    #[default]
    Usual,
    /// The other.
    Other,
    /// Now this, now that: by the item where a choice binds an item, or else by the request.
    Mixed,
}

impl Pick {
    /// Whether it is the other one, for this item.
    pub(super) fn of_item(self, id: &str) -> bool {
        self.of(id.bytes().fold(0, |sum: u64, byte| sum.wrapping_add(byte.into())))
    }

    /// Whether it is the other one, for whatever has this number.
    pub(super) fn of(self, number: u64) -> bool {
        match self {
            Self::Usual => false,
            Self::Other => true,
            Self::Mixed => number.is_multiple_of(2),
        }
    }
}

impl From<bool> for Pick {
    fn from(other: bool) -> Self {
        if other { Self::Other } else { Self::Usual }
    }
}

/// What the documents leave open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// `container-null-is-off`: null as `defaultTtl` is refused.
    pub null_default_refused: bool,
    /// `item-integral-fraction`: `10.0` is 10.
    pub fractions_taken: Pick,
    /// `item-invalid-while-off`: kept as ordinary data.
    pub anything_kept_while_off: Pick,
    /// `expired-in-aggregates`: counted until removed.
    pub expired_counted: Pick,
    /// `expired-upsert-status`: as a replace, until removed.
    pub upsert_replaces_expired: Pick,
    /// `expired-precondition`: the condition fails before the item does.
    pub condition_first: Pick,
    /// `lazy-index-may-lag`: queries find nothing after switching on.
    pub lazy_index_lags: bool,
}
