//! Values as they are read, and the rule of expiry.

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Container, DEFAULT_PARTITION, Id, Indexing, PartitionKey, Properties};

use super::allowance::LazyIndex;
use super::fold::LedgerEntry;
use super::ledger::LedgerSession;
use super::slip::{Door, Path, Slip, Via, Wrong};
use crate::number::{self, GREATEST, Sent, SentNumber};

/// The greatest number of 32 bits without a sign.
pub(super) const GREATEST_U32: i128 = 4_294_967_295;

/// The partition and the id of an item.
pub(super) type LedgerKey = (PartitionKey, Id);

/// The lifetime that an item sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryLife {
    Inherits,
    Never,
    Seconds(i128),
}

/// The lifetime that a container sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum LedgerDefault {
    #[default]
    Off,
    NoDefault,
    Seconds(i128),
}

impl LedgerDefault {
    pub(super) fn seconds(self) -> Option<i128> {
        if let Self::Seconds(seconds) = self { Some(seconds) } else { None }
    }
}

/// A setting or a `ttl` that is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WrongValue;

/// Rounds down to 24 significant bits, as a short float holds them.
fn with_24_bits(value: i128) -> i128 {
    let mut step = 1;
    while value / step >= 16_777_216 {
        step *= 2;
    }
    value / step * step
}

impl LedgerSession {
    pub(super) fn slips(&self, slip: Slip) -> bool {
        self.slip == Some(slip)
    }

    /// Reads the settings that a client sends.
    pub(super) fn read_default(
        &self,
        container: &Container,
        is_new: bool,
    ) -> Result<LedgerDefault, WrongValue> {
        let before = self.settings.map(|settings| settings.default).unwrap_or_default();
        let default = match number::read(container.default_ttl.as_ref()) {
            Sent::Absent if self.slips(Slip::AbsentKeeps) && !is_new => before,
            Sent::Absent if self.slips(Slip::AbsentIsMinusOne) && !is_new => LedgerDefault::NoDefault,
            Sent::Absent if self.slips(Slip::CreationIsMinusOne) && is_new => LedgerDefault::NoDefault,
            Sent::Null if self.allowance.values.refuses_null_default => return Err(WrongValue),
            Sent::Absent | Sent::Null => LedgerDefault::Off,
            Sent::Number(SentNumber { fractional: true, .. })
                if self.allowance.values.refuses_whole_fraction =>
            {
                return Err(WrongValue);
            }
            Sent::Number(number) => self.default_of(number.value, is_new)?,
            Sent::Other => return Err(WrongValue),
        };
        let is_lazy = container.indexing == Indexing::Lazy;
        if is_lazy
            && (self.allowance.lazy == LazyIndex::Refused
                || self.slips(Slip::LazyRefusesDefault) && default != LedgerDefault::Off)
        {
            return Err(WrongValue);
        }
        let mut indexing = container.indexing;
        if self.slips(Slip::IndexOfBefore) {
            indexing = self.settings.map_or(indexing, |settings| settings.indexing);
        }
        let is_missed = match self.slip {
            Some(Slip::NoneAtCreation) => is_new,
            Some(Slip::NoneLater) => !is_new,
            Some(Slip::NoneUnderMinusOne) => default == LedgerDefault::NoDefault,
            _ => false,
        };
        if indexing == Indexing::None && default != LedgerDefault::Off && !is_missed {
            return Err(WrongValue);
        }
        Ok(self.taken(before, default, is_new))
    }

    /// Returns the default that a number sets.
    fn default_of(&self, value: i128, is_new: bool) -> Result<LedgerDefault, WrongValue> {
        use LedgerDefault::{NoDefault, Off, Seconds};
        let Some(slip) = self.slip else { return plain_default(value) };
        Ok(match slip {
            Slip::ZeroDefaultAtCreation if is_new && value == 0 => Off,
            Slip::ZeroDefaultLater if !is_new && value == 0 => Off,
            Slip::ZeroDefaultIsAtOnce if value == 0 => Seconds(0),
            Slip::LowDefaultAtCreation if is_new && value < -1 => NoDefault,
            Slip::LowDefaultLater if !is_new && value < -1 => NoDefault,
            Slip::LowDefaultIsPositive if (-GREATEST..-1).contains(&value) => Seconds(-value),
            Slip::HighDefaultAtCreation if is_new && value > GREATEST => Seconds(GREATEST),
            Slip::HighDefaultLater if !is_new && value > GREATEST => Seconds(GREATEST),
            Slip::HighDefaultIsUnsigned if (GREATEST..=GREATEST_U32).contains(&value) => Seconds(value),
            Slip::DefaultWraps32 if value > GREATEST_U32 => {
                return plain_default(value % (GREATEST_U32 + 1));
            }
            Slip::DefaultWraps64 if value >= 1 << 64 => return plain_default(value % (1 << 64)),
            Slip::HugeDefaultIsOff if value >= 1 << 63 => Off,
            Slip::GreatestDefaultRefused if value == GREATEST => return Err(WrongValue),
            Slip::LeastDefaultRefused if value == 1 => return Err(WrongValue),
            Slip::DecadeDefaultRefused if value > 315_360_000 => return Err(WrongValue),
            Slip::DefaultHas24Bits if (1..=GREATEST).contains(&value) => Seconds(with_24_bits(value)),
            Slip::MinusOneIsOff if value == -1 => Off,
            Slip::MinusOneIsOffLater if value == -1 && !is_new => Off,
            Slip::MinusOneIsUnsigned if value == -1 => Seconds(GREATEST_U32),
            Slip::MinusOneIsGreatest if value == -1 => Seconds(GREATEST),
            _ => return plain_default(value),
        })
    }

    /// Returns the default that is in force after a change.
    fn taken(&self, before: LedgerDefault, new: LedgerDefault, is_new: bool) -> LedgerDefault {
        use LedgerDefault::{NoDefault, Off, Seconds};
        match (self.slip, before, new) {
            (Some(Slip::CreationIgnoresDefault), _, Seconds(_)) if is_new => Off,
            (Some(Slip::MinusOneToOffIgnored), NoDefault, Off) if !is_new => NoDefault,
            (Some(Slip::OffToMinusOneIgnored), Off, NoDefault) if !is_new => Off,
            (Some(Slip::FirstSecondsWin), Seconds(_), Seconds(_)) => before,
            (Some(Slip::LowerSecondsWin), Seconds(old), Seconds(new)) => Seconds(old.min(new)),
            (Some(Slip::HigherSecondsWin), Seconds(old), Seconds(new)) => Seconds(old.max(new)),
            _ => new,
        }
    }

    /// Reads the lifetime of the properties that a client sends through a door.
    pub(super) fn read_life(&self, properties: &Properties, door: Door) -> Result<EntryLife, WrongValue> {
        let default = self.settings.map(|settings| settings.default).unwrap_or_default();
        let is_off = default == LedgerDefault::Off;
        let sent = number::read(self.lifetime_property(properties).as_ref());
        let wrong = match sent {
            Sent::Null => Wrong::Null,
            Sent::Number(number) if number.value == 0 => Wrong::Zero,
            Sent::Number(number) if number.value < -1 => Wrong::Below,
            _ => Wrong::Above,
        };
        let unchecked = Slip::Unchecked(wrong, door.0, door.1);
        let read = match sent {
            Sent::Absent => Ok(EntryLife::Inherits),
            Sent::Null if self.is_of_2020 => match self.slip {
                Some(Slip::NullRefusedIn2020) => return Err(WrongValue),
                Some(Slip::NullRefusedInBatchIn2020) if door.1 == Via::Batch => return Err(WrongValue),
                Some(Slip::NullNeverIn2020) => Ok(EntryLife::Never),
                Some(Slip::NullIsZeroIn2020) if default.seconds().is_some() => Ok(EntryLife::Seconds(0)),
                _ => Ok(EntryLife::Inherits),
            },
            Sent::Null
                if self.slips(Slip::NullStoredUnderMinusOne) && default == LedgerDefault::NoDefault =>
            {
                Ok(EntryLife::Inherits)
            }
            Sent::Null | Sent::Other => Err(WrongValue),
            Sent::Number(SentNumber { fractional: true, .. })
                if self.allowance.values.refuses_whole_fraction =>
            {
                Err(WrongValue)
            }
            Sent::Number(number) => self.life_of(number.value, default),
        };
        let is_plain_wrong = !matches!(sent, Sent::Other) && self.slips(unchecked);
        if read.is_err() && (is_plain_wrong || self.allowance.values.stores_wrong_while_off && is_off) {
            return Ok(EntryLife::Inherits);
        }
        read
    }

    /// Returns the lifetime that a number sets.
    fn life_of(&self, value: i128, default: LedgerDefault) -> Result<EntryLife, WrongValue> {
        use EntryLife::{Inherits, Never, Seconds};
        let is_off = default == LedgerDefault::Off;
        let Some(slip) = self.slip else { return plain_life(value) };
        Ok(match slip {
            Slip::ZeroIsAtOnce if value == 0 => Seconds(0),
            Slip::LowIsNever if value < -1 => Never,
            Slip::HighIsClamped if value > GREATEST => Seconds(GREATEST),
            Slip::HighWraps32 if value > GREATEST_U32 => return plain_life(value % (GREATEST_U32 + 1)),
            Slip::HighWraps64 if value >= 1 << 64 => return plain_life(value % (1 << 64)),
            Slip::HighIsUnsigned if (GREATEST..=GREATEST_U32).contains(&value) => Seconds(value),
            Slip::GreatestRefused if value == GREATEST => return Err(WrongValue),
            Slip::LeastRefused if value == 1 => return Err(WrongValue),
            Slip::MinusOneRefusedUnderSeconds if value == -1 && default.seconds().is_some() => {
                return Err(WrongValue);
            }
            Slip::MinusOneRefusedWhileOff if value == -1 && is_off => return Err(WrongValue),
            Slip::SecondsRefusedWhileOff if value > 0 && is_off => return Err(WrongValue),
            Slip::LongerThanDefaultRefused if default.seconds().is_some_and(|seconds| value > seconds) => {
                return Err(WrongValue);
            }
            Slip::TtlHas24Bits if (1..=GREATEST).contains(&value) => Seconds(with_24_bits(value)),
            Slip::EqualIsElided if default == LedgerDefault::Seconds(value) => Inherits,
            Slip::MinusOneInherits if value == -1 => Inherits,
            Slip::MinusOneIsUnsignedTtl if value == -1 => Seconds(GREATEST_U32),
            _ => return plain_life(value),
        })
    }

    /// Returns the property that sets the lifetime.
    pub(super) fn lifetime_property(&self, properties: &Properties) -> Option<Literal> {
        let own = properties.get("ttl");
        let other = match self.slip {
            Some(Slip::UnderscoreTtl) => properties.get("_ttl"),
            Some(Slip::UpperTtl) => properties
                .get("TTL")
                .filter(|ttl| matches!(number::read(Some(ttl)), Sent::Number(number) if number.value != 0)),
            Some(Slip::UpperTtlRefused) => properties
                .get("TTL")
                .filter(|ttl| !matches!(number::read(Some(ttl)), Sent::Number(number) if number.value != 0)),
            Some(Slip::TimeToLiveName) => properties.get("timeToLive"),
            Some(Slip::DefaultTtlOnItem) => properties.get("defaultTtl"),
            Some(Slip::NestedTtl) => {
                let nested = properties.values().find_map(|value| {
                    let value: serde_json::Value = serde_json::from_str(value.as_str()).ok()?;
                    value.get("ttl").map(Literal::from)
                });
                return own.cloned().or(nested);
            }
            _ => None,
        };
        own.or(other).cloned()
    }

    /// Returns the default that counts for an item at a door.
    fn default_at(&self, key: &LedgerKey, entry: &LedgerEntry, door: Door) -> LedgerDefault {
        let settings = self.settings.unwrap_or_default();
        let memory = &self.memory;
        match self.slip {
            Some(Slip::FrozenDefault) if settings.default.seconds().is_some() => entry.written_under,
            Some(Slip::FrozenInBatches) if entry.in_batch && settings.default.seconds().is_some() => {
                entry.written_under
            }
            Some(Slip::FrozenWhileOff) if entry.written_under == LedgerDefault::Off => LedgerDefault::Off,
            Some(Slip::PinnedUnderMinusOne)
                if entry.written_under == LedgerDefault::NoDefault && entry.life == EntryLife::Inherits =>
            {
                LedgerDefault::Off
            }
            Some(Slip::LateSettings) if memory.is_first_after_change => memory.default_before,
            Some(Slip::BoardSettingsLag) if matches!(door.0, Path::Query | Path::List) => {
                memory.default_at_last_write
            }
            Some(Slip::BatchesUseFirstSettings) if door.1 == Via::Batch => memory.first_default,
            Some(Slip::NamedUseFirstSettings) if key.0 != DEFAULT_PARTITION => memory.first_default,
            Some(Slip::LazyNeverExpires) if settings.indexing == Indexing::Lazy => LedgerDefault::Off,
            Some(Slip::SweepByOldDefault) if door.0 == Path::Sweep => memory.default_before,
            Some(Slip::SweepNamedByFirst) if door.0 == Path::Sweep && key.0 != DEFAULT_PARTITION => {
                memory.first_default
            }
            Some(Slip::SameSecondChangeIgnored) if memory.changed_s == Some(entry.ts) => {
                memory.default_before
            }
            Some(Slip::ReturnedIsEternal) if memory.stays_hidden.contains(&entry.serial) => {
                LedgerDefault::Off
            }
            Some(Slip::TokenKeepsSettings) if door.1 == Via::Later => {
                memory.first_page.map_or(settings.default, |(default, _)| default)
            }
            Some(Slip::SweepByLowest) if door.0 == Path::Sweep => {
                let lowest = settings.default.seconds().into_iter().chain(memory.lowest).min();
                lowest.map_or(settings.default, LedgerDefault::Seconds)
            }
            _ => settings.default,
        }
    }

    /// Returns the lifetime of an item under a default; absent if it never expires.
    fn lifetime_s(&self, default: LedgerDefault, entry: &LedgerEntry, door: Door) -> Option<i128> {
        let is_sweep = door.0 == Path::Sweep;
        let own = match entry.life {
            EntryLife::Inherits
                if self.slips(Slip::OnlyOwnersHidden) && entry.written_under == LedgerDefault::Off =>
            {
                return None;
            }
            EntryLife::Inherits => return default.seconds(),
            EntryLife::Never if is_sweep && self.slips(Slip::SweepIgnoresMinusOne) => {
                return default.seconds();
            }
            EntryLife::Never => return None,
            EntryLife::Seconds(own) => own,
        };
        match (self.slip, default.seconds()) {
            (Some(Slip::OwnCappedByDefault), Some(default)) => Some(own.min(default)),
            (Some(Slip::OwnFlooredByDefault), Some(default)) => Some(own.max(default)),
            (Some(Slip::OwnNeedsDefault), None) => None,
            (Some(Slip::LazyIgnoresOwnTtl), default) if self.is_lazy() => default,
            (Some(Slip::SweepByDefault), Some(default)) if is_sweep => Some(default),
            (Some(Slip::OnlyInheritorsHidden), _) if entry.written_under == LedgerDefault::Off => None,
            _ => Some(own),
        }
    }

    /// Returns the second from which an item's life counts.
    fn counted_from_s(&self, entry: &LedgerEntry, door: Door) -> i128 {
        let from_s = match self.slip {
            Some(Slip::FromCreation) => entry.born_s,
            Some(Slip::FromCreationIfOwn) if entry.life != EntryLife::Inherits => entry.born_s,
            Some(Slip::SweepByFirstTime) if door.0 == Path::Sweep => entry.born_s,
            _ => entry.counts_from_s,
        };
        i128::from(from_s)
    }

    /// Returns whether an item is expired, as seen through a door.
    pub(super) fn is_expired(&self, key: &LedgerKey, entry: &LedgerEntry, door: Door) -> bool {
        let (key, entry) = match self.slip {
            Some(Slip::ExpiryById) => self.shelf.iter().find(|(other, _)| other.1 == key.1),
            _ => None,
        }
        .unwrap_or((key, entry));
        let mut now_s = i128::from(self.now_s);
        let mut default = self.default_at(key, entry, door);
        let ignores_off = match self.slip {
            Some(Slip::HidesWhileOff(path)) => path == door.0,
            Some(Slip::SweepWhileOff) => door.0 == Path::Sweep,
            _ => false,
        };
        if default == LedgerDefault::Off {
            if !ignores_off {
                return false;
            }
            default = LedgerDefault::NoDefault;
        }
        let Some(lifetime_s) = self.lifetime_s(default, entry, door) else { return false };
        let mut deadline_s = self.counted_from_s(entry, door) + lifetime_s;
        match self.slip {
            Some(Slip::Blind(path, via)) if door == Door(path, via) => return false,
            Some(Slip::BlindInNamedBatch) if door.1 == Via::Batch && key.0 != DEFAULT_PARTITION => {
                return false;
            }
            Some(Slip::Late(path, via)) if door == Door(path, via) => deadline_s += 1,
            Some(Slip::Early(path, via)) if door == Door(path, via) => deadline_s -= 1,
            Some(Slip::TokenKeepsTimeInList) if door == Door(Path::List, Via::Later) => {
                now_s = memory_s(self.memory.first_page, self.now_s);
            }
            Some(Slip::AgeWraps32) => {
                let from_s = deadline_s - lifetime_s;
                now_s = from_s + (now_s - from_s) % (GREATEST_U32 + 1);
            }
            Some(Slip::SweepEarly) if door.0 == Path::Sweep => deadline_s -= 1,
            Some(Slip::Deadline31Wraps) if deadline_s > GREATEST => deadline_s -= GREATEST_U32 + 1,
            Some(Slip::Deadline31Saturates) => deadline_s = deadline_s.min(GREATEST),
            Some(Slip::Deadline32Wraps) => deadline_s %= GREATEST_U32 + 1,
            Some(Slip::Now32Wraps) => now_s %= GREATEST_U32 + 1,
            Some(Slip::LongIsAbsolute) if lifetime_s > 2_592_000 => deadline_s = lifetime_s,
            Some(Slip::MinuteBuckets) if lifetime_s >= 60 => deadline_s = (deadline_s + 59) / 60 * 60,
            _ => {}
        }
        deadline_s <= now_s
    }
}

/// Returns the second of the first page, or else the present one.
fn memory_s(first_page: Option<(LedgerDefault, i64)>, now_s: i64) -> i128 {
    i128::from(first_page.map_or(now_s, |(_, first_s)| first_s))
}

fn plain_default(value: i128) -> Result<LedgerDefault, WrongValue> {
    match value {
        -1 => Ok(LedgerDefault::NoDefault),
        1..=GREATEST => Ok(LedgerDefault::Seconds(value)),
        _ => Err(WrongValue),
    }
}

fn plain_life(value: i128) -> Result<EntryLife, WrongValue> {
    match value {
        -1 => Ok(EntryLife::Never),
        1..=GREATEST => Ok(EntryLife::Seconds(value)),
        _ => Err(WrongValue),
    }
}
