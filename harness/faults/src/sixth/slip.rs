//! The mistakes that a faulty store makes, by the part of the engine that makes them.

use super::faults::ages::AgeSlip;
use super::faults::batches::BatchSlip;
use super::faults::compactions::CompactSlip;
use super::faults::feeds::FeedSlip;
use super::faults::ghosts::GhostSlip;
use super::faults::settings::SettingSlip;
use super::faults::values::ValueSlip;

/// Declares an enum of mistakes, and beside it the list of the faults that make them.
macro_rules! lsm_faults {
    ($(#[$doc:meta])* $kind:ident as $part:ident:
     $($slip:ident $name:literal: $says:literal [$($clause:literal)+] $shown:literal)+) => {
        use crate::sixth::faults::LsmFault;
        use crate::sixth::slip::Slip;

        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(in crate::sixth) enum $kind {
            $(#[doc = $says] $slip,)+
        }

        impl From<$kind> for Slip {
            fn from(slip: $kind) -> Self {
                Self::$part(slip)
            }
        }

        /// The faults of this part.
        pub(super) static LIST: &[LsmFault] = &[$(LsmFault {
            name: concat!("lsm-", $name),
            says: $says,
            breaks: &[$($clause),+],
            shown_by: $shown,
            slip: Slip::$part($kind::$slip),
        }),+];
    };
}
pub(super) use lsm_faults;

/// A single mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slip {
    /// In the settings of the container.
    Setting(SettingSlip),
    /// In the `ttl` of an item, or in a refused write.
    Value(ValueSlip),
    /// In the count of seconds.
    Age(AgeSlip),
    /// In what clients see of expired items.
    Ghost(GhostSlip),
    /// In the compaction.
    Compact(CompactSlip),
    /// In a batch.
    Batch(BatchSlip),
    /// In queries, lists and counts, or between partitions.
    Feed(FeedSlip),
}
