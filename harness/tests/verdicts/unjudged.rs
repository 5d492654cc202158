//! Of which clauses a run says nothing, and what follows from that.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::cargo_test::{Arguments, CargoTest};
use cosmos_ttl_harness::clauses::Level;
use cosmos_ttl_harness::realtime::{Monotonic, Options, run_real_by};
use cosmos_ttl_harness::run::{Conclusion, Run, Tally};
use cosmos_ttl_harness::target::{About, Fault, Request, Session, Target};
use cosmos_ttl_harness::unjudged::{UnjudgedClause, unjudged_clauses};
use cosmos_ttl_harness::vector::{Suite, Vector};
use cosmos_ttl_harness::verdict::{Outcome, Verdict};
use cosmos_ttl_testing::core_suite;
use cosmos_ttl_testing::hooked::hooked_box;
use cosmos_ttl_testing::passing::Real;
use cosmos_ttl_testing::remote::{Remote, TargetClock};
use cosmos_ttl_testing::simulation::time::SimulatedTime;
use cosmos_ttl_testing::store::StoreFlaw;
use cosmos_ttl_testing::wrong::Without;

static SMALL: LazyLock<Suite> = LazyLock::new(cosmos_ttl_testing::small_suite);
static SUITE: LazyLock<&Suite> = LazyLock::new(core_suite);

const JUDGED: &str = "lifetime/item-shorter-than-default";
const OTHER: &str = "settings/refused-batch";
const OTHER_CLAUSE: &str = "item-rejected-stores-nothing";

/// A run in which one vector passes, and another has this verdict.
fn beside(name: &str, verdict: Verdict) -> Run<'static> {
    let vectors = [JUDGED, name].map(|name| SMALL.get(name).unwrap());
    let mut run = Run::unasked(Reference::default().about(), &vectors, "why");
    run.results[0].verdict = Verdict::Pass;
    run.results[1].verdict = verdict;
    run
}

fn unjudged(run: &Run<'_>) -> Vec<UnjudgedClause> {
    unjudged_clauses(&run.results, &run.filtered)
}

#[test]
fn a_binding_clause_of_which_nothing_was_judged_is_named_whatever_the_reason() {
    let why = || "why".to_owned();
    for (verdict, outcome, conclusion) in [
        (Verdict::Unsupported(why()), Outcome::Unsupported, Conclusion::Undecided),
        (Verdict::NotApplicable(why()), Outcome::NotApplicable, Conclusion::Undecided),
        (Verdict::Inconclusive(why()), Outcome::Inconclusive, Conclusion::Undecided),
        (Verdict::NotRun(why()), Outcome::NotRun, Conclusion::Undecided),
        (Verdict::Broken(why()), Outcome::Broken, Conclusion::Broke),
    ] {
        let run = beside(OTHER, verdict);
        assert_eq!(Tally::of(&run).conclusion(false), conclusion, "{outcome}");
        let [one] = &unjudged(&run)[..] else { panic!("{outcome}: {:?}", unjudged(&run)) };
        assert_eq!((one.clause.as_str(), one.vectors, one.outcome), (OTHER_CLAUSE, 1, outcome));
        assert_eq!(one.reason, "why");
        assert!(!one.help.is_empty(), "{outcome}");
    }
}

#[test]
fn a_must_beside_a_should_binds_as_well() {
    let should = SMALL.get("lifetime/patched-item").unwrap();
    assert_eq!(should.level, Level::Should);
    let mut run = Run::unasked(Reference::default().about(), &[should, SMALL.get(OTHER).unwrap()], "why");
    run.results[0].verdict = Verdict::Unsupported("no patches".into());
    run.results[1].verdict = Verdict::Pass;
    assert_eq!(unjudged(&run)[0].clause, "item-seconds-override");
    assert_eq!(Tally::of(&run).conclusion(false), Conclusion::Undecided);
}

#[test]
fn a_must_that_a_filter_touches_is_named_if_nothing_of_it_was_judged() {
    let mut run = beside(OTHER, Verdict::Unsupported("no batches".into()));
    run.filtered.insert(OTHER_CLAUSE.into());
    let [one] = &unjudged(&run)[..] else { panic!("{:?}", unjudged(&run)) };
    assert_eq!((one.clause.as_str(), one.vectors, one.reason.as_str()), (OTHER_CLAUSE, 1, "no batches"));
    let help = "support the request, or run its other vectors, which the filters left out";
    assert_eq!(one.help, help);
    // The user asked for a part, so the rest decides.
    assert_eq!(Tally::of(&run).conclusion(false), Conclusion::Conformant);
    run.filtered.clear();
    assert_eq!(Tally::of(&run).conclusion(false), Conclusion::Undecided);
    run.results[1].verdict = Verdict::Pass;
    assert_eq!(unjudged(&run), []);
}

#[test]
fn a_clause_that_a_filter_left_out_is_not_named() {
    let suite = &SUITE;
    let only: Vec<_> = suite.vectors.iter().filter(|vector| vector.section == "expired").collect();
    let run = cosmos_ttl_harness::run_virtual(&Reference::default(), &only).unwrap();
    assert_eq!(Tally::of(&run).conclusion(false), Conclusion::Conformant);
}

#[test]
fn what_to_do_about_a_budget_says_how_many_seconds_are_enough() {
    let run = beside(OTHER, Verdict::NotApplicable("too long".into()));
    assert_eq!(unjudged(&run)[0].help, "raise the budget to 0 s or more");
    let (run, _) = on_a_real_clock(&at_most("domain/item-integral-fraction", u64::MAX), 4, 0, None);
    let [one] = &unjudged(&run)[..] else { panic!("{:?}", unjudged(&run)) };
    assert_eq!(
        (one.clause.as_str(), one.help.as_str()),
        ("item-integral-fraction", "raise the budget to 6 s or more")
    );
}

/// The vectors whose names start so, and that last at most this many seconds.
fn at_most(prefix: &str, span_s: u64) -> Vec<&'static Vector> {
    let vectors = SUITE.vectors.iter();
    vectors.filter(|vector| vector.name.starts_with(prefix) && vector.span_s <= span_s).collect()
}

/// A store on a simulated clock whose first session answers its first requests late.
struct Cold {
    remote: Remote,
    time: Arc<SimulatedTime>,
    late_us: i64,
    is_warm: AtomicBool,
}

impl Target for Cold {
    fn about(&self) -> About {
        self.remote.about()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        let session = self.remote.open()?;
        if self.is_warm.swap(true, Ordering::Relaxed) {
            return Ok(session);
        }
        let mut late_us = vec![self.late_us; 2];
        Ok(hooked_box(session, move |session: &mut dyn Session, request: &Request| {
            TargetClock::sleep_us(&*self.time, late_us.pop().unwrap_or(0));
            session.send(request)
        }))
    }
}

fn on_a_real_clock(
    vectors: &[&'static Vector],
    budget_s: u64,
    late_us: i64,
    flaw: Option<StoreFlaw>,
) -> (Run<'static>, Tally) {
    let time = Arc::new(SimulatedTime::default());
    let mut remote = Remote::new(time.clone(), 4);
    remote.flaw = flaw;
    let target = Cold { remote, time: time.clone(), late_us, is_warm: AtomicBool::new(false) };
    let options = Options { budget_s, ..Options::default() };
    let run = run_real_by(time.as_ref(), &target, vectors, &options).unwrap();
    let tally = Tally::of(&run);
    (run, tally)
}

#[test]
fn a_store_that_never_expires_is_never_conformant_however_late_its_first_answers_are() {
    for late_us in [0, 400_000, 1_300_000, 2_600_000, 6_000_000, 20_000_000] {
        for budget_s in [1, 8, 30] {
            let all = at_most("", u64::MAX);
            let (run, tally) = on_a_real_clock(&all, budget_s, late_us, Some(StoreFlaw::NeverExpires));
            let conclusion = tally.conclusion(false);
            assert_ne!(conclusion.exit_code(), 0, "{late_us} us late, {budget_s} s: {:?}", run.results);
        }
    }
}

#[test]
fn a_budget_that_leaves_nothing_of_a_clause_to_judge_decides_nothing() {
    let both = [at_most("settings/", u64::MAX), at_most("expired/", u64::MAX)].concat();
    let (_, tally) = on_a_real_clock(&both, 1, 0, Some(StoreFlaw::NeverExpires));
    assert!(0 < tally.counts.not_applicable && tally.counts.fail == 0, "{:?}", tally.counts);
    assert_eq!(tally.conclusion(false), Conclusion::Undecided);
    assert!(
        tally.unjudged.contains("hidden-immediately") || tally.unjudged.len() > 5,
        "{:?}",
        tally.unjudged
    );
}

#[test]
fn a_store_that_supports_nothing_is_undecided_and_every_binding_clause_is_named() {
    let vectors: Vec<_> = SUITE.vectors.iter().collect();
    let run = cosmos_ttl_harness::run_virtual(&Without(|_| true), &vectors).unwrap();
    assert_eq!(Tally::of(&run).conclusion(false), Conclusion::Undecided);
    let binding: BTreeSet<_> = vectors.iter().flat_map(|vector| vector.binding.clone()).collect();
    assert_eq!(Tally::of(&run).unjudged, binding);
}

/// A run on a real clock, or over HTTP, can be conformant only if this holds.
#[test]
fn every_binding_clause_has_a_vector_that_the_default_budget_of_a_real_clock_has_time_for() {
    let budget_s = Options::default().budget_s;
    let is_quick = |vector: &Vector| SUITE.quick.contains(&vector.name);
    for (profile, quick) in [("hand", false), ("quick", true)] {
        let vectors = || SUITE.vectors.iter().filter(|vector| !quick || is_quick(vector));
        let is_short = |vector: &&Vector| {
            let batch = vector.steps.iter().any(|step| matches!(step.request, Request::Batch(_)));
            let is_of_batches = vector.clauses.contains(&"batch-shares-one-ts".into());
            vector.span_s <= budget_s && (quick || !batch || is_of_batches)
        };
        let all: BTreeSet<_> = vectors().flat_map(|vector| &vector.binding).collect();
        let short: BTreeSet<_> = vectors().filter(is_short).flat_map(|vector| &vector.binding).collect();
        assert_eq!(all.difference(&short).collect::<Vec<_>>(), Vec::<&&String>::new(), "{profile}");
    }
}

fn test_program<T: Target + Send + 'static>(program: CargoTest<T>) -> ExitCode {
    let log = cosmos_ttl_testing::temporary().join("unjudged.log").display().to_string();
    program.run(&Arguments::from_iter(["program", "--logfile", &log, "--color", "never"]))
}

#[test]
fn a_test_program_fails_where_its_budget_has_no_time_for_any_vector_of_a_binding_clause() {
    let of = |budget_s| {
        let time = Arc::new(Real(Monotonic::start()));
        let program = CargoTest::new(Remote::new(time, 1)).only("domain/item-").budget_s(budget_s);
        test_program(program)
    };
    assert_eq!(of(0), ExitCode::from(101));
    let without_queries = Without(|request| matches!(request, Request::Query | Request::List));
    assert_eq!(test_program(CargoTest::new(without_queries)), ExitCode::SUCCESS);
}
