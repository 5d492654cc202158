//! Cases of a real clock only: requests that take until another second, writes of one second of a vector that show
//! different `_ts`, and steps that wait for a late write.

use std::sync::{Arc, Mutex};

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::realtime::{Options, run_real_by};
use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::target::{About, Body, Fault, Operation, Request, Response, Session, Target};
use cosmos_ttl_harness::vector::Suite;
use cosmos_ttl_harness::verdict::{Failure, Verdict};
use cosmos_ttl_testing::hooked::hooked_box;
use cosmos_ttl_testing::remote::{Remote, TargetClock};
use cosmos_ttl_testing::simulation::time::SimulatedTime;
use cosmos_ttl_testing::{GOOD, scratch};

/// A right store that takes its time over writes of some items, and shows other `_ts` of some.
struct Late {
    time: Arc<SimulatedTime>,
    remote: Remote,
    /// How long a write of `slow` or a batch takes before it is done, and after.
    takes_us: (i64, i64),
    /// The `_ts` of an answer about an item, in seconds from that of the first slow write.
    shows: &'static [(&'static str, i64)],
    /// The seconds in which reads were sent, counted so too.
    reads_s: Mutex<Vec<i64>>,
}

impl Late {
    fn second(&self) -> i64 {
        (TargetClock::now_us(self.time.as_ref()) + self.remote.ahead_us).div_euclid(1_000_000)
    }

    /// `begun_s` is the second in which the first slow write of the session was sent.
    fn answer(
        &self,
        session: &mut dyn Session,
        request: &Request,
        begun_s: &mut Option<i64>,
    ) -> Result<Response, Fault> {
        let (sent_s, operations) = (self.second(), request.operations());
        let id = operations.first().map_or("", |operation| operation.id());
        let writes = operations.iter().any(Operation::is_write);
        if operations.len() > 1 || (writes && id == "slow") {
            begun_s.get_or_insert(sent_s);
            self.time.sleep_us(self.takes_us.0);
        }
        let mut response = session.send(request)?;
        if operations.len() > 1 || (writes && id == "slow") {
            self.time.sleep_us(self.takes_us.1);
        }
        let Some(begun_s) = *begun_s else { return Ok(response) };
        if !writes && !operations.is_empty() {
            self.reads_s.lock().unwrap().push(sent_s - begun_s);
        }
        let shown = self.shows.iter().find(|(of, _)| *of == id).map(|(_, second)| begun_s + second);
        if let (Body::Item(item), Some(shown)) = (&mut response.body, shown) {
            item.ts = Some(shown);
        }
        Ok(response)
    }
}

impl Target for Late {
    fn about(&self) -> About {
        self.remote.about()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        let mut begun_s = None;
        let session = self.remote.open()?;
        Ok(hooked_box(session, move |session, request| self.answer(session, request, &mut begun_s)))
    }
}

pub(super) fn suite(steps: &str) -> Suite {
    let (head, _) = GOOD[1].1.split_once("  clauses:").unwrap();
    let text = format!("{head}  clauses: [own]\n  steps:\n  - create-container: {steps}");
    Suite::load(&scratch("late", &[("lifetime.yaml", text.as_bytes())]))
        .unwrap_or_else(|flaw| panic!("{flaw}"))
}

/// Returns the verdict of these steps, and when reads were sent.
fn replayed(steps: &str, takes_us: (i64, i64), shows: &'static [(&'static str, i64)]) -> (Verdict, Vec<i64>) {
    let time = Arc::new(SimulatedTime::default());
    let remote = Remote::new(time.clone(), 1);
    let late = Late { time: time.clone(), remote, takes_us, shows, reads_s: Mutex::default() };
    let suite = suite(steps);
    let run = run_real_by(time.as_ref(), &late, &[&suite.vectors[0]], &Options::default()).unwrap();
    let reads_s = late.reads_s.lock().unwrap().clone();
    (run.results[0].verdict.clone(), reads_s)
}

/// From the middle of a second into the next.
const STRADDLES_US: (i64, i64) = (0, 700_000);

#[track_caller]
fn check_off((verdict, _): &(Verdict, Vec<i64>), by: &str) {
    let Verdict::Fail(Failure { got, .. }) = verdict else { panic!("{verdict:?}") };
    assert!(got.ends_with(&format!("with `_ts` {by} s from that")), "{got:?}");
}

const BATCH: &str = "{expect: created}
  - batch: {operations: [{create: {id: a}}, {create: {id: b}}], expect: {committed: [created, created]}}
  - create: {id: w, expect: {created: {written-at: 0}}}
  - read: {id: a, expect: {found: {written-at: 0}}}
  - read: {id: b, expect: {found: {written-at: 0}}}
";

#[test]
fn a_ts_is_held_against_the_items_own_write_and_not_against_another_of_that_second() {
    assert_eq!(replayed(BATCH, STRADDLES_US, &[("a", 0), ("b", 0)]).0, Verdict::Pass);
    assert_eq!(replayed(BATCH, STRADDLES_US, &[("a", 1), ("b", 1)]).0, Verdict::Pass);
    let fails = replayed(BATCH, STRADDLES_US, &[("a", 2), ("b", 2)]).0;
    assert!(matches!(fails, Verdict::Fail(Failure { step: 3, .. })), "{fails:?}");
}

#[test]
fn whoever_reads_one_item_of_a_batch_knows_the_ts_of_all() {
    for shows in [&[("a", 0), ("b", 1)], &[("a", 1), ("b", 0)]] {
        let fails = replayed(BATCH, STRADDLES_US, shows).0;
        assert!(matches!(fails, Verdict::Fail(Failure { step: 4, .. })), "{fails:?}");
    }
}

#[test]
fn a_write_that_shows_its_own_ts_is_held_against_when_it_was_asked() {
    let write = "{expect: created}\n  - create: {id: slow, expect: {created: {written-at: 0}}}\n";
    assert_eq!(replayed(write, STRADDLES_US, &[("slow", 1)]).0, Verdict::Pass);
    check_off(&replayed(write, STRADDLES_US, &[("slow", 2)]), "+1");
    check_off(&replayed(write, STRADDLES_US, &[("slow", -2)]), "-2");
    // Another write of that second says nothing of this one: each shows when it was done.
    let twice = "{expect: created}\n  - create: {id: slow, expect: created}\n  \
                 - upsert: {id: slow, expect: {ok: {written-at: 0}}}\n";
    assert_eq!(replayed(twice, STRADDLES_US, &[]).0, Verdict::Pass);
}

#[test]
fn a_write_was_in_the_second_of_its_ts_unless_it_cannot_have_been() {
    let expires = "{defaultTtl: -1, expect: created}
  - create: {id: w, expect: created}
  - create: {id: slow, ttl: 5, expect: created}
  - at: 5
  - read: {id: slow, expect: not-found}
  - read: {id: w, expect: found}
";
    let shows: [&'static [_]; 4] = [&[("slow", 0)], &[("slow", 1)], &[("slow", 2)], &[("slow", -1)]];
    for (shows, certain_from) in shows.into_iter().zip([5, 6, 6, 6]) {
        let (verdict, reads_s) = replayed(expires, STRADDLES_US, shows);
        assert_eq!(reads_s[0], certain_from, "{shows:?}");
        // Of `w`, which was written within one second, this may be a second too late.
        assert!(matches!(verdict, Verdict::Pass | Verdict::Inconclusive(_)), "{shows:?}: {verdict:?}");
    }
}

#[test]
fn what_was_written_late_is_looked_at_as_much_later() {
    let expires = "{defaultTtl: 2, expect: created}
  - create: {id: slow, expect: created}
  - create: {id: w, ttl: -1, expect: created}
  - at: 2
  - read: {id: slow, expect: not-found}
  - read: {id: w, expect: found}
";
    assert_eq!(replayed(expires, (0, 0), &[]), (Verdict::Pass, vec![2, 2]));
    assert_eq!(replayed(expires, (3_000_000, 0), &[]), (Verdict::Pass, vec![5, 5]));
}

/// The model, of which one item shows another `_ts`.
struct Ahead(i64);

impl Target for Ahead {
    fn about(&self) -> About {
        Reference::default().about()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        static REFERENCE: std::sync::LazyLock<Reference> = std::sync::LazyLock::new(Reference::default);
        Ok(hooked_box(REFERENCE.open()?, |session, request| {
            let mut response = session.send(request)?;
            if let Body::Item(item) = &mut response.body {
                let off_s = if item.document.id == "b" { self.0 } else { 0 };
                item.ts = item.ts.map(|ts| ts + off_s);
            }
            Ok(response)
        }))
    }
}

#[test]
fn where_the_harness_moves_the_clock_its_first_second_is_that_of_the_first_write() {
    let suite = suite(
        "{expect: created}
  - create: {id: a, expect: created}
  - at: 2
  - create: {id: b, expect: created}
  - at: 3
  - read: {id: b, expect: {found: {written-at: 2}}}
",
    );
    let verdict =
        |off_s| run_virtual(&Ahead(off_s), &[&suite.vectors[0]]).unwrap().results[0].verdict.clone();
    assert_eq!(verdict(0), Verdict::Pass);
    check_off(&(verdict(3), Vec::new()), "+3");
    check_off(&(verdict(-1), Vec::new()), "-1");
}
