//! The simulated server.

use cosmos_ttl_harness::realtime::{Options, Time as _, run_real_by};
use cosmos_ttl_harness::run::{Conclusion, Run, Tally};
use cosmos_ttl_harness::target::{Container, Request, Status, Target as _};
use cosmos_ttl_harness::vector::Vector;
use cosmos_ttl_mutants::IndependentStore;
use cosmos_ttl_testing::simulation::Rng;
use cosmos_ttl_testing::simulation::network::{CALM, Network, ServerClocks};
use cosmos_ttl_testing::simulation::server::Server;
use cosmos_ttl_testing::simulation::time::SimulatedTime;

use crate::STORES;

fn server(time: &SimulatedTime, network: Network) -> Server<'_> {
    let mut rng = Rng::new(1);
    let clocks = ServerClocks::even(&mut rng);
    Server::new(time, IndependentStore::default(), network, clocks, rng)
}

/// Sends 1,000 requests that create a container, and counts those that this takes.
#[track_caller]
fn check_share(network: Network, permille: usize, counts: impl Fn(Option<Status>) -> bool) {
    let time = SimulatedTime::new(1);
    let server = server(&time, network);
    let create = Request::CreateContainer(Container::default());
    let status = |_| {
        let answer = server.open().unwrap().send(&create);
        answer.ok().map(|response| response.status)
    };
    let counted = (0..1000).map(status).filter(|status| counts(*status)).count();
    assert!(counted.abs_diff(permille) < 50, "{network:?}: {counted}");
}

#[test]
fn what_goes_wrong_goes_wrong_as_often_as_it_says() {
    check_share(CALM, 1000, |status| status == Some(Status::Created));
    check_share(Network { errors: 300, ..CALM }, 300, |status| status == Some(Status::Other(500)));
    for network in [
        Network { lost_before: 300, ..CALM },
        Network { lost_after: 300, ..CALM },
        Network { broken_before: 300, ..CALM },
        Network { broken_after: 300, ..CALM },
    ] {
        check_share(network, 300, |status| status.is_none());
    }
}

#[test]
fn a_way_takes_the_time_that_the_network_says() {
    let spent_us = |network| {
        let time = SimulatedTime::new(1);
        let server = server(&time, network);
        let mut session = server.open().unwrap();
        let create = Request::CreateContainer(Container::default());
        session.send(&create).unwrap();
        time.now_us()
    };
    assert!((600..1300).contains(&spent_us(CALM)));
    let slow = spent_us(Network { container_us: 3_000_000, ..CALM });
    assert!((3_000_600..3_001_300).contains(&slow), "{slow}");
    let stalled = spent_us(Network { stalls_before: 1000, stalls_after: 1000, stall_us: 9_000_000, ..CALM });
    assert!(100_000 < stalled, "{stalled}");
}

fn run<'v>(vectors: &[&'v Vector], steady_error: fn(&Request) -> bool, errors: u32) -> Run<'v> {
    let time = SimulatedTime::new(16);
    let server = server(&time, Network { errors, ..CALM }).with_steady_error(steady_error);
    run_real_by(&time, &server, vectors, &Options::default()).unwrap()
}

#[test]
fn a_request_that_is_always_answered_500_fails_and_one_in_a_hundred_does_not() {
    let vectors: Vec<_> =
        STORES.vectors.iter().copied().filter(|vector| vector.section == "lifetime").collect();
    let vectors = &vectors[..12];
    let check = |run: &Run<'_>, expected| {
        let said: Vec<_> = run.results.iter().map(|result| (&result.vector.name, &result.verdict)).collect();
        assert_eq!(Tally::of(run).conclusion(true), expected, "{said:#?}");
    };
    check(&run(vectors, |_| false, 10), Conclusion::Conformant);
    for steady_error in [
        (|request| matches!(request, Request::Query)) as fn(&Request) -> bool,
        |request| matches!(request, Request::CreateContainer(container) if *container != Container::default()),
    ] {
        for errors in [0, 10] {
            check(&run(vectors, steady_error, errors), Conclusion::Nonconformant);
        }
    }
}
