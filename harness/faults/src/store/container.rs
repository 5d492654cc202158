//! The container: its settings and their history.

use cosmos_ttl_harness::target::{Container, Indexing, Status};

use super::Room;
use super::log::{Held, Ttl};
use super::look::wrapped;
use crate::freedom::{Lazy, Numbers, RemovalTime};
use crate::mistake::{Access, Meaning, Misread, Missetting, Missweep, Mistake, Notation, Path};
use crate::number::{GREATEST, Sent, SentNumber, read};

/// Settings, from a second on.
#[derive(Clone, Copy, Debug)]
pub(super) struct SettingsEntry {
    pub(super) at: i128,
    pub(super) default: Ttl,
    pub(super) indexing: Indexing,
}

/// Returns the seconds that an item lives; `None` if it never expires.
pub(super) fn lifetime_of(default: Ttl, own: Ttl) -> Option<i128> {
    match (default, own) {
        (Ttl::Unset | Ttl::Invalid, _) | (_, Ttl::Never | Ttl::Invalid) | (Ttl::Never, Ttl::Unset) => None,
        (_, Ttl::After(seconds)) | (Ttl::After(seconds), Ttl::Unset) => Some(seconds),
    }
}

impl Room {
    /// Returns the settings of now.
    pub(super) fn settings(&self) -> Option<SettingsEntry> {
        self.history.last().copied()
    }

    /// Returns the default of now.
    pub(super) fn default(&self) -> Ttl {
        self.settings().map_or(Ttl::Unset, |settings| settings.default)
    }

    /// Reads what was sent as `defaultTtl`.
    fn read_default(&self, container: &Container, path: Path) -> Result<Ttl, Status> {
        let sent = read(container.default_ttl.as_ref());
        if let Some(misread) = self.misread(sent, path) {
            return misread;
        }
        match sent {
            Sent::Absent => Ok(Ttl::Unset),
            Sent::Null if !self.freedom.null_refused => Ok(Ttl::Unset),
            Sent::Number(number) if !number.fractional || self.takes_fraction() => lifetime(number),
            _ => Err(Status::BadRequest),
        }
    }

    /// Returns whether a `defaultTtl` such as 10.0 is taken.
    fn takes_fraction(&self) -> bool {
        self.freedom.default_fraction_taken || self.freedom.numbers == Numbers::AsFloats
    }

    /// Returns what a mistake makes of a lifetime; `None` if it makes none on this path, of this value.
    pub(super) fn misread(&self, sent: Sent, path: Path) -> Option<Result<Ttl, Status>> {
        let Some(Mistake::Check(places, how)) = self.mistake else { return None };
        if !places.holds(path) {
            return None;
        }
        match (how, sent) {
            (Misread::Takes(from, to, notation, meaning), Sent::Number(number)) => {
                let noted = match notation {
                    Notation::Any => true,
                    Notation::Fractional => number.fractional,
                    Notation::Minus => number.minus,
                };
                (noted && (from..=to).contains(&number.value)).then(|| Ok(meant(meaning, number.value)))
            }
            (Misread::Refuses(from, to), Sent::Number(number)) => {
                (from..=to).contains(&number.value).then_some(Err(Status::BadRequest))
            }
            (Misread::TakesNull(meaning), Sent::Null) => Some(Ok(meant(meaning, 0))),
            (Misread::RefusesNull, Sent::Null) => Some(Err(Status::BadRequest)),
            (Misread::Unchecked, Sent::Number(number)) if number.value == -1 => Some(Ok(Ttl::Never)),
            (Misread::Unchecked, Sent::Number(number)) => Some(Ok(Ttl::After(number.value))),
            (Misread::Unchecked, Sent::Null | Sent::Other) => Some(Ok(Ttl::Unset)),
            _ => None,
        }
    }

    /// Creates the container.
    pub(super) fn create_container(&mut self, container: &Container) -> Status {
        if self.settings().is_some() {
            return Status::Conflict;
        }
        let path = Path::whole(Access::Open);
        let mut default = match self.read_default(container, path) {
            Ok(default) => default,
            Err(status) => return status,
        };
        if self.slips(Missetting::AbsentIsMinusOneAtCreation) && container.default_ttl.is_none() {
            default = Ttl::Never;
        }
        let allowed = self.slips(Missetting::UnindexedAtCreation);
        if let Some(status) = self.refuses_indexing(default, container.indexing, allowed) {
            return status;
        }
        self.history.push(SettingsEntry { at: self.now, default, indexing: container.indexing });
        Status::Created
    }

    fn refuses_indexing(&self, default: Ttl, indexing: Indexing, allowed: bool) -> Option<Status> {
        let unindexed = indexing == Indexing::None
            && default != Ttl::Unset
            && !allowed
            && !(default == Ttl::Never && self.slips(Missetting::UnindexedMinusOne));
        let lazy = indexing == Indexing::Lazy && self.freedom.lazy == Lazy::Refused;
        (unindexed || lazy).then_some(Status::BadRequest)
    }

    /// Replaces the settings.
    pub(super) fn replace_container(&mut self, container: &Container) -> Status {
        let Some(old) = self.settings() else { return Status::NotFound };
        let path = Path::whole(Access::Settings);
        let indexing = container.indexing;
        let read = self.read_default(container, path).map(|default| match default {
            Ttl::Unset if self.slips(Missetting::AbsentKeeps) => old.default,
            Ttl::Unset if self.slips(Missetting::AbsentIsMinusOne) => Ttl::Never,
            default => default,
        });
        let read = read.map(|default| {
            let switches_off = indexing == Indexing::None && old.indexing != Indexing::None;
            if switches_off && self.slips(Missetting::UnindexedSwitchesOff) { Ttl::Unset } else { default }
        });
        let allowed = self.slips(Missetting::UnindexedLater);
        let refused = |default| self.refuses_indexing(default, indexing, allowed);
        let read = read.and_then(|default| refused(default).map_or(Ok(default), Err));
        let default = match read {
            Ok(default) => default,
            Err(status) => {
                self.trace_of_refused_settings(old);
                return status;
            }
        };
        if self.ignores_change(old, default) {
            return Status::Ok;
        }
        if default != old.default {
            self.before_change(default);
        }
        self.history.push(SettingsEntry { at: self.now, default, indexing });
        if default != old.default {
            self.rebuild = Some(super::Rebuild { since: self.now, queries: 0, before: old.default });
        }
        self.after_change(old.default, default);
        if indexing != old.indexing && self.slips(Missetting::IndexingTouchesTs) {
            let now = self.now;
            self.rewrite(|held, _| held.ts = now);
        }
        Status::Ok
    }

    /// Returns whether a mistake ignores this change.
    fn ignores_change(&self, old: SettingsEntry, new: Ttl) -> bool {
        let Some(Mistake::Settings(how)) = self.mistake else { return false };
        match how {
            Missetting::SecondChangeIgnored => self.history.len() > 1 && old.at == self.now,
            Missetting::NumberToNumberIgnored => matches!((old.default, new), (Ttl::After(_), Ttl::After(_))),
            Missetting::MinusOneToNumberIgnored => matches!((old.default, new), (Ttl::Never, Ttl::After(_))),
            Missetting::NumberToMinusOneIgnored => matches!((old.default, new), (Ttl::After(_), Ttl::Never)),
            Missetting::OffToMinusOneIgnored => matches!((old.default, new), (Ttl::Unset, Ttl::Never)),
            _ => false,
        }
    }

    /// What is expired now may be gone for good.
    fn before_change(&mut self, next: Ttl) {
        if self.freedom.background == RemovalTime::BeforeSettings {
            self.sweep(usize::MAX);
        }
        let turn = self.turn;
        let mut number = turn;
        let path = Path::whole(Access::Sweep);
        let gone: Vec<_> = self.log.items().map(|version| version.id.clone()).collect();
        for id in gone {
            number += 1;
            if self.freedom.gone.other(&id, number) && self.is_expired(&id, path) {
                self.remove(&id);
            }
        }
        if matches!(self.mistake, Some(Mistake::Sweep(Missweep::OneMoreAfterOff))) && next == Ttl::Unset {
            let Ttl::After(seconds) = self.default() else { return };
            let now = self.now;
            self.remove_where(|held| held.own == Ttl::Unset && held.ts + seconds <= now + 1);
        }
        if self.slips(Missetting::LowerRemoves)
            && let (Ttl::After(old), Ttl::After(new)) = (self.default(), next)
            && new < old
        {
            let now = self.now;
            self.remove_where(|held| held.ts + new <= now);
        }
    }

    fn after_change(&mut self, old: Ttl, new: Ttl) {
        let now = self.now;
        let switched_on = old == Ttl::Unset && new != Ttl::Unset;
        let raised = matches!((old, new), (Ttl::After(old), Ttl::After(new)) if new > old);
        match self.mistake {
            Some(Mistake::Settings(how)) => match how {
                Missetting::RemovesItems => self.remove_where(|_| true),
                Missetting::TouchesTs => self.rewrite(|held, _| held.ts = now),
                Missetting::TouchesEtag => self.rewrite(|held, etag| held.etag = etag),
                Missetting::OffDropsTtl if new == Ttl::Unset => self.rewrite(|held, _| {
                    held.own = Ttl::Unset;
                    held.properties.remove("ttl");
                }),
                Missetting::OnTouchesTs if switched_on => self.rewrite(|held, _| held.ts = now),
                Missetting::OnForgetsOwn if switched_on => self.rewrite(|held, _| held.own = Ttl::Unset),
                Missetting::RaiseTouchesTs if raised => self.rewrite(|held, _| {
                    if held.own == Ttl::Unset {
                        held.ts = now;
                    }
                }),
                _ => {}
            },
            Some(Mistake::Timers(_)) => self.set_all_timers(),
            _ if self.freedom.background == RemovalTime::Timers => self.set_all_timers(),
            _ => {}
        }
    }

    fn trace_of_refused_settings(&mut self, old: SettingsEntry) {
        let at = self.now;
        if self.slips(Missetting::RefusedSwitchesOff) {
            self.history.push(SettingsEntry { at, default: Ttl::Unset, ..old });
        } else if self.slips(Missetting::RefusedRemovesItems) {
            self.remove_where(|_| true);
        } else if self.slips(Missetting::RefusedTouchesTs) {
            self.rewrite(|held, _| held.ts = at);
        }
    }

    /// Changes every stored item in place, as no client could.
    fn rewrite(&mut self, change: impl Fn(&mut Held, u64)) {
        let versions: Vec<_> = self.log.items().cloned().collect();
        for version in versions {
            let Some(mut held) = version.held else { continue };
            self.etags += 1;
            change(&mut held, self.etags);
            self.log.push(&version.id, Some(held), version.path, version.settings);
        }
    }

    pub(super) fn slips(&self, how: Missetting) -> bool {
        matches!(self.mistake, Some(Mistake::Settings(slip)) if slip == how)
    }
}

/// Returns the lifetime that a number is.
pub(super) fn lifetime(number: SentNumber) -> Result<Ttl, Status> {
    match number.value {
        -1 => Ok(Ttl::Never),
        seconds @ 1..=GREATEST => Ok(Ttl::After(seconds)),
        _ => Err(Status::BadRequest),
    }
}

fn meant(meaning: Meaning, value: i128) -> Ttl {
    let of = |value| if value == -1 { Ttl::Never } else { Ttl::After(value) };
    match meaning {
        Meaning::Unset => Ttl::Unset,
        Meaning::Never => Ttl::Never,
        Meaning::Itself => of(value),
        Meaning::Wrapped => of(wrapped(value)),
        Meaning::Greatest => Ttl::After(GREATEST),
        Meaning::Amount => Ttl::After(value.abs()),
    }
}
