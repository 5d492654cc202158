//! On a simulated clock: whole runs in milliseconds, and the same every time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cosmos_ttl_harness::realtime::{Options, Progress, run_real_by};
use cosmos_ttl_harness::run::Run;
use cosmos_ttl_harness::target::{Fault, Operation, Request};
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_harness::verdict::{Outcome, Verdict};

use super::{count, named, others, vectors, verdict};
use cosmos_ttl_testing::core_suite;
use cosmos_ttl_testing::remote::{CALM, NetworkTrouble, Remote, TargetClock};
use cosmos_ttl_testing::simulation::time::SimulatedTime;
use cosmos_ttl_testing::store::StoreFlaw;

/// Vectors that read exactly at a deadline, and send no request that a naive store does not know.
const SIMPLE: [&str; 4] = [
    "clock/every-second-up-to-the-deadline",
    "clock/hidden-from-reads-at-once",
    "clock/hidden-from-queries-at-once",
    "clock/each-counts-from-its-own-write",
];

fn run_on(
    vectors: &[&'static Vector],
    options: &Options,
    seed: u64,
    change: impl FnOnce(&mut Remote),
) -> (Run<'static>, Remote, i64) {
    let time = Arc::new(SimulatedTime::default());
    let mut remote = Remote::new(time.clone(), seed);
    change(&mut remote);
    let run = run_real_by(time.as_ref(), &remote, vectors, options).unwrap();
    let opened = remote.opened.load(Ordering::Relaxed);
    assert_eq!(opened, remote.closed.load(Ordering::Relaxed), "every session is closed once");
    let now_us = TargetClock::now_us(time.as_ref());
    (run, remote, now_us)
}

fn run(vectors: &[&'static Vector], seed: u64, change: impl FnOnce(&mut Remote)) -> Run<'static> {
    run_on(vectors, &Options::default(), seed, change).0
}

#[test]
fn a_right_store_passes_whatever_its_clock_shows() {
    for seed in 0..2 {
        let run = run(&vectors(60), seed, |_| {});
        assert!(others(&run).is_empty(), "seed {seed}: {:#?}", others(&run));
    }
}

#[test]
fn a_run_lasts_about_as_long_as_its_longest_vector() {
    let (run, _, now_us) = run_on(&vectors(8), &Options::default(), 1, |_| {});
    assert!(others(&run).is_empty(), "{:#?}", others(&run));
    assert!(now_us <= 9_800_000, "{now_us}");
}

#[test]
fn each_vector_has_the_duration_of_its_own_replay() {
    let durations = || {
        let (run, _, now_us) = run_on(&vectors(8), &Options::default(), 1, |_| {});
        let durations: Vec<_> = run.results.iter().map(|result| result.duration_us).collect();
        for (result, duration_us) in run.results.iter().zip(&durations) {
            let name = &result.vector.name;
            assert_eq!(duration_us.is_some(), result.verdict.is_judged(), "{name}: {:?}", result.verdict);
            // The first request is sent later in its second than the last.
            let least_us = (result.vector.span_s * 1_000_000).saturating_sub(500_000);
            let most_us = u64::try_from(now_us).unwrap();
            assert!(
                duration_us.is_none_or(|us| (least_us..=most_us).contains(&us)),
                "{name}: {duration_us:?}"
            );
        }
        durations
    };
    let first = durations();
    assert!(first.iter().any(Option::is_some));
    assert_eq!(durations(), first, "the same seed takes as long");
}

#[test]
fn no_latency_makes_a_right_store_fail() {
    for seed in 0..4 {
        let run = run(&vectors(5), seed, |remote| {
            remote.trouble =
                NetworkTrouble { latency_us: 2000, spike_us: 2_500_000, spikes: 1 + 7 * seed, ..CALM };
        });
        let wrong = count(&run, Outcome::Fail) + count(&run, Outcome::Broken);
        assert_eq!(wrong, 0, "seed {seed}: {:#?}", others(&run));
        assert!(0 < count(&run, Outcome::Pass), "seed {seed}");
    }
}

#[test]
fn no_latency_makes_a_wrong_store_pass() {
    for flaw in [StoreFlaw::NeverExpires, StoreFlaw::Late, StoreFlaw::Early, StoreFlaw::OldTs] {
        let simple = named(&SIMPLE);
        let exact = run(&simple, 1, |remote| remote.flaw = Some(flaw));
        assert_eq!(count(&exact, Outcome::Inconclusive), 0, "{flaw:?}");
        for seed in 0..20 {
            let troubled = run(&simple, seed, |remote| {
                remote.flaw = Some(flaw);
                remote.trouble =
                    NetworkTrouble { latency_us: 5000, spike_us: 2_500_000, spikes: 100, ..CALM };
            });
            for (troubled, exact) in troubled.results.iter().zip(&exact.results) {
                let kind = troubled.verdict.outcome();
                assert!(
                    matches!(kind, Outcome::Inconclusive | Outcome::NotApplicable)
                        || kind == exact.verdict.outcome(),
                    "{flaw:?}, seed {seed}, {}: {:?} and not {:?}",
                    exact.vector.name,
                    troubled.verdict,
                    exact.verdict
                );
            }
        }
    }
}

#[test]
fn a_wrong_store_fails_where_it_is_wrong() {
    let fails = |flaw| {
        let run = run(&named(&SIMPLE), 3, |remote| remote.flaw = Some(flaw));
        assert_eq!(count(&run, Outcome::Fail) + count(&run, Outcome::Pass), SIMPLE.len());
        count(&run, Outcome::Fail)
    };
    assert_eq!(fails(StoreFlaw::None), 0);
    assert_eq!(fails(StoreFlaw::NeverExpires), 4);
    assert_eq!(fails(StoreFlaw::Late), 4);
    assert_eq!(fails(StoreFlaw::SubSecond), 4);
    assert_eq!(fails(StoreFlaw::Early), 2);
}

#[test]
fn a_store_that_shows_an_old_ts_is_judged_by_the_time_of_its_writes() {
    let text = "\
format: 1
section: writes
vectors:
- id: changed-ttl-by-upsert
  title: A ttl that an upsert changes counts from the upsert
  clauses: [changed-ttl-counts-from-that-write]
  steps:
  - create-container: {defaultTtl: -1, expect: created}
  - create: {id: a, ttl: 2,            expect: created}
  - create: {id: b, ttl: 8,            expect: created}
  - create: {id: witness,              expect: created}
  - at: 1
  - upsert: {id: a, ttl: 4,            expect: ok}
  - upsert: {id: b, ttl: 2,            expect: ok}
  - at: 2
  - query: {                           expect: [a, b, witness]}
  - at: 4
  - query: {                           expect: [a, witness]}
  - at: 5
  - query: {                           expect: [witness]}
";
    let changed = core_suite().read_file("writes.yaml", text.into()).unwrap();
    let mut renewed = named(&["writes/removed-ttl-by-upsert"]);
    renewed.extend(Vec::leak(changed).iter());
    let run = run(&renewed, 1, |remote| remote.flaw = Some(StoreFlaw::OldTs));
    assert!(others(&run).is_empty(), "{:#?}", others(&run));
}

#[test]
fn a_clock_that_jumps_is_never_a_failure() {
    for (at_us, by_us) in
        [(1_700_000, 700_000), (2_100_000, 3_000_000), (2_950_000, -700_000), (3_400_000, -5_000_000)]
    {
        let run = run(&vectors(5), 1, |remote| remote.jump_us = Some((at_us, by_us)));
        assert_eq!(count(&run, Outcome::Fail), 0, "{by_us} at {at_us}: {:#?}", others(&run));
        let passes = count(&run, Outcome::Pass);
        assert_eq!(passes, vectors(5).len(), "{by_us} at {at_us}: {:#?}", others(&run));
    }
}

#[test]
fn a_ts_that_does_not_count_seconds_is_said_to_be_none() {
    for flaw in [StoreFlaw::Milliseconds, StoreFlaw::Frozen] {
        let run = run(&named(&SIMPLE), 1, |remote| remote.flaw = Some(flaw));
        let Verdict::Broken(why) = verdict(&run, SIMPLE[0]) else { panic!("{:?}", others(&run)) };
        assert!(why.starts_with("its `_ts` does not count seconds: it was 1"), "{why}");
        assert_eq!(count(&run, Outcome::Broken), SIMPLE.len());
    }
}

#[test]
fn without_ts_only_what_looks_from_afar_is_judged() {
    let run = run(&vectors(60), 1, |remote| remote.hides_ts = |_| true);
    let Verdict::Unsupported(why) = verdict(&run, SIMPLE[0]) else { panic!("{:?}", others(&run)) };
    assert!(why.contains("since it shows no `_ts`"), "{why}");
    assert_eq!(count(&run, Outcome::Fail), 0, "{:#?}", others(&run));
    assert!(5 < count(&run, Outcome::Pass), "{:#?}", others(&run));
}

#[test]
fn a_right_store_whose_writes_show_no_ts_is_judged_by_its_reads() {
    let run = run(&vectors(60), 1, |remote| {
        remote.hides_ts = |request| !matches!(request, Request::Item(Operation::Read(_)));
    });
    let (passed, failed) = (count(&run, Outcome::Pass), count(&run, Outcome::Fail));
    assert!(300 < passed && failed == 0, "{passed} {failed}: {:#?}", others(&run));
}

#[test]
fn a_slow_way_leaves_what_looks_from_afar() {
    let run = run(&vectors(60), 1, |remote| remote.trouble.latency_us = 300_000);
    let Verdict::Inconclusive(why) = verdict(&run, SIMPLE[0]) else { panic!("{:?}", others(&run)) };
    assert!(why.ends_with("since it answers slowly"), "{why}");
    assert_eq!(count(&run, Outcome::Fail), 0, "{:#?}", others(&run));
    assert!(0 < count(&run, Outcome::Pass));
}

#[test]
fn what_stays_unknown_is_inconclusive_and_says_how_often_it_was_tried() {
    let undecided = (0..10).flat_map(|seed| {
        let run = run(&named(&SIMPLE), seed, |remote| remote.trouble.lost = 300);
        assert_eq!(count(&run, Outcome::Fail), 0, "{seed}: {:#?}", others(&run));
        others(&run)
    });
    let undecided: Vec<_> = undecided.collect();
    let tried = |why: &String| {
        let (_, tried) = why.split_once("the reply was lost (tried ")?;
        tried.strip_suffix(" times)")?.parse().ok()
    };
    // Until the budget ends.
    assert_eq!(
        undecided.iter().filter_map(tried).max().map(|times: usize| 10 < times),
        Some(true),
        "{undecided:#?}"
    );
}

#[test]
fn what_has_no_verdict_is_tried_again_until_the_budget_ends() {
    for seed in 0..4 {
        let run = run(&vectors(5), seed, |remote| remote.trouble.lost = 60);
        assert!(others(&run).is_empty(), "{seed}: {:#?}", others(&run));
    }
}

#[test]
fn what_breaks_is_said_of_the_vectors_that_it_touches_alone() {
    let run = run(&vectors(5), 9, |remote| {
        remote.trouble = NetworkTrouble { breaks: 5, panics: 5, open_breaks: 5, close_breaks: 10, ..CALM };
    });
    assert_eq!(count(&run, Outcome::Fail), 0, "{:#?}", others(&run));
    assert!(count(&run, Outcome::Broken) < vectors(5).len() / 4, "{:#?}", others(&run));
    let broken = count(&run, Outcome::Broken);
    assert_eq!(broken + count(&run, Outcome::Pass), vectors(5).len(), "{:#?}", others(&run));
}

#[test]
fn a_target_that_is_gone_is_not_asked_two_hundred_times() {
    let (run, _, now_us) = run_on(&vectors(5), &Options::default(), 9, |remote| {
        remote.trouble = NetworkTrouble { open_breaks: 1000, latency_us: 1_000_000, ..CALM };
    });
    let broken = count(&run, Outcome::Broken);
    assert!(0 < broken);
    assert_eq!(broken + count(&run, Outcome::NotRun), vectors(5).len(), "{:#?}", others(&run));
    assert!(now_us < 30_000_000, "{now_us}");
}

#[test]
fn after_sixteen_in_a_row_that_break_the_rest_is_not_run() {
    // The first session is the one in which the clock is read.
    let run = run(&vectors(5), 9, |remote| remote.opens = 1);
    assert_eq!(count(&run, Outcome::Broken), 16, "{:#?}", others(&run));
    assert_eq!(count(&run, Outcome::NotRun), vectors(5).len() - 16);
    let rest = run.results.iter().find(|result| result.verdict.outcome() == Outcome::NotRun).unwrap();
    let why = rest.verdict.reason().unwrap();
    assert_eq!(why, "the target is gone: before second 0: connection refused");
}

#[test]
fn a_pass_does_not_survive_what_is_left_behind() {
    let run = run(&named(&SIMPLE), 1, |remote| remote.trouble.close_breaks = 1000);
    let Verdict::Broken(why) = verdict(&run, SIMPLE[0]) else { panic!("{:?}", others(&run)) };
    assert_eq!(why, "when the vector was over: target broke: the container is still there (tried 4 times)");
    assert_eq!(count(&run, Outcome::Broken), SIMPLE.len());
}

#[test]
fn what_lasts_longer_than_the_budget_does_not_apply() {
    let options = Options { budget_s: 3, ..Options::default() };
    let (run, remote, _) = run_on(&vectors(u64::MAX), &options, 1, |_| {});
    let long = vectors(u64::MAX).len() - vectors(3).len();
    assert_eq!(count(&run, Outcome::NotApplicable), long);
    assert_eq!(count(&run, Outcome::Pass), vectors(3).len(), "{:#?}", others(&run));
    assert_eq!(remote.opened.load(Ordering::Relaxed), vectors(3).len() + 1);
    let Verdict::NotApplicable(why) = verdict(&run, "clock/sample-ninety-days") else { panic!() };
    assert_eq!(why, "lasts longer than the budget of 3 s (--budget)");
}

#[test]
fn a_run_that_is_interrupted_says_so_of_the_rest() {
    let stop = Arc::new(AtomicBool::new(false));
    let progress = {
        let stop = stop.clone();
        move |progress: Progress| stop.store(3 <= progress.elapsed_s, Ordering::Relaxed)
    };
    let options = Options { budget_s: 60, stop, progress: Arc::new(progress) };
    let (run, _, now_us) = run_on(&vectors(60), &options, 1, |_| {});
    assert!(0 < count(&run, Outcome::Pass) && 0 < count(&run, Outcome::NotRun));
    assert_eq!(count(&run, Outcome::Pass) + count(&run, Outcome::NotRun), vectors(60).len());
    assert!(now_us < 6_000_000, "{now_us}");
    let rest = run.results.iter().find(|result| result.verdict != Verdict::Pass).unwrap();
    assert_eq!(rest.verdict, Verdict::NotRun("interrupted".into()));
}

#[test]
fn progress_is_reported_every_second_and_counts_up() {
    let reports = Arc::new(std::sync::Mutex::new(Vec::new()));
    let progress = {
        let reports = reports.clone();
        move |progress: Progress| reports.lock().unwrap().push(progress)
    };
    let options = Options { progress: Arc::new(progress), ..Options::default() };
    run_on(&vectors(5), &options, 1, |_| {});
    let reports = reports.lock().unwrap();
    assert!(5 <= reports.len() && reports.len() <= 9, "{reports:?}");
    assert!(reports.windows(2).all(|two| two[0].elapsed_s <= two[1].elapsed_s && two[0].done <= two[1].done));
    assert!(reports.iter().all(|report| report.of == vectors(5).len()));
}

#[test]
fn a_slow_target_is_asked_no_more_than_it_can_answer() {
    let (run, _, now_us) = run_on(&vectors(11), &Options::default(), 1, |remote| {
        remote.trouble.latency_us = 2000;
    });
    assert!(others(&run).is_empty(), "{:#?}", others(&run));
    assert!(now_us <= 40_000_000, "{now_us}");
}

#[test]
fn a_clock_that_the_harness_moves_is_wrong_use() {
    let reference = cosmos_ttl_explore::reference::Reference::default();
    let run = run_real_by(&SimulatedTime::default(), &reference, &vectors(1), &Options::default());
    assert!(matches!(run, Err(Fault::Misuse(_))), "{run:?}");
}

#[test]
fn a_run_says_how_often_it_tried_again_because_of_the_target_or_the_way_to_it() {
    let calm = run(&vectors(5), 1, |_| {});
    assert_eq!(calm.remarks, Vec::<String>::new());
    let troubled = run(&vectors(5), 1, |remote| {
        remote.trouble = NetworkTrouble { lost: 20, breaks: 20, ..CALM };
    });
    let remarks = troubled.remarks.join("\n");
    assert!(remarks.contains("a reply was lost, late or not in its second"), "{remarks}");
    assert!(remarks.contains("broke for a moment"), "{remarks}");
}
