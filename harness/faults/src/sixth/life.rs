//! The life of an item: how long it is, when it ends, and who sees the end.

use cosmos_ttl_harness::target::DEFAULT_PARTITION;

use super::engine::{Lifespan, LsmKey, LsmRecord, OwnTtl};
use super::faults::ages::AgeSlip;
use super::faults::feeds::FeedSlip;
use super::faults::ghosts::GhostSlip;
use super::session::LsmSession;
use super::slip::Slip;

/// Who looks at an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    Create,
    Upsert,
    Replace,
    Patch,
    Read,
    Delete,
    Query,
    List,
    Count,
    Compaction,
}

impl LsmSession {
    /// Returns the newest version, unless it is expired.
    pub(super) fn living(&self, key: &LsmKey, look: Look) -> Option<LsmRecord> {
        let record = self.engine.get(key);
        record.filter(|record| !self.is_expired(key, record, look)).cloned()
    }

    /// Returns whether a version is expired for one who looks.
    pub(super) fn is_expired(&self, key: &LsmKey, record: &LsmRecord, look: Look) -> bool {
        let is_over =
            |record| self.deadline_s(key, record).is_some_and(|deadline_s| deadline_s <= self.now_s);
        let usual = is_over(record);
        match self.slip {
            Some(Slip::Age(slip)) => self.wrong_expiry(slip, key, record, look, usual),
            Some(Slip::Ghost(slip)) => usual && !self.shows_ghost(slip, key, look),
            Some(Slip::Feed(slip)) => match (slip, look) {
                (FeedSlip::OwnNotInQueries, Look::Query) => match self.default_now() {
                    Lifespan::Seconds(n) if record.ttl != OwnTtl::Never => record.ts_s + n <= self.now_s,
                    _ => false,
                },
                (FeedSlip::DefaultNotInQueries, Look::Query) | (FeedSlip::DefaultNotInLists, Look::List) => {
                    usual && record.ttl != OwnTtl::Inherit
                }
                (FeedSlip::ScanOfOldRuns, Look::Query) => self.engine.oldest(key).is_some_and(is_over),
                (FeedSlip::ListByOldDefault, Look::List) => match (record.default_then, record.ttl) {
                    (Lifespan::Seconds(n), OwnTtl::Inherit) => record.ts_s + n <= self.now_s,
                    _ => usual,
                },
                _ => usual,
            },
            _ => usual,
        }
    }

    /// Returns the second in which a version expires, if it does.
    pub(super) fn deadline_s(&self, key: &LsmKey, record: &LsmRecord) -> Option<i64> {
        let lifetime_s = self.lifetime_s(key, record)?;
        let deadline_s = record.counted_s.saturating_add(lifetime_s);
        Some(match self.slip {
            Some(Slip::Age(slip)) => wrong_deadline_s(slip, record, lifetime_s, deadline_s),
            _ => deadline_s,
        })
    }

    /// Returns how long a version lives, unless it never expires.
    fn lifetime_s(&self, key: &LsmKey, record: &LsmRecord) -> Option<i64> {
        let default = self.default_now();
        let usual = lifetime_of(default, record.ttl);
        match self.slip {
            Some(Slip::Age(slip)) => self.wrong_lifetime_s(slip, record, usual),
            Some(Slip::Feed(FeedSlip::TtlByIdAlone)) if record.ttl == OwnTtl::Inherit => {
                let merged = self.engine.merged();
                let namesake =
                    merged.iter().find(|(other, one)| other.1 == key.1 && one.ttl != OwnTtl::Inherit);
                lifetime_of(default, namesake.map_or(OwnTtl::Inherit, |(_, one)| one.ttl))
            }
            _ => usual,
        }
    }

    fn wrong_lifetime_s(&self, slip: AgeSlip, record: &LsmRecord, usual: Option<i64>) -> Option<i64> {
        let (default, own, then) = (self.default_now(), record.ttl, record.default_then);
        let is_inherited = own == OwnTtl::Inherit;
        match (slip, default, own) {
            (AgeSlip::ShorterWins, Lifespan::Seconds(n), OwnTtl::Seconds(m)) => Some(n.min(m)),
            (AgeSlip::LongerWins, Lifespan::Seconds(n), OwnTtl::Seconds(m)) => Some(n.max(m)),
            (AgeSlip::MinusOneInherits, Lifespan::Seconds(n), OwnTtl::Never) => Some(n),
            (AgeSlip::MinusOneIsUnsigned, Lifespan::NoDefault, OwnTtl::Never) => Some((1 << 32) - 1),
            (AgeSlip::OwnNeedsDefault, Lifespan::NoDefault, OwnTtl::Seconds(_)) => None,
            (AgeSlip::OwnCountsWhileOff, Lifespan::Off, OwnTtl::Seconds(m)) => Some(m),
            (AgeSlip::OwnOutlivesSwitchOff, Lifespan::Off, OwnTtl::Seconds(m)) if then != Lifespan::Off => {
                Some(m)
            }
            (AgeSlip::DefaultAtWrite, Lifespan::Seconds(_) | Lifespan::NoDefault, _) if is_inherited => {
                lifetime_of(then, own)
            }
            (AgeSlip::RaisingSparesOld, Lifespan::Seconds(n), OwnTtl::Inherit) => match then {
                Lifespan::Seconds(old) => Some(n.min(old)),
                _ => usual,
            },
            (AgeSlip::LoweringSparesOld, Lifespan::Seconds(n), OwnTtl::Inherit) => match then {
                Lifespan::Seconds(old) => Some(n.max(old)),
                _ => usual,
            },
            (AgeSlip::OffItemsSpared, _, OwnTtl::Inherit)
            | (AgeSlip::OffOwnSpared, _, OwnTtl::Seconds(_))
                if then == Lifespan::Off =>
            {
                None
            }
            (AgeSlip::MinusOneItemsSpared, _, OwnTtl::Inherit) if then == Lifespan::NoDefault => None,
            (AgeSlip::MinusOneKeepsOld, Lifespan::NoDefault, OwnTtl::Inherit) => lifetime_of(then, own),
            (AgeSlip::EqualIsAbsent, Lifespan::NoDefault, OwnTtl::Seconds(m))
                if then == Lifespan::Seconds(m) =>
            {
                None
            }
            (AgeSlip::OffRemembersDefault, Lifespan::Off, OwnTtl::Inherit) => {
                self.memo.last_seconds.filter(|_| then != Lifespan::Off)
            }
            (AgeSlip::FloatTtl, _, OwnTtl::Seconds(m)) if m > 1 << 24 => usual.map(|_| m - m % 2),
            (AgeSlip::MillisWrap, ..) => usual.map(|n| n % 2_147_484),
            _ => usual,
        }
    }

    fn wrong_expiry(&self, slip: AgeSlip, key: &LsmKey, record: &LsmRecord, look: Look, usual: bool) -> bool {
        let at = |shift_s: i64| {
            self.deadline_s(key, record).is_some_and(|deadline_s| deadline_s + shift_s <= self.now_s)
        };
        match (slip, look) {
            (_, Look::Compaction) if slip != AgeSlip::SumWraps31 => usual,
            (AgeSlip::OneLate, _)
            | (AgeSlip::QueryOneLate, Look::Query)
            | (AgeSlip::ListOneLate, Look::List)
            | (AgeSlip::CreateOneLate, Look::Create)
            | (AgeSlip::ReplaceOneLate, Look::Replace)
            | (AgeSlip::PatchOneLate, Look::Patch)
            | (AgeSlip::DeleteOneLate, Look::Delete) => at(1),
            (AgeSlip::InheritedOneLate, _) if record.ttl == OwnTtl::Inherit => at(1),
            (AgeSlip::OneEarly, _)
            | (AgeSlip::QueryOneEarly, Look::Query)
            | (AgeSlip::WriteOneEarly, Look::Replace | Look::Patch | Look::Delete) => at(-1),
            _ => usual,
        }
    }

    fn shows_ghost(&self, slip: GhostSlip, key: &LsmKey, look: Look) -> bool {
        let in_batch = self.batch_at.is_some();
        let is_later = self.batch_at.is_some_and(|at| at > 0);
        let is_named = key.0 != DEFAULT_PARTITION;
        match slip {
            GhostSlip::ReadShows => look == Look::Read && !in_batch,
            GhostSlip::QueryShows => look == Look::Query,
            GhostSlip::ListShows => look == Look::List,
            GhostSlip::ReplaceWorks => look == Look::Replace && !in_batch,
            GhostSlip::PatchWorks => look == Look::Patch && !in_batch,
            GhostSlip::DeleteWorks => look == Look::Delete && !in_batch,
            GhostSlip::CreateConflicts => look == Look::Create && !in_batch,
            GhostSlip::BatchReadShows => look == Look::Read && in_batch,
            GhostSlip::BatchReplaceWorks => look == Look::Replace && in_batch,
            GhostSlip::BatchPatchWorks => look == Look::Patch && in_batch,
            GhostSlip::BatchDeleteWorks => look == Look::Delete && in_batch,
            GhostSlip::BatchCreateConflicts => look == Look::Create && in_batch,
            GhostSlip::LaterOperationsWork => is_later && matches!(look, Look::Replace | Look::Patch),
            GhostSlip::NamedPartitionShows => is_named && look == Look::Read,
            GhostSlip::NamedPartitionDeletes => is_named && look == Look::Delete,
            _ => false,
        }
    }
}

/// Returns the lifetime by the table of the documents.
pub(super) fn lifetime_of(default: Lifespan, own: OwnTtl) -> Option<i64> {
    match (default, own) {
        (Lifespan::Off, _) | (_, OwnTtl::Never) | (Lifespan::NoDefault, OwnTtl::Inherit) => None,
        (_, OwnTtl::Seconds(n)) | (Lifespan::Seconds(n), OwnTtl::Inherit) => Some(n),
    }
}

fn wrong_deadline_s(slip: AgeSlip, record: &LsmRecord, lifetime_s: i64, usual: i64) -> i64 {
    let is_own = record.ttl != OwnTtl::Inherit;
    let top_31 = i64::from(i32::MAX);
    match slip {
        AgeSlip::SumWraps31 if is_own && usual > top_31 => usual - (1 << 32),
        AgeSlip::DefaultSumWraps31 if !is_own && usual > top_31 => usual - (1 << 32),
        AgeSlip::SumWraps32 if usual >= 1 << 32 => usual - (1 << 32),
        AgeSlip::SumSaturates31 => usual.min(top_31.max(record.ts_s + 1)),
        AgeSlip::RoundedUp => usual + (10 - usual % 10) % 10,
        AgeSlip::RoundedToMinutes if lifetime_s >= 60 => record.counted_s + lifetime_s / 60 * 60,
        AgeSlip::CountsFromCreation => record.made_s + lifetime_s,
        _ => usual,
    }
}
