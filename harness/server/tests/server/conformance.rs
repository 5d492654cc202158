//! Vectors over HTTP: what the server answers, and what a store behind it answers, is what it answers in process.

use std::collections::BTreeSet;
use std::fs::File;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use cosmos_ttl_explore::judge::{JudgeOptions, LineVerdict, judge};
use cosmos_ttl_explore::{ExploreOptions, search};
use cosmos_ttl_harness::realtime::{Options, run_real};
use cosmos_ttl_harness::request_log::{LogWriter, RequestLog};
use cosmos_ttl_harness::signature::Signature;
use cosmos_ttl_harness::target::{Clock, Declared, Part, Removal, Target};
use cosmos_ttl_harness::vector::{Suite, Vector};
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_harness::{Verdict, embedded, run_virtual};
use cosmos_ttl_model::choices::Preferences;
use cosmos_ttl_mutants::{mutants, named};
use cosmos_ttl_server::RemovalSchedule;
use cosmos_ttl_server::arguments::ClauseChoice;
use cosmos_ttl_server::listener::Limits;
use cosmos_ttl_server::{EndpointConfig, LoggedFactory};
use cosmos_ttl_targets::http::{HttpConfig, HttpTarget};
use cosmos_ttl_testing::endpoint::Endpoint;
use cosmos_ttl_testing::one_removal::OneRemoval;

use crate::running::{RunningServer, model};
use crate::signed::Shop;

static SUITE: LazyLock<Suite> = LazyLock::new(|| embedded().unwrap());

/// The target, which is asked for everything.
pub(crate) fn offering(target: &dyn Target) -> Declared<'_> {
    Declared::new(target, &BTreeSet::new()).offering(&Part::optional())
}

/// Each vector once: in process, other tests replay them under every schedule of removal.
#[track_caller]
fn check_conformant(target: &dyn Target, vectors: &[&Vector]) {
    let run = run_virtual(&OneRemoval(&offering(target), Removal::Alternate), vectors).unwrap();
    assert_eq!(run.results.len(), vectors.len());
    for result in &run.results {
        let (name, verdict) = (&result.vector.name, &result.verdict);
        let refuses_id = matches!(verdict, Verdict::NotOffered(why) if why.contains(" id"));
        assert!(*verdict == Verdict::Pass || refuses_id, "{name}: {verdict:?}");
    }
}

#[test]
fn every_vector_applies_and_passes_over_http_when_the_clock_is_virtual() {
    let path = cosmos_ttl_testing::temporary().join("server.log");
    let log = LogWriter::new(File::create(&path).unwrap());
    let config = model(Preferences::default());
    let server = RunningServer::with(EndpointConfig {
        stores: Box::new(LoggedFactory::new(config.stores, log)),
        ..config
    });
    let target = server.target();
    assert_eq!(target.about().clock, Clock::Virtual);
    check_conformant(&target, &SUITE.vectors.iter().collect::<Vec<_>>());
    let log = RequestLog::read(File::open(&path).unwrap()).unwrap();
    let options = JudgeOptions { is_sole_writer: true, settings: None };
    let judgement = judge(&log, options);
    assert_eq!((judgement.impossible.first(), judgement.unreadable.first()), (None, None));
    let possible = judgement.count(|verdict| verdict == LineVerdict::Possible);
    assert!(possible > log.len() * 9 / 10, "{possible} of {} lines are judged", log.len());
}

/// What is not shown is logged of the partitions that were written to, and only the first hundred of them.
#[test]
fn a_read_of_nothing_does_not_keep_a_partition_out_of_the_log() {
    let path = cosmos_ttl_testing::temporary().join("partitions.log");
    let log = LogWriter::new(File::create(&path).unwrap());
    let config = model(Preferences::default());
    let stores = Box::new(LoggedFactory::new(config.stores, log));
    let shop = Shop::open(EndpointConfig { stores, ..config }, "");
    for number in 0..100 {
        let key = [("x-ms-documentdb-partitionkey", &*format!("[{number}]"))];
        assert_eq!(shop.ask("GET", "/dbs/d/colls/c/docs/a", &key, "").status, 404);
    }
    assert_eq!(shop.items("POST", "", &[], r#"{"id":"a","pk":"p"}"#).status, 201);
    assert_eq!(shop.items("DELETE", "a", &[], "").status, 204);
    assert_eq!(shop.items("GET", "", &[], "").status, 200);
    let log = std::fs::read_to_string(&path).unwrap();
    let lists: Vec<_> = log.lines().filter(|line| line.contains(r#""list""#)).collect();
    assert_eq!(lists.len(), 1);
    assert!(lists[0].contains(r#""ids":[]"#), "{}", lists[0]);
}

#[test]
fn the_server_is_conformant_under_each_choice_of_an_open_clause() {
    for choice in ClauseChoice::all() {
        let (mut preferences, mut removal) = (Preferences::default(), RemovalSchedule::Eager);
        ClauseChoice::parse(&choice).unwrap().apply(&mut preferences, &mut removal);
        let config = EndpointConfig { removal, ..model(preferences) };
        let server = RunningServer::with(config);
        let clause = choice.split_once('=').unwrap().0;
        let is_about = |vector: &&Vector| vector.clauses.iter().any(|cited| cited == clause);
        let about: Vec<_> = SUITE.vectors.iter().filter(is_about).collect();
        assert!(!about.is_empty() || choice.starts_with("lazy-index"), "no vector is about {choice}");
        check_conformant(&server.target(), &about);
    }
}

/// The verdicts and answers of a run, without the target's own words.
fn outcome(target: &dyn Target, vectors: &[&Vector]) -> Vec<String> {
    let run = run_virtual(&offering(target), vectors).unwrap();
    let told = |verdict: &Verdict| match verdict {
        Verdict::Fail(failure) => {
            let (step, Signature { expected, got }) = (failure.step, &failure.signature);
            format!("fail at step {step}: expected {expected}, got {got}")
        }
        verdict => format!("{verdict:?}"),
    };
    run.results.iter().map(|result| format!("{}: {}", result.vector.name, told(&result.verdict))).collect()
}

/// Returns vectors about the clauses that a mutant breaks: the first two, and the first that fails against it.
fn killers(name: &str) -> Vec<&'static Vector> {
    let mutant =
        mutants().find(|mutant| mutant.name == name).unwrap_or_else(|| panic!("no mutant is {name}"));
    let about = SUITE
        .vectors
        .iter()
        .filter(|vector| vector.clauses.iter().any(|cited| mutant.clauses.contains(&cited.as_str())));
    let store = named(name).unwrap();
    let fails = |vector: &&Vector| outcome(&store, &[*vector])[0].contains(": fail");
    let killer =
        about.clone().find(fails).unwrap_or_else(|| panic!("no vector about its clauses fails {name}"));
    about.take(2).chain([killer]).collect()
}

/// Some mutants of values, time, visibility and identity.
#[rustfmt::skip]
const MUTANTS: [&str; 12] = [
    "absent-default-is-minus-one", "container-infinity-is-never", "container-maximum-is-never",
    "item-zero-is-at-once", "container-fraction-is-cut", "patch-in-a-batch-takes-above-maximum", "off-honours-own-ttl",
    "one-second-early", "failed-condition-writes", "count-takes-the-shorter", "deleted-items-return",
    "no-index-is-for-good",
];

/// The store of an endpoint. Some of its answers say to an HTTP client that it should ask again.
pub(crate) fn behind(endpoint: &Endpoint) -> HttpTarget {
    let config = HttpConfig::new(&endpoint.url(), None).unwrap().with_patience(Duration::ZERO);
    HttpTarget::connect(config).unwrap()
}

#[test]
fn a_mutant_behind_the_server_fails_exactly_as_in_process() {
    for name in MUTANTS {
        let (store, vectors) = (named(name).unwrap(), killers(name));
        let endpoint = Endpoint::turned(store);
        assert_eq!(outcome(&behind(&endpoint), &vectors), outcome(&store, &vectors), "{name}");
    }
}

/// The mutants that do not fail behind the server, by what it or the HTTP target does itself. Each other mutant fails there.
const HIDDEN: [(&str, &[&str]); 5] = [
    (
        "tells partitions apart",
        &[
            "delete-ignores-partitions",
            "replace-ignores-partitions",
            "patch-ignores-partitions",
            "create-ignores-partitions",
            "upsert-ignores-partitions",
            "write-in-a-batch-ignores-partitions",
            "partition-and-id-joined",
            "removal-by-prefix",
        ],
    ),
    ("cuts pages", &["continuation-counts-items", "empty-page-is-the-last"]),
    (
        "drops a client's `_ts`",
        &["client-sets-ts", "create-in-a-batch-takes-a-clients-ts", "patch-of-ts-is-ignored"],
    ),
    ("knows which containers exist", &["refused-container-exists", "second-creation-touches-ts"]),
    (
        "takes the answer for that of a server that is broken or busy",
        &["patch-says-ok", "reads-answer-gone", "removed-items-answer-gone"],
    ),
];

#[test]
fn a_mutant_in_what_the_server_does_itself_does_not_fail() {
    for (reason, names) in HIDDEN {
        for name in names {
            let (store, vectors) = (named(name).unwrap(), killers(name));
            let endpoint = Endpoint::turned(store);
            let there = outcome(&behind(&endpoint), &vectors);
            assert!(
                !there.iter().any(|line| line.contains(": fail")),
                "the server {reason}: {name}: {there:?}"
            );
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
    assert!(!is_found(&RunningServer::with(model(Preferences::default())).target()));
    let endpoint = Endpoint::turned(named("nothing-expires").unwrap());
    assert!(is_found(&behind(&endpoint)));
}

/// The real-clock runner needs seconds, so a few vectors must do here; `.ci/run` replays all of them.
#[test]
fn the_server_is_conformant_on_its_real_clock() {
    let server = RunningServer::start(model(Preferences::default()), Limits::default());
    let target = server.target();
    assert_eq!(target.about().clock, Clock::Real);
    let short: Vec<_> = SUITE.vectors.iter().filter(|vector| vector.span_s == 2).take(5).collect();
    let run = run_real(&target, &short, &Options { budget_s: 12, ..Options::default() }).unwrap();
    let failed: Vec<_> =
        run.results.iter().filter(|result| result.verdict.outcome() == Outcome::Fail).collect();
    assert!(failed.is_empty(), "{failed:?}");
    assert!(run.results.iter().any(|result| result.verdict == Verdict::Pass), "{:?}", run.results);
}
