//! Judges whether an item is expired, and how a mistake misjudges it.

use super::container::{SettingsEntry, lifetime_of};
use super::log::{Log, Ttl, Version};
use crate::mistake::Misjudge;

/// What is looked at to judge one item.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) now: i128,
    pub(super) default: Ttl,
    pub(super) own: Ttl,
    pub(super) since: i128,
    late: i128,
    blind: bool,
    width: Option<Misjudge>,
}

impl Look {
    pub(super) fn new(now: i128, default: Ttl, own: Ttl, since: i128) -> Self {
        Self { now, default, own, since, late: 0, blind: false, width: None }
    }

    /// Returns the second from which on the item is expired.
    pub(super) fn deadline(&self) -> Option<i128> {
        let lifetime = lifetime_of(self.default, self.own)?;
        let deadline = self.since + lifetime;
        Some(match self.width {
            Some(Misjudge::Deadline32) => wrapped(deadline),
            Some(Misjudge::DeadlineFloat) => rounded(deadline),
            Some(Misjudge::Lifetime16) => self.since + (lifetime & 0xffff),
            Some(Misjudge::Milliseconds32) => self.since + wrapped(lifetime * 1000).div_euclid(1000),
            Some(Misjudge::Capped(most)) => self.since + lifetime.min(most),
            Some(Misjudge::Absolute(from)) if matches!(self.own, Ttl::After(own) if own > from) => lifetime,
            _ => deadline,
        })
    }

    pub(super) fn is_expired(&self) -> bool {
        !self.blind && self.deadline().is_some_and(|deadline| deadline + self.late <= self.now)
    }

    /// Makes the mistake.
    pub(super) fn misjudge(
        &mut self,
        how: Misjudge,
        log: &Log,
        version: &Version,
        history: &[SettingsEntry],
    ) {
        let at_write = history.get(version.settings.saturating_sub(1)).map_or(self.default, |s| s.default);
        let born = version.held.as_ref().map_or(self.since, |held| held.born);
        match how {
            Misjudge::Blind => self.blind = true,
            Misjudge::Late(seconds) => self.late += seconds,
            Misjudge::OwnIgnored => self.own = Ttl::Unset,
            Misjudge::DefaultIgnored if self.own == Ttl::Unset => self.own = Ttl::Never,
            Misjudge::Shorter => self.bound(i128::min),
            Misjudge::Longer => self.bound(i128::max),
            Misjudge::MinusOneInherits if self.own == Ttl::Never => self.own = Ttl::Unset,
            Misjudge::MinusOneIsOff if self.default == Ttl::Never => self.default = Ttl::Unset,
            Misjudge::OffIsMinusOne if self.default == Ttl::Unset => self.default = Ttl::Never,
            Misjudge::FirstSettings => self.default = history.first().map_or(self.default, |s| s.default),
            Misjudge::SettingsOfWrite => self.default = at_write,
            Misjudge::SettingsBefore(seconds) => {
                let before = history.iter().rev().find(|settings| settings.at + seconds <= self.now);
                self.default = before.or(history.first()).map_or(self.default, |s| s.default);
            }
            Misjudge::FirstChangeOfSecond => {
                let last = history.last().map(|settings| settings.at);
                let mut changes = history.iter().skip(1).filter(|settings| Some(settings.at) == last);
                self.default = changes.next().map_or(self.default, |s| s.default);
            }
            Misjudge::RaiseIgnored | Misjudge::LowerIgnored => {
                if let (Ttl::After(then), Ttl::After(now)) = (at_write, self.default) {
                    let raise = matches!(how, Misjudge::RaiseIgnored);
                    self.default = Ttl::After(if raise { then.min(now) } else { then.max(now) });
                }
            }
            Misjudge::SinceCreation => self.since = born,
            Misjudge::SinceSwitchedOn => {
                let mut pairs = history.windows(2).rev();
                let on = pairs.find_map(|pair| match pair {
                    [off, on] if off.default == Ttl::Unset && on.default != Ttl::Unset => Some(on.at),
                    _ => None,
                });
                self.since = self.since.max(on.unwrap_or(self.since));
            }
            Misjudge::SinceChange => {
                self.since = self.since.max(history.last().map_or(self.since, |settings| settings.at));
            }
            Misjudge::CoarseClock(seconds) => self.now -= self.now % seconds,
            Misjudge::OwnOfBefore => {
                self.own = log.earlier(version).next().map_or(self.own, |held| held.own);
            }
            Misjudge::OnceExpired => self.once_expired(history),
            Misjudge::DefaultIgnored
            | Misjudge::MinusOneInherits
            | Misjudge::MinusOneIsOff
            | Misjudge::OffIsMinusOne => {}
            Misjudge::Deadline32
            | Misjudge::DeadlineFloat
            | Misjudge::Lifetime16
            | Misjudge::Milliseconds32
            | Misjudge::Capped(_)
            | Misjudge::Absolute(_) => self.width = Some(how),
        }
    }

    /// Goes back to the first settings since the container was last off under which the item expired.
    fn once_expired(&mut self, history: &[SettingsEntry]) {
        if self.default == Ttl::Unset {
            return;
        }
        let last_off = history.iter().rposition(|settings| settings.default == Ttl::Unset);
        let from = last_off.map_or(0, |number| number + 1);
        let ends = history.iter().skip(from + 1).map(|settings| settings.at).chain([self.now]);
        for (settings, end) in history.iter().skip(from).zip(ends) {
            let expired =
                lifetime_of(settings.default, self.own).is_some_and(|life| self.since + life <= end);
            if expired {
                self.default = settings.default;
                return;
            }
        }
    }

    fn bound(&mut self, choose: fn(i128, i128) -> i128) {
        if let (Ttl::After(default), Ttl::After(own)) = (self.default, self.own) {
            self.own = Ttl::After(choose(default, own));
        }
    }
}

/// The lowest 32 bits as a signed number.
pub(super) fn wrapped(number: i128) -> i128 {
    (number + (1 << 31)).rem_euclid(1 << 32) - (1 << 31)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "the mistake itself")]
fn rounded(number: i128) -> i128 {
    (number as f32) as i128
}
