//! The settings of the container.

use cosmos_ttl_harness::target::{Container, Indexing, Response, Status};

use super::engine::{Lifespan, LsmEngine, OwnTtl};
use super::faults::ages::AgeSlip;
use super::faults::compactions::CompactSlip;
use super::faults::settings::SettingSlip;
use super::leeway::Leeway;
use super::session::{LsmManifest, LsmSession};
use super::slip::Slip;
use crate::number::{self, GREATEST, Sent};

impl LsmSession {
    /// Creates the container, or replaces its settings.
    pub(super) fn configure(&mut self, sent: &Container, creates: bool) -> Response {
        let missing = match (creates, self.manifest) {
            (true, Some(_)) => Err(Status::Conflict),
            (false, None) => Err(Status::NotFound),
            _ => Ok(()),
        };
        let default = self.checked_default(sent, creates);
        let checks = [missing, default.map(|_| ()).ok_or(Status::BadRequest)];
        let [first, second] = checks;
        let refusal = if self.may(Leeway::ItemBeforeValue) { first.and(second) } else { second.and(first) };
        match (refusal, default) {
            (Ok(()), Some(default)) => {
                self.install(LsmManifest { default, indexing: sent.indexing });
                Response::new(if creates { Status::Created } else { Status::Ok })
            }
            (refusal, _) => {
                self.after_refused_settings(sent, creates);
                Response::new(refusal.err().unwrap_or(Status::BadRequest))
            }
        }
    }

    /// Returns the default that the request leads to, unless it is refused.
    fn checked_default(&self, sent: &Container, creates: bool) -> Option<Lifespan> {
        let usual = self.read_default(sent);
        let default = match self.slip {
            Some(Slip::Setting(slip)) => self.wrong_default(slip, sent, creates, usual),
            _ => usual,
        }?;
        let clashes = sent.indexing == Indexing::None && default != Lifespan::Off;
        let clashes = match self.slip {
            Some(Slip::Setting(slip)) => self.wrong_clash(slip, sent, creates, default, clashes),
            _ => clashes,
        };
        if clashes { None } else { Some(default) }
    }

    /// Reads `defaultTtl`.
    fn read_default(&self, sent: &Container) -> Option<Lifespan> {
        match number::read(sent.default_ttl.as_ref()) {
            Sent::Absent => Some(Lifespan::Off),
            Sent::Null => (!self.may(Leeway::RefusesNullDefault)).then_some(Lifespan::Off),
            Sent::Number(number) if number.fractional && self.may(Leeway::RefusesPointZero) => None,
            Sent::Number(number) => match number.value {
                -1 => Some(Lifespan::NoDefault),
                1..=GREATEST => i64::try_from(number.value).ok().map(Lifespan::Seconds),
                _ => None,
            },
            Sent::Other => None,
        }
    }

    fn wrong_default(
        &self,
        slip: SettingSlip,
        sent: &Container,
        creates: bool,
        usual: Option<Lifespan>,
    ) -> Option<Lifespan> {
        use Lifespan::{NoDefault, Off, Seconds};
        let literal = number::read(sent.default_ttl.as_ref());
        let value = if let Sent::Number(number) = literal { number.value } else { 1 };
        let seconds = |value: i128| i64::try_from(value).ok().map(Seconds);
        let now = self.default_now();
        let later = !creates;
        let low_32 = value.rem_euclid(1 << 32);
        match (slip, literal) {
            (SettingSlip::ZeroIsOff, _) if value == 0 => Some(Off),
            (SettingSlip::ZeroLater, _) if later && value == 0 => Some(NoDefault),
            (SettingSlip::NegativeIsMinusOne, _) if value < -1 => Some(NoDefault),
            (SettingSlip::NegativeLaterIsOff, _) if later && value < -1 => Some(Off),
            (SettingSlip::AboveIsGreatest, _) if value > GREATEST => seconds(GREATEST),
            (SettingSlip::AboveLater, _) if later && value > GREATEST => seconds(value.min(1 << 50)),
            (SettingSlip::UnsignedLimit, _) if value > GREATEST && value < 1 << 32 => seconds(value),
            (SettingSlip::Wraps32, _) if value > GREATEST && (1..=GREATEST).contains(&low_32) => {
                seconds(low_32)
            }
            (SettingSlip::Wraps64, _) if value == (1 << 64) - 1 => Some(NoDefault),
            (SettingSlip::NegativeWraps, _) if value < -1 && (1..=GREATEST).contains(&low_32) => {
                seconds(low_32)
            }
            (SettingSlip::GreatestRefused, _) if value == GREATEST => None,
            (SettingSlip::OneRefusedLater, Sent::Number(_)) if later && value == 1 => None,
            (SettingSlip::MinusOneIsOff, _) if value == -1 => Some(Off),
            (SettingSlip::MinusOneLaterIsOff, _) if later && value == -1 => Some(Off),
            (SettingSlip::MinusOneIsGreatest, _) if value == -1 => seconds(GREATEST),
            (SettingSlip::LeftOutKeeps, Sent::Absent) if later => Some(now),
            (SettingSlip::LeftOutIsMinusOne, Sent::Absent) if later => Some(NoDefault),
            (SettingSlip::LeftOutAtCreationIsMinusOne, Sent::Absent) if creates => {
                Some(if sent.indexing == Indexing::None { Off } else { NoDefault })
            }
            (SettingSlip::IndexChangeKeeps, Sent::Absent)
                if self.manifest.is_some_and(|one| one.indexing != sent.indexing) =>
            {
                Some(now)
            }
            (SettingSlip::ThirdChangeLost, _) if self.memo.changes >= 3 => usual.map(|_| now),
            (SettingSlip::OffRestoresOld, Sent::Number(_)) if later && now == Off => {
                self.memo.last_seconds.map(Seconds).or(usual)
            }
            (SettingSlip::LargerLaterLost, _) => match (now, usual) {
                (Seconds(old), Some(Seconds(new))) if new > old => Some(now),
                _ => usual,
            },
            _ => usual,
        }
    }

    fn wrong_clash(
        &self,
        slip: SettingSlip,
        sent: &Container,
        creates: bool,
        default: Lifespan,
        usual: bool,
    ) -> bool {
        let is_none_now = self.manifest.is_some_and(|manifest| manifest.indexing == Indexing::None);
        let is_lazy = sent.indexing == Indexing::Lazy;
        match slip {
            SettingSlip::NoneAtCreation if creates => false,
            SettingSlip::NoneLater if !creates && !is_none_now => false,
            SettingSlip::NoneWithMinusOne if default == Lifespan::NoDefault => false,
            SettingSlip::DefaultOnNone if is_none_now => false,
            SettingSlip::LazyRefused if is_lazy && default != Lifespan::Off => true,
            SettingSlip::LazyNeedsSeconds if is_lazy && default == Lifespan::NoDefault => true,
            SettingSlip::RemembersNone if self.memo.was_none && default != Lifespan::Off => true,
            _ => usual,
        }
    }

    /// Does what a faulty store does after a refusal.
    fn after_refused_settings(&mut self, sent: &Container, creates: bool) {
        let Some(Slip::Setting(slip)) = self.slip else { return };
        let value = match number::read(sent.default_ttl.as_ref()) {
            Sent::Number(number) => number.value,
            _ => 1,
        };
        let (now_s, Some(manifest)) = (self.now_s, self.manifest.as_mut()) else {
            if slip == SettingSlip::RefusedCreates && creates {
                self.install(LsmManifest { default: Lifespan::Off, indexing: sent.indexing });
            }
            return;
        };
        match slip {
            SettingSlip::RefusedSwitchesOff => manifest.default = Lifespan::Off,
            SettingSlip::RefusedSetsGreatest if value > GREATEST => {
                manifest.default = Lifespan::Seconds(i64::try_from(GREATEST).unwrap_or(i64::MAX));
            }
            SettingSlip::RefusedNoneSets if sent.indexing == Indexing::None => {
                if let Ok(seconds) = i64::try_from(value) {
                    manifest.default = Lifespan::Seconds(seconds);
                }
            }
            SettingSlip::RefusedZeroSweeps if value == 0 => {
                let mut records = self.engine.merged();
                records.retain(|_, record| record.ttl != OwnTtl::Inherit);
                self.engine = LsmEngine::of(records);
            }
            SettingSlip::RefusedTouches => self.engine.amend_all(|_, record| {
                record.ts_s = now_s;
                record.counted_s = now_s;
            }),
            _ => {}
        }
    }

    /// Puts settings in force.
    fn install(&mut self, manifest: LsmManifest) {
        let before = self.default_now();
        let is_change = self.manifest.is_some() && before != manifest.default;
        if is_change {
            self.compact_before_change();
        }
        if self.manifest.is_none() {
            self.memo.first_default = manifest.default;
        }
        self.memo.was_none |= manifest.indexing == Indexing::None;
        self.memo.changes += 1;
        if let Lifespan::Seconds(seconds) = manifest.default {
            self.memo.last_seconds = Some(seconds);
            let lowest = self.memo.lowest_seconds.unwrap_or(seconds);
            self.memo.lowest_seconds = Some(lowest.min(seconds));
        }
        if is_change && (before == Lifespan::Off || manifest.indexing == Indexing::Lazy) {
            let keys = self.engine.merged().into_keys().collect();
            self.memo.rebuilt = Some((self.now_s, keys, 0));
            self.memo.waits = before == Lifespan::Off && manifest.indexing == Indexing::Consistent;
        }
        self.slip_at_change(before, manifest.default, is_change);
        self.manifest = Some(manifest);
    }

    /// Compacts under the settings that end, if the store removes what has expired under them.
    fn compact_before_change(&mut self) {
        if self.may(Leeway::CompactsAtChange) {
            self.compact();
        }
        if self.may(Leeway::CompactsOwnAtChange) {
            self.compact_some(|_, record| matches!(record.ttl, OwnTtl::Seconds(_)));
        }
    }

    /// Does what a faulty store does at a change of settings.
    fn slip_at_change(&mut self, before: Lifespan, after: Lifespan, is_change: bool) {
        let now_s = self.now_s;
        let switches_on = is_change && before == Lifespan::Off;
        let off_since_s = self.memo.off_since_s.take();
        self.memo.off_since_s = (after == Lifespan::Off).then(|| off_since_s.unwrap_or(now_s));
        match self.slip {
            Some(Slip::Age(AgeSlip::ChangeRestamps)) if is_change => self.engine.amend_all(|_, record| {
                record.ts_s = now_s;
                record.counted_s = now_s;
            }),
            Some(Slip::Age(AgeSlip::ChangeNewEtags)) if is_change => {
                let change = self.memo.changes;
                self.engine.amend_all(|_, record| record.etag = format!("{}.{change}", record.etag));
            }
            Some(Slip::Age(AgeSlip::CountsFromSwitchOn)) if switches_on => {
                self.engine.amend_all(|_, record| record.counted_s = now_s);
            }
            Some(Slip::Age(AgeSlip::CountsFromChange)) if is_change => {
                self.engine.amend_all(|_, record| {
                    if record.ttl == OwnTtl::Inherit {
                        record.counted_s = now_s;
                    }
                });
            }
            Some(Slip::Age(AgeSlip::OffPauses)) if switches_on => {
                let paused_s = off_since_s.map_or(0, |since_s| now_s - since_s);
                self.engine
                    .amend_all(|_, record| record.counted_s = (record.counted_s + paused_s).min(now_s));
            }
            Some(Slip::Age(AgeSlip::DormantLost)) if switches_on => self.engine.amend_all(|_, record| {
                if matches!(record.ttl, OwnTtl::Seconds(own) if record.ts_s + own <= now_s) {
                    record.ttl = OwnTtl::Inherit;
                }
            }),
            Some(Slip::Compact(CompactSlip::RestoresAtSecondChange)) if is_change => {
                if self.memo.marks.is_empty() {
                    self.memo.marks.extend(self.memo.dropped.keys().cloned());
                } else {
                    for (key, record) in std::mem::take(&mut self.memo.dropped) {
                        if self.engine.get(&key).is_none() {
                            self.engine.put(key, Some(record));
                        }
                    }
                }
            }
            Some(Slip::Compact(CompactSlip::LoweredFirst)) if is_change => {
                let (Lifespan::Seconds(old), Lifespan::Seconds(new)) = (before, after) else { return };
                if new > old {
                    self.compact_some_at(now_s + new - old, |_, _| true);
                }
            }
            _ => {}
        }
    }
}
