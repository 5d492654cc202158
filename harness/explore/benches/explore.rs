//! How fast exploration is in process, with and without its oracle, and how that grows; and what it makes of right stores.
//!
//! With `-- right`, ten million requests against stores that are right: none may be accused.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![expect(clippy::arithmetic_side_effects, reason = "small numbers")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot run has nothing to say")]

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use cosmos_ttl_belief::Belief;
use cosmos_ttl_explore::{Action, ExploreOptions, Generator, explore};
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Container, Document, Edition, Opening, Operation, Properties, Request, Response, Target,
};
use cosmos_ttl_model::interpretation::{Aggregates, ExpiredUpsert, Interpretation, LazyIndex};
use cosmos_ttl_mutants::{Choices, IndependentStore, Pick, all_controls};
use cosmos_ttl_reference::Reference;

const STEPS: u64 = 200_000;
const ROUNDS: u32 = 5;
/// The least number of requests a second, and the number of requests to all correct stores together.
const LEAST_A_SECOND: f64 = 200_000.0;
const RIGHT: u64 = 10_000_000;

fn main() {
    if std::env::args().any(|word| word == "right") {
        return right();
    }
    let reference = Reference::default();
    let whole = best(|| explored(&reference, 1, STEPS));
    println!("explore the reference   {:>9.0} requests a second, best of {ROUNDS}", rate(STEPS, whole));
    println!(
        "explore the naive store {:>9.0}",
        rate(STEPS, best(|| explored(&IndependentStore::default(), 1, STEPS)))
    );
    let recorded = recorded(&reference, STEPS);
    let asked: u64 = recorded.iter().map(|place| u64::try_from(place.asked.len()).unwrap()).sum();
    println!("the target alone        {:>9.0}", rate(asked, best(|| target_alone(&reference, &recorded))));
    println!("the oracle alone        {:>9.0}", rate(asked, best(|| oracle_alone(&recorded))));
    for items in [1_u32, 4, 16, 60] {
        let took = best(|| grown(&reference, items, 2));
        println!("oracle, {items:>2} items        {:>9.0}", rate(20_000, took));
    }
    for longest_s in [2_i64, 1_000, 2_147_483_647] {
        let took = best(|| grown(&reference, 4, longest_s));
        println!("oracle, ttl {longest_s:>10}  {:>9.0}", rate(20_000, took));
    }
    assert!(LEAST_A_SECOND < rate(STEPS, whole), "exploration is too slow");
}

fn explored(target: &dyn Target, seed: u64, steps: u64) {
    let explored = explore(target, &ExploreOptions { seed, steps, stop: &AtomicBool::new(false) }).unwrap();
    assert!(explored.found.is_none(), "{:#?}", explored.found);
    assert_eq!(explored.coverage.requests, steps);
}

fn best(mut measured: impl FnMut()) -> Duration {
    let time = |()| {
        let started = Instant::now();
        measured();
        started.elapsed()
    };
    (0..ROUNDS).map(|_| ()).map(time).min().unwrap()
}

fn rate(requests: u64, took: Duration) -> f64 {
    f64::from(u32::try_from(requests).unwrap()) / took.as_secs_f64()
}

/// A place as it was played.
struct Place {
    opening: Opening,
    /// The script so far: seconds that passed, or a request with its answer.
    asked: Vec<(u64, Request, Response)>,
}

fn recorded(target: &dyn Target, steps: u64) -> Vec<Place> {
    let about = target.about();
    let mut places = Vec::new();
    let mut left = steps;
    let mut seed = 0;
    while 0 < left {
        let mut generator = Generator::new(seed, &[], u64::MAX);
        let opening = generator.opening(&about);
        let mut session = target.open(&opening).unwrap();
        let mut belief = Belief::new(opening.edition);
        let (mut asked, mut waited) = (Vec::new(), 0);
        for _ in 0..generator.requests() {
            match generator.next(&belief).1 {
                Action::Wait(seconds) => {
                    session.pass(seconds).unwrap();
                    belief.pass(seconds);
                    waited += seconds;
                }
                Action::Call(ask) if ask.conditions.is_empty() => {
                    let response = session.send(&ask.request).unwrap();
                    belief.observe(&ask.request, &response).unwrap();
                    asked.push((std::mem::take(&mut waited), ask.request, response));
                }
                Action::Call(_) => {}
            }
        }
        left = left.saturating_sub(u64::try_from(asked.len()).unwrap());
        places.push(Place { opening, asked });
        seed += 1;
    }
    places
}

fn target_alone(target: &dyn Target, places: &[Place]) {
    for place in places {
        let mut session = target.open(&place.opening).unwrap();
        for (seconds, request, _) in &place.asked {
            session.pass(*seconds).unwrap();
            session.send(request).unwrap();
        }
    }
}

fn oracle_alone(places: &[Place]) {
    for place in places {
        let mut belief = Belief::new(place.opening.edition);
        for (seconds, request, response) in &place.asked {
            belief.pass(*seconds);
            belief.observe(request, response).unwrap();
        }
    }
}

/// A number of items that live up to this number of seconds, each read again and again.
fn grown(target: &dyn Target, items: u32, longest_s: i64) {
    let opening = Opening::new(Edition::Y2024, None);
    let mut session = target.open(&opening).unwrap();
    let mut belief = Belief::new(opening.edition);
    let mut ask = |request: Request| {
        let response = session.send(&request).unwrap();
        belief.observe(&request, &response).unwrap();
    };
    let default_ttl = Some(Literal::from(longest_s));
    ask(Request::CreateContainer(Container { default_ttl, ..Container::default() }));
    for number in 0..20_000 {
        let id = format!("i{}", number % items);
        let upsert = number < items || number % 5 == 0;
        ask(Request::Item(if upsert {
            Operation::Upsert(Document { id, properties: Properties::new() })
        } else {
            Operation::Read(id)
        }));
    }
}

/// Ten million requests of stores that are right, each in a way of its own.
fn right() {
    let other = Interpretation {
        aggregates: Aggregates::Counted,
        expired_upsert: ExpiredUpsert::Replaced,
        lazy_index: LazyIndex::Incomplete,
        ..Interpretation::default()
    };
    let choices =
        Choices { expired_counted: Pick::Other, fractions_taken: Pick::Other, ..Choices::default() };
    let references = [Reference::default(), Reference { interpretation: other }];
    let naive = [IndependentStore::default(), IndependentStore { choices, ..IndependentStore::default() }];
    let mut all: Vec<(&str, &dyn Target)> = Vec::new();
    all.extend(references.iter().map(|store| ("reference", store as &dyn Target)));
    all.extend(naive.iter().map(|store| ("naive", store as &dyn Target)));
    all.extend(all_controls().iter().map(|control| (control.name, &control.store as &dyn Target)));
    let each = RIGHT.div_ceil(u64::try_from(all.len()).unwrap());
    let started = Instant::now();
    for (number, (name, target)) in all.iter().enumerate() {
        explored(*target, u64::try_from(number).unwrap() * 1_000_000, each);
        println!("{name:64} {each} requests, no difference");
    }
    println!(
        "{} requests in {:.1} s",
        each * u64::try_from(all.len()).unwrap(),
        started.elapsed().as_secs_f64()
    );
}
