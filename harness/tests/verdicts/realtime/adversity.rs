//! Clocks that are set, slow containers, errors and long ways: whole runs over a simulated network, the same every time.
//! `cargo lab soundness` makes thousands of them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use cosmos_ttl_harness::realtime::{Options, Time as _, run_real_by};
use cosmos_ttl_harness::run::Run;
use cosmos_ttl_harness::target::{About, Body, Fault, Operation, Request, Response, Session, Status, Target};
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_harness::verdict::{Outcome, Verdict};
use cosmos_ttl_mutants::{Background, FaultyStore, named as mutant};
use cosmos_ttl_testing::hooked::hooked_box;
use cosmos_ttl_testing::simulation::Rng;
use cosmos_ttl_testing::simulation::network::{CALM, Delay, Network, ServerClocks};
use cosmos_ttl_testing::simulation::server::Server;
use cosmos_ttl_testing::simulation::time::SimulatedTime;

use super::{count, named, others, vectors};

const SECOND_US: i64 = 1_000_000;
/// They look nowhere near a deadline, so that a clock that is known to seconds judges them.
const STAY_WHILE_OFF: [&str; 3] =
    ["domain/item-no-setting-while-off", "domain/item-null-while-off", "domain/item-zero-while-off"];

type Answer<'a> = dyn Fn(&SimulatedTime, &mut dyn Session, &Request) -> Result<Response, Fault> + Sync + 'a;
type Requests = fn(&Request) -> bool;

/// The adversity of a run.
struct Adversity<'a> {
    store: FaultyStore,
    network: Network,
    /// When the target's clock is set, and by how much.
    step_us: Option<(i64, i64)>,
    /// How far the clocks of the servers are ahead of the first.
    servers_us: Vec<i64>,
    /// Whether a session keeps to one server.
    sticky: bool,
    /// Answers a request in place of the server.
    answer: &'a Answer<'a>,
    /// How long each answer takes at this moment, apart from the way.
    slower_us: fn(i64) -> i64,
    budget_s: u64,
}

fn calm() -> Adversity<'static> {
    Adversity {
        store: FaultyStore::default(),
        network: CALM,
        step_us: None,
        servers_us: vec![0],
        sticky: false,
        answer: &|_, session, request| session.send(request),
        slower_us: |_| 0,
        budget_s: Options::default().budget_s,
    }
}

/// The store of a mutant, which removes expired items by itself.
fn faulty(name: &str) -> FaultyStore {
    mutant(name).unwrap().removing(Background::Every(2))
}

struct Answering<'a> {
    server: Server<'a>,
    time: &'a SimulatedTime,
    adversity: &'a Adversity<'a>,
    /// The run waits for no answer any more.
    is_over: AtomicBool,
}

impl Answering<'_> {
    /// Sleeps, unless the run is over.
    fn sleep_us(&self, us: i64) -> Result<(), Fault> {
        let until_us = self.time.now_us() + us;
        while self.time.now_us() < until_us {
            if self.is_over.load(Ordering::Relaxed) {
                return Err(Fault::Unknown("the run is over".into()));
            }
            self.time.sleep_us(100_000.min(until_us - self.time.now_us()));
        }
        Ok(())
    }
}

impl Target for Answering<'_> {
    fn about(&self) -> About {
        self.server.about()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        let session = self.server.open()?;
        Ok(hooked_box(session, |session, request| {
            self.sleep_us((self.adversity.slower_us)(self.time.now_us()))?;
            (self.adversity.answer)(self.time, session, request)
        }))
    }

    fn interrupt(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// The run, and how long it took.
fn run(vectors: &[&'static Vector], seed: u64, adversity: &Adversity<'_>) -> (Run<'static>, i64) {
    let time = SimulatedTime::default();
    let mut rng = Rng::new(seed);
    let mut clocks = ServerClocks::even(&mut rng);
    clocks.steps.extend(adversity.step_us);
    clocks.servers_us.clone_from(&adversity.servers_us);
    clocks.sticky = adversity.sticky;
    let server = Server::new(&time, adversity.store, adversity.network, clocks, rng);
    let target = Answering { server, time: &time, adversity, is_over: AtomicBool::new(false) };
    let options = Options { budget_s: adversity.budget_s, ..Options::default() };
    let run = run_real_by(&time, &target, vectors, &options).unwrap();
    (run, time.now_us())
}

#[track_caller]
fn check_all_pass(run: &Run<'_>, what: &str) {
    assert!(
        others(run).is_empty(),
        "{what}: {} others: {:#?}",
        others(run).len(),
        &others(run)[..others(run).len().min(9)]
    );
}

/// Whether a request is the write of an item.
fn is_write(request: &Request) -> bool {
    request.operations().iter().any(Operation::is_write)
}

#[test]
fn one_slow_look_at_the_clock_leaves_no_vector_unjudged() {
    for slow_s in [1, 6] {
        let check = |store, fails: bool| {
            let first = AtomicBool::new(true);
            let answer = |time: &SimulatedTime, session: &mut dyn Session, request: &Request| {
                if is_write(request) && first.swap(false, Ordering::Relaxed) {
                    time.sleep_us(slow_s * SECOND_US);
                }
                session.send(request)
            };
            let (run, _) = run(&vectors(60), 4, &Adversity { store, answer: &answer, ..calm() });
            let judged = count(&run, Outcome::Pass) + count(&run, Outcome::Fail);
            assert_eq!(judged, run.results.len(), "{slow_s} s: {:#?}", others(&run));
            assert_eq!(0 < count(&run, Outcome::Fail), fails, "{slow_s} s");
        };
        check(FaultyStore::default(), false);
        check(faulty("nothing-expires"), true);
    }
}

#[test]
fn slow_containers_leave_no_vector_unjudged() {
    let network = Network { container_us: 2_600_000, ..CALM };
    let (right, _) = run(&vectors(60), 4, &Adversity { network, budget_s: 180, ..calm() });
    check_all_pass(&right, "right");
    let store = faulty("nothing-expires");
    let (never, _) = run(&vectors(60), 4, &Adversity { store, network, budget_s: 180, ..calm() });
    let (calmly, _) = run(&vectors(60), 4, &Adversity { store, ..calm() });
    assert!(20 < count(&calmly, Outcome::Fail));
    for (slow, calm) in never.results.iter().zip(&calmly.results) {
        assert_eq!(slow.verdict.outcome(), calm.verdict.outcome(), "{}", slow.vector.name);
    }
}

#[test]
fn a_run_ends_with_its_budget_where_containers_are_made_slowly() {
    for (container_us, budget_s, fits) in
        [(2_000_000, 106, true), (3_000_000, 30, false), (5_000_000, 16, false)]
    {
        let network = Network { container_us, ..CALM };
        let (run, took_us) = run(&vectors(11), 1, &Adversity { network, budget_s, ..calm() });
        // Up to three seconds at the start are the search for the clock; a container that is being made is made.
        let most_us =
            i64::try_from(budget_s).unwrap() * SECOND_US + 3 * SECOND_US + container_us + SECOND_US / 2;
        assert!(took_us <= most_us, "{took_us}");
        assert_eq!(fits, others(&run).is_empty(), "{container_us}: {:#?}", others(&run));
        let (passed, late) = (count(&run, Outcome::Pass), count(&run, Outcome::Inconclusive));
        assert_eq!(passed + late, run.results.len(), "{:#?}", others(&run));
        for result in run.results.iter().filter(|result| result.verdict != Verdict::Pass) {
            let why = result.verdict.reason().unwrap();
            assert!(
                why.starts_with(&format!(
                    "no time was left for it within the budget of {budget_s} s (--budget)"
                )),
                "{why}"
            );
        }
    }
}

#[test]
fn a_scan_of_the_clock_that_would_outlast_the_budget_does_not_begin() {
    let ways = Delay::UniformUs(500_000, 1_500_000);
    let slow_ways = Network { to: ways, back: ways, ..CALM };
    let slow_containers = Network { container_us: 3_000_000, ..CALM };
    // Each may still be in the middle of one request, and of the looks at the clock that confirm the last verdict.
    for (network, store, vectors, budget_s, spare_us) in [
        (slow_ways, "invalid-while-off-is-an-error", named(&STAY_WHILE_OFF), 60, 10 * SECOND_US),
        (slow_containers, "nothing-expires", vectors(2), 12, 6 * SECOND_US),
    ] {
        let most_us = i64::try_from(budget_s).unwrap() * SECOND_US + spare_us;
        let store = faulty(store);
        let (_, took_us) = run(&vectors, 1, &Adversity { store, network, budget_s, ..calm() });
        assert!(took_us <= most_us, "{took_us} of {most_us} us");
    }
}

#[test]
fn a_store_that_fails_most_vectors_is_judged_in_half_as_long_again_as_a_right_one() {
    let (right, right_us) = run(&vectors(60), 1, &calm());
    check_all_pass(&right, "right");
    let check = |name: &str, wrong: &Run<'_>, took_us: i64, least: usize| {
        let fails = count(wrong, Outcome::Fail);
        assert!(least <= fails, "{name}: {fails} fail: {:#?}", others(wrong));
        assert_eq!(fails + count(wrong, Outcome::Pass), wrong.results.len(), "{name}: {:#?}", others(wrong));
        let percent = took_us * 100 / right_us;
        // What fails late waits for no second session of its own: its cause is confirmed by then.
        assert!(percent <= 150, "{name}: {percent} % of {right_us} us");
    };
    for (name, least) in [("nothing-expires", 50), ("one-second-late", 50), ("one-second-early", 30)] {
        let (wrong, took_us) = run(&vectors(60), 1, &Adversity { store: faulty(name), ..calm() });
        check(name, &wrong, took_us, least);
    }
    // Nothing is as expected, from the last step of each vector to its first.
    let of_vectors = |request: &Request| !matches!(request, Request::Item(Operation::Create(document)) if document.id.starts_with("clock-"));
    let refuses: [(&str, Requests); 2] =
        [("writes", is_write), ("reads", |request| !is_write(request) && request.container().is_none())];
    for (name, refused) in refuses {
        let answer = |_: &SimulatedTime, session: &mut dyn Session, request: &Request| {
            if refused(request) && of_vectors(request) {
                Ok(Response::new(Status::Other(299)))
            } else {
                session.send(request)
            }
        };
        let (wrong, took_us) = run(&vectors(60), 1, &Adversity { answer: &answer, ..calm() });
        check(name, &wrong, took_us, 100);
    }
}

/// A run in which the first read after each of these moments that finds an item is answered `not-found`.
fn with_false_answers(moments_us: &[i64]) -> Run<'static> {
    let wrong = AtomicUsize::new(0);
    let answer = |time: &SimulatedTime, session: &mut dyn Session, request: &Request| {
        let response = session.send(request)?;
        let is_next = moments_us.get(wrong.load(Ordering::Relaxed)).is_some_and(|us| *us <= time.now_us());
        let is_found = response.status == Status::Found;
        if is_next && is_found {
            wrong.fetch_add(1, Ordering::Relaxed);
            return Ok(Response::new(Status::NotFound));
        }
        Ok(response)
    };
    run(&vectors(60), 1, &Adversity { answer: &answer, ..calm() }).0
}

#[test]
fn three_vectors_that_fail_once_for_the_same_cause_confirm_it() {
    let thrice = with_false_answers(&[2 * SECOND_US, 5 * SECOND_US, 8 * SECOND_US]);
    assert_eq!(count(&thrice, Outcome::Fail), 3, "{:#?}", others(&thrice));
    assert_eq!(count(&thrice, Outcome::Pass) + 3, thrice.results.len(), "{:#?}", others(&thrice));
    let said = thrice.remarks.join("\n");
    assert!(said.contains("three vectors failed once each for the same cause"), "{said}");
    // What falls into one moment may have been made by one step of the clock.
    for moments_us in [&[3 * SECOND_US; 3][..], &[2 * SECOND_US, 5 * SECOND_US]] {
        let run = with_false_answers(moments_us);
        assert_eq!(count(&run, Outcome::Fail), 0, "{:#?}", others(&run));
        assert_eq!(count(&run, Outcome::Inconclusive), moments_us.len(), "{:#?}", others(&run));
        let said = run.remarks.join("\n");
        assert!(said.contains("times that a vector failed, and not when it was tried again"), "{said}");
    }
}

#[test]
fn a_run_ends_five_seconds_after_its_budget_however_slow_the_answers_become() {
    let later: [fn(i64) -> i64; 3] = [
        |now_us| now_us / 10,
        |now_us| now_us * now_us / (20 * SECOND_US),
        |now_us| if now_us < 4 * SECOND_US { 0 } else { 1000 * SECOND_US },
    ];
    for (number, slower_us) in later.into_iter().enumerate() {
        for budget_s in [20, 60] {
            let (run, took_us) = run(&vectors(60), 1, &Adversity { slower_us, budget_s, ..calm() });
            let most_us = (i64::try_from(budget_s).unwrap() + 5) * SECOND_US;
            assert!(took_us <= most_us, "{number}: {took_us} of {most_us} us");
            assert_eq!(count(&run, Outcome::Fail), 0, "{number}: {:#?}", others(&run));
            assert!(0 < count(&run, Outcome::Pass), "{number}: {:#?}", others(&run));
        }
    }
}

/// All requests wait for the only core of the server.
#[test]
fn a_server_that_answers_three_hundred_requests_a_second_leaves_no_vector_undecided() {
    let free_us = Mutex::new(0);
    let answer = |time: &SimulatedTime, session: &mut dyn Session, request: &Request| {
        let now_us = time.now_us();
        let done_us = {
            let mut free_us = free_us.lock().unwrap();
            *free_us = now_us.max(*free_us) + SECOND_US / 300;
            *free_us
        };
        time.sleep_us(done_us - now_us);
        session.send(request)
    };
    let (run, _) = run(&vectors(60), 1, &Adversity { answer: &answer, ..calm() });
    check_all_pass(&run, "three hundred a second");
}

#[test]
fn one_small_step_of_the_clock_fails_no_vector() {
    for (round_trip_us, by_us, at_us) in [(25_000, -120_000, 3_300_000), (100_000, -300_000, 5_300_000)] {
        let (network, step_us) = (Network::uniform(round_trip_us), Some((at_us, by_us)));
        let (run, _) = run(&vectors(60), 1, &Adversity { network, step_us, budget_s: 180, ..calm() });
        let what = format!("{by_us} at {at_us}, round trip {round_trip_us}");
        assert_eq!(count(&run, Outcome::Fail), 0, "{what}: {:#?}", others(&run));
        assert!(400 < count(&run, Outcome::Pass), "{what}: {:#?}", others(&run));
    }
}

#[test]
fn a_step_of_the_clock_in_the_first_search_breaks_nothing() {
    for (at_us, by_us) in [(100_000, -300_000), (500_000, 1_000_000), (900_000, -5_000_000)] {
        let (run, _) = run(&vectors(60), 1, &Adversity { step_us: Some((at_us, by_us)), ..calm() });
        check_all_pass(&run, &format!("{by_us} at {at_us}"));
    }
}

#[test]
fn a_failure_after_a_blurred_look_is_found_as_on_a_quiet_day() {
    let store = faulty("one-second-late");
    let (calmly, _) = run(&vectors(60), 1, &Adversity { store, ..calm() });
    let network = Network { stalls_before: 20, stall_us: 1_500_000, ..Network::uniform(10_000) };
    let (slowly, _) = run(&vectors(60), 0, &Adversity { store, network, ..calm() });
    let (mut fails, mut others) = (0, Vec::new());
    for (slow, calm) in slowly.results.iter().zip(&calmly.results) {
        let Verdict::Fail(failure) = &slow.verdict else { continue };
        let Verdict::Fail(meant) = &calm.verdict else { panic!("{}", slow.vector.name) };
        fails += 1;
        if (failure.step, &failure.signature) != (meant.step, &meant.signature) {
            others.push(&slow.vector.name);
        }
    }
    // An item that was written a second late, of which that is not certain, is looked at a second nearer to its deadline.
    assert!(20 < fails && 40 * others.len() < fails, "{fails}: {others:?}");
}

#[test]
fn long_ways_leave_less_than_one_vector_in_a_hundred_inconclusive() {
    let (mut all, mut inconclusive) = (0, Vec::new());
    for seed in 0..4 {
        let network = Network::exponential(100_000);
        // All requests of the suite take longer than the usual budget on such a way.
        let (run, _) = run(&vectors(60), seed, &Adversity { network, budget_s: 180, ..calm() });
        assert_eq!(
            count(&run, Outcome::Pass) + count(&run, Outcome::Inconclusive),
            run.results.len(),
            "{:#?}",
            others(&run)
        );
        all += run.results.len();
        let left = run.results.iter().filter(|result| result.verdict.outcome() == Outcome::Inconclusive);
        inconclusive.extend(left.map(|result| (seed, result.vector.name.clone())));
    }
    assert!(100 * inconclusive.len() < all, "{} of {all}: {inconclusive:?}", inconclusive.len());
}

#[test]
fn an_error_of_the_server_counts_only_if_it_stays() {
    let network = Network { errors: 10, ..Network::uniform(10_000) };
    let (mixed, _) = run(&vectors(60), 0, &Adversity { network, ..calm() });
    assert_eq!(count(&mixed, Outcome::Fail) + count(&mixed, Outcome::Broken), 0, "{:#?}", others(&mixed));
    // A store that answers 500 to what it does not expect does so every time.
    let answer = |_: &SimulatedTime, session: &mut dyn Session, request: &Request| match request {
        Request::Item(Operation::Patch(..)) => Ok(Response::new(Status::Other(500))),
        _ => session.send(request),
    };
    let (steady, _) = run(&vectors(60), 1, &Adversity { answer: &answer, ..calm() });
    assert!(10 < count(&steady, Outcome::Fail), "{:#?}", others(&steady));
    // One error alone is none where nothing can be tried again.
    let errors = AtomicUsize::new(0);
    let answer = |_: &SimulatedTime, session: &mut dyn Session, request: &Request| match request {
        Request::Query if errors.fetch_add(1, Ordering::Relaxed) == 0 => {
            Ok(Response::new(Status::Other(500)))
        }
        _ => session.send(request),
    };
    let (run, _) = run(
        &named(&["clock/hidden-from-queries-at-once"]),
        1,
        &Adversity { answer: &answer, budget_s: 2, ..calm() },
    );
    assert_eq!(count(&run, Outcome::Inconclusive), 1, "{:#?}", others(&run));
    assert_eq!(count(&run, Outcome::Fail), 0, "{:#?}", others(&run));
}

#[test]
fn servers_that_are_150_ms_apart_fail_no_vector_and_leave_few_inconclusive() {
    for sticky in [false, true] {
        let (network, servers_us) = (Network::uniform(10_000), vec![0, 150_000, 50_000]);
        let (run, _) = run(&vectors(60), 0, &Adversity { network, servers_us, sticky, ..calm() });
        assert_eq!(count(&run, Outcome::Fail), 0, "sticky: {sticky}: {:#?}", others(&run));
        assert!(100 * others(&run).len() < run.results.len(), "sticky: {sticky}: {:#?}", others(&run));
    }
}

#[test]
fn a_ts_of_no_year_fails_vectors() {
    let answer = |_: &SimulatedTime, session: &mut dyn Session, request: &Request| {
        let mut response = session.send(request)?;
        if let Body::Item(item) = &mut response.body {
            item.ts = item.ts.map(|ts| ts + 300_000_000_000);
        }
        Ok(response)
    };
    let (run, _) = run(&vectors(3), 1, &Adversity { answer: &answer, ..calm() });
    assert!(10 < count(&run, Outcome::Fail), "{:#?}", others(&run));
    assert_eq!(count(&run, Outcome::Broken), 0, "{:#?}", others(&run));
}

/// A run in which each reply to the creation of a witness is lost.
fn without_replies(store: FaultyStore, takes_effect: bool) -> Run<'static> {
    let answer = |_: &SimulatedTime, session: &mut dyn Session, request: &Request| match request {
        Request::Item(Operation::Create(document)) if document.id == "witness" => {
            if takes_effect {
                session.send(request)?;
            }
            Err(Fault::Unknown("the reply was lost".into()))
        }
        _ => session.send(request),
    };
    run(&vectors(5), 1, &Adversity { store, answer: &answer, ..calm() }).0
}

#[test]
fn a_vector_goes_on_where_a_look_shows_that_a_write_without_a_reply_took_effect() {
    let right = without_replies(FaultyStore::default(), true);
    assert!(180 < count(&right, Outcome::Pass), "{:#?}", others(&right));
    assert_eq!(count(&right, Outcome::Fail), 0, "{:#?}", others(&right));
    let unanswered = right.results.iter().flat_map(|result| &result.answers);
    let unanswered = unanswered.filter(|answer| answer.as_expected.is_none()).count();
    assert!(140 < unanswered, "{unanswered} steps without an answer");
    let wrong = without_replies(faulty("nothing-expires"), true);
    assert!(140 < count(&wrong, Outcome::Fail), "{:#?}", others(&wrong));
    // A write that never takes effect shows nothing, however often it is sent.
    let never = without_replies(FaultyStore::default(), false);
    assert!(140 < count(&never, Outcome::Inconclusive), "{:#?}", others(&never));
    assert_eq!(count(&never, Outcome::Fail), 0, "{:#?}", others(&never));
}

#[test]
fn of_the_replies_that_are_lost_less_than_six_in_ten_lead_to_a_replay() {
    let fast = Network::uniform(10_000);
    for network in [Network { lost_before: 20, ..fast }, Network { lost_after: 20, ..fast }] {
        let (run, _) = run(&vectors(60), 0, &Adversity { network, ..calm() });
        let requests: usize = run.results.iter().map(|result| result.vector.steps.len()).sum();
        let remark = run.remarks.iter().find(|remark| remark.contains("a reply was lost")).unwrap();
        let again: usize = remark.split(' ').find_map(|word| word.parse().ok()).unwrap();
        let lost = requests / 50;
        assert!(10 * again < 6 * lost, "{network:?}: {again} replays for about {lost} lost replies");
    }
}

#[test]
fn lost_replies_and_reset_connections_leave_less_than_one_vector_in_a_hundred_undecided() {
    let fast = Network::uniform(10_000);
    let troubles = [
        Network { lost_before: 20, ..fast },
        Network { lost_after: 20, ..fast },
        Network { broken_before: 10, ..fast },
        Network { broken_after: 10, ..fast },
    ];
    for network in troubles {
        let (run, _) = run(&vectors(60), 0, &Adversity { network, ..calm() });
        assert_eq!(count(&run, Outcome::Fail), 0, "{network:?}: {:#?}", others(&run));
        assert!(100 * others(&run).len() < run.results.len(), "{network:?}: {:#?}", others(&run));
    }
}
