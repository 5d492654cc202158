//! A failure speaks against the clauses that the failed step shows, and of the others it says nothing.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use cosmos_ttl_explore::reference::Reference;
use cosmos_ttl_harness::run::run_virtual;
use cosmos_ttl_harness::signature::Signature;
use cosmos_ttl_harness::target::{
    About, Body, Container, Fault, Operation, Request, Response, Session, Status, Target,
};
use cosmos_ttl_harness::unjudged::unjudged_clauses;
use cosmos_ttl_harness::vector::{Suite, embedded};
use cosmos_ttl_harness::verdict::{Failure, Outcome, VectorResult, Verdict};
use cosmos_ttl_testing::hooked::hooked_box;
use cosmos_ttl_testing::scratch;

static SUITE: LazyLock<Suite> = LazyLock::new(|| embedded().unwrap());

/// The reference behind a function.
struct Hooked(fn(&mut dyn Session, &Request) -> Result<Response, Fault>);

impl Target for Hooked {
    fn about(&self) -> About {
        Reference::default().about()
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, Fault> {
        static REFERENCE: LazyLock<Reference> = LazyLock::new(Reference::default);
        Ok(hooked_box(REFERENCE.open()?, self.0))
    }
}

/// Answers that every upsert made a new item.
fn says_created(session: &mut dyn Session, request: &Request) -> Result<Response, Fault> {
    let mut response = session.send(request)?;
    let created = |operation: &Operation, status: &mut Status| {
        if matches!(operation, Operation::Upsert(_)) && status.is_success() {
            *status = Status::Created;
        }
    };
    match (request, &mut response) {
        (Request::Item(operation), response) => created(operation, &mut response.status),
        (Request::Batch(operations), Response { body: Body::Committed(statuses), .. }) => {
            operations.iter().zip(statuses).for_each(|(operation, status)| created(operation, status));
        }
        _ => {}
    }
    Ok(response)
}

/// Refuses no value: what the reference refuses is stored without it.
fn takes_any_value(session: &mut dyn Session, request: &Request) -> Result<Response, Fault> {
    let response = session.send(request)?;
    let mut request = request.clone();
    let operations = match &mut request {
        _ if response.status != Status::BadRequest => return Ok(response),
        Request::CreateContainer(Container { default_ttl, .. })
        | Request::ReplaceContainer(Container { default_ttl, .. }) => {
            *default_ttl = None;
            &mut []
        }
        request => request.operations_mut(),
    };
    for properties in operations.iter_mut().filter_map(Operation::properties_mut) {
        properties.remove("ttl");
    }
    session.send(&request)
}

fn takes_any_value_and_says_created(session: &mut dyn Session, request: &Request) -> Result<Response, Fault> {
    struct Inner<'a>(&'a mut dyn Session);
    impl Session for Inner<'_> {
        fn send(&mut self, request: &Request) -> Result<Response, Fault> {
            match request {
                Request::CreateContainer(_) | Request::ReplaceContainer(_) => self.0.send(request),
                _ => takes_any_value(self.0, request),
            }
        }

        fn pass(&mut self, seconds: u64) -> Result<(), Fault> {
            self.0.pass(seconds)
        }
    }
    says_created(&mut Inner(session), request)
}

/// The clauses that a run speaks against, and whether it fails.
fn crossed(target: &dyn Target) -> (BTreeSet<String>, bool) {
    let vectors: Vec<_> = SUITE.vectors.iter().collect();
    let run = run_virtual(target, &vectors).unwrap();
    let fails = run.results.iter().any(|result| result.outcome() == Outcome::Fail);
    let blamed = run.results.iter().flat_map(VectorResult::blamed).map(str::to_owned).collect();
    (blamed, fails)
}

#[track_caller]
fn check(hook: fn(&mut dyn Session, &Request) -> Result<Response, Fault>, broken: &[&str]) {
    let (blamed, fails) = crossed(&Hooked(hook));
    assert_eq!(blamed.iter().map(String::as_str).collect::<Vec<_>>(), broken);
    assert_eq!(fails, !broken.is_empty());
}

/// Items of a store that takes `ttl: 10.0` for neither the number 10 nor a refusal.
const ITEMS: [&str; 6] = [
    "item-above-maximum-rejected",
    "item-below-minus-one-rejected",
    "item-integral-fraction",
    "item-not-an-integer-rejected",
    "item-null-rejected",
    "item-zero-rejected",
];

const CONTAINERS: [&str; 5] = [
    "container-above-maximum-rejected",
    "container-below-minus-one-rejected",
    "container-not-an-integer-rejected",
    "container-zero-rejected",
    "ttl-needs-an-index",
];

#[test]
fn a_choice_that_contradicts_another_vector_speaks_against_the_open_clause_only() {
    let vectors: Vec<_> = SUITE.vectors.iter().collect();
    let mut run = run_virtual(&Reference::default(), &vectors).unwrap();
    let chosen = |result: &&mut VectorResult<'_>| {
        result.choices.iter().any(|choice| choice.clause == "container-null-is-off")
    };
    let result = run.results.iter_mut().find(chosen).unwrap();
    let choice = result.choices.iter().find(|choice| choice.clause == "container-null-is-off").unwrap();
    let signature = Signature { expected: "x".into(), got: "y".into() };
    result.verdict = Verdict::Fail(Failure {
        step: choice.step,
        at_s: 0,
        expected: "x".into(),
        got: "y".into(),
        signature,
        beside: Some("domain/other".into()),
        removal: None,
    });
    assert_eq!(result.blamed(), ["container-null-is-off"]);
}

#[test]
fn a_must_that_every_vector_fails_before_it_is_asked_is_named() {
    let refused = SUITE.get("domain/item-zero-by-replace").unwrap();
    let run = run_virtual(&Hooked(takes_any_value), &[refused]).unwrap();
    assert_eq!(run.results[0].blamed(), ["item-zero-rejected"]);
    let unjudged = unjudged_clauses(&run.results, &run.filtered);
    let named: Vec<_> = unjudged.iter().map(|one| (one.clause.as_str(), one.reason.as_str())).collect();
    assert_eq!(named, [("item-rejected-stores-nothing", "their vectors fail before they test the clause")]);
}

#[test]
fn every_vector_shows_a_clause_and_every_clause_that_is_cited_is_shown() {
    let mut never: BTreeSet<_> =
        SUITE.vectors.iter().flat_map(|vector| &vector.clauses).map(String::as_str).collect();
    for vector in &SUITE.vectors {
        let shows = || vector.steps.iter().flat_map(|step| &step.shows);
        assert!(shows().all(|clause| vector.clauses.contains(clause)), "{}", vector.name);
        assert!(shows().next().is_some(), "no step of {} shows anything", vector.name);
        shows().for_each(|clause| _ = never.remove(clause.as_str()));
    }
    assert_eq!(never, BTreeSet::new());
}

#[test]
fn a_list_of_shown_clauses_that_does_not_fit_the_vectors_is_refused() {
    let vector = |name: &str, steps: &str| format!("- {{vector: lifetime/{name}, steps: [{steps}]}}\n");
    let load = |entries: &str| {
        let text = format!("format: 1\nvectors:\n{entries}");
        Suite::load(&scratch("shows", &[("shows.yaml", text.as_bytes())])).map_err(|flaw| flaw.to_string())
    };
    let nine = |last: &str| format!("[], [], [], [own], [own], [], [], [], [maybe], {last}");
    let suite = load(&vector("own-ttl", &nine("[own, maybe]"))).unwrap();
    let shows: Vec<_> = suite.vectors[0].steps.iter().map(|step| step.shows.join(" ")).collect();
    assert_eq!(shows, ["", "", "", "own", "own", "", "", "", "maybe", "own maybe"]);
    for (entries, what) in [
        (vector("other", &nine("[]")), "shows.yaml:3:12: `lifetime/other` is not a vector"),
        (vector("own-ttl", "[], [own]"), "`lifetime/own-ttl` has 10 requests, and 2 are listed"),
        (vector("own-ttl", &nine("[soon]")), "`lifetime/own-ttl` does not cite `soon`"),
        (vector("own-ttl", &nine("[]")).repeat(2), "`lifetime/own-ttl` is named twice"),
    ] {
        let flaw = load(&entries).unwrap_err();
        assert!(flaw.contains(what), "{flaw}");
    }
}

#[test]
fn a_store_that_says_created_to_every_upsert_breaks_no_clause() {
    check(says_created, &[]);
}

#[test]
fn a_store_that_refuses_no_value_breaks_only_the_clauses_that_refuse_one() {
    let mut broken = [&ITEMS[..], &CONTAINERS].concat();
    broken.sort_unstable();
    check(takes_any_value, &broken);
}

#[test]
fn an_emulator_that_never_checks_the_ttl_of_items_breaks_only_the_clauses_of_that() {
    check(takes_any_value_and_says_created, &ITEMS);
}
