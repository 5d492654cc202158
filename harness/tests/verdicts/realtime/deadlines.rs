//! On which side of a deadline a request is known to have been, and whether it was close enough to it.

use std::sync::{Arc, Mutex};

use cosmos_ttl_harness::realtime::{Options, run_real_by};
use cosmos_ttl_harness::target::{About, Body, Fault, Operation, Request, Session, Target};
use cosmos_ttl_harness::verdict::Verdict;
use cosmos_ttl_testing::hooked::hooked_box;
use cosmos_ttl_testing::remote::{Remote, TargetClock};
use cosmos_ttl_testing::simulation::time::SimulatedTime;

use super::late::suite;

/// A right store that takes its time.
struct Slow {
    time: Arc<SimulatedTime>,
    remote: Remote,
    /// By how much the writes of these items, and the reads of `a`, are late.
    writes: &'static [(&'static str, i64)],
    reads_us: i64,
    /// No write shows its `_ts`.
    hides_ts: bool,
    /// In which second the first read was sent, counted from that of the first write.
    first_write_s: Mutex<Option<i64>>,
    first_read_s: Mutex<Option<i64>>,
}

impl Target for Slow {
    fn about(&self) -> About {
        self.remote.about()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        Ok(hooked_box(self.remote.open()?, |session, request| {
            let Request::Item(operation) = request else { return session.send(request) };
            if operation.id().starts_with("clock-") {
                return session.send(request);
            }
            let sent_s =
                (TargetClock::now_us(self.time.as_ref()) + self.remote.ahead_us).div_euclid(1_000_000);
            let first_write_s = *self.first_write_s.lock().unwrap().get_or_insert(sent_s);
            let is_read = matches!(operation, Operation::Read(_));
            if is_read && operation.id() == "a" {
                self.first_read_s.lock().unwrap().get_or_insert(sent_s - first_write_s);
            }
            let late =
                self.writes.iter().find(|(id, _)| *id == operation.id()).map_or(0, |(_, late_us)| *late_us);
            self.time.sleep_us(if !is_read {
                late
            } else if operation.id() == "a" {
                self.reads_us
            } else {
                0
            });
            let mut response = session.send(request)?;
            if let (true, Body::Item(item)) = (self.hides_ts && !is_read, &mut response.body) {
                item.ts = None;
            }
            Ok(response)
        }))
    }
}

/// Returns the answer to a read at this second, and when it was first sent, after items that live 5 s were written at
/// second 0.
fn looked(
    at_s: u64,
    writes: &'static [(&'static str, i64)],
    reads_us: i64,
    hides_ts: bool,
) -> (Verdict, i64) {
    let ids = writes.iter().map(|(id, _)| format!("  - create: {{id: {id}, ttl: 5, expect: created}}\n"));
    let ids = ids.collect::<Vec<_>>().concat();
    let found = if at_s < 5 { "found" } else { "not-found" };
    let steps = format!(
        "{ids}  - create: {{id: w, expect: created}}
  - at: {at_s}\n  - read: {{id: a, expect: {found}}}\n  - read: {{id: w, expect: found}}\n"
    );
    replayed(&steps, writes, reads_us, hides_ts)
}

fn replayed(
    steps: &str,
    writes: &'static [(&'static str, i64)],
    reads_us: i64,
    hides_ts: bool,
) -> (Verdict, i64) {
    let suite = suite(&format!("{{defaultTtl: -1, expect: created}}\n{steps}"));
    let time = Arc::new(SimulatedTime::default());
    let (first_write_s, first_read_s) = (Mutex::default(), Mutex::default());
    let remote = Remote::new(time.clone(), 1);
    let slow = Slow { time: time.clone(), remote, writes, reads_us, hides_ts, first_write_s, first_read_s };
    let run = run_real_by(time.as_ref(), &slow, &[&suite.vectors[0]], &Options::default()).unwrap();
    let first_read_s = *slow.first_read_s.lock().unwrap();
    (run.results[0].verdict.clone(), first_read_s.unwrap_or(-1))
}

const ON_TIME: &[(&str, i64)] = &[("a", 0)];
/// Sent in the middle of a second, done in the next.
const IN_EITHER: &[(&str, i64)] = &[("a", 700_000)];
const SECOND_US: i64 = 1_000_000;

#[track_caller]
fn inconclusive((verdict, _): (Verdict, i64), why: &str) {
    let Verdict::Inconclusive(reason) = verdict else { panic!("{verdict:?}") };
    assert!(reason.starts_with(why), "{reason}");
}

#[test]
fn a_request_that_may_be_on_either_side_of_a_deadline_is_not_certain() {
    assert_eq!(looked(4, ON_TIME, 0, false), (Verdict::Pass, 4));
    let either =
        "at second 4: the request may have fallen on the other side of the deadline of `a` at second 5";
    inconclusive(looked(4, ON_TIME, SECOND_US, false), either);
    inconclusive(looked(4, IN_EITHER, SECOND_US, true), either);
    // Of equal deadlines, the first is named.
    inconclusive(looked(4, &[("a", 0), ("b", 0)], SECOND_US, false), either);
}

#[test]
fn a_late_answer_after_the_deadline_is_certain_but_not_exact() {
    assert_eq!(looked(5, ON_TIME, 0, false), (Verdict::Pass, 5));
    let far = "at second 5: the request may have fallen into another second, too far from the deadline of `a` at second 5";
    inconclusive(looked(5, ON_TIME, SECOND_US, false), far);
    inconclusive(looked(5, ON_TIME, 2 * SECOND_US, false), far);
}

#[test]
fn far_from_every_deadline_a_second_more_or_less_is_exact_enough() {
    assert_eq!(looked(7, ON_TIME, 4 * SECOND_US, false), (Verdict::Pass, 7));
    assert_eq!(looked(2, ON_TIME, 2 * SECOND_US, false), (Verdict::Pass, 2));
}

#[test]
fn what_was_written_a_second_late_is_looked_at_a_second_late() {
    for (at_s, sent_s) in [(5, 6), (4, 5), (2, 3)] {
        assert_eq!(looked(at_s, &[("a", SECOND_US)], 0, false), (Verdict::Pass, sent_s));
    }
    // After the deadline of the later of two, which is too far from that of the other.
    let looked = looked(5, &[("a", 0), ("b", 2 * SECOND_US)], 0, false);
    assert_eq!(looked.1, 7);
    inconclusive(
        looked,
        "at second 5: the request may have fallen into another second, too far from the deadline of `a`",
    );
}

#[test]
fn where_no_second_is_exact_one_that_is_certain_will_do() {
    for (at_s, sent_s) in [(5, 6), (4, 4)] {
        let looked = looked(at_s, IN_EITHER, 0, true);
        assert_eq!(looked.1, sent_s);
        inconclusive(looked, &format!("at second {at_s}: the request may have fallen into another second"));
    }
}

#[test]
fn between_deadlines_that_crossed_there_is_no_second() {
    let steps = "  - create: {id: a, ttl: 5, expect: created}
  - at: 1
  - create: {id: b, ttl: 5, expect: created}
  - at: 5
  - read: {id: a, expect: not-found}
  - read: {id: b, expect: found}
";
    assert_eq!(replayed(steps, ON_TIME, 0, false).0, Verdict::Pass);
    let why = "at second 5: the target was late before, so that no moment would show what is meant";
    inconclusive(replayed(steps, &[("a", 3 * SECOND_US)], 0, false), why);
}
