//! Which vector starts in which second: as early as possible, and so that no second holds more requests than the target
//! can answer in time.
//!
//! All vectors look at whole seconds, so all their requests fall into the same moments. What each will ask in which
//! second is known beforehand. So every vector books its seconds, and is moved back where one of them is full.

use std::collections::BTreeMap;

use crate::vector::Vector;

/// The least number of requests that are planned for a second, however slow the target.
const LEAST: usize = 16;
/// The largest number, however fast the target.
const MOST: usize = 2000;
/// The share, in tenths, of the requests that the target would answer in a whole second.
const USED_TENTHS: usize = 4;
/// No vector is moved back further than this, in seconds.
const FURTHEST_S: i64 = 10_000;

/// The bookings so far.
pub(super) struct StartSchedule {
    capacity: usize,
    is_measured: bool,
    /// How many requests are booked in which second of the target's clock.
    booked: BTreeMap<i64, usize>,
}

/// The seconds that a vector booked.
#[derive(Default)]
pub(super) struct Booking {
    /// Its second 0, by the target's clock.
    pub(super) origin: i64,
    /// For each second in which it asks, how much of what fits was booked before: its place in the queue, in
    /// thousandths.
    pub(super) places: BTreeMap<u64, i64>,
}

impl StartSchedule {
    pub(super) fn new() -> Self {
        Self { capacity: MOST, is_measured: false, booked: BTreeMap::new() }
    }

    /// Forgets what is booked: no second is any more when it was.
    pub(super) fn clear(&mut self) {
        self.booked.clear();
    }

    /// The target was late: it is asked less from now on.
    pub(super) fn ease(&mut self) {
        self.capacity = (self.capacity / 2).max(LEAST);
    }

    /// Records, once, how many requests the target handles at a time and after which time it answers each.
    pub(super) fn measured(&mut self, at_a_time: usize, round_trip_us: i64) {
        if !std::mem::replace(&mut self.is_measured, true) {
            let round_trip_us = usize::try_from(round_trip_us.max(1)).unwrap_or(usize::MAX);
            let a_second = at_a_time.saturating_mul(1_000_000).checked_div(round_trip_us).unwrap_or(MOST);
            self.capacity = (a_second.saturating_mul(USED_TENTHS) / 10).clamp(LEAST, MOST);
        }
    }

    /// Books a vector's seconds, the first not before this one.
    pub(super) fn book(&mut self, vector: &Vector, earliest: i64) -> Booking {
        let mut counts = BTreeMap::<u64, usize>::new();
        for step in &vector.steps {
            let count = counts.entry(step.at_s).or_default();
            *count = count.saturating_add(1);
        }
        let latest = earliest.saturating_add(FURTHEST_S);
        let origin = (earliest..latest).find(|origin| self.fits(&counts, *origin)).unwrap_or(latest);
        let mut places = BTreeMap::new();
        for (at_s, count) in counts {
            let booked = self.booked.entry(origin.saturating_add_unsigned(at_s)).or_default();
            let place = booked.saturating_mul(1000).checked_div(self.capacity).unwrap_or(0);
            places.insert(at_s, i64::try_from(place).unwrap_or(1000).min(1000));
            *booked = booked.saturating_add(count);
        }
        Booking { origin, places }
    }

    /// A second that is still empty takes any vector.
    fn fits(&self, counts: &BTreeMap<u64, usize>, origin: i64) -> bool {
        counts.iter().all(|(at_s, count)| {
            let booked = self.booked.get(&origin.saturating_add_unsigned(*at_s)).copied().unwrap_or(0);
            booked == 0 || booked.saturating_add(*count) <= self.capacity
        })
    }
}
