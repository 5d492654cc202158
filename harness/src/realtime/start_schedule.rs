//! Which vector starts in which second: as early as possible, and so that no second holds more requests than the target
//! can answer in time.
//!
//! All vectors look at whole seconds, so all their requests fall into the same moments. What each will ask in which
//! second is known beforehand. So every vector books its seconds, and is moved back where one of them is full. Where answers
//! come late, a second holds no more than were answered in time.

use std::collections::BTreeMap;

use crate::vector::Vector;

/// The least number of requests that are planned for a second, however slow the target.
const LEAST: usize = 16;
/// The largest number, however fast the target.
const MOST: usize = 2000;
/// The share, in tenths, of the requests that the target would answer in a whole second.
const USED_TENTHS: usize = 4;
/// In so much time the answers are counted, if there are at least so many.
const COUNTED_US: i64 = 1_000_000;
const COUNTED: usize = 20;
/// No vector is moved back further than this, in seconds.
const FURTHEST_S: i64 = 10_000;

/// The bookings so far.
pub(super) struct StartSchedule {
    capacity: usize,
    is_measured: bool,
    /// Since when answers are counted, how many came, and how many of these late.
    counted: (i64, usize, usize),
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
    /// How many requests it counts for in each second, if it has its seconds to itself.
    alone: Option<usize>,
}

impl StartSchedule {
    pub(super) fn new() -> Self {
        Self { capacity: MOST, is_measured: false, counted: (0, 0, 0), booked: BTreeMap::new() }
    }

    /// Forgets what is booked: no second is any more when it was.
    pub(super) fn clear(&mut self) {
        self.booked.clear();
    }

    /// Counts answers; returns whether more or fewer requests fit into a second from now on.
    pub(super) fn heard(&mut self, (answers, late): (usize, usize), now_us: i64) -> bool {
        let (since_us, before, late_before) = self.counted;
        let (all, late) = (before.saturating_add(answers), late_before.saturating_add(late));
        self.counted = (since_us, all, late);
        if now_us.saturating_sub(since_us) < COUNTED_US || all < COUNTED {
            return false;
        }
        self.counted = (now_us, 0, 0);
        let before = self.capacity;
        if all < late.saturating_mul(10) {
            let in_time = all.saturating_sub(late).saturating_mul(4) / 5;
            self.capacity = self.capacity.min(in_time.max(self.capacity / 2).max(LEAST));
        } else if late.saturating_mul(50) <= all && self.capacity <= all {
            self.capacity = self.capacity.saturating_add(self.capacity / 8).min(MOST);
        }
        self.capacity != before
    }

    /// Records, once, how many requests the target handles at a time and after which time it answers each.
    pub(super) fn measured(&mut self, at_a_time: usize, round_trip_us: i64) {
        if !std::mem::replace(&mut self.is_measured, true) {
            let round_trip_us = usize::try_from(round_trip_us.max(1)).unwrap_or(usize::MAX);
            let a_second = at_a_time.saturating_mul(1_000_000).checked_div(round_trip_us).unwrap_or(MOST);
            self.capacity = (a_second.saturating_mul(USED_TENTHS) / 10).clamp(LEAST, MOST);
        }
    }

    /// Books a vector's seconds, the first not before this one; `is_alone` is whether no other vector may ask in them.
    pub(super) fn book(&mut self, vector: &Vector, earliest: i64, is_alone: bool) -> Booking {
        let counts = requests_by_second(vector);
        let latest = earliest.saturating_add(FURTHEST_S);
        let fits = |origin: &i64| self.fits(&counts, *origin, is_alone);
        let origin = (earliest..latest).find(fits).unwrap_or(latest);
        let alone = is_alone.then_some(MOST);
        let mut places = BTreeMap::new();
        for (at_s, count) in counts {
            let booked = self.booked.entry(origin.saturating_add_unsigned(at_s)).or_default();
            let place = booked.saturating_mul(1000).checked_div(self.capacity).unwrap_or(0);
            places.insert(at_s, i64::try_from(place).unwrap_or(1000).min(1000));
            *booked = booked.saturating_add(alone.unwrap_or(count));
        }
        Booking { origin, places, alone }
    }

    /// Takes back the seconds of a vector that has not begun.
    pub(super) fn release(&mut self, vector: &Vector, booking: &Booking) {
        for (at_s, count) in requests_by_second(vector) {
            if let Some(booked) = self.booked.get_mut(&booking.origin.saturating_add_unsigned(at_s)) {
                *booked = booked.saturating_sub(booking.alone.unwrap_or(count));
            }
        }
    }

    /// A second that is still empty takes any vector.
    fn fits(&self, counts: &BTreeMap<u64, usize>, origin: i64, is_alone: bool) -> bool {
        counts.iter().all(|(at_s, count)| {
            let booked = self.booked.get(&origin.saturating_add_unsigned(*at_s)).copied().unwrap_or(0);
            booked == 0 || (!is_alone && booked.saturating_add(*count) <= self.capacity)
        })
    }
}

fn requests_by_second(vector: &Vector) -> BTreeMap<u64, usize> {
    let mut counts = BTreeMap::<u64, usize>::new();
    for step in &vector.steps {
        let count = counts.entry(step.at_s).or_default();
        *count = count.saturating_add(1);
    }
    counts
}
