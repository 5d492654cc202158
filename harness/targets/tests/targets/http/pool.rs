//! Containers that are used again: verdicts are those of new containers, and there are few of them.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::realtime::{Options, run_real};
use cosmos_ttl_harness::run::Run;
use cosmos_ttl_harness::target::{Body, Indexing, Part, Request, Session, Status, Target};
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_harness::verdict::Outcome;
use cosmos_ttl_targets::http::{HttpConfig, HttpTarget};
use cosmos_ttl_testing::endpoint::{Answer, Asked, Endpoint};
use cosmos_ttl_testing::suite;

use super::server::Server;
use super::{container, create, read};
use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        vectors_pass_in_containers_that_others_used_and_few_are_created,
        a_faulty_store_fails_the_same_vectors_in_containers_that_others_used,
        a_vector_about_the_creation_of_a_container_has_a_new_one,
        a_container_is_empty_when_it_is_used_again,
        a_session_that_asks_for_a_new_container_has_one_and_deletes_it,
        a_container_that_cannot_be_emptied_is_deleted_and_never_used_again,
        a_list_that_never_empties_has_an_end,
        loopback_has_no_pool_and_every_other_endpoint_has_one_of_ten,
        throughput_is_asked_for_when_the_database_is_created_and_only_where_it_is_given,
    ]
}

const POOL: usize = 10;

fn endpoint(
    target: impl Target + Send + 'static,
    intercept: impl Fn(&Asked) -> Option<Answer> + Send + Sync + 'static,
) -> Endpoint {
    Endpoint::new(target, Duration::ZERO, intercept)
}

fn pooled(url: &str, containers: usize) -> HttpTarget {
    HttpTarget::connect(HttpConfig::new(url, None).unwrap().with_containers(containers)).unwrap()
}

/// Every n-th of the vectors that last no longer than two seconds and need nothing that a target announces.
fn short(step: usize) -> Vec<&'static Vector> {
    let is_plain = |vector: &&Vector| !vector.parts().into_iter().any(Part::is_optional);
    suite().vectors.iter().filter(|vector| vector.span_s <= 2).filter(is_plain).step_by(step).collect()
}

fn run<'v>(endpoint: &Endpoint, containers: usize, vectors: &[&'v Vector]) -> Run<'v> {
    let options = Options { budget_s: 600, ..Options::default() };
    run_real(&pooled(&endpoint.url(), containers), vectors, &options).unwrap()
}

fn outcomes(run: &Run<'_>) -> BTreeMap<String, Outcome> {
    run.results.iter().map(|result| (result.vector.name.clone(), result.verdict.outcome())).collect()
}

fn vectors_pass_in_containers_that_others_used_and_few_are_created() {
    let vectors = short(3);
    let endpoint = endpoint(Reference::default(), |_| None);
    let run = run(&endpoint, POOL, &vectors);
    let bad: Vec<_> = run
        .results
        .iter()
        .filter(|result| !matches!(result.verdict.outcome(), Outcome::Pass | Outcome::NotApplicable))
        .map(|result| (&result.vector.name, result.verdict.reason()))
        .collect();
    assert!(bad.is_empty(), "{bad:?}");
    let new = vectors.iter().filter(|vector| vector.needs_new_container()).count();
    let (created, _) = endpoint.containers();
    assert!(
        created <= POOL + new,
        "{created} containers for {} vectors, {new} of which need a new one",
        vectors.len()
    );
    assert!(
        POOL + 2 * new < vectors.len(),
        "the pool is worth it: {} vectors, {new} need a new one",
        vectors.len()
    );
    assert_eq!(endpoint.databases(), [""; 0], "nothing is left");
}

fn a_faulty_store_fails_the_same_vectors_in_containers_that_others_used() {
    let vectors = short(6);
    let with = |containers| {
        let late = cosmos_ttl_mutants::named("one-second-late").unwrap();
        outcomes(&run(&endpoint(late, |_| None), containers, &vectors))
    };
    let (new, used) = thread::scope(|scope| {
        let new = scope.spawn(|| with(0));
        let used = with(POOL);
        (new.join().unwrap(), used)
    });
    let failed = new.values().filter(|outcome| **outcome == Outcome::Fail).count();
    assert!(3 < failed, "it fails {failed} vectors");
    assert_eq!(new, used);
}

fn a_vector_about_the_creation_of_a_container_has_a_new_one() {
    let new = |vector: &&Vector| vector.needs_new_container();
    let is_lazy = |vector: &&Vector| {
        let mut settings = vector.steps.iter().filter_map(|step| step.request.container());
        settings.any(|settings| settings.indexing != Indexing::Consistent)
    };
    let vectors = || suite().vectors.iter();
    assert!(suite().get("domain/container-zero-at-creation").unwrap().needs_new_container());
    assert!(vectors().filter(is_lazy).all(|vector| new(&vector)) && vectors().any(|vector| is_lazy(&vector)));
    assert!(vectors().filter(new).count() < vectors().count() / 4);
}

fn reused(target: &HttpTarget) -> Box<dyn Session + '_> {
    target.open_reused().unwrap()
}

fn a_container_is_empty_when_it_is_used_again() {
    let endpoint = endpoint(Reference::default(), |_| None);
    let target = pooled(&endpoint.url(), 2);
    for _ in 0..3 {
        let mut session = reused(&target);
        assert_eq!(session.send(&container()).unwrap().status, Status::Created);
        assert_eq!(session.send(&Request::Count).unwrap().body, Body::Count(0));
        assert_eq!(session.send(&read("a")).unwrap().status, Status::NotFound);
        assert_eq!(session.send(&create("a")).unwrap().status, Status::Created);
        session.close().unwrap();
    }
    assert_eq!(endpoint.containers(), (1, 1));
}

fn a_session_that_asks_for_a_new_container_has_one_and_deletes_it() {
    let endpoint = endpoint(Reference::default(), |_| None);
    let target = pooled(&endpoint.url(), 2);
    for new in 1..4 {
        let mut session = target.open().unwrap();
        session.send(&container()).unwrap();
        session.close().unwrap();
        assert_eq!(endpoint.containers(), (new, 1));
    }
}

fn a_container_that_cannot_be_emptied_is_deleted_and_never_used_again() {
    // Items that stay, a list that is refused, settings that are refused, and a list that is none.
    let refused: [fn(&Asked) -> Option<Answer>; 4] = [
        |asked| asked.line.contains("/docs/").then(|| (403, "no".into())),
        |asked| (asked.line.starts_with("GET") && asked.line.ends_with("/docs")).then(|| (500, "no".into())),
        |asked| asked.line.starts_with("PUT").then(|| (400, "no".into())),
        |asked| (asked.line.starts_with("GET") && asked.line.ends_with("/docs")).then(|| (200, "[]".into())),
    ];
    for intercept in refused {
        let endpoint = endpoint(Reference::default(), intercept);
        let target = pooled(&endpoint.url(), 2);
        for _ in 0..2 {
            let mut session = reused(&target);
            assert_eq!(session.send(&container()).unwrap().status, Status::Created);
            assert_eq!(session.send(&create("a")).unwrap().status, Status::Created);
            session.close().unwrap();
        }
        assert_eq!(endpoint.containers(), (2, 1));
    }
}

fn a_list_that_never_empties_has_an_end() {
    let endpoint = endpoint(Reference::default(), |asked| {
        let list = asked.line.starts_with("GET") && asked.line.ends_with("/docs");
        list.then(|| (200, r#"{"Documents":[{"id":"ghost"}]}"#.into()))
    });
    let target = pooled(&endpoint.url(), 2);
    let mut session = reused(&target);
    session.send(&container()).unwrap();
    session.close().unwrap();
    drop(session);
    let lists = endpoint.asked().iter().filter(|asked| asked.line.starts_with("GET")).count();
    assert_eq!(lists, 5);
    assert!(endpoint.asked().last().unwrap().line.starts_with("DELETE /dbs/"));
}

fn loopback_has_no_pool_and_every_other_endpoint_has_one_of_ten() {
    let key = || Some(cosmos_ttl_targets::http::AccountKey::emulator().unwrap());
    let local = HttpConfig::new("http://127.0.0.1:8081", None).unwrap();
    assert_eq!((local.containers(), HttpTarget::new(local.clone()).most_sessions()), (0, usize::MAX));
    let remote = HttpConfig::new("http://account.example", key()).unwrap();
    assert_eq!((remote.containers(), HttpTarget::new(remote.clone()).most_sessions()), (10, 10));
    assert_eq!(HttpTarget::new(remote.with_containers(0)).most_sessions(), usize::MAX);
}

fn throughput_is_asked_for_when_the_database_is_created_and_only_where_it_is_given() {
    for (units, sent) in [(None, None), (Some(400), Some("400")), (Some(1_000_000), Some("1000000"))] {
        let server = Server::new(|_| None);
        let config = HttpConfig::new(&server.url(), None).unwrap();
        let config = units.map_or_else(|| Ok(config.clone()), |units| config.clone().with_throughput(units));
        let target = HttpTarget::connect(config.unwrap()).unwrap();
        super::server::open(&target).send(&container()).unwrap();
        let seen = server.seen();
        assert_eq!(seen[0].header("x-ms-offer-throughput"), sent);
        assert_eq!(seen[1].header("x-ms-offer-throughput"), None, "containers share it");
    }
    for units in [0, 100, 399, 450, 1_000_100, u32::MAX] {
        let config = HttpConfig::new("http://127.0.0.1:8081", None).unwrap();
        assert!(
            config.with_throughput(units).unwrap_err().to_string().contains("multiple of 100"),
            "{units}"
        );
    }
}
