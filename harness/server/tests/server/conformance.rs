//! Every vector over HTTP: what the server answers, and what a store behind it answers, is what it answers in process.

use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use cosmos_ttl_explore::{ExploreOptions, search};
use cosmos_ttl_harness::realtime::{Options, run_real};
use cosmos_ttl_harness::target::{Clock, Target};
use cosmos_ttl_harness::vector::embedded_with_derived;
use cosmos_ttl_harness::vector::{Suite, Vector};
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_harness::{Verdict, embedded, run_virtual};
use cosmos_ttl_model::interpretation::Interpretation;
use cosmos_ttl_mutants::named;
use cosmos_ttl_server::EndpointConfig;
use cosmos_ttl_server::arguments::ClauseChoice;
use cosmos_ttl_server::item_store::RemovalSchedule;
use cosmos_ttl_server::listener::Limits;

use crate::running::{RunningServer, behind, model};

static SUITE: LazyLock<Suite> = LazyLock::new(|| embedded().unwrap());

/// All vectors, or every n-th.
fn vectors(step: usize) -> Vec<&'static Vector> {
    SUITE.vectors.iter().step_by(step).collect()
}

#[track_caller]
fn check_conformant(target: &dyn Target, vectors: &[&Vector]) {
    let run = run_virtual(target, vectors).unwrap();
    assert_eq!(run.results.len(), vectors.len());
    for result in &run.results {
        assert_eq!(result.verdict, Verdict::Pass, "{}", result.vector.name);
    }
}

#[test]
fn every_vector_applies_and_passes_over_http_when_the_clock_is_virtual() {
    let server = RunningServer::with(model(Interpretation::default()));
    let target = server.target();
    assert_eq!(target.about().clock, Clock::Virtual);
    check_conformant(&target, &vectors(1));
}

/// Every one of them takes a minute; `cosmos-ttl run --profile all URL` replays them all.
#[test]
fn derived_vectors_apply_and_pass_over_http() {
    let all = embedded_with_derived().unwrap();
    let derived: Vec<_> =
        all.vectors.iter().filter(|vector| SUITE.get(&vector.name).is_none()).step_by(20).collect();
    assert!(derived.len() > 20, "only {} derived vectors", derived.len());
    let server = RunningServer::with(model(Interpretation::default()));
    check_conformant(&server.target(), &derived);
}

#[test]
fn the_server_is_conformant_under_each_choice_of_an_open_clause() {
    for choice in ClauseChoice::all() {
        let (mut interpretation, mut removal) = (Interpretation::default(), RemovalSchedule::Eager);
        ClauseChoice::parse(&choice).unwrap().apply(&mut interpretation, &mut removal);
        let server = RunningServer::with(EndpointConfig { removal, ..model(interpretation) });
        let about: Vec<_> = vectors(1)
            .into_iter()
            .filter(|vector| {
                let clause = choice.split_once('=').unwrap().0;
                vector.clauses.iter().any(|cited| cited == clause)
            })
            .collect();
        assert!(!about.is_empty() || choice.starts_with("lazy-index"), "no vector is about {choice}");
        check_conformant(&server.target(), &about);
    }
}

/// The verdicts and answers of a run, without the target's own words.
fn outcome(target: &dyn Target, vectors: &[&Vector]) -> Vec<String> {
    let run = run_virtual(target, vectors).unwrap();
    let told = |verdict: &Verdict| match verdict {
        Verdict::Fail(failure) => {
            format!("fail at step {}: expected {}, got {}", failure.step, failure.expected, failure.got)
        }
        verdict => format!("{verdict:?}"),
    };
    run.results.iter().map(|result| format!("{}: {}", result.vector.name, told(&result.verdict))).collect()
}

/// Names of mutants that differ in every part of the store: lifetimes, feeds, writes, settings, removal, values.
const MUTANTS: [&str; 5] =
    ["nothing-expires", "shorter-wins", "milliseconds", "off-honours-own-ttl", "absent-is-never"];

#[test]
fn a_mutant_behind_the_server_fails_exactly_as_in_process() {
    for name in MUTANTS {
        let mutant = named(name).unwrap();
        let server = RunningServer::with(behind(mutant));
        let vectors = vectors(9);
        let (there, here) = (outcome(&server.target(), &vectors), outcome(&mutant, &vectors));
        assert!(here.iter().any(|line| line.contains(": fail")), "{name} fails nowhere");
        for (there, here) in there.iter().zip(&here) {
            assert_eq!(there, here, "{name}");
        }
    }
}

/// Returns whether random requests find a difference between this target and the model.
fn is_found(target: &dyn Target) -> bool {
    let stop = AtomicBool::new(false);
    let options = ExploreOptions { seed: 1, steps: 2_000, stop: &stop };
    search(target, &SUITE, &options, 20, false).unwrap().shown.is_some()
}

#[test]
fn exploration_over_http_finds_a_mutant_and_accuses_no_correct_server() {
    assert!(!is_found(&RunningServer::with(model(Interpretation::default())).target()));
    assert!(is_found(&RunningServer::with(behind(named("nothing-expires").unwrap())).target()));
}

/// The real-clock runner needs seconds, so a few vectors must do here; `.ci/run` replays all of them.
#[test]
fn the_server_is_conformant_on_its_real_clock() {
    let server = RunningServer::start(model(Interpretation::default()), Limits::default());
    let target = server.target();
    assert_eq!(target.about().clock, Clock::Real);
    let short: Vec<_> =
        vectors(1).into_iter().filter(|vector| vector.name.starts_with("settings/")).take(5).collect();
    let run = run_real(&target, &short, &Options { budget_s: 12, ..Options::default() }).unwrap();
    let failed: Vec<_> =
        run.results.iter().filter(|result| result.verdict.outcome() == Outcome::Fail).collect();
    assert!(failed.is_empty(), "{failed:?}");
    assert!(run.results.iter().any(|result| result.verdict == Verdict::Pass), "{:?}", run.results);
}
