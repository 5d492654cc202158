//! Who starts in which second: as early as possible, and so that no second holds more requests than the target can
//! answer in time.
//!
//! All vectors look at whole seconds, so all their requests fall into the same moments. What each will ask in which
//! second is known beforehand. So every vector books its seconds, and is moved back where one of them is full.

use std::collections::BTreeMap;

use crate::vector::Vector;

/// At least so many requests are held to fit into a second, however slow the target.
const LEAST: usize = 16;
/// At most so many, however fast.
const MOST: usize = 2000;
/// Of the requests that the target would answer in a whole second, so many parts in ten are used.
const USED_TENTHS: usize = 4;
/// No vector is moved back further than this, in seconds.
const FURTHEST_S: i64 = 10_000;

/// How many requests are booked in which second of the target's clock.
#[derive(Debug)]
pub(super) struct StartSchedule {
    capacity: usize,
    booked: BTreeMap<i64, usize>,
}

/// How many requests a vector makes in which of its seconds.
pub(super) type WaitingProfile = BTreeMap<u64, usize>;

/// The seconds that a vector booked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Booking {
    /// Its second 0, by the target's clock.
    pub(super) origin: i64,
    /// For each second in which it asks, how much of what fits was booked before: its place in the queue, in
    /// thousandths.
    pub(super) places: BTreeMap<u64, i64>,
}

/// What a vector asks in which second.
pub(super) fn profile(vector: &Vector) -> WaitingProfile {
    let mut profile = WaitingProfile::new();
    for step in &vector.steps {
        let count = profile.entry(step.at_s).or_default();
        *count = count.saturating_add(1);
    }
    profile
}

impl StartSchedule {
    pub(super) fn new() -> Self {
        Self { capacity: MOST, booked: BTreeMap::new() }
    }

    /// The target answered so many requests in this time, all that it could.
    pub(super) fn measured(&mut self, requests: usize, in_us: i64) {
        let in_us = usize::try_from(in_us).unwrap_or(1);
        let a_second = requests.saturating_mul(1_000_000).checked_div(in_us).unwrap_or(MOST);
        self.capacity = (a_second.saturating_mul(USED_TENTHS) / 10).clamp(LEAST, MOST);
    }

    /// The target was late: it is asked less from now on.
    pub(super) fn ease(&mut self) {
        self.capacity = (self.capacity / 2).max(LEAST);
    }

    /// Forgets what is booked.
    pub(super) fn clear(&mut self) {
        self.booked.clear();
    }

    /// Books a vector's seconds, the first not before this one.
    pub(super) fn book(&mut self, profile: &WaitingProfile, earliest: i64) -> Booking {
        let latest = earliest.saturating_add(FURTHEST_S);
        let origin = (earliest..latest).find(|origin| self.fits(profile, *origin)).unwrap_or(latest);
        let mut places = BTreeMap::new();
        for (at_s, count) in profile {
            let booked = self.booked.entry(origin.saturating_add_unsigned(*at_s)).or_default();
            let place = booked.saturating_mul(1000).checked_div(self.capacity).unwrap_or(0);
            places.insert(*at_s, i64::try_from(place).unwrap_or(1000).min(1000));
            *booked = booked.saturating_add(*count);
        }
        Booking { origin, places }
    }

    /// A second that is still empty takes any vector.
    fn fits(&self, profile: &WaitingProfile, origin: i64) -> bool {
        profile.iter().all(|(at_s, count)| {
            let booked = self.booked.get(&origin.saturating_add_unsigned(*at_s)).copied().unwrap_or(0);
            booked == 0 || booked.saturating_add(*count) <= self.capacity
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(capacity: usize) -> StartSchedule {
        StartSchedule { capacity, booked: BTreeMap::new() }
    }

    #[test]
    fn whoever_fits_starts_at_once() {
        let mut schedule = schedule(10);
        let profile = WaitingProfile::from([(0, 4), (3, 1)]);
        assert_eq!(schedule.book(&profile, 7).origin, 7);
        let second = schedule.book(&profile, 7);
        assert_eq!((second.origin, second.places), (7, BTreeMap::from([(0, 400), (3, 100)])));
    }

    #[test]
    fn no_second_is_overbooked() {
        let mut schedule = schedule(10);
        let profile = WaitingProfile::from([(0, 4), (1, 4)]);
        let origins: Vec<_> = (0..5).map(|_| schedule.book(&profile, 0).origin).collect();
        assert_eq!(origins, [0, 0, 2, 2, 4]);
        assert!(schedule.booked.values().all(|booked| *booked <= 10));
    }

    #[test]
    fn a_vector_that_asks_more_than_fits_gets_seconds_of_its_own() {
        let mut schedule = schedule(10);
        let greedy = WaitingProfile::from([(0, 25)]);
        assert_eq!(schedule.book(&greedy, 0).origin, 0);
        assert_eq!(schedule.book(&greedy, 0).origin, 1);
        assert_eq!(schedule.book(&WaitingProfile::from([(0, 1)]), 0).origin, 2);
    }

    #[test]
    fn the_capacity_is_a_part_of_what_was_measured() {
        let mut schedule = schedule(10);
        schedule.measured(50, 100_000);
        assert_eq!(schedule.capacity, 200);
        schedule.ease();
        assert_eq!(schedule.capacity, 100);
        schedule.measured(1, 1_000_000);
        assert_eq!(schedule.capacity, LEAST);
    }
}
