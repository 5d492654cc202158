//! When an item is expired.

use super::HiveStore;
use super::slip::HiveSlip::*;
use super::values::{HIVE_MOST_S, HiveDefault, HiveSettings, HiveTtl};

/// What the lifetime of an item depends on; an entry has one, and its row in the index a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HiveLife {
    pub(super) ttl: HiveTtl,
    /// `_ts`, as answers show it.
    pub(super) ts: i64,
    /// The second from which the lifetime counts: `ts` in a correct store.
    pub(super) from: i64,
    /// The default in force when the item was written.
    pub(super) written: HiveDefault,
    /// The default that applies instead of the present one; never in a correct store.
    pub(super) frozen: Option<HiveDefault>,
    /// Whether it is gone for good, although it is stored; never in a correct store.
    pub(super) is_latched: bool,
    /// Whether it was deleted, although it is stored; never in a correct store.
    pub(super) is_deleted: bool,
}

/// Who looks at an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HiveLook {
    Point,
    BatchRead,
    Write,
    Query,
    List,
    LaterPage,
    Count,
    Sweep,
}

impl HiveLook {
    fn is_feed(self) -> bool {
        matches!(self, Self::Query | Self::List | Self::LaterPage | Self::Count)
    }
}

impl HiveStore {
    /// Returns whether an item is expired for this look at this second.
    pub(super) fn is_expired(
        self,
        settings: &HiveSettings,
        life: &HiveLife,
        look: HiveLook,
        now: i64,
    ) -> bool {
        if life.is_latched && !(self.has(QueriesShowGone) && look.is_feed()) {
            return true;
        }
        if life.is_deleted && settings.default != HiveDefault::Off {
            return true;
        }
        let Some(lifetime) = self.lifetime(settings, life, look) else { return false };
        let deadline = life.from + lifetime;
        let deadline = match (self.slip, look) {
            (Some(DeadlineOf32Bits), _) => deadline.rem_euclid(1 << 32),
            (Some(OwnEndsEarlyInLists), HiveLook::List) if life.ttl != HiveTtl::Inherit => deadline - 1,
            (Some(LaterPageLastSecond), HiveLook::LaterPage) => deadline + 1,
            (Some(SweepsEarly), HiveLook::Sweep) => deadline - 1,
            // A timer of 32 bits that counts milliseconds fires at once where the time is longer.
            (Some(SweepTimerOverflows), HiveLook::Sweep) if lifetime > 2_147_483 => life.from,
            _ => deadline,
        };
        now >= deadline
    }

    fn lifetime(self, settings: &HiveSettings, life: &HiveLife, look: HiveLook) -> Option<i64> {
        let own_counts_while_off = match self.slip {
            Some(QueriesHideWhileOff) => look == HiveLook::Query,
            Some(CountHidesWhileOff) => look == HiveLook::Count,
            Some(SweepsWhileOff) => look == HiveLook::Sweep,
            _ => false,
        };
        if self.has(MostIsNever)
            && (life.ttl == HiveTtl::Seconds(HIVE_MOST_S)
                || (life.ttl == HiveTtl::Inherit && settings.default == HiveDefault::Seconds(HIVE_MOST_S)))
        {
            return None;
        }
        let inherited = match self.slip {
            Some(QueriesUseOldDefault) if look == HiveLook::Query => life.written,
            Some(SweepsByOldDefault) if look == HiveLook::Sweep => life.written,
            _ => life.frozen.unwrap_or(settings.default),
        };
        let inherited = match inherited {
            HiveDefault::Seconds(seconds) => Some(seconds),
            HiveDefault::Off | HiveDefault::NoDefault => None,
        };
        match settings.default {
            HiveDefault::Off => match life.ttl {
                HiveTtl::Seconds(seconds) if own_counts_while_off => Some(seconds),
                _ => None,
            },
            HiveDefault::NoDefault | HiveDefault::Seconds(_) => match life.ttl {
                HiveTtl::Inherit => inherited,
                HiveTtl::Never if self.has(SweepsMinusOne) && look == HiveLook::Sweep => inherited,
                HiveTtl::Never => None,
                HiveTtl::Seconds(_) if self.has(ListsUseDefault) && look == HiveLook::List => inherited,
                HiveTtl::Seconds(_) if self.has(CountUsesDefault) && look == HiveLook::Count => inherited,
                HiveTtl::Seconds(seconds) => Some(seconds),
            },
        }
    }
}
